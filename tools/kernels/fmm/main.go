// Command fmm writes the assembly of package fmm:
//
//	go run ./kernels/fmm -out ../fmm/kernels_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!noasm")
	for q := firstRows; q <= lastRows; q++ {
		evaluateRows(q)
	}
	evaluateOrders("evaluateOrdersAVX512", avx512)
	evaluateOrders("evaluateOrdersAVX2", avx2)
	Generate()
}

type isa struct {
	lanes int // number of float64 in a register
	vec   func() reg.VecVirtual
}

var (
	avx512 = isa{lanes: 8, vec: ZMM}
	avx2   = isa{lanes: 4, vec: YMM}
	// half is AVX-512 with registers of four lanes.
	half = isa{lanes: 4, vec: YMM}
)

func (s isa) bytes() int { return 8 * s.lanes }

func (s isa) zero() reg.VecVirtual {
	v := s.vec()
	VXORPD(v, v, v)
	return v
}

// all returns a register with the float64 at m in every lane.
func (s isa) all(m Op) reg.VecVirtual {
	v := s.vec()
	VBROADCASTSD(m, v)
	return v
}

func float64s(name string, v []float64) []Mem {
	g := GLOBL(name, RODATA|NOPTR)
	m := make([]Mem, len(v))
	for i, f := range v {
		DATA(8*i, F64(f))
		m[i] = g.Offset(8 * i)
	}
	return m
}
