package mesh

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/disjoint"
	"github.com/inpoly/inpoly/internal/par"
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

// connect returns the sets of vertices that triangles connect.
func (m *Mesh) connect(ctx context.Context) (disjoint.Shared, error) {
	sets := make(disjoint.Shared, len(m.Vertices))
	err := par.Blocks(ctx, len(sets), blockFor(len(sets), 0, blockSize), 0, func(_, lo, hi int) { sets.Reset(lo, hi) })
	if err != nil {
		return nil, err
	}
	return sets, par.Blocks(ctx, len(m.Faces), blockFor(len(m.Faces), 0, blockSize), 0, func(_, lo, hi int) {
		for _, t := range m.Faces[lo:hi] {
			if !collapsed(t) {
				sets.Union(t[0], t[1])
				sets.Union(t[1], t[2])
			}
		}
	})
}

// isSingle reports whether there is exactly one set.
func isSingle(ctx context.Context, sets disjoint.Shared) (bool, error) {
	var several atomic.Bool
	err := par.Blocks(ctx, len(sets), blockFor(len(sets), 0, blockSize), 0, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			if sets.Find(int32(v)) != 0 {
				several.Store(true)
				return
			}
		}
	})
	return len(sets) > 0 && !several.Load(), err
}

// label returns the labels of Components, and a label for each vertex. A vertex has the label −1 if
// all faces that use the vertex have the label −1.
func (m *Mesh) label(ctx context.Context) (faces, vertices []int32, n int, err error) {
	sets, err := m.connect(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	return m.labelSets(ctx, sets)
}

// labelSets returns the same results as label, for the sets of connect.
func (m *Mesh) labelSets(ctx context.Context, sets disjoint.Shared) (faces, vertices []int32, n int, err error) {
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
	labels     []int32 // component of each face; −1 for a collapsed face; nil if there is one component
	ofVertex   []int32 // component of each vertex; −1 if only collapsed faces use the vertex; nil if component 0 has all vertices
	collapsed  int     // number of collapsed faces
	vertices   int     // number of vertices that belong to a component
	components []Component

	area, volume, volumeError, shortest float64 // sums over the mesh, and its shortest edge; see measure
}

// newPartition finds the components of m. It sets First, Faces, Box and Closed of each component.
func newPartition(ctx context.Context, m *Mesh) (*partition, error) {
	sets, err := m.connect(ctx)
	if err != nil {
		return nil, err
	}
	if single, err := isSingle(ctx, sets); err != nil {
		return nil, err
	} else if single {
		if p := singlePartition(m); p.components[0].Faces > 0 {
			return p, nil
		}
	}
	labels, ofVertex, n, err := m.labelSets(ctx, sets)
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

// singlePartition returns the partition of a mesh in which all vertices are connected. If all faces
// are collapsed, the component has no faces.
func singlePartition(m *Mesh) *partition {
	p := &partition{vertices: len(m.Vertices)}
	for _, f := range m.degenerate {
		if collapsed(m.Faces[f]) {
			p.collapsed++
		}
	}
	first := 0
	for first < len(m.Faces) && collapsed(m.Faces[first]) {
		first++
	}
	p.components = []Component{{First: int32(first), Faces: int32(len(m.Faces) - p.collapsed), Closed: m.Closed(), Box: m.box}}
	return p
}
