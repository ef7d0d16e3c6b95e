package soup

import "sync/atomic"

// The default limit is a base for tables and buffers, plus budgetFactor times the bytes
// read, plus budgetFactor times 50 bytes (a record of binary STL) for each triangle.
// budgetInstancing bounds the last term, which instances can make large in a small file.
// tuning
const (
	budgetBase       = 64 << 20
	budgetFactor     = 16
	budgetTriangle   = 50
	budgetInstancing = 2 << 30
)

// Without a limit set by the user, a packed file may unpack to maxUnpacked bytes or to
// maxRatio times its size, whichever is more. (Meshes in text pack 3:1 to 20:1.) // tuning
const (
	maxUnpacked = 1 << 30
	maxRatio    = 200
)

// maxStream bounds the content of a source of unknown size, such as a pipe or a device.
// The default limit grows with the bytes read, so an checkContentLimit source would take all memory.
// tuning
const maxStream = 4 << 30

// contentLimitFor returns the largest number of bytes that a source of the given size (−1 if
// unknown) may have under a memory limit, or 0 if the budget alone bounds it.
func contentLimitFor(size, limit int64) int64 {
	if size < 0 && limit == 0 {
		return maxStream
	}
	return 0
}

// Budget bounds the memory that one reading may hold. It is safe for concurrent use.
type Budget struct {
	limit     int64 // absolute; 0: the default
	used      atomic.Int64
	read      atomic.Int64 // decompressed and external bytes
	triangles atomic.Int64 // emitted so far
}

// NewBudget returns a budget with an absolute limit; 0 means the default.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// allowance returns the number of bytes that may be in use now.
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

// Release gives back n bytes that are no longer in use.
func (b *Budget) Release(n int64) { b.used.Add(-n) }
