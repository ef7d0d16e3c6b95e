package dem

import (
	"math"
	"unsafe"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// A world is in space or in the plane. Its particles have a type that satisfies ball, and its
// vectors have a type that satisfies vector.
//
// The same code computes both kinds of worlds. The code loads a vector in the plane as a vector in
// space with z = 0, which does not change x and y. The compiler generates separate code for each
// type, with sizes as constants. Therefore, the function in3D and similar functions below have no
// branch. Type switches, or methods of a type parameter, would make steps slower by a quarter.
type ball interface {
	neighbor.Sphere | neighbor.Disk
}

type vector interface {
	r3.Vector | r2.Point
}

func spatial[V vector]() bool { return unsafe.Sizeof(*new(V)) == unsafe.Sizeof(r3.Vector{}) }

func in3D[V vector](v *V) r3.Vector {
	if spatial[V]() {
		return *(*r3.Vector)(unsafe.Pointer(v))
	}
	p := (*r2.Point)(unsafe.Pointer(v))
	return r3.Vector{X: p.X, Y: p.Y}
}

func set[V vector](dst *V, v r3.Vector) {
	if spatial[V]() {
		*(*r3.Vector)(unsafe.Pointer(dst)) = v
		return
	}
	*(*r2.Point)(unsafe.Pointer(dst)) = r2.Point{X: v.X, Y: v.Y}
}

func as[V vector](v r3.Vector) (dst V) {
	set(&dst, v)
	return dst
}

func centerRadius[B ball](b *B) (center r3.Vector, radius float64) {
	if unsafe.Sizeof(*b) == unsafe.Sizeof(neighbor.Sphere{}) {
		s := (*neighbor.Sphere)(unsafe.Pointer(b))
		return s.Center, s.Radius
	}
	d := (*neighbor.Disk)(unsafe.Pointer(b))
	return r3.Vector{X: d.Center.X, Y: d.Center.Y}, d.Radius
}

func setCenter[B ball](b *B, center r3.Vector) {
	if unsafe.Sizeof(*b) == unsafe.Sizeof(neighbor.Sphere{}) {
		(*neighbor.Sphere)(unsafe.Pointer(b)).Center = center
		return
	}
	(*neighbor.Disk)(unsafe.Pointer(b)).Center = r2.Point{X: center.X, Y: center.Y}
}

// The functions below round each product before they add it. The methods of r2 and r3 do not always
// round products. Some machines fuse multiplications and additions.

func scaled(m float64, v r3.Vector) r3.Vector {
	return r3.Vector{X: float64(m * v.X), Y: float64(m * v.Y), Z: float64(m * v.Z)}
}

func times(m float64, p r2.Point) r2.Point { return r2.Point{X: float64(m * p.X), Y: float64(m * p.Y)} }

func dot(a, b r2.Point) float64 { return float64(a.X*b.X) + float64(a.Y*b.Y) }

// cross returns the third component of a×b.
func cross(a, b r2.Point) float64 { return float64(a.X*b.Y) - float64(a.Y*b.X) }

// length returns |p|. It does not overflow if the coordinates are within the range of
// neighbor.ErrBody.
func length(p r2.Point) float64 { return math.Sqrt(dot(p, p)) }

func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

func finiteVector(v r3.Vector) bool { return finite(v.X) && finite(v.Y) && finite(v.Z) }

func finitePoint(p r2.Point) bool { return finite(p.X) && finite(p.Y) }
