// Package disjoint has union-find forests over the integers 0 to n−1: Sets, and
// Weighted, which also knows how values of the elements differ. Neither is safe for
// concurrent use: finding an element shortens paths.
package disjoint

// Sets is a partition of 0 to len−1. A set is named by its smallest element, so
// names do not depend on the order of unions.
type Sets []int32

// New returns n sets of one element each.
func New(n int) Sets {
	s := make(Sets, n)
	s.Reset(0, n)
	return s
}

// Reset makes each of the elements lo to hi−1 a set of its own. All elements of a
// Sets that was not made by New must be reset before the first union.
func (s Sets) Reset(lo, hi int) {
	for i := lo; i < hi; i++ {
		s[i] = int32(i)
	}
}

// Find returns the smallest element of the set of i, and halves the path to it.
func (s Sets) Find(i int32) int32 {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// Union joins the sets of i and j.
func (s Sets) Union(i, j int32) {
	i, j = s.Find(i), s.Find(j)
	if i < j {
		s[j] = i
	} else {
		s[i] = j
	}
}

// Weighted is a partition of 0 to n−1 whose elements have integer values. Within a
// set the differences of values are known. The value of element 0 is 0, so the
// values of its set are known.
type Weighted struct {
	parent []int32
	diff   []int32 // value of the element minus the value of its parent
}

// NewWeighted returns n sets of one element each.
func NewWeighted(n int) *Weighted { return &Weighted{New(n), make([]int32, n)} }

// Len returns the number of elements.
func (u *Weighted) Len() int { return len(u.parent) }

// Find returns the smallest element of the set of i, and the value of i minus the
// value of that element. It compresses the path.
func (u *Weighted) Find(i int32) (root, diff int32) {
	root = i
	for u.parent[root] != root {
		diff += u.diff[root]
		root = u.parent[root]
	}
	for d := diff; u.parent[i] != root && i != root; {
		next, step := u.parent[i], u.diff[i]
		u.parent[i], u.diff[i] = root, d
		i, d = next, d-step
	}
	return root, diff
}

// Union records that the value of a minus the value of b is d, and joins their sets.
// It does nothing if they are joined already.
func (u *Weighted) Union(a, b, d int32) {
	ra, da := u.Find(a)
	rb, db := u.Find(b)
	if ra == rb {
		return
	}
	// value(ra) = value(a) − da, value(rb) = value(b) − db.
	if ra < rb {
		u.parent[rb], u.diff[rb] = ra, da-d-db
	} else {
		u.parent[ra], u.diff[ra] = rb, d+db-da
	}
}

// Value returns the value of i; ok is false unless i is in the set of 0.
func (u *Weighted) Value(i int32) (value int32, ok bool) {
	root, diff := u.Find(i)
	return diff, root == 0
}
