// Command nearest writes the assembly of package nearest:
//
//	go run ./kernels/nearest -out ../internal/engine/nearest/bounds_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// row is the size of eight float32 in bytes. An obbNode has the rows c (0 to 2), A (3 to 11), e (12
// to 14), links (15) and near (16 to 18). A triBlock has the rows of its fields in their order, then first and count.
// TestKernelLayout in package nearest checks the layout.
const (
	row       = 32
	nodeSize  = 19 * row
	blockSize = 24 * row

	maxNodes  = 8000
	maxBlocks = 6000
	groupSize = 16
)

// Offsets of the fields of an obbWalk, which begins with the packet.
const (
	list        = 4 * groupSize // a number for each point of the packet
	margin      = 3 * list
	limit       = 4 * list
	blockMargin = 5 * list
	nearMargin  = 6 * list

	bounds     = 7 * list
	nodes      = bounds + row*maxBlocks
	nodePoint  = nodes + 4*(maxNodes+8)
	blocks     = nodePoint + 4*(maxNodes+8)
	blockPoint = blocks + 4*(maxBlocks+8)
	packets    = blockPoint + 4*(maxBlocks+8)
	hits       = packets + packetsSize
	hitSize    = 12
)

// kernel holds the registers that both functions use.
type kernel struct {
	data, walk, n reg.Register
	positive      reg.VecVirtual // mask of all bits except the sign bit
	zero          reg.VecVirtual

	// These are set for each element of a list.
	point  reg.GPVirtual
	p      [3]reg.VecVirtual
	margin reg.VecVirtual
}

func begin(name, signature, doc string) *kernel {
	TEXT(name, NOSPLIT, signature)
	Doc(doc)
	k := &kernel{data: Load(Param("tree"), GP64()), walk: Load(Param("w"), GP64()), n: Load(Param("n"), GP64())}
	k.positive, k.zero = YMM(), YMM()
	VPCMPEQD(k.positive, k.positive, k.positive)
	VPSRLD(Imm(1), k.positive, k.positive)
	VXORPS(k.zero, k.zero, k.zero)
	return k
}

// record returns the address of the record of the given size whose number is element i of a list in
// the walk.
func (k *kernel) record(list int, i reg.Register, size int32) (at reg.GPVirtual) {
	at = GP64()
	MOVLQSX(Mem{Base: k.walk, Disp: list, Index: i, Scale: 4}, at)
	IMUL3Q(I32(size), at, at)
	ADDQ(k.data, at)
	return at
}

// loadQuery loads the point whose number is element i of a list in the walk. It returns the number.
func (k *kernel) loadQuery(from int, i reg.Register, margin int) (point reg.GPVirtual) {
	point = GP64()
	k.point = point
	MOVLQSX(Mem{Base: k.walk, Disp: from, Index: i, Scale: 4}, point)
	for j := range k.p {
		k.p[j] = k.broadcast(list * j)
	}
	k.margin = k.broadcast(margin)
	return point
}

// field returns the number of the point in the given list of the packet.
func (k *kernel) field(list int) Mem {
	return Mem{Base: k.walk, Disp: list, Index: k.point, Scale: 4}
}

// broadcast loads a number of the point into all lanes.
func (k *kernel) broadcast(list int) reg.VecVirtual {
	v := YMM()
	VBROADCASTSS(k.field(list), v)
	return v
}

func at(base reg.Register, i int) Mem { return Mem{Base: base, Disp: row * i} }

// from returns p minus the three rows that begin at c.
func (k *kernel) from(c Mem) (v [3]reg.VecVirtual) {
	for i := range v {
		v[i] = YMM()
		VSUBPS(c.Offset(row*i), k.p[i], v[i])
	}
	return v
}

// least returns the smallest lane of v.
func least(v reg.VecVirtual) reg.VecVirtual {
	x, other := v.AsX().(reg.VecVirtual), XMM()
	VEXTRACTF128(Imm(1), v, other)
	VMINPS(other, x, x)
	VPSHUFD(Imm(0b01001110), x, other)
	VMINPS(other, x, x)
	VPSHUFD(Imm(0b10110001), x, other)
	VMINPS(other, x, x)
	return x
}

// dot returns the scalar product of v and the rows that begin at i. It adds from left to right.
func dot(base reg.Register, i int, v ...reg.VecVirtual) reg.VecVirtual {
	sum := YMM()
	VMULPS(at(base, i), v[0], sum)
	for j := 1; j < len(v); j++ {
		t := YMM()
		VMULPS(at(base, i+j), v[j], t)
		VADDPS(t, sum, sum)
	}
	return sum
}

// excess replaces each lane of v by max(|v| − half − margin, 0)². half can be nil.
func (k *kernel) excess(v reg.VecVirtual, half Op) {
	VANDPS(k.positive, v, v)
	if half != nil {
		VSUBPS(half, v, v)
	}
	VSUBPS(k.margin, v, v)
	VMAXPS(k.zero, v, v)
	VMULPS(v, v, v)
}

const lessOrEqual, greaterThan = 2, 14

// findBlocks keeps a queue of nodes in the walk. It appends the links of near children to the queue
// or to the list of blocks, without branches: a permutation moves the selected lanes to the front.
func findBlocks() {
	k := begin("findBlocksAVX2", "func(tree, w *byte, n int) (found int)", "findBlocksAVX2 is findBlocksGeneric in AVX2.")
	table := compression()
	perm := GP64()
	LEAQ(table, perm)
	i, found := GP64(), GP64()
	size := k.n.(reg.GPVirtual)
	XORQ(i, i)
	XORQ(found, found)
	Label("node")
	CMPQ(size, U32(maxNodes))
	JGT(LabelRef("overflow"))
	CMPQ(found, U32(maxBlocks-8))
	JGT(LabelRef("overflow"))
	n := k.record(nodes, i, nodeSize)
	point := k.loadQuery(nodePoint, i, margin)
	v := k.from(at(n, 16))
	for j := range v {
		VMULPS(v[j], v[j], v[j])
		if j > 0 {
			VADDPS(v[j], v[0], v[0])
		}
	}
	upper := least(v[0])
	VMULSS(nearFactor(), upper, upper)
	VADDSS(k.field(nearMargin), upper, upper)
	VMINSS(k.field(limit), upper, upper)
	VMOVSS(upper, k.field(limit))
	within := YMM()
	VBROADCASTSS(upper, within)
	v = k.from(at(n, 0))
	var sum reg.VecVirtual
	for j := range 3 {
		u := dot(n, 3+3*j, v[:]...)
		k.excess(u, at(n, 12+j))
		if j == 0 {
			sum = u
		} else {
			VADDPS(u, sum, sum)
		}
	}
	VCMPPS(Imm(lessOrEqual), within, sum, sum)
	links := YMM()
	VMOVDQU(at(n, 15), links)
	lanes, leaves := GP32(), GP32()
	VMOVMSKPS(sum, lanes)
	VMOVMSKPS(links, leaves)
	ANDL(lanes, leaves)
	XORL(leaves, lanes)
	points := YMM()
	VMOVD(point.As32(), points.AsX())
	VPBROADCASTD(points.AsX(), points)
	appendTo := func(list, pointList int, lanes reg.GPVirtual, links reg.VecVirtual, size reg.GPVirtual) {
		order, packed := YMM(), YMM()
		VPMOVZXBD(Mem{Base: perm, Index: lanes.As64(), Scale: 8}, order)
		VPERMD(links, order, packed)
		VMOVDQU(packed, Mem{Base: k.walk, Disp: list, Index: size, Scale: 4})
		VMOVDQU(points, Mem{Base: k.walk, Disp: pointList, Index: size, Scale: 4})
		POPCNTL(lanes, lanes)
		ADDQ(lanes.As64(), size)
	}
	appendTo(nodes, nodePoint, lanes, links, size)
	numbers := YMM()
	VPCMPEQD(numbers, numbers, numbers)
	VPXOR(numbers, links, numbers)
	appendTo(blocks, blockPoint, leaves, numbers, found)
	INCQ(i)
	CMPQ(i, size)
	JLT(LabelRef("node"))
	VZEROUPPER()
	Store(found, ReturnIndex(0))
	RET()
	Label("overflow")
	VZEROUPPER()
	MOVQ(I32(-1), found)
	Store(found, ReturnIndex(0))
	RET()
}

// compression returns a table with eight bytes for each mask of eight lanes: the numbers of the
// selected lanes, in ascending order.
func compression() Mem {
	table := GLOBL("compression", RODATA|NOPTR)
	for mask := range 256 {
		var order uint64
		n := 0
		for lane := range 8 {
			if mask>>lane&1 == 1 {
				order |= uint64(lane) << (8 * n)
				n++
			}
		}
		DATA(8*mask, U64(order))
	}
	return table
}

func boundBlocks() {
	k := begin("boundBlocksAVX2", "func(tree, w *byte, n int) (hits int)", "boundBlocksAVX2 is boundBlocksGeneric in AVX2.")
	i, out := GP64(), GP64()
	XORQ(i, i)
	LEAQ(Mem{Base: k.walk, Disp: bounds}, out)
	Label("block")
	b := k.record(blocks, i, blockSize)
	k.loadQuery(blockPoint, i, blockMargin)
	v := k.from(at(b, 0))
	// The margin.
	length := YMM()
	VANDPS(k.positive, v[0], length)
	for j := 1; j < 3; j++ {
		t := YMM()
		VANDPS(k.positive, v[j], t)
		VADDPS(t, length, length)
	}
	perLength := YMM()
	VBROADCASTSS(constant("perLength", 0x35300000), perLength)
	VMULPS(perLength, length, length)
	VADDPS(at(b, 21), k.margin, k.margin)
	VADDPS(length, k.margin, k.margin)
	x := dot(b, 3, v[:]...)
	y := dot(b, 6, v[:]...)
	z := dot(b, 9, v[:]...)
	k.excess(z, nil)
	// The first edge.
	outside := YMM()
	VSUBPS(y, k.zero, outside)
	along, side := YMM(), YMM()
	VSUBPS(at(b, 12), x, along)
	k.excess(along, at(b, 12))
	VMOVAPS(y, side)
	k.excess(side, nil)
	VADDPS(side, along, side)
	// The second edge has its normal in rows 13 and 14, and then the offset, the middle and half of
	// its length. The third edge has its normal in rows 18 and 19, and then half of its length.
	for _, m := range []int{13, 18} {
		across := dot(b, m, x, y)
		if m == 13 {
			VSUBPS(at(b, 15), across, across)
		}
		VMAXPS(across, outside, outside)
		along, t := YMM(), YMM()
		VMULPS(at(b, m), y, along)
		VMULPS(at(b, m+1), x, t)
		VSUBPS(t, along, along)
		if m == 13 {
			VSUBPS(at(b, 16), along, along)
			k.excess(along, at(b, 17))
		} else {
			VADDPS(at(b, 20), along, along)
			k.excess(along, at(b, 20))
		}
		k.excess(across, nil)
		VADDPS(across, along, along)
		VMINPS(along, side, side)
	}
	VCMPPS(Imm(greaterThan), k.margin, outside, outside)
	VANDPS(outside, side, side)
	VADDPS(side, z, z)
	VMOVUPS(z, Mem{Base: out})
	VSQRTPS(z, z)
	loose := YMM()
	VMULPS(at(b, 22), k.margin, loose)
	VADDPS(loose, z, z)
	// The limit is the square of the least upper bound.
	upper := least(z)
	VMULSS(upper, upper, upper)
	VMULSS(constant("slack", 0x3f800040), upper, upper)
	VADDSS(constant("floor", 0x00000200), upper, upper)
	VMINSS(k.field(limit), upper, upper)
	VMOVSS(upper, k.field(limit))
	ADDQ(Imm(row), out)
	INCQ(i)
	CMPQ(i, k.n)
	JLT(LabelRef("block"))

	// A second pass collects the hits, without branches: it writes every element, and the next
	// element overwrites an element that is not a hit.
	count, hit := GP64(), GP64()
	XORQ(i, i)
	XORQ(count, count)
	LEAQ(Mem{Base: k.walk, Disp: hits}, hit)
	Label("hit")
	point, lanes, within, block, at := GP64(), GP32(), YMM(), GP32(), GP64()
	MOVLQSX(Mem{Base: k.walk, Disp: blockPoint, Index: i, Scale: 4}, point)
	MOVL(Mem{Base: k.walk, Disp: blocks, Index: i, Scale: 4}, block)
	MOVL(block, Mem{Base: hit})
	MOVL(point.As32(), Mem{Base: hit, Disp: 4})
	VBROADCASTSS(Mem{Base: k.walk, Disp: limit, Index: point, Scale: 4}, within)
	MOVQ(i, at)
	SHLQ(Imm(5), at)
	cmp := YMM()
	VMOVUPS(Mem{Base: k.walk, Disp: bounds, Index: at, Scale: 1}, cmp)
	VCMPPS(Imm(lessOrEqual), within, cmp, cmp)
	VMOVMSKPS(cmp, lanes)
	MOVL(lanes, Mem{Base: hit, Disp: 8})
	isHit := GP64()
	XORQ(isHit, isHit)
	NEGL(lanes) // sets the carry flag if a lane is selected
	ADCQ(Imm(0), isHit)
	ADDQ(isHit, count)
	IMUL3Q(Imm(hitSize), isHit, isHit)
	ADDQ(isHit, hit)
	INCQ(i)
	CMPQ(i, k.n)
	JLT(LabelRef("hit"))
	VZEROUPPER()
	Store(count, ReturnIndex(0))
	RET()
}

// constant returns a float32 with the given bits.
func constant(name string, bits uint32) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U32(bits))
	return m
}

func main() {
	ConstraintExpr("!noasm")
	findBlocks()
	findLeaves()
	boundBlocks()
	expandLeaves()
	boundPackets()
	collectPairs()
	measurePairs(false)
	measurePairs(true)
	Generate()
}
