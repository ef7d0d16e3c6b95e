package main

import (
	"context"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// median returns the median of x, or the larger of the two middle elements. It panics if x is empty.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}

// repetitions determines the number of rounds of a measurement.
type repetitions struct {
	minRounds, maxRounds int
	enough               time.Duration // after this total time, minRounds rounds are enough
	long                 time.Duration // if a round takes longer on average, no other round follows
}

func (r *Run) repetitions() repetitions {
	return pick(r.Size,
		repetitions{1, 1, 0, 0},
		repetitions{3, 9, 50 * time.Millisecond, 300 * time.Millisecond},
		repetitions{2, 9, 500 * time.Millisecond, 3 * time.Second})
}

// another reports whether to make one more round after the given number of rounds and total time.
func (n repetitions) another(round int, spent time.Duration) bool {
	switch {
	case round == 0:
		return true
	case spent/time.Duration(round) > n.long:
		return false
	}
	return round < n.minRounds || round < n.maxRounds && spent < n.enough
}

// seconds returns the duration of f.
func seconds(f func() error) (float64, error) {
	start := time.Now()
	err := f()
	return time.Since(start).Seconds(), err
}

// phases calls the functions in order, in several rounds, and returns the median seconds of each. The
// garbage of a round is collected before the next round.
func (r *Run) phases(ctx context.Context, fs ...func() error) ([]float64, error) {
	medians, err := r.turns(ctx, [][]func() error{fs})
	if err != nil {
		return nil, err
	}
	return medians[0], nil
}

// turns measures several works like phases. The works take turns: each round has the next round of every work that
// needs one more.
func (r *Run) turns(ctx context.Context, works [][]func() error) ([][]float64, error) {
	n := r.repetitions()
	times, spent := make([][][]float64, len(works)), make([]time.Duration, len(works))
	for k, fs := range works {
		times[k] = make([][]float64, len(fs))
	}
	for round, more := 0, true; more; round++ {
		more = false
		for k, fs := range works {
			if len(times[k][0]) < round || !n.another(round, spent[k]) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			more = true
			start := time.Now()
			runtime.GC()
			for i, f := range fs {
				t, err := r.meter.watch(f)
				if err != nil {
					return nil, err
				}
				times[k][i] = append(times[k][i], t)
			}
			spent[k] += time.Since(start)
		}
	}
	medians := make([][]float64, len(works))
	for k := range works {
		for _, t := range times[k] {
			medians[k] = append(medians[k], median(t))
		}
	}
	return medians, nil
}

// progress is a progress bar on standard error if standard error is a terminal. The zero value shows
// nothing.
type progress struct {
	bar  *progressbar.ProgressBar
	name string
}

// newProgress returns the progress bar of an experiment.
func newProgress(name string) progress {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return progress{}
	}
	return progress{name: name, bar: progressbar.NewOptions(1, progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetDescription(name), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))}
}

// plan sets the number of steps.
func (p *progress) plan(steps int) {
	if p.bar != nil {
		p.bar.ChangeMax(max(steps, 1))
	}
}

// step advances the bar and shows the next step. Errors of the terminal are ignored.
func (p *progress) step(next string) {
	if p.bar != nil {
		p.bar.Describe(p.name + " " + next)
		_ = p.bar.Add(1)
	}
}

// end clears the bar.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// say shows a description of the current work.
func (p *progress) say(what string) {
	if p.bar != nil {
		p.bar.Describe(p.name + " " + what)
	}
}
