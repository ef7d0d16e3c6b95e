package mesh

import "slices"

// Components labels every face with the number of its component: faces are in
// one component if welded vertices connect them. Components are numbered in the
// order of their first face. Faces that lost a corner to welding connect nothing
// and have the label −1. n is the number of components.
func (m *Mesh) Components() (labels []int32, n int) {
	labels, _, n = m.label()
	return labels, n
}

// label is Components, and labels the vertices as well; a vertex that only faces
// without label use has −1.
func (m *Mesh) label() (faces, vertices []int32, n int) {
	sets := newDisjointSets(len(m.Vertices))
	for _, t := range m.Faces {
		if !collapsed(t) {
			sets.union(t[0], t[1])
			sets.union(t[1], t[2])
		}
	}
	faces, vertices = make([]int32, len(m.Faces)), slices.Repeat([]int32{-1}, len(m.Vertices))
	for f, t := range m.Faces {
		if collapsed(t) {
			faces[f] = -1
			continue
		}
		number := &vertices[sets.find(t[0])]
		if *number < 0 {
			*number = int32(n)
			n++
		}
		faces[f] = *number
	}
	for v := range vertices { // the root of a set is its smallest vertex, and came first
		vertices[v] = vertices[sets.find(int32(v))]
	}
	return faces, vertices, n
}

// disjointSets is a union-find forest over small integers. A set is named by its
// smallest element, so that names do not depend on the order of unions.
type disjointSets []int32

// newDisjointSets returns n sets of one element each.
func newDisjointSets(n int) disjointSets {
	s := make(disjointSets, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// find returns the smallest element of the set of i, and halves the path to it.
func (s disjointSets) find(i int32) int32 {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// union joins the sets of i and j.
func (s disjointSets) union(i, j int32) {
	i, j = s.find(i), s.find(j)
	if i < j {
		s[j] = i
	} else {
		s[i] = j
	}
}
