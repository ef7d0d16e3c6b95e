package mesh

import (
	"cmp"
	"context"
	"slices"
)

// flaws is what the sweep over one bucket of edges finds.
type flaws struct {
	open, nonManifold, misoriented [][2]int32 // at most MaxExamples each
	duplicates                     []int32    // at most MaxExamples
	duplicateFaces, oppositeFaces  int
	leaky                          []int32 // components with an edge that is not watertight
	scratch                        []copyOf
}

// copyOf is a triangle seen from the edge of its two smallest vertices.
type copyOf struct {
	apex     int32 // its largest vertex
	face     int32
	backward bool
}

// findFlaws looks at every edge of m. It only reads p.labels.
func findFlaws(ctx context.Context, m *Mesh, p *partition) ([]flaws, error) {
	return sweepEdges(ctx, m.Faces, len(m.Vertices), 0, func(f *flaws, edge []halfEdge) {
		f.visit(m, p, edge)
	})
}

// addFlaws merges what was found in all buckets, in their order.
func (d *Diagnosis) addFlaws(ctx context.Context, found []flaws) error {
	for i := range d.Components {
		d.Components[i].Watertight = true
	}
	for _, f := range found {
		if err := ctx.Err(); err != nil {
			return err
		}
		d.Open = firstExamples(d.Open, f.open)
		d.NonManifold = firstExamples(d.NonManifold, f.nonManifold)
		d.Misoriented = firstExamples(d.Misoriented, f.misoriented)
		d.Duplicates = firstExamples(d.Duplicates, f.duplicates)
		d.DuplicateFaces += f.duplicateFaces
		d.OppositeFaces += f.oppositeFaces
		for _, c := range f.leaky {
			d.Components[c].Watertight = false
		}
	}
	slices.Sort(d.Duplicates)
	return nil
}

// visit looks at all half-edges of one edge.
func (f *flaws) visit(m *Mesh, p *partition, edge []halfEdge) {
	ends := [][2]int32{{edge[0].lo, edge[0].hi}}
	switch {
	case len(edge) == 2 && edge[0].backward() != edge[1].backward():
		f.countCopies(m, edge)
		return
	case len(edge) == 1:
		f.open = firstExamples(f.open, ends)
	case len(edge) == 2:
		f.misoriented = firstExamples(f.misoriented, ends)
	default:
		f.nonManifold = firstExamples(f.nonManifold, ends)
	}
	if c := p.labels[edge[0].face()]; len(f.leaky) == 0 || f.leaky[len(f.leaky)-1] != c {
		f.leaky = append(f.leaky, c)
	}
	f.countCopies(m, edge)
}

// apex returns the third vertex of the face of h.
func (h halfEdge) apex(m *Mesh) int32 {
	t := &m.Faces[h.face()]
	return t[0] ^ t[1] ^ t[2] ^ h.lo ^ h.hi
}

// countCopies counts triangles with the same three vertices: all of them share
// the edge of the two smallest, and there have the same apex.
func (f *flaws) countCopies(m *Mesh, edge []halfEdge) {
	if len(edge) == 1 || len(edge) == 2 && edge[0].apex(m) != edge[1].apex(m) {
		return
	}
	f.scratch = f.scratch[:0]
	for _, h := range edge {
		if apex := h.apex(m); apex > h.hi {
			f.scratch = append(f.scratch, copyOf{apex, h.face(), h.backward()})
		}
	}
	slices.SortFunc(f.scratch, func(a, b copyOf) int {
		return cmp.Or(cmp.Compare(a.apex, b.apex), cmp.Compare(a.face, b.face))
	})
	for rest := f.scratch; len(rest) > 0; {
		n, backward := 0, 0
		for n < len(rest) && rest[n].apex == rest[0].apex {
			if rest[n].backward {
				backward++
			}
			if n > 0 {
				f.duplicates = firstExamples(f.duplicates, []int32{rest[n].face})
			}
			n++
		}
		f.duplicateFaces += n - 1
		f.oppositeFaces += min(backward, n-backward)
		rest = rest[n:]
	}
}
