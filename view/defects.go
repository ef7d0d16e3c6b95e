package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/mesh"
)

// maxMarks is how many edges or faces of one kind of defect are drawn; a fair sample
// of more. A choice: beyond it marks cover the picture.
const maxMarks = 300_000

// layer is one kind of defect: all edges, or all faces, that have it.
type layer struct {
	Key, Name, Note string
	Colour          rgb
	Total           int  // how many there are
	On              bool // shown at first

	edges [][2]int32 // at most maxMarks, as vertices; or
	faces []int32    // at most maxMarks
}

// Shown returns how many are drawn.
func (l *layer) Shown() int { return len(l.edges) + len(l.faces) }

// IsEdges reports whether the layer has edges.
func (l *layer) IsEdges() bool { return l.edges != nil }

// findDefects returns the layers of s that are not empty, the worst last, which is
// drawn on top. What the report counts as none is not looked for.
func findDefects(ctx context.Context, s *inpoly.Solid) (layers []*layer, flipped int, err error) {
	m, report := s.Mesh(), s.Report()
	d := &report.Diagnosis
	faces := func(l layer, list []int32) {
		if l.Total = len(list); l.Total > 0 {
			l.faces = thin(list, maxMarks)
			layers = append(layers, &l)
		}
	}
	edges := func(l layer, list [][2]int32) {
		if l.Total = len(list); l.Total > 0 {
			l.edges = thin(list, maxMarks)
			layers = append(layers, &l)
		}
	}
	if d.InwardComponents > 0 {
		note := "right for cavities"
		if d.InwardComponents == len(d.Components) {
			note = "the whole mesh is inside out"
		}
		faces(layer{Key: "inward", Name: "faces of components that face inwards", Note: note, Colour: inwardColour}, inwardFaces(m, d))
	}
	if d.DuplicateFaces > 0 {
		faces(layer{Key: "duplicate", Name: "duplicate faces", Note: "on the corners of another face", Colour: duplicateColour, On: true}, duplicateFaces(m))
	}
	if d.MisorientedEdges > 0 {
		_, o, err := m.Oriented(ctx)
		if err != nil {
			return nil, 0, err
		}
		flipped = len(o.Flipped)
		faces(layer{Key: "flipped", Name: "flipped faces", Note: "what --orient turns to agree with their neighbours", Colour: flippedColour, On: true}, o.Flipped)
	}
	if d.ZeroArea > 0 {
		edges(layer{Key: "zero", Name: "faces of zero area", Note: "drawn as their longest edge", Colour: zeroAreaColour, On: true}, longestEdges(m))
	}
	if d.NonManifoldEdges+d.MisorientedEdges+d.BoundaryEdges == 0 {
		return layers, flipped, nil
	}
	found, err := findEdges(ctx, m)
	if err != nil {
		return nil, 0, err
	}
	edges(layer{Key: "nonmanifold", Name: "non-manifold edges", Note: "of three or more faces", Colour: nonManifoldColour, On: true}, found.nonManifold)
	edges(layer{Key: "misoriented", Name: "misoriented edges", Note: "two faces run along them the same way", Colour: misorientedColour, On: true}, found.misoriented)
	edges(layer{Key: "open", Name: "open edges", Note: "of one face only", Colour: openColour, On: true}, found.open)
	return layers, flipped, nil
}

// inwardFaces returns the faces of components whose normals point inwards.
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

// longestEdges returns the longest edge of each triangle of zero area.
func longestEdges(m *mesh.Mesh) [][2]int32 {
	var out [][2]int32
	for _, f := range m.Degenerate() {
		t := m.Faces[f]
		if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
			continue // collapsed: nothing to draw
		}
		best, length := [2]int32{}, -1.0
		for k := range 3 {
			e := [2]int32{t[k], t[(k+1)%3]}
			// The largest of the differences, which cannot overflow together; for
			// collinear corners it is the longest edge.
			if l := longest(m.Vertices[e[0]].Sub(m.Vertices[e[1]]).Abs()); l > length {
				best, length = e, l
			}
		}
		out = append(out, best)
	}
	return out
}

// thin returns list, or a fair sample of most of its elements in their order.
func thin[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(priority(int64(a)), priority(int64(b))) })
	order = order[:most]
	slices.Sort(order)
	out := make([]T, most)
	for i, k := range order {
		out[i] = list[k]
	}
	return out
}
