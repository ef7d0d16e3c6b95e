package par

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

func TestBlocksCoverOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 9, 10, 11, 1000} {
			hits := make([]atomic.Int32, n)
			err := Blocks(t.Context(), n, 10, workers, func(_, lo, hi int) {
				for i := lo; i < hi; i++ {
					hits[i].Add(1)
				}
			})
			if err != nil {
				t.Fatalf("n=%d workers=%d: %v", n, workers, err)
			}
			for i := range hits {
				if got := hits[i].Load(); got != 1 {
					t.Fatalf("n=%d workers=%d: element %d visited %d times", n, workers, i, got)
				}
			}
		}
	}
}

func TestBlocksWorkersDoNotOverlap(t *testing.T) {
	const workers = 5
	var busy [workers]atomic.Bool
	err := Blocks(t.Context(), 5000, 1, workers, func(worker, _, _ int) {
		if busy[worker].Swap(true) {
			t.Errorf("worker %d entered twice", worker)
		}
		busy[worker].Store(false)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBlocksCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var done atomic.Int32
	err := Blocks(ctx, 1000, 1, 2, func(int, int, int) {
		if done.Add(1) >= 3 { // also the other worker, which may run many blocks while this one waits
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if n := done.Load(); n < 3 || n > 4 {
		t.Errorf("%d blocks ran, want 3 or 4", n)
	}
}

// TestOrdered checks that the blocks of then ascend, and that then follows work for each block.
func TestOrdered(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for _, n := range []int{0, 1, 9, 1000} {
			worked := make([]atomic.Bool, n+1)
			next := 0
			err := Ordered(t.Context(), n, 10, workers, func(_, lo, hi int) {
				worked[lo].Store(true)
			}, func(_, lo, hi int) {
				if lo != next || hi != min(n, lo+10) || !worked[lo].Load() {
					t.Errorf("%d workers: then got [%d, %d), want it to begin at %d", workers, lo, hi, next)
				}
				next = hi
			})
			if err != nil || next != n {
				t.Errorf("%d workers: ended at %d of %d, error %v", workers, next, n, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var works, thens atomic.Int64
	err := Ordered(ctx, 1000, 1, 4, func(_, lo, _ int) {
		if works.Add(1); lo == 500 {
			cancel()
		}
	}, func(int, int, int) { thens.Add(1) })
	if !errors.Is(err, context.Canceled) || works.Load() != thens.Load() {
		t.Errorf("canceled: error %v after %d and %d calls", err, works.Load(), thens.Load())
	}
}

// A panic on any worker reaches the caller of Blocks and Ordered when no worker runs anymore.
func TestPanic(t *testing.T) {
	const bad = 500
	for _, workers := range []int{1, 2, 5} {
		for name, call := range map[string]func(f func(worker, lo, hi int)) error{
			"Blocks": func(f func(worker, lo, hi int)) error { return Blocks(t.Context(), 1000, 1, workers, f) },
			"work": func(f func(worker, lo, hi int)) error {
				return Ordered(t.Context(), 1000, 1, workers, f, func(_, _, _ int) {})
			},
			"then": func(f func(worker, lo, hi int)) error {
				return Ordered(t.Context(), 1000, 1, workers, func(_, _, _ int) {}, f)
			},
			"nested": func(f func(worker, lo, hi int)) error {
				return Blocks(t.Context(), 1, 1, workers, func(int, int, int) { _ = Blocks(t.Context(), 1000, 1, workers, f) })
			},
		} {
			var running atomic.Int32
			func() {
				defer func() {
					p, ok := recover().(*Panic)
					if !ok || p.Value != bad || !strings.Contains(p.Error(), "TestPanic") {
						t.Errorf("%s, %d workers: recovered %v, want %d with its stack", name, workers, p, bad)
					}
				}()
				err := call(func(_, lo, _ int) {
					running.Add(1)
					defer running.Add(-1)
					if lo == bad {
						panic(bad)
					}
				})
				t.Errorf("%s, %d workers: returned %v", name, workers, err)
			}()
			if n := running.Load(); n != 0 {
				t.Errorf("%s, %d workers: %d calls still run", name, workers, n)
			}
		}
	}
}
