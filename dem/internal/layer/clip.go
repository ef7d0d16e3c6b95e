package layer

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Scratch is the memory of the functions of this package. One goroutine at a time may use it.
type Scratch struct {
	near, far  reach
	planes     [2][]plane // of the bodies, those that matter
	depths     []float64  // of the corners of a polygon below each plane
	cut        [2][]r3.Vector
	stack      []r3.Vector // the corners of the polygons in parts
	parts      []int       // numbers of corners
	sums       []sum
	walk       bvh.BoxWalk
	list       []int32
	lows       []float64
	quadrants  [][]r3.Vector
	everything bool // for tests: all planes matter
}

// sum has the integrals over the parts of a tile whose nearest plane is the same. Places are relative to an origin.
type sum struct {
	plane  int32
	depth  float64   // ∫φ
	square float64   // ∫φ²
	moment r3.Vector // ∫φ·x
}

// inside cuts the polygon by all planes and the zone. It returns nil if nothing is left.
func (s *Scratch) inside(polygon []r3.Vector, planes []plane, zone *bvh.Box) []r3.Vector {
	for j := range planes {
		if polygon = s.below(polygon, &planes[j]); len(polygon) < 3 {
			return nil
		}
	}
	within := true
	for _, p := range polygon {
		within = within && zone.Contains(p)
	}
	if within {
		return polygon
	}
	for axis := range 3 {
		for _, sign := range []float64{1, -1} {
			var p plane
			switch axis {
			case 0:
				p.normal.X = sign
			case 1:
				p.normal.Y = sign
			default:
				p.normal.Z = sign
			}
			p.offset = max(p.normal.Dot(zone.Min), p.normal.Dot(zone.Max))
			if polygon = s.below(polygon, &p); len(polygon) < 3 {
				return nil
			}
		}
	}
	return polygon
}

// below returns the part of a convex polygon below a plane. The result is in the memory of s until the second
// call after this one.
func (s *Scratch) below(polygon []r3.Vector, p *plane) []r3.Vector {
	d := s.depths[:0]
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range polygon {
		y := p.depth(x)
		d = append(d, y)
		low, high = min(low, y), max(high, y)
	}
	s.depths = d
	switch {
	case low >= 0:
		return polygon
	case high <= 0:
		return nil
	}
	out := s.cut[0][:0]
	s.cut[0], s.cut[1] = s.cut[1], s.cut[0]
	out = cutPolygon(out, polygon, d, 1)
	s.cut[1] = out
	return out
}

// cutPolygon appends the part of a convex polygon where sign·d ≥ 0 to dst, for a linear function that has the
// values d at the corners.
func cutPolygon(dst, polygon []r3.Vector, d []float64, sign float64) []r3.Vector {
	last := len(polygon) - 1
	p, x := polygon[last], d[last]
	for i, q := range polygon {
		y := d[i]
		if x > 0 && y < 0 || x < 0 && y > 0 {
			dst = append(dst, p.Add(scaled(x/(x-y), q.Sub(p))))
		}
		if y*sign >= 0 {
			dst = append(dst, q)
		}
		p, x = q, y
	}
	return dst
}

// integrate adds the integrals over a convex polygon inside of all planes to s.sums. It divides the polygon into
// parts with one nearest plane. Differences of distances below the tolerance do not matter.
func (s *Scratch) integrate(polygon []r3.Vector, planes []plane, origin r3.Vector, tolerance float64) {
	s.stack, s.parts = append(s.stack[:0], polygon...), append(s.parts[:0], len(polygon))
	for len(s.parts) > 0 {
		n := s.parts[len(s.parts)-1]
		part := s.stack[len(s.stack)-n:]
		nearest, other := s.nearest(part, planes, tolerance)
		if other < 0 {
			s.addPart(part, planes, int32(nearest), origin)
		} else {
			s.cut[0] = cutPolygon(s.cut[0][:0], part, s.depths, 1)
			s.cut[1] = cutPolygon(s.cut[1][:0], part, s.depths, -1)
		}
		s.stack, s.parts = s.stack[:len(s.stack)-n], s.parts[:len(s.parts)-1]
		if other < 0 {
			continue
		}
		for _, x := range s.cut {
			if len(x) > 2 {
				s.stack, s.parts = append(s.stack, x...), append(s.parts, len(x))
			}
		}
	}
}

// nearest returns the plane that is nearest at all corners of the part. If there is none, it returns two planes,
// each of which is nearer than the other at a corner, and s.depths has the differences of their depths.
func (s *Scratch) nearest(part []r3.Vector, planes []plane, tolerance float64) (nearest, other int) {
	nearest = nearestPlane(planes, part[0])
	for range planes {
		other = -1
		for _, x := range part {
			if j := nearestPlane(planes, x); planes[j].depth(x) < planes[nearest].depth(x)-tolerance {
				other = j
				break
			}
		}
		if other < 0 {
			return nearest, -1
		}
		high := 0.
		s.depths = s.depths[:0]
		for _, x := range part {
			d := planes[other].depth(x) - planes[nearest].depth(x)
			s.depths, high = append(s.depths, d), max(high, d)
		}
		if high > tolerance {
			return nearest, other
		}
		nearest = other // it is nearer everywhere
	}
	return nearest, -1
}

// nearestPlane returns the plane with the least depth of x.
func nearestPlane(planes []plane, x r3.Vector) (nearest int) {
	low := math.Inf(1)
	for j := range planes {
		if d := planes[j].depth(x); d < low {
			nearest, low = j, d
		}
	}
	return nearest
}

// addPart adds the integrals over a convex polygon with one nearest plane, as those over triangles around its
// first corner. For the values d of a linear function at the corners of a triangle of area a, the integrals are
// ∫d = a/3·Σd, ∫d² = a/12·((Σd)² + Σd²) and ∫d·x = a/12·Σ(Σd + d)·x.
func (s *Scratch) addPart(part []r3.Vector, planes []plane, nearest int32, origin r3.Vector) {
	p := &planes[nearest]
	var add sum
	x0 := part[0].Sub(origin)
	d0 := p.depth(part[0])
	x1, d1 := part[1].Sub(origin), p.depth(part[1])
	for _, q := range part[2:] {
		x2, d2 := q.Sub(origin), p.depth(q)
		area := length(x1.Sub(x0).Cross(x2.Sub(x0))) / 2
		total := d0 + d1 + d2
		add.depth += area / 3 * total
		add.square += area / 12 * (float64(total*total) + float64(d0*d0) + float64(d1*d1) + float64(d2*d2))
		add.moment = add.moment.Add(scaled(area/12, scaled(total+d0, x0).Add(scaled(total+d1, x1)).Add(scaled(total+d2, x2))))
		x1, d1 = x2, d2
	}
	for i := range s.sums {
		if t := &s.sums[i]; t.plane == nearest {
			t.depth, t.square, t.moment = t.depth+add.depth, t.square+add.square, t.moment.Add(add.moment)
			return
		}
	}
	add.plane = nearest
	s.sums = append(s.sums, add)
}
