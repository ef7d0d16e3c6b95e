package neighbor

import "github.com/inpoly/inpoly/bvh"

// touchDisks decides whether two disks touch. Every method decides by these four functions,
// or by the same operations in the same order on other layouts. The differences and
// products are rounded each; within 2^500 nothing overflows. Absent bodies must not get
// here: the square of their radius is +Inf.
//
// With u = 2^-53, a pair that is accepted obeys |Δ| ≤ (r_a+r_b)(1+5u) on every axis
// and in sum: the difference, its square and two sums are rounded on the left, at most
// (1−u)^5 |Δ|²; the sum and its square on the right, at most (1+u)^3 (r_a+r_b)². See widen.
func touchDisks(a, b *Disk) bool {
	x, y := a.Centre.X-b.Centre.X, a.Centre.Y-b.Centre.Y
	r := a.Radius + b.Radius
	return float64(x*x)+float64(y*y) <= r*r
}

// touchSpheres decides whether two balls touch.
func touchSpheres(a, b *Sphere) bool {
	x, y, z := a.Centre.X-b.Centre.X, a.Centre.Y-b.Centre.Y, a.Centre.Z-b.Centre.Z
	r := a.Radius + b.Radius
	return float64(x*x)+float64(y*y)+float64(z*z) <= r*r
}

// touchRects decides whether two rectangles touch.
func touchRects(a, b *Rect) bool {
	return a.Min.X <= b.Max.X && b.Min.X <= a.Max.X && a.Min.Y <= b.Max.Y && b.Min.Y <= a.Max.Y
}

// touchBoxes decides whether two boxes touch.
func touchBoxes(a, b *bvh.Box) bool { return a.Overlaps(*b) }
