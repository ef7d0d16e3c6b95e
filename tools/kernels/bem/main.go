// Bem writes the assembly of package bem:
//
//	go run ./kernels/bem -out ../bem/panels_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("!noasm")
	windingAVX2()
	windingAVX512()
	Generate()
}
