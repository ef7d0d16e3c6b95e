package lazy

import (
	"context"
	"sync"
	"sync/atomic"
)

// Upgrade holds a value that serves at once, and replaces it by a better one when the
// work asked for has paid for building that. An upgrade pays once the cost of the work
// equals the cost of building it. Then the total cost is never more than twice the cost
// of the best choice in hindsight (the ski rental problem). It is safe for concurrent
// use. Use NewUpgrade.
type Upgrade[T any] struct {
	pays  func(current T, work int64) bool
	build func(ctx context.Context, current T, work int64, workers int) (next T, final bool, err error)

	current atomic.Pointer[T]
	final   atomic.Bool  // no better value follows
	work    atomic.Int64 // asked for since the current value is there
	mu      sync.Mutex   // held while a better value is built
}

// NewUpgrade returns an Upgrade that holds first.
//
// pays reports whether the work done with the current value, in units of the
// caller's choice, is enough to build a better one. It is called often, by several
// goroutines at a time.
//
// build returns the next value, built by the given number of workers; final means that no
// better one follows, and next may be current. It is called by one goroutine at a time
// and must fail only with the error of its context.
func NewUpgrade[T any](first T, pays func(current T, work int64) bool,
	build func(ctx context.Context, current T, work int64, workers int) (next T, final bool, err error)) *Upgrade[T] {
	u := &Upgrade[T]{pays: pays, build: build}
	u.current.Store(&first)
	return u
}

// Current returns the value that serves now. It counts no work and builds nothing.
func (u *Upgrade[T]) Current() T { return *u.current.Load() }

// Final reports whether no better value follows the current one.
func (u *Upgrade[T]) Final() bool { return u.final.Load() }

// For counts work ≥ 0 and returns the value to do it with. If that work makes a
// better value pay, the caller builds it with the given number of workers; other callers
// keep the current one meanwhile. If ctx ends first, For returns the current value and the error of ctx,
// what was built is lost, and a later call builds again.
func (u *Upgrade[T]) For(ctx context.Context, work int64, workers int) (T, error) {
	current := u.current.Load()
	if u.final.Load() {
		return *u.current.Load(), nil
	}
	if !u.pays(*current, u.add(work)) || !u.mu.TryLock() {
		return *current, nil
	}
	defer u.mu.Unlock()
	if u.current.Load() != current || u.final.Load() { // another caller was faster
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

// most is where the count of work stops, far from overflow.
const most = 1 << 62

// add counts work and returns the total.
func (u *Upgrade[T]) add(work int64) int64 {
	if total := u.work.Load(); total >= most {
		return total
	}
	return u.work.Add(min(work, most))
}
