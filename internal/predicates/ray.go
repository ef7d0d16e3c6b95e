package predicates

import (
	"math"

	"github.com/golang/geo/r3"
)

// Ray3D returns the sign of d·((a−p)×(b−p)). This is the sign of Orient3D(p+d, a, b, p), where p+d
// is not rounded. The sign tells on which side of the line through a and b the ray from p with the
// direction d passes. The sign is 0 if the line of the ray and the line through a and b are in one
// plane. If a and b are exchanged, the sign changes. Coordinates must be finite. Ray3D allocates
// only if it needs arbitrary precision.
//
// The filter has the expression of Orient3D, but d is exact. Let u and v be the computed
// differences a−p and b−p, let P be a computed product of components of u and v, and let ε be
// epsilon. The exact determinant is the sum of six terms d·P(1+δ)³, because each difference and the
// product are rounded once, with |δ| ≤ ε. The computed determinant is the sum of the same terms
// d·P(1+δ)⁴, because P is subtracted once, multiplied once, and added at most twice. So the error
// is at most (7 + 10ε)ε·Σ|d·P| for ε = 2⁻⁵³. The computed permanent is at least (1−ε)⁴·Σ|d·P|, so
// boundDet3 = 8ε covers the error and all roundings of the bound. Underflow has the same bound as
// in Orient3D, with d in place of adz, bdz and cdz.
func (k *Counter) Ray3D(d, a, b, p r3.Vector) int {
	ux, uy, uz := a.X-p.X, a.Y-p.Y, a.Z-p.Z
	vx, vy, vz := b.X-p.X, b.Y-p.Y, b.Z-p.Z

	yz, zy := float64(uy*vz), float64(uz*vy)
	zx, xz := float64(uz*vx), float64(ux*vz)
	xy, yx := float64(ux*vy), float64(uy*vx)

	det := float64(d.X*(yz-zy)) + float64(d.Y*(zx-xz)) + float64(d.Z*(xy-yx))
	dx, dy, dz := math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z)
	permanent := float64((math.Abs(yz)+math.Abs(zy))*dx) +
		float64((math.Abs(zx)+math.Abs(xz))*dy) +
		float64((math.Abs(xy)+math.Abs(yx))*dz)
	// After an overflow, bound is Inf or NaN, so det > bound and -det > bound are false.
	bound := float64(boundDet3*permanent) + float64(underflow3*(dx+dy+dz+1))
	if det > bound {
		k.Filter++
		return 1
	}
	if -det > bound {
		k.Filter++
		return -1
	}
	if d.X == 0 && ux == 0 && vx == 0 || d.Y == 0 && uy == 0 && vy == 0 || d.Z == 0 && uz == 0 && vz == 0 {
		k.Filter++
		return 0
	}
	if !expandable(d) || !expandable(a) || !expandable(b) || !expandable(p) {
		k.Exact++
		pp := r3.PreciseVectorFromVector(p)
		pa := r3.PreciseVectorFromVector(a).Sub(pp)
		pb := r3.PreciseVectorFromVector(b).Sub(pp)
		return r3.PreciseVectorFromVector(d).Dot(pa.Cross(pb)).Sign()
	}
	k.Expansion++
	u, v := difference(a, p), difference(b, p)
	return detExpansion(&expansion3{head: d}, &u, &v, permanent)
}

// Cross2D returns the sign of (bx−ax)(dy−cy) − (by−ay)(dx−cx), the cross product of the vectors from a
// to b and from c to d in the plane. The sign is +1 if the second vector points to the left of the
// first, and 0 if the vectors are parallel or one of them is 0. Coordinates must be finite. Cross2D
// allocates only if it needs arbitrary precision.
//
// The filter has the bound of Orient2D, because it has the same operations on four differences.
func (k *Counter) Cross2D(ax, ay, bx, by, cx, cy, dx, dy float64) int {
	left := float64((bx - ax) * (dy - cy))
	right := float64((by - ay) * (dx - cx))
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
	if (ax == bx || cy == dy) && (ay == by || cx == dx) { // both products are exactly 0
		k.Filter++
		return 0
	}
	if expandable1(ax) && expandable1(ay) && expandable1(bx) && expandable1(by) &&
		expandable1(cx) && expandable1(cy) && expandable1(dx) && expandable1(dy) {
		k.Expansion++
		ux, uxt := TwoDiff(bx, ax)
		uy, uyt := TwoDiff(by, ay)
		vx, vxt := TwoDiff(dx, cx)
		vy, vyt := TwoDiff(dy, cy)
		return det2Expansion(ux, uxt, uy, uyt, vx, vxt, vy, vyt)
	}
	k.Exact++
	precise := func(x, y float64) r3.PreciseVector {
		return r3.PreciseVectorFromVector(r3.Vector{X: x, Y: y})
	}
	u, v := precise(bx, by).Sub(precise(ax, ay)), precise(dx, dy).Sub(precise(cx, cy))
	return u.Cross(v).Z.Sign()
}
