package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of a packetWalk.
const (
	maxVisits = 1024
	maxLeaves = 512
	visitSize = 8

	leafBounds  = packets
	visits      = leafBounds + list*maxLeaves
	leaves      = visits + visitSize*(maxVisits+1)
	packetsSize = leaves + visitSize*(maxLeaves+1) - packets
)

// packetKernel holds the registers of findPackets. The lanes are the points of the packet.
type packetKernel struct {
	p                                         [3]reg.VecVirtual
	margin, limit, nearMargin, positive, zero reg.VecVirtual
}

// from returns the points minus the point in lane 0 of the three rows that begin at c.
func (k *packetKernel) from(c Mem) (v [3]reg.VecVirtual) {
	for i := range v {
		v[i] = ZMM()
		VSUBPS_BCST(c.Offset(row*i), k.p[i], v[i])
	}
	return v
}

// bound returns the lower bounds of the squared distances of the box in lane 0 of the rows at box, in
// the order of operations of nodeBoundsGeneric.
func (k *packetKernel) bound(box Mem) (sum reg.VecVirtual) {
	v := k.from(box)
	for j := range 3 {
		u := ZMM()
		VMULPS_BCST(box.Offset(row*(3+3*j)), v[0], u)
		for i := 1; i < 3; i++ {
			t := ZMM()
			VMULPS_BCST(box.Offset(row*(3+3*j+i)), v[i], t)
			VADDPS(t, u, u)
		}
		VPANDD(k.positive, u, u)
		VSUBPS_BCST(box.Offset(row*(12+j)), u, u)
		VSUBPS(k.margin, u, u)
		VMAXPS(k.zero, u, u)
		VMULPS(u, u, u)
		if j == 0 {
			sum = u
		} else {
			VADDPS(u, sum, sum)
		}
	}
	return sum
}

// near returns the squared distances of the point in lane 0 of the rows at box.
func (k *packetKernel) near(box Mem) reg.VecVirtual {
	v := k.from(box)
	for j := range v {
		VMULPS(v[j], v[j], v[j])
		if j > 0 {
			VADDPS(v[j], v[0], v[0])
		}
	}
	return v[0]
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

// findPackets visits the nodes of a packet level by level. It appends each link and the mask of its
// points to the nodes or to the leaves, without branches: it writes both lists, and increases the
// length of one of them if the mask is not 0.
func findPackets() {
	TEXT("findPacketsAVX512", NOSPLIT, "func(tree, w *byte) (found int)")
	Doc("findPacketsAVX512 is findPacketsGeneric in AVX-512.")
	tree, w := Load(Param("tree"), GP64()), Load(Param("w"), GP64())
	k := &packetKernel{positive: ZMM(), zero: ZMM()}
	VPTERNLOGD(Imm(255), k.positive, k.positive, k.positive)
	VPSRLD(Imm(1), k.positive, k.positive)
	VPXORD(k.zero, k.zero, k.zero)
	for j := range k.p {
		k.p[j] = loadZMM(Mem{Base: w, Disp: list * j})
	}
	k.margin, k.nearMargin = loadZMM(Mem{Base: w, Disp: margin}), loadZMM(Mem{Base: w, Disp: nearMargin})
	k.limit = loadZMM(Mem{Base: w, Disp: limit})
	factor := broadcastZMM(nearFactor())

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
	VMULPS(factor, least, least)
	VADDPS(k.nearMargin, least, least)
	VMINPS(k.limit, least, k.limit)
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
	VCMPPS(Imm(lessOrEqual), k.limit, sum, visiting, near)
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

	// The points of each leaf whose bounds are within the final limits.
	pairs, numbers := GP64(), loadZMM(pointNumbers())
	XORQ(pairs, pairs)
	XORQ(i, i)
	TESTQ(found, found)
	JEQ(LabelRef("packetDone"))
	Label("packetLeaf")
	CMPQ(pairs, U32(maxBlocks-groupSize))
	JGT(LabelRef("packetOverflow"))
	at, points, mask, link = GP64(), GP32(), GP32(), GP32()
	visiting, near = K(), K()
	MOVL(Mem{Base: w, Disp: leaves + 4, Index: i, Scale: visitSize}, points)
	MOVL(Mem{Base: w, Disp: leaves, Index: i, Scale: visitSize}, link)
	KMOVW(points, visiting)
	MOVQ(i, at)
	SHLQ(Imm(6), at)
	bound := loadZMM(Mem{Base: w, Disp: leafBounds, Index: at, Scale: 1})
	VCMPPS(Imm(lessOrEqual), k.limit, bound, visiting, near)
	KMOVW(near, mask)
	which, block := ZMM(), ZMM()
	VPCOMPRESSD_Z(numbers, near, which)
	VPBROADCASTD(link, block)
	VMOVDQU32(which, Mem{Base: w, Disp: blockPoint, Index: pairs, Scale: 4})
	VMOVDQU32(block, Mem{Base: w, Disp: blocks, Index: pairs, Scale: 4})
	POPCNTL(mask, mask)
	ADDQ(mask.As64(), pairs)
	INCQ(i)
	CMPQ(i, found)
	JLT(LabelRef("packetLeaf"))
	Label("packetDone")
	VZEROUPPER()
	Store(pairs, ReturnIndex(0))
	RET()
	Label("packetOverflow")
	VZEROUPPER()
	MOVQ(I32(-1), found)
	Store(found, ReturnIndex(0))
	RET()
}

// pointNumbers returns the numbers of the points of a packet.
func pointNumbers() Mem {
	m := GLOBL("points", RODATA|NOPTR)
	for i := range groupSize {
		DATA(4*i, U32(uint32(i)))
	}
	return m
}
