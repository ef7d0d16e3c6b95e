package fmm

import (
	"math"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
)

// padded rounds n up to a multiple of eight, the number of float64 in a vector register.
func padded(n int) int { return (n + 7) &^ 7 }

// degreeCache shares constant matrices among all plans. The matrices depend only on degrees.
// Computing them takes milliseconds, which would slow down small plans.
type degreeCache[K comparable, T any] struct {
	make func(degree K) *T
	kept sync.Map // map from degree to *T
}

var (
	m2mCache = degreeCache[int, octantShifts]{make: newM2M}
	l2lCache = degreeCache[int, octantShifts]{make: newL2L}
	m2lCache = degreeCache[degrees, harmonics.Tables]{make: func(d degrees) *harmonics.Tables { return harmonics.NewTables(d.local, d.multipole) }}
)

// of returns the shared value for a degree, and computes it on the first call.
func (c *degreeCache[K, T]) of(degree K) *T {
	if t, ok := c.kept.Load(degree); ok {
		return t.(*T)
	}
	t, _ := c.kept.LoadOrStore(degree, c.make(degree))
	return t.(*T)
}

// octantShifts holds the translations between a cell and its eight children. They include the change of
// units.
type octantShifts [8]*harmonics.Shift

// newM2M returns the translations from the children to their parent. The moments of degree 0 are
// zero. A moment of degree s has the unit h^(s+1), where h is half the side of the cell.
func newM2M(degree int) *octantShifts {
	return newOctantShifts(degree, harmonics.MatrixM2M, func(_, s int) int { return -s - 1 })
}

// newL2L returns the translations from a cell to its children. A local coefficient of degree n has
// the unit h^(−n), where h is half the side of the cell.
func newL2L(degree int) *octantShifts {
	return newOctantShifts(degree, harmonics.MatrixL2L, func(n, _ int) int { return -n })
}

// newOctantShifts returns matrix(degree, octant(o)) for all octants o, after a change of units. It
// multiplies the entry from degree s to degree n by 2^exponent(n, s).
func newOctantShifts(degree int, matrix func(p int, d r3.Vector) []float64, exponent func(n, s int) int) *octantShifts {
	size := harmonics.Len(degree)
	t := new(octantShifts)
	for o := range t {
		m := matrix(degree, octant(o))
		for n := 0; n <= degree; n++ {
			for row := n * n; row < (n+1)*(n+1); row++ {
				for s := 0; s <= degree; s++ {
					for j := s * s; j < (s+1)*(s+1); j++ {
						m[row*size+j] = math.Ldexp(m[row*size+j], exponent(n, s))
					}
				}
			}
		}
		t[o] = harmonics.NewShift(degree, m)
	}
	return t
}

// shifter collects translations between cells and their children. It applies eight translations of an
// octant at a time.
type shifter struct {
	shifts   *octantShifts
	work     *harmonics.ShiftWork
	dst, src [8][][]float64
}

func newShifter(t *octantShifts) *shifter { return &shifter{shifts: t, work: t[0].Work()} }

// add adds the translation of src by octant o to dst, at the latest when flush is called. src and
// dst must have a padded length.
func (s *shifter) add(dst, src []float64, o int) {
	s.dst[o], s.src[o] = append(s.dst[o], dst), append(s.src[o], src)
	if len(s.dst[o]) == 8 {
		s.apply(o)
	}
}

func (s *shifter) apply(o int) {
	s.shifts[o].AddTo(s.dst[o], s.src[o], s.work)
	s.dst[o], s.src[o] = s.dst[o][:0], s.src[o][:0]
}

func (s *shifter) flush() {
	for o := range s.dst {
		s.apply(o)
	}
}

// m2lOperators holds the M2L operators of one worker. Moments are in units of the source cell, and
// local expansions are in units of the target cell. An operator depends only on the offset and is
// made when it is first needed. An operator takes at most 1 KB. If there are maxOperators
// operators, all of them are dropped.
type m2lOperators struct {
	tables *harmonics.Tables
	slots  []int32 // hash table with open addressing: 1 + index of the offset, or 0 for an empty slot
	kept   []keptOperator
}

type keptOperator struct {
	at offset
	op *harmonics.M2L
}

const maxOperators = 1 << 14 // tuning

func newM2LOperators(deg degrees) *m2lOperators {
	return &m2lOperators{tables: m2lCache.of(deg), slots: make([]int32, 1024)}
}

// of returns the operator of an offset.
func (o *m2lOperators) of(at offset) *harmonics.M2L {
	h := at.hash()
	for {
		s := o.slots[h&uint64(len(o.slots)-1)]
		if s == 0 {
			break
		}
		if k := &o.kept[s-1]; k.at == at {
			return k.op
		}
		h++
	}
	// k converts the offset to units of half the side of the source cell.
	k := math.Ldexp(1, int(min(at.finer, 0)))
	d := r3.Vector{X: float64(at.x) * k, Y: float64(at.y) * k, Z: float64(at.z) * k}
	op := o.tables.M2L(d, math.Ldexp(1, int(at.finer)))
	if len(o.kept) == maxOperators {
		o.kept = o.kept[:0]
		clear(o.slots)
	}
	o.kept = append(o.kept, keptOperator{at, op})
	if 2*len(o.kept) > len(o.slots) {
		o.slots = make([]int32, 4*len(o.slots))
		for i := range o.kept {
			o.insert(i)
		}
	} else {
		o.insert(len(o.kept) - 1)
	}
	return op
}

func (o *m2lOperators) insert(i int) {
	h := o.kept[i].at.hash()
	for o.slots[h&uint64(len(o.slots)-1)] != 0 {
		h++
	}
	o.slots[h&uint64(len(o.slots)-1)] = int32(i + 1)
}
