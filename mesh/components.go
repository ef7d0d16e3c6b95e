package mesh

import (
	"context"
	"slices"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/disjoint"
)

// Components labels every face with the number of its component. Two faces that share a welded
// vertex are in the same component. Components are numbered in the order of their first faces. A
// face that lost a corner to welding has the label −1 and does not connect vertices. n is the
// number of components.
func (m *Mesh) Components() (labels []int32, n int) {
	labels, _, n, err := m.label(context.Background())
	mustNotFail(err)
	return labels, n
}

// label returns the labels of Components, and a label for each vertex. A vertex has the label −1 if
// all faces that use the vertex have the label −1.
func (m *Mesh) label(ctx context.Context) (faces, vertices []int32, n int, err error) {
	sets, err := newSets(ctx, len(m.Vertices))
	if err != nil {
		return nil, nil, 0, err
	}
	err = inOrder(ctx, len(m.Faces), func(lo, hi int) {
		for _, t := range m.Faces[lo:hi] {
			if !collapsed(t) {
				sets.Union(t[0], t[1])
				sets.Union(t[1], t[2])
			}
		}
	})
	if err != nil {
		return nil, nil, 0, err
	}
	faces, vertices = make([]int32, len(m.Faces)), slices.Repeat([]int32{-1}, len(m.Vertices))
	err = inOrder(ctx, len(m.Faces), func(lo, hi int) {
		faces, vertices := faces, vertices // local copies of the captured results
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
	})
	if err != nil {
		return nil, nil, 0, err
	}
	err = inOrder(ctx, len(vertices), func(lo, hi int) {
		for v := lo; v < hi; v++ { // the root of each set already has the label of the set
			vertices[v] = vertices[sets.Find(int32(v))]
		}
	})
	return faces, vertices, n, err
}

// newSets returns n sets of one element each.
func newSets(ctx context.Context, n int) (disjoint.Sets, error) {
	s := make(disjoint.Sets, n)
	return s, inOrder(ctx, n, s.Reset)
}

// partition is a mesh divided into its components.
type partition struct {
	labels     []int32 // component of each face; −1 for a collapsed face
	ofVertex   []int32 // component of each vertex; −1 if only collapsed faces use the vertex
	collapsed  int     // number of collapsed faces
	vertices   int     // number of vertices that belong to a component
	components []Component

	area, volume, volumeError, shortest float64 // sums over the mesh, and its shortest edge; see measure
}

// newPartition finds the components of m. It sets First, Faces, Box and Closed of each component.
func newPartition(ctx context.Context, m *Mesh) (*partition, error) {
	labels, ofVertex, n, err := m.label(ctx)
	if err != nil {
		return nil, err
	}
	p := &partition{labels: labels, ofVertex: ofVertex, components: make([]Component, n)}
	err = inOrder(ctx, len(labels), func(lo, hi int) {
		for f := lo; f < hi; f++ {
			if l := labels[f]; l >= 0 {
				c := &p.components[l]
				if c.Faces == 0 {
					c.First, c.Box, c.Closed = int32(f), bvh.EmptyBox(), true
				}
				c.Faces++
			} else {
				p.collapsed++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	err = inOrder(ctx, len(ofVertex), func(lo, hi int) {
		for v := lo; v < hi; v++ {
			if l := ofVertex[v]; l >= 0 {
				p.vertices++
				p.components[l].Box = p.components[l].Box.Add(m.Vertices[v])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return p, inOrder(ctx, len(m.boundary), func(lo, hi int) {
		for _, e := range m.boundary[lo:hi] {
			p.components[ofVertex[e.A]].Closed = false
		}
	})
}
