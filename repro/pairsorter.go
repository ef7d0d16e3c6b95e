package main

import "github.com/inpoly/inpoly/neighbor"

// pairSorter puts pairs in order of A, then B, in linear time: it counts the pairs of each A,
// and sorts those few by insertion.
type pairSorter struct {
	found  []neighbor.Pair
	sorted []neighbor.Pair
	starts []int32
}

// reset forgets the pairs; n particles follow.
func (s *pairSorter) reset(n int) {
	s.found = s.found[:0]
	if cap(s.starts) < n+1 {
		s.starts = make([]int32, n+1)
	}
	s.starts = s.starts[:n+1]
	clear(s.starts)
}

// add adds a pair, in either order.
func (s *pairSorter) add(i, j int32) {
	p := neighbor.Pair{A: min(i, j), B: max(i, j)}
	s.found = append(s.found, p)
	s.starts[p.A+1]++
}

// sort makes sorted from found.
func (s *pairSorter) sort() {
	for i := 1; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	if cap(s.sorted) < len(s.found) {
		s.sorted = make([]neighbor.Pair, len(s.found), 2*len(s.found))
	}
	s.sorted = s.sorted[:len(s.found)]
	for _, p := range s.found { // starts[A] moves to the end of the pairs of A
		s.sorted[s.starts[p.A]] = p
		s.starts[p.A]++
	}
	for i := 1; i < len(s.sorted); i++ {
		p, k := s.sorted[i], i
		for ; k > 0 && s.sorted[k-1].A == p.A && s.sorted[k-1].B > p.B; k-- {
			s.sorted[k] = s.sorted[k-1]
		}
		s.sorted[k] = p
	}
}
