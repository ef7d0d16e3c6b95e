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

	current  atomic.Pointer[T]
	final    atomic.Bool   // no better value follows
	work     atomic.Int64  // work since the current value was stored
	building chan struct{} // has an element while a better value is built
}

// NewUpgrade returns an Upgrade of the given first value.
//
// pays reports whether the work done with the current value has paid for a better value. The caller
// chooses the unit of work. Several goroutines call pays at the same time, and often.
//
// build computes a better value with the given number of workers. It can also return the current
// value. If final is true, no better value follows. Only one goroutine at a time calls build. If
// build fails, its error must be the error of its context.
func NewUpgrade[T any](first T, pays func(current T, work int64) bool,
	build func(ctx context.Context, current T, work int64, workers int) (next T, final bool, err error)) *Upgrade[T] {
	u := &Upgrade[T]{pays: pays, build: build, building: make(chan struct{}, 1)}
	u.current.Store(&first)
	return u
}

// Current returns the current value. It counts no work and builds nothing.
func (u *Upgrade[T]) Current() T { return *u.current.Load() }

// Final reports whether no better value follows the current one.
func (u *Upgrade[T]) Final() bool { return u.final.Load() }

// For adds work, which must not be negative, to the count. It returns the value that the caller
// must use for this work. If the count pays for a better value, one call builds the better value
// with the given number of workers, and other calls wait for it. If ctx ends first, For returns the
// current value and the error of ctx. A later call starts the build again.
func (u *Upgrade[T]) For(ctx context.Context, work int64, workers int) (T, error) {
	current := u.current.Load()
	if u.final.Load() {
		return *u.current.Load(), nil
	}
	if !u.pays(*current, u.add(work)) {
		return *current, nil
	}
	select {
	case u.building <- struct{}{}:
		defer func() { <-u.building }()
	case <-ctx.Done():
		return *current, ctx.Err()
	}
	if u.current.Load() != current || u.final.Load() { // another caller has just upgraded the value
		return *u.current.Load(), nil
	}
	next, final, err := u.build(ctx, *current, u.work.Load(), workers)
	if err != nil {
		return *current, err
	}
	u.work.Store(0)
	u.current.Store(&next)
	u.final.Store(final)
	return next, nil
}

// most is the count of work at which counting stops, so that the count cannot overflow.
const most = 1 << 62

func (u *Upgrade[T]) add(work int64) int64 {
	if total := u.work.Load(); total >= most {
		return total
	}
	return u.work.Add(min(work, most))
}
