// Package disjoint has union-find forests over the integers from 0 to n−1. Sets stores only the
// partition. Weighted also stores differences between values of the elements. These two types are
// not safe for concurrent use, because Find shortens paths. Shared is like Sets, and is safe for
// concurrent use.
package disjoint

import "sync/atomic"

// Sets is a partition of the integers from 0 to len−1. The smallest element of a set identifies the
// set, so the result of Find does not depend on the order of unions.
type Sets []int32

// New returns n sets with one element each.
func New(n int) Sets {
	s := make(Sets, n)
	s.Reset(0, n)
	return s
}

// Reset turns each element from lo to hi−1 into a set with one element. If New did not create s,
// the caller must reset all elements before the first union.
func (s Sets) Reset(lo, hi int) {
	for i := lo; i < hi; i++ {
		s[i] = int32(i)
	}
}

// Find returns the smallest element of the set that contains i. It halves the path to that element.
func (s Sets) Find(i int32) int32 {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// Union joins the sets that contain i and j.
func (s Sets) Union(i, j int32) {
	i, j = s.Find(i), s.Find(j)
	if i < j {
		s[j] = i
	} else {
		s[i] = j
	}
}

// Shared is a partition of the integers from 0 to len−1. It is like Sets, but several goroutines can
// call Find and Union at the same time. The smallest element of a set identifies the set.
type Shared []int32

// Reset turns each element from lo to hi−1 into a set with one element. The caller must reset all
// elements before the first union.
func (s Shared) Reset(lo, hi int) {
	for i := lo; i < hi; i++ {
		s[i] = int32(i)
	}
}

// Find returns the smallest element of the set that contains i. During calls of Union, it can return
// another element that was the smallest element of the set.
func (s Shared) Find(i int32) int32 {
	for {
		parent := atomic.LoadInt32(&s[i])
		if parent == i {
			return i
		}
		next := atomic.LoadInt32(&s[parent])
		if next != parent {
			// Another goroutine can have stored a smaller ancestor. Overwriting it is harmless, because
			// every ancestor remains an ancestor.
			atomic.StoreInt32(&s[i], next)
		}
		i = next
	}
}

// Union joins the sets that contain i and j.
func (s Shared) Union(i, j int32) {
	for {
		i, j = s.Find(i), s.Find(j)
		if i == j {
			return
		}
		if i > j {
			i, j = j, i
		}
		// The parent of an element is smaller than the element, so no cycle is possible.
		if atomic.CompareAndSwapInt32(&s[j], j, i) {
			return
		}
	}
}

// Weighted is a partition of the integers from 0 to n−1. Each element has an integer value. A
// Weighted stores the differences between the values of elements in the same set. The value of
// element 0 is 0, so all values in the set of element 0 are known.
type Weighted struct {
	parent []int32
	diff   []int32 // value of the element minus the value of its parent
}

// NewWeighted returns n sets with one element each.
func NewWeighted(n int) *Weighted { return &Weighted{New(n), make([]int32, n)} }

// Len returns the number of elements.
func (u *Weighted) Len() int { return len(u.parent) }

// Find returns the smallest element of the set that contains i, and the value of i minus the value
// of that element. It compresses the path to that element.
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

// Union joins the sets that contain a and b, such that the value of a minus the value of b is d. It
// does nothing if a and b are in the same set.
func (u *Weighted) Union(a, b, d int32) {
	ra, da := u.Find(a)
	rb, db := u.Find(b)
	if ra == rb {
		return
	}
	// The method Find sets da = value(a) − value(ra) and db = value(b) − value(rb).
	if ra < rb {
		u.parent[rb], u.diff[rb] = ra, da-d-db
	} else {
		u.parent[ra], u.diff[ra] = rb, d+db-da
	}
}

// Value returns the value of i. ok is false if i is not in the set that contains 0.
func (u *Weighted) Value(i int32) (value int32, ok bool) {
	root, diff := u.Find(i)
	return diff, root == 0
}
