package soup

import "sync/atomic"

// The default budget: a base for tables and buffers, a multiple of what was
// read, and the same multiple of 50 bytes (a binary STL record) a triangle.
// instanceBytes bounds the last part: what instancing may add to a small file
// without the user's consent.
const (
	budgetBase       = 64 << 20
	budgetFactor     = 16
	budgetTriangle   = 50
	budgetInstancing = 2 << 30
)

// A packed file may unpack without the user's consent to freeUnpacked bytes, or
// to maxRatio times its size (meshes as text pack 3:1 to 20:1).
const (
	freeUnpacked = 1 << 30
	maxRatio     = 200
)

// maxStream bounds the content of a source whose size is not known beforehand (a
// pipe, a device): the allowance grows with what is read, so that an endless one
// would take all memory.
const maxStream = 4 << 30

// mostContent returns how many bytes of content a source of the given size, −1 if
// unknown, may have; 0 if only the budget of the given limit bounds them.
func mostContent(size, limit int64) int64 {
	if size < 0 && limit == 0 {
		return maxStream
	}
	return 0
}

// budget bounds the memory of one Load. It is safe for concurrent use.
type Budget struct {
	limit     int64 // absolute cap; 0: the default rule
	used      atomic.Int64
	read      atomic.Int64 // decompressed and external bytes
	triangles atomic.Int64 // emitted so far
}

// NewBudget returns a budget with an absolute limit; 0 means the default rule.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// allowance returns what may be in use now.
func (b *Budget) allowance() int64 {
	if b.limit > 0 {
		return b.limit
	}
	return budgetBase + budgetFactor*b.read.Load() +
		min(budgetFactor*budgetTriangle*b.triangles.Load(), budgetInstancing)
}

// Reserve takes n bytes before they are allocated; the error wraps ErrTooLarge.
func (b *Budget) Reserve(n int64) error {
	if used := b.used.Add(n); used > b.allowance() || used < 0 {
		b.used.Add(-n)
		return AtPath("", ErrTooLarge, "needs %d bytes more than the memory limit of %d", used-b.allowance(), b.allowance()).
			WithHint("raise the memory limit if the file can be trusted")
	}
	return nil
}

// Release gives n bytes back.
func (b *Budget) Release(n int64) { b.used.Add(-n) }
