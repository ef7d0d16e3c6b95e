package fmm

import "sync"

// constants keeps what depends on a degree alone: the matrices of M2M and of L2L. They
// take milliseconds to make, which small plans would feel.
type constants[T any] struct {
	make func(degree int) *T
	kept sync.Map // degree → *T
}

var (
	upwards   = constants[upward]{make: newUpward}
	downwards = constants[downward]{make: newDownward}
)

// of returns that of a degree; the same whoever makes it.
func (c *constants[T]) of(degree int) *T {
	if t, ok := c.kept.Load(degree); ok {
		return t.(*T)
	}
	t, _ := c.kept.LoadOrStore(degree, c.make(degree))
	return t.(*T)
}
