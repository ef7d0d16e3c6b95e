//go:build js && wasm

package main

import (
	"context"
	"syscall/js"
	"time"
)

// yielding is a context whose Err lets JavaScript handle other events if none has been handled for
// yieldAfter. Everything that computes for long calls Err for each block of work. Without this, a
// message that cancels a call would arrive after the end of the call, because Go and JavaScript share
// one thread. No function that JavaScript calls can use it, because it would wait for itself.
type yielding struct{ context.Context }

// yieldAfter keeps a page without a worker fluent (60 Hz), and exceeds the cost of a yield many times.
const yieldAfter = 16 * time.Millisecond

// maxUnchecked is the largest number of calls of Err without a look at the clock, which is a call of
// JavaScript (tuning).
const maxUnchecked = 64

func (c yielding) Err() error {
	if unchecked--; unchecked < 0 {
		checkClock()
	}
	return c.Context.Err()
}

// checkClock yields if it is time to. It looks at the clock more seldom while the calls are frequent.
func checkClock() {
	now := time.Now()
	if now.Sub(lastYield) > yieldAfter {
		yield()
	}
	if now.Sub(lastCheck) < yieldAfter/16 {
		period = min(2*period, maxUnchecked)
	} else {
		period = 1
	}
	lastCheck, unchecked = now, period
}

var (
	lastYield = time.Now()
	lastCheck = lastYield
	period    = 1             // number of calls of Err from one look at the clock to the next
	unchecked = 0             // number of calls of Err until the next look
	yielded   []chan struct{} // closed after the events have been handled
	resume    = js.FuncOf(func(js.Value, []js.Value) any {
		lastYield = time.Now()
		for _, c := range yielded {
			close(c)
		}
		yielded = yielded[:0]
		return nil
	})
)

// yield waits until JavaScript has handled events.
func yield() {
	if len(yielded) == 0 {
		host.Call("later", resume)
	}
	c := make(chan struct{})
	yielded = append(yielded, c)
	<-c
}
