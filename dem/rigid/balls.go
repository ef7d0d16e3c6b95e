package rigid

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
)

// ballContact adds the contact of two balls if they overlap. It returns false if they have the same
// center.
func (w *World) ballContact(k *worker, a, b int32, image [3]int32) bool {
	x, y := &w.next.motions[a], &w.next.motions[b]
	r := w.bodies[a].shape.radius
	delta := x.center.Sub(y.center.Add(w.shift(image)))
	distance := length(delta)
	if distance == 0 {
		return false
	}
	depth := r + w.bodies[b].shape.radius - distance
	if depth > 0 {
		normal := scaled(1/distance, delta)
		w.add(k, Contact{A: a, B: b, Image: image, Kind: Ball, Normal: normal, Depth: depth, Point: x.center.Sub(scaled(r-depth/2, normal))})
	}
	return true
}

// surfaceContacts adds the contacts of the ball c.A with f, the closed mesh of c.B. m is the state
// of c.B before the move by c.Image.
func (w *World) surfaceContacts(k *worker, c Contact, f *surface, m *motion) {
	r := w.bodies[c.A].shape.radius
	p := m.rotation.back(w.next.motions[c.A].center.Sub(w.shift(c.Image)).Sub(m.pose.Translation))
	if beyond(f.mesh.Box(), p, r) {
		return
	}
	if f.mesh.Box().Contains(p) && f.solid.Side(p) == inpoly.Inside {
		near := f.solid.Project(p)
		k.foots = append(k.foots[:0], foot{near.Point, away(p, &near, -1), -near.Distance})
	} else {
		f.footsAround(k, p, r)
	}
	w.addFoots(k, c, r, m)
}

// ballOnHalfSpace adds the contact of ball a with a half-space, which is wall b.
func (w *World) ballOnHalfSpace(k *worker, a, b int32, h *HalfSpace) {
	p := w.next.motions[a].center
	height := h.Normal.Dot(p) - h.Offset
	if depth := w.bodies[a].shape.radius - height; depth > 0 {
		w.add(k, Contact{A: a, B: b, Kind: Ball, Normal: h.Normal, Depth: depth, Point: p.Sub(scaled(height, h.Normal))})
	}
}

// nodesInHalfSpace adds the contacts of the vertices of polyhedron a with a half-space, which is wall b.
func (w *World) nodesInHalfSpace(k *worker, a, b int32, h *HalfSpace) {
	s, m := w.bodies[a].shape, &w.next.motions[a]
	if h.Normal.Dot(m.center)-h.Offset > s.reach {
		return
	}
	for i, v := range s.mesh.Vertices {
		p := m.rotation.apply(v).Add(m.pose.Translation)
		if depth := h.Offset - h.Normal.Dot(p); depth > 0 {
			w.add(k, Contact{A: a, B: b, Kind: NodeOfA, Feature: int32(i), Point: p, Normal: h.Normal, Depth: depth, Area: s.area[i]})
		}
	}
}

// addFoots adds the contacts of a ball at the points in k.foots.
func (w *World) addFoots(k *worker, c Contact, radius float64, m *motion) {
	c.Kind = Ball
	for _, x := range k.foots {
		if c.Depth = radius - x.distance; c.Depth > 0 && x.out != (r3.Vector{}) {
			c.Normal, c.Point = m.rotation.apply(x.out), m.rotation.apply(x.at).Add(m.pose.Translation).Add(w.shift(c.Image))
			w.add(k, c)
			c.Feature++
		}
	}
}

// beyond reports whether the box is farther from p than r.
func beyond(box bvh.Box, p r3.Vector, r float64) bool {
	return p.X < box.Min.X-r || p.Y < box.Min.Y-r || p.Z < box.Min.Z-r ||
		p.X > box.Max.X+r || p.Y > box.Max.Y+r || p.Z > box.Max.Z+r
}

// foot is a point of a mesh whose distance to the center of a ball is a local minimum.
type foot struct {
	at       r3.Vector
	out      r3.Vector // unit vector along which the ball must move
	distance float64   // negative if the center is on the wrong side of the mesh
}

// away returns the unit vector from the nearest point of the mesh to p, times sign. If p is too
// close to the mesh, it returns the normal of the mesh.
func away(p r3.Vector, near *inpoly.Nearest, sign float64) r3.Vector {
	d := p.Sub(near.Point)
	if size := length(d); size > 0 && near.PointBound < 0x1p-20*size {
		return scaled(sign/size, d)
	}
	return near.Normal
}

// footsAround sets k.foots to the points of the mesh whose distance to p is a local minimum and
// less than r. The points do not depend on the division of flat parts into triangles: a flat part
// has one point. If the directions to two points differ by less than 30°, only the nearer one
// counts. So a ball that rolls over an edge between two faces has one contact, unless the edge is a
// sharp valley.
func (f *surface) footsAround(k *worker, p r3.Vector, r float64) {
	k.foots = k.foots[:0]
	k.faces = f.solid.AppendWithin(k.faces[:0], p, r)
faces:
	for i := range k.faces {
		x := &k.faces[i]
		d := p.Sub(x.Point)
		size := length(d)
		if size == 0 {
			near := f.solid.Project(p)
			k.foots = append(k.foots, foot{p, near.Normal, 0})
			return
		}
		out := scaled(1/size, d)
		for _, other := range k.foots {
			if out.Dot(other.out) > sameDirection {
				continue faces
			}
		}
		if f.isMinimum(k.faces[:i], x, p) {
			k.foots = append(k.foots, foot{x.Point, out, size})
		}
	}
}

// isMinimum reports whether the point of x.Face nearest to p is a local minimum of the distance. A
// point in the interior of the face always is. A point on an edge or vertex is one if no nearer
// face has this edge or vertex.
func (f *surface) isMinimum(nearer []inpoly.FaceDistance, x *inpoly.FaceDistance, p r3.Vector) bool {
	t := f.mesh.Triangle(x.Face)
	part := partOf(&t, p)
	if part == [3]bool{true, true, true} {
		return true
	}
	corners := f.mesh.Faces[x.Face]
	for i := range nearer {
		if nearer[i].Distance < x.Distance && hasAll(f.mesh.Faces[nearer[i].Face], corners, part) {
			return false
		}
	}
	return true
}

// hasAll reports whether a face has all the selected corners.
func hasAll(face, corners [3]int32, selected [3]bool) bool {
	for k, v := range corners {
		if selected[k] && v != face[0] && v != face[1] && v != face[2] {
			return false
		}
	}
	return true
}

// partOf returns the corners of the vertex, edge or face of t that contains the point nearest to p
// (Ericson 2005, "Real-Time Collision Detection", §5.1.5).
func partOf(t *mesh.Triangle, p r3.Vector) [3]bool {
	ab, ac := t[1].Sub(t[0]), t[2].Sub(t[0])
	d1, d2 := ab.Dot(p.Sub(t[0])), ac.Dot(p.Sub(t[0]))
	d3, d4 := ab.Dot(p.Sub(t[1])), ac.Dot(p.Sub(t[1]))
	d5, d6 := ab.Dot(p.Sub(t[2])), ac.Dot(p.Sub(t[2]))
	switch {
	case d1 <= 0 && d2 <= 0:
		return [3]bool{true, false, false}
	case d3 >= 0 && d4 <= d3:
		return [3]bool{false, true, false}
	case d6 >= 0 && d5 <= d6:
		return [3]bool{false, false, true}
	case float64(d1*d4)-float64(d3*d2) <= 0 && d1 >= 0 && d3 <= 0:
		return [3]bool{true, true, false}
	case float64(d5*d2)-float64(d1*d6) <= 0 && d2 >= 0 && d6 <= 0:
		return [3]bool{true, false, true}
	case float64(d3*d6)-float64(d5*d4) <= 0 && d4 >= d3 && d5 >= d6:
		return [3]bool{false, true, true}
	}
	return [3]bool{true, true, true}
}
