// Package vec has vector functions that package r3 lacks.
//
//	if !vec.Finite(p) || vec.MaxAbs(p) > mesh.MaxCoordinate {
//		return side.Unknown
//	}
package vec

import (
	"math"

	"github.com/golang/geo/r3"
)

// Finite reports whether all coordinates of v are finite numbers.
func Finite(v r3.Vector) bool {
	// x−x is 0 if x is finite, and NaN otherwise.
	return v.X-v.X == 0 && v.Y-v.Y == 0 && v.Z-v.Z == 0
}

// MaxAbs returns the largest magnitude of a coordinate of v. It returns NaN if a coordinate is NaN.
func MaxAbs(v r3.Vector) float64 { return max(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z)) }

// Component returns the coordinate of v on the given axis.
func Component(v r3.Vector, axis r3.Axis) float64 {
	switch axis {
	case r3.XAxis:
		return v.X
	case r3.YAxis:
		return v.Y
	}
	return v.Z
}

// Norm returns the length of v. Unlike r3.Vector.Norm, it squares no coordinate. It therefore
// overflows only if the length exceeds the range of float64, and never underflows.
func Norm(v r3.Vector) float64 { return math.Hypot(math.Hypot(v.X, v.Y), v.Z) }

// Unit returns v divided by its length. If the length of v is zero, it returns zero.
func Unit(v r3.Vector) r3.Vector { return Scaled(v).Normalize() }

// Scaled multiplies v by a power of two such that its largest component is about 1. The squares
// of the components then neither overflow nor underflow.
func Scaled(v r3.Vector) r3.Vector {
	_, e := math.Frexp(MaxAbs(v))
	return r3.Vector{X: math.Ldexp(v.X, -e), Y: math.Ldexp(v.Y, -e), Z: math.Ldexp(v.Z, -e)}
}
