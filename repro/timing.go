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

// median returns the middle element of sorted x, the upper one of two. It panics if x is empty.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}

// repetitions are the rules for the number of rounds of a measurement.
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

// another reports whether to make one more round after n rounds that took so long.
func (n repetitions) another(round int, spent time.Duration) bool {
	switch {
	case round == 0:
		return true
	case spent/time.Duration(round) > n.long:
		return false
	}
	return round < n.least || round < n.most && spent < n.enough
}

// seconds returns the duration of f.
func seconds(f func() error) (float64, error) {
	start := time.Now()
	err := f()
	return time.Since(start).Seconds(), err
}

// phases measures functions that are called one after the other, and returns the medians of their
// seconds. It collects the garbage of a round before the next round.
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

// progress is a bar on standard error if that is a terminal. The zero value shows nothing.
type progress struct {
	bar  *progressbar.ProgressBar
	name string
}

// newProgress returns the progress of an experiment.
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

// say shows the current work.
func (p *progress) say(what string) {
	if p.bar != nil {
		p.bar.Describe(p.name + " " + what)
	}
}
