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

// newPartition finds the components of m and their boxes.
func newPartition(m *Mesh) *partition {
	labels, n := m.Components()
	p := &partition{labels: labels, ofVertex: make([]int32, len(m.Vertices)), components: make([]Component, n)}
	for v := range p.ofVertex {
		p.ofVertex[v] = -1
	}
	for f, l := range labels {
		if l < 0 {
			continue
		}
		c := &p.components[l]
		if c.Faces == 0 {
			c.First, c.Box = int32(f), bvh.EmptyBox()
		}
		c.Faces++
		for _, v := range m.Faces[f] {
			p.ofVertex[v] = l
		}
	}
	for v, l := range p.ofVertex {
		if l >= 0 {
			p.vertices++
			p.components[l].Box = p.components[l].Box.Add(m.Vertices[v])
		}
	}
	return p
}
