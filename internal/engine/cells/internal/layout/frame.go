// Package layout holds the data of a cell index and the code that reads the data. The data consists
// of the frame that maps points to cells, the bit words that label cells, and the records of
// crossed cells. The package comment of cells has an overview and an example.
//
// Read frame.go first, then record.go, then grid.go. winding.go has the exact queries for one
// point, and kernels.go has fast queries for many points.
package layout

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// These are the sizes of bricks, refined cells and the grid.
const (
	BrickBits = 3 // a brick has 8×8×8 cells of level 0
	BrickSide = 1 << BrickBits
	ChildBits = 2 // a refined cell has 4×4×4 children
	ChildSide = 1 << ChildBits

	// maxExtent and minCell limit the cells of the deepest level. An axis has at most maxExtent of
	// these cells. Their edge is at least minCell times the largest |coordinate|. Slack depends on
	// both limits.
	maxExtent = 1 << 28
	minCell   = 0x1p-30

	// A cell is enlarged by Slack times its edge on all sides. Lists and labels are made for the
	// closed, enlarged box of the cell. This box contains every point that Coords maps to the cell.
	// The box also contains the rounded corners of the cell (docs/design/016-error-bounds.md,
	// Cells).
	Slack = 0x1p-18
)

// Frame maps points to cells.
type Frame struct {
	Min      r3.Vector  // lower corner of the grid
	Cell     float64    // edge of a cell of level 0
	Inv      float64    // 1/Cell, rounded
	Dims     [3]int32   // number of bricks along each axis
	Cells    [3]float64 // number of level-0 cells along each axis
	Extent   float64    // the largest number in Cells
	MaxLevel int        // deepest level of refinement that maxExtent and minCell allow
}

// NewFrame returns a frame over a nonempty box. The edge of its cells is at least minEdge. The
// given offset is the position of the box in the grid, in units of cells. maxCoord is the largest
// |coordinate| of the box.
func NewFrame(box bvh.Box, minEdge float64, offset [3]float64, maxCoord float64) Frame {
	whole := box.Size()
	f := Frame{Cell: max(minEdge, maxCoord*minCell, max(whole.X, whole.Y, whole.Z)*0x1p-24, 0x1p-960)}
	f.Inv = 1 / f.Cell
	f.Min = box.Min.Sub(r3.Vector{X: offset[0] * f.Cell, Y: offset[1] * f.Cell, Z: offset[2] * f.Cell})
	size := box.Max.Sub(f.Min)
	for a, s := range [3]float64{size.X, size.Y, size.Z} {
		n := math.Floor(s*f.Inv+offset[a]) + 1
		f.Dims[a] = int32((n + BrickSide - 1) / BrickSide)
		f.Cells[a] = float64(f.Dims[a]) * BrickSide
	}
	f.Extent = max(f.Cells[0], f.Cells[1], f.Cells[2])
	finest := f.Cell
	for extent := f.Extent * ChildSide; extent <= maxExtent; extent *= ChildSide {
		if finest /= ChildSide; finest < maxCoord*minCell || finest < 0x1p-960 {
			break
		}
		f.MaxLevel++
	}
	return f
}

// HoldsCoordinate reports whether the edge of the smallest cells is at least minCell times the given
// |coordinate|.
func (f *Frame) HoldsCoordinate(maxCoord float64) bool {
	return math.Ldexp(f.Cell, -ChildBits*f.MaxLevel) >= maxCoord*minCell
}

// Coords returns the cell coordinates of p. The unit is the edge of a level-0 cell, and the origin
// is the lower corner of the grid.
func (f *Frame) Coords(p r3.Vector) (x, y, z float64) {
	return (p.X - f.Min.X) * f.Inv, (p.Y - f.Min.Y) * f.Inv, (p.Z - f.Min.Z) * f.Inv
}

// Contains reports whether a point with cell coordinates (x, y, z) is in the grid. If a coordinate
// is NaN, it returns false.
func (f *Frame) Contains(x, y, z float64) bool {
	return x >= 0 && x < f.Cells[0] && y >= 0 && y < f.Cells[1] && z >= 0 && z < f.Cells[2]
}

// Bricks returns the number of brick positions of the grid.
func (f *Frame) Bricks() int { return int(f.Dims[0]) * int(f.Dims[1]) * int(f.Dims[2]) }

// BrickAt returns the coordinates of brick position b, in units of bricks. In the order of
// positions, x changes fastest and z slowest.
func (f *Frame) BrickAt(b int32) [3]int32 {
	return [3]int32{b % f.Dims[0], b / f.Dims[0] % f.Dims[1], b / f.Dims[0] / f.Dims[1]}
}

// Position returns the number of the brick position with the given coordinates. It inverts BrickAt.
func (f *Frame) Position(at [3]int32) int32 {
	return (at[2]*f.Dims[1]+at[1])*f.Dims[0] + at[0]
}

// FirstCell returns the coordinates of the lowest cell in brick position b, in units of level-0
// cells.
func (f *Frame) FirstCell(b int32) [3]int32 {
	lo := f.BrickAt(b)
	for a := range lo {
		lo[a] *= BrickSide
	}
	return lo
}

// BrickBox returns a box that contains all points in brick position b.
func (f *Frame) BrickBox(b int32) bvh.Box { return f.Box(f.FirstCell(b), BrickSide) }

// Box returns a box that contains all points in a cube of level-0 cells. The cube starts at the given
// cell and has the given number of cells on each axis.
func (f *Frame) Box(at [3]int32, side int32) bvh.Box {
	lo := f.lowerCorner(0, at[0], at[1], at[2])
	hi := f.lowerCorner(0, at[0]+side, at[1]+side, at[2]+side)
	pad := r3.Vector{X: 1, Y: 1, Z: 1}.Mul(f.Cell * Slack)
	return bvh.Box{Min: lo.Sub(pad), Max: hi.Add(pad)}
}

// Corner returns a corner of a cell, rounded. Bits 0, 1 and 2 of c select the upper x, y and z.
func (f *Frame) Corner(a CellAddr, c uint8) r3.Vector {
	return f.lowerCorner(a.Level, a.At[0]+int32(c&1), a.At[1]+int32(c>>1&1), a.At[2]+int32(c>>2&1))
}

// lowerCorner returns the lower corner of cell (i, j, k) of a level, rounded.
func (f *Frame) lowerCorner(level int, i, j, k int32) r3.Vector {
	e := math.Ldexp(f.Cell, -ChildBits*level)
	return r3.Vector{
		X: f.Min.X + float64(float64(i)*e),
		Y: f.Min.Y + float64(float64(j)*e),
		Z: f.Min.Z + float64(float64(k)*e),
	}
}

// Scale returns the number of cells of a level along the edge of a level-0 cell.
func Scale(level int) float64 { return float64(uint64(1) << (ChildBits * level)) }

// CellAddr is the address of a cell: its level, and its coordinates in units of cells of that
// level. Cells of bricks have level 0. The children of a cell of level n have level n+1.
type CellAddr struct {
	Level int
	At    [3]int32
}

// Leaf is a crossed cell that is not refined. Record is the number of the first record of the cell.
type Leaf struct {
	Record uint32
	CellAddr
}

// FirstChild returns the coordinates of the lowest child of the cell.
func (a *CellAddr) FirstChild() [3]int32 {
	return [3]int32{a.At[0] << ChildBits, a.At[1] << ChildBits, a.At[2] << ChildBits}
}

// CellOf returns the coordinates of cell n in a cube of 2^b cells on each axis. The first cell of
// the cube has the coordinates lo.
func CellOf(lo [3]int32, n int32, b uint) [3]int32 {
	m := int32(1)<<b - 1
	return [3]int32{lo[0] + n&m, lo[1] + n>>b&m, lo[2] + n>>(2*b)}
}

// Units returns the coordinates of a point relative to the center of the cell, in units of
// 1/CoordUnit; see Record. The point has the cell coordinates (x, y, z). The given scale is
// Scale(a.Level).
func (a *CellAddr) Units(x, y, z, scale float64) (ux, uy, uz int32) {
	return Unit(x*scale - float64(a.At[0])), Unit(y*scale - float64(a.At[1])), Unit(z*scale - float64(a.At[2]))
}

// Unit maps f from [0, 1] to [−CoordUnit, CoordUnit]. f can lie outside of [0, 1] by up to Slack.
func Unit(f float64) int32 {
	return max(-CoordUnit, min(int32(f*(2*CoordUnit)+0.5)-CoordUnit, CoordUnit))
}
