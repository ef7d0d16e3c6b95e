package soup

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// The default memory limit is the sum of two terms. The first term, budgetBase, covers tables,
// buffers and instances. The second term is budgetFactor bytes for each byte that was read. Garbage
// and uncounted objects take at most 8 MB more, so the total base is 64 MB (tuning).
const (
	budgetBase   = 56 << 20
	budgetFactor = 16
)

// The size of unpacked content can be at most maxUnpacked bytes or maxRatio times the size of the
// file, whichever is more. Text meshes have ratios of 3 to 20 (tuning).
const (
	maxUnpacked = 256 << 20
	maxRatio    = 200
)

// maxStream bounds the content of a source of unknown size, such as a pipe. Without this bound, an
// endless source would use all memory, because the default limit grows with the bytes read.
const maxStream = 4 << 30 // tuning

// Budget bounds the memory of one call of Load or Read. It is safe for concurrent use.
type Budget struct {
	limit int64 // limit set by the user; 0 means the default limit
	used  atomic.Int64
	read  atomic.Int64 // number of bytes read: decompressed content and external files
	freed atomic.Int64 // number of bytes released since the last garbage collection
	gc    sync.Mutex   // locked during a garbage collection
}

// allowance returns the number of bytes that can be in use at this time.
func (b *Budget) allowance() int64 {
	if b.limit > 0 {
		return b.limit
	}
	return budgetBase + budgetFactor*b.read.Load()
}

// left returns the number of bytes that can still be reserved.
func (b *Budget) left() int64 { return max(0, b.allowance()-b.used.Load()) }

// Reserve counts n bytes that the caller is about to allocate. Errors: ErrTooLarge.
func (b *Budget) Reserve(n int64) error {
	if used := b.used.Add(n); used > b.allowance() || used < 0 {
		b.used.Add(-n)
		return AtPath("", ErrTooLarge, "needs %d bytes more than the memory limit of %d", used-b.allowance(), b.allowance()).
			WithHint("raise the memory limit if the file can be trusted")
	}
	b.collect()
	return nil
}

// mostGarbage is the number of released bytes above which a garbage collection is worth its time
// (tuning).
const mostGarbage = 8 << 20

// collect collects garbage if the used and the released bytes together exceed the allowance. Without
// this collection, the garbage could take as much memory as the used bytes.
func (b *Budget) collect() {
	excess := func() bool {
		freed := b.freed.Load()
		return freed > mostGarbage && b.used.Load()+freed > b.allowance()
	}
	if !excess() {
		return
	}
	b.gc.Lock()
	defer b.gc.Unlock()
	if excess() {
		b.freed.Store(0)
		runtime.GC()
	}
}

// Release subtracts n bytes that the caller no longer uses.
func (b *Budget) Release(n int64) {
	b.used.Add(-n)
	b.freed.Add(n)
}
