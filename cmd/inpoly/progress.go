package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows one bar at a time on a terminal, and nothing elsewhere.
type progress struct {
	out   *os.File // nil: show nothing
	bar   *progressbar.ProgressBar
	label string
	begin time.Time // of the points
}

// newProgress shows progress if standard error is a terminal and --quiet was not
// given.
func (a *app) newProgress() *progress {
	f, ok := a.err.(*os.File)
	if a.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	return &progress{out: f}
}

// stage shows a stage of building the solid; see inpoly.Options.Progress. The points of
// a job have a bar of their own.
func (p *progress) stage(stage string, done, total int64) {
	if stage != "locate" {
		p.show(stage, done, total)
	}
}

// points shows the bytes of the points that were answered, and how many points a
// second there were so far.
func (p *progress) points(done, total, rows int64) {
	if p.out == nil {
		return
	}
	if p.begin.IsZero() {
		p.begin = time.Now()
	}
	p.show("points", done, total)
	p.bar.Describe(fmt.Sprintf("points, %s/s", short(rate(rows, time.Since(p.begin)))))
}

// show moves the bar of that label, a spinner where total is not known.
func (p *progress) show(label string, done, total int64) {
	if p.out == nil {
		return
	}
	if p.bar == nil || p.label != label {
		p.done()
		p.label = label
		limit := total
		if limit <= 0 {
			limit = -1
		}
		p.bar = progressbar.NewOptions64(limit,
			progressbar.OptionSetWriter(p.out),
			progressbar.OptionSetDescription(label),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionShowBytes(label == "points" || label == "load"),
			progressbar.OptionClearOnFinish(),
		)
	}
	// A bar that cannot be drawn must not stop the work.
	_ = p.bar.Set64(done)
}

// done removes the bar.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
