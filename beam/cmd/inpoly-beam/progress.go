package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// progress shows a line on a terminal until stop is called. The line has the number of finished
// shards, for which there are files, and the number of points per second of this process.
func (c *command) progress(ctx context.Context, e *finalStep, p *plan) (stop func()) {
	terminal := term.Terminal{Err: os.Stderr, Quiet: c.quiet}
	line := terminal.Line()
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
	var once sync.Once
	return func() { once.Do(func() { cancel(); <-ended }) }
}
