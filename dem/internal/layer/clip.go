package layer

import (
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Scratch is the working memory of this package. One goroutine at a time may use it.
type Scratch struct {
	near, far  reach
	planes     [2][]plane // planes of each body that matter
	lows       []float64  // see matter
	piece      piece
	whole      piece // see octants
	sums       []sum
	walk       bvh.BoxWalk
	list       []int32
	everything bool // for tests: all planes matter
}

// piece is the part of a tile that is in another body.
type piece struct {
	outline []r3.Vector // a convex polygon
	planes  []plane     // planes of the other body that matter
	cut     []r3.Vector // memory of below
	values  []float64   // values of a linear function at the corners of a polygon
	// integrate divides the outline into polygons. A polygon is a list of indices of corners.
	corners []r3.Vector
	nearest []int32   // the plane with the least depth at each corner
	depths  []float64 // least depth at each corner
	part    []int32   // the polygon that integrate divides
	other   []int32   // one part of the polygon part
	stack   []int32   // the polygons that integrate has not finished
	sizes   []int     // number of corners of each polygon of stack
}

// sum holds the integrals over the polygons with the same nearest plane. Places are relative to an
// origin.
type sum struct {
	plane  int32     // index in piece.planes
	depth  float64   // ∫φ
	square float64   // ∫φ²
	moment r3.Vector // ∫φ·x
}

// below cuts off the part of the outline beyond a plane. It returns false if nothing is left.
// Before the cut, it sets p.values to the depths of the corners.
func (p *piece) below(side *plane) bool {
	p.values = p.values[:0]
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range p.outline {
		d := side.depth(x)
		p.values, low, high = append(p.values, d), min(low, d), max(high, d)
	}
	switch {
	case low >= 0:
		return true
	case high <= 0:
		return false
	}
	p.outline, p.cut = cutPolygon(p.cut[:0], p.outline, p.values), p.outline
	return len(p.outline) > 2
}

// enter sets s.piece to the part of the tile that is inside of all planes and within the limit. It
// returns false if there is no such part.
func (s *Scratch) enter(t *placedTile, planes []plane, limit *within) bool {
	if beyond(limit.zone, t.center, t.radius) {
		return false
	}
	p := &s.piece
	center, radius := t.center, t.radius
	p.planes, p.values = p.planes[:0], p.values[:0] // values are the least depths of the tile below the planes
	high := limit.depth                             // no point of the tile in the other body is deeper
	for j := range planes {
		q := &planes[j]
		d := q.depth(center)
		if d < -radius {
			return false
		}
		if d-radius > high && !s.everything {
			continue
		}
		least, most := q.extent(t.points)
		if most <= 0 {
			return false
		}
		if least <= high || s.everything {
			high = min(high, most)
			p.planes, p.values = append(p.planes, *q), append(p.values, least)
		}
	}
	p.keep(high, s.everything) // high has decreased in the loop
	if len(p.planes) == 0 {    // the tile is outside of the zone
		return false
	}
	p.outline = append(p.outline[:0], t.points...)
	s.lows = append(s.lows[:0], p.values...)
	for j, least := range s.lows {
		if least < 0 && !p.below(&p.planes[j]) {
			return false
		}
	}
	return p.confine(limit.zone)
}

// keep removes each plane whose value exceeds high.
func (p *piece) keep(high float64, everything bool) {
	n := 0
	for j, least := range p.values {
		if least <= high || everything {
			p.planes[n], p.values[n] = p.planes[j], least
			n++
		}
	}
	p.planes, p.values = p.planes[:n], p.values[:n]
}

// confine cuts the outline by the zone. It returns false if nothing is left.
func (p *piece) confine(zone *bvh.Box) bool {
	within := true
	for _, x := range p.outline {
		within = within && zone.Contains(x)
	}
	if within {
		return true
	}
	for _, side := range [6]plane{
		{normal: r3.Vector{X: 1}, offset: zone.Max.X}, {normal: r3.Vector{X: -1}, offset: -zone.Min.X},
		{normal: r3.Vector{Y: 1}, offset: zone.Max.Y}, {normal: r3.Vector{Y: -1}, offset: -zone.Min.Y},
		{normal: r3.Vector{Z: 1}, offset: zone.Max.Z}, {normal: r3.Vector{Z: -1}, offset: -zone.Min.Z},
	} {
		if !p.below(&side) {
			return false
		}
	}
	return true
}

// prune removes the planes that are nowhere nearest in the outline. At any point, the depth is at
// most the depth below any one plane. So it is at most the largest depth of the corners below this
// plane.
func (s *Scratch) prune() {
	p := &s.piece
	high := math.Inf(1)
	p.values = p.values[:0]
	for j := range p.planes {
		least, most := p.planes[j].extent(p.outline)
		p.values, high = append(p.values, least), min(high, most)
	}
	p.keep(high, s.everything)
}

// integrate sets s.sums to the integrals over s.piece. It divides the outline into polygons that
// have one nearest plane each. It ignores differences of depths below the tolerance.
func (s *Scratch) integrate(tolerance float64) {
	s.prune()
	p := &s.piece
	s.sums, p.corners, p.nearest, p.depths = s.sums[:0], p.corners[:0], p.nearest[:0], p.depths[:0]
	p.stack, p.sizes = p.stack[:0], append(p.sizes[:0], len(p.outline))
	for _, x := range p.outline {
		p.stack = append(p.stack, p.add(x))
	}
	for len(p.sizes) > 0 {
		last := len(p.sizes) - 1
		first := len(p.stack) - p.sizes[last]
		p.part = append(p.part[:0], p.stack[first:]...)
		p.stack, p.sizes = p.stack[:first], p.sizes[:last]
		if nearest, other := p.compare(tolerance); other < 0 {
			s.sum(nearest)
		} else {
			p.divide()
		}
	}
}

// add adds a corner and finds its nearest plane.
func (p *piece) add(x r3.Vector) int32 {
	nearest, low := 0, math.Inf(1)
	for j := range p.planes {
		if d := p.planes[j].depth(x); d < low {
			nearest, low = j, d
		}
	}
	p.corners, p.nearest, p.depths = append(p.corners, x), append(p.nearest, int32(nearest)), append(p.depths, low)
	return int32(len(p.corners) - 1)
}

// compare returns the plane that is nearest at all corners of p.part, and −1. If there is none, it
// returns two planes, each of which is nearer than the other at some corner. Then p.values has the
// differences of their depths.
func (p *piece) compare(tolerance float64) (nearest, other int32) {
	nearest = p.nearest[p.part[0]]
	for range p.planes {
		other = -1
		for _, i := range p.part {
			if p.nearest[i] != nearest && p.depths[i] < p.planes[nearest].depth(p.corners[i])-tolerance {
				other = p.nearest[i]
				break
			}
		}
		if other < 0 {
			return nearest, -1
		}
		high := 0.
		p.values = p.values[:0]
		for _, i := range p.part {
			d := p.planes[other].depth(p.corners[i]) - p.planes[nearest].depth(p.corners[i])
			p.values, high = append(p.values, d), max(high, d)
		}
		if high > tolerance {
			return nearest, other
		}
		nearest = other // it is nearer everywhere
	}
	return nearest, -1
}

// divide divides p.part by the signs of p.values and puts both parts on the stack.
func (p *piece) divide() {
	negative, first := p.other[:0], len(p.stack)
	last := len(p.part) - 1
	i, x := p.part[last], p.values[last]
	for k, j := range p.part {
		y := p.values[k]
		if x > 0 && y < 0 || x < 0 && y > 0 {
			c := p.add(crossing(p.corners[i], p.corners[j], x, y))
			p.stack, negative = append(p.stack, c), append(negative, c)
		}
		if y >= 0 {
			p.stack = append(p.stack, j)
		}
		if y <= 0 {
			negative = append(negative, j)
		}
		i, x = j, y
	}
	p.other = negative
	if size := len(p.stack) - first; size > 2 {
		p.sizes = append(p.sizes, size)
	} else {
		p.stack = p.stack[:first]
	}
	if len(negative) > 2 {
		p.stack, p.sizes = append(p.stack, negative...), append(p.sizes, len(negative))
	}
}

// sum adds the integrals over p.part, which has one nearest plane. It divides p.part into triangles
// around its first corner. Let a linear function have the values d at the corners x of a triangle
// of area a. Then the integrals are ∫d = a/3·Σd, ∫d² = a/12·((Σd)² + Σd²) and ∫d·x = a/12·Σ(Σd +
// d)·x.
func (s *Scratch) sum(nearest int32) {
	p := &s.piece
	q, origin := &p.planes[nearest], p.corners[0]
	add := sum{plane: nearest}
	at := func(k int) (r3.Vector, float64) {
		x := p.corners[p.part[k]]
		return x.Sub(origin), q.depth(x)
	}
	x0, d0 := at(0)
	x1, d1 := at(1)
	for k := 2; k < len(p.part); k++ {
		x2, d2 := at(k)
		area := length(x1.Sub(x0).Cross(x2.Sub(x0))) / 2
		total := d0 + d1 + d2
		add.depth += area / 3 * total
		add.square += area / 12 * (float64(total*total) + float64(d0*d0) + float64(d1*d1) + float64(d2*d2))
		add.moment = add.moment.Add(scaled(area/12, scaled(total+d0, x0).Add(scaled(total+d1, x1)).Add(scaled(total+d2, x2))))
		x1, d1 = x2, d2
	}
	i := slices.IndexFunc(s.sums, func(t sum) bool { return t.plane == nearest })
	if i < 0 {
		s.sums = append(s.sums, add)
		return
	}
	t := &s.sums[i]
	t.depth, t.square, t.moment = t.depth+add.depth, t.square+add.square, t.moment.Add(add.moment)
}
