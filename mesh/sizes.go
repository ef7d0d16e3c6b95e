package mesh

import (
	"math"

	"github.com/inpoly/inpoly/bvh"
)

// Sizes describes the sizes of triangles relative to a box. Cost models use it.
type Sizes struct {
	Triangles int
	Box       [3]float64 // lengths of the edges of the box
	Extents   [3]float64 // mean extent of a triangle along each axis, relative to the box
	Areas     [3]float64 // mean area of a triangle after projection along each axis, relative to the side of the box
	Boxes     [3]float64 // like Areas, for the bounding boxes of the projected triangles
}

// Sizes estimates the sizes of the faces of m from a sample. Sizes is zero if m has no faces.
func (m *Mesh) Sizes() Sizes {
	return SizesOf(m.NumFaces(), m.box, func(i int) Triangle { return m.Triangle(int32(i)) })
}

// sizesSample is the number of triangles in a sample. It is a prime number, so that the sample does
// not follow the period of a refined mesh, which is a power of 2 (tuning).
const sizesSample = 251

// SizesOf estimates the sizes of n triangles from a sample. The triangles lie in the box. If the box
// has no extent along an axis, the sizes along this axis are 0.
func SizesOf(n int, box bvh.Box, triangle func(i int) Triangle) Sizes {
	if n == 0 {
		return Sizes{}
	}
	size := box.Size()
	s := Sizes{Triangles: n, Box: [3]float64{size.X, size.Y, size.Z}}
	inverse := [3]float64{}
	for k, x := range s.Box {
		if inv := 1 / x; inv <= math.MaxFloat64 {
			inverse[k] = inv
		}
	}
	count := min(n, sizesSample)
	x, y, z := inverse[0], inverse[1], inverse[2]
	var extentX, extentY, extentZ, areaX, areaY, areaZ, boxX, boxY, boxZ float64 // sums, in registers
	for i := range count {
		t := triangle(int(int64(i) * int64(n) / int64(count))) // an int can have 32 bits
		// Scale first, because a difference can overflow.
		px, py, pz := t[0].X*x, t[0].Y*y, t[0].Z*z
		ux, uy, uz := t[1].X*x-px, t[1].Y*y-py, t[1].Z*z-pz
		vx, vy, vz := t[2].X*x-px, t[2].Y*y-py, t[2].Z*z-pz
		ex, ey, ez := extent(ux, vx), extent(uy, vy), extent(uz, vz)
		extentX, extentY, extentZ = extentX+ex, extentY+ey, extentZ+ez
		areaX, areaY, areaZ = areaX+math.Abs(uy*vz-uz*vy), areaY+math.Abs(uz*vx-ux*vz), areaZ+math.Abs(ux*vy-uy*vx)
		boxX, boxY, boxZ = boxX+ey*ez, boxY+ez*ex, boxZ+ex*ey
	}
	mean := func(x, y, z, count float64) [3]float64 { return [3]float64{x / count, y / count, z / count} }
	s.Extents = mean(extentX, extentY, extentZ, float64(count))
	s.Areas = mean(areaX, areaY, areaZ, float64(2*count))
	s.Boxes = mean(boxX, boxY, boxZ, float64(count))
	return s
}

// extent returns the length of the interval of 0, u and v.
func extent(u, v float64) float64 { return (math.Abs(u) + math.Abs(v) + math.Abs(u-v)) / 2 }
