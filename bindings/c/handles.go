//go:build cgo

package main

import (
	"sync"
	"sync/atomic"
)

// handles maps numbers to values of type T. A number consists of a slot in its lower 32 bits and the
// generation of the slot in its upper bits. Removing a value changes the generation, so an old
// number is never valid again. The zero value is empty. handles is safe for concurrent use, and get
// takes no lock.
type handles[T any] struct {
	blocks [maxBlocks]atomic.Pointer[handleBlock[T]]

	mu   sync.Mutex
	used uint32   // number of slots that were ever used
	free []uint32 // slots without a value
}

type handleBlock[T any] [blockSlots]handleSlot[T]

type handleSlot[T any] struct {
	entry      atomic.Pointer[handleEntry[T]]
	generation uint32 // of the last entry; guarded by handles.mu
}

type handleEntry[T any] struct {
	handle uint64
	value  *T
}

// A table has up to 16 million slots, more than any computer has memory for.
const (
	maxBlocks  = 1 << 14
	blockSlots = 1 << 10
)

// slot returns the slot of a handle, or nil if it was never used.
func (h *handles[T]) slot(handle uint64) *handleSlot[T] {
	i := uint32(handle)
	if i >= maxBlocks*blockSlots {
		return nil
	}
	b := h.blocks[i/blockSlots].Load()
	if b == nil {
		return nil
	}
	return &b[i%blockSlots]
}

// get returns the value of a handle, or nil if the handle is not valid.
func (h *handles[T]) get(handle uint64) *T {
	s := h.slot(handle)
	if s == nil {
		return nil
	}
	e := s.entry.Load()
	if e == nil || e.handle != handle {
		return nil
	}
	return e.value
}

// add returns the handle of a new value. It is at least 2³². If the table is full, add returns 0.
func (h *handles[T]) add(value *T) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	var i uint32
	if n := len(h.free); n > 0 {
		i, h.free = h.free[n-1], h.free[:n-1]
	} else {
		if i = h.used; i == maxBlocks*blockSlots {
			return 0
		}
		if i%blockSlots == 0 {
			h.blocks[i/blockSlots].Store(new(handleBlock[T]))
		}
		h.used++
	}
	s := h.slot(uint64(i))
	s.generation++
	handle := uint64(s.generation)<<32 | uint64(i)
	s.entry.Store(&handleEntry[T]{handle, value})
	return handle
}

// remove removes the value of a handle. Callers that have the value can still use it. remove does
// nothing if the handle is not valid.
func (h *handles[T]) remove(handle uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.get(handle) == nil {
		return
	}
	s := h.slot(handle)
	s.entry.Store(nil)
	if s.generation < 1<<32-1 { // otherwise the numbers of this slot are exhausted
		h.free = append(h.free, uint32(handle))
	}
}
