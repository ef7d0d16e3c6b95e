package neighbor

import (
	"math"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// level is the part of a grid for bodies of similar size. A body belongs to the cell that contains
// the lower corner of its box. To find all bodies that overlap a box b, extend b downward by the
// reach of the level. The extended box contains the lower corners of these bodies.
type level struct {
	n       int       // number of bodies
	begin   bvh.Box   // smallest box that contains the lower corners of all bodies
	reach   r3.Vector // largest extent of a body on each axis, rounded up
	inverse r3.Vector // 1/edge of the cells
	max     cell      // largest cell number of a body on each axis
	length  cell      // length of the table on each axis
	mask    cell      // length−1 if cells can share a bucket, else −1
	first   int32     // bucket of cell 0
	buckets int32
	wraps   bool // true if cells can share a bucket
}

// cell has the number of a cell on each axis. In the plane, z is zero.
type cell struct{ x, y, z int32 }

// Cells contain cellLoad bodies on average, unless the edge of a cell would be less than minCell or
// more than maxCell times the reach. If a table of all cells needs more than tableLoad buckets for
// each body, several cells share a bucket. tuning: measured.
const (
	cellLoad  = 1
	minCell   = .5
	maxCell   = 8
	tableLoad = 4
)

// setCells chooses the cells and the table of a level that has bodies. firstBucket is the index of
// the first bucket of the level.
func (l *level) setCells(p gridParams, axes, firstBucket int) {
	size := l.begin.Size()
	edge := p.edge
	if edge == 0 {
		edge = l.cellEdge(p.minCell, axes)
	}
	// The limits prevent overflow of cell numbers, and NaN.
	edge = max(edge, max(size.X, size.Y, size.Z)*0x1p-200, 0x1p-600)
	l.inverse = r3.Vector{X: 1 / edge, Y: 1 / edge, Z: 1 / edge}
	l.max = l.cellOf(l.begin.Max)
	l.first = int32(firstBucket)
	l.setTable()
}

// cellEdge returns the edge length with which cells contain cellLoad bodies on average.
func (l *level) cellEdge(minCell float64, axes int) float64 {
	size := l.begin.Size()
	reach := max(l.reach.X, l.reach.Y, l.reach.Z)
	// If the level is thinner on an axis than its largest reach, use this reach.
	x, y, z := max(size.X, reach), max(size.Y, reach), max(size.Z, reach)
	cells := float64(l.n) / cellLoad
	var edge float64
	if axes == 3 {
		edge = math.Cbrt(x) * math.Cbrt(y) * (math.Cbrt(z) / math.Cbrt(cells))
	} else {
		edge = math.Sqrt(x) * (math.Sqrt(y) / math.Sqrt(cells))
	}
	if reach > 0 {
		edge = min(max(edge, minCell*reach), maxCell*reach)
	}
	return edge
}

// setTable chooses the length of the table on each axis. If there are not too many cells, the table
// has a bucket for each cell. Otherwise the lengths are powers of two, and cells share buckets.
func (l *level) setTable() {
	most := min(int64(tableLoad*l.n+16), math.MaxInt32)
	x, y, z := int64(l.max.x)+1, int64(l.max.y)+1, int64(l.max.z)+1
	l.wraps = x > most || x*y > most || x*y*z > most
	l.mask = cell{-1, -1, -1}
	if l.wraps {
		x, y, z = powerOfTwo(x), powerOfTwo(y), powerOfTwo(z)
		for x > most || x*y > most || x*y*z > most {
			switch max(x, y, z) {
			case z:
				z /= 2
			case y:
				y /= 2
			default:
				x /= 2
			}
		}
		l.mask = cell{int32(x) - 1, int32(y) - 1, int32(z) - 1}
	}
	l.length = cell{int32(x), int32(y), int32(z)}
	l.buckets = int32(x * y * z)
}

// powerOfTwo returns the smallest power of two that is at least n > 0.
func powerOfTwo(n int64) int64 { return 1 << bits.Len64(uint64(n-1)) }

// maxCellNumber is the largest cell number. All points beyond this cell also belong to it.
const maxCellNumber = 1 << 28

// cellOf returns the cell that contains p. Each cell number is a monotone function of a coordinate,
// because its three steps are monotone: a rounded difference, a rounded product with a positive
// number, and an integer part.
func (l *level) cellOf(p r3.Vector) cell {
	return cell{
		cellNumber((p.X - l.begin.Min.X) * l.inverse.X),
		cellNumber((p.Y - l.begin.Min.Y) * l.inverse.Y),
		cellNumber((p.Z - l.begin.Min.Z) * l.inverse.Z),
	}
}

func cellNumber(x float64) int32 {
	switch {
	case x >= maxCellNumber:
		return maxCellNumber
	case x > 0:
		return int32(x)
	}
	return 0
}

// rowOf returns the bucket of the cell (0, y, z).
func (l *level) rowOf(y, z int32) int32 {
	return l.first + ((z&l.mask.z)*l.length.y+y&l.mask.y)*l.length.x
}

func (l *level) bucket(c cell) int32 { return l.rowOf(c.y, c.z) + c.x&l.mask.x }

// window returns two cells. On each axis, the cells of all bodies that overlap b are between them.
func (l *level) window(b *bvh.Box) (low, high cell) {
	low = l.cellOf(r3.Vector{X: b.Min.X - l.reach.X, Y: b.Min.Y - l.reach.Y, Z: b.Min.Z - l.reach.Z})
	high = l.cellOf(b.Max)
	return low, cell{min(high.x, l.max.x), min(high.y, l.max.y), min(high.z, l.max.z)}
}

// binBits is the number of leading bits of the fraction that a bin number contains. The other bits
// of a bin number are the exponent. There are 64 bins for a factor of two, each at most 1.6 % wide.
const binBits = 6

// histogram counts bodies by their largest extent.
type histogram struct {
	world    bvh.Box // smallest box that contains the lower corners of all bodies
	min, max int     // first and last bin with a body; min > max if no bin has a body
	count    []int32 // number of bodies in bin min+i
	level    []int32 // first level that can contain bodies of bin min+i
}

// bin returns the bin of an extent ≥ 0.
func bin(extent float64) int { return int(math.Float64bits(extent) >> (52 - binBits)) }

// binStart returns the smallest extent in a bin, and binEnd returns the largest extent.
func binStart(bin int) float64 { return math.Float64frombits(uint64(bin) << (52 - binBits)) }
func binEnd(bin int) float64   { return math.Float64frombits(uint64(bin+1)<<(52-binBits) - 1) }

// extent returns the largest extent of a box. The size of a box from 0 to −0 is −0, which has no
// bin. The operand 0 of max turns −0 into 0.
func extent(b *bvh.Box) float64 {
	return max(b.Max.X-b.Min.X, b.Max.Y-b.Min.Y, b.Max.Z-b.Min.Z, 0)
}

// countBins counts the bodies in each bin. It skips bodies with the bin −1.
func (h *histogram) countBins(bins []int32) {
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

// chooseSizes returns the sizes that OptimalLevels would choose. Each radius is half the largest
// extent in a bin. Like OptimalLevels, it assumes that the bodies are in a cube. The cube has the
// same volume as the box around the lower corners, extended by the largest extent on each axis.
// Without this extension, the volume would be 0 for bodies on a line or in a plane.
func (h *histogram) chooseSizes(axes int) []float64 {
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
	r := newLevelPlan(radii, upTo, side, axes)
	r.digits = 11 + binBits // precision of the bins
	return r.optimal()
}

// setLevels sets the level of each bin. The level is the index of the first size that is at least
// the start of the bin. If all sizes are smaller, the level is the last index.
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
