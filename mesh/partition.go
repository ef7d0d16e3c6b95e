package mesh

import "github.com/inpoly/inpoly/bvh"

// partition is a mesh taken apart into its components.
type partition struct {
	labels     []int32 // component of each face, −1 for collapsed ones
	ofVertex   []int32 // component of each vertex, −1 where only collapsed faces use it
	vertices   int     // vertices with a component
	components []Component

	area, volume, volumeError, shortest float64 // of the whole mesh, once measured
}

// newPartition finds the components of m, their boxes, and which are closed.
func newPartition(m *Mesh) *partition {
	labels, ofVertex, n := m.label()
	p := &partition{labels: labels, ofVertex: ofVertex, components: make([]Component, n)}
	for f, l := range labels {
		if l >= 0 {
			c := &p.components[l]
			if c.Faces == 0 {
				c.First, c.Box, c.Closed = int32(f), bvh.EmptyBox(), true
			}
			c.Faces++
		}
	}
	for v, l := range ofVertex {
		if l >= 0 {
			p.vertices++
			p.components[l].Box = p.components[l].Box.Add(m.Vertices[v])
		}
	}
	for _, e := range m.boundary {
		p.components[ofVertex[e.A]].Closed = false
	}
	return p
}
