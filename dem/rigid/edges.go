package rigid

import (
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/mesh"
)

// edgeContacts adds the contacts of two bodies whose faces cross although no vertex of either body is
// in the other.
//
// Each region in which the bodies overlap gives one contact. The surface of A in the region has the
// vector area S = ½∮x×dx, an integral along the curve where the surfaces cross. −S is the gradient
// of the volume of the region when A moves. So −S is the direction of the force, and |S| is the area.
// No vertex is in the region, so all its corners are on the curve. Therefore the depth is the width
// of the curve along S.
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

// edgeMemory has the curves along which the surfaces of two bodies cross.
type edgeMemory struct {
	segments []segment
	ends     []crossing
	parent   []int // the disjoint sets of segments that are connected
}

// segment is the intersection of two faces. The surface of A in body B is on its left.
type segment struct{ from, to r3.Vector }

// crossing is the point where an edge of one body crosses a face of the other. It connects the
// segments of the faces at the edge.
type crossing struct {
	edge    [2]int32
	face    int32
	ofB     bool // the edge belongs to body B
	at      r3.Vector
	segment int
}

// cross finds the segments of all pairs of faces, and connects them.
func (e *edgeMemory) cross(w *World, pairs []collide.FacePair, a, b int32) {
	e.segments, e.ends, e.parent = e.segments[:0], e.ends[:0], e.parent[:0]
	f, g := w.surface(a), w.surface(b)
	_, placeA := w.motionsOf(a)
	_, placeB := w.motionsOf(b)
	for _, p := range pairs {
		t, u := placeA.triangle(f.mesh, p.FaceA), placeB.triangle(g.mesh, p.FaceB)
		first := len(e.ends)
		e.addCrossings(f.mesh.Faces[p.FaceA], p.FaceB, &t, &u, false)
		e.addCrossings(g.mesh.Faces[p.FaceB], p.FaceA, &u, &t, true)
		along := normalOf(&t).Cross(normalOf(&u))
		ends := e.ends[first:]
		if len(ends) < 2 || along == (r3.Vector{}) {
			e.ends = e.ends[:first]
			continue
		}
		s := segment{ends[0].at, ends[0].at}
		for i := range ends {
			ends[i].segment = len(e.segments)
			if x := ends[i].at; along.Dot(x) < along.Dot(s.from) {
				s.from = x
			} else if along.Dot(x) > along.Dot(s.to) {
				s.to = x
			}
		}
		e.parent = append(e.parent, len(e.segments))
		e.segments = append(e.segments, s)
	}
	slices.SortFunc(e.ends, func(x, y crossing) int { return x.compare(&y) })
	for i := 1; i < len(e.ends); i++ {
		if x, y := &e.ends[i-1], &e.ends[i]; x.edge == y.edge && x.face == y.face && x.ofB == y.ofB {
			r, s := e.find(x.segment), e.find(y.segment)
			e.parent[max(r, s)] = min(r, s)
		}
	}
}

func (x *crossing) compare(y *crossing) int {
	if x.ofB != y.ofB {
		if y.ofB {
			return -1
		}
		return 1
	}
	return slices.Compare([]int32{x.edge[0], x.edge[1], x.face, int32(x.segment)}, []int32{y.edge[0], y.edge[1], y.face, int32(y.segment)})
}

// find returns the smallest segment that is connected with segment i.
func (e *edgeMemory) find(i int) int {
	for e.parent[i] != i {
		e.parent[i] = e.parent[e.parent[i]]
		i = e.parent[i]
	}
	return i
}

// triangle returns a face of the body in the world.
func (m *motion) triangle(x *mesh.Mesh, face int32) mesh.Triangle {
	t := x.Triangle(face)
	for k := range t {
		t[k] = m.rotation.apply(t[k]).Add(m.pose.Translation)
	}
	return t
}

func normalOf(t *mesh.Triangle) r3.Vector { return t[1].Sub(t[0]).Cross(t[2].Sub(t[0])) }

// addCrossings adds the points where the edges of the triangle t, whose corners are the given
// vertices, cross the triangle u, which is the given face.
func (e *edgeMemory) addCrossings(vertices [3]int32, face int32, t, u *mesh.Triangle, ofB bool) {
	n := normalOf(u)
	// A point this little outside the triangle is in it. So rounding finds a crossing at an edge of
	// the other body at least once. Two points do not harm, because they are equal.
	const tolerance = 1e-9
	slack := -tolerance * n.Norm2()
	for k := range t {
		from, to := t[k], t[(k+1)%3]
		d, f := n.Dot(from.Sub(u[0])), n.Dot(to.Sub(u[0]))
		if d > 0 == (f > 0) {
			continue
		}
		at := from.Add(scaled(d/(d-f), to.Sub(from)))
		in := true
		for j := range u {
			in = in && n.Dot(u[(j+1)%3].Sub(u[j]).Cross(at.Sub(u[j]))) >= slack
		}
		if in {
			v, w := vertices[k], vertices[(k+1)%3]
			e.ends = append(e.ends, crossing{edge: [2]int32{min(v, w), max(v, w)}, face: face, ofB: ofB, at: at})
		}
	}
}

// measure sets the point, normal, area and depth of the region at a curve. It returns false if the
// region has no area.
func (e *edgeMemory) measure(root int, c *Contact) bool {
	origin := e.segments[root].from
	var area, sum r3.Vector
	total := 0.
	for i, s := range e.segments {
		if e.find(i) != root {
			continue
		}
		p, q := s.from.Sub(origin), s.to.Sub(origin)
		area = area.Add(scaled(.5, p.Cross(q)))
		size := length(q.Sub(p))
		sum, total = sum.Add(scaled(size/2, p.Add(q))), total+size
	}
	if c.Area = length(area); !(c.Area > 0 && total > 0) {
		return false
	}
	c.Normal = scaled(-1/c.Area, area)
	c.Point = origin.Add(scaled(1/total, sum))
	lo, hi := 0., 0.
	for i, s := range e.segments {
		if e.find(i) == root {
			x, y := c.Normal.Dot(s.from.Sub(origin)), c.Normal.Dot(s.to.Sub(origin))
			lo, hi = min(lo, x, y), max(hi, x, y)
		}
	}
	c.Depth = hi - lo
	return c.Depth > 0
}
