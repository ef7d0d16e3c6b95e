package fmm

import "sync"

// constants keeps what depends on degrees alone, for all plans: the matrices of M2M, L2L and
// coarse M2L. They take milliseconds to make, which small plans would feel.
type constants[K comparable, T any] struct {
	make func(degree K) *T
	kept sync.Map // degree → *T
}

var (
	upwards   = constants[int, upward]{make: newUpward}
	downwards = constants[int, downward]{make: newDownward}
	shared    = constants[degrees, matrices]{make: func(degrees) *matrices { return &matrices{most: mostShared} }}
)

// of returns that of a degree; the same whoever makes it.
func (c *constants[K, T]) of(degree K) *T {
	if t, ok := c.kept.Load(degree); ok {
		return t.(*T)
	}
	t, _ := c.kept.LoadOrStore(degree, c.make(degree))
	return t.(*T)
}
