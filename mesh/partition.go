package mesh

import (
	"context"

	"github.com/inpoly/inpoly/bvh"
)

// partition is a mesh taken apart into its components.
type partition struct {
	labels     []int32 // component of each face, −1 for collapsed ones
	ofVertex   []int32 // component of each vertex, −1 where only collapsed faces use it
	vertices   int     // vertices with a component
	components []Component

	area, volume, volumeError, shortest float64 // of the whole mesh, once measured
}

// newPartition finds the components of m, their boxes, and which are closed.
func newPartition(ctx context.Context, m *Mesh) (*partition, error) {
	labels, ofVertex, n, err := m.label(ctx)
	if err != nil {
		return nil, err
	}
	p := &partition{labels: labels, ofVertex: ofVertex, components: make([]Component, n)}
	err = inOrder(ctx, len(labels), func(lo, hi int) error {
		for f := lo; f < hi; f++ {
			if l := labels[f]; l >= 0 {
				c := &p.components[l]
				if c.Faces == 0 {
					c.First, c.Box, c.Closed = int32(f), bvh.EmptyBox(), true
				}
				c.Faces++
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = inOrder(ctx, len(ofVertex), func(lo, hi int) error {
		for v := lo; v < hi; v++ {
			if l := ofVertex[v]; l >= 0 {
				p.vertices++
				p.components[l].Box = p.components[l].Box.Add(m.Vertices[v])
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, inOrder(ctx, len(m.boundary), func(lo, hi int) error {
		for _, e := range m.boundary[lo:hi] {
			p.components[ofVertex[e.A]].Closed = false
		}
		return nil
	})
}
