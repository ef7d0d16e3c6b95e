package neighbor

import (
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Extents of bodies are counted by their exponent and the first binBits bits of their
// fraction: 64 bins for a factor of two, 1.6 % wide at most.
const binBits = 6

// histogram counts bodies by extent.
type histogram struct {
	world    bvh.Box // of where bodies begin
	min, max int     // bins that are counted; min > max if none is
	count    []int32 // by bin from min on
	level    []int32 // by bin from min on: the first level that may hold the bin
}

// bin returns the bin of an extent, which is not negative.
func bin(extent float64) int { return int(math.Float64bits(extent) >> (52 - binBits)) }

// binStart and binEnd return the smallest and the largest extent in a bin.
func binStart(bin int) float64 { return math.Float64frombits(uint64(bin) << (52 - binBits)) }
func binEnd(bin int) float64   { return math.Float64frombits(uint64(bin+1)<<(52-binBits) - 1) }

// extent returns the largest extent of a box. It is never −0, as from 0 to −0 would be: that
// has no bin.
func extent(b *bvh.Box) float64 {
	return max(b.Max.X-b.Min.X, b.Max.Y-b.Min.Y, b.Max.Z-b.Min.Z, 0)
}

// set counts bodies by their bins, not those with −1.
func (h *histogram) set(bins []int32) {
	h.min, h.max = math.MaxInt32, -1
	for _, b := range bins {
		if b >= 0 {
			h.min, h.max = min(h.min, int(b)), max(h.max, int(b))
		}
	}
	n := max(h.max-h.min+1, 0)
	h.count = slices.Grow(h.count[:0], n)[:n]
	clear(h.count)
	for _, b := range bins {
		if b >= 0 {
			h.count[int(b)-h.min]++
		}
	}
}

// choose returns sizes of levels by the recipe of OptimalLevels. Radii are half the extents
// rounded up to the end of their bin; the cube is as large as the box of where bodies begin,
// extended by the largest of them, so that bodies on a line or plane are as in a thin box.
func (h *histogram) choose(axes int) []float64 {
	var radii []float64
	var upTo []int
	sum := 0
	for b, c := range h.count {
		if c > 0 {
			sum += int(c)
			radii, upTo = append(radii, binEnd(h.min+b)/2), append(upTo, sum)
		}
	}
	if sum == 0 {
		return nil
	}
	most := binEnd(h.max)
	size := h.world.Size().Add(r3.Vector{X: most, Y: most, Z: most})
	side := math.Sqrt(size.X) * math.Sqrt(size.Y)
	if axes == 3 {
		side = math.Cbrt(size.X) * math.Cbrt(size.Y) * math.Cbrt(size.Z)
	}
	r := newRecipe(radii, upTo, side, axes)
	r.digits = 11 + binBits // as many as the bins have
	return r.optimal()
}

// setLevels sets level to the index of the first size that is not below the start of each bin,
// or the last one.
func (h *histogram) setLevels(sizes []float64) {
	h.level = h.level[:0]
	at := 0
	for b := h.min; b <= h.max; b++ {
		for start := binStart(b); at < len(sizes)-1 && sizes[at] < start; {
			at++
		}
		h.level = append(h.level, int32(at))
	}
}
