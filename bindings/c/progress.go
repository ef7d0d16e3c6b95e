package main

// #include "export.h"
import "C"

import (
	"context"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/inpoly/inpoly/internal/binding"
)

// callback is a function of the caller with its argument.
type callback struct {
	function C.inpoly_progress
	user     unsafe.Pointer
}

// interval is the time between two calls of a callback.
const interval = 50 * time.Millisecond

// state is a report of progress.
type state struct {
	stage       string
	done, total int64
}

// run calls work and returns its error. Without a callback, work runs on this goroutine and its
// progress is nil. Otherwise, work runs on another goroutine, while this goroutine, which has the
// thread of the caller, calls the callback. If the callback returns a number other than 0, the
// context ends. run then waits for work, so that nothing uses the memory of the caller afterwards.
func (c callback) run(work func(ctx context.Context, progress func(stage string, done, total int64)) error) error {
	if c.function == nil {
		return work(context.Background(), nil)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var latest atomic.Pointer[state]
	latest.Store(&state{})
	done := make(chan error, 1)
	go func() {
		done <- protect(func() error {
			return work(ctx, func(stage string, done, total int64) { latest.Store(&state{stage, done, total}) })
		})
	}()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticker.C:
			if !c.call(latest.Load()) {
				continue
			}
			cancel()
			if err := <-done; err != nil && binding.CodeOf(err) != binding.Canceled {
				return err
			}
			return binding.ErrCanceled
		}
	}
}

// call calls the function of the caller and reports whether it cancels.
func (c callback) call(s *state) bool {
	stage := C.CString(s.stage)
	defer C.free(unsafe.Pointer(stage))
	return C.inpolyCallProgress(c.function, c.user, stage, C.int64_t(s.done), C.int64_t(s.total)) != 0
}
