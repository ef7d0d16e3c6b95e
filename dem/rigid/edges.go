package rigid

import (
	"cmp"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/mesh"
)

// edgeContacts adds the contacts of two bodies whose faces cross although no vertex of either body is
// in the other. Each region in which the bodies overlap gives one contact; see edgeMemory.measure.
func (w *World) edgeContacts(k *worker, pairs []collide.FacePair) {
	a, b := w.number[pairs[0].A], w.number[pairs[0].B]
	e := &k.edges
	e.cross(w, pairs, a, b)
	c := Contact{A: a, B: b, Kind: Edges}
	for root := range e.segments {
		if e.find(root) != root {
			continue
		}
		if e.measure(root, &c) {
			w.add(k, c)
			c.Feature++
		}
	}
}

// edgeMemory holds the curves along which the surfaces of two bodies cross.
type edgeMemory struct {
	segments  []segment
	crossings []crossing
	corners   []corner
	parent    []int      // disjoint sets: the segments of a region have one root
	absent    [][2]int32 // see addAbsent
}

// segment is the intersection of a face of A and a face of B. The part of the face of A that is in
// body B is on the left, seen from outside of A.
type segment struct {
	from, to r3.Vector
	a, b     r3.Vector // unit normals of the faces
	sine     float64   // sine of the angle between the normals, or 0 if a face has no area
}

// crossing is the point where an edge of one body crosses a face of the other body. The two faces
// at the edge find the same crossing, as two copies with the same coordinates.
type crossing struct {
	ofB      bool    // the edge belongs to body B
	leaving  bool    // the edge leaves the other body, in the direction of the side
	reversed bool    // the face of the other side has found this copy
	side     int32   // the edge, as the smaller of its two sides; see surface.across
	face     int32   // face of the other body
	segment  int32   // a segment that ends here
	along    float64 // place on the edge, from 0 to 1
	at       r3.Vector
}

// corner is a crossing, with its copies merged.
type corner struct {
	crossing
	unit    r3.Vector    // direction of the side
	normals [2]r3.Vector // normals of the face of the side and of the face of the other side
}

// placedMesh is a mesh at its place in the world.
type placedMesh struct {
	*surface
	at *motion
}

// cross finds the curves along which the surfaces of a and b cross. pairs are the pairs of faces
// that touch.
func (e *edgeMemory) cross(w *World, pairs []collide.FacePair, a, b int32) {
	e.segments, e.crossings, e.parent, e.absent = e.segments[:0], e.crossings[:0], e.parent[:0], e.absent[:0]
	_, placeA := w.motionsOf(a)
	_, placeB := w.motionsOf(b)
	f, g := placedMesh{w.surface(a), placeA}, placedMesh{w.surface(b), placeB}
	for _, p := range pairs {
		e.addPair(&f, &g, p.FaceA, p.FaceB)
	}
	e.sort()
	for e.addAbsent(&f, &g) {
		e.sort()
	}
	e.connect(&f, &g)
}

// addPair adds the segment of two faces, and the crossings at its ends.
func (e *edgeMemory) addPair(f, g *placedMesh, faceA, faceB int32) {
	t, u := f.triangle(faceA), g.triangle(faceB)
	first := len(e.crossings)
	e.addCrossings(f, g, faceA, faceB, &t, &u, false)
	e.addCrossings(g, f, faceB, faceA, &u, &t, true)
	if ends := e.crossings[first:]; len(ends) > 0 {
		e.addSegment(ends, &t, &u)
	}
}

// addAbsent adds the pairs of faces that package collide has missed, because it rounds differently.
// A missed pair shows as a crossing that only one of the two faces at the edge has found. addAbsent
// returns false if there are none.
func (e *edgeMemory) addAbsent(f, g *placedMesh) bool {
	known := len(e.absent)
	for i := 0; i < len(e.crossings); i++ {
		x := &e.crossings[i]
		if i+1 < len(e.crossings) && x.same(&e.crossings[i+1]) {
			i++
			continue
		}
		m := f
		if x.ofB {
			m = g
		}
		other := m.across[x.side]
		if other < 0 {
			continue
		}
		pair := [2]int32{other / 3, x.face}
		if x.reversed {
			pair[0] = x.side / 3
		}
		if x.ofB {
			pair[0], pair[1] = pair[1], pair[0]
		}
		if !slices.Contains(e.absent, pair) {
			e.absent = append(e.absent, pair)
		}
	}
	for _, p := range e.absent[known:] {
		e.addPair(f, g, p[0], p[1])
	}
	return len(e.absent) > known
}

// addSegment adds the segment of two faces with the given ends.
func (e *edgeMemory) addSegment(ends []crossing, t, u *mesh.Triangle) {
	s := segment{from: ends[0].at, to: ends[0].at, a: unitNormal(t), b: unitNormal(u)}
	along := s.a.Cross(s.b)
	s.sine = length(along)
	for i := range ends {
		ends[i].segment = int32(len(e.segments))
		if x := ends[i].at; along.Dot(x) < along.Dot(s.from) {
			s.from = x
		} else if along.Dot(x) > along.Dot(s.to) {
			s.to = x
		}
	}
	e.parent = append(e.parent, len(e.segments))
	e.segments = append(e.segments, s)
}

// connect joins segments that belong to the same region: segments that end at the same crossing,
// and segments at the two ends of a part of an edge inside the other body. It also collects the
// corners.
func (e *edgeMemory) connect(f, g *placedMesh) {
	e.corners = e.corners[:0]
	for i := range e.crossings {
		x := &e.crossings[i]
		m, normal := f, e.segments[x.segment].a
		if x.ofB {
			m, normal = g, e.segments[x.segment].b
		}
		copied := false
		if n := len(e.corners); n > 0 && e.corners[n-1].ofB == x.ofB && e.corners[n-1].side == x.side {
			last := &e.corners[n-1]
			copied = last.face == x.face
			if copied || !last.leaving && x.leaving {
				e.join(int(last.segment), int(x.segment))
			}
		}
		if !copied {
			t := m.triangle(x.side / 3)
			step := t[(x.side%3+1)%3].Sub(t[x.side%3])
			e.corners = append(e.corners, corner{crossing: *x, unit: scaled(1/length(step), step)})
		}
		c := &e.corners[len(e.corners)-1]
		if x.reversed {
			c.normals[1] = normal
		} else {
			c.normals[0] = normal
		}
	}
}

// sort puts copies of a crossing next to each other, and orders the crossings of an edge along the
// edge.
func (e *edgeMemory) sort() {
	slices.SortFunc(e.crossings, func(x, y crossing) int { return x.compare(&y) })
}

func (x *crossing) same(y *crossing) bool {
	return x.ofB == y.ofB && x.side == y.side && x.face == y.face
}

func (x *crossing) compare(y *crossing) int {
	switch {
	case x.ofB != y.ofB:
		if y.ofB {
			return -1
		}
		return 1
	case x.side != y.side:
		return cmp.Compare(x.side, y.side)
	case x.along != y.along:
		return cmp.Compare(x.along, y.along)
	case x.face != y.face:
		return cmp.Compare(x.face, y.face)
	}
	return cmp.Compare(x.segment, y.segment)
}

// join unites the sets of two segments.
func (e *edgeMemory) join(i, j int) {
	r, s := e.find(i), e.find(j)
	e.parent[max(r, s)] = min(r, s)
}

// find returns the first segment of the set of segment i.
func (e *edgeMemory) find(i int) int {
	for e.parent[i] != i {
		e.parent[i] = e.parent[e.parent[i]]
		i = e.parent[i]
	}
	return i
}

// triangle returns a face in the world.
func (p *placedMesh) triangle(face int32) mesh.Triangle {
	t := p.mesh.Triangle(face)
	for k := range t {
		t[k] = p.at.rotation.apply(t[k]).Add(p.at.pose.Translation)
	}
	return t
}

func normalOf(t *mesh.Triangle) r3.Vector { return t[1].Sub(t[0]).Cross(t[2].Sub(t[0])) }

func unitNormal(t *mesh.Triangle) r3.Vector {
	n := normalOf(t)
	if size := length(n); size > 0 {
		return scaled(1/size, n)
	}
	return r3.Vector{}
}

// addCrossings adds the points where the sides of t cross u. t is the triangle of face in f, and u
// is the triangle of other in g.
//
// The function passes decides on which side two edges pass each other. Its result depends only on
// the two edges. So if an edge passes near an edge of the other body, it crosses exactly one of the
// two faces there, in spite of rounding.
func (e *edgeMemory) addCrossings(f, g *placedMesh, face, other int32, t, u *mesh.Triangle, ofB bool) {
	n := normalOf(u)
	for k := range int32(3) {
		side, from, to := f.edge(face, k, t)
		d, h := n.Dot(from.Sub(u[0])), n.Dot(to.Sub(u[0]))
		if d > 0 == (h > 0) {
			continue
		}
		leaving, in := h > 0, true
		for j := range int32(3) {
			_, v, w := g.edge(other, j, u)
			reversed := v != u[j]
			var left bool
			if ofB {
				left = passes(v, w, from, to)
			} else {
				left = passes(from, to, v, w)
			}
			in = in && left == (leaving == reversed)
		}
		if in {
			along := d / (d - h)
			e.crossings = append(e.crossings, crossing{ofB: ofB, leaving: leaving, reversed: side != 3*face+k,
				side: side, face: other, along: along, at: from.Add(scaled(along, to.Sub(from)))})
		}
	}
}

// edge returns the edge at side k of a face: the smaller number of the two sides at the edge, with
// the ends of this side. t is the triangle of the face.
func (p *placedMesh) edge(face, k int32, t *mesh.Triangle) (side int32, from, to r3.Vector) {
	side, from, to = 3*face+k, t[k], t[(k+1)%3]
	if other := p.across[side]; other >= 0 && other < side {
		return other, to, from
	}
	return side, from, to
}

// passes reports whether the line from a to b passes the line from c to d on the positive side.
func passes(a, b, c, d r3.Vector) bool { return b.Sub(a).Cross(d.Sub(c)).Dot(c.Sub(a)) > 0 }
