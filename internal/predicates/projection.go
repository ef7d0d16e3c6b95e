package predicates

import (
	"math"

	"github.com/golang/geo/r3"
)

// Around returns the winding number of the projected triangle a, b, c around the projected point
// p+(δ, δ²), where δ is a positive infinitesimal. The projection omits z. The winding number is +1
// if the triangle turns left around the point, −1 if it turns right, and 0 if the point is outside.
// The point p+(δ, δ²) lies on no edge (Edelsbrunner, Mücke, "Simulation of Simplicity", 1990).
//
// near is true if the projection of p lies on the boundary of the projected triangle. near can also
// be true for other points. Coordinates must be finite.
func (k *Counter) Around(p, a, b, c r3.Vector) (n int, near bool) {
	ax, ay, bx, by, cx, cy := a.X-p.X, a.Y-p.Y, b.X-p.X, b.Y-p.Y, c.X-p.X, c.Y-p.Y
	ab, ba := float64(ax*by), float64(ay*bx)
	bc, cb := float64(bx*cy), float64(by*cx)
	ca, ac := float64(cx*ay), float64(cy*ax)
	// This bound holds for each of the three determinants; see Orient2D.
	bound := float64(boundDet2*(math.Abs(ab)+math.Abs(ba)+math.Abs(bc)+math.Abs(cb)+math.Abs(ca)+math.Abs(ac))) + underflow2
	u, v, w := ab-ba, bc-cb, ca-ac
	least, most := min(u, v, w), max(u, v, w)
	switch { // if a product overflows, the bound is Inf or NaN, and all comparisons are false
	case least > bound:
		k.Filter++
		return 1, false
	case most < -bound:
		k.Filter++
		return -1, false
	case least < -bound && most > bound:
		k.Filter++
		return 0, false
	}
	return k.aroundPerturbed(p, a, b, c)
}

// aroundPerturbed does the work of Around without the filter.
func (k *Counter) aroundPerturbed(p, a, b, c r3.Vector) (n int, near bool) {
	// The vertices with the same y as p are below p+(δ, δ²).
	near = a.Y == p.Y || b.Y == p.Y || c.Y == p.Y
	corners := [...]r3.Vector{a, b, c, a}
	for i, v := range corners[1:] {
		u := corners[i]
		up := v.Y > p.Y
		if up == (u.Y > p.Y) {
			continue
		}
		// The edge crosses the line through p+(δ, δ²) along x. Count it if it crosses the half with
		// larger x. If p is on the line of the edge, p+(δ, δ²) has a larger x than the edge.
		switch o := k.Orient2D(u.X, u.Y, v.X, v.Y, p.X, p.Y); {
		case o == 0:
			near = true
		case up && o > 0:
			n++
		case !up && o < 0:
			n--
		}
	}
	return n, near
}
