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

// Norm returns the length of v. Unlike r3.Vector.Norm, it squares no coordinate. It therefore
// overflows only if the length exceeds the range of float64, and never underflows.
func Norm(v r3.Vector) float64 { return math.Hypot(math.Hypot(v.X, v.Y), v.Z) }
