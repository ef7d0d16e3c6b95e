// Package parallel has the parallel loops of the worlds of module dem.
package parallel

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// MaxWorkers is the largest number of goroutines that a world or a packing uses.
const MaxWorkers = 1024

// Workers returns n, or GOMAXPROCS if n is not positive, but at most MaxWorkers.
func Workers(n int) int {
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return min(n, MaxWorkers)
}

// ForEachBlock calls work once for each block [lo, hi) of [0, n). All blocks but the last one have
// the given size. Each call gets a worker number from 0 to workers−1. Calls with the same worker number never overlap in time. The blocks do not
// depend on the number of workers, but the order of the calls does. ForEachBlock checks ctx between
// blocks. It returns nil if all blocks end before ctx is done. Otherwise it returns the error of
// ctx.
//
// With one worker, ForEachBlock starts no goroutine and does not allocate.
func ForEachBlock(ctx context.Context, n, size, workers int, work func(worker, lo, hi int)) error {
	if workers > 1 && n > size {
		return inParallel(ctx, n, size, workers, work)
	}
	for lo := 0; lo < n; lo += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		work(0, lo, min(n, lo+size))
	}
	return ctx.Err()
}

func inParallel(ctx context.Context, n, size, workers int, work func(worker, lo, hi int)) error {
	blocks := (n + size - 1) / size
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

// MinIndex has the smallest index that any worker has reported. Call Reset first.
type MinIndex struct{ index atomic.Int64 }

// Reset forgets all indices.
func (m *MinIndex) Reset() { m.index.Store(math.MaxInt64) }

// Report reports an index. Workers may call it at the same time.
func (m *MinIndex) Report(i int) {
	for {
		old := m.index.Load()
		if int64(i) >= old || m.index.CompareAndSwap(old, int64(i)) {
			return
		}
	}
}

// Get returns the smallest index reported since Reset, if any.
func (m *MinIndex) Get() (i int, ok bool) {
	i = int(m.index.Load())
	return i, i != math.MaxInt64
}

// Resized returns a slice of length n with arbitrary content. It uses the memory of s if that is
// large enough. Otherwise it allocates memory with room to grow.
func Resized[E any](s []E, n int) []E {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]E, n, n+n/4)
}
