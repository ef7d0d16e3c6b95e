package lazy

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// counting returns an Upgrade of a number that starts at 0. Each time the work reaches the price,
// the number increases by one, up to the last number.
func counting(price int64, last int) *Upgrade[int] {
	return NewUpgrade(0,
		func(_ int, work int64) bool { return work >= price },
		func(ctx context.Context, current int, _ int64, _ int) (int, bool, error) {
			return current + 1, current+1 == last, ctx.Err()
		})
}

func TestUpgradePays(t *testing.T) {
	u := counting(10, 2)
	for i, step := range []struct {
		work int64
		want int
	}{{0, 0}, {9, 0}, {0, 0}, {1, 1}, {9, 1}, {1, 2}, {1000, 2}} {
		if got, err := u.For(t.Context(), step.work, 1); err != nil || got != step.want {
			t.Fatalf("call %d: For(%d) = %d, %v, want %d", i, step.work, got, err, step.want)
		}
		if got := u.Current(); got != step.want {
			t.Fatalf("call %d: Current() = %d, want %d", i, got, step.want)
		}
	}
	if !u.Final() {
		t.Error("not final after the last value")
	}
}

// The total cost is at most twice the cost of the best choice in hindsight, for any number of
// requests. A request costs 1 with the first value and nothing with the second. The second value
// costs 10.
func TestUpgradeIsCompetitive(t *testing.T) {
	for n := range 50 {
		u := counting(10, 1)
		cost := 0
		for range n {
			before := u.Current()
			got, _ := u.For(t.Context(), 1, 1)
			cost += 10*(got-before) + (1 - got)
		}
		if best := min(n, 10); cost > 2*best {
			t.Errorf("%d requests cost %d, the best choice %d", n, cost, best)
		}
	}
}

func TestUpgradeCanceled(t *testing.T) {
	u := counting(1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := u.For(ctx, 5, 1); got != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("For of a context that has ended = %d, %v, want 0 and context.Canceled", got, err)
	}
	if got, err := u.For(t.Context(), 0, 1); got != 1 || err != nil {
		t.Errorf("the next For = %d, %v, want 1", got, err)
	}
}

// While one caller builds the next value, other callers wait for it or for the end of their context.
func TestUpgradeWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		builds := 0
		u := NewUpgrade("first", func(value string, work int64) bool { return value == "first" && work >= 10 },
			func(context.Context, string, int64, int) (string, bool, error) {
				builds++
				<-release
				return "second", false, nil
			})
		caller := func() {
			if got, err := u.For(t.Context(), 10, 1); got != "second" || err != nil {
				t.Errorf("got %q, %v, want second", got, err)
			}
		}
		go caller()
		synctest.Wait() // the caller builds
		for range 3 {
			go caller()
		}
		synctest.Wait() // the callers wait
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := u.For(ctx, 10, 1); got != "first" || !errors.Is(err, context.Canceled) {
			t.Errorf("a canceled caller gets %q, %v, want first and context.Canceled", got, err)
		}
		close(release)
		synctest.Wait()
		if builds != 1 {
			t.Errorf("%d builds, want 1", builds)
		}
		if got := u.current.Load().work.Load(); got != 30 {
			t.Errorf("the work with the second value is %d, want 30", got)
		}
	})
}

// A caller that loaded the first value before another caller replaced it gets the second value.
func TestUpgradeLateCaller(t *testing.T) {
	for range 200 {
		u := NewUpgrade(1, func(value int, work int64) bool { return value == 1 && work >= 2 },
			func(context.Context, int, int64, int) (int, bool, error) { return 2, false, nil })
		var got [8]int
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() { got[i], _ = u.For(t.Context(), 1, 1) })
		}
		wg.Wait()
		slices.Sort(got[:])
		if got[0] > 2 || got[1] != 2 { // only the caller whose work comes first can get the first value
			t.Fatalf("values %v", got)
		}
	}
}

// If the builder is canceled, a waiting caller builds.
func TestUpgradeBuilderCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := NewUpgrade("first", func(string, int64) bool { return true },
			func(ctx context.Context, _ string, _ int64, workers int) (string, bool, error) {
				if workers == 1 { // the first builder
					<-ctx.Done()
					return "", false, ctx.Err()
				}
				return "second", true, nil
			})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			if got, err := u.For(ctx, 1, 1); got != "first" || !errors.Is(err, context.Canceled) {
				t.Errorf("the canceled builder gets %q, %v", got, err)
			}
		}()
		synctest.Wait()
		go func() {
			if got, err := u.For(t.Context(), 1, 2); got != "second" || err != nil {
				t.Errorf("the next builder gets %q, %v", got, err)
			}
		}()
		synctest.Wait() // the second caller waits
		cancel()
		synctest.Wait()
	})
}

// The count of work does not overflow.
func TestUpgradeMuchWork(t *testing.T) {
	u := counting(1<<62+1, 1)
	for range 10 {
		if got, _ := u.For(t.Context(), 1<<63-1, 1); got < 0 {
			t.Fatal("negative")
		}
		if w := u.current.Load().work.Load(); w < 0 {
			t.Fatalf("work %d", w)
		}
	}
}

// Detach reports an error if the function ends its goroutine.
func TestDetachExit(t *testing.T) {
	if v, err := Detach(t.Context(), nil, func(Progress) (*int, error) { runtime.Goexit(); return nil, nil }); err == nil {
		t.Errorf("value %v and no error", v)
	}
}
