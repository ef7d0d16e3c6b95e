// Command cells writes the assembly of package internal/engine/cells/internal/layout:
//
//	go run ./kernels/cells -out ../internal/engine/cells/internal/layout/kernels_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// These constants equal SignBound and CoordUnit of package internal/engine/cells/internal/layout. TestKernelLayout
// of that package compares them.
const (
	signBound = 1 << 17
	coordUnit = 1<<14 - 1
)

func main() {
	ConstraintExpr("!noasm")
	lookUp()
	planeSigns()
	cellSigns()
	cornerSigns()
	planeLanes()
	segmentLanes()
	Generate()
}

// lookUp generates lookUpAVX2. The struct kernelArgs has the following layout, which
// TestKernelLayout checks:
//
//   - byte 0: minimum x, y, z and inv as float64
//   - byte 32: numbers of cells along x, y and z, each minus 1, as int32
//   - byte 44: numbers of bricks along x and y, as int32
//   - bytes 56 and 64: addresses of top and words
func lookUp() {
	TEXT("lookUpAVX2", NOSPLIT, "func(from, pts *byte, n int, sides, later *byte)")
	Doc("lookUpAVX2 is lookUpGeneric for a multiple of eight points.")
	g := Load(Param("from"), GP64())
	pts := Load(Param("pts"), GP64())
	n := Load(Param("n"), GP64())
	sides := Load(Param("sides"), GP64())
	later := Load(Param("later"), GP64())
	top, words := GP64(), GP64()
	MOVQ(Mem{Base: g, Disp: 56}, top)
	MOVQ(Mem{Base: g, Disp: 64}, words)

	inv := YMM()
	VBROADCASTSD(Mem{Base: g, Disp: 24}, inv)

	one := YMM()
	VPCMPEQD(one, one, one)
	VPSRLD(Imm(31), one, one)
	seven := YMM()
	VPCMPEQD(seven, seven, seven)
	VPSRLD(Imm(29), seven, seven)

	Label("loop")
	TESTQ(n, n)
	JE(LabelRef("done"))

	// Compute the cells of eight points as integers. A negative coordinate sets the bit of its
	// point in signs.
	var cell [3]reg.VecVirtual
	signs := GP32()
	XORL(signs, signs)
	for half := range 2 {
		p := func(i int) Mem { return Mem{Base: pts, Disp: 96*half + 32*i} }
		a, b, c := YMM(), YMM(), YMM()
		VMOVUPD(p(0), a)
		VMOVUPD(p(1), b)
		VMOVUPD(p(2), c)
		d, e, f := YMM(), YMM(), YMM()
		VBLENDPD(Imm(0b1100), b, a, d) // d = x0 y0 x2 y2
		VPERM2F128(Imm(0x21), c, a, e) // e = z0 x1 z2 x3
		VBLENDPD(Imm(0b1100), c, b, f) // f = y1 z1 y3 z3
		x, y, z := a, b, c
		VSHUFPD(Imm(0b1010), e, d, x)
		VSHUFPD(Imm(0b0101), f, d, y)
		VSHUFPD(Imm(0b1010), f, e, z)
		or := d
		for i, v := range [3]reg.VecVirtual{x, y, z} {
			low := YMM() // each iteration loads this register again, because there are few registers
			VBROADCASTSD(Mem{Base: g, Disp: 8 * i}, low)
			VSUBPD(low, v, v)
			VMULPD(inv, v, v)
			if i == 0 {
				VMOVAPD(v, or)
			} else {
				VORPD(v, or, or)
			}
			if half == 0 {
				cell[i] = YMM()
				VCVTTPD2DQY(v, cell[i].AsX())
			} else {
				t := XMM()
				VCVTTPD2DQY(v, t)
				VINSERTI128(Imm(1), t, cell[i], cell[i])
			}
		}
		m := GP32()
		VMOVMSKPD(or, m)
		if half == 1 {
			SHLL(Imm(4), m)
		}
		ORL(m, signs)
	}

	// The code replaces the cell of a point outside the grid by cell 0.
	in, t := YMM(), YMM()
	for a := range cell {
		VPBROADCASTD(Mem{Base: g, Disp: 32 + 4*a}, t)
		VPMINUD(cell[a], t, t)
		VPCMPEQD(cell[a], t, t)
		if a == 0 {
			VMOVDQA(t, in)
		} else {
			VPAND(t, in, in)
		}
	}
	for a := range cell {
		VPAND(in, cell[a], cell[a])
	}
	outside := GP32()
	VMOVMSKPS(in, outside)
	XORL(Imm(0xff), outside)
	ORL(outside, signs)

	// Read the entry of the brick from the array top.
	brick, u := YMM(), YMM()
	VPSRLD(Imm(3), cell[2], brick)
	VPBROADCASTD(Mem{Base: g, Disp: 48}, t)
	VPMULLD(t, brick, brick)
	VPSRLD(Imm(3), cell[1], u)
	VPADDD(u, brick, brick)
	VPBROADCASTD(Mem{Base: g, Disp: 44}, t)
	VPMULLD(t, brick, brick)
	VPSRLD(Imm(3), cell[0], u)
	VPADDD(u, brick, brick)
	entry := YMM()
	VPCMPEQD(t, t, t)
	VPGATHERDD(t, Mem{Base: top, Index: brick, Scale: 4}, entry)

	// Read row y of Crossed and of Value. The row is byte y of the word of layer z.
	row := YMM()
	VPSRLD(Imm(3), entry, row)
	VPSLLD(Imm(7), row, row)
	VPAND(seven, cell[2], u)
	VPSLLD(Imm(4), u, u)
	VPADDD(u, row, row)
	VPAND(seven, cell[1], u)
	VPADDD(u, row, row)
	crossed, value := YMM(), YMM()
	VPCMPEQD(t, t, t)
	VPGATHERDD(t, Mem{Base: words, Index: row, Scale: 1}, crossed)
	VPCMPEQD(t, t, t)
	VPGATHERDD(t, Mem{Base: words, Index: row, Scale: 1, Disp: 8}, value)
	VPAND(seven, cell[0], u)
	VPSRLVD(u, crossed, crossed)
	VPSRLVD(u, value, value)

	// Compute side = Outside + 2·inside. Outside is 1.
	VPAND(one, value, value)
	VPSRLVD(value, entry, value)
	VPAND(one, value, value)
	VPADDD(value, value, value)
	VPADDD(one, value, value)
	VPACKUSDW(value, value, value)
	VPACKUSWB(value, value, value)
	VMOVD(value.AsX(), Mem{Base: sides})
	hi := XMM()
	VEXTRACTI128(Imm(1), value, hi)
	VMOVD(hi, Mem{Base: sides, Disp: 4})

	// Set the bit of each point whose cell is crossed, whose brick is marked TopRayOnly, or that is
	// outside the grid.
	VPSRLD(Imm(2), entry, entry)
	VPOR(entry, crossed, crossed)
	VPSLLD(Imm(31), crossed, crossed)
	m := GP32()
	VMOVMSKPS(crossed, m)
	ORL(signs, m)
	MOVB(m.As8(), Mem{Base: later})

	ADDQ(Imm(192), pts)
	ADDQ(Imm(8), sides)
	INCQ(later)
	SUBQ(Imm(8), n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

func planeSigns() {
	TEXT("planeSignsAVX2", NOSPLIT, "func(records, at *byte, n int, signs *byte)")
	Doc("planeSignsAVX2 is planeSignsGeneric in assembly.")
	records := Load(Param("records"), GP64())
	at := Load(Param("at"), GP64())
	n := Load(Param("n"), GP64())
	signs := Load(Param("signs"), GP64())
	up, down := thresholds()

	const ahead = 8 // number of points between the prefetch of a record and its use
	Label("loop")
	TESTQ(n, n)
	JE(LabelRef("done"))
	r := GP64()
	CMPQ(n, Imm(ahead))
	JLE(LabelRef("near"))
	MOVQ(Mem{Base: records, Disp: 8 * ahead}, r)
	PREFETCHT0(Mem{Base: r})
	Label("near")
	MOVQ(Mem{Base: records}, r)
	u, a, b := YMM(), YMM(), YMM()
	VPBROADCASTQ(Mem{Base: at}, u)
	VPMADDWD(Mem{Base: r}, u, a)
	VPMADDWD(Mem{Base: r, Disp: 32}, u, b)
	VPHADDD(b, a, a)              // a = elements 0 1 4 5 2 3 6 7
	VPERMQ(Imm(0b11011000), a, a) // a = elements 0 to 7 in order
	pos, neg := signsOf(a, up, down)
	SHLL(Imm(8), neg)
	ORL(neg, pos)
	MOVW(pos.As16(), Mem{Base: signs})
	ADDQ(Imm(8), records)
	ADDQ(Imm(8), at)
	ADDQ(Imm(2), signs)
	DECQ(n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

func cellSigns() {
	TEXT("cellSignsAVX2", NOSPLIT, "func(r, at *byte, n int, signs *byte)")
	Doc("cellSignsAVX2 is cellSignsGeneric in assembly.")
	r := Load(Param("r"), GP64())
	at := Load(Param("at"), GP64())
	n := Load(Param("n"), GP64())
	signs := Load(Param("signs"), GP64())
	up, down := thresholds()
	// The elements of the record are in the order 0 1 4 5, 2 3 6 7. VPHADDD permutes lanes, so its
	// result is in the order 0 to 7.
	first, second := YMM(), YMM()
	VMOVDQU(Mem{Base: r}, first.AsX())
	VINSERTI128(Imm(1), Mem{Base: r, Disp: 32}, first, first)
	VMOVDQU(Mem{Base: r, Disp: 16}, second.AsX())
	VINSERTI128(Imm(1), Mem{Base: r, Disp: 48}, second, second)
	Label("loop")
	TESTQ(n, n)
	JE(LabelRef("done"))
	u, a, b := YMM(), YMM(), YMM()
	VPBROADCASTQ(Mem{Base: at}, u)
	VPMADDWD(first, u, a)
	VPMADDWD(second, u, b)
	VPHADDD(b, a, a)
	pos, neg := signsOf(a, up, down)
	SHLL(Imm(8), neg)
	ORL(neg, pos)
	MOVW(pos.As16(), Mem{Base: signs})
	ADDQ(Imm(8), at)
	ADDQ(Imm(2), signs)
	DECQ(n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// thresholds returns signBound and −signBound, each in all lanes of a register.
func thresholds() (up, down reg.VecVirtual) {
	c := GP32()
	MOVL(U32(signBound), c)
	up, down = YMM(), YMM()
	VMOVD(c, up.AsX())
	VPBROADCASTD(up.AsX(), up)
	VPXOR(down, down, down)
	VPSUBD(up, down, down)
	return up, down
}

// signsOf returns two bit masks: of the lanes above the upper threshold, and of the lanes below
// the lower threshold.
func signsOf(v, up, down reg.VecVirtual) (pos, neg reg.GPVirtual) {
	t := YMM()
	pos, neg = GP32(), GP32()
	VPCMPGTD(up, v, t)
	VMOVMSKPS(t, pos)
	VPCMPGTD(v, down, t)
	VMOVMSKPS(t, neg)
	return pos, neg
}

func cornerSigns() {
	// The data are the coordinates of the corners, with four int16 for each corner. The corners are
	// in the order 0 1 4 5, 2 3 6 7. VPHADDD permutes lanes, so its result is in the order
	// 0 to 7.
	corner := GLOBL("corners", RODATA|NOPTR)
	for i, c := range [8]int{0, 1, 4, 5, 2, 3, 6, 7} {
		w := uint64(coordUnit) << 48
		for a := range 3 {
			v := int16(-coordUnit)
			if c>>a&1 == 1 {
				v = coordUnit
			}
			w |= uint64(uint16(v)) << (16 * a)
		}
		DATA(8*i, U64(w))
	}
	TEXT("cornerSignsAVX2", NOSPLIT, "func(r, pos, neg *byte)")
	Doc("cornerSignsAVX2 is cornerSignsGeneric in assembly.")
	r := Load(Param("r"), GP64())
	to := Load(Param("pos"), GP64())
	not := Load(Param("neg"), GP64())
	up, down := thresholds()
	first, second := YMM(), YMM()
	VMOVDQU(corner, first)
	VMOVDQU(corner.Offset(32), second)
	for j := 1; j < 8; j++ {
		q, a, b := YMM(), YMM(), YMM()
		VPBROADCASTQ(Mem{Base: r, Disp: 8 * j}, q)
		VPMADDWD(first, q, a)
		VPMADDWD(second, q, b)
		VPHADDD(b, a, a)
		pos, neg := signsOf(a, up, down)
		MOVB(pos.As8(), Mem{Base: to, Disp: j})
		MOVB(neg.As8(), Mem{Base: not, Disp: j})
	}
	VZEROUPPER()
	RET()
}
