// Command harmonics writes the assembly of package harmonics:
//
//	go run ./kernels/harmonics -out ../harmonics/kernels_amd64.s
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!noasm")
	for _, s := range []isa{{"AVX512", 8, ZMM}, {"AVX2", 4, YMM}} {
		s.transpose()
		s.load()
		s.rotate()
		s.multiply("multiply", false)
		s.multiply("multiplyAdd", true)
		s.store()
	}
	Generate()
}

// These constants repeat sizes and offsets of package harmonics. TestProgramLayout checks them.
const (
	lanes       = 8
	vectorBytes = 8 * lanes
	maxRows     = 12

	coefficientBytes = 32
	atRe             = 0
	atIm             = 4
	atCos            = 8
	atSin            = 12
	atAngle          = 16
	atScale          = 20
	atWeight         = 24

	productBytes = 32
	atDst        = 0
	atSrc        = 4
	atDstStep    = 8
	atSrcStep    = 12
	atCols       = 20
	atMatrix     = 24
)

// isa is an instruction set. A vector has eight lanes, which fill one register or two registers.
type isa struct {
	name  string
	lanes int // number of float64 in a register
	vec   func() reg.VecVirtual
}

// parts calls f for the byte offset of each register in a vector.
func (s isa) parts(f func(at int)) {
	for at := 0; at < vectorBytes; at += 8 * s.lanes {
		f(at)
	}
}

// all returns a register with the float64 at m in every lane.
func (s isa) all(m Op) reg.VecVirtual {
	v := s.vec()
	VBROADCASTSD(m, v)
	return v
}

// at returns the address of the vector whose index is the int32 at m.
func vectorAt(base reg.Register, m Mem) reg.GPVirtual {
	v := GP64()
	MOVLQSX(m, v)
	SHLQ(Imm(6), v)
	ADDQ(base, v)
	return v
}

// coefficients generates a loop over a list of coefficients.
func coefficients(body func(c reg.Register)) {
	list, n := Load(Param("list"), GP64()), Load(Param("n"), GP64())
	Label("coefficient")
	body(list)
	ADDQ(Imm(coefficientBytes), list)
	DECQ(n)
	JNE(LabelRef("coefficient"))
	VZEROUPPER()
	RET()
}

func (s isa) load() {
	TEXT("load"+s.name, NOSPLIT, "func(dst, src, op *byte, list *byte, n, sines int)")
	Doc("load" + s.name + " is loadGeneric.")
	dst, src, op, sines := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("op"), GP64()), Load(Param("sines"), GP64())
	SHLQ(Imm(6), sines)
	coefficients(func(c reg.Register) {
		re, im := vectorAt(src, Mem{Base: c, Disp: atRe}), vectorAt(src, Mem{Base: c, Disp: atIm})
		x, y := vectorAt(dst, Mem{Base: c, Disp: atCos}), vectorAt(dst, Mem{Base: c, Disp: atSin})
		angle, scale := vectorAt(op, Mem{Base: c, Disp: atAngle}), vectorAt(op, Mem{Base: c, Disp: atScale})
		weight := s.all(Mem{Base: c, Disp: atWeight})
		s.parts(func(at int) {
			g, u, v, cos, sin, a, b := s.vec(), s.vec(), s.vec(), s.vec(), s.vec(), s.vec(), s.vec()
			VMULPD(Mem{Base: scale, Disp: at}, weight, g)
			VMULPD(Mem{Base: re, Disp: at}, g, u)
			VMULPD(Mem{Base: im, Disp: at}, g, v)
			VMOVUPD(Mem{Base: angle, Disp: at}, cos)
			VMOVUPD(Mem{Base: angle, Index: sines, Scale: 1, Disp: at}, sin)
			VMULPD(sin, v, a)
			VFMADD231PD(cos, u, a)
			VMULPD(sin, u, b)
			VFMSUB231PD(cos, v, b)
			VMOVUPD(a, Mem{Base: x, Disp: at})
			VMOVUPD(b, Mem{Base: y, Disp: at})
		})
	})
}

func (s isa) rotate() {
	TEXT("rotate"+s.name, NOSPLIT, "func(v, op *byte, list *byte, n, sines int, sign float64)")
	Doc("rotate" + s.name + " is rotateGeneric.")
	base, op, sines := Load(Param("v"), GP64()), Load(Param("op"), GP64()), Load(Param("sines"), GP64())
	SHLQ(Imm(6), sines)
	one := XMM()
	Load(Param("sign"), one)
	sign := s.vec()
	VBROADCASTSD(one, sign)
	coefficients(func(c reg.Register) {
		x, y := vectorAt(base, Mem{Base: c, Disp: atCos}), vectorAt(base, Mem{Base: c, Disp: atSin})
		angle := vectorAt(op, Mem{Base: c, Disp: atAngle})
		s.parts(func(at int) {
			u, v, cos, sin, a, b := s.vec(), s.vec(), s.vec(), s.vec(), s.vec(), s.vec()
			VMOVUPD(Mem{Base: x, Disp: at}, u)
			VMOVUPD(Mem{Base: y, Disp: at}, v)
			VMOVUPD(Mem{Base: angle, Disp: at}, cos)
			VMULPD(Mem{Base: angle, Index: sines, Scale: 1, Disp: at}, sign, sin)
			VMULPD(sin, v, a)
			VFMADD231PD(cos, u, a)
			VMULPD(sin, u, b)
			VFMSUB231PD(cos, v, b)
			VMOVUPD(a, Mem{Base: x, Disp: at})
			VMOVUPD(b, Mem{Base: y, Disp: at})
		})
	})
}

func (s isa) store() {
	TEXT("store"+s.name, NOSPLIT, "func(dst, v, op *byte, list *byte, n, sines int)")
	Doc("store" + s.name + " is storeGeneric.")
	dst, from, op, sines := Load(Param("dst"), GP64()), Load(Param("v"), GP64()), Load(Param("op"), GP64()), Load(Param("sines"), GP64())
	SHLQ(Imm(6), sines)
	coefficients(func(c reg.Register) {
		re, im := vectorAt(dst, Mem{Base: c, Disp: atRe}), vectorAt(dst, Mem{Base: c, Disp: atIm})
		x, y := vectorAt(from, Mem{Base: c, Disp: atCos}), vectorAt(from, Mem{Base: c, Disp: atSin})
		angle, scale := vectorAt(op, Mem{Base: c, Disp: atAngle}), vectorAt(op, Mem{Base: c, Disp: atScale})
		weight := s.all(Mem{Base: c, Disp: atWeight})
		s.parts(func(at int) {
			g, u, v, cos, sin, a, b, sum, other := s.vec(), s.vec(), s.vec(), s.vec(), s.vec(), s.vec(), s.vec(), s.vec(), s.vec()
			VMULPD(Mem{Base: scale, Disp: at}, weight, g)
			VMOVUPD(Mem{Base: x, Disp: at}, u)
			VMOVUPD(Mem{Base: y, Disp: at}, v)
			VMOVUPD(Mem{Base: angle, Disp: at}, cos)
			VMOVUPD(Mem{Base: angle, Index: sines, Scale: 1, Disp: at}, sin)
			VMULPD(sin, v, a)
			VFMSUB231PD(cos, u, a)
			VMULPD(sin, u, b)
			VFMADD231PD(cos, v, b)
			VMOVUPD(Mem{Base: re, Disp: at}, sum)
			VFMADD231PD(g, a, sum)
			VMOVUPD(sum, Mem{Base: re, Disp: at})
			VMOVUPD(Mem{Base: im, Disp: at}, other)
			VFNMADD231PD(g, b, other)
			VMOVUPD(other, Mem{Base: im, Disp: at})
		})
	})
}

// multiply generates a loop over the products of each number of rows. The sums of all rows are in
// registers. If add is true, the code adds the sums to dst.
func (s isa) multiply(name string, add bool) {
	TEXT(name+s.name, NOSPLIT, "func(dst, src *byte, list *byte, counts *int64, values *float64)")
	Doc(name + s.name + " is " + name + "Generic.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	list, counts, values := Load(Param("list"), GP64()), Load(Param("counts"), GP64()), Load(Param("values"), GP64())
	for rows := 1; rows <= maxRows; rows++ {
		label := func(what string) string { return fmt.Sprintf("%s%d", what, rows) }
		n := GP64()
		MOVQ(Mem{Base: counts, Disp: 8 * rows}, n)
		TESTQ(n, n)
		JE(LabelRef(label("end")))
		Label(label("product"))
		s.parts(func(at int) {
			column := fmt.Sprintf("%sAt%d", label("column"), at)
			from, step, cols, matrix := vectorAt(src, Mem{Base: list, Disp: atSrc}), GP64(), GP64(), GP64()
			MOVLQSX(Mem{Base: list, Disp: atSrcStep}, step)
			SHLQ(Imm(6), step)
			MOVLQSX(Mem{Base: list, Disp: atCols}, cols)
			MOVLQSX(Mem{Base: list, Disp: atMatrix}, matrix)
			LEAQ(Mem{Base: values, Index: matrix, Scale: 8}, matrix)
			sums := make([]reg.VecVirtual, rows)
			for i := range sums {
				sums[i] = s.vec()
				VXORPD(sums[i], sums[i], sums[i])
			}
			Label(column)
			v := s.vec()
			VMOVUPD(Mem{Base: from, Disp: at}, v)
			for i := range sums {
				entry := Mem{Base: matrix, Disp: 8 * i}
				if s.lanes == 8 {
					VFMADD231PD_BCST(entry, v, sums[i])
				} else {
					VFMADD231PD(s.all(entry), v, sums[i])
				}
			}
			ADDQ(Imm(uint64(8*rows)), matrix)
			ADDQ(step, from)
			DECQ(cols)
			JNE(LabelRef(column))
			to, toStep := vectorAt(dst, Mem{Base: list, Disp: atDst}), GP64()
			MOVLQSX(Mem{Base: list, Disp: atDstStep}, toStep)
			SHLQ(Imm(6), toStep)
			for i, sum := range sums {
				if add {
					VADDPD(Mem{Base: to, Disp: at}, sum, sum)
				}
				VMOVUPD(sum, Mem{Base: to, Disp: at})
				if i+1 < rows {
					ADDQ(toStep, to)
				}
			}
		})
		ADDQ(Imm(productBytes), list)
		DECQ(n)
		JNE(LabelRef(label("product")))
		Label(label("end"))
	}
	VZEROUPPER()
	RET()
}

// transpose generates a loop that transposes a square block of values for each register of lanes.
func (s isa) transpose() {
	TEXT("transpose"+s.name, NOSPLIT, "func(dst *byte, src *byte, n int)")
	Doc("transpose" + s.name + " is transposeGeneric, for slices of length n.")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	s.parts(func(at int) {
		from := make([]reg.GPVirtual, s.lanes)
		for i := range from {
			from[i] = GP64()
			MOVQ(Mem{Base: src, Disp: 24 * (at/8 + i)}, from[i])
		}
		to, left := GP64(), GP64()
		LEAQ(Mem{Base: dst, Disp: at}, to)
		MOVQ(n, left)
		loop := fmt.Sprintf("block%d", at)
		Label(loop)
		rows := make([]reg.VecVirtual, s.lanes)
		for i := range rows {
			rows[i] = s.vec()
			VMOVUPD(Mem{Base: from[i]}, rows[i])
			ADDQ(Imm(uint64(8*s.lanes)), from[i])
		}
		for i, v := range s.transposed(rows) {
			VMOVUPD(v, Mem{Base: to, Disp: vectorBytes * i})
		}
		ADDQ(U32(uint32(vectorBytes*s.lanes)), to)
		SUBQ(Imm(uint64(s.lanes)), left)
		JNE(LabelRef(loop))
	})
	VZEROUPPER()
	RET()
}

// transposed transposes a square matrix of four or eight rows.
func (s isa) transposed(r []reg.VecVirtual) []reg.VecVirtual {
	n := len(r)
	pairs := make([]reg.VecVirtual, n) // 2×2 blocks
	for i := 0; i < n; i += 2 {
		pairs[i], pairs[i+1] = s.vec(), s.vec()
		VUNPCKLPD(r[i+1], r[i], pairs[i])
		VUNPCKHPD(r[i+1], r[i], pairs[i+1])
	}
	out := make([]reg.VecVirtual, n)
	for i := range out {
		out[i] = s.vec()
	}
	if n == 4 {
		for i := range 2 {
			VPERM2F128(Imm(0x20), pairs[2+i], pairs[i], out[i])
			VPERM2F128(Imm(0x31), pairs[2+i], pairs[i], out[2+i])
		}
		return out
	}
	// pairs[2i+k] has the elements k, k+2, k+4 and k+6 of the rows 2i and 2i+1. The next two steps
	// exchange quarters of registers.
	quarters := make([]reg.VecVirtual, n)
	for i := range quarters {
		quarters[i] = s.vec()
	}
	for h := range 2 {
		for k := range 2 {
			a, b := pairs[4*h+k], pairs[4*h+2+k]
			VSHUFF64X2(Imm(0x88), b, a, quarters[4*h+k])   // elements k and k+4 of four rows
			VSHUFF64X2(Imm(0xdd), b, a, quarters[4*h+2+k]) // elements k+2 and k+6 of four rows
		}
	}
	for k := range 4 {
		a, b := quarters[k], quarters[4+k]
		VSHUFF64X2(Imm(0x88), b, a, out[k])
		VSHUFF64X2(Imm(0xdd), b, a, out[4+k])
	}
	return out
}
