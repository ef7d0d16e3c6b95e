package neighbor

import (
	"math"

	"github.com/inpoly/inpoly/bvh"
)

// Extents of bodies are counted by their exponent and the first binsBits bits of their
// fraction: 64 bins for a factor of two, 1.6 % wide at most. Zero is in the first bin.
const (
	binsBits = 6
	bins     = 2048 << binsBits
)

// histogram counts bodies by extent.
type histogram struct {
	count    []int32 // by bin
	min, max int     // bins that are counted
}

// bin returns the bin of an extent, which is not negative.
func bin(extent float64) int { return int(math.Float64bits(extent) >> (52 - binsBits)) }

// binEnd returns the largest extent in a bin.
func binEnd(bin int) float64 {
	return math.Float64frombits(uint64(bin+1)<<(52-binsBits) - 1)
}

// extent returns the largest extent of a box.
func extent(b *bvh.Box) float64 {
	return max(b.Max.X-b.Min.X, b.Max.Y-b.Min.Y, b.Max.Z-b.Min.Z)
}

// reset makes all counters zero.
func (h *histogram) reset() {
	if h.count == nil {
		h.count = make([]int32, bins)
		h.min, h.max = bins, -1
	}
	if h.min <= h.max {
		clear(h.count[h.min : h.max+1])
	}
	h.min, h.max = bins, -1
}
