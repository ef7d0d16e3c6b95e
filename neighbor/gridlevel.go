package neighbor

import (
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// level is the part of a grid for bodies of similar size. A body is in the cell where its
// box begins, so others that meet it are in the cells of the box that begins a reach
// before it and ends where it ends.
type level struct {
	n       int       // number of bodies
	begin   bvh.Box   // of where the boxes of its bodies begin
	reach   r3.Vector // the boxes of its bodies are no longer
	inverse r3.Vector // 1/edge of the cells
	max     cell      // last cells that have a body
	length  cell      // of the table on each axis
	mask    cell      // length−1 if the level wraps, else all ones
	first   int32     // bucket of cell 0
	buckets int32
	wraps   bool // whether different cells may be in one bucket
}

// cell is the number of a cell on each axis. In the plane z is zero.
type cell struct{ x, y, z int32 }

// Cells are as large as makes cellLoad bodies begin in a cell, but between minCell and maxCell
// reaches. If not all cells fit into a table of tableLoad buckets a body, cells share buckets.
// They were measured.
const (
	cellLoad  = 1
	minCell   = .5
	maxCell   = 8
	tableLoad = 4
)

// lay chooses cells and table of a level with bodies; its first bucket is given.
func (l *level) lay(p plan, axes, first int) {
	size := l.begin.Size()
	edge := p.edge
	if edge == 0 {
		edge = l.edge(p.minCell, axes)
	}
	// Numbers of cells must neither overflow nor be NaN.
	edge = max(edge, max(size.X, size.Y, size.Z)*0x1p-200, 0x1p-600)
	l.inverse = r3.Vector{X: 1 / edge, Y: 1 / edge, Z: 1 / edge}
	l.max = l.cellOf(l.begin.Max)
	l.first = int32(first)
	l.hash()
}

// edge returns the edge of cells for the density of the level.
func (l *level) edge(minCell float64, axes int) float64 {
	size := l.begin.Size()
	reach := max(l.reach.X, l.reach.Y, l.reach.Z)
	// A level that is flat or thin is taken as a reach thick.
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

// hash chooses the length of the table: all cells, if they are not too many, else powers of
// two, for which bucket takes the low bits of the numbers.
func (l *level) hash() {
	most := min(int64(tableLoad*l.n+16), math.MaxInt32)
	x, y, z := int64(l.max.x)+1, int64(l.max.y)+1, int64(l.max.z)+1
	l.wraps = x > most || x*y > most || x*y*z > most
	l.mask = cell{-1, -1, -1}
	if l.wraps {
		x, y, z = power(x), power(y), power(z)
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

// power returns the smallest power of two that is at least n, which is positive.
func power(n int64) int64 { return 1 << bits.Len64(uint64(n-1)) }

// maxCellNumber is that of the last cell: all that is beyond is in it.
const maxCellNumber = 1 << 28

// cellOf returns the cell in which p lies. No number falls as a coordinate grows: then
// neither a difference falls, nor a product with a positive number, nor its integer part.
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

// window returns the first and the last cell that can have bodies that meet a box.
func (l *level) window(b *bvh.Box) (low, high cell) {
	low = l.cellOf(r3.Vector{X: b.Min.X - l.reach.X, Y: b.Min.Y - l.reach.Y, Z: b.Min.Z - l.reach.Z})
	high = l.cellOf(b.Max)
	return low, cell{min(high.x, l.max.x), min(high.y, l.max.y), min(high.z, l.max.z)}
}
