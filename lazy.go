package inpoly

import (
	"context"
	"sync"
	"sync/atomic"
)

// lazy is a value that is built when it is first asked for, and once. Use newLazy.
type lazy[T any] struct {
	build func(context.Context) (*T, error)
	ready atomic.Pointer[T]

	mu      sync.Mutex
	current *attempt[T] // nil if none is under way
}

// attempt is one run of build. It ends early when nobody waits for it any more.
type attempt[T any] struct {
	waiting  int // guarded by lazy.mu
	cancel   context.CancelFunc
	done     chan struct{} // closed when the fields below are set
	value    *T
	err      error
	panicked any
}

// newLazy returns a lazy that build makes. build must fail only with the error of
// its context.
func newLazy[T any](build func(context.Context) (*T, error)) *lazy[T] {
	return &lazy[T]{build: build}
}

// get returns the value. The first call builds it, calls meanwhile wait for the
// same attempt, later ones find it. When ctx ends first its error is returned at
// once; the attempt goes on as long as somebody else waits for it, else its
// context ends and the next call makes another one. A panic of build is passed on
// to all who wait. Once the value is there get does not allocate.
func (l *lazy[T]) get(ctx context.Context) (*T, error) {
	if v := l.ready.Load(); v != nil {
		return v, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := l.join()
	if a == nil {
		return l.ready.Load(), nil
	}
	select {
	case <-a.done:
		if a.panicked != nil {
			panic(a.panicked)
		}
		return a.value, a.err
	case <-ctx.Done():
		l.leave(a)
		return nil, ctx.Err()
	}
}

// there reports whether the value has been built.
func (l *lazy[T]) there() bool { return l.ready.Load() != nil }

// join waits for the current attempt, or a new one; nil if the value is there.
func (l *lazy[T]) join() *attempt[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ready.Load() != nil {
		return nil
	}
	if l.current == nil {
		ctx, cancel := context.WithCancel(context.Background())
		l.current = &attempt[T]{cancel: cancel, done: make(chan struct{})}
		go l.run(ctx, l.current)
	}
	l.current.waiting++
	return l.current
}

// leave stops waiting for a, and a itself if nobody else waits.
func (l *lazy[T]) leave(a *attempt[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.waiting--; a.waiting > 0 {
		return
	}
	a.cancel()
	if l.current == a {
		l.current = nil
	}
}

// run makes the value.
func (l *lazy[T]) run(ctx context.Context, a *attempt[T]) {
	defer func() {
		a.panicked = recover()
		l.mu.Lock()
		defer l.mu.Unlock()
		if a.panicked == nil && a.err == nil {
			l.ready.CompareAndSwap(nil, a.value)
		}
		if l.current == a {
			l.current = nil
		}
		a.cancel()
		close(a.done)
	}()
	a.value, a.err = l.build(ctx)
}
