package neighbor

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// RadialOptions are the options of a RadialSort. The zero value is valid.
type RadialOptions struct {
	Workers int // number of goroutines; 0 or less means one for each processor
}

// RadialSort is the method of Leszczynski and Ciesielski (2004) §2.2. For each body, the distances
// of its points from an origin form an interval. Bodies are sorted by their smallest distance. Each
// body is compared with the later bodies whose intervals overlap its own. The method needs little
// memory and no cells. One large body among small bodies costs little. But each of n bodies takes
// about n^(1−1/d) tests in d dimensions. As in the paper, Stats.Tests counts the tests for overlap.
//
// The origin is the lower corner of a box around all bodies. The origin changes only if this corner
// has moved far. If the origin is the same as in the last step, insertion sort repairs the last
// order. Otherwise all bodies are sorted from scratch.
type RadialSort[T Body] struct {
	result
	opt    RadialOptions
	ops    bodyOps[T]
	origin r3.Vector
	shells []shell // sorted shells of the last step
	next   []shell // memory for the next step
	bodies []T     // temporary: sorted bodies
	ids    []int32
	seen   []bool // temporary memory of orderBodies
	found  pairCollector
}

// shell has the smallest and the largest distance of a body from the origin.
type shell struct {
	near, far float64
	id        int32
}

// NewRadialSort returns a RadialSort that has made no step yet.
func NewRadialSort[T Body](opt RadialOptions) *RadialSort[T] {
	return &RadialSort[T]{opt: opt, ops: opsOf[T]()}
}

// radialBlock is the number of bodies that are compared between two checks of the context.
const radialBlock = 256

// Update sorts and compares the bodies; see Method.
func (m *RadialSort[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	stats := m.stats
	stats.Steps++
	origin, moved := m.chooseOrigin(bodies)
	m.orderBodies(bodies, moved)
	shellsTo(m.next, bodies, origin)
	exchanges, sorted := uint64(0), false
	if !moved {
		exchanges, sorted = insertShells(m.next)
		stats.Exchanges += exchanges
	}
	if !sorted {
		slices.SortFunc(m.next, orderShells)
		stats.Rebuilds++
	}
	m.bodies, m.ids = m.bodies[:0], m.ids[:0]
	for _, s := range m.next {
		m.bodies = append(m.bodies, bodies[s.id])
		m.ids = append(m.ids, s.id)
	}
	m.ops.normalize(m.bodies)
	if err := m.sweep(ctx, len(bodies)); err != nil {
		return err
	}
	stats.Tests += m.found.tested()
	m.pairs, m.buffer = m.buffer, m.pairs
	m.shells, m.next = m.next, m.shells
	m.origin, m.stats = origin, stats
	return nil
}

// orderBodies sets m.next to the present bodies in the order of the last step. New bodies are at
// the end. If the origin has moved, the bodies are in the order of their indices.
func (m *RadialSort[T]) orderBodies(bodies []T, moved bool) {
	m.next = m.next[:0]
	m.seen = slices.Grow(m.seen[:0], len(bodies))[:len(bodies)]
	clear(m.seen)
	if !moved {
		for _, s := range m.shells {
			if int(s.id) < len(bodies) && !m.ops.absent(&bodies[s.id]) {
				m.seen[s.id] = true
				m.next = append(m.next, shell{id: s.id})
			}
		}
	}
	for i := range bodies {
		if !m.seen[i] && !m.ops.absent(&bodies[i]) {
			m.next = append(m.next, shell{id: int32(i)})
		}
	}
}

// sweep sets m.buffer to the pairs that touch.
func (m *RadialSort[T]) sweep(ctx context.Context, bodyCount int) (err error) {
	shells := m.next
	search := func(list []Pair, lo, hi int) (_ []Pair, tests uint64) {
		for i := lo; i < hi; i++ {
			end := i + 1 + countWithin(shells[i+1:], shells[i].far)
			list = m.ops.scan(list, &m.bodies[i], m.ids[i], m.bodies[i+1:end], m.ids[i+1:end])
			tests += uint64(end - i - 1)
		}
		return list, tests
	}
	m.buffer, err = m.found.collect(ctx, m.buffer, len(shells), radialBlock, bodyCount, par.Workers(m.opt.Workers), search)
	return err
}

// countWithin returns the number of shells s with s.near ≤ far. The shells must be sorted.
func countWithin(shells []shell, far float64) int {
	lo, hi := 0, len(shells)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); shells[mid].near <= far {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// orderShells compares shells by smallest distance, then by id.
func orderShells(a, b shell) int {
	switch {
	case a.near < b.near:
		return -1
	case a.near > b.near:
		return 1
	}
	return int(a.id) - int(b.id)
}

// insertShells sorts shells by insertion and counts the exchanges. If there are too many exchanges,
// it stops and returns false. The order of the shells is then arbitrary.
func insertShells(shells []shell) (exchanges uint64, ok bool) {
	// This many exchanges take about as long as slices.SortFunc.
	limit := uint64(2 * len(shells) * bits.Len(uint(len(shells))))
	for i, s := range shells {
		j := i
		for j > 0 && shells[j-1].near > s.near {
			shells[j] = shells[j-1]
			j--
		}
		shells[j] = s
		if exchanges += uint64(i - j); exchanges > limit {
			return exchanges, false
		}
	}
	return exchanges, true
}

// chooseOrigin returns the origin of the step and reports whether it has moved. The origin is the
// lower corner of a box around all bodies. But if the last origin is within a quarter of the extent
// of this corner on each axis, it stays.
func (m *RadialSort[T]) chooseOrigin(bodies []T) (origin r3.Vector, moved bool) {
	all := bvh.EmptyBox()
	for i := range bodies {
		if b := &bodies[i]; !m.ops.absent(b) {
			var box bvh.Box
			m.ops.bounds(&box, b)
			all = all.Union(box)
		}
	}
	if all.Empty() {
		return m.origin, false
	}
	near := func(x, lo, hi float64) bool { return math.Abs(x-lo) <= (hi-lo)/4 }
	if m.stats.Steps > 0 && near(m.origin.X, all.Min.X, all.Max.X) &&
		near(m.origin.Y, all.Min.Y, all.Max.Y) && near(m.origin.Z, all.Min.Z, all.Max.Z) {
		return m.origin, false
	}
	return all.Min, true
}

// Let a ball have the radius r and a center at distance d from the origin. Its shell is from d−h to
// d+h, where h = r + shellSlack·(r+d) + shellUnderflow. If touchDisks or touchSpheres accepts balls
// i and j, their shells overlap. Proof: let u = 2^-53. The values of d differ by at most the
// distance of the two centers. This distance is at most (r_i+r_j)(1+5u) (see touchDisks). The error
// of the rounded d is at most 4u·d, or 2^-536 if its squares underflow. The number h has three
// roundings. The rounding error of d−h and d+h is slightly more than u(d+r). For each ball, these
// errors and the 5u·r of the distance add up to less than 9u·r + 5u·d + 2^-536. The slack 16u(r+d)
// + 2^-535 is larger.
const (
	shellSlack     = 0x1p-49
	shellUnderflow = 0x1p-535
)

func (s *shell) set(d, r float64) {
	h := r + (float64(shellSlack*(r+d)) + shellUnderflow)
	s.near, s.far = d-h, d+h
}

// shellsTo computes the two distances of each shell. The id of a shell is the index of its body.
func shellsTo[T Body](shells []shell, bodies []T, origin r3.Vector) {
	switch bodies := any(bodies).(type) {
	case []Disk:
		for i := range shells {
			b := &bodies[shells[i].id]
			shells[i].set(planeNorm(b.Center.X-origin.X, b.Center.Y-origin.Y), b.Radius)
		}
	case []Sphere:
		for i := range shells {
			b := &bodies[shells[i].id]
			shells[i].set(spaceNorm(b.Center.X-origin.X, b.Center.Y-origin.Y, b.Center.Z-origin.Z), b.Radius)
		}
	case []Rect:
		for i := range shells {
			b := &bodies[shells[i].id]
			nx, fx := distanceRange(b.Min.X, b.Max.X, origin.X)
			ny, fy := distanceRange(b.Min.Y, b.Max.Y, origin.Y)
			shells[i].near, shells[i].far = planeNorm(nx, ny), planeNorm(fx, fy)
		}
	case []bvh.Box:
		for i := range shells {
			b := &bodies[shells[i].id]
			nx, fx := distanceRange(b.Min.X, b.Max.X, origin.X)
			ny, fy := distanceRange(b.Min.Y, b.Max.Y, origin.Y)
			nz, fz := distanceRange(b.Min.Z, b.Max.Z, origin.Z)
			shells[i].near, shells[i].far = spaceNorm(nx, ny, nz), spaceNorm(fx, fy, fz)
		}
	}
}

// distanceRange returns the smallest and the largest distance from x to a number in [lo, hi]. This
// function, planeNorm and spaceNorm are monotone even with rounding. If two boxes have a common
// point, its rounded distance from the origin is therefore in both shells. No slack is needed.
func distanceRange(lo, hi, x float64) (near, far float64) {
	return max(lo-x, x-hi, 0), max(x-lo, hi-x)
}

func planeNorm(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }

func spaceNorm(x, y, z float64) float64 {
	return math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
}
