package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of a packetWalk.
const (
	maxVisits = 2048
	maxLeaves = 1000
	visitSize = 8

	leafBounds  = packets
	triangles   = leafBounds + list*maxLeaves
	visits      = triangles + 8*list*maxLeaves
	leaves      = visits + visitSize*(maxVisits+1)
	packetsSize = leaves + visitSize*(maxLeaves+1) - packets

	// Offsets of the fields of the pairList.
	pairOwner = hits + hitSize*maxBlocks + memory + 64*maxMemory
	pairAt    = pairOwner + 4*maxPairs
	pairBlock = pairAt + 4*maxPairs
)

// packetKernel holds the registers of a search. The lanes are the points of the packet.
type packetKernel struct {
	p                                         [3]reg.VecVirtual
	margin, limit, nearMargin, positive, zero reg.VecVirtual
}

func (k *packetKernel) setConstants() {
	k.positive, k.zero = ZMM(), ZMM()
	VPTERNLOGD(Imm(255), k.positive, k.positive, k.positive)
	VPSRLD(Imm(1), k.positive, k.positive)
	VPXORD(k.zero, k.zero, k.zero)
}

// from returns the points minus the point in lane 0 of the three rows that begin at c.
func (k *packetKernel) from(c Mem) (v [3]reg.VecVirtual) {
	for i := range v {
		v[i] = ZMM()
		VSUBPS_BCST(c.Offset(row*i), k.p[i], v[i])
	}
	return v
}

// dot returns the scalar product of v and the numbers in lane 0 of the rows that begin at m, from left
// to right.
func (k *packetKernel) dot(m Mem, v ...reg.VecVirtual) reg.VecVirtual {
	sum := ZMM()
	VMULPS_BCST(m, v[0], sum)
	for j := 1; j < len(v); j++ {
		VFMADD231PS_BCST(m.Offset(row*j), v[j], sum)
	}
	return sum
}

// excess replaces each lane of v by max(|v| − half, 0).
func (k *packetKernel) excess(v reg.VecVirtual, half Mem) {
	VPANDD(k.positive, v, v)
	VSUBPS_BCST(half, v, v)
	VMAXPS(k.zero, v, v)
}

// norm2 returns the sum of the squares. It overwrites the first vector.
func norm2(v ...reg.VecVirtual) reg.VecVirtual {
	VMULPS(v[0], v[0], v[0])
	for _, x := range v[1:] {
		VFMADD231PS(x, x, v[0])
	}
	return v[0]
}

// bound returns the squared distances from the box in lane 0 of the rows at box.
func (k *packetKernel) bound(box Mem) reg.VecVirtual {
	v := k.from(box)
	var u [3]reg.VecVirtual
	for j := range u {
		u[j] = k.dot(box.Offset(row*(3+3*j)), v[:]...)
		k.excess(u[j], box.Offset(row*(12+j)))
	}
	return norm2(u[:]...)
}

// near returns the squared distances of the point in lane 0 of the rows at box.
func (k *packetKernel) near(box Mem) reg.VecVirtual {
	v := k.from(box)
	return norm2(v[:]...)
}

func loadZMM(m Mem) reg.VecVirtual {
	v := ZMM()
	VMOVUPS(m, v)
	return v
}

func broadcastZMM(m Mem) reg.VecVirtual {
	v := ZMM()
	VBROADCASTSS(m, v)
	return v
}

// findLeaves visits the nodes of a packet level by level. It appends each link and the mask of its
// points to the nodes or to the leaves, without branches: it writes both lists, and increases the
// length of one of them if the mask is not 0.
func findLeaves() {
	TEXT("findLeavesAVX512", NOSPLIT, "func(tree, w *byte) (found int)")
	Doc("findLeavesAVX512 is findLeavesGeneric in AVX-512.")
	tree, w := Load(Param("tree"), GP64()), Load(Param("w"), GP64())
	k := &packetKernel{}
	k.setConstants()
	for j := range k.p {
		k.p[j] = loadZMM(Mem{Base: w, Disp: list * j})
	}
	k.margin, k.nearMargin = loadZMM(Mem{Base: w, Disp: margin}), loadZMM(Mem{Base: w, Disp: nearMargin})
	k.limit = loadZMM(Mem{Base: w, Disp: limit})
	factor, slack := broadcastZMM(nearFactor()), broadcastZMM(rootSlack())
	VMULPS_BCST(threeMargins(), k.margin, k.margin)

	i, size, found := GP64(), GP64(), GP64()
	XORQ(i, i)
	MOVQ(U32(1), size)
	XORQ(found, found)
	Label("packetNode")
	CMPQ(size, U32(maxVisits-8))
	JGT(LabelRef("packetOverflow"))
	CMPQ(found, U32(maxLeaves-8))
	JGT(LabelRef("packetOverflow"))
	node, points := GP64(), GP32()
	MOVLQSX(Mem{Base: w, Disp: visits, Index: i, Scale: visitSize}, node)
	MOVL(Mem{Base: w, Disp: visits + 4, Index: i, Scale: visitSize}, points)
	IMUL3Q(I32(nodeSize), node, node)
	ADDQ(tree, node)
	visiting := K()
	KMOVW(points, visiting)
	var least reg.VecVirtual
	for c := range 8 {
		d := k.near(Mem{Base: node, Disp: 16*row + 4*c})
		if c == 0 {
			least = d
		} else {
			VMINPS(d, least, least)
		}
	}
	VFMADD213PS(k.nearMargin, factor, least)
	VMINPS(k.limit, least, k.limit)
	// The bounds of boxes do not include the margin, so it is added to the limit.
	within := ZMM()
	VSQRTPS(k.limit, within)
	VFMADD213PS(k.margin, slack, within)
	VMULPS(within, within, within)
	// Unused lanes are the last ones, and the half sizes of their boxes are −∞.
	sizes, unused, children, child := YMM(), GP32(), GP64(), GP64()
	VMOVUPS(Mem{Base: node, Disp: 12 * row}, sizes)
	VMOVMSKPS(sizes, unused)
	POPCNTL(unused, unused)
	MOVQ(U32(8), children)
	SUBQ(unused.As64(), children)
	MOVQ(node, child)
	Label("packetChild")
	sum := k.bound(Mem{Base: child})
	near, mask, link := K(), GP32(), GP32()
	VCMPPS(Imm(lessOrEqual), within, sum, visiting, near)
	KMOVW(near, mask)
	MOVL(Mem{Base: child, Disp: 15 * row}, link)
	MOVL(link, Mem{Base: w, Disp: visits, Index: size, Scale: visitSize})
	MOVL(mask, Mem{Base: w, Disp: visits + 4, Index: size, Scale: visitSize})
	at, leaf, isNear, isLeaf := GP64(), GP32(), GP64(), GP64()
	MOVL(link, leaf)
	NOTL(leaf)
	MOVL(leaf, Mem{Base: w, Disp: leaves, Index: found, Scale: visitSize})
	MOVL(mask, Mem{Base: w, Disp: leaves + 4, Index: found, Scale: visitSize})
	MOVQ(found, at)
	SHLQ(Imm(6), at)
	VMOVUPS(sum, Mem{Base: w, Disp: leafBounds, Index: at, Scale: 1})
	XORQ(isNear, isNear)
	NEGL(mask) // sets the carry flag if a point is near
	ADCQ(Imm(0), isNear)
	MOVL(link, isLeaf.As32())
	SHRL(Imm(31), isLeaf.As32())
	ANDQ(isNear, isLeaf)
	ADDQ(isLeaf, found)
	SUBQ(isLeaf, isNear)
	ADDQ(isNear, size)
	ADDQ(Imm(4), child)
	DECQ(children)
	JNE(LabelRef("packetChild"))
	INCQ(i)
	CMPQ(i, size)
	JLT(LabelRef("packetNode"))
	VMOVUPS(k.limit, Mem{Base: w, Disp: limit})

	VZEROUPPER()
	Store(found, ReturnIndex(0))
	RET()
	Label("packetOverflow")
	VZEROUPPER()
	MOVQ(I32(-1), found)
	Store(found, ReturnIndex(0))
	RET()
}

// beginPackets begins a function over n leaves.
func beginPackets(name, signature, doc string) (k *packetKernel, tree, w, n reg.Register) {
	TEXT(name, NOSPLIT, signature)
	Doc(doc)
	tree, w, n = Load(Param("tree"), GP64()), Load(Param("w"), GP64()), Load(Param("n"), GP64())
	k = &packetKernel{limit: loadZMM(Mem{Base: w, Disp: limit})}
	return k, tree, w, n
}

func boundPackets() {
	k, tree, w, n := beginPackets("boundPacketsAVX512", "func(tree, w *byte, n int)", "boundPacketsAVX512 is boundPacketsGeneric in AVX-512.")
	k.setConstants()
	for j := range k.p {
		k.p[j] = loadZMM(Mem{Base: w, Disp: list * j})
	}
	pointMargin, boxMargin, perLength := loadZMM(Mem{Base: w, Disp: blockMargin}), loadZMM(Mem{Base: w, Disp: margin}), broadcastZMM(constant("packetPerLength", 0x35300000))
	margins := broadcastZMM(threeMargins())
	VMULPS(margins, boxMargin, boxMargin)
	slack, floor := broadcastZMM(rootSlack()), broadcastZMM(constant("rootFloor", 0x1c800000))
	infinity := broadcastZMM(constant("packetInfinity", 0x7f800000))
	k.rootOfLimit()
	i, at, out := GP64(), GP64(), GP64()
	XORQ(i, i)
	Label("packetBlock")
	points, block := GP32(), GP64()
	visiting, near, boxDistance := K(), K(), ZMM()
	MOVQ(i, at)
	SHLQ(Imm(6), at)
	MOVL(Mem{Base: w, Disp: leaves + 4, Index: i, Scale: visitSize}, points)
	KMOVW(points, visiting)
	VSQRTPS(Mem{Base: w, Disp: leafBounds, Index: at, Scale: 1}, boxDistance)
	VSUBPS(boxMargin, boxDistance, boxDistance)
	VCMPPS(Imm(lessOrEqual), k.limit, boxDistance, visiting, near)
	KMOVW(near, points)
	MOVL(points, Mem{Base: w, Disp: leaves + 4, Index: i, Scale: visitSize})
	TESTL(points, points)
	JEQ(LabelRef("packetBlockDone"))
	MOVLQSX(Mem{Base: w, Disp: leaves, Index: i, Scale: visitSize}, block)
	IMUL3Q(I32(blockSize), block, block)
	ADDQ(tree, block)
	LEAQ(Mem{Base: w, Disp: triangles, Index: at, Scale: 8}, out)
	count := GP32()
	MOVL(Mem{Base: block, Disp: 23*row + 4}, count)
	b := func(i int) Mem { return Mem{Base: block, Disp: row * i} }
	// The margin of the block without the slack of a triangle.
	v := k.from(b(0))
	for j := range v {
		VPANDD(k.positive, v[j], v[j])
		if j > 0 {
			VADDPS(v[j], v[0], v[0])
		}
	}
	common := v[0]
	VADDPS_BCST(Mem{Base: block, Disp: 23*row + 8}, common, common)
	VFMADD213PS(pointMargin, perLength, common)
	upper := ZMM()
	VMOVAPS(infinity, upper)
	Label("packetTriangle")
	m := ZMM()
	VADDPS_BCST(b(21), common, m)
	v = k.from(b(0))
	x, y, z := k.dot(b(3), v[:]...), k.dot(b(6), v[:]...), k.dot(b(9), v[:]...)
	// The first edge.
	outside, along := ZMM(), ZMM()
	VSUBPS(y, k.zero, outside)
	VSUBPS_BCST(b(12), x, along)
	k.excess(along, b(12))
	var side reg.VecVirtual
	// The rows are the same as in boundBlocks.
	for _, m := range []int{13, 18} {
		across := k.dot(b(m), x, y)
		if m == 13 {
			VSUBPS_BCST(b(15), across, across)
		}
		VMAXPS(across, outside, outside)
		along := ZMM()
		VMULPS_BCST(b(m), y, along)
		VFNMADD231PS_BCST(b(m+1), x, along)
		half := b(20)
		if m == 13 {
			VSUBPS_BCST(b(16), along, along)
			half = b(17)
		} else {
			VADDPS_BCST(half, along, along)
		}
		k.excess(along, half)
		if d := norm2(across, along); side == nil {
			side = d
		} else {
			VMINPS(d, side, side)
		}
	}
	VMINPS(norm2(y, along), side, side)
	isOutside := K()
	VCMPPS(Imm(greaterThan), m, outside, isOutside)
	VMOVAPS_Z(side, isOutside, side)
	VFMADD231PS(z, z, side)
	root, lower := ZMM(), ZMM()
	VSQRTPS(side, root)
	VMOVAPS(root, lower)
	VFNMADD231PS(margins, m, lower)
	VMOVUPS(lower, Mem{Base: out})
	VFMADD231PS_BCST(b(22), m, root)
	VMINPS(root, upper, upper)
	ADDQ(Imm(4), block)
	ADDQ(I32(list), out)
	DECL(count)
	JNE(LabelRef("packetTriangle"))
	VFMADD213PS(floor, slack, upper)
	VMINPS(k.limit, upper, k.limit)
	Label("packetBlockDone")
	INCQ(i)
	CMPQ(i, n)
	JLT(LabelRef("packetBlock"))
	VMULPS(k.limit, k.limit, k.limit)
	VMULPS_BCST(constant("packetSlack", 0x3f800040), k.limit, k.limit)
	VMINPS(Mem{Base: w, Disp: limit}, k.limit, k.limit)
	VMOVUPS(k.limit, Mem{Base: w, Disp: limit})
	VZEROUPPER()
	RET()
}

// rootOfLimit replaces the limit, which is a square, by an upper bound of its root.
func (k *packetKernel) rootOfLimit() {
	VSQRTPS(k.limit, k.limit)
	VMULPS_BCST(rootSlack(), k.limit, k.limit)
}

var shared = map[string]Mem{}

// sharedConstant returns a float32 with the given bits, which several functions use.
func sharedConstant(name string, bits uint32) Mem {
	m, ok := shared[name]
	if !ok {
		m = constant(name, bits)
		shared[name] = m
	}
	return m
}

func nearFactor() Mem   { return sharedConstant("near", 0x3f800400) }
func rootSlack() Mem    { return sharedConstant("rootSlack", 0x3f800040) }
func threeMargins() Mem { return sharedConstant("threeMargins", 0x3fe00000) }

// expandLeaves writes the pairs of a block and a point without branches.
func expandLeaves() {
	k, _, w, n := beginPackets("expandLeavesAVX512", "func(tree, w *byte, n int) (pairs int)", "expandLeavesAVX512 is expandLeavesGeneric in AVX-512.")
	boxMargin, numbers := loadZMM(Mem{Base: w, Disp: margin}), loadZMM(pointNumbers())
	VMULPS_BCST(threeMargins(), boxMargin, boxMargin)
	k.rootOfLimit()
	i, at, pairs := GP64(), GP64(), GP64()
	XORQ(i, i)
	XORQ(pairs, pairs)
	Label("expandLeaf")
	CMPQ(pairs, U32(maxBlocks-groupSize))
	JGT(LabelRef("expandOverflow"))
	points, link := GP32(), GP32()
	visiting, near, boxDistance := K(), K(), ZMM()
	MOVQ(i, at)
	SHLQ(Imm(6), at)
	MOVL(Mem{Base: w, Disp: leaves + 4, Index: i, Scale: visitSize}, points)
	MOVL(Mem{Base: w, Disp: leaves, Index: i, Scale: visitSize}, link)
	KMOVW(points, visiting)
	VSQRTPS(Mem{Base: w, Disp: leafBounds, Index: at, Scale: 1}, boxDistance)
	VSUBPS(boxMargin, boxDistance, boxDistance)
	VCMPPS(Imm(lessOrEqual), k.limit, boxDistance, visiting, near)
	KMOVW(near, points)
	MOVL(points, Mem{Base: w, Disp: leaves + 4, Index: i, Scale: visitSize})
	which, block := ZMM(), ZMM()
	VPCOMPRESSD_Z(numbers, near, which)
	VPBROADCASTD(link, block)
	VMOVDQU32(which, Mem{Base: w, Disp: blockPoint, Index: pairs, Scale: 4})
	VMOVDQU32(block, Mem{Base: w, Disp: blocks, Index: pairs, Scale: 4})
	POPCNTL(points, points)
	ADDQ(points.As64(), pairs)
	INCQ(i)
	CMPQ(i, n)
	JLT(LabelRef("expandLeaf"))
	VZEROUPPER()
	Store(pairs, ReturnIndex(0))
	RET()
	Label("expandOverflow")
	VZEROUPPER()
	MOVQ(I32(-1), pairs)
	Store(pairs, ReturnIndex(0))
	RET()
}

const greaterOrEqual512 = 13

// collectPairs writes the pairs without branches: for each triangle, it writes 16 elements, and the
// next triangle overwrites the elements that are not pairs.
func collectPairs() {
	k, tree, w, n := beginPackets("collectPairsAVX512", "func(tree, w *byte, n int) (pairs int)", "collectPairsAVX512 is collectPairsGeneric in AVX-512.")
	numbers := loadZMM(pointNumbers())
	k.rootOfLimit()
	i, at, pairs := GP64(), GP64(), GP64()
	XORQ(i, i)
	XORQ(pairs, pairs)
	Label("pairsOfLeaf")
	points, link, block, last := GP32(), GP32(), GP64(), GP32()
	visiting := K()
	MOVL(Mem{Base: w, Disp: leaves + 4, Index: i, Scale: visitSize}, points)
	TESTL(points, points)
	JEQ(LabelRef("leafDone"))
	KMOVW(points, visiting)
	MOVL(Mem{Base: w, Disp: leaves, Index: i, Scale: visitSize}, link)
	MOVLQSX(link, block)
	IMUL3Q(I32(blockSize), block, block)
	ADDQ(tree, block)
	MOVQ(i, at)
	SHLQ(Imm(9), at)
	LEAQ(Mem{Base: w, Disp: triangles, Index: at, Scale: 1}, at)
	triangle := GP32()
	MOVL(Mem{Base: block, Disp: 23 * row}, triangle)
	MOVL(Mem{Base: block, Disp: 23*row + 4}, last)
	ADDL(triangle, last)
	blockNumber := ZMM()
	VPBROADCASTD(link, blockNumber)
	Label("pairsOfTriangle")
	CMPQ(pairs, U32(maxPairs-groupSize))
	JGT(LabelRef("pairsOverflow"))
	near, mask := K(), GP32()
	VCMPPS(Imm(greaterOrEqual512), Mem{Base: at}, k.limit, visiting, near)
	KMOVW(near, mask)
	owner, number := ZMM(), ZMM()
	VPCOMPRESSD_Z(numbers, near, owner)
	VPBROADCASTD(triangle, number)
	VMOVDQU32(owner, Mem{Base: w, Disp: pairOwner, Index: pairs, Scale: 4})
	VMOVDQU32(number, Mem{Base: w, Disp: pairAt, Index: pairs, Scale: 4})
	VMOVDQU32(blockNumber, Mem{Base: w, Disp: pairBlock, Index: pairs, Scale: 4})
	POPCNTL(mask, mask)
	ADDQ(mask.As64(), pairs)
	ADDQ(I32(list), at)
	INCL(triangle)
	CMPL(triangle, last)
	JLT(LabelRef("pairsOfTriangle"))
	Label("leafDone")
	INCQ(i)
	CMPQ(i, n)
	JLT(LabelRef("pairsOfLeaf"))
	VZEROUPPER()
	Store(pairs, ReturnIndex(0))
	RET()
	Label("pairsOverflow")
	VZEROUPPER()
	MOVQ(I32(-1), pairs)
	Store(pairs, ReturnIndex(0))
	RET()
}

// pointNumbers returns the numbers of the points of a packet.
func pointNumbers() Mem {
	m, ok := shared["points"]
	if !ok {
		m = GLOBL("points", RODATA|NOPTR)
		for i := range groupSize {
			DATA(4*i, U32(uint32(i)))
		}
		shared["points"] = m
	}
	return m
}
