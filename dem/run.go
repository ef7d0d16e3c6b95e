package dem

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/par"
)

// blockSize is the number of particles or pairs that a worker takes at a time: some ten
// microseconds of work, between which ctx is checked.
const blockSize = 512

// run calls work for the blocks of [0, n). One worker does without goroutines, and
// so without memory.
func run(ctx context.Context, n, workers int, work func(worker, lo, hi int)) error {
	if workers > 1 && n > blockSize {
		return par.Blocks(ctx, n, blockSize, workers, work)
	}
	for lo := 0; lo < n; lo += blockSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		work(0, lo, min(n, lo+blockSize))
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
