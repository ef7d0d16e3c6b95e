// Package lazy defers work. A Value is built when it is first needed. An Upgrade replaces its value
// by a better value when enough work has paid for the construction. Detach runs a function and
// returns as soon as a context ends.
//
//	tree := lazy.New(func(ctx context.Context) (*bvh.Tree, error) { return build(ctx) })
//	t, err := tree.Get(ctx) // the first call builds the tree
package lazy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Value stores a result that the first call of Get or Must builds. New creates a Value. A Value is
// safe for concurrent use.
type Value[T any] struct {
	build func(context.Context) (*T, error)
	built atomic.Pointer[T]

	mu      sync.Mutex
	current *attempt[T] // nil if no attempt is running
}

// attempt is one run of build. An attempt is canceled when no caller waits for it.
type attempt[T any] struct {
	waiting  int // number of callers that wait; guarded by Value.mu
	cancel   context.CancelFunc
	done     chan struct{} // closed when the fields below are set
	value    *T
	err      error
	panicked any
}

// New returns a Value that calls build to compute its content. After an error of build, the next call
// of Get tries again. For Must, the only error of build can be that of its context.
func New[T any](build func(context.Context) (*T, error)) *Value[T] {
	return &Value[T]{build: build}
}

// Get returns the value. The first call starts an attempt to build the value on another goroutine.
// All calls wait for that attempt. If ctx ends first, Get returns the error of ctx at once. The
// attempt continues if another caller waits, and is canceled otherwise. If build panics, all
// waiting callers panic. Get allocates no memory after the value is built.
func (v *Value[T]) Get(ctx context.Context) (*T, error) {
	if p := v.built.Load(); p != nil {
		return p, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := v.wait(ctx)
	if a == nil {
		return v.built.Load(), nil
	}
	select {
	case <-a.done:
		if a.panicked != nil {
			panic(a.panicked)
		}
		return a.value, a.err
	case <-ctx.Done():
		v.cancelWait(a)
		return nil, ctx.Err()
	}
}

// Must returns the value as Get does, but the call cannot be interrupted.
func (v *Value[T]) Must() *T {
	p, err := v.Get(context.Background())
	if err != nil {
		panic("lazy: " + err.Error()) // build failed although its context had not ended
	}
	return p
}

// Built reports whether the value has been built.
func (v *Value[T]) Built() bool { return v.built.Load() != nil }

// wait registers a caller with the current attempt, and starts an attempt if none is running. It
// returns nil if the value has been built. ctx is the context of the caller.
func (v *Value[T]) wait(ctx context.Context) *attempt[T] {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.built.Load() != nil {
		return nil
	}
	if v.current == nil {
		own, cancel := context.WithCancel(context.Background())
		v.current = &attempt[T]{cancel: cancel, done: make(chan struct{})}
		go v.run(attemptContext{own, ctx}, v.current)
	}
	v.current.waiting++
	return v.current
}

// attemptContext is the context of an attempt. It ends when no caller waits. Err also calls Err of
// the caller that started the attempt, because that method can do more than return an error: in
// WebAssembly, it lets other events happen.
type attemptContext struct {
	context.Context
	caller context.Context
}

func (c attemptContext) Err() error {
	_ = c.caller.Err() // the attempt can outlive this caller
	return c.Context.Err()
}

// cancelWait unregisters a caller from a, and cancels a if no caller is left.
func (v *Value[T]) cancelWait(a *attempt[T]) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a.waiting--; a.waiting > 0 {
		return
	}
	a.cancel()
	if v.current == a {
		v.current = nil
	}
}

func (v *Value[T]) run(ctx context.Context, a *attempt[T]) {
	defer func() {
		a.panicked = recover()
		v.mu.Lock()
		defer v.mu.Unlock()
		if a.panicked == nil && a.err == nil {
			v.built.CompareAndSwap(nil, a.value)
		}
		if v.current == a {
			v.current = nil
		}
		a.cancel()
		close(a.done)
	}()
	a.err = errExited
	a.value, a.err = v.build(ctx)
}

// errExited is the error of a function that calls runtime.Goexit instead of returning.
var errExited = errors.New("the function ended its goroutine")

// Progress reports the progress of a stage. It can be nil.
type Progress func(stage string, done, total int64)

// Report calls p unless p is nil.
func (p Progress) Report(stage string, done, total int64) {
	if p != nil {
		p(stage, done, total)
	}
}

// Detach runs f on another goroutine and returns its results. If ctx ends first, Detach returns the
// error of ctx at once, while f continues. f should check ctx, but it can contain long steps that
// cannot check ctx, such as clearing a gigabyte. If f panics while Detach waits, Detach panics with
// the same value. f reports its progress to gated. The caller gets these reports until Detach
// returns.
func Detach[T any](ctx context.Context, progress Progress, f func(gated Progress) (*T, error)) (*T, error) {
	gated, stop := Gate(progress)
	defer stop()
	return New(func(context.Context) (*T, error) { return f(gated) }).Get(ctx)
}

// Gate returns a Progress that passes its reports to the given Progress until stop is called. Calls
// of the given Progress never overlap, and none is running when stop returns. If the given Progress
// is nil, gated is nil.
func Gate(progress Progress) (gated Progress, stop func()) {
	if progress == nil {
		return nil, func() {}
	}
	var mu sync.Mutex
	stopped := false
	gated = func(stage string, done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			progress(stage, done, total)
		}
	}
	return gated, func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}
