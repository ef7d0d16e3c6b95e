package lazy

import (
	"context"
	"errors"
	"sync"
)

// errExited is the error of a function that calls runtime.Goexit instead of returning.
var errExited = errors.New("the function ended its goroutine")

// Detach runs f on another goroutine and returns its results. If ctx ends first, Detach returns the
// error of ctx at once. f should check ctx too, but some work cannot be interrupted, such as
// clearing a gigabyte. f then continues without a caller. If f panics while Detach waits, Detach
// panics with the same value.
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

// GateProgress returns a callback that calls progress until stop is called. Calls of progress never
// overlap, and none is running when stop returns. If progress is nil, the callback is nil.
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
