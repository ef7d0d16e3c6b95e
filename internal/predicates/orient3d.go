// Package predicates computes the exact signs of volumes and areas for float64 coordinates. Muth,
// Of, Eberhard, Steinbach 2006, §2.2, call these signs "Volume-Signs" and "Area-Signs".
//
// Orient3D works in stages. A floating-point filter with a proved error bound decides almost every
// call. Expansion arithmetic (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast
// Robust Geometric Predicates", 1997) decides most of the other calls. The first expansion uses the
// rounded differences of coordinates. If its sign is uncertain, a second expansion also uses the
// rounding errors of the differences. Integers replace expansions if the differences are exact and
// have few bits. If products could exceed the range of float64, r3.PreciseVector computes the sign in
// arbitrary precision. So a result of 0 means exactly zero.
// A Counter counts the decisions of each stage.
//
// Orient3D(a, b, c, d) is the sign of (a−d)·((b−d)×(c−d)). If the normal (b−a)×(c−a) of the
// triangle a, b, c points outward, the sign is +1 for a point d on the inner side.
//
// Coordinates must be finite. Callers check coordinates once, when they read them.
//
//	var count predicates.Counter
//	a, b, c := r3.Vector{X: 1}, r3.Vector{Y: 1}, r3.Vector{Z: 1}
//	switch count.Orient3D(a, b, c, r3.Vector{}) {
//	case +1:
//		fmt.Println("on the inner side of the plane")
//	case 0:
//		fmt.Println("exactly in the plane")
//	}
//	fmt.Println(count.Filter, count.Expansion, count.Exact)
package predicates

import (
	"math"

	"github.com/golang/geo/r3"
)

// epsilon is half the distance from 1 to the next larger float64. It is the largest relative error
// of one rounding.
const epsilon = 0x1p-53

// Each of these constants, multiplied by the permanent, bounds the error of one filter. The
// permanent is the determinant with every product replaced by its magnitude. Shewchuk 1997 proves
// smaller bounds (ε is epsilon). The constants exceed them by at least ε/2. This margin covers the
// rounding error of adding the underflow term.
const (
	boundDet3      = 8 * epsilon // proved: (7 + 56ε)ε for the rounded 3×3 determinant of rounded differences (§4.4)
	boundDet3Heads = 4 * epsilon // proved: (3 + 28ε)ε for the exact 3×3 determinant of rounded differences (§4.4)
	boundDet2      = 4 * epsilon // proved: (3 + 16ε)ε for the rounded 2×2 determinant (§4.3)
)

// These constants bound the errors from underflow. A product below the normal range has an
// additional error of at most 2^−1075. Orient3D multiplies six of these errors by |adz|, |bdz| or
// |cdz|, and adds three errors directly. The sum is at most 2^−1074·(|adz|+|bdz|+|cdz|+2). orient2D
// adds two errors. The constants exceed the sums by a factor of more than 2^100. So the bounds of
// the filters stay in the normal range.
const (
	underflow3 = 0x1p-970
	underflow2 = 0x1p-970
)

// Counter counts the signs that each stage decides. The zero value is ready for use. A Counter is
// not safe for concurrent use, so each worker needs its own Counter.
type Counter struct {
	Filter    uint64 // number of signs that the floating-point filter decided
	Expansion uint64 // number of signs that expansions or integers decided
	Exact     uint64 // number of signs that r3.PreciseVector decided
}

// Add adds the counts of o to k.
func (k *Counter) Add(o Counter) {
	k.Filter += o.Filter
	k.Expansion += o.Expansion
	k.Exact += o.Exact
}

// Orient3D returns the sign of (a−d)·((b−d)×(c−d)). This product is six times the signed volume of
// the tetrahedron a, b, c, d. The sign is 0 if the four points are exactly coplanar. If two
// arguments are exchanged, the sign changes. Coordinates must be finite. Orient3D allocates only if
// it needs arbitrary precision.
func Orient3D(a, b, c, d r3.Vector) int {
	var k Counter
	return k.Orient3D(a, b, c, d)
}

// Orient3D returns the result of the function Orient3D. It counts the stage that decides the sign.
func (k *Counter) Orient3D(a, b, c, d r3.Vector) int {
	adx, ady, adz := a.X-d.X, a.Y-d.Y, a.Z-d.Z
	bdx, bdy, bdz := b.X-d.X, b.Y-d.Y, b.Z-d.Z
	cdx, cdy, cdz := c.X-d.X, c.Y-d.Y, c.Z-d.Z

	bc, cb := float64(bdx*cdy), float64(cdx*bdy)
	ca, ac := float64(cdx*ady), float64(adx*cdy)
	ab, ba := float64(adx*bdy), float64(bdx*ady)

	det := float64(adz*(bc-cb)) + float64(bdz*(ca-ac)) + float64(cdz*(ab-ba))
	az, bz, cz := math.Abs(adz), math.Abs(bdz), math.Abs(cdz)
	permanent := float64((math.Abs(bc)+math.Abs(cb))*az) +
		float64((math.Abs(ca)+math.Abs(ac))*bz) +
		float64((math.Abs(ab)+math.Abs(ba))*cz)
	// After an overflow, bound is Inf or NaN, so det > bound and -det > bound are false.
	bound := float64(boundDet3*permanent) + float64(underflow3*(az+bz+cz+1))
	if det > bound {
		k.Filter++
		return 1
	}
	if -det > bound {
		k.Filter++
		return -1
	}
	// A difference is 0 only if its terms are equal. So if a triangle is perpendicular to an axis,
	// points in its plane need no expansion.
	if adx == 0 && bdx == 0 && cdx == 0 || ady == 0 && bdy == 0 && cdy == 0 || adz == 0 && bdz == 0 && cdz == 0 {
		k.Filter++
		return 0
	}
	if !expandable(a) || !expandable(b) || !expandable(c) || !expandable(d) {
		k.Exact++
		return orient3DPrecise(a, b, c, d)
	}
	k.Expansion++
	return orient3DExpansion(a, b, c, d, permanent)
}

// orient3DPrecise returns the sign with arbitrary precision. It is the last stage.
func orient3DPrecise(a, b, c, d r3.Vector) int {
	pd := r3.PreciseVectorFromVector(d)
	pa := r3.PreciseVectorFromVector(a).Sub(pd)
	pb := r3.PreciseVectorFromVector(b).Sub(pd)
	pc := r3.PreciseVectorFromVector(c).Sub(pd)
	return pa.Dot(pb.Cross(pc)).Sign()
}

// Expansions are exact if no product leaves the range of float64. Suppose that every coordinate is
// 0 or has a magnitude in [2^−290, 2^330]. Then differences and their rounding errors are below
// 2^331 and multiples of 2^−342. Products of three differences are below 2^993 and multiples of
// 2^−1026. Sums of 192 products are below 2^1001. All these numbers lie in the range of float64,
// from 2^−1074 to 2^1024.
const (
	minExpandable = 0x1p-290
	maxExpandable = 0x1p330
)

func expandable(v r3.Vector) bool {
	return expandable1(v.X) && expandable1(v.Y) && expandable1(v.Z)
}

func expandable1(x float64) bool {
	x = math.Abs(x)
	return x == 0 || (x >= minExpandable && x <= maxExpandable)
}

// orient3DExpansion returns the exact sign if all coordinates are expandable.
func orient3DExpansion(a, b, c, d r3.Vector, permanent float64) int {
	ad, bd, cd := difference(a, d), difference(b, d), difference(c, d)
	return detExpansion(&ad, &bd, &cd, permanent)
}

// expansion3 is a vector of expansions of two components: rounded values and their rounding errors.
type expansion3 struct{ head, tail r3.Vector }

func difference(a, b r3.Vector) (d expansion3) {
	d.head.X, d.tail.X = TwoDiff(a.X, b.X)
	d.head.Y, d.tail.Y = TwoDiff(a.Y, b.Y)
	d.head.Z, d.tail.Z = TwoDiff(a.Z, b.Z)
	return d
}

// detExpansion returns the exact sign of a·(b×c). The components are 0, or differences of
// expandable coordinates, or expandable. permanent is the permanent of the heads. If all components
// are exact and have few bits, as for single-precision coordinates, integers find the sign.
func detExpansion(a, b, c *expansion3, permanent float64) int {
	zero := r3.Vector{}
	exact := a.tail == zero && b.tail == zero && c.tail == zero
	adx, ady, adz := a.head.X, a.head.Y, a.head.Z
	bdx, bdy, bdz := b.head.X, b.head.Y, b.head.Z
	cdx, cdy, cdz := c.head.X, c.head.Y, c.head.Z
	if exact {
		ax, bx, cx, okx := toIntegers(adx, bdx, cdx)
		ay, by, cy, oky := toIntegers(ady, bdy, cdy)
		az, bz, cz, okz := toIntegers(adz, bdz, cdz)
		if okx && oky && okz {
			m := minorInteger(bx, cy, cx, by).times(az)
			m = m.plus(minorInteger(cx, ay, ax, cy).times(bz))
			return m.plus(minorInteger(ax, by, bx, ay).times(cz)).sign()
		}
	}

	var h1, h2, h3 [8]float64
	var h12 [16]float64
	var heads [24]float64
	n1 := minorTimes(&h1, bdx, cdy, cdx, bdy, adz)
	n2 := minorTimes(&h2, cdx, ady, adx, cdy, bdz)
	n3 := minorTimes(&h3, adx, bdy, bdx, ady, cdz)
	n := sumExpansions(h1[:n1], h2[:n2], h12[:])
	n = sumExpansions(h12[:n], h3[:n3], heads[:])
	if exact {
		return signExpansion(heads[:n])
	}
	// The margin in boundDet3Heads covers the error of est. Near the bound, this error is about
	// 8·epsilon²·permanent, and the margin is almost epsilon·permanent.
	if est := estimateExpansion(heads[:n]); math.Abs(est) > boundDet3Heads*permanent {
		return signExpansion(heads[:n])
	}

	// The rounded differences do not decide the sign. So each difference becomes an expansion of
	// two components: its rounding error and its rounded value.
	var t1, t2, t3 [64]float64
	var t12 [128]float64
	var det [192]float64
	ax, ay, az := [2]float64{a.tail.X, adx}, [2]float64{a.tail.Y, ady}, [2]float64{a.tail.Z, adz}
	bx, by, bz := [2]float64{b.tail.X, bdx}, [2]float64{b.tail.Y, bdy}, [2]float64{b.tail.Z, bdz}
	cx, cy, cz := [2]float64{c.tail.X, cdx}, [2]float64{c.tail.Y, cdy}, [2]float64{c.tail.Z, cdz}
	n1 = minorTimes2(&t1, &bx, &cy, &cx, &by, &az)
	n2 = minorTimes2(&t2, &cx, &ay, &ax, &cy, &bz)
	n3 = minorTimes2(&t3, &ax, &by, &bx, &ay, &cz)
	n = sumExpansions(t1[:n1], t2[:n2], t12[:])
	n = sumExpansions(t12[:n], t3[:n3], det[:])
	return signExpansion(det[:n])
}

// minorTimes sets h to the exact expansion of (p·q − r·s)·z and returns its length.
func minorTimes(h *[8]float64, p, q, r, s, z float64) int {
	var pq, rs [2]float64
	var m [4]float64
	pq[1], pq[0] = TwoProduct(p, q)
	rs[1], rs[0] = TwoProduct(-r, s)
	n := sumExpansions(pq[:], rs[:], m[:])
	return scaleExpansion(m[:n], z, h[:])
}

// minorTimes2 does the same as minorTimes, but its arguments are expansions of two components. The
// smaller component comes first.
func minorTimes2(h *[64]float64, p, q, r, s, z *[2]float64) int {
	var pq, rs [8]float64
	var m [16]float64
	var lo, hi [32]float64
	minus := [2]float64{-r[0], -r[1]}
	npq := productExpansions2(&pq, p, q)
	nrs := productExpansions2(&rs, &minus, s)
	n := sumExpansions(pq[:npq], rs[:nrs], m[:])
	nlo := scaleExpansion(m[:n], z[0], lo[:])
	nhi := scaleExpansion(m[:n], z[1], hi[:])
	return sumExpansions(lo[:nlo], hi[:nhi], h[:])
}

// productExpansions2 sets h to the exact expansion of e·f and returns its length.
func productExpansions2(h *[8]float64, e, f *[2]float64) int {
	var lo, hi [4]float64
	nlo := scaleExpansion(e[:], f[0], lo[:])
	nhi := scaleExpansion(e[:], f[1], hi[:])
	return sumExpansions(lo[:nlo], hi[:nhi], h[:])
}
