package soup

import "sync/atomic"

// The default memory limit is the sum of three terms. The first term, budgetBase, covers tables and
// buffers. The second term is budgetFactor bytes for each byte that was read. The third term is
// budgetFactor*budgetTriangle bytes for each triangle. A triangle of binary STL has budgetTriangle
// bytes. budgetInstancing bounds the third term because a small file can have very many instances
// of a mesh (tuning).
const (
	budgetBase       = 64 << 20
	budgetFactor     = 16
	budgetTriangle   = 50
	budgetInstancing = 2 << 30
)

// If the user sets no limit, the size of unpacked content can be at most maxUnpacked bytes or
// maxRatio times the packed size, whichever is more. Text meshes have ratios of 3 to 20 (tuning).
const (
	maxUnpacked = 1 << 30
	maxRatio    = 200
)

// maxStream bounds the content of a source of unknown size, such as a pipe. Without this bound, an
// endless source would use all memory, because the default limit grows with the bytes read.
const maxStream = 4 << 30 // tuning

// Budget bounds the memory of one call of Load or Read. It is safe for concurrent use.
type Budget struct {
	limit     int64 // limit set by the user; 0 means the default limit
	used      atomic.Int64
	read      atomic.Int64 // number of bytes read: decompressed content and external files
	triangles atomic.Int64 // number of triangles in the soup so far
}

// allowance returns the number of bytes that can be in use at this time.
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

// Release subtracts n bytes that the caller no longer uses.
func (b *Budget) Release(n int64) { b.used.Add(-n) }
