package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/intersect"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// maxMarks is the largest number of edges or faces that are drawn for one kind of defect. If more
// edges or faces have the defect, a uniform random sample is drawn.
const maxMarks = 300_000 // tuning

// layer is one kind of defect with its edges or its faces.
type layer struct {
	Key, Name, Note string
	Color           rgb
	Total           int  // number of edges or faces with the defect
	On              bool // visible when the page opens

	edges [][2]int32 // drawn edges as pairs of vertices, or nil
	faces []int32    // drawn faces, or nil
	order int        // position of the kind in the drawing order of all kinds
}

// Shown returns the number of edges or faces that are drawn.
func (l *layer) Shown() int { return len(l.edges) + len(l.faces) }

func (l *layer) IsEdges() bool { return l.edges != nil }

// shift adds the given numbers to the vertices of the edges and to the faces.
func (l *layer) shift(vertex, face int32) {
	if vertex == 0 && face == 0 {
		return
	}
	l.edges, l.faces = slices.Clone(l.edges), slices.Clone(l.faces)
	for i := range l.edges {
		l.edges[i][0] += vertex
		l.edges[i][1] += vertex
	}
	for i := range l.faces {
		l.faces[i] += face
	}
}

// findDefects returns the kinds of defects of s and the number of flipped faces. If Options.Orient
// has turned faces over, these are the flipped faces. The kinds are in drawing order, with the worst
// kind last. Except for intersections, findDefects searches only for defects that the report of s
// counts.
func findDefects(ctx context.Context, s *inpoly.Solid) (layers []*layer, flipped int, err error) {
	m, report := s.Mesh(), s.Report()
	d := &report.Diagnosis
	order := 0
	add := func(l layer) {
		order++
		l.order = order
		if l.Total = l.Shown(); l.Total > 0 {
			l.edges, l.faces = thin(l.edges, maxMarks), thin(l.faces, maxMarks)
			layers = append(layers, &l)
		}
	}
	if d.InwardComponents > 0 {
		note := "correct for cavities"
		if d.InwardComponents == len(d.Components) {
			note = "the whole mesh is inside out"
		}
		add(layer{Key: "inward", Name: "faces of components that face inward", Note: note, Color: inwardColor, faces: inwardFaces(m, d)})
	}
	var found mesh.Defects
	if d.NonManifoldEdges+d.MisorientedEdges+d.BoundaryEdges+d.DuplicateFaces+d.ZeroArea > 0 {
		if found, err = m.Defects(ctx); err != nil {
			return nil, 0, err
		}
	}
	crossing, err := intersectingFaces(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	add(layer{Key: "intersecting", Name: "intersecting faces", Note: "faces that cross or overlap another face", Color: intersectingColor, On: true, faces: crossing})
	add(layer{Key: "duplicate", Name: "duplicate faces", Note: "faces with the same corners as another face", Color: duplicateColor, On: true, faces: found.Duplicates})
	turned, note := s.Flipped(), "faces that --orient has turned over"
	if d.MisorientedEdges > 0 && report.Orient == inpoly.OrientNever {
		_, o, err := m.Oriented(ctx)
		if err != nil {
			return nil, 0, err
		}
		turned, note = o.Flipped, "faces that disagree with most of their neighbors"
	}
	add(layer{Key: "flipped", Name: "flipped faces", Note: note, Color: flippedColor, On: true, faces: turned})
	if d.ZeroArea > 0 {
		add(layer{Key: "zero", Name: "faces of zero area", Note: "drawn as their longest edge", Color: zeroAreaColor, On: true, edges: longestEdges(m, found.ZeroArea)})
	}
	add(layer{Key: "nonmanifold", Name: "non-manifold edges", Note: "edges of three or more faces", Color: nonManifoldColor, On: true, edges: found.NonManifold})
	add(layer{Key: "misoriented", Name: "misoriented edges", Note: "edges of two faces with the same direction", Color: misorientedColor, On: true, edges: found.Misoriented})
	add(layer{Key: "open", Name: "open edges", Note: "edges of only one face", Color: openColor, On: true, edges: found.Open})
	return layers, len(turned), nil
}

// intersectingFaces returns the faces of s that cross or overlap another face.
func intersectingFaces(ctx context.Context, s *inpoly.Solid) ([]int32, error) {
	set := locate.Of(s)
	index, err := set.Surface.Index(ctx)
	if err != nil {
		return nil, err
	}
	const enough = 10_000_000 // pairs after which the search ends, because the picture is full of them; tuning
	found, err := intersect.FindIndexed(ctx, index.Tree, intersect.Options{Faces: true, Stop: enough})
	return found.Faces, err
}

func inwardFaces(m *mesh.Mesh, d *mesh.Diagnosis) []int32 {
	var out []int32
	labels, _ := m.Components()
	for f, l := range labels {
		if l >= 0 && d.Components[l].Inward() {
			out = append(out, int32(f))
		}
	}
	return out
}

func longestEdges(m *mesh.Mesh, flat []int32) [][2]int32 {
	var out [][2]int32
	for _, f := range flat {
		t := m.Faces[f]
		if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
			continue // a collapsed face has equal corners
		}
		best, length := [2]int32{}, -1.0
		for k := range 3 {
			e := [2]int32{t[k], t[(k+1)%3]}
			// The largest coordinate difference cannot overflow, but the length can. If the corners
			// are collinear, the longest edge also has the largest coordinate difference.
			if l := vec.MaxAbs(m.Vertices[e[0]].Sub(m.Vertices[e[1]])); l > length {
				best, length = e, l
			}
		}
		out = append(out, best)
	}
	return out
}

// thin reduces a long list to a uniform random sample, in the original order.
func thin[T any](list []T, limit int) []T {
	if len(list) <= limit {
		return list
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(priority(int64(a)), priority(int64(b))) })
	order = order[:limit]
	slices.Sort(order)
	out := make([]T, limit)
	for i, k := range order {
		out[i] = list[k]
	}
	return out
}
