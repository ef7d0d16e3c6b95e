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

func (c yielding) Err() error {
	if time.Since(lastYield) > yieldAfter {
		yield()
	}
	return c.Context.Err()
}

var (
	lastYield = time.Now()
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
