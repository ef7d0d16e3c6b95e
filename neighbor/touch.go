package neighbor

import (
	"math"

	"github.com/inpoly/inpoly/bvh"
)

// touchDisks decides whether two disks touch. Every method decides by these four functions,
// or by the expressions beside them. The differences and
// products are rounded each; within 2^500 nothing overflows. Absent bodies must not get
// here: the square of their radius is +Inf.
//
// With u = 2^-53, a pair that is accepted obeys |Δ| ≤ (r_a+r_b)(1+5u) on every axis
// and in sum: the difference, its square and two sums are rounded on the left, at most
// (1−u)^5 |Δ|²; the sum and its square on the right, at most (1+u)^3 (r_a+r_b)². See widen.
func touchDisks(a, b *Disk) bool { return overlapDisks(a, b) >= 0 }

// overlapDisks is (r_a+r_b)² − |Δ|², rounded. The sign is right for the rounded squares,
// and 0 is not negative: a difference of floating-point numbers is 0 only if they are equal.
func overlapDisks(a, b *Disk) float64 {
	x, y := a.Center.X-b.Center.X, a.Center.Y-b.Center.Y
	r := a.Radius + b.Radius
	return float64(r*r) - (float64(x*x) + float64(y*y))
}

// touchSpheres decides whether two balls touch.
func touchSpheres(a, b *Sphere) bool { return overlapSpheres(a, b) >= 0 }

// overlapSpheres is as overlapDisks.
func overlapSpheres(a, b *Sphere) float64 {
	x, y, z := a.Center.X-b.Center.X, a.Center.Y-b.Center.Y, a.Center.Z-b.Center.Z
	r := a.Radius + b.Radius
	return float64(r*r) - (float64(x*x) + float64(y*y) + float64(z*z))
}

// touchRects decides whether two rectangles touch.
func touchRects(a, b *Rect) bool {
	return a.Min.X <= b.Max.X && b.Min.X <= a.Max.X && a.Min.Y <= b.Max.Y && b.Min.Y <= a.Max.Y
}

// apartRects has its highest bit set if two rectangles do not touch. No coordinate may be
// −0: then each difference is −0 or negative only if the comparison in touchRects fails.
func apartRects(a, b *Rect) uint64 {
	return math.Float64bits(b.Max.X-a.Min.X) | math.Float64bits(a.Max.X-b.Min.X) |
		math.Float64bits(b.Max.Y-a.Min.Y) | math.Float64bits(a.Max.Y-b.Min.Y)
}

// touchBoxes decides whether two boxes touch.
func touchBoxes(a, b *bvh.Box) bool { return a.Overlaps(*b) }

// apartBoxes is as apartRects.
func apartBoxes(a, b *bvh.Box) uint64 {
	return math.Float64bits(b.Max.X-a.Min.X) | math.Float64bits(a.Max.X-b.Min.X) |
		math.Float64bits(b.Max.Y-a.Min.Y) | math.Float64bits(a.Max.Y-b.Min.Y) |
		math.Float64bits(b.Max.Z-a.Min.Z) | math.Float64bits(a.Max.Z-b.Min.Z)
}
