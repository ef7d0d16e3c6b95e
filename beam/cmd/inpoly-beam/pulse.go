package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A worker at work shows it by the time of a file, its pulse, so that one that is dead can be
// told from one that takes long. Prism's server up to 2.77 can miss the end of a worker, and
// then waits for its answer for ever.

const pulseSuffix = ".pulse"

// pulseInterval is how often the time of the file changes; a choice, far below --silence.
const pulseInterval = time.Second

// unheard is the time of a pulse that no worker has changed yet.
var unheard = time.Unix(0, 0)

// startPulse makes the file of a pulse, endPulse removes it.
func startPulse(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		return err
	}
	return os.Chtimes(path, unheard, unheard)
}

func endPulse(path string) {
	_ = os.Remove(path) // one that stays does no harm
}

// pulse shows that this process works on a shard of the task until stop is called.
func (t *task) pulse() (stop func()) {
	if t.Pulse == "" {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(pulseInterval)
		defer tick.Stop()
		for {
			now := time.Now()
			_ = os.Chtimes(t.Pulse, now, now) // if there is none, nobody looks
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(done) }
}

// listen calls silent if the time of a pulse has not changed for limit.
func listen(ctx context.Context, path string, limit time.Duration, silent func(error)) {
	tick := time.NewTicker(pulseInterval)
	defer tick.Stop()
	last, since := unheard, time.Now()
	for {
		if info, err := os.Stat(path); err == nil && !info.ModTime().Equal(last) {
			last, since = info.ModTime(), time.Now()
		}
		if time.Since(since) > limit {
			if last.Equal(unheard) {
				silent(fmt.Errorf("no worker has begun for %v: is the command of --environment_config there, and sees it %s?", limit, filepath.Dir(path)))
				return
			}
			silent(fmt.Errorf("nothing was heard of a worker for %v", limit))
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
