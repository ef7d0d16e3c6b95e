package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// firstRows and lastRows are the smallest and the largest degree that is evaluated by rows. For
// these degrees a whole row T_n^0 … T_n^n and all sums fit into registers.
const (
	firstRows = 2
	lastRows  = 10
)

var (
	inverse  []Mem // element k is 1/k
	ratio    []Mem // element m is 1/(4m(m+1))
	twoRatio []Mem // element m is 1/(2m(m+1))
	oneHalf  Mem
)

func constants() {
	if inverse != nil {
		return
	}
	inv, r, r2 := []float64{0}, []float64{0}, []float64{0}
	for k := 1; k <= lastRows; k++ {
		inv = append(inv, 1/float64(k))
		r = append(r, 1/float64(4*k*(k+1)))
		r2 = append(r2, 1/float64(2*k*(k+1)))
	}
	inverse, ratio, twoRatio = float64s("inverse", inv), float64s("ratio", r), float64s("twoRatio", r2)
	oneHalf = float64s("oneHalf", []float64{0.5})[0]
}

// evaluateRows generates the evaluation of degree q by rows:
//
//	T_n^n = 1, T_n^{n−1} = z
//	T_n^m = T_{n−1}^{m−1} + ρ²/(4m(m+1)) T_{n−1}^{m+1}
//	n T_n^0 = z T_{n−1}^0 − ½ρ² T_{n−1}^1,  ρ² = x²+y²
//
// All rows and sums stay in registers. If one to four points remain, the code uses registers of
// half the size.
func evaluateRows(q int) {
	constants()
	name := fmt.Sprintf("evaluate%dAVX512", q)
	TEXT(name, NOSPLIT, "func(dst, x, y, z *float64, n int, l *float64)")
	Doc(fmt.Sprintf("%s is evaluateGeneric for degree %d. n must be positive.", name, q))
	r := &rowKernel{
		q:    q,
		x:    [3]reg.Register{Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("z"), GP64())},
		dst:  Load(Param("dst"), GP64()),
		n:    Load(Param("n"), GP64()),
		l:    Load(Param("l"), GP64()),
		mask: K(),
	}
	Label("loop")
	count, bits := GP64(), GP32()
	CMPQ(r.n, Imm(4))
	JLE(LabelRef("few"))
	MOVQ(U32(8), count)
	CMPQ(r.n, count)
	CMOVQLT(r.n, count)
	MOVL(U32(0xff), bits)
	BZHIL(count.As32(), bits, bits)
	KMOVW(bits, r.mask)
	r.body(avx512)
	for _, p := range []reg.Register{r.x[0], r.x[1], r.x[2], r.dst} {
		ADDQ(Imm(64), p)
	}
	SUBQ(Imm(8), r.n)
	JG(LabelRef("loop"))
	VZEROUPPER()
	RET()

	Label("few")
	MOVL(U32(0xff), bits)
	BZHIL(r.n.(reg.GP).As32(), bits, bits)
	KMOVW(bits, r.mask)
	r.body(half)
	VZEROUPPER()
	RET()
}

type rowKernel struct {
	isa
	q         int
	x         [3]reg.Register
	dst, n, l reg.Register
	mask      reg.OpmaskVirtual
}

// point returns a register with one coordinate of each point. Masked lanes of the register are 0.
func (r *rowKernel) point(axis int) reg.VecVirtual {
	v := r.vec()
	VMOVUPD_Z(Mem{Base: r.x[axis]}, r.mask, v)
	return v
}

func (r *rowKernel) local(j int) Mem { return Mem{Base: r.l, Disp: 8 * j} }

func (r *rowKernel) body(s isa) {
	r.isa = s
	q := r.q
	x, y, z := r.point(0), r.point(1), r.point(2)
	square, h := r.vec(), r.vec()
	VMULPD(x, x, square)
	VFMADD231PD(y, y, square)
	VMULPD_BCST(oneHalf, square, h)

	// sigma[m] is ρ²·ratio[m]. sigma[1] to sigma[kept] stay in registers. The other registers hold
	// the last row, the sums, z, h and two temporary values.
	kept := min(q-2, 32-(q-1)-(2*(q-2)+1)-4)
	sigma := make([]reg.VecVirtual, q)
	for m := 1; m <= kept; m++ {
		sigma[m] = r.vec()
		VMULPD_BCST(ratio[m], square, sigma[m])
	}

	sum := r.all(r.local(0))
	VFMADD231PD_BCST(r.local(1), z, sum)
	var re, im []reg.VecVirtual // sums of order m, at index m−1
	start := func(m int) {
		a, b := r.all(r.local(m*m+2*m-1)), r.all(r.local(m*m+2*m))
		if m < q {
			j := (m+1)*(m+1) + 2*m - 1
			VFMADD231PD_BCST(r.local(j), z, a)
			VFMADD231PD_BCST(r.local(j+1), z, b)
		}
		re, im = append(re, a), append(im, b)
	}

	// row[m] is T_n^m for m ≤ n−2. There are no registers for T_n^{n−1} = z and T_n^n = 1.
	var row []reg.VecVirtual
	for n := 2; n <= q; n++ {
		zero := r.vec()
		switch n {
		case 2:
			VMOVAPD(h, zero)
			VFMSUB231PD(z, z, zero)
		case 3:
			VMULPD(z, h, zero)
			VFMSUB231PD(row[0], z, zero)
		default:
			VMULPD(row[1], h, zero)
			VFMSUB231PD(row[0], z, zero)
		}
		VMULPD_BCST(inverse[n], zero, zero)
		for m := 1; m <= n-2; m++ {
			to := row[m-1] // register of T_{n−1}^{m−1}, which is not needed again
			above := z
			if m+1 < n-2 {
				above = row[m+1]
			}
			switch {
			case m+1 == n-1 && m <= kept:
				VADDPD(sigma[m], to, to)
			case m+1 == n-1:
				VFMADD231PD_BCST(twoRatio[m], h, to)
			case m <= kept:
				VFMADD231PD(sigma[m], above, to)
			default:
				t := r.vec()
				VMULPD(h, above, t)
				VFMADD231PD_BCST(twoRatio[m], t, to)
			}
		}
		row = append([]reg.VecVirtual{zero}, row...)
		if n > 2 {
			start(n - 2)
		}
		VFMADD231PD_BCST(r.local(n*n), row[0], sum)
		for m := 1; m <= n-2; m++ {
			j := n*n + 2*m - 1
			VFMADD231PD_BCST(r.local(j), row[m], re[m-1])
			VFMADD231PD_BCST(r.local(j+1), row[m], im[m-1])
		}
	}
	start(q - 1)
	start(q)

	// A Horner scheme in x+iy combines the orders.
	x, y = r.point(0), r.point(1)
	for m := q; m > 1; m-- {
		a, b, c, d := re[m-1], im[m-1], re[m-2], im[m-2]
		VFMADD231PD(x, a, c)
		VFMADD231PD(y, a, d)
		VFNMADD231PD(y, b, c)
		VFMADD231PD(x, b, d)
	}
	VFMADD231PD(x, re[0], sum)
	VFNMADD231PD(y, im[0], sum)
	VMOVUPD(sum, r.mask, Mem{Base: r.dst})
}
