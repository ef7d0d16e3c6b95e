package predicates

import (
	"math"

	"github.com/golang/geo/r3"
)

// epsilon is half the distance from 1 to the next float64: the largest relative
// error of one rounding.
const epsilon = 0x1p-53

// Error bounds of the filters, as multiples of the permanent (the determinant
// with every product replaced by its magnitude).
//
// Shewchuk 1997, §4.4, proves (7 + 56ε)ε for the 3×3 determinant of rounded
// differences and (3 + 28ε)ε for the exact determinant of the rounded
// differences; §4.3 proves (3 + 16ε)ε for the 2×2 determinant. The next integers
// leave at least half an ε for the one more rounding made when the underflow
// term is added.
const (
	boundDet3      = 8 * epsilon
	boundDet3Heads = 4 * epsilon
	boundDet2      = 4 * epsilon
)

// Products below the normal range lose up to 2^−1075 each in addition to their relative
// error. In det3 six such errors are multiplied by the third factors and three more are
// added: at most 2^−1074·(|adz|+|bdz|+|cdz|+2). underflow3 is this number with a margin
// of 2^100, which keeps the bound itself out of the subnormal numbers; in det2 two errors
// are added.
const (
	underflow3 = 0x1p-970
	underflow2 = 0x1p-970
)

// Counter counts the signs that each stage decided. It is not safe for concurrent
// use: give each worker its own and add them up at the end. The zero value is ready.
type Counter struct {
	Filter    uint64 // decided by the floating-point filter
	Expansion uint64 // decided by expansions
	Exact     uint64 // decided by r3.PreciseVector
}

// Add adds the counts of o to k.
func (k *Counter) Add(o Counter) {
	k.Filter += o.Filter
	k.Expansion += o.Expansion
	k.Exact += o.Exact
}

// Orient3D returns the sign of (a−d)·((b−d)×(c−d)), six times the signed volume
// of the tetrahedron a, b, c, d: +1, −1, or 0 if the four points are exactly
// coplanar. Swapping two arguments flips the sign. The coordinates must be
// finite. Only the last stage allocates.
func Orient3D(a, b, c, d r3.Vector) int {
	var k Counter
	return k.Orient3D(a, b, c, d)
}

// Orient3D is the function Orient3D, and counts the stage that decided.
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
	// An overflow makes the bound Inf or NaN: neither comparison holds then.
	bound := float64(boundDet3*permanent) + float64(underflow3*(az+bz+cz+1))
	if det > bound {
		k.Filter++
		return 1
	}
	if -det > bound {
		k.Filter++
		return -1
	}
	if !expandable(a) || !expandable(b) || !expandable(c) || !expandable(d) {
		k.Exact++
		return orient3DPrecise(a, b, c, d)
	}
	k.Expansion++
	return orient3DExpansion(a, b, c, d, permanent)
}

// orient3DPrecise is the last stage: no rounding, no range.
func orient3DPrecise(a, b, c, d r3.Vector) int {
	pd := r3.PreciseVectorFromVector(d)
	pa := r3.PreciseVectorFromVector(a).Sub(pd)
	pb := r3.PreciseVectorFromVector(b).Sub(pd)
	pc := r3.PreciseVectorFromVector(c).Sub(pd)
	return pa.Dot(pb.Cross(pc)).Sign()
}

// Expansions are exact while no product leaves the normal range. With every
// coordinate 0 or in [2^−290, 2^330], all differences and their tails are
// multiples of 2^−342 (the last bit of the smallest coordinate) below 2^331, so
// products of three are multiples of 2^−1026 below 2^993, and sums of 192 of
// them below 2^1001: all within [2^−1074, 2^1024).
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

// orient3DExpansion returns the exact sign for expandable coordinates.
func orient3DExpansion(a, b, c, d r3.Vector, permanent float64) int {
	adx, adxt := twoDiff(a.X, d.X)
	ady, adyt := twoDiff(a.Y, d.Y)
	adz, adzt := twoDiff(a.Z, d.Z)
	bdx, bdxt := twoDiff(b.X, d.X)
	bdy, bdyt := twoDiff(b.Y, d.Y)
	bdz, bdzt := twoDiff(b.Z, d.Z)
	cdx, cdxt := twoDiff(c.X, d.X)
	cdy, cdyt := twoDiff(c.Y, d.Y)
	cdz, cdzt := twoDiff(c.Z, d.Z)

	var h1, h2, h3 [8]float64
	var h12 [16]float64
	var heads [24]float64
	n1 := minorTimes(&h1, bdx, cdy, cdx, bdy, adz)
	n2 := minorTimes(&h2, cdx, ady, adx, cdy, bdz)
	n3 := minorTimes(&h3, adx, bdy, bdx, ady, cdz)
	n := sumExpansions(h1[:n1], h2[:n2], h12[:])
	n = sumExpansions(h12[:n], h3[:n3], heads[:])
	if adxt == 0 && adyt == 0 && adzt == 0 && bdxt == 0 && bdyt == 0 && bdzt == 0 &&
		cdxt == 0 && cdyt == 0 && cdzt == 0 {
		return signExpansion(heads[:n])
	}
	// The estimate's own relative error is a few ε, far below the ε that
	// boundDet3Heads leaves.
	if est := estimateExpansion(heads[:n]); math.Abs(est) > boundDet3Heads*permanent {
		return signExpansion(heads[:n])
	}

	// Now with tails: every difference is an expansion of two components.
	var t1, t2, t3 [64]float64
	var t12 [128]float64
	var det [192]float64
	ax, ay, az := [2]float64{adxt, adx}, [2]float64{adyt, ady}, [2]float64{adzt, adz}
	bx, by, bz := [2]float64{bdxt, bdx}, [2]float64{bdyt, bdy}, [2]float64{bdzt, bdz}
	cx, cy, cz := [2]float64{cdxt, cdx}, [2]float64{cdyt, cdy}, [2]float64{cdzt, cdz}
	n1 = minorTimes2(&t1, &bx, &cy, &cx, &by, &az)
	n2 = minorTimes2(&t2, &cx, &ay, &ax, &cy, &bz)
	n3 = minorTimes2(&t3, &ax, &by, &bx, &ay, &cz)
	n = sumExpansions(t1[:n1], t2[:n2], t12[:])
	n = sumExpansions(t12[:n], t3[:n3], det[:])
	return signExpansion(det[:n])
}

// minorTimes sets h to (p·q − r·s)·z exactly and returns its length.
func minorTimes(h *[8]float64, p, q, r, s, z float64) int {
	var pq, rs [2]float64
	var m [4]float64
	pq[1], pq[0] = twoProduct(p, q)
	rs[1], rs[0] = twoProduct(-r, s)
	n := sumExpansions(pq[:], rs[:], m[:])
	return scaleExpansion(m[:n], z, h[:])
}

// minorTimes2 is minorTimes for expansions of two components, smaller first.
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

// productExpansions2 sets h to e·f exactly and returns its length.
func productExpansions2(h *[8]float64, e, f *[2]float64) int {
	var lo, hi [4]float64
	nlo := scaleExpansion(e[:], f[0], lo[:])
	nhi := scaleExpansion(e[:], f[1], hi[:])
	return sumExpansions(lo[:nlo], hi[:nhi], h[:])
}
