package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of a pairList. Each list has a number for each pair.
const (
	maxPairs    = 400
	listSize    = 8 * maxPairs
	pointList   = 0
	cornerLists = 3 * listSize
	hiList      = 12 * listSize
	loList      = 13 * listSize
	errList     = 14 * listSize
	partList    = 15 * listSize
	memory      = 16 * listSize
	maxMemory   = 160 // number of vectors
)

// measuring512 selects AVX-512, with eight float64 in a vector instead of four. Then masks stay in
// vectors, as in AVX2, except in comparisons and selections.
var measuring512 bool

// vectorSize returns the size of a vector in bytes.
func vectorSize() int {
	if measuring512 {
		return 64
	}
	return 32
}

// vector returns a new register.
func vector() reg.VecVirtual {
	if measuring512 {
		return ZMM()
	}
	return YMM()
}

// measurer generates the kernel measurePairs. The values that are used more than once stay in memory,
// because there are too many for the registers.
type measurer struct {
	pairs, i reg.Register // i is the offset of the next pairs in each list
	used     int          // number of vectors in memory

	constants map[string]Mem
}

type double struct{ hi, lo Mem }

func (m *measurer) input(list int) Mem {
	return Mem{Base: m.pairs, Disp: list, Index: m.i, Scale: 1}
}

// keep stores v in memory.
func (m *measurer) keep(v reg.VecVirtual) Mem {
	at := Mem{Base: m.pairs, Disp: memory + vectorSize()*m.used}
	if m.used++; m.used > maxMemory {
		panic("maxMemory is too small")
	}
	VMOVUPD(v, at)
	return at
}

// constant returns a vector of four numbers x.
func (m *measurer) constant(name string, x float64) Mem {
	return m.vector(name, U64(math.Float64bits(x)))
}

func (m *measurer) partNumber(part float64) Mem {
	return m.constant(fmt.Sprintf("part%g", part), part)
}

func (m *measurer) vector(name string, bits U64) Mem {
	at, ok := m.constants[name]
	if !ok {
		symbol := name
		if measuring512 {
			symbol += "512"
		}
		at = GLOBL(symbol, RODATA|NOPTR)
		for k := range vectorSize() / 8 {
			DATA(8*k, bits)
		}
		m.constants[name] = at
	}
	return at
}

func load(x Op) reg.VecVirtual {
	v := vector()
	VMOVUPD(x, v)
	return v
}

func plus(a reg.VecVirtual, b Op) reg.VecVirtual {
	v := vector()
	VADDPD(b, a, v)
	return v
}

func minus(a reg.VecVirtual, b Op) reg.VecVirtual {
	v := vector()
	VSUBPD(b, a, v)
	return v
}

func times(a reg.VecVirtual, b Op) reg.VecVirtual {
	v := vector()
	VMULPD(b, a, v)
	return v
}

func (m *measurer) abs(a reg.VecVirtual) reg.VecVirtual {
	v := vector()
	VANDPD(m.vector("magnitude", 1<<63-1), a, v)
	return v
}

func (m *measurer) negative(a reg.VecVirtual) reg.VecVirtual {
	zero := vector()
	VXORPD(zero, zero, zero)
	return minus(zero, a)
}

// twoSum, twoDiff and twoProduct are the functions of package predicates.
func twoSum(a, b reg.VecVirtual) (sum, err reg.VecVirtual) {
	sum = plus(a, b)
	x := minus(sum, a)
	return sum, plus(minus(a, minus(sum, x)), minus(b, x))
}

func twoDiff(a, b reg.VecVirtual) (diff, err reg.VecVirtual) {
	diff = minus(a, b)
	x := minus(a, diff)
	return diff, plus(minus(a, plus(diff, x)), minus(x, b))
}

func twoProduct(a, b reg.VecVirtual) (product, err reg.VecVirtual) {
	product = times(a, b)
	err = vector()
	VMOVAPD(product, err)
	VFMSUB231PD(b, a, err)
	return product, err
}

// cross2 returns p.hi·q.lo + p.lo·q.hi.
func cross2(p, q double) reg.VecVirtual {
	return plus(times(load(p.hi), q.lo), times(load(p.lo), q.hi))
}

// dot is the function (*wide).dot.
func (m *measurer) dot(v, w [3]double) double {
	var product, err [3]Mem
	for k := range v {
		x, e := twoProduct(load(v[k].hi), load(w[k].hi))
		product[k] = m.keep(x)
		err[k] = m.keep(plus(e, cross2(v[k], w[k])))
	}
	xy, xyErr := twoSum(load(product[0]), load(product[1]))
	sum, sumErr := twoSum(xy, load(product[2]))
	rest := plus(load(err[2]), plus(xyErr, sumErr))
	return m.double(twoSum(sum, plus(plus(load(err[0]), err[1]), rest)))
}

func (m *measurer) double(hi, lo reg.VecVirtual) double { return double{m.keep(hi), m.keep(lo)} }

// minor is the function (*pair).minor.
func (m *measurer) minor(p, q, r, s double) double {
	pq, pqErr := twoProduct(load(p.hi), load(q.hi))
	rs, rsErr := twoProduct(load(r.hi), load(s.hi))
	diff, err := twoDiff(pq, rs)
	err = plus(err, minus(pqErr, rsErr))
	rest := minus(cross2(p, q), cross2(r, s))
	return m.double(twoSum(diff, plus(err, rest)))
}

func (m *measurer) cross(v, w [3]double) [3]double {
	return [3]double{
		m.minor(v[1], w[2], v[2], w[1]),
		m.minor(v[2], w[0], v[0], w[2]),
		m.minor(v[0], w[1], v[1], w[0]),
	}
}

// less returns the mask of the lanes with a < b.
func less(a reg.VecVirtual, b Op) reg.VecVirtual {
	const lessThan = 17 // false for NaN, without exceptions
	return compare(lessThan, a, b)
}

// compare returns the mask of the lanes for which the comparison of a with b is true.
func compare(how int, a reg.VecVirtual, b Op) reg.VecVirtual {
	v := vector()
	if !measuring512 {
		VCMPPD(Imm(uint64(how)), b, a, v)
		return v
	}
	k := K()
	VCMPPD(Imm(uint64(how)), b, a, k)
	VPMOVM2Q(k, v)
	return v
}

// choose returns a, and b in the lanes of the mask.
func choose(mask reg.VecVirtual, a reg.VecVirtual, b Op) reg.VecVirtual {
	v := vector()
	if !measuring512 {
		VBLENDVPD(mask, b, a, v)
		return v
	}
	k := K()
	VPMOVQ2M(mask, k)
	VMOVAPD(a, v)
	VMOVUPD(b, k, v)
	return v
}

func and(a, b reg.VecVirtual) reg.VecVirtual {
	v := vector()
	VANDPD(b, a, v)
	return v
}

func or(a, b reg.VecVirtual) reg.VecVirtual {
	v := vector()
	VORPD(b, a, v)
	return v
}

// measurePairs generates measurePairsAVX2 or measurePairsAVX512.
func measurePairs(wide bool) {
	measuring512 = wide
	name, label := "measurePairsAVX2", "pairs"
	if wide {
		name, label = "measurePairsAVX512", "pairs512"
	}
	TEXT(name, NOSPLIT, "func(pairs *byte, n int)")
	Doc(name + " is measurePairsGeneric with fused multiply-add.")
	m := &measurer{pairs: Load(Param("pairs"), GP64()), i: GP64(), constants: map[string]Mem{}}
	n := Load(Param("n"), GP64()).(reg.GPVirtual)
	SHLQ(Imm(3), n)
	XORQ(m.i, m.i)
	Label(label)

	// Corners relative to the point, and the edges from corner 0.
	var corner, edge [3][3]Mem // edge[0] is not used
	for c := range corner {
		for k := range 3 {
			t := load(m.input(cornerLists + (3*c+k)*listSize))
			corner[c][k] = m.keep(minus(t, m.input(pointList+k*listSize)))
			if c > 0 {
				edge[c][k] = m.keep(minus(t, m.input(cornerLists+k*listSize)))
			}
		}
	}
	norm := func(v [3]Mem) reg.VecVirtual {
		return plus(plus(m.abs(load(v[0])), m.abs(load(v[1]))), m.abs(load(v[2])))
	}
	size := m.keep(plus(plus(norm(corner[0]), norm(corner[1])), norm(corner[2])))
	edges := m.keep(plus(norm(edge[1]), norm(edge[2])))
	err := m.keep(times(times(load(size), m.constant("partError", 8*0x1p-53)), edges))
	var product [3][3]Mem // product[c][j] is −corner[c]·edge[j]
	for c := range corner {
		for j := 1; j < 3; j++ {
			v, w := corner[c], edge[j]
			x := plus(plus(times(load(v[0]), w[0]), times(load(v[1]), w[1])), times(load(v[2]), w[2]))
			product[c][j] = m.keep(m.negative(x))
		}
	}
	ae, af, be, bf, ce, cf := product[0][1], product[0][2], product[1][1], product[1][2], product[2][1], product[2][2]
	bg, cg := m.keep(minus(load(bf), be)), m.keep(minus(load(ce), cf))
	coordinate := func(a, b, c, d Mem) Mem { return m.keep(minus(times(load(a), b), times(load(c), d))) }
	la, lb, lc := coordinate(be, cf, ce, bf), coordinate(ce, af, ae, cf), coordinate(ae, bf, be, af)
	sum := m.abs(load(ae))
	for _, x := range []Mem{af, be, bf, ce, cf} {
		sum = plus(sum, m.abs(load(x)))
	}
	area := m.keep(times(times(load(err), m.constant("eight", 8)), plus(sum, err)))
	minusErr := m.keep(m.negative(load(err)))
	minusArea := m.keep(m.negative(load(area)))
	err3 := m.keep(times(load(err), m.constant("three", 3)))
	minusErr3 := m.keep(m.negative(load(err3)))
	below := func(a, b Mem) reg.VecVirtual { return less(load(a), b) }
	// The cases of partOf are in reverse order, because a later case replaces an earlier one.
	part := vector()
	VXORPD(part, part, part)
	for _, c := range []struct {
		part float64
		mask func() reg.VecVirtual
	}{
		{6, func() reg.VecVirtual { return and(and(below(la, minusArea), below(err3, bg)), below(err3, cg)) }},
		{5, func() reg.VecVirtual { return and(and(below(lb, minusArea), below(err, af)), below(cf, minusErr)) }},
		{3, func() reg.VecVirtual { return and(and(below(lc, minusArea), below(err, ae)), below(be, minusErr)) }},
		{4, func() reg.VecVirtual { return and(below(err, cf), below(cg, minusErr3)) }},
		{2, func() reg.VecVirtual { return and(below(err, be), below(bg, minusErr3)) }},
		{1, func() reg.VecVirtual { return and(below(ae, minusErr), below(af, minusErr)) }},
		{7, func() reg.VecVirtual { return and(and(below(area, la), below(area, lb)), below(area, lc)) }},
	} {
		part = choose(c.mask(), part, m.partNumber(c.part))
	}
	// The part is 0 if err or size is out of range.
	const greaterOrEqual, atMost = 29, 18 // false for NaN
	known := compare(greaterOrEqual, load(err), m.constant("minPartError", 0x1p-450))
	near := compare(atMost, load(size), m.constant("maxMeasure", 0x1p160))
	partAt := m.keep(and(part, and(known, near)))
	VMOVUPD(load(partAt), m.input(partList))

	is := func(parts ...float64) reg.VecVirtual {
		var mask reg.VecVirtual
		for i, p := range parts {
			const equal = 0
			v := compare(equal, load(partAt), m.partNumber(p))
			if i == 0 {
				mask = v
			} else {
				mask = or(mask, v)
			}
		}
		return mask
	}
	isFace := m.keep(is(7))
	isVertex := m.keep(is(1, 2, 4))
	// v is the vector from the point to the first corner of the part. e is the vector from the first
	// corner to the last one. u is the second edge of a face; for other parts, it is v.
	var v, e, u [3]double
	firstIs1, firstIs2, lastIs1, lastIs2 := m.keep(is(2, 6)), m.keep(is(4)), m.keep(is(2, 3)), m.keep(is(4, 5, 6, 7))
	for k := range 3 {
		in := func(c int) Mem { return m.input(cornerLists + (3*c+k)*listSize) }
		first := m.keep(choose(load(firstIs2), choose(load(firstIs1), load(in(0)), in(1)), in(2)))
		last := choose(load(lastIs2), choose(load(lastIs1), load(in(0)), in(1)), in(2))
		e[k] = m.double(twoDiff(last, load(first)))
		v[k] = m.double(twoDiff(load(first), load(m.input(pointList+k*listSize))))
		hi, lo := twoDiff(load(in(1)), load(in(0)))
		u[k] = m.double(choose(load(isFace), load(v[k].hi), hi), choose(load(isFace), load(v[k].lo), lo))
	}
	normal := m.cross(e, u)
	nn, ee, vv, x := m.dot(normal, normal), m.dot(e, e), m.dot(v, v), m.dot(normal, v)
	s, sErr := twoProduct(load(x.hi), load(x.hi))
	square := m.double(s, plus(sErr, times(times(load(x.hi), m.constant("two", 2)), x.lo)))
	one := m.constant("one", 1)
	zero := vector()
	VXORPD(zero, zero, zero)
	pick := func(vertex, edge, face Mem) Mem {
		return m.keep(choose(load(isFace), choose(load(isVertex), load(edge), vertex), face))
	}
	num := double{pick(vv.hi, nn.hi, square.hi), pick(vv.lo, nn.lo, square.lo)}
	den := double{pick(one, ee.hi, nn.hi), pick(m.keep(zero), ee.lo, nn.lo)}

	// rootOfQuotient
	r := vector()
	quotient := vector()
	VDIVPD(den.hi, load(num.hi), quotient)
	VSQRTPD(quotient, r)
	s, sErr = twoProduct(r, r)
	q, qErr := twoProduct(s, load(den.hi))
	rest := plus(times(sErr, den.hi), times(s, den.lo))
	rest = plus(minus(load(num.hi), q), minus(load(num.lo), plus(qErr, rest)))
	VDIVPD(times(times(r, m.constant("two", 2)), den.hi), rest, rest)
	hi, lo := twoSum(r, rest)
	VMOVUPD(hi, m.input(hiList))
	VMOVUPD(lo, m.input(loList))

	// The bound of the error.
	root, kappa := vector(), vector()
	VSQRTPD(den.hi, root)
	VDIVPD(root, times(times(load(edges), m.constant("quarter", 0.25)), edges), kappa)
	VANDPD(isFace, kappa, kappa)
	bound := times(times(load(size), m.constant("measureError", 256*0x1p-106)), plus(kappa, one))
	atLeast := m.constant("minMeasure", 0x1p-700)
	valid := and(compare(greaterOrEqual, load(num.hi), atLeast), compare(greaterOrEqual, load(den.hi), atLeast))
	none := vector()
	VXORPD(none, none, none)
	const notEqual = 4
	valid = and(valid, compare(notEqual, load(partAt), none))
	VMOVUPD(choose(valid, load(m.constant("infinity", math.Inf(1))), bound), m.input(errList))
	ADDQ(Imm(uint64(vectorSize())), m.i)
	CMPQ(m.i, n)
	JLT(LabelRef(label))
	VZEROUPPER()
	RET()
}
