package motion

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"
)

// Point is the exact position of a point in the frame of a posed body, with predicates that decide
// its place relative to float64 points without rounding. A filter in float64 with a proved bound
// decides most signs, and integers decide the others. Placement.Exact sets a Point. Only one
// goroutine at a time can use a Point. Calls of Exact reuse its memory.
type Point struct {
	Near   r3.Vector // the rounded position
	Radius float64   // the exact position is at most Radius away from Near

	place *Placement
	world r3.Vector
	// If ready, coordinate k is exactly x[k]·2^exp / place.bottom.
	ready bool
	x     [3]big.Int
	exp   int

	v    [3]intVector // corners relative to the point, in one unit
	n, w intVector
	a, b big.Int
	c, d big.Int

	Integers uint64 // number of signs that integers decided, a count for all points
}

type intVector [3]big.Int

// Exact sets x to the exact position of p, which must be finite.
func (pl *Placement) Exact(x *Point, p r3.Vector) {
	x.place, x.world, x.ready = pl, p, false
	x.Near, x.Radius = pl.Position(p)
}

// prepare computes the integers of x.
func (x *Point) prepare() {
	if x.ready {
		return
	}
	x.ready = true
	p, t := x.world, x.place.pose.Translation
	x.exp = lowest(p.X, p.Y, p.Z, t.X, t.Y, t.Z)
	for k, c := range [3][2]float64{{p.X, t.X}, {p.Y, t.Y}, {p.Z, t.Z}} {
		setInt(&x.w[k], c[0], x.exp)
		setInt(&x.a, c[1], x.exp)
		x.w[k].Sub(&x.w[k], &x.a)
	}
	for i := range x.x {
		x.x[i].SetInt64(0)
		for j := range x.w {
			x.x[i].Add(&x.x[i], x.a.Mul(&x.place.top[i][j], &x.w[j]))
		}
	}
}

// view sets x.v[i] to the exact difference points[i] − point, in integers with the common unit
// 2^exp/|q|². It returns exp.
func (x *Point) view(points ...*r3.Vector) (exp int) {
	x.prepare()
	exp = x.exp
	for _, p := range points {
		if *p != (r3.Vector{}) {
			exp = min(exp, lowest(p.X, p.Y, p.Z))
		}
	}
	for i, p := range points {
		for k, c := range [3]float64{p.X, p.Y, p.Z} {
			v := &x.v[i][k]
			setInt(v, c, exp)
			v.Mul(v, &x.place.bottom)
			v.Sub(v, x.a.Lsh(&x.x[k], uint(x.exp-exp)))
		}
	}
	return exp
}

// Orient3D returns the exact sign of (a−x)·((b−x)×(c−x)), like predicates.Orient3D(a, b, c, x).
func (x *Point) Orient3D(a, b, c *r3.Vector) int {
	if s := x.Sign(a, b, c); s != 0 {
		return s
	}
	x.Integers++
	x.view(a, b, c)
	x.cross(&x.n, &x.v[1], &x.v[2])
	return x.dot(&x.b, &x.v[0], &x.n).Sign()
}

// Sign returns the sign that Orient3D has at all points within Radius of Near, or 0 if the signs differ
// or float64 does not decide.
//
// Let d be the computed determinant at Near. Its rounding error is below 8·2⁻⁵³ times the permanent
// (Shewchuk 1997: 7+56·2⁻⁵³, which also leaves room for the rounding of the bound). The determinant is
// linear in the point: at a distance r from Near it differs by at most r·|(b−a)×(c−a)|, which is at
// most r times the product of the lengths. The sums of magnitudes below exceed these lengths. The
// factor 1.01 covers their rounding, and the last term covers operations that underflow.
func (x *Point) Sign(a, b, c *r3.Vector) int {
	p, abs := &x.Near, math.Abs
	ax, ay, az := a.X-p.X, a.Y-p.Y, a.Z-p.Z
	bx, by, bz := b.X-p.X, b.Y-p.Y, b.Z-p.Z
	cx, cy, cz := c.X-p.X, c.Y-p.Y, c.Z-p.Z
	xy, yx := float64(bx*cy), float64(cx*by)
	yz, zy := float64(cx*ay), float64(ax*cy)
	zx, xz := float64(ax*by), float64(bx*ay)
	det := float64(az*(xy-yx)) + float64(bz*(yz-zy)) + float64(cz*(zx-xz))
	permanent := (abs(xy)+abs(yx))*abs(az) + (abs(yz)+abs(zy))*abs(bz) + (abs(zx)+abs(xz))*abs(cz)
	e := abs(b.X-a.X) + abs(b.Y-a.Y) + abs(b.Z-a.Z)
	f := abs(c.X-a.X) + abs(c.Y-a.Y) + abs(c.Z-a.Z)
	bound := 8*0x1p-53*permanent + 1.01*x.Radius*e*f + 0x1p-1000*(1+abs(az)+abs(bz)+abs(cz)+e+f)
	switch { // both comparisons are false after an overflow
	case det > bound:
		return 1
	case -det > bound:
		return -1
	}
	return 0
}

// OnTriangle reports whether the point lies exactly on the closed triangle t. A triangle of zero area
// is the shortest segment that contains its corners, or a point.
func (x *Point) OnTriangle(t *[3]r3.Vector) bool {
	if x.Orient3D(&t[0], &t[1], &t[2]) != 0 {
		return false
	}
	x.view(&t[0], &t[1], &t[2])
	v := &x.v
	sub(&x.w, &v[1], &v[0])
	var e intVector
	sub(&e, &v[2], &v[0])
	x.cross(&x.n, &x.w, &e)
	if isZero(&x.n) {
		return x.onSegment(&v[0], &v[1]) || x.onSegment(&v[1], &v[2]) || x.onSegment(&v[2], &v[0])
	}
	for i := range v { // the triangle of an edge and the point must not turn against the normal
		x.cross(&x.w, &v[i], &v[(i+1)%3])
		if x.dot(&x.b, &x.w, &x.n).Sign() < 0 {
			return false
		}
	}
	return true
}

// onSegment reports whether the point lies on the closed segment with the ends v and w.
func (x *Point) onSegment(v, w *intVector) bool {
	x.cross(&x.n, v, w)
	return isZero(&x.n) && x.dot(&x.b, v, w).Sign() <= 0
}

// Within reports whether the exact distance of the point from the triangle t is at most the given
// tolerance, which must be finite and not negative.
func (x *Point) Within(t *[3]r3.Vector, tolerance float64) bool {
	exp := x.view(&t[0], &t[1], &t[2])
	v := &x.v
	// In the unit of v, the square of the tolerance is limit·4^shift.
	var limit big.Int
	low := lowest(tolerance)
	setInt(&limit, tolerance, low)
	limit.Mul(&limit, &x.place.bottom)
	limit.Mul(&limit, &limit)
	shift := low - exp
	atMost := func(num, den *big.Int) bool { // num/den ≤ limit·4^shift
		x.c.Mul(&limit, den)
		if shift >= 0 {
			x.c.Lsh(&x.c, uint(2*shift))
			return num.Cmp(&x.c) <= 0
		}
		x.d.Lsh(num, uint(-2*shift))
		return x.d.Cmp(&x.c) <= 0
	}
	one := big.NewInt(1)
	for i := range v {
		if atMost(x.dot(&x.b, &v[i], &v[i]), one) {
			return true
		}
	}
	var e, f, m intVector
	for i := range v {
		a, b := &v[i], &v[(i+1)%3]
		sub(&e, b, a)
		if x.dot(&x.b, a, &e).Sign() < 0 && x.dot(&x.b, b, &e).Sign() > 0 { // the foot is inside the edge
			x.cross(&m, &e, a)
			var length big.Int
			x.dot(&length, &e, &e)
			if atMost(x.dot(&x.b, &m, &m), &length) {
				return true
			}
		}
	}
	sub(&e, &v[1], &v[0])
	sub(&f, &v[2], &v[0])
	x.cross(&m, &e, &f)
	if isZero(&m) {
		return false
	}
	for i := range v { // the foot must be in the triangle
		x.cross(&f, &v[i], &v[(i+1)%3])
		if x.dot(&x.b, &f, &m).Sign() < 0 {
			return false
		}
	}
	var length, height big.Int
	x.dot(&height, &v[0], &m)
	height.Mul(&height, &height)
	return atMost(&height, x.dot(&length, &m, &m))
}

// Relative sets the coordinates of v to p minus the point, times a positive number that is the same
// for the three coordinates. Each coordinate is correctly rounded to its precision.
func (x *Point) Relative(v *[3]big.Float, p r3.Vector) {
	exp := x.view(&p)
	for k := range v {
		v[k].SetInt(&x.v[0][k])
		v[k].SetMantExp(&v[k], exp)
	}
}

func sub(d, a, b *intVector) {
	for k := range d {
		d[k].Sub(&a[k], &b[k])
	}
}

func isZero(v *intVector) bool { return v[0].Sign() == 0 && v[1].Sign() == 0 && v[2].Sign() == 0 }

func (x *Point) cross(n, a, b *intVector) {
	for k := range n {
		i, j := (k+1)%3, (k+2)%3
		n[k].Sub(x.c.Mul(&a[i], &b[j]), x.d.Mul(&a[j], &b[i]))
	}
}

func (x *Point) dot(sum *big.Int, a, b *intVector) *big.Int {
	sum.SetInt64(0)
	for k := range a {
		sum.Add(sum, x.c.Mul(&a[k], &b[k]))
	}
	return sum
}
