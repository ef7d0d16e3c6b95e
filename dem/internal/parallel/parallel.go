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
	return InPhases(ctx, workers, []Phase{{N: n, Size: size, Work: work}})
}

// Phase is a loop of InPhases; see ForEachBlock.
type Phase struct {
	N, Size int
	Work    func(worker, lo, hi int)
}

// progress counts the blocks of a phase.
type progress struct{ next, finished atomic.Int64 }

// InPhases runs several loops one after the other, each as ForEachBlock does. A loop starts when
// all blocks of the loop before it have ended. InPhases starts the goroutines once for all loops.
// They do not sleep between the loops, because a thread that sleeps takes up to 100 µs to wake up.
func InPhases(ctx context.Context, workers int, phases []Phase) error {
	most := 0
	for _, p := range phases {
		most = max(most, p.blocks())
	}
	if workers = min(workers, most); workers <= 1 {
		for _, p := range phases {
			for lo := 0; lo < p.N; lo += p.Size {
				if err := ctx.Err(); err != nil {
					return err
				}
				p.Work(0, lo, min(p.N, lo+p.Size))
			}
		}
		return ctx.Err()
	}
	done := make([]progress, len(phases))
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() {
			for i := range phases {
				if !phases[i].run(ctx, w, &done[i]) {
					return
				}
			}
		})
	}
	// The scheduler runs a new goroutine on this thread if the other threads sleep, and wakes a thread
	// for the caller. Without this call, a short loop often ends before another thread is awake.
	runtime.Gosched()
	complete := true
	for i := 0; i < len(phases) && complete; i++ {
		complete = phases[i].run(ctx, 0, &done[i])
	}
	wg.Wait()
	if complete {
		return nil
	}
	return ctx.Err()
}

func (p *Phase) blocks() int { return (p.N + p.Size - 1) / p.Size }

// run processes blocks until there are none. Then it waits until the other workers have finished
// theirs. run returns false if ctx ends first.
func (p *Phase) run(ctx context.Context, worker int, done *progress) bool {
	blocks := int64(p.blocks())
	for ctx.Err() == nil {
		b := done.next.Add(1) - 1
		if b >= blocks {
			break
		}
		lo := int(b) * p.Size
		p.Work(worker, lo, min(p.N, lo+p.Size))
		if ctx.Err() == nil {
			done.finished.Add(1)
		}
	}
	const spins = 256 // tuning: some 100 ns
	for i := 1; done.finished.Load() < blocks; i++ {
		if i%spins == 0 {
			if ctx.Err() != nil {
				return false
			}
			runtime.Gosched()
		}
	}
	return true
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
	n := m.index.Load()
	return int(n), n != math.MaxInt64
}

// Resized returns a slice of length n with arbitrary content. It uses the memory of s if that is
// large enough. Otherwise it allocates memory with room to grow.
func Resized[E any](s []E, n int) []E {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]E, n, n+n/4)
}
