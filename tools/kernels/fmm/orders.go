package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// evaluateOrders generates the evaluation by orders for any degree q. For each order m, from q down
// to 0, the code computes
//
//	T_m^m = 1
//	(n²−m²) T_n^m = (2n−1) z T_{n−1}^m − r² T_{n−2}^m
//
// and a Horner scheme in x+iy combines the orders. The generated function reads the numbers
// (2n−1)/(n²−m²) and 1/(n²−m²) from fmm.steps.
func evaluateOrders(name string, s isa) {
	constants()
	TEXT(name, NOSPLIT, "func(dst, x, y, z *float64, n int, l *float64, q int, steps *byte)")
	Doc(name + " is evaluateGeneric. n must be positive.")
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

type orderKernel struct {
	isa
	dst, l, q, steps reg.Register
	mask             reg.OpmaskVirtual // mask of active points for eight lanes
	window           Mem               // address of 256 one bits, then 256 zero bits
	lanesAt          reg.VecVirtual    // mask of active points for four lanes
	z, r2            reg.VecVirtual
	m, n, j, size    reg.GPVirtual
	rowAt, stepAt    reg.GPVirtual // addresses of the current coefficient and the current step
}

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

func (o *orderKernel) body(p [3]reg.VecVirtual) (sum reg.VecVirtual) {
	x, y, z, r2 := p[0], p[1], p[2], o.vec()
	o.z, o.r2 = z, r2
	VMULPD(x, x, r2)
	VFMADD231PD(y, y, r2)
	VFMADD231PD(z, z, r2)
	re, im := o.zero(), o.zero()

	o.m, o.rowAt, o.stepAt, o.n, o.j, o.size = GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	m, rowAt, size := o.m, o.rowAt, o.size
	MOVQ(o.q, m)
	TESTQ(m, m)
	JE(LabelRef("zero"))
	Label("order")
	// The code multiplies re+i·im by x+iy and adds the coefficient of T_m^m.
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
	o.degrees("degree", "summed", func(t reg.VecVirtual) {
		u, v := o.all(Mem{Base: rowAt}), o.all(Mem{Base: rowAt, Disp: 8})
		VFMADD231PD(u, t, re)
		VFMADD231PD(v, t, im)
	})
	DECQ(m)
	JNE(LabelRef("order"))

	// Order 0 has no imaginary part.
	Label("zero")
	sum = o.all(Mem{Base: o.l})
	VFMADD231PD(x, re, sum)
	VFNMADD231PD(y, im, sum)
	MOVQ(o.l, rowAt)
	o.degrees("degreeZero", "done", func(t reg.VecVirtual) {
		VFMADD231PD(o.all(Mem{Base: rowAt}), t, sum)
	})
	return sum
}

// degrees generates the loop over the degrees n > m. addTerm generates the addition of T_n^m times
// its coefficient at the address rowAt. Coefficient (n, m) is 2n−1 elements after (n−1, m).
func (o *orderKernel) degrees(loop, end string, addTerm func(t reg.VecVirtual)) {
	m, n, j, size := o.m, o.n, o.j, o.size
	MOVQ(m, n)
	LEAQ(Mem{Base: m, Index: m, Scale: 1, Disp: 1}, j)
	// The list of steps of order m begins with the step for n = m. The code skips this unused step.
	MOVQ(m, size)
	SHLQ(Imm(9), size) // the steps of an order take 512 bytes: stepsSide = 32 steps of two float64
	LEAQ(Mem{Base: o.steps, Index: size, Scale: 1, Disp: 16}, o.stepAt)
	CMPQ(n, o.q)
	JGE(LabelRef(end))
	one, two := o.all(inverse[1]), o.zero() // registers with T_m^m and T_{m−1}^m
	Label(loop)
	t, b := o.all(Mem{Base: o.stepAt}), o.all(Mem{Base: o.stepAt, Disp: 8})
	VMULPD(o.z, t, t)
	VMULPD(o.r2, b, b)
	VMULPD(two, b, b)
	VFMSUB213PD(b, one, t) // t = t·one − b
	LEAQ(Mem{Base: o.rowAt, Index: j, Scale: 8}, o.rowAt)
	addTerm(t)
	VMOVAPD(one, two)
	VMOVAPD(t, one)
	ADDQ(Imm(2), j)
	ADDQ(Imm(16), o.stepAt)
	INCQ(n)
	CMPQ(n, o.q)
	JL(LabelRef(loop))
	Label(end)
}
