package fmm

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
)

// maxDepth is the largest number of levels below the cube. The side of the smallest cells is a
// millionth of the side of the cube.
const maxDepth = 20

// maxBits limits the coordinates of cell corners to 2^51 units, where a unit is the side of the
// smallest cell. So the corners and centers of all cells are exact.
const maxBits = 51

// minUnit is the smallest exponent of the side of a cell. With this limit the reciprocal of the
// side is finite, and products of two scaled coordinates do not underflow.
const minUnit = -1000

// cube is the cube that both octrees divide. Its side is a power of two, and its corner is a
// multiple of the side of the smallest cell. So the center of each cell is an exact float64 vector,
// and offsets between cells are exact multiples of the smallest side.
type cube struct {
	origin r3.Vector
	side   float64
	depth  int
}

// newCube returns a cube around a nonempty box.
func newCube(box bvh.Box) cube {
	size := box.Size()
	longest := max(size.X, size.Y, size.Z)
	largest := max(vec.MaxAbs(box.Min), vec.MaxAbs(box.Max))
	_, e := math.Frexp(longest) // e satisfies 2^e > longest
	if longest == 0 {
		e = minUnit
	}
	_, bits := math.Frexp(largest)
	for {
		unit := max(e-maxDepth, bits-maxBits, minUnit)
		top := max(e, unit)
		u, side := math.Ldexp(1, unit), math.Ldexp(1, top)
		floor := func(x float64) float64 { return math.Floor(x/u) * u }
		f := cube{
			origin: r3.Vector{X: floor(box.Min.X), Y: floor(box.Min.Y), Z: floor(box.Min.Z)},
			side:   side, depth: top - unit,
		}
		end := f.origin.Add(r3.Vector{X: side, Y: side, Z: side})
		if end.X > box.Max.X && end.Y > box.Max.Y && end.Z > box.Max.Z {
			return f
		}
		e = top + 1
	}
}

// half returns half the side of a cell of the given level.
func (f *cube) half(level int) float64 { return math.Ldexp(f.side, -level-1) }

// cell holds the integer coordinates of a cell, in units of the cells of its level.
type cell struct{ x, y, z int32 }

// child returns octant o of c. Bits 0, 1 and 2 of o select the upper half in x, y and z.
func (c cell) child(o int) cell {
	return cell{2*c.x + int32(o&1), 2*c.y + int32(o>>1&1), 2*c.z + int32(o>>2)}
}

// octant returns the center of child o relative to the center of its parent, in units of half the
// parent's side.
func octant(o int) r3.Vector {
	return r3.Vector{X: float64(o&1) - 0.5, Y: float64(o>>1&1) - 0.5, Z: float64(o>>2) - 0.5}
}

// center returns the center of a cell. The result is exact.
func (f *cube) center(c cell, level int) r3.Vector {
	h := f.half(level)
	return r3.Vector{
		X: f.origin.X + float64(2*c.x+1)*h,
		Y: f.origin.Y + float64(2*c.y+1)*h,
		Z: f.origin.Z + float64(2*c.z+1)*h,
	}
}

// cellAt returns the cell of the deepest level that contains x, or false if x is outside the cube
// or NaN. Because of rounding, x can be outside the cell by less than 2^−30 of its side.
func (f *cube) cellAt(x r3.Vector) (c cell, ok bool) {
	n := math.Ldexp(1, f.depth)
	k := n / f.side
	tx, ty, tz := (x.X-f.origin.X)*k, (x.Y-f.origin.Y)*k, (x.Z-f.origin.Z)*k
	if !(tx >= 0 && ty >= 0 && tz >= 0 && tx < n && ty < n && tz < n) {
		return cell{}, false
	}
	return cell{int32(tx), int32(ty), int32(tz)}, true
}

// slackRadius is the largest distance between a cell and a point that cellAt assigns to it. The
// unit is the radius of the cell.
const slackRadius = 0x1p-28

// radius is the radius of a cell in units of half its side. It covers all points that cellAt can
// assign to the cell.
var radius = math.Sqrt(3) * (1 + slackRadius)

// spread inserts two zero bits after each of the lowest 20 bits.
func spread(v int32) uint64 {
	x := uint64(v)
	x = (x | x<<32) & 0x001f00000000ffff
	x = (x | x<<16) & 0x001f0000ff0000ff
	x = (x | x<<8) & 0x100f00f00f00f00f
	x = (x | x<<4) & 0x10c30c30c30c30c3
	return (x | x<<2) & 0x1249249249249249
}

func (c cell) code() uint64 { return spread(c.x) | spread(c.y)<<1 | spread(c.z)<<2 }
