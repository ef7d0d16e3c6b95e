package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A worker regularly updates the time of its heartbeat file while it answers a shard. The driver
// can thus distinguish a dead worker from a slow worker. Prism's server up to 2.77 does not always
// notice that a worker has died, and then waits forever.

const heartbeatSuffix = ".pulse"

// heartbeatInterval is the time between two updates of a heartbeat file. It is much shorter than
// --silence.
const heartbeatInterval = time.Second // tuning

// noHeartbeat is the time of a heartbeat file that no worker has updated yet.
var noHeartbeat = time.Unix(0, 0)

// startHeartbeat creates a heartbeat file.
func startHeartbeat(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		return err
	}
	return os.Chtimes(path, noHeartbeat, noHeartbeat)
}

// endHeartbeat removes a heartbeat file. A file that remains is harmless.
func endHeartbeat(path string) { _ = os.Remove(path) }

// heartbeat updates the heartbeat file of the task until stop is called.
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
			_ = os.Chtimes(t.Heartbeat, now, now) // if there is no file, no driver watches it
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(done) }
}

// watchHeartbeat calls silent if the time of the heartbeat file does not change for the duration
// limit.
func watchHeartbeat(ctx context.Context, path string, limit time.Duration, silent func(error)) {
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	last, since := noHeartbeat, time.Now()
	for {
		if info, err := os.Stat(path); err == nil && !info.ModTime().Equal(last) {
			last, since = info.ModTime(), time.Now()
		}
		if time.Since(since) > limit {
			err := fmt.Errorf("no worker has reported for %v", limit)
			if last.Equal(noHeartbeat) {
				err = fmt.Errorf("no worker has begun for %v: check the command in --environment_config, and that it can access %s", limit, filepath.Dir(path))
			}
			silent(err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
