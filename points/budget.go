package points

import (
	"context"
	"sync"
)

const ( // tuning
	budgetBase      = 256 << 20
	budgetPerWorker = 4 << 20 // enough for two chunks of 50,000 points with 34 bytes
)

// budget limits the memory of the blocks of a stream. One goroutine calls acquire.
type budget struct {
	limit int64
	mu    sync.Mutex
	used  int64
	freed chan struct{} // receives a value after memory was released
}

func newBudget(limit int64) *budget { return &budget{limit: limit, freed: make(chan struct{}, 1)} }

// acquire waits until n bytes are available or no other block has memory. The second condition lets a
// block that is larger than the limit pass, alone. acquire returns false if ctx ends.
func (g *budget) acquire(ctx context.Context, n int64) bool {
	for !g.try(n) {
		select {
		case <-g.freed:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (g *budget) try(n int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used > 0 && n > g.limit-g.used {
		return false
	}
	g.used += n
	return true
}

// release makes n bytes available again.
func (g *budget) release(n int64) {
	g.mu.Lock()
	g.used -= n
	g.mu.Unlock()
	select {
	case g.freed <- struct{}{}:
	default: // acquire has not received the previous value yet; when it does, it sees the new sum
	}
}
