package predicates

import (
	"cmp"
	"math"

	"github.com/golang/geo/r3"
)

// ZeroArea reports whether the triangle a, b, c has exactly zero area. A triangle has zero area if
// its corners are collinear or if two corners are equal.
func ZeroArea(a, b, c r3.Vector) bool {
	var k Counter
	return k.ZeroArea(a, b, c)
}

// ZeroArea computes the same result as the package function ZeroArea, and updates k.
func (k *Counter) ZeroArea(a, b, c r3.Vector) bool {
	return k.Orient2D(a.X, a.Y, b.X, b.Y, c.X, c.Y) == 0 &&
		k.Orient2D(a.Y, a.Z, b.Y, b.Z, c.Y, c.Z) == 0 &&
		k.Orient2D(a.Z, a.X, b.Z, b.X, c.Z, c.X) == 0
}

// OnTriangle reports whether p lies exactly on the triangle a, b, c, including its edges and
// vertices. A triangle of zero area is the shortest segment that contains its corners, or a point.
func OnTriangle(p, a, b, c r3.Vector) bool {
	var k Counter
	return k.OnTriangle(p, a, b, c)
}

// OnTriangle computes the same result as the package function OnTriangle, and updates k.
func (k *Counter) OnTriangle(p, a, b, c r3.Vector) bool {
	if !inBox(p.X, a.X, b.X, c.X) || !inBox(p.Y, a.Y, b.Y, c.Y) || !inBox(p.Z, a.Z, b.Z, c.Z) {
		return false
	}
	return k.Orient3D(a, b, c, p) == 0 && k.OnCoplanar(p, a, b, c)
}

// OnCoplanar returns the same result as OnTriangle if p lies in the plane of the triangle. The
// caller must make sure that Orient3D(a, b, c, p) is 0.
func (k *Counter) OnCoplanar(p, a, b, c r3.Vector) bool {
	if !inBox(p.X, a.X, b.X, c.X) || !inBox(p.Y, a.Y, b.Y, c.Y) || !inBox(p.Z, a.Z, b.Z, c.Z) {
		return false
	}
	// Project the triangle and p along an axis, and compute "Area-Signs" (Muth et al. 2006, §2.2,
	// fig. 4). If the projected triangle has an area, the projection is one-to-one on the plane of
	// the triangle. So p is on the triangle if the projected p is on the projected triangle.
	// nz, nx and ny are the signs of the components of the normal (a−c)×(b−c).
	if nz := k.Orient2D(a.X, a.Y, b.X, b.Y, c.X, c.Y); nz != 0 {
		return nz*k.Orient2D(a.X, a.Y, b.X, b.Y, p.X, p.Y) >= 0 &&
			nz*k.Orient2D(b.X, b.Y, c.X, c.Y, p.X, p.Y) >= 0 &&
			nz*k.Orient2D(c.X, c.Y, a.X, a.Y, p.X, p.Y) >= 0
	}
	if nx := k.Orient2D(a.Y, a.Z, b.Y, b.Z, c.Y, c.Z); nx != 0 {
		return nx*k.Orient2D(a.Y, a.Z, b.Y, b.Z, p.Y, p.Z) >= 0 &&
			nx*k.Orient2D(b.Y, b.Z, c.Y, c.Z, p.Y, p.Z) >= 0 &&
			nx*k.Orient2D(c.Y, c.Z, a.Y, a.Z, p.Y, p.Z) >= 0
	}
	if ny := k.Orient2D(a.Z, a.X, b.Z, b.X, c.Z, c.X); ny != 0 {
		return ny*k.Orient2D(a.Z, a.X, b.Z, b.X, p.Z, p.X) >= 0 &&
			ny*k.Orient2D(b.Z, b.X, c.Z, c.X, p.Z, p.X) >= 0 &&
			ny*k.Orient2D(c.Z, c.X, a.Z, a.X, p.Z, p.X) >= 0
	}
	// The triangle has zero area, so it is the union of its edges.
	return k.OnSegment(p, a, b) || k.OnSegment(p, b, c) || k.OnSegment(p, c, a)
}

// OnSegment reports whether p lies exactly on the closed segment a, b.
func (k *Counter) OnSegment(p, a, b r3.Vector) bool {
	return inBox(p.X, a.X, b.X, a.X) && inBox(p.Y, a.Y, b.Y, a.Y) && inBox(p.Z, a.Z, b.Z, a.Z) &&
		k.ZeroArea(a, b, p)
}

// inBox reports whether min(a, b, c) ≤ x ≤ max(a, b, c).
func inBox(x, a, b, c float64) bool {
	return (x >= a || x >= b || x >= c) && (x <= a || x <= b || x <= c)
}

// Orient2D returns the sign of (ax−cx)(by−cy) − (ay−cy)(bx−cx). This number is twice the signed
// area of the triangle a, b, c in the plane. The sign is +1 if the path a, b, c turns left.
func (k *Counter) Orient2D(ax, ay, bx, by, cx, cy float64) int {
	left := float64((ax - cx) * (by - cy))
	right := float64((ay - cy) * (bx - cx))
	det := left - right
	bound := float64(boundDet2*(math.Abs(left)+math.Abs(right))) + underflow2
	if det > bound {
		k.Filter++
		return 1
	}
	if -det > bound {
		k.Filter++
		return -1
	}
	if (ax == cx || by == cy) && (ay == cy || bx == cx) { // both products are exactly 0
		k.Filter++
		return 0
	}
	if expandable1(ax) && expandable1(ay) && expandable1(bx) && expandable1(by) &&
		expandable1(cx) && expandable1(cy) {
		k.Expansion++
		return orient2DExpansion(ax, ay, bx, by, cx, cy)
	}
	k.Exact++
	c := r3.PreciseVectorFromVector(r3.Vector{X: cx, Y: cy})
	a := r3.PreciseVectorFromVector(r3.Vector{X: ax, Y: ay}).Sub(c)
	b := r3.PreciseVectorFromVector(r3.Vector{X: bx, Y: by}).Sub(c)
	return a.Cross(b).Z.Sign()
}

// orient2DExpansion returns the exact sign if all coordinates are expandable.
func orient2DExpansion(ax, ay, bx, by, cx, cy float64) int {
	acx, acxt := TwoDiff(ax, cx)
	acy, acyt := TwoDiff(ay, cy)
	bcx, bcxt := TwoDiff(bx, cx)
	bcy, bcyt := TwoDiff(by, cy)
	return det2Expansion(acx, acxt, acy, acyt, bcx, bcxt, bcy, bcyt)
}

// det2Expansion returns the exact sign of a_x·b_y − a_y·b_x. The arguments are rounded differences of
// expandable coordinates and their rounding errors.
func det2Expansion(ax, axt, ay, ayt, bx, bxt, by, byt float64) int {
	if axt == 0 && ayt == 0 && bxt == 0 && byt == 0 {
		// Rounding is monotone. So if the rounded products differ, the exact products differ in the same
		// direction.
		l, lt := TwoProduct(ax, by)
		r, rt := TwoProduct(ay, bx)
		return cmp.Or(cmp.Compare(l, r), cmp.Compare(lt, rt))
	}
	ux, uy := [2]float64{axt, ax}, [2]float64{-ayt, -ay}
	vx, vy := [2]float64{bxt, bx}, [2]float64{byt, by}
	var l, r [8]float64
	var det [16]float64
	nl := productExpansions2(&l, &ux, &vy)
	nr := productExpansions2(&r, &uy, &vx)
	n := sumExpansions(l[:nl], r[:nr], det[:])
	return signExpansion(det[:n])
}
