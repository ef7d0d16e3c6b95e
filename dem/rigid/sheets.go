package rigid

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/nearest"
)

// wallMesh is the mesh of a wall.
type wallMesh struct {
	*surface
	thickness float64
	rim       *rim // of an open mesh, or nil
}

// rim is the border of an open mesh.
type rim struct {
	vertices []bool
	edges    map[[2]int32]bool
}

func rimOf(m *mesh.Mesh) *rim {
	r := &rim{vertices: make([]bool, len(m.Vertices)), edges: map[[2]int32]bool{}}
	for _, e := range m.Boundary() {
		r.vertices[e.A], r.vertices[e.B], r.edges[[2]int32{e.A, e.B}] = true, true, true
	}
	return r
}

// behind reports whether p is behind the sheet, at most its thickness. A point that is nearest to the
// rim is not behind the sheet.
func (x *wallMesh) behind(p r3.Vector, near *nearest.Projection) bool {
	if near.Face < 0 || !(near.Distance <= x.thickness) || near.Normal.Dot(p.Sub(near.Point)) >= 0 {
		return false
	}
	a := x.mesh.Faces[near.Face][near.Corner]
	b := x.mesh.Faces[near.Face][(near.Corner+1)%3]
	switch near.Feature {
	case nearest.Vertex:
		return !x.rim.vertices[a]
	case nearest.Edge:
		return !x.rim.edges[[2]int32{min(a, b), max(a, b)}]
	}
	return true
}

// sheetContacts adds the contacts of ball a with a sheet, which is wall b.
func (w *World) sheetContacts(k *worker, a, b int32, x *wallMesh) {
	r, p := w.bodies[a].shape.radius, w.next.motions[a].center
	reach := max(r, x.thickness)
	if beyond(x.mesh.Box(), p, reach) || !x.near.Within(p, reach, &k.scratch) {
		return
	}
	near := x.near.Project(p, &k.scratch)
	switch {
	case near.Face < 0: // the context has ended
		return
	case x.behind(p, &near):
		k.foots = append(k.foots[:0], foot{near.Point, away(p, &near, -1), -near.Distance})
	case near.Normal.Dot(p.Sub(near.Point)) >= 0:
		x.footsAround(k, p, r)
	default:
		return
	}
	w.addFoots(k, Contact{A: a, B: b}, r, &resting)
}

// sheetNodes adds the contacts of the vertices of polyhedron a with a sheet, which is wall b.
func (w *World) sheetNodes(k *worker, a, b int32, x *wallMesh) {
	s, m := w.bodies[a].shape, &w.next.motions[a]
	reach := s.reach + x.thickness
	if beyond(x.mesh.Box(), m.center, reach) || !x.near.Within(m.center, reach, &k.scratch) {
		return
	}
	for i, v := range s.mesh.Vertices {
		p := m.rotation.apply(v).Add(m.pose.Translation)
		if beyond(x.mesh.Box(), p, x.thickness) {
			continue
		}
		near := x.near.Project(p, &k.scratch)
		if !x.behind(p, &near) || near.Normal == (r3.Vector{}) {
			continue
		}
		w.add(k, Contact{
			A: a, B: b, Kind: NodeOfA, Feature: int32(i), Point: p,
			Normal: away(p, &near, -1), Depth: near.Distance, Area: s.area[i],
		})
	}
}
