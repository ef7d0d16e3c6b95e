package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// evaluateOrders generates the evaluation by orders, for any degree: for each m, from q down,
//
//	T_m^m = 1
//	(n²−m²) T_n^m = (2n−1) z T_{n−1}^m − r² T_{n−2}^m
//
// and a Horner scheme in x+iy. steps holds (2n−1)/(n²−m²) and 1/(n²−m²) for n = m, m+1, …, as a
// square of stepsSide rows and columns in package fmm.
func evaluateOrders(name string, s isa) {
	constants()
	TEXT(name, NOSPLIT, "func(dst, x, y, z *float64, n int, l *float64, q int, steps *byte)")
	Doc(name + " is evaluateGeneric for n > 0.")
	o := &orderKernel{isa: s, mask: K()}
	o.dst = Load(Param("dst"), GP64())
	from := [3]reg.Register{Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("z"), GP64())}
	count := Load(Param("n"), GP64())
	o.l = Load(Param("l"), GP64())
	o.q = Load(Param("q"), GP64())
	o.steps = Load(Param("steps"), GP64())
	if s.lanes == 4 {
		o.window = GLOBL("lanes", RODATA|NOPTR)
		for i := range 8 {
			v := int64(-1)
			if i >= 4 {
				v = 0
			}
			DATA(8*i, U64(uint64(v)))
		}
		o.lanesAt = s.vec()
	}

	Label("loop")
	o.setMask(count)
	var p [3]reg.VecVirtual
	for i := range p {
		p[i] = s.vec()
		if s.lanes == 8 {
			VMOVUPD_Z(Mem{Base: from[i]}, o.mask, p[i])
		} else {
			VMASKMOVPD(Mem{Base: from[i]}, o.lanesAt, p[i])
		}
	}
	sum := o.body(p)
	if s.lanes == 8 {
		VMOVUPD(sum, o.mask, Mem{Base: o.dst})
	} else {
		VMASKMOVPD(sum, o.lanesAt, Mem{Base: o.dst})
	}
	for _, r := range []reg.Register{from[0], from[1], from[2], o.dst} {
		ADDQ(Imm(uint64(s.bytes())), r)
	}
	SUBQ(Imm(uint64(s.lanes)), count)
	JG(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// orderKernel generates the evaluation by orders.
type orderKernel struct {
	isa
	dst, l, q, steps reg.Register
	mask             reg.OpmaskVirtual // of eight lanes
	window           Mem               // ones, then zeros
	lanesAt          reg.VecVirtual    // the mask of four lanes
}

// setMask makes the mask of the remaining points.
func (o *orderKernel) setMask(count reg.Register) {
	c := GP64()
	MOVQ(U32(uint32(o.lanes)), c)
	CMPQ(count, c)
	CMOVQLT(count, c)
	if o.lanes == 8 {
		bits := GP32()
		MOVL(U32(0xff), bits)
		BZHIL(c.As32(), bits, bits)
		KMOVW(bits, o.mask)
		return
	}
	at := GP64()
	LEAQ(o.window.Offset(32), at)
	NEGQ(c)
	VMOVUPD(Mem{Base: at, Index: c, Scale: 8}, o.lanesAt)
}

// body generates the evaluation at one register of points.
func (o *orderKernel) body(p [3]reg.VecVirtual) (sum reg.VecVirtual) {
	x, y, z := p[0], p[1], p[2]
	r2 := o.vec()
	VMULPD(x, x, r2)
	VFMADD231PD(y, y, r2)
	VFMADD231PD(z, z, r2)
	re, im := o.zero(), o.zero()

	m, rowAt, stepAt, n, j, size := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(o.q, m)
	TESTQ(m, m)
	JE(LabelRef("zero"))
	Label("order")
	// re+i·im times x+iy, plus the coefficient of T_m^m.
	LEAQ(Mem{Base: m, Disp: 2}, size)
	IMULQ(m, size)
	LEAQ(Mem{Base: o.l, Index: size, Scale: 8, Disp: -8}, rowAt)
	a, b := o.all(Mem{Base: rowAt}), o.all(Mem{Base: rowAt, Disp: 8})
	VFMADD231PD(x, re, a)
	VFMADD231PD(y, re, b)
	VFNMADD231PD(y, im, a)
	VFMADD231PD(x, im, b)
	VMOVAPD(a, re)
	VMOVAPD(b, im)
	o.begin(m, n, j, size, stepAt)
	JGE(LabelRef("summed"))
	one, two := o.first()
	Label("degree")
	t := o.next(z, r2, one, two, stepAt)
	LEAQ(Mem{Base: rowAt, Index: j, Scale: 8}, rowAt)
	u, v := o.all(Mem{Base: rowAt}), o.all(Mem{Base: rowAt, Disp: 8})
	VFMADD231PD(u, t, re)
	VFMADD231PD(v, t, im)
	VMOVAPD(one, two)
	VMOVAPD(t, one)
	ADDQ(Imm(2), j)
	ADDQ(Imm(16), stepAt)
	INCQ(n)
	CMPQ(n, o.q)
	JL(LabelRef("degree"))
	Label("summed")
	DECQ(m)
	JNE(LabelRef("order"))

	// Order 0 has a real part only.
	Label("zero")
	sum = o.all(Mem{Base: o.l})
	VFMADD231PD(x, re, sum)
	VFNMADD231PD(y, im, sum)
	MOVQ(o.l, rowAt)
	o.begin(m, n, j, size, stepAt)
	JGE(LabelRef("done"))
	one, two = o.first()
	Label("degreeZero")
	t = o.next(z, r2, one, two, stepAt)
	LEAQ(Mem{Base: rowAt, Index: j, Scale: 8}, rowAt)
	u = o.all(Mem{Base: rowAt})
	VFMADD231PD(u, t, sum)
	VMOVAPD(one, two)
	VMOVAPD(t, one)
	ADDQ(Imm(2), j)
	ADDQ(Imm(16), stepAt)
	INCQ(n)
	CMPQ(n, o.q)
	JL(LabelRef("degreeZero"))
	Label("done")
	return sum
}

// begin sets up the loop over n > m and compares m with q. Coefficient (n,m) is 2n−1 after (n−1,m).
func (o *orderKernel) begin(m, n, j, size, stepAt reg.GPVirtual) {
	MOVQ(m, n)
	LEAQ(Mem{Base: m, Index: m, Scale: 1, Disp: 1}, j)
	// The steps of m begin with n = m, which is not used.
	MOVQ(m, size)
	SHLQ(Imm(9), size) // stepsSide = 32 pairs of float64
	LEAQ(Mem{Base: o.steps, Index: size, Scale: 1, Disp: 16}, stepAt)
	CMPQ(n, o.q)
}

// first returns T_m^m and T_{m−1}^m.
func (o *orderKernel) first() (one, two reg.VecVirtual) {
	return o.all(inverse[1]), o.zero()
}

// next returns T_n^m.
func (o *orderKernel) next(z, r2, one, two reg.VecVirtual, stepAt reg.Register) reg.VecVirtual {
	a, b := o.all(Mem{Base: stepAt}), o.all(Mem{Base: stepAt, Disp: 8})
	VMULPD(z, a, a)
	VMULPD(r2, b, b)
	VMULPD(two, b, b)
	VFMSUB213PD(b, one, a) // a·one − b: b is ready before one is
	return a
}
