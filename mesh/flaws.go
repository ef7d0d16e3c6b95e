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

// findFlaws collects examples of edges, counts duplicate faces and tells the
// components that are watertight or closed.
func (d *Diagnosis) findFlaws(ctx context.Context, m *Mesh, p *partition) error {
	found, err := sweepEdges(ctx, m.Faces, len(m.Vertices), 0, func(f *flaws, edge []halfEdge) {
		f.visit(m, p, edge)
	})
	if err != nil {
		return err
	}
	for i := range d.Components {
		d.Components[i].Closed, d.Components[i].Watertight = true, true
	}
	for _, e := range m.boundary {
		d.Components[p.ofVertex[e.A]].Closed = false
	}
	for _, f := range found {
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

// countCopies counts triangles with the same three vertices: all of them share
// the edge of the two smallest, and there have the same apex.
func (f *flaws) countCopies(m *Mesh, edge []halfEdge) {
	f.scratch = f.scratch[:0]
	for _, h := range edge {
		t := m.Faces[h.face()]
		if apex := t[0] ^ t[1] ^ t[2] ^ h.lo ^ h.hi; apex > h.hi {
			f.scratch = append(f.scratch, copyOf{apex, h.face(), h.backward()})
		}
	}
	if len(f.scratch) < 2 {
		return
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
