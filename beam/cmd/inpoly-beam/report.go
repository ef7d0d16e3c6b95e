package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
)

// progress shows a line on a terminal until stop is called. The line has the number of finished
// shards and the number of points per second. The line counts the result files of all processes,
// but only the points of this process.
func (c *command) progress(ctx context.Context, e *finalStep, p *plan) (stop func()) {
	line := c.Line()
	if !line.Visible() || remote(e.Task.Parts) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		const interval = 300 * time.Millisecond // tuning
		tick := time.NewTicker(interval)
		defer tick.Stop()
		begin := time.Now()
		for {
			select {
			case <-ctx.Done():
				line.Clear()
				return
			case <-tick.C:
			}
			done := e.Task.filesWith(resultSuffix)
			text := fmt.Sprintf("%d of %d shards", len(done), len(p.parts))
			if n := answered.Load(); n > 0 {
				text += fmt.Sprintf(", about %.0f %% of the points, %.3g M points/s",
					min(100, 100*float64(n)/float64(p.expected)), float64(n)/1e6/time.Since(begin).Seconds())
			}
			line.Show(text)
		}
	}()
	return sync.OnceFunc(func() { cancel(); <-ended })
}

// reportUnfinished prints the number of finished shards of a failed run. If the folder of the
// shards is empty, it removes the folder.
func (c *command) reportUnfinished(e *finalStep) {
	if remote(e.Task.Parts) || disk.Remove(e.Task.Parts) == nil {
		return
	}
	if done := e.Task.filesWith(resultSuffix); len(done) > 0 {
		c.Note("%d of %d shards are finished in %s: to answer the remaining shards, run the same command again", len(done), e.Parts, e.Task.Parts)
	}
}

// finish prints the summary of a run and applies --strict.
func (c *command) finish(m *merge.Manifest, solidsText string, took time.Duration) error {
	n := 0
	for _, in := range m.Inputs {
		n += len(in.Shards)
		for _, w := range in.Warnings {
			c.Warn("%s: %s", in.Path, w)
		}
	}
	for _, w := range []struct {
		n    int64
		text string
	}{
		{m.NonFinite, "rows have a coordinate that is missing or not finite: their answer is uncertain"},
		{m.RowLike, "comment lines look like rows of points: they are not answered"},
		{m.Ragged, "rows have more or fewer columns than the header or the first row: the results of these rows are not in the same columns as the other results"},
	} {
		if w.n > 0 {
			c.Warn("%s", plural.Sprintf("%d "+w.text, w.n))
		}
	}
	verified := ""
	if m.Verified > 0 {
		verified = plural.Sprintf("; %d points verified", m.Verified)
	}
	if m.Undecided > 0 {
		verified += plural.Sprintf(", except %d sides that the direct sum does not decide", m.Undecided)
	}
	counts := plural.Sprintf("%d points of %d files in %d shards", m.Rows, len(m.Inputs), n)
	c.Note("%s; %s: %d inside, %d outside, %d on, %d uncertain%s; %.3g M points/s; %s",
		solidsText, counts, m.Inside, m.Outside, m.On, m.Uncertain, verified, float64(m.Rows)/1e6/took.Seconds(), merge.ManifestName(c.out))
	switch {
	case !c.flags.Strict:
	case m.Uncertain > 0:
		return term.Strictf("%s", plural.Sprintf("%d points are uncertain", m.Uncertain))
	case m.RowLike > 0:
		return term.Strictf("found %s similar to rows of points", plural.Count(m.RowLike, "comment line"))
	case m.Ragged > 0:
		return term.Strictf("%s", plural.Sprintf("%d rows have more or fewer columns than the header or the first row", m.Ragged))
	}
	return nil
}
