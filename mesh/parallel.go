package mesh

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// minChunk is the smallest range worth a goroutine of its own: starting one
// costs about a microsecond, the loops here a few nanoseconds an item.
const minChunk = 4096

// workerCount returns how many goroutines to use for n items: workers if
// positive, else one for each processor; never more than there is work for.
func workerCount(workers, n int) int {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return max(1, min(workers, n/minChunk))
}

// parallelRanges calls f for disjoint ranges [lo, hi) that cover [0, n), one for
// each worker. A panic in f ends the program, as in any goroutine.
func parallelRanges(workers, n int, f func(lo, hi int)) {
	w := workerCount(workers, n)
	parallelChunks(w, n, func(_, lo, hi int) { f(lo, hi) })
}

// parallelChunks splits [0, n) into exactly chunks ranges and calls f for each at
// the same time, with the number of the range.
func parallelChunks(chunks, n int, f func(chunk, lo, hi int)) {
	if chunks == 1 {
		f(0, 0, n)
		return
	}
	var wg sync.WaitGroup
	for c := range chunks {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(c, int(int64(n)*int64(c)/int64(chunks)), int(int64(n)*int64(c+1)/int64(chunks)))
		}()
	}
	wg.Wait()
}

// parallelItems calls f(worker, i) once for each i in [0, n); idle workers take
// the next item, so that items may differ in cost.
func parallelItems(workers, n int, f func(worker, i int)) {
	workers = max(1, min(workers, n))
	if workers == 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(w, i)
			}
		}()
	}
	wg.Wait()
}
