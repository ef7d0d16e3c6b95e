package cells

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

const (
	brickBits = 3 // a brick has 8×8×8 cells of the first level
	brickSide = 1 << brickBits
	childBits = 2 // a refined cell has 4×4×4 children
	childSide = 1 << childBits

	// maxExtent bounds the number of cells of the finest level along an axis, and
	// minCell the edge of such a cell as a share of the largest |coordinate|; see
	// slack.
	maxExtent = 1 << 28
	minCell   = 0x1p-30

	// slack is by how much of its edge a cell is enlarged on all sides, in the
	// box that lists and labels are made for: the closed box that contains every
	// point that the index function maps to the cell, and its corners as rounded
	// points. Let ε = 2^−53, T the number of cells of that level along the axis,
	// t* = (x−min)/edge exactly, t as computed (frame.at). Subtraction, the rounded
	// inverse and the product give |t−t*| ≤ 3.01εT ≤ 2^−23, T ≤ maxExtent. A corner
	// min + i·edge has three roundings (of the edge, of the product and of the sum)
	// of at most 4εm together, m ≤ 2·largest |coordinate|: 8ε/minCell = 2^−20 of
	// the edge. The computed coordinates of vertices are off by 2^−23 as well.
	// 2^−18 is more than the sum.
	slack = 0x1p-18
)

// frame maps points to cells.
type frame struct {
	min    r3.Vector  // lower corner
	cell   float64    // edge of a cell of the first level
	inv    float64    // 1/cell, rounded
	dims   [3]int32   // bricks along each axis
	lim    [3]float64 // cells of the first level along each axis
	extent float64    // the largest of lim
	deep   int        // levels of refinement that slack allows
}

// newFrame returns a frame over a box that is not empty, with cells of at least
// the given edge; the box starts at offset in the first cell. largest is its
// largest |coordinate|.
func newFrame(box bvh.Box, edge float64, offset [3]float64, largest float64) frame {
	whole := box.Size()
	f := frame{cell: max(edge, largest*minCell, max(whole.X, whole.Y, whole.Z)*0x1p-24, 0x1p-960)}
	f.inv = 1 / f.cell
	f.min = box.Min.Sub(r3.Vector{X: offset[0] * f.cell, Y: offset[1] * f.cell, Z: offset[2] * f.cell})
	size := box.Max.Sub(f.min)
	for a, s := range [3]float64{size.X, size.Y, size.Z} {
		n := math.Floor(s*f.inv+offset[a]) + 1
		f.dims[a] = int32((n + brickSide - 1) / brickSide)
		f.lim[a] = float64(f.dims[a]) * brickSide
	}
	f.extent = max(f.lim[0], f.lim[1], f.lim[2])
	finest := f.cell
	for extent := f.extent * childSide; extent <= maxExtent; extent *= childSide {
		if finest /= childSide; finest < largest*minCell || finest < 0x1p-960 {
			break
		}
		f.deep++
	}
	return f
}

// at returns the coordinates of p in cells of the first level.
func (f *frame) at(p r3.Vector) (x, y, z float64) {
	return (p.X - f.min.X) * f.inv, (p.Y - f.min.Y) * f.inv, (p.Z - f.min.Z) * f.inv
}

// holds reports whether the coordinates of at are in the grid; NaN is not.
func (f *frame) holds(x, y, z float64) bool {
	return x >= 0 && x < f.lim[0] && y >= 0 && y < f.lim[1] && z >= 0 && z < f.lim[2]
}

// corner returns the lower corner of cell (i, j, k) of a level, rounded.
func (f *frame) corner(level int, i, j, k int32) r3.Vector {
	e := math.Ldexp(f.cell, -childBits*level)
	return r3.Vector{
		X: f.min.X + float64(float64(i)*e),
		Y: f.min.Y + float64(float64(j)*e),
		Z: f.min.Z + float64(float64(k)*e),
	}
}
