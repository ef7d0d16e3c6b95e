package predicates

import (
	"math"

	"github.com/golang/geo/r3"
)

// orient2D returns the sign of (ax−cx)(by−cy) − (ay−cy)(bx−cx), which is twice the signed area of
// the triangle a, b, c in the plane. The sign is +1 if a, b, c turn left.
func (k *Counter) orient2D(ax, ay, bx, by, cx, cy float64) int {
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

// orient2DExpansion returns the exact sign for expandable coordinates.
func orient2DExpansion(ax, ay, bx, by, cx, cy float64) int {
	acx, acxt := twoDiff(ax, cx)
	acy, acyt := twoDiff(ay, cy)
	bcx, bcxt := twoDiff(bx, cx)
	bcy, bcyt := twoDiff(by, cy)
	ux, uy := [2]float64{acxt, acx}, [2]float64{-acyt, -acy}
	vx, vy := [2]float64{bcxt, bcx}, [2]float64{bcyt, bcy}
	var l, r [8]float64
	var det [16]float64
	nl := productExpansions2(&l, &ux, &vy)
	nr := productExpansions2(&r, &uy, &vx)
	n := sumExpansions(l[:nl], r[:nr], det[:])
	return signExpansion(det[:n])
}

// normalSigns returns the exact signs of the components of (a−c)×(b−c), which equals the normal
// (b−a)×(c−a) of the triangle.
func (k *Counter) normalSigns(a, b, c r3.Vector) (x, y, z int) {
	return k.orient2D(a.Y, a.Z, b.Y, b.Z, c.Y, c.Z),
		k.orient2D(a.Z, a.X, b.Z, b.X, c.Z, c.X),
		k.orient2D(a.X, a.Y, b.X, b.Y, c.X, c.Y)
}
