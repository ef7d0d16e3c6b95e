package mesh

import "slices"

// Components labels every face with the number of its component: faces are in
// one component if welded vertices connect them. Components are numbered in the
// order of their first face. Faces that lost a corner to welding connect nothing
// and have the label −1. n is the number of components.
func (m *Mesh) Components() (labels []int32, n int) {
	sets := newDisjointSets(len(m.Vertices))
	for _, t := range m.Faces {
		if !collapsed(t) {
			sets.union(t[0], t[1])
			sets.union(t[1], t[2])
		}
	}
	return labelFaces(m.Faces, func(f int) int32 { return sets.find(m.Faces[f][0]) }, len(m.Vertices))
}

// labelFaces numbers the values of root, in [0, roots), in the order in which
// faces show them; faces that lost a corner get −1.
func labelFaces(faces [][3]int32, root func(f int) int32, roots int) (labels []int32, n int) {
	labels = make([]int32, len(faces))
	number := slices.Repeat([]int32{-1}, roots)
	for f, t := range faces {
		if collapsed(t) {
			labels[f] = -1
			continue
		}
		r := root(f)
		if number[r] < 0 {
			number[r] = int32(n)
			n++
		}
		labels[f] = number[r]
	}
	return labels, n
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
