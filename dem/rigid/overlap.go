package rigid

import (
	"math"

	"github.com/golang/geo/r3"
)

// region has the integrals over a region in which two bodies overlap. No vertex of either body is
// in the region. All places x are relative to origin.
//
// The energy of the region, for a stiffness of 1, is
//
//	E = ½V²/σ, σ² = S² + V^(4/3),
//
// where V is the volume of the region and S the vector area ½∮x×dx of the part of the surface of A
// in B. Flat faces with the area S that overlap by the depth d have V = S·d. So E tends to ½S·d²,
// the energy of a layer of springs, as for contacts of vertices. In general, E is about the energy
// of a layer with the mean thickness V/S. The second term of σ keeps the force finite when bodies
// pierce each other and S tends to 0.
//
// The force and the moment are the derivatives of E. For convex bodies, the force pushes them
// apart: the cube root of V is a concave function of the displacement (Brunn and Minkowski). So the
// derivative of S along S is at most ⅔S²/V, and the force along S is at least 4/3·E·S/V.
type region struct {
	origin r3.Vector
	volume float64
	// A small motion t + ω×x of A increases the volume by area·t + moment·ω. The moment is
	// ∫x×dS = −½∮|x|²dx.
	area, moment r3.Vector
	// The same motion increases ½S² by growth·t + turn·ω.
	growth, turn r3.Vector
	middle       r3.Vector // ∮x|dx|
	length       float64   // ∮|dx|
}

// measure computes the point, normal, area, depth and pitch of the region with the set root of
// segments. It returns false if the volume or the force of the region is 0.
func (e *edgeMemory) measure(root int, c *Contact) bool {
	r := e.region(root)
	return r.volume > 0 && r.contact(c)
}

func (e *edgeMemory) region(root int) region {
	r := region{origin: e.segments[root].from}
	for i := range e.segments {
		if e.find(i) == root {
			r.addSegment(&e.segments[i])
		}
	}
	for i := range e.corners {
		if x := &e.corners[i]; e.find(int(x.segment)) == root {
			r.addCorner(x)
		}
	}
	for i := range e.segments {
		if e.find(i) == root {
			r.addGrowth(&e.segments[i])
		}
	}
	return r
}

// addSegment adds the integrals along a segment.
//
// The region is a polyhedron. Its sides lie in faces of A and B. Let a side have the unit normal n
// and a border of straight parts, each from a point p to a point q. The area of the side is
// ½Σn·(p×q), so the side contributes Σ(n·p)(n·(p×q))/6 to the volume (divergence theorem). For a
// segment of the curve, addSegment adds the terms of both sides. For the parts of edges between two
// crossings, addCorner adds the terms.
func (r *region) addSegment(s *segment) {
	p, q := s.from.Sub(r.origin), s.to.Sub(r.origin)
	cross, step := p.Cross(q), q.Sub(p)
	r.area = r.area.Add(scaled(.5, cross))
	r.moment = r.moment.Sub(scaled((p.Norm2()+p.Dot(q)+q.Norm2())/6, step))
	r.volume += (float64(s.a.Dot(p)*s.a.Dot(cross)) - float64(s.b.Dot(p)*s.b.Dot(cross))) / 6
	size := length(step)
	r.middle, r.length = r.middle.Add(scaled(size/2, p.Add(q))), r.length+size
}

// addCorner adds the volume for one end of the part of an edge in the other body. For the direction
// u of the edge, p×q is (p×u)(u·q − u·p), and p×u is the same at both ends. So the ends have
// separate terms, and need not be paired.
func (r *region) addCorner(x *corner) {
	p := x.at.Sub(r.origin)
	cross, n := p.Cross(x.unit), &x.normals
	sum := (float64(n[0].Dot(p)*n[0].Dot(cross)) - float64(n[1].Dot(p)*n[1].Dot(cross))) * x.unit.Dot(p) / 6
	if x.leaving {
		r.volume += sum
	} else {
		r.volume -= sum
	}
}

// addGrowth adds the growth of ½S² at a segment. r.area must already be the area of the whole
// region.
//
// Let b be the normal of the face of B and φ the angle between the faces. If A moves by t relative
// to B, the segment moves in the face of A by −t·b/sin φ, at a right angle to itself. S² does not
// change if the part of the surface rotates.
func (r *region) addGrowth(s *segment) {
	if s.sine == 0 {
		return
	}
	p, q := s.from.Sub(r.origin), s.to.Sub(r.origin)
	push := scaled(-r.area.Dot(s.a)*length(q.Sub(p))/s.sine, s.b)
	r.growth = r.growth.Add(push)
	r.turn = r.turn.Add(scaled(.5, p.Add(q)).Cross(push))
}

// rounding limits the ratio of the depth to the length of the curve. Only rounding makes the ratio
// larger: if bodies pierce each other completely, their positions do not affect the energy, and the
// computed force is an error of rounding.
const rounding = 1e8

// contact computes the layer of springs with the energy and the force of the region: E is
// ½·Area·Depth², and the force is Area·Depth. The moment of the region is the moment of this force
// at Point, plus Pitch·Area·Depth along the force.
func (r *region) contact(c *Contact) bool {
	third := float64(math.Cbrt(r.volume) * r.volume) // V^(4/3)
	square := r.area.Norm2() + third
	size := math.Sqrt(square)
	twice := r.volume / size * r.volume // twice the energy
	byVolume, byArea := r.volume/size*(1-third/(3*square)), twice/(2*square)
	force := scaled(byArea, r.growth).Sub(scaled(byVolume, r.area))
	moment := scaled(byArea, r.turn).Sub(scaled(byVolume, r.moment))
	f := length(force)
	if !(f > 0) {
		return false
	}
	c.Normal = scaled(1/f, force)
	c.Depth, c.Area = twice/f, f/twice*f
	c.Pitch = moment.Dot(c.Normal) / f
	// This is the point on the line of the force that is nearest to the middle of the curve.
	onLine, middle := scaled(1/f, c.Normal.Cross(moment)), scaled(1/r.length, r.middle)
	c.Point = r.origin.Add(onLine).Add(scaled(middle.Dot(c.Normal), c.Normal))
	return c.Depth <= rounding*r.length
}
