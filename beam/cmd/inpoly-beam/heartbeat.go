package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A working worker updates the time of a file, its heartbeat. This distinguishes a dead worker
// from a slow one. Prism's server up to 2.77 can miss the end of a worker, and then waits for its
// answer forever.

const heartbeatSuffix = ".pulse"

// heartbeatInterval is the time between two heartbeats, far below --silence.
const heartbeatInterval = time.Second // tuning

// noHeartbeat is the time of a file that no worker has updated yet.
var noHeartbeat = time.Unix(0, 0)

// startHeartbeat creates the file of a heartbeat; endHeartbeat removes it.
func startHeartbeat(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		return err
	}
	return os.Chtimes(path, noHeartbeat, noHeartbeat)
}

func endHeartbeat(path string) {
	_ = os.Remove(path) // a file that remains is harmless
}

// heartbeat updates the file until stop is called: this process works on a shard of the task.
func (t *task) heartbeat() (stop func()) {
	if t.Heartbeat == "" {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(heartbeatInterval)
		defer tick.Stop()
		for {
			now := time.Now()
			_ = os.Chtimes(t.Heartbeat, now, now) // without a file, nobody watches
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(done) }
}

// watchHeartbeat calls silent if the time of the file has not changed for limit.
func watchHeartbeat(ctx context.Context, path string, limit time.Duration, silent func(error)) {
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	last, since := noHeartbeat, time.Now()
	for {
		if info, err := os.Stat(path); err == nil && !info.ModTime().Equal(last) {
			last, since = info.ModTime(), time.Now()
		}
		if time.Since(since) > limit {
			if last.Equal(noHeartbeat) {
				silent(fmt.Errorf("no worker has begun for %v: is the command of --environment_config there, and sees it %s?", limit, filepath.Dir(path)))
				return
			}
			silent(fmt.Errorf("no worker has reported for %v", limit))
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
