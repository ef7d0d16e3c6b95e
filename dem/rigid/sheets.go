package rigid

import (
	"context"
	"fmt"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
)

// wallMesh is a wall: a closed mesh, a sheet or a half-space.
type wallMesh struct {
	*surface             // nil for a half-space
	halfSpace *HalfSpace // with a unit vector as Normal, or nil
	layered   *layered   // parts of a closed mesh; else nil
	thickness float64
	rim       *rim        // border of an open mesh; else nil
	nodes     *bvh.Tree   // the vertices of an open mesh, as boxes without size
	normals   []r3.Vector // normals of the vertices of an open mesh; only their directions matter
}

// makeSheet prepares a wall that is an open mesh.
func (x *wallMesh) makeSheet(ctx context.Context) error {
	m := x.mesh
	x.rim, x.normals = rimOf(m), make([]r3.Vector, len(m.Vertices))
	for i, face := range m.Faces {
		t := m.Triangle(int32(i))
		for _, v := range face {
			x.normals[v] = x.normals[v].Add(normalOf(&t))
		}
	}
	points := make([]bvh.Box, len(m.Vertices))
	for i, v := range m.Vertices {
		points[i] = bvh.Box{Min: v, Max: v}
	}
	var err error
	if x.nodes, err = bvh.Build(ctx, points, bvh.Options{MaxLeaf: 16}); err != nil {
		return fmt.Errorf("rigid: %w", err)
	}
	return nil
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

// behind reports whether p is behind the sheet, at most its thickness. If the nearest point of the
// sheet is on the rim, p is not behind the sheet.
func (x *wallMesh) behind(p r3.Vector, near *inpoly.Nearest) bool {
	if near.Face < 0 || !(near.Distance <= x.thickness) || near.Normal.Dot(p.Sub(near.Point)) >= 0 {
		return false
	}
	a := x.mesh.Faces[near.Face][near.Corner]
	b := x.mesh.Faces[near.Face][(near.Corner+1)%3]
	switch near.Feature {
	case inpoly.FeatureVertex:
		return !x.rim.vertices[a]
	case inpoly.FeatureEdge:
		return !x.rim.edges[[2]int32{min(a, b), max(a, b)}]
	}
	return true
}

// sheetContacts adds the contacts of ball a with a sheet, which is wall b.
func (w *World) sheetContacts(k *worker, a, b int32, x *wallMesh) {
	r, p := w.bodies[a].shape.radius, w.next.motions[a].center
	reach := max(r, x.thickness)
	if beyond(x.mesh.Box(), p, reach) || !x.solid.Within(p, reach) {
		return
	}
	near := x.solid.Project(p)
	switch {
	case near.Face < 0: // p is not finite
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

// sheetNodes adds the contacts of the vertices of polyhedron a with a sheet, which is wall b, and of
// the vertices of the sheet with the polyhedron.
func (w *World) sheetNodes(k *worker, a, b int32, x *wallMesh) {
	s, m := w.bodies[a].shape, &w.next.motions[a]
	reach := s.reach + x.thickness
	if beyond(x.mesh.Box(), m.center, reach) || !x.solid.Within(m.center, reach) {
		return
	}
	for i, v := range s.mesh.Vertices {
		p := m.rotation.apply(v).Add(m.pose.Translation)
		if beyond(x.mesh.Box(), p, x.thickness) {
			continue
		}
		near := x.solid.Project(p)
		if !x.behind(p, &near) || near.Normal == (r3.Vector{}) {
			continue
		}
		w.add(k, Contact{
			A: a, B: b, Kind: NodeOfA, Feature: int32(i), Point: p,
			Normal: away(p, &near, -1), Depth: near.Distance, Area: s.area[i],
		})
	}
	w.nodesOfSheet(k, a, b, x)
}

// nodesOfSheet adds the contacts of those vertices of a sheet that are in polyhedra a. It skips a
// vertex if the shortest way out of the polyhedron differs by more than 60° from the direction to
// the back of the sheet. So vertices do not push a polyhedron that is behind the sheet, and do not
// push it sideways.
func (w *World) nodesOfSheet(k *worker, a, b int32, x *wallMesh) {
	s, m := w.bodies[a].shape, &w.next.motions[a]
	reach := r3.Vector{X: s.reach, Y: s.reach, Z: s.reach}
	k.vertices = k.vertices[:0]
	k.walk.Start(x.nodes, bvh.Box{Min: m.center.Sub(reach), Max: m.center.Add(reach)})
	for first, count, ok := k.walk.Next(); ok; first, count, ok = k.walk.Next() {
		k.vertices = append(k.vertices, x.nodes.Index()[first:first+count]...)
	}
	slices.Sort(k.vertices)
	for _, i := range k.vertices {
		v := x.mesh.Vertices[i]
		p := m.rotation.back(v.Sub(m.pose.Translation))
		if !s.mesh.Box().Contains(p) || s.solid.Side(p) != inpoly.Inside {
			continue
		}
		near := s.solid.Project(p)
		if near.Face < 0 { // p is not finite
			return
		}
		normal := scaled(-1, m.rotation.apply(away(p, &near, -1)))
		if !(normal.Dot(x.normals[i]) > length(x.normals[i])/2) {
			continue
		}
		w.add(k, Contact{A: a, B: b, Kind: NodeOfB, Feature: i, Point: v, Normal: normal, Depth: near.Distance, Area: min(x.area[i], s.patch)})
	}
}
