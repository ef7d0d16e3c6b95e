package lazy

import (
	"context"
	"errors"
	"sync"
)

// errExited is the error of a function that ends its goroutine instead of returning.
var errExited = errors.New("the function ended its goroutine")

// Detach runs f and returns its results, or the error of ctx as soon as that ends.
// f is expected to look at ctx, but may be busy with work that cannot be
// interrupted, such as clearing a gigabyte: then it continues on its own. A panic of
// f is passed on to the caller, if that still waits.
func Detach[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value    T
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: errExited}
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
		var zero T
		return zero, ctx.Err()
	}
}

// GateProgress returns a callback that calls progress, one call at a time, until
// stop is called. No call runs when stop has returned. The callback is nil if
// progress is.
func GateProgress(progress func(stage string, done, total int64)) (callback func(string, int64, int64), stop func()) {
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
