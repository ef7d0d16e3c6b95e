package mesh

import (
	"math"

	"github.com/golang/geo/r3"

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

// sizesSample is the number of triangles in a sample. // tuning
const sizesSample = 2048

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
	for i := range count {
		t := triangle(int(int64(i) * int64(n) / int64(count))) // an int can have 32 bits
		u, v := scaled(t[1], t[0], &inverse), scaled(t[2], t[0], &inverse)
		var e [3]float64
		for k := range e {
			e[k] = max(0, u[k], v[k]) - min(0, u[k], v[k])
		}
		for k := range e {
			i, j := (k+1)%3, (k+2)%3
			s.Extents[k] += e[k]
			s.Areas[k] += math.Abs(u[i]*v[j]-u[j]*v[i]) / 2
			s.Boxes[k] += e[i] * e[j]
		}
	}
	for k := range 3 {
		s.Extents[k] /= float64(count)
		s.Areas[k] /= float64(count)
		s.Boxes[k] /= float64(count)
	}
	return s
}

// scaled returns the differences of the coordinates, scaled. It scales first, because a difference
// can overflow.
func scaled(p, q r3.Vector, scale *[3]float64) [3]float64 {
	return [3]float64{p.X*scale[0] - q.X*scale[0], p.Y*scale[1] - q.Y*scale[1], p.Z*scale[2] - q.Z*scale[2]}
}
