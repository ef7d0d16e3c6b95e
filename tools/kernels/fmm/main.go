// Fmm writes the assembly of package fmm:
//
//	go run ./kernels/fmm -out ../fmm/kernels_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("!noasm")
	addColumns("addColumnsAVX512", avx512)
	addColumns("addColumnsAVX2", avx2)
	addMirrored("addMirroredAVX512", avx512)
	addMirrored("addMirroredAVX2", avx2)
	for q := firstRows; q <= lastRows; q++ {
		evaluateRows(q)
	}
	evaluateOrders("evaluateOrdersAVX512", avx512)
	evaluateOrders("evaluateOrdersAVX2", avx2)
	Generate()
}
