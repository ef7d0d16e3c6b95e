package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestForEachBlockCallsEachBlockOnce(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 1000} {
		for _, workers := range []int{1, 2, 5, MaxWorkers} {
			calls := make([]atomic.Int32, n)
			if err := ForEachBlock(t.Context(), n, 8, workers, func(worker, lo, hi int) {
				if lo%8 != 0 || hi != min(n, lo+8) || worker < 0 || worker >= workers {
					t.Errorf("worker %d: block [%d, %d) of %d", worker, lo, hi, n)
				}
				for i := lo; i < hi; i++ {
					calls[i].Add(1)
				}
			}); err != nil {
				t.Fatal(err)
			}
			for i := range calls {
				if k := calls[i].Load(); k != 1 {
					t.Fatalf("n=%d, %d workers: item %d was visited %d times", n, workers, i, k)
				}
			}
		}
	}
}

func TestPhasesFollowEachOther(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		const n = 5000
		a, b := make([]int64, n), make([]int64, n)
		fill := func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				a[i] = int64(i)
			}
		}
		reverse := func(_, lo, hi int) { // needs the whole first phase
			for i := lo; i < hi; i++ {
				b[i] = a[n-1-i]
			}
		}
		var sum atomic.Int64
		add := func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				sum.Add(b[i] * int64(i))
			}
		}
		for range 20 {
			clear(a)
			clear(b)
			sum.Store(0)
			if err := InPhases(t.Context(), workers, []Phase{{n, 64, fill}, {n, 900, reverse}, {0, 1, nil}, {n, n, add}}); err != nil {
				t.Fatal(err)
			}
			const want int64 = n*(n-1)/2*(n-1) - (n-1)*n*(2*n-1)/6
			if sum.Load() != want {
				t.Fatalf("%d workers: sum %d, want %d", workers, sum.Load(), want)
			}
		}
	}
}

func TestPhasesEndWithTheContext(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var calls, later atomic.Int64
		err := InPhases(ctx, workers, []Phase{
			{100, 1, func(int, int, int) {
				if calls.Add(1) == 10 {
					cancel()
				}
			}},
			{1, 1, func(int, int, int) { later.Add(1) }},
		})
		if !errors.Is(err, context.Canceled) || calls.Load() > 10+int64(workers) || later.Load() > 0 {
			t.Errorf("%d workers: error %v, %d calls, %d later", workers, err, calls.Load(), later.Load())
		}
		cancel()
	}
}

func TestMinIndex(t *testing.T) {
	var m MinIndex
	m.Reset()
	if _, ok := m.Get(); ok {
		t.Error("an index without a report")
	}
	for _, i := range []int{7, 3, 5} {
		m.Report(i)
	}
	if i, ok := m.Get(); !ok || i != 3 {
		t.Errorf("index %d, want 3", i)
	}
}
