// Command columns writes the assembly of package columns:
//
//	go run ./kernels/columns -out ../internal/engine/columns/kernels_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// These constants repeat the bits of package columns. Its tests check them.
const (
	guardZ = 1 << 47
	guards = 1<<15 | 1<<31 | guardZ
)

func main() {
	ConstraintExpr("!noasm")
	hits()
	within()
	cross()
	Generate()
}

// broadcast returns four copies of r.
func broadcast(r reg.GPVirtual) reg.VecVirtual {
	v := YMM()
	VMOVQ(r, v.AsX())
	VPBROADCASTQ(v.AsX(), v)
	return v
}

func constant(x uint64) reg.VecVirtual {
	r := GP64()
	MOVQ(U64(x), r)
	return broadcast(r)
}

func hits() {
	TEXT("hitsAVX2", NOSPLIT, "func(entries *byte, n int, p uint64) (hits uint64)")
	Doc("hitsAVX2 does the work of hits for n ≤ 64 entries. It reads up to three entries more.")
	at := Load(Param("entries"), GP64())
	n := Load(Param("n"), GP64())
	p := Load(Param("p"), GP64())
	point, z, all := broadcast(p.(reg.GPVirtual)), constant(guardZ), constant(guards)
	hits, found := GP64(), GP64()
	XORL(hits.As32(), hits.As32())
	XORL(reg.ECX, reg.ECX)

	Label("four")
	CMPQ(reg.RCX, n)
	JGE(LabelRef("done"))
	a, b, min, max := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: at}, a)
	VMOVDQU(Mem{Base: at, Disp: 32}, b)
	// The lanes hold the entries 0, 2, 1 and 3.
	VPUNPCKLQDQ(b, a, min)
	VPUNPCKHQDQ(b, a, max)
	VPADDQ(point, min, min)
	VPSUBQ(point, max, max)
	VPOR(z, min, min) // the least z does not matter
	VPAND(min, max, max)
	VPAND(all, max, max)
	VPCMPEQQ(all, max, max)
	VPERMQ(Imm(0b11_01_10_00), max, max)
	VMOVMSKPD(max, found.As32())
	SHLQ(reg.CL, found)
	ORQ(found, hits)
	ADDQ(Imm(64), at)
	ADDQ(Imm(4), reg.RCX)
	JMP(LabelRef("four"))

	Label("done")
	VZEROUPPER()
	Store(hits, ReturnIndex(0))
	RET()
}

func within() {
	TEXT("withinAVX2", NOSPLIT, "func(points *byte, n int, min, max uint64) (mask uint64)")
	Doc("withinAVX2 does the work of within for n ≤ 64 points. It reads up to three points more, and sets their bits to any value.")
	at := Load(Param("points"), GP64())
	n := Load(Param("n"), GP64())
	min, max := Load(Param("min"), GP64()), Load(Param("max"), GP64())
	least, most := broadcast(min.(reg.GPVirtual)), broadcast(max.(reg.GPVirtual))
	z, all := constant(guardZ), constant(guards)
	mask, found := GP64(), GP64()
	XORL(mask.As32(), mask.As32())
	XORL(reg.ECX, reg.ECX)

	Label("next")
	CMPQ(reg.RCX, n)
	JGE(LabelRef("over"))
	p, above, below := YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: at, Index: reg.RCX, Scale: 8}, p)
	VPADDQ(least, p, above)
	VPSUBQ(p, most, below)
	VPOR(z, above, above) // the least z does not matter
	VPAND(above, below, below)
	VPAND(all, below, below)
	VPCMPEQQ(all, below, below)
	VMOVMSKPD(below, found.As32())
	SHLQ(reg.CL, found)
	ORQ(found, mask)
	ADDQ(Imm(4), reg.RCX)
	JMP(LabelRef("next"))

	Label("over")
	VZEROUPPER()
	Store(mask, ReturnIndex(0))
	RET()
}
