package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set that a kernel is generated for.
type isa struct {
	lanes int // float64 in a register
	vec   func() reg.VecVirtual
	most  int // largest number of registers for the rows of a block of columns
}

var (
	avx512 = isa{lanes: 8, vec: ZMM, most: 16}
	avx2   = isa{lanes: 4, vec: YMM, most: 12}
	// half is AVX-512 in registers of four lanes.
	half = isa{lanes: 4, vec: YMM}
)

// bytes returns the size of a register.
func (s isa) bytes() int { return 8 * s.lanes }

// zero returns a register of zeros.
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

// float64s returns the addresses of read-only values.
func float64s(name string, v []float64) []Mem {
	g := GLOBL(name, RODATA|NOPTR)
	m := make([]Mem, len(v))
	for i, f := range v {
		DATA(8*i, F64(f))
		m[i] = g.Offset(8 * i)
	}
	return m
}
