// Package par divides a range into blocks and runs the blocks on several workers.
//
//	err := par.Blocks(ctx, len(pts), 1024, workers, func(worker, lo, hi int) {
//		for i := lo; i < hi; i++ {
//			dst[i] = f(&scratch[worker], pts[i])
//		}
//	})
package par

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// MaxWorkers is the largest number of workers. It exceeds the number of processors of any machine,
// and is small enough that the memory of all workers stays small.
const MaxWorkers = 1024

// Workers returns the number of workers for an option n. The number is n, but at most MaxWorkers.
// If n ≤ 0, the number is runtime.GOMAXPROCS(0).
func Workers(n int) int {
	if n > 0 {
		return min(n, MaxWorkers)
	}
	return runtime.GOMAXPROCS(0)
}

// Blocks divides [0, n) into blocks [lo, hi) of at most size elements, and calls the function work
// once for each block. It uses Workers(workers) goroutines. The blocks do not depend on the number
// of workers, but the order of the calls does. Each call gets the number of its worker, in [0,
// Workers(workers)). Calls with the same number do not overlap.
//
// If ctx ends before the last block, Blocks starts no further block, waits for the running blocks,
// and returns the error of ctx. The function work can therefore return early when ctx has ended.
//
// If work panics, Blocks starts no further block, waits for the running blocks, and panics with a
// *Panic. Blocks also panics if size ≤ 0.
func Blocks(ctx context.Context, n, size, workers int, work func(worker, lo, hi int)) error {
	if size <= 0 {
		panic("par: block size must be positive")
	}
	blocks := (n + size - 1) / size
	workers = min(Workers(workers), blocks)
	var next, finished atomic.Int64
	var failure atomic.Pointer[Panic]
	run := func(worker int) {
		defer func() {
			if r := recover(); r != nil {
				failure.CompareAndSwap(nil, newPanic(r))
			}
		}()
		for ctx.Err() == nil && failure.Load() == nil {
			b := int(next.Add(1)) - 1
			if b >= blocks {
				return
			}
			work(worker, b*size, min(n, (b+1)*size))
			if ctx.Err() == nil {
				finished.Add(1)
			}
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { run(w) })
	}
	if workers > 1 {
		// If the other threads sleep, the scheduler runs a new goroutine on this thread and wakes
		// another thread for the caller. Without this call, a short loop often ends before another
		// thread is awake.
		runtime.Gosched()
	}
	if workers > 0 {
		run(0)
	}
	wg.Wait()
	if p := failure.Load(); p != nil {
		panic(p)
	}
	if int(finished.Load()) == blocks {
		return nil
	}
	return ctx.Err()
}

// Panic is the value with which Blocks panics. It carries the stack, because the first panic can be
// on another goroutine.
type Panic struct {
	Value any    // value of the first panic
	Stack []byte // stack of the goroutine of the first panic
}

func newPanic(value any) *Panic {
	if p, ok := value.(*Panic); ok { // a panic of a nested call of Blocks
		return p
	}
	return &Panic{value, debug.Stack()}
}

// Error implements error, so that the runtime prints the stack of the first panic too.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Ordered calls work like Blocks. After each call of work, the same worker calls then for the
// block. The calls of then do not overlap, and are in ascending order of the blocks. If ctx ends or
// a function panics, the last blocks are missing. If ctx ends, Ordered has still called then for
// each block for which it has called work. If a function panics, Ordered panics as Blocks does.
func Ordered(ctx context.Context, n, size, workers int, work, then func(worker, lo, hi int)) error {
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	turn := 0 // first element of the block whose turn it is
	failed := false
	return Blocks(ctx, n, size, workers, func(worker, lo, hi int) {
		complete := false
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			turn, failed = hi, failed || !complete
			changed.Broadcast()
		}()
		work(worker, lo, hi)
		mu.Lock()
		for turn != lo && !failed { // Blocks starts the blocks in ascending order, so the turn comes
			changed.Wait()
		}
		skip := failed
		mu.Unlock()
		if !skip {
			then(worker, lo, hi)
			complete = true
		}
	})
}
