package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/inpoly/inpoly"
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
}

// Shown returns the number of edges or faces that are drawn.
func (l *layer) Shown() int { return len(l.edges) + len(l.faces) }

func (l *layer) IsEdges() bool { return l.edges != nil }

// findDefects returns the kinds of defects of s and the number of flipped faces. If Options.Orient
// has turned faces over, these are the flipped faces. The kinds are in drawing order, with the worst
// kind last. findDefects searches only for defects that the report of s counts.
func findDefects(ctx context.Context, s *inpoly.Solid) (layers []*layer, flipped int, err error) {
	m, report := s.Mesh(), s.Report()
	d := &report.Diagnosis
	add := func(l layer) {
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
	if d.DuplicateFaces > 0 {
		add(layer{Key: "duplicate", Name: "duplicate faces", Note: "faces with the same corners as another face", Color: duplicateColor, On: true, faces: duplicateFaces(m)})
	}
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
		add(layer{Key: "zero", Name: "faces of zero area", Note: "drawn as their longest edge", Color: zeroAreaColor, On: true, edges: longestEdges(m)})
	}
	if d.NonManifoldEdges+d.MisorientedEdges+d.BoundaryEdges == 0 {
		return layers, len(turned), nil
	}
	found, err := findEdges(ctx, m)
	if err != nil {
		return nil, 0, err
	}
	add(layer{Key: "nonmanifold", Name: "non-manifold edges", Note: "edges of three or more faces", Color: nonManifoldColor, On: true, edges: found.nonManifold})
	add(layer{Key: "misoriented", Name: "misoriented edges", Note: "edges of two faces with the same direction", Color: misorientedColor, On: true, edges: found.misoriented})
	add(layer{Key: "open", Name: "open edges", Note: "edges of only one face", Color: openColor, On: true, edges: found.open})
	return layers, len(turned), nil
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

func longestEdges(m *mesh.Mesh) [][2]int32 {
	var out [][2]int32
	for _, f := range m.Degenerate() {
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

// defectEdges holds all edges except regular edges. Exactly two faces contain a regular edge, in
// opposite directions. An edge is a pair of vertices in ascending order.
type defectEdges struct {
	open        [][2]int32 // edges of exactly one face
	misoriented [][2]int32 // edges that have the same direction in both of their faces
	nonManifold [][2]int32 // edges of at least three faces
}

// findEdges returns the defect edges of m in O(n) time for meshes of bounded degree. It skips faces
// in which welding merged two corners. Errors: the error of ctx.
func findEdges(ctx context.Context, m *mesh.Mesh) (f defectEdges, err error) {
	// half is an edge of a face. It stores only the larger vertex hi, because findEdges groups the
	// edges by their smaller vertex.
	type half struct {
		hi   int32
		back int32 // 1 if the face directs the edge from hi to the smaller vertex, else 0
	}
	first := make([]int32, len(m.Vertices)+1)
	each := func(visit func(lo int32, h half)) {
		for _, t := range m.Faces {
			if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
				continue
			}
			for k, a := range t {
				b := t[(k+1)%3]
				if a < b {
					visit(a, half{b, 0})
				} else {
					visit(b, half{a, 1})
				}
			}
		}
	}
	each(func(lo int32, _ half) { first[lo+1]++ })
	for v := range m.Vertices {
		first[v+1] += first[v]
	}
	if err := ctx.Err(); err != nil {
		return f, err
	}
	halves := make([]half, first[len(m.Vertices)])
	next := slices.Clone(first)
	each(func(lo int32, h half) {
		halves[next[lo]] = h
		next[lo]++
	})
	for v := range m.Vertices {
		if v%(1<<16) == 0 && ctx.Err() != nil {
			return f, ctx.Err()
		}
		fan := halves[first[v]:first[v+1]]
		slices.SortFunc(fan, func(a, b half) int { return cmp.Compare(a.hi, b.hi) })
		for len(fan) > 0 {
			n, back := 0, int32(0)
			for n < len(fan) && fan[n].hi == fan[0].hi {
				back += fan[n].back
				n++
			}
			edge := [2]int32{int32(v), fan[0].hi}
			switch {
			case n == 1:
				f.open = append(f.open, edge)
			case n > 2:
				f.nonManifold = append(f.nonManifold, edge)
			case back != 1:
				f.misoriented = append(f.misoriented, edge)
			}
			fan = fan[n:]
		}
	}
	return f, nil
}

// duplicateFaces returns, in ascending order, each triangle that has the same three vertices as an
// earlier triangle. The orientations of the two triangles can differ.
func duplicateFaces(m *mesh.Mesh) []int32 {
	type corners struct {
		v    [3]int32 // vertices in ascending order
		face int32
	}
	list := make([]corners, 0, len(m.Faces))
	for f, t := range m.Faces {
		slices.Sort(t[:])
		if t[0] != t[1] && t[1] != t[2] {
			list = append(list, corners{t, int32(f)})
		}
	}
	slices.SortFunc(list, func(a, b corners) int {
		return cmp.Or(slices.Compare(a.v[:], b.v[:]), cmp.Compare(a.face, b.face))
	})
	var out []int32
	for i := 1; i < len(list); i++ {
		if list[i].v == list[i-1].v {
			out = append(out, list[i].face)
		}
	}
	slices.Sort(out)
	return out
}
