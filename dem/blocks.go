package dem

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// MaxWorkers is the largest number of goroutines that a world or a packing uses.
const MaxWorkers = 1024

// workers returns n, or GOMAXPROCS if n is not positive, but at most MaxWorkers.
func workers(n int) int {
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return min(n, MaxWorkers)
}

// blockSize is the number of particles or pairs in a block. The work takes about 10 µs per block.
const blockSize = 512

// forEachBlock calls work once for each block [lo, hi) of [0, n). Each call gets a worker number
// from 0 to workers−1. Calls with the same worker number never overlap in time. The blocks do not
// depend on the number of workers, but the order of the calls does. forEachBlock checks ctx between
// blocks. It returns nil if all blocks end before ctx is done. Otherwise it returns the error of
// ctx.
//
// With one worker, forEachBlock starts no goroutine and does not allocate.
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

func inParallel(ctx context.Context, n, workers int, work func(worker, lo, hi int)) error {
	blocks := (n + blockSize - 1) / blockSize
	var next, finished atomic.Int64
	run := func(worker int) {
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
		wg.Go(func() { run(w) })
	}
	run(0)
	wg.Wait()
	if int(finished.Load()) == blocks {
		return nil
	}
	return ctx.Err()
}

// minIndex has the smallest index that any worker has reported.
type minIndex struct{ index atomic.Int64 }

func (m *minIndex) reset() { m.index.Store(math.MaxInt64) }

func (m *minIndex) report(i int) {
	for {
		old := m.index.Load()
		if int64(i) >= old || m.index.CompareAndSwap(old, int64(i)) {
			return
		}
	}
}

// get returns the smallest index reported since reset, if any.
func (m *minIndex) get() (i int, ok bool) {
	i = int(m.index.Load())
	return i, i != math.MaxInt64
}

// resized returns a slice of length n with arbitrary content. It uses the memory of s if that is
// large enough. Otherwise it allocates memory with room to grow.
func resized[E any](s []E, n int) []E {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]E, n, n+n/4)
}
