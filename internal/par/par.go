// Package par runs blocks of a range on a fixed number of workers.
//
//	err := par.Blocks(ctx, len(pts), 1024, workers, func(worker, lo, hi int) {
//		for i := lo; i < hi; i++ {
//			dst[i] = f(&scratch[worker], pts[i])
//		}
//	})
package par

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// MaxWorkers is the largest number of workers: more than the processors of any
// machine, and few enough that the memory of all workers stays small.
const MaxWorkers = 1024

// Workers returns the smaller of n and MaxWorkers if n is positive, and otherwise the
// number of processors that Go may use.
func Workers(n int) int {
	if n > 0 {
		return min(n, MaxWorkers)
	}
	return runtime.GOMAXPROCS(0)
}

// Blocks calls work(worker, lo, hi) once for each block [lo, hi) of at most size
// elements of [0, n), on the given number of workers (≤ 0: all processors). The
// blocks are the same for any number of workers; their order is not. worker is
// in [0, workers), and no two calls with the same worker overlap in time.
//
// Blocks checks ctx before and after each block. If ctx ends before the last block
// does, Blocks returns its error, after the running blocks have ended; work may
// therefore return early once ctx is done. It panics if size is not positive.
func Blocks(ctx context.Context, n, size, workers int, work func(worker, lo, hi int)) error {
	if size <= 0 {
		panic("par: block size must be positive")
	}
	blocks := (n + size - 1) / size
	workers = min(Workers(workers), blocks)
	var next, finished atomic.Int64
	run := func(worker int) {
		for ctx.Err() == nil {
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
	if workers > 0 {
		run(0)
	}
	wg.Wait()
	if int(finished.Load()) == blocks {
		return nil
	}
	return ctx.Err()
}
