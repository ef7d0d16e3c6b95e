package inpoly

import (
	"context"
	"sync"
)

// abandon returns what f returns, or the error of ctx as soon as that ends. f
// looks at ctx itself, but may be at work that cannot be interrupted, such as
// clearing an array of a gigabyte: it is left to end by itself. A panic of f is
// passed on.
func abandon[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value    T
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.value, r.err = f()
	}()
	select {
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked)
		}
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// stoppable returns a callback that calls progress, if it is not nil, until stop
// is called; none is running when stop returns.
func stoppable(progress func(string, int64, int64)) (callback func(string, int64, int64), stop func()) {
	if progress == nil {
		return nil, func() {}
	}
	var mu sync.Mutex
	stopped := false
	callback = func(stage string, done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			progress(stage, done, total)
		}
	}
	return callback, func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}
