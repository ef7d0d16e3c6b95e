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
	built    atomic.Pointer[T]
	attempts attempts
}

// attempts runs a function until it succeeds once. It does not know the type of the result. So a
// program contains this code only once, and not once for each type.
type attempts struct {
	run func(context.Context) error // stores the result if it succeeds

	mu        sync.Mutex
	succeeded bool
	current   *attempt // nil if no attempt is running
}

// attempt is one call of attempts.run. If no caller waits for it any more, the attempt is canceled.
type attempt struct {
	waiting  int // number of callers that wait; guarded by attempts.mu
	cancel   context.CancelFunc
	done     chan struct{} // closed when the fields below are set
	err      error
	panicked any
}

// New returns a Value that calls build to compute its content. After an error of build, the next
// call of Get tries again. If Must is called, build may fail only with the error of its context.
func New[T any](build func(context.Context) (*T, error)) *Value[T] {
	v := &Value[T]{}
	v.attempts.run = func(ctx context.Context) error {
		p, err := build(ctx)
		if err == nil {
			v.built.CompareAndSwap(nil, p)
		}
		return err
	}
	return v
}

// Get returns the value. The first call starts an attempt to build the value on another goroutine.
// All calls wait for that attempt. If ctx ends first, Get returns the error of ctx at once. The
// attempt continues if another caller waits, and is canceled otherwise. If build panics, all
// waiting callers panic. Get allocates no memory after the value is built.
func (v *Value[T]) Get(ctx context.Context) (*T, error) {
	if p := v.built.Load(); p != nil {
		return p, nil
	}
	if err := v.attempts.wait(ctx); err != nil {
		return nil, err
	}
	return v.built.Load(), nil
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

// wait returns when an attempt has succeeded or failed, or with the error of ctx when ctx ends.
func (a *attempts) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := a.join(ctx)
	if c == nil {
		return nil
	}
	select {
	case <-c.done:
		if c.panicked != nil {
			panic(c.panicked)
		}
		return c.err
	case <-ctx.Done():
		a.leave(c)
		return ctx.Err()
	}
}

// join registers a caller with the current attempt, and starts an attempt if none is running. It
// returns nil if an attempt has succeeded. ctx is the context of the caller.
func (a *attempts) join(ctx context.Context) *attempt {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.succeeded {
		return nil
	}
	if a.current == nil {
		own, cancel := context.WithCancel(context.Background())
		a.current = &attempt{cancel: cancel, done: make(chan struct{})}
		go a.start(attemptContext{own, ctx}, a.current)
	}
	a.current.waiting++
	return a.current
}

// attemptContext is the context of an attempt. It ends when no caller waits. Err also calls Err of
// the caller that started the attempt, because in WebAssembly that method also lets other events
// happen.
type attemptContext struct {
	context.Context
	caller context.Context
}

func (c attemptContext) Err() error {
	_ = c.caller.Err() // the attempt can outlive this caller
	return c.Context.Err()
}

// leave unregisters a caller from c, and cancels c if no caller is left.
func (a *attempts) leave(c *attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.waiting--; c.waiting > 0 {
		return
	}
	c.cancel()
	if a.current == c {
		a.current = nil
	}
}

func (a *attempts) start(ctx context.Context, c *attempt) {
	defer func() {
		c.panicked = recover()
		a.mu.Lock()
		defer a.mu.Unlock()
		if c.panicked == nil && c.err == nil {
			a.succeeded = true
		}
		if a.current == c {
			a.current = nil
		}
		c.cancel()
		close(c.done)
	}()
	c.err = errExited
	c.err = a.run(ctx)
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
// the same value. Reports that f makes to gated reach progress until Detach returns.
func Detach[T any](ctx context.Context, progress Progress, f func(gated Progress) (*T, error)) (*T, error) {
	gated, stop := Gate(progress)
	defer stop()
	return New(func(context.Context) (*T, error) { return f(gated) }).Get(ctx)
}

// Gate returns a Progress that passes its reports to the given Progress until stop is called. Calls
// of the given Progress never overlap. When stop returns, no call is running. If the given Progress
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
