package lazy

import (
	"context"
	"sync/atomic"
)

// Upgrade holds a value and counts the work done with that value. When the work has cost as much as
// building a better value, the Upgrade builds the better value. The total cost is then at most
// twice the cost of the best choice in hindsight (the ski rental problem). NewUpgrade creates an
// Upgrade. An Upgrade is safe for concurrent use.
type Upgrade[T any] struct {
	pays  func(current T, work int64) bool
	build func(ctx context.Context, current T, work int64, workers int) (next T, final bool, err error)

	current  atomic.Pointer[stage[T]]
	building chan struct{} // has an element while a better value is built
}

// stage is a value with the count of the work done with it. Each value has its own count. So a
// caller that still has an old value sees from this count that a better value has been paid for.
type stage[T any] struct {
	value T
	final bool // no better value follows
	work  atomic.Int64
}

// NewUpgrade returns an Upgrade of the given first value.
//
// pays reports whether the work done with the current value has paid for a better value. The caller
// chooses the unit of work. Several goroutines call pays at the same time, and often.
//
// build computes a better value with the given number of workers. build can also return the current
// value. If final is true, no better value follows. Only one goroutine at a time calls build. If
// build fails, its error must be the error of its context.
func NewUpgrade[T any](first T, pays func(current T, work int64) bool,
	build func(ctx context.Context, current T, work int64, workers int) (next T, final bool, err error)) *Upgrade[T] {
	u := &Upgrade[T]{pays: pays, build: build, building: make(chan struct{}, 1)}
	u.current.Store(&stage[T]{value: first})
	return u
}

// Current returns the current value. It counts no work and builds nothing.
func (u *Upgrade[T]) Current() T { return u.current.Load().value }

// Final reports whether no better value follows the current one.
func (u *Upgrade[T]) Final() bool { return u.current.Load().final }

// Add adds work, which must not be negative, to the count. It builds nothing.
func (u *Upgrade[T]) Add(work int64) { u.current.Load().add(work) }

// Work returns the count of the work done with the current value.
func (u *Upgrade[T]) Work() int64 { return u.current.Load().work.Load() }

// For adds work, which must not be negative, to the count. It returns the value that the caller
// must use for this work. If the count pays for a better value, one call builds the better value
// with the given number of workers, and other calls wait for it. If ctx ends first, For returns the
// current value and the error of ctx. A later call starts the build again.
func (u *Upgrade[T]) For(ctx context.Context, work int64, workers int) (T, error) {
	s := u.current.Load()
	if s.final || !u.pays(s.value, s.add(work)) {
		return s.value, nil
	}
	select {
	case u.building <- struct{}{}:
		defer func() { <-u.building }()
	case <-ctx.Done():
		return s.value, ctx.Err()
	}
	if now := u.current.Load(); now != s { // another caller has built a better value
		now.add(work)
		return now.value, nil
	}
	next := &stage[T]{}
	var err error
	if next.value, next.final, err = u.build(ctx, s.value, s.work.Load(), workers); err != nil {
		return s.value, err
	}
	u.current.Store(next)
	return next.value, nil
}

// most is the count of work at which counting stops, so that the count cannot overflow.
const most = 1 << 62

func (s *stage[T]) add(work int64) int64 {
	if total := s.work.Load(); total >= most {
		return total
	}
	return s.work.Add(min(work, most))
}
