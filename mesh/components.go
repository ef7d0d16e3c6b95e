package mesh

import (
	"context"
	"slices"

	"github.com/inpoly/inpoly/internal/disjoint"
)

// Components labels every face with the number of its component: faces are in
// one component if welded vertices connect them. Components are numbered in the
// order of their first face. Faces that lost a corner to welding connect nothing
// and have the label −1. n is the number of components.
func (m *Mesh) Components() (labels []int32, n int) {
	labels, _, n, err := m.label(context.Background())
	mustNotFail(err)
	return labels, n
}

// label is Components, and labels the vertices as well; a vertex that only faces
// without label use has −1.
func (m *Mesh) label(ctx context.Context) (faces, vertices []int32, n int, err error) {
	sets, err := newSets(ctx, len(m.Vertices))
	if err != nil {
		return nil, nil, 0, err
	}
	err = inOrder(ctx, len(m.Faces), func(lo, hi int) error {
		for _, t := range m.Faces[lo:hi] {
			if !collapsed(t) {
				sets.Union(t[0], t[1])
				sets.Union(t[1], t[2])
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, 0, err
	}
	faces, vertices = make([]int32, len(m.Faces)), slices.Repeat([]int32{-1}, len(m.Vertices))
	err = inOrder(ctx, len(m.Faces), func(lo, hi int) error {
		faces, vertices := faces, vertices // the results themselves are captured by reference
		for f := lo; f < hi; f++ {
			t := m.Faces[f]
			if collapsed(t) {
				faces[f] = -1
				continue
			}
			number := &vertices[sets.Find(t[0])]
			if *number < 0 {
				*number = int32(n)
				n++
			}
			faces[f] = *number
		}
		return nil
	})
	if err != nil {
		return nil, nil, 0, err
	}
	err = inOrder(ctx, len(vertices), func(lo, hi int) error {
		for v := lo; v < hi; v++ { // the root of a set is its smallest vertex, and came first
			vertices[v] = vertices[sets.Find(int32(v))]
		}
		return nil
	})
	return faces, vertices, n, err
}

// newSets returns n sets of one element each.
func newSets(ctx context.Context, n int) (disjoint.Sets, error) {
	s := make(disjoint.Sets, n)
	return s, inOrder(ctx, n, func(lo, hi int) error {
		s.Reset(lo, hi)
		return nil
	})
}
