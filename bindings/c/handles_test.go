//go:build cgo

package main

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// A table with random additions and removals agrees with a map, and no handle comes back.
func TestHandles(t *testing.T) {
	var h handles[int]
	live, seen := map[uint64]*int{}, map[uint64]bool{0: true}
	var dead []uint64
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 20000 {
		if r.IntN(5) < 3 {
			value := new(int)
			handle := h.add(value)
			if seen[handle] || handle < 1<<32 {
				t.Fatalf("step %d: handle %#x", i, handle)
			}
			live[handle], seen[handle] = value, true
			continue
		}
		for handle := range live {
			h.remove(handle)
			delete(live, handle)
			dead = append(dead, handle)
			break
		}
		if len(dead) > 0 {
			h.remove(dead[r.IntN(len(dead))])
		}
	}
	for handle, value := range live {
		if h.get(handle) != value {
			t.Fatalf("handle %#x: wrong value", handle)
		}
	}
	for _, handle := range append(dead, 0, 1, 1<<32-1, 1<<64-1, 5<<32|1<<31) {
		if h.get(handle) != nil {
			t.Fatalf("removed handle %#x has a value", handle)
		}
		h.remove(handle)
	}
	if len(live) < 1000 || int(h.used) > len(live)+len(dead) || len(h.free) != int(h.used)-len(live) {
		t.Errorf("%d live, %d used slots, %d free", len(live), h.used, len(h.free))
	}
}

// A slot whose generations are exhausted is not used again.
func TestHandlesExhausted(t *testing.T) {
	var h handles[int]
	first := h.add(new(int))
	h.remove(first)
	h.slot(first).generation = 1<<32 - 2
	last := h.add(new(int))
	if uint32(last) != uint32(first) || last>>32 != 1<<32-1 {
		t.Fatalf("handle %#x", last)
	}
	h.remove(last)
	if next := h.add(new(int)); uint32(next) == uint32(last) || h.get(last) != nil {
		t.Errorf("handle %#x after %#x", next, last)
	}
}

// Goroutines that add, get and remove at once see their own values.
func TestHandlesConcurrent(t *testing.T) {
	var h handles[int]
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				value := w<<16 | i
				handle := h.add(&value)
				if got := h.get(handle); got != &value {
					t.Errorf("handle %#x: wrong value", handle)
				}
				h.remove(handle)
				if h.get(handle) != nil {
					t.Errorf("handle %#x: still there", handle)
				}
			}
		})
	}
	wg.Wait()
}
