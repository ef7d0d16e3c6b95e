package layer

import (
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Scratch is the memory of the functions of this package. One goroutine at a time may use it.
type Scratch struct {
	near, far  reach
	planes     [2][]plane // of the bodies, those that matter
	lows       []float64  // see matter
	piece      piece
	buffer     piece   // its memory
	part       []int32 // a polygon that integrate divides
	sums       []sum
	walk       bvh.BoxWalk
	list       []int32
	everything bool // for tests: all planes matter
}

// piece is the part of a tile in another body. Its polygons are lists of corners.
type piece struct {
	from    []plane     // planes of the other body
	which   []int32     // those that matter, in from
	corners []r3.Vector // of all polygons
	// rows has the depths of the corners below the planes: that of corner i below plane j is rows[i·n+j] for n planes.
	rows    []float64
	nearest []int32   // the plane with the least depth at each corner
	polygon []int32   // the whole part
	columns []float64 // memory of enter
	values  []float64 // of a linear function at the corners of a polygon
	other   []int32   // memory of cut
	stack   []int32   // the polygons that integrate has not finished
	sizes   []int     // their numbers of corners
}

// sum has the integrals over the polygons whose nearest plane is the same. Places are relative to an origin.
type sum struct {
	plane  int32     // in piece.from
	depth  float64   // ∫φ
	square float64   // ∫φ²
	moment r3.Vector // ∫φ·x
}

// between adds the corner between two corners where a linear function with the values x and y is 0.
func (p *piece) between(i, j int32, x, y float64) int32 {
	t, n := x/(x-y), len(p.which)
	from, to := p.corners[i], p.corners[j]
	k := len(p.corners)
	p.corners = append(p.corners, from.Add(scaled(t, to.Sub(from))))
	p.rows = slices.Grow(p.rows, n)[:(k+1)*n]
	a, b, c := p.rows[int(i)*n:][:n], p.rows[int(j)*n:][:n], p.rows[k*n:][:n]
	for l, d := range a {
		c[l] = d + float64(t*(b[l]-d))
	}
	return int32(k)
}

// keep cuts the polygon to the part where f ≥ 0, for a linear function f with the values p.values at the corners.
// It returns false if nothing is left.
func (p *piece) keep() bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range p.values {
		low, high = min(low, x), max(high, x)
	}
	if low >= 0 {
		return true
	}
	if high <= 0 {
		return false
	}
	out := p.other[:0]
	last := len(p.polygon) - 1
	i, x := p.polygon[last], p.values[last]
	for k, j := range p.polygon {
		y := p.values[k]
		if x > 0 && y < 0 || x < 0 && y > 0 {
			out = append(out, p.between(i, j, x, y))
		}
		if y >= 0 {
			out = append(out, j)
		}
		i, x = j, y
	}
	p.polygon, p.other = out, p.polygon
	return len(out) > 2
}

// below cuts the polygon by a plane. It returns false if nothing is left.
func (p *piece) below(side *plane) bool {
	p.values = p.values[:0]
	for _, i := range p.polygon {
		p.values = append(p.values, side.depth(p.corners[i]))
	}
	return p.keep()
}

// enter sets s.piece to the part of the tile that is inside of all planes and within the limit. It returns false if there
// is no such part.
func (s *Scratch) enter(t *placedTile, planes []plane, limit *within) bool {
	if beyond(limit.zone, t.center, t.radius) {
		return false
	}
	p := &s.piece
	center, radius, v := t.center, t.radius, len(t.points)
	columns := slices.Grow(p.columns[:0], len(planes)*v)[:len(planes)*v]
	lows := slices.Grow(p.values[:0], len(planes))[:len(planes)]
	which := slices.Grow(p.which[:0], len(planes))[:len(planes)]
	p.columns, p.values, p.which = columns, lows, which
	m := 0
	high := limit.depth // no point of the tile in the other body is deeper
	for j := range planes {
		q := &planes[j]
		d := q.offset - (float64(q.normal.X*center.X) + float64(q.normal.Y*center.Y) + float64(q.normal.Z*center.Z))
		if d < -radius {
			return false
		}
		if d-radius > high && !s.everything {
			continue
		}
		least, most := math.Inf(1), math.Inf(-1)
		column := columns[m*v : m*v+v]
		for i := range column {
			x := &t.points[i]
			d := q.offset - (float64(q.normal.X*x.X) + float64(q.normal.Y*x.Y) + float64(q.normal.Z*x.Z))
			if d < least {
				least = d
			}
			if d > most {
				most = d
			}
			column[i] = d
		}
		if most <= 0 {
			return false
		}
		if least > high && !s.everything {
			continue
		}
		if most < high {
			high = most
		}
		lows[m], which[m] = least, int32(j)
		m++
	}
	n := 0
	for j, least := range lows[:m] { // high is less now
		if least <= high || s.everything {
			copy(columns[n*v:n*v+v], columns[j*v:j*v+v])
			lows[n], which[n] = least, which[j]
			n++
		}
	}
	if n == 0 { // the tile is outside of the zone
		return false
	}
	p.from, p.which = planes, which[:n]
	p.corners, p.polygon = append(p.corners[:0], t.points...), p.polygon[:0]
	p.rows = slices.Grow(p.rows[:0], n*v)[:n*v]
	for i := range v {
		p.polygon = append(p.polygon, int32(i))
	}
	for j := range n {
		for i, d := range columns[j*v : j*v+v] {
			p.rows[i*n+j] = d
		}
	}
	p.columns = append(columns[:0], lows[:n]...)
	for j, least := range p.columns {
		if least >= 0 {
			continue
		}
		p.values = p.values[:0]
		for _, i := range p.polygon {
			p.values = append(p.values, p.rows[int(i)*n+j])
		}
		if !p.keep() {
			return false
		}
	}
	return p.confine(limit.zone)
}

// confine cuts the polygon by the zone. It returns false if nothing is left.
func (p *piece) confine(zone *bvh.Box) bool {
	within := true
	for _, i := range p.polygon {
		within = within && zone.Contains(p.corners[i])
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

// prune removes the planes that are nowhere nearest in the polygon, and do not cut it. The depth at a point is at
// most that below each plane, so it is at most the largest depth of the corners below a plane. It also removes the corners
// that the polygon has not.
func (s *Scratch) prune() {
	p, q := &s.piece, &s.buffer
	n := len(p.which)
	lows := slices.Grow(p.values[:0], 2*n)[:2*n]
	lows, most := lows[:n], lows[n:]
	for k, i := range p.polygon {
		row := p.rows[int(i)*n : int(i)*n+n]
		if k == 0 {
			copy(lows, row)
			copy(most, row)
			continue
		}
		for j, d := range row {
			if d < lows[j] {
				lows[j] = d
			}
			if d > most[j] {
				most[j] = d
			}
		}
	}
	high := slices.Min(most)
	p.values = lows
	kept := p.other[:0]
	q.which, q.corners, q.rows, q.polygon = q.which[:0], q.corners[:0], q.rows[:0], q.polygon[:0]
	for j, low := range lows {
		if low <= high || s.everything {
			kept = append(kept, int32(j))
			q.which = append(q.which, p.which[j])
		}
	}
	for k, i := range p.polygon {
		row := p.rows[int(i)*n : int(i)*n+n]
		for _, j := range kept {
			q.rows = append(q.rows, row[j])
		}
		q.corners, q.polygon = append(q.corners, p.corners[i]), append(q.polygon, int32(k))
	}
	p.other = kept
	p.which, q.which = q.which, p.which
	p.corners, q.corners = q.corners, p.corners
	p.rows, q.rows = q.rows, p.rows
	p.polygon, q.polygon = q.polygon, p.polygon
}

// integrate sets s.sums to the integrals over s.piece. It divides the polygon into parts with one nearest plane.
// Differences of depths below the tolerance do not matter.
func (s *Scratch) integrate(tolerance float64) {
	s.prune()
	p := &s.piece
	s.sums, p.nearest = s.sums[:0], p.nearest[:0]
	p.findNearest()
	p.stack, p.sizes = append(p.stack[:0], p.polygon...), append(p.sizes[:0], len(p.polygon))
	for len(p.sizes) > 0 {
		size := p.sizes[len(p.sizes)-1]
		part := p.stack[len(p.stack)-size:]
		nearest, other := p.compare(part, tolerance)
		if other < 0 {
			s.add(part, nearest)
		} else {
			s.part = append(s.part[:0], part...)
		}
		p.stack, p.sizes = p.stack[:len(p.stack)-size], p.sizes[:len(p.sizes)-1]
		if other >= 0 {
			p.divide(s.part)
		}
	}
}

// findNearest sets p.nearest for the corners that have been added.
func (p *piece) findNearest() {
	n := len(p.which)
	for i := len(p.nearest); i < len(p.corners); i++ {
		row := p.rows[i*n : i*n+n]
		nearest, low := 0, row[0]
		for j, d := range row {
			if d < low {
				nearest, low = j, d
			}
		}
		p.nearest = append(p.nearest, int32(nearest))
	}
}

// compare returns the plane that is nearest at all corners of a polygon. If there is none, it returns two planes,
// each of which is nearer than the other at a corner, and p.values has the differences of their depths.
func (p *piece) compare(part []int32, tolerance float64) (nearest, other int32) {
	n := len(p.which)
	nearest = p.nearest[part[0]]
	for range n {
		other = -1
		for _, i := range part {
			if j := p.nearest[i]; j != nearest && p.rows[int(i)*n+int(j)] < p.rows[int(i)*n+int(nearest)]-tolerance {
				other = j
				break
			}
		}
		if other < 0 {
			return nearest, -1
		}
		high := 0.
		p.values = p.values[:0]
		for _, i := range part {
			d := p.rows[int(i)*n+int(other)] - p.rows[int(i)*n+int(nearest)]
			p.values, high = append(p.values, d), max(high, d)
		}
		if high > tolerance {
			return nearest, other
		}
		nearest = other // it is nearer everywhere
	}
	return nearest, -1
}

// divide puts the parts of a polygon where p.values are positive and negative on the stack.
func (p *piece) divide(part []int32) {
	negative := p.other[:0]
	first := len(p.stack)
	last := len(part) - 1
	i, x := part[last], p.values[last]
	for k, j := range part {
		y := p.values[k]
		if x > 0 && y < 0 || x < 0 && y > 0 {
			c := p.between(i, j, x, y)
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
	p.findNearest()
	if size := len(p.stack) - first; size > 2 {
		p.sizes = append(p.sizes, size)
	} else {
		p.stack = p.stack[:first]
	}
	if len(negative) > 2 {
		p.stack, p.sizes = append(p.stack, negative...), append(p.sizes, len(negative))
	}
}

// add adds the integrals over a convex polygon with one nearest plane, as those over triangles around its first
// corner. For the values d of a linear function at the corners of a triangle of area a, the integrals are ∫d = a/3·Σd,
// ∫d² = a/12·((Σd)² + Σd²) and ∫d·x = a/12·Σ(Σd + d)·x.
func (s *Scratch) add(part []int32, nearest int32) {
	p := &s.piece
	n, origin := len(p.which), p.corners[0]
	depths := p.rows[nearest:]
	add := sum{plane: p.which[nearest]}
	x0, d0 := p.corners[part[0]].Sub(origin), depths[int(part[0])*n]
	x1, d1 := p.corners[part[1]].Sub(origin), depths[int(part[1])*n]
	for _, i := range part[2:] {
		x2, d2 := p.corners[i].Sub(origin), depths[int(i)*n]
		area := length(x1.Sub(x0).Cross(x2.Sub(x0))) / 2
		total := d0 + d1 + d2
		add.depth += area / 3 * total
		add.square += area / 12 * (float64(total*total) + float64(d0*d0) + float64(d1*d1) + float64(d2*d2))
		add.moment = add.moment.Add(scaled(area/12, scaled(total+d0, x0).Add(scaled(total+d1, x1)).Add(scaled(total+d2, x2))))
		x1, d1 = x2, d2
	}
	for i := range s.sums {
		if t := &s.sums[i]; t.plane == add.plane {
			t.depth, t.square, t.moment = t.depth+add.depth, t.square+add.square, t.moment.Add(add.moment)
			return
		}
	}
	s.sums = append(s.sums, add)
}
