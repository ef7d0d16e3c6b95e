package neighbor

import (
	"math"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// level is the part of a grid for bodies of similar size. A body is in the cell of the lower corner
// of its box. The lower corners of all bodies that overlap its box are in the box extended downward
// by the reach.
type level struct {
	n       int       // number of bodies
	begin   bvh.Box   // box around the lower corners of the boxes of its bodies
	reach   r3.Vector // largest size of the boxes of its bodies on each axis
	inverse r3.Vector // 1/edge of the cells
	max     cell      // last cell with a body on each axis
	length  cell      // of the table on each axis
	mask    cell      // length−1 if cells can share a bucket, else all ones
	first   int32     // bucket of cell 0
	buckets int32
	wraps   bool // cells can share a bucket
}

// cell is the number of a cell on each axis. In the plane z is zero.
type cell struct{ x, y, z int32 }

// Cells contain cellLoad bodies on average, but their edges are from minCell to maxCell times the
// reach. If a table of all cells has more than tableLoad buckets for each body, cells share
// buckets. tuning: measured.
const (
	cellLoad  = 1
	minCell   = .5
	maxCell   = 8
	tableLoad = 4
)

// setCells chooses the cells and the table of a level with bodies. first is its first bucket.
func (l *level) setCells(p gridParams, axes, first int) {
	size := l.begin.Size()
	edge := p.edge
	if edge == 0 {
		edge = l.cellEdge(p.minCell, axes)
	}
	// Cell numbers must neither overflow nor be NaN.
	edge = max(edge, max(size.X, size.Y, size.Z)*0x1p-200, 0x1p-600)
	l.inverse = r3.Vector{X: 1 / edge, Y: 1 / edge, Z: 1 / edge}
	l.max = l.cellOf(l.begin.Max)
	l.first = int32(first)
	l.setTable()
}

// cellEdge returns the edge of cells for the density of the level.
func (l *level) cellEdge(minCell float64, axes int) float64 {
	size := l.begin.Size()
	reach := max(l.reach.X, l.reach.Y, l.reach.Z)
	// A flat or thin level counts as one reach thick.
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

// setTable chooses the length of the table: all cells if they are not too many, else powers of two.
// In the second case bucket uses the low bits of the cell numbers.
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

// maxCellNumber is the largest cell number. All points beyond belong to this cell.
const maxCellNumber = 1 << 28

// cellOf returns the cell that contains p. The cell numbers are monotone functions of the
// coordinates even with rounding, because differences, products with a positive number and integer
// parts are.
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

// rowOf returns the bucket of cell (0, y, z).
func (l *level) rowOf(y, z int32) int32 {
	return l.first + ((z&l.mask.z)*l.length.y+y&l.mask.y)*l.length.x
}

// bucket returns the bucket of a cell.
func (l *level) bucket(c cell) int32 { return l.rowOf(c.y, c.z) + c.x&l.mask.x }

// window returns the first and the last cell that can contain bodies that overlap b.
func (l *level) window(b *bvh.Box) (low, high cell) {
	low = l.cellOf(r3.Vector{X: b.Min.X - l.reach.X, Y: b.Min.Y - l.reach.Y, Z: b.Min.Z - l.reach.Z})
	high = l.cellOf(b.Max)
	return low, cell{min(high.x, l.max.x), min(high.y, l.max.y), min(high.z, l.max.z)}
}

// binBits is the number of leading bits of the fraction that select the bin of an extent, in
// addition to the exponent. There are 64 bins for a factor of two, each at most 1.6 % wide.
const binBits = 6

// histogram counts bodies by extent.
type histogram struct {
	world    bvh.Box // box around the lower corners of the boxes of the bodies
	min, max int     // first and last bin with a body; min > max if there is no body
	count    []int32 // count[i] is the number of bodies in bin min+i
	level    []int32 // level[i] is the first level that can contain bodies of bin min+i
}

// bin returns the bin of an extent ≥ 0.
func bin(extent float64) int { return int(math.Float64bits(extent) >> (52 - binBits)) }

// binStart and binEnd return the smallest and the largest extent in a bin.
func binStart(bin int) float64 { return math.Float64frombits(uint64(bin) << (52 - binBits)) }
func binEnd(bin int) float64   { return math.Float64frombits(uint64(bin+1)<<(52-binBits) - 1) }

// extent returns the largest extent of a box. The operand 0 replaces −0, the extent of a box from 0
// to −0, because −0 has no bin.
func extent(b *bvh.Box) float64 {
	return max(b.Max.X-b.Min.X, b.Max.Y-b.Min.Y, b.Max.Z-b.Min.Z, 0)
}

// countBins counts bodies by bin. It skips bodies with bin −1.
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

// chooseSizes returns sizes of levels like OptimalLevels. Radii are half the extents, rounded up to
// the ends of their bins. The volume of the cube is the volume of world extended by the largest
// extent, so bodies on a line or plane count as bodies in a thin box.
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
	r.digits = 11 + binBits // the precision of the bins
	return r.optimal()
}

// setLevels sets level for each bin to the index of the first size that is not below the start of
// the bin, or to the last index.
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
