package layer

import (
	"cmp"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Force is the force on a tile in another body, or on a part of the tile. For a stiffness of 1, the
// force along Normal is Area·Depth and the energy is ½·Area·Depth², as for a layer of springs with
// this area and depth.
type Force struct {
	Tile int32
	// Part is 0 for a whole tile. Otherwise it is the number of the part of the tile, at most Parts
	// of the other body.
	Part   int32
	Point  r3.Vector // where the force acts
	Normal r3.Vector // the direction in which the tile must move to leave the other body
	Depth  float64
	Area   float64
	// Pitch is the moment along Normal on the body of the tile, divided by the force.
	Pitch float64
}

// Parts returns the largest Force.Part of a tile in the body.
func (c *Convex) Parts() int32 { return octants + (octants+1)*int32(len(c.planes)) }

// octants is the number of parts of a tile that is large in comparison with the other body.
const octants = 8

// reach holds the parts of the tiles of a body that are in the slab.
type reach struct {
	tiles   []int32
	first   []int // the corners of tiles[i] are points[first[i]:first[i+1]]
	points  []r3.Vector
	balls   []ball      // balls around the tiles
	cut     []r3.Vector // memory of collect
	heights []float64
	box     bvh.Box
}

type ball struct {
	center r3.Vector
	radius float64
}

// placedTile is a tile in the frame of another body.
type placedTile struct {
	points []r3.Vector
	ball
}

func (r *reach) tile(i int) placedTile {
	return placedTile{r.points[r.first[i]:r.first[i+1]], r.balls[i]}
}

// Pair appends the forces on the tiles of a in b to ofA, and the forces on the tiles of b in a to
// ofB. place maps the frame of a into the frame of b. Points and normals are in the frame of b.
func (s *Scratch) Pair(ofA, ofB []Force, a, b *Convex, place *Place) (_, _ []Force) {
	if length(place.Shift) >= a.radius+b.radius {
		return ofA, ofB
	}
	u, low, high := slab(a, b, place)
	thickness := high - low
	if !(thickness > 0) {
		return ofA, ofB
	}
	tolerance := 0x1p-44 * (a.radius + b.radius)
	s.near.collect(&a.Surface, place, u, low-tolerance)
	s.far.collect(&b.Surface, nil, scaled(-1, u), -high-tolerance)
	zone := common(&s.near.box, &s.far.box)
	if zone.Empty() {
		return ofA, ofB
	}
	zone = grown(zone, tolerance)
	limit := within{&zone, thickness + tolerance + max(a.slack, b.slack)}
	s.planes[0] = s.matter(s.planes[0][:0], a.planes, place, &zone, limit.depth)
	s.planes[1] = s.matter(s.planes[1][:0], b.planes, nil, &zone, limit.depth)
	return s.forces(ofA, &s.near, s.planes[1], &limit, .25, tolerance), s.forces(ofB, &s.far, s.planes[0], &limit, .25, tolerance)
}

// slab returns a direction u from a to b, and a range of u·x that contains all common points x of
// the bodies. If high ≤ low, the bodies are apart.
func slab(a, b *Convex, place *Place) (u r3.Vector, low, high float64) {
	try := func(v r3.Vector, from, to float64) {
		if to-from < high-low {
			u, low, high = v, from, to
		}
	}
	low, high = math.Inf(-1), math.Inf(1)
	if d := place.Shift; d != (r3.Vector{}) {
		v := scaled(-1/length(d), d)
		try(v, -support(b.vertices, scaled(-1, v)), support(a.vertices, place.back(v))+v.Dot(d))
	}
	if len(b.planes) <= few || math.IsInf(high, 1) {
		for j := range b.planes {
			if high <= low {
				return u, low, high
			}
			v := scaled(-1, b.planes[j].normal)
			try(v, -b.planes[j].offset, support(a.vertices, place.back(v))+v.Dot(place.Shift))
		}
	}
	if len(a.planes) <= few {
		for j := range a.planes {
			if high <= low {
				return u, low, high
			}
			p := a.planes[j].at(place)
			try(p.normal, -support(b.vertices, scaled(-1, p.normal)), p.offset)
		}
	}
	return u, low, high
}

// support returns the largest u·x of the points.
func support(points []r3.Vector, u r3.Vector) float64 {
	high := math.Inf(-1)
	for _, p := range points {
		high = max(high, float64(u.X*p.X)+float64(u.Y*p.Y)+float64(u.Z*p.Z))
	}
	return high
}

// collect finds the parts of tiles where u·x ≥ low. A nil place means that the frames are the same.
func (r *reach) collect(f *Surface, place *Place, u r3.Vector, low float64) {
	r.reset()
	if place != nil {
		low -= u.Dot(place.Shift)
		u = place.back(u)
	}
	for i := range f.tiles {
		t := &f.tiles[i]
		if !(u.Dot(t.center)+t.radius >= low) {
			continue
		}
		whole := true
		r.heights = r.heights[:0]
		for _, p := range t.points {
			h := u.Dot(p) - low
			r.heights, whole = append(r.heights, h), whole && h >= 0
		}
		if whole {
			r.append(int32(i), t.points, place)
		} else if r.cut = cutPolygon(r.cut[:0], t.points, r.heights); len(r.cut) > 2 {
			r.append(int32(i), r.cut, place)
		}
	}
}

// cutPolygon appends the part of a convex polygon where a linear function with the given values at the corners is
// not negative.
func cutPolygon(dst, polygon []r3.Vector, values []float64) []r3.Vector {
	last := len(polygon) - 1
	p, x := polygon[last], values[last]
	for i, q := range polygon {
		y := values[i]
		if x > 0 && y < 0 || x < 0 && y > 0 {
			dst = append(dst, crossing(p, q, x, y))
		}
		if y >= 0 {
			dst = append(dst, q)
		}
		p, x = q, y
	}
	return dst
}

func (r *reach) reset() {
	r.tiles, r.first, r.points, r.balls, r.box = r.tiles[:0], append(r.first[:0], 0), r.points[:0], r.balls[:0], bvh.EmptyBox()
}

// append adds a polygon that is a tile or a part of it.
func (r *reach) append(i int32, polygon []r3.Vector, place *Place) {
	first := len(r.points)
	var center r3.Vector
	for _, p := range polygon {
		if place != nil {
			p = place.apply(p)
		}
		extend(&r.box, p)
		center = center.Add(p)
		r.points = append(r.points, p)
	}
	center = scaled(1/float64(len(polygon)), center)
	square := 0.
	for _, p := range r.points[first:] {
		square = max(square, p.Sub(center).Norm2())
	}
	r.balls = append(r.balls, ball{center, math.Sqrt(square) * (1 + 0x1p-40)})
	r.tiles, r.first = append(r.tiles, i), append(r.first, len(r.points))
}

// matter appends the planes that can be nearest to a point of the overlap, which is in the zone. No
// point of the overlap is deeper than the thickness. The plane nearest to the center of the zone
// comes first, because enter then rejects others sooner.
func (s *Scratch) matter(dst, planes []plane, place *Place, zone *bvh.Box, thickness float64) []plane {
	if s.everything {
		thickness = math.Inf(1)
	}
	center := scaled(.5, zone.Min.Add(zone.Max))
	half := scaled(.5, zone.Max.Sub(zone.Min))
	lows, first, least := s.lows[:0], len(dst), math.Inf(1)
	for j := range planes {
		p := &planes[j]
		n, offset := p.normal, p.offset
		if place != nil {
			n = place.turn(n)
			offset += n.Dot(place.Shift)
		}
		d := offset - n.Dot(center)
		radius := float64(math.Abs(n.X)*half.X) + float64(math.Abs(n.Y)*half.Y) + float64(math.Abs(n.Z)*half.Z)
		lows = append(lows, d-radius)
		if !s.everything {
			thickness = min(thickness, d+radius)
		}
	}
	s.lows = lows
	for j := range planes {
		if lows[j] <= thickness {
			p := planes[j]
			if place != nil {
				p = p.at(place)
			}
			p.index = int32(j)
			dst = append(dst, p)
			if d := p.depth(center); d < least {
				least = d
				dst[first], dst[len(dst)-1] = dst[len(dst)-1], dst[first]
			}
		}
	}
	return dst
}

// within says where the overlap is: in the zone, and nowhere deeper than depth.
type within struct {
	zone  *bvh.Box
	depth float64
}

// within limits the overlap: it is in the zone, and nowhere deeper than depth.
func (s *Scratch) forces(dst []Force, r *reach, planes []plane, limit *within, weight, tolerance float64) []Force {
	for i, tile := range r.tiles {
		if t := r.tile(i); s.enter(&t, planes, limit) {
			dst = s.append(dst, tile, 0, weight, tolerance)
		}
	}
	return dst
}

// append appends the forces of s.piece.
func (s *Scratch) append(dst []Force, tile, part int32, weight, tolerance float64) []Force {
	s.integrate(tolerance)
	return appendForces(dst, s.sums, tile, part, s.piece.planes, s.piece.corners[0], weight, tolerance)
}

func compareParts(x, y Force) int { return cmp.Compare(x.Part, y.Part) }

// appendForces appends the force of a tile with the given integrals. If the forces on its parts
// nearly cancel each other, it appends the force on each part instead.
func appendForces(dst []Force, sums []sum, tile, part int32, planes []plane, origin r3.Vector, weight, tolerance float64) []Force {
	var force, moment, middle r3.Vector
	size, square := 0., 0.
	for i := range sums {
		t := &sums[i]
		n := planes[t.plane].normal
		force = force.Add(scaled(t.depth, n))
		moment = moment.Add(t.moment.Cross(n))
		middle = middle.Add(t.moment)
		size, square = size+t.depth, square+t.square
	}
	// The energy is weight·square, and the force is 2·weight·force.
	f := length(force)
	if !(square > 0) || !(size > 0) || square/size <= tolerance {
		return dst
	}
	if f < size/2 && len(sums) > 1 {
		first := len(dst)
		for i := range sums {
			dst = appendForces(dst, sums[i:i+1], tile, part+(octants+1)*(planes[sums[i].plane].index+1), planes, origin, weight, tolerance)
		}
		slices.SortFunc(dst[first:], compareParts)
		return dst
	}
	out := Force{Tile: tile, Part: part, Depth: square / f, Area: 2 * weight * f / square * f}
	out.Normal = scaled(1/f, force)
	at := scaled(1/size, middle)
	if len(sums) > 1 {
		moment = moment.Sub(at.Cross(force))
		at = at.Add(scaled(1/f, out.Normal.Cross(moment)))
		out.Pitch = moment.Dot(out.Normal) / f
	}
	out.Point = origin.Add(at)
	return append(dst, out)
}
