package soup

import "sync/atomic"

// The default memory limit is the sum of three terms. The base is for tables and buffers. The
// second term is budgetFactor times the bytes read. The third term is budgetFactor times 50 bytes,
// a record of binary STL, for each triangle. budgetInstancing bounds the third term because a small
// file can have very many instances of a mesh. // tuning
const (
	budgetBase       = 64 << 20
	budgetFactor     = 16
	budgetTriangle   = 50
	budgetInstancing = 2 << 30
)

// Without a limit set by the user, packed content may unpack to maxUnpacked bytes or to maxRatio
// times its size, whichever is more. Meshes in text pack 3:1 to 20:1. // tuning
const (
	maxUnpacked = 1 << 30
	maxRatio    = 200
)

// maxStream bounds the content of a source of unknown size, such as a pipe. The default memory
// limit grows with the bytes read, so an endless source would otherwise use all memory. // tuning
const maxStream = 4 << 30

// Budget bounds the memory of one call of Load or Read. It is safe for concurrent use.
type Budget struct {
	limit     int64 // set by the user; 0: the default limit
	used      atomic.Int64
	read      atomic.Int64 // bytes of decompressed content and of external files
	triangles atomic.Int64 // triangles in the soup so far
}

// allowance returns the number of bytes that can be in use now.
func (b *Budget) allowance() int64 {
	if b.limit > 0 {
		return b.limit
	}
	return budgetBase + budgetFactor*b.read.Load() +
		min(budgetFactor*budgetTriangle*b.triangles.Load(), budgetInstancing)
}

// Reserve counts n bytes that the caller is about to allocate. Errors: ErrTooLarge.
func (b *Budget) Reserve(n int64) error {
	if used := b.used.Add(n); used > b.allowance() || used < 0 {
		b.used.Add(-n)
		return AtPath("", ErrTooLarge, "needs %d bytes more than the memory limit of %d", used-b.allowance(), b.allowance()).
			WithHint("raise the memory limit if the file can be trusted")
	}
	return nil
}

// Release returns n bytes that are no longer in use to the budget.
func (b *Budget) Release(n int64) { b.used.Add(-n) }
