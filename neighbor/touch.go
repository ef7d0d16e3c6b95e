package neighbor

import "github.com/inpoly/inpoly/bvh"

// touchDisks decides whether two disks touch. Every method decides by these four functions,
// or by the same operations in the same order on other layouts. The differences and
// products are rounded each; within 2^500 nothing overflows.
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
