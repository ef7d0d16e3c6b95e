package main

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// median returns the middle of x, the upper one of two; it panics if x is empty.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}

// repetitions tells how often something is measured.
type repetitions struct {
	least, most int
	enough      time.Duration // no more rounds than least after that
	long        time.Duration // a round that takes longer is the only one
}

func (r *Run) repetitions() repetitions {
	return pick(r.Size,
		repetitions{1, 1, 0, 0},
		repetitions{3, 9, 50 * time.Millisecond, 300 * time.Millisecond},
		repetitions{3, 15, time.Second, 10 * time.Second})
}

// another tells whether one more round is wanted after so many that took so long.
func (n repetitions) another(round int, spent time.Duration) bool {
	switch {
	case round == 0:
		return true
	case spent/time.Duration(round) > n.long:
		return false
	}
	return round < n.least || round < n.most && spent < n.enough
}

// seconds returns how long f takes.
func seconds(f func() error) (float64, error) {
	start := time.Now()
	err := f()
	return time.Since(start).Seconds(), err
}

// phases measures functions that are called one after the other, and returns the
// medians of their seconds. Garbage of one round is collected before the next.
func (r *Run) phases(ctx context.Context, fs ...func() error) ([]float64, error) {
	times := make([][]float64, len(fs))
	n := r.repetitions()
	for round, start := 0, time.Now(); n.another(round, time.Since(start)); round++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		runtime.GC()
		for i, f := range fs {
			t, err := seconds(f)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], t)
		}
	}
	medians := make([]float64, len(fs))
	for i, t := range times {
		medians[i] = median(t)
	}
	return medians, nil
}
