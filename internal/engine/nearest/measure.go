package nearest

import (
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// part is a corner, an edge or the face of a triangle. Bit k is set if corner k belongs to the part.
// The part 0 is unknown.
type part uint8

const face part = 1<<3 - 1

func (a part) size() int  { return bits.OnesCount8(uint8(a)) }
func (a part) first() int { return bits.TrailingZeros8(uint8(a)) }
func (a part) last() int  { return bits.Len8(uint8(a)) - 1 }

// measured is a distance from a point to a triangle with about 106 bits. The exact distance differs
// from hi + lo by at most err, and hi is the float64 nearest to hi + lo. If the distance is unknown,
// err is +Inf.
type measured struct {
	hi, lo, err float64
	part        part // the part that contains the closest point
}

// measureError bounds the error of measure, in units of the size of the triangle as seen from the
// point. partError bounds the products of partOf in the same way. If lengths are at most maxMeasure
// and computed squares at least minMeasure, products of six lengths stay far from overflow and
// underflow. For the products of partOf, minPartError suffices. For the derivations, see Measured
// distances in docs/design/016-error-bounds.md.
const (
	measureError = 256 * 0x1p-106
	partError    = 8 * 0x1p-53
	maxMeasure   = 0x1p160
	minMeasure   = 0x1p-700
	minPartError = 0x1p-450
)

// measure returns the distance from p to t. The distance is unknown if float64 cannot decide which
// part of t contains the closest point, or if a square leaves the range of float64.
func measure(p *r3.Vector, t *mesh.Triangle) measured {
	return measurePart(p, t, partAt(p, t), true)
}

// partAt returns the part of t that contains the point closest to p, or 0 if float64 does not decide
// it.
func partAt(p *r3.Vector, t *mesh.Triangle) part {
	a, b, c, ab, ac := t[0].Sub(*p), t[1].Sub(*p), t[2].Sub(*p), t[1].Sub(t[0]), t[2].Sub(t[0])
	size, edges := norm1(a)+norm1(b)+norm1(c), norm1(ab)+norm1(ac)
	if !(size <= maxMeasure) {
		return 0
	}
	return partOf(a, b, c, ab, ac, partError*size*edges)
}

// measurePart returns the distance from p to t. The closest point must lie in the part a of t. If
// alongAxes is true, measurePart computes parts along the axes with smaller errors.
func measurePart(p *r3.Vector, t *mesh.Triangle, a part, alongAxes bool) (m measured) {
	m.err, m.part = math.Inf(1), a
	switch {
	case a == 0:
		return m
	case a == face && alongAxes:
		// If the face is perpendicular to an axis, the distance is a difference of two coordinates.
		for k := range 3 {
			if x := coordinate(&t[0], k); x == coordinate(&t[1], k) && x == coordinate(&t[2], k) {
				m.hi, m.lo = predicates.TwoDiff(x, coordinate(p, k))
				if m.hi < 0 {
					m.hi, m.lo = -m.hi, -m.lo
				}
				m.err = 0
				return m
			}
		}
	}
	size := norm1(t[0].Sub(*p)) + norm1(t[1].Sub(*p)) + norm1(t[2].Sub(*p))
	var v, e, f, across, n wide
	v.subtract(&t[m.part.first()], p)
	e.subtract(&t[m.part.last()], &t[m.part.first()])
	if m.part == face {
		f.subtract(&t[1], &t[0])
	}
	num, den, kappa := pair{}, pair{hi: 1}, 0.0
	aligned := alongAxes && across.setAcross(&v, &e, &f, m.part.size()-1)
	switch {
	case aligned && across[1] == (pair{}) && across[2] == (pair{}):
		m.hi, m.lo, m.err = math.Abs(across[0].hi), math.Copysign(1, across[0].hi)*across[0].lo, 0
		return m
	case aligned:
		num = across.dot(&across)
	case m.part.size() == 1:
		num = v.dot(&v)
	case m.part == face:
		n.cross(&e, &f)
		x := n.dot(&v)
		s, err := predicates.TwoProduct(x.hi, x.hi)
		num, den = pair{s, err + 2*x.hi*x.lo}, n.dot(&n)
		edges := norm1(t[1].Sub(t[0])) + norm1(t[2].Sub(t[0]))
		kappa = 0.25 * edges * edges / math.Sqrt(den.hi) // |e||f| is at most (|e|+|f|)²/4
	default:
		n.cross(&e, &v)
		num, den = n.dot(&n), e.dot(&e)
	}
	if num.hi >= minMeasure && den.hi >= minMeasure {
		m.hi, m.lo = rootOfQuotient(num, den)
		m.err = measureError * size * (1 + kappa)
	}
	return m
}

// partOf returns the part of the triangle a, b, c that is nearest to the origin, or 0 if rounding
// errors can change the part. e and f are the edges from a to b and from a to c. err bounds the
// error of their products with the corners. It distinguishes the same cases as Ericson, Real-Time
// Collision Detection, 2005, §5.1.5.
func partOf(a, b, c, e, f r3.Vector, err float64) part {
	ae, af, be, bf, ce, cf := -a.Dot(e), -a.Dot(f), -b.Dot(e), -b.Dot(f), -c.Dot(e), -c.Dot(f)
	bg, cg := bf-be, ce-cf // products with the edges from b to c and from c to b
	// These numbers are proportional to the barycentric coordinates of the foot of the
	// perpendicular.
	la := float64(be*cf) - float64(ce*bf)
	lb := float64(ce*af) - float64(ae*cf)
	lc := float64(ae*bf) - float64(be*af)
	area := 8 * err * (math.Abs(ae) + math.Abs(af) + math.Abs(be) + math.Abs(bf) + math.Abs(ce) + math.Abs(cf) + err)
	switch {
	case !(err >= minPartError):
		return 0
	case la > area && lb > area && lc > area:
		return face
	case ae < -err && af < -err:
		return 1
	case be > err && bg < -3*err:
		return 2
	case cf > err && cg < -3*err:
		return 4
	case lc < -area && ae > err && be < -err:
		return 1 | 2
	case lb < -area && af > err && cf < -err:
		return 1 | 4
	case la < -area && bg > 3*err && cg > 3*err:
		return 2 | 4
	}
	return 0
}

func coordinate(v *r3.Vector, axis int) float64 {
	switch axis {
	case 0:
		return v.X
	case 1:
		return v.Y
	}
	return v.Z
}

// pair is the number hi + lo, where |lo| is much smaller than |hi|.
type pair struct{ hi, lo float64 }

// rootOfQuotient returns √(num/den) as a rounded value hi and its rounding error lo.
func rootOfQuotient(num, den pair) (hi, lo float64) {
	// A Newton step from the rounded root r adds (num − r²·den)/(2r·den).
	r := math.Sqrt(num.hi / den.hi)
	s, sErr := predicates.TwoProduct(r, r)
	q, qErr := predicates.TwoProduct(s, den.hi)
	rest := (num.hi - q) + (num.lo - (qErr + (sErr*den.hi + s*den.lo)))
	return predicates.TwoSum(r, rest/(2*r*den.hi))
}

// wide is a vector of pairs.
type wide [3]pair

// setAcross sets u to the components of v that are not 0, if the part with the edges e and f is
// parallel to axes. v is the vector from the point to the part. setAcross leaves out the components
// along the part. It returns false unless the part extends along exactly dimension axes.
func (u *wide) setAcross(v, e, f *wide, dimension int) bool {
	if dimension > 0 && e[0].hi != 0 && e[1].hi != 0 && e[2].hi != 0 {
		return false
	}
	n := 0
	for k := range v {
		if e[k].hi != 0 || f[k].hi != 0 {
			dimension--
		} else if v[k].hi != 0 {
			u[n] = v[k]
			n++
		}
	}
	return dimension == 0
}

// subtract sets u to the exact difference v − w.
func (u *wide) subtract(v, w *r3.Vector) {
	u[0].hi, u[0].lo = predicates.TwoDiff(v.X, w.X)
	u[1].hi, u[1].lo = predicates.TwoDiff(v.Y, w.Y)
	u[2].hi, u[2].lo = predicates.TwoDiff(v.Z, w.Z)
}

// dot returns the scalar product of v and w.
func (v *wide) dot(w *wide) pair {
	x, xErr := predicates.TwoProduct(v[0].hi, w[0].hi)
	y, yErr := predicates.TwoProduct(v[1].hi, w[1].hi)
	z, zErr := predicates.TwoProduct(v[2].hi, w[2].hi)
	xy, xyErr := predicates.TwoSum(x, y)
	sum, sumErr := predicates.TwoSum(xy, z)
	xErr += v[0].hi*w[0].lo + v[0].lo*w[0].hi
	yErr += v[1].hi*w[1].lo + v[1].lo*w[1].hi
	zErr += v[2].hi*w[2].lo + v[2].lo*w[2].hi
	hi, lo := predicates.TwoSum(sum, (xErr+yErr)+(zErr+(xyErr+sumErr)))
	return pair{hi, lo}
}

// cross sets u to the vector product of v and w.
func (u *wide) cross(v, w *wide) {
	u[0].minor(&v[1], &w[2], &v[2], &w[1])
	u[1].minor(&v[2], &w[0], &v[0], &w[2])
	u[2].minor(&v[0], &w[1], &v[1], &w[0])
}

// minor sets a to p·q − r·s.
func (a *pair) minor(p, q, r, s *pair) {
	pq, pqErr := predicates.TwoProduct(p.hi, q.hi)
	rs, rsErr := predicates.TwoProduct(r.hi, s.hi)
	diff, err := predicates.TwoDiff(pq, rs)
	a.hi, a.lo = predicates.TwoSum(diff, (err+(pqErr-rsErr))+((p.hi*q.lo+p.lo*q.hi)-(r.hi*s.lo+r.lo*s.hi)))
}
