package dem

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// MaxWorkers is the largest number of goroutines that a world or a packing uses: more than
// any machine has processors.
const MaxWorkers = 1024

// workers returns n, at most MaxWorkers, if it is positive, else the number of processors
// that Go may use.
func workers(n int) int {
	if n > 0 {
		return min(n, MaxWorkers)
	}
	return runtime.GOMAXPROCS(0)
}

// blockSize is the number of particles or pairs that a worker takes at a time: some ten
// microseconds of work, between which ctx is checked.
const blockSize = 512

// forEachBlock calls work once for each block of [0, n). No two calls with the same worker,
// which is in [0, workers), overlap in time. The blocks are the same for any number of workers;
// their order is not. ctx is checked between blocks; forEachBlock returns its error, or nil
// if all blocks were finished before ctx was done.
//
// One worker needs no goroutines, so it allocates nothing.
func forEachBlock(ctx context.Context, n, workers int, work func(worker, lo, hi int)) error {
	if workers > 1 && n > blockSize {
		return inParallel(ctx, n, workers, work)
	}
	for lo := 0; lo < n; lo += blockSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		work(0, lo, min(n, lo+blockSize))
	}
	return ctx.Err()
}

// inParallel does the work of forEachBlock in several goroutines.
func inParallel(ctx context.Context, n, workers int, work func(worker, lo, hi int)) error {
	blocks := (n + blockSize - 1) / blockSize
	var next, finished atomic.Int64
	take := func(worker int) {
		for ctx.Err() == nil {
			b := int(next.Add(1)) - 1
			if b >= blocks {
				return
			}
			work(worker, b*blockSize, min(n, (b+1)*blockSize))
			if ctx.Err() == nil {
				finished.Add(1)
			}
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < min(workers, blocks); w++ {
		wg.Go(func() { take(w) })
	}
	take(0)
	wg.Wait()
	if int(finished.Load()) == blocks {
		return nil
	}
	return ctx.Err()
}

// first is the smallest index that several workers have reported.
type first struct{ index atomic.Int64 }

func (f *first) reset() { f.index.Store(math.MaxInt64) }

// report takes note of index i.
func (f *first) report(i int) {
	for {
		old := f.index.Load()
		if int64(i) >= old || f.index.CompareAndSwap(old, int64(i)) {
			return
		}
	}
}

// get returns the smallest index since reset.
func (f *first) get() (i int, ok bool) {
	i = int(f.index.Load())
	return i, i != math.MaxInt64
}

// resized returns a slice of length n, in the memory of s if that is large enough; with
// room to grow if not. Its content is arbitrary.
func resized[E any](s []E, n int) []E {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]E, n, n+n/4)
}
