package bem

import (
	"iter"
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
)

// double is the number hi + lo, with |lo| ≤ u·|hi|. docs/design/019-rounding.md (Double-double)
// states the sources and the errors of its operations.
type double struct{ hi, lo float64 }

// doubleRoundoff is 5u². It bounds the relative error of a product, a sum, and half of a root.
const doubleRoundoff = 5 * roundoff * roundoff

// twoSum returns a + b without error.
func twoSum(a, b float64) double {
	s := a + b
	v := s - a
	return double{s, (a - (s - v)) + (b - v)}
}

// normal returns hi + lo as a double. It requires |lo| ≤ |hi| or hi = 0.
func normal(hi, lo float64) double {
	s := hi + lo
	return double{s, lo - (s - hi)}
}

func (x double) neg() double { return double{-x.hi, -x.lo} }

func (x double) plus(y double) double {
	s, t := twoSum(x.hi, y.hi), twoSum(x.lo, y.lo)
	v := normal(s.hi, s.lo+t.hi)
	return normal(v.hi, t.lo+v.lo)
}

func (x double) times(y double) double {
	p := float64(x.hi * y.hi)
	low := math.FMA(x.lo, y.hi, math.FMA(x.hi, y.lo, x.lo*y.lo))
	return normal(p, math.FMA(x.hi, y.hi, -p)+low)
}

func (x double) sqrt() double {
	r := math.Sqrt(x.hi)
	return normal(r, (math.FMA(-r, r, x.hi)+x.lo)/(2*r))
}

// scale returns x·2^exp.
func (x double) scale(exp int) double { return double{math.Ldexp(x.hi, exp), math.Ldexp(x.lo, exp)} }

// setTo sets f to x. If x is 0, f has the sign bit of x.hi, which selects an argument on the negative real axis.
func (x double) setTo(f *big.Float) {
	if f.SetFloat64(x.hi); x.lo != 0 { // −0 + 0 would be +0
		f.Add(f, new(big.Float).SetFloat64(x.lo))
	}
}

// nearest returns the double nearest to f·2^exp.
func nearest(f *big.Float, exp int) (x double) {
	var g, low big.Float
	g.SetMantExp(f, exp)
	x.hi, _ = g.Float64()
	x.lo, _ = low.Sub(&g, low.SetFloat64(x.hi)).Float64()
	return x
}

// doubleVector is the exact difference of two points, with its length.
type doubleVector struct{ x, y, z, length double }

// view sets d to a − b. It returns false if the length is outside the range of the fast kernels.
func (d *doubleVector) view(a, b r3.Vector) bool {
	d.x, d.y, d.z = twoSum(a.X, -b.X), twoSum(a.Y, -b.Y), twoSum(a.Z, -b.Z)
	q := d.dot(d)
	d.length = q.sqrt()
	return (math.Float64bits(q.hi)-loSquare)>>rangeBits == 0
}

func (d *doubleVector) dot(e *doubleVector) double {
	return d.x.times(e.x).plus(d.y.times(e.y)).plus(d.z.times(e.z))
}

// doubleProduct does the work of product in double-double arithmetic.
type doubleProduct struct {
	re, im double
	turns  int64
}

// mulAny does the work of product.mulAny. As there, the sign bit of an imaginary part that is 0 matters: the product of
// −i and −i has the argument −π, so its imaginary part is −0.
func (p *doubleProduct) mulAny(re, im double) {
	switch {
	case re.hi == 0:
		re = double{} // −0 becomes +0
	case re.hi < 0: // re + i·im is i·(im − i·re), and it is −i·(−im + i·re)
		up := !math.Signbit(im.hi)
		p.turns += product{re: p.re.hi, im: p.im.hi}.quarter(up).turns
		if up {
			p.re, p.im, re, im = p.im.neg(), p.re, im, re.neg()
		} else {
			p.re, p.im, re, im = p.im, p.re.neg(), im.neg(), re
		}
	}
	q := p.re.times(im).plus(p.im.times(re))
	if q.hi == 0 { // operations of doubles lose the sign of −0
		q.hi = math.Copysign(0, float64(p.re.hi*im.hi)+float64(p.im.hi*re.hi))
	}
	p.turns += product{re: p.re.hi, im: p.im.hi}.crossing(q.hi)
	p.re, p.im = p.re.times(re).plus(p.im.times(im).neg()), q
}

// doubleMinNorm does the work of minNorm, and is far above errorZBig·doubleRoundoff. If the
// argument of an edge could have an error above 2^−60, bigRay computes the edge (tuning).
const doubleMinNorm = 0x1p-40

// factor returns the factor den + i·det of the triangle with the corners u, v and c. cond is its
// term of the error bound, in units of turnsPerCond·errorZBig·doubleRoundoff. ok is false if the
// factor needs an exact sign or more digits.
func (c *doubleVector) factor(u, v *doubleVector) (den, det double, cond float64, ok bool) {
	n := doubleVector{
		x: v.y.times(c.z).plus(v.z.times(c.y).neg()),
		y: v.z.times(c.x).plus(v.x.times(c.z).neg()),
		z: v.x.times(c.y).plus(v.y.times(c.x).neg()),
	}
	det = u.dot(&n)
	s := u.length.times(v.length).times(c.length)
	den = s.plus(u.dot(v).times(c.length)).plus(v.dot(c).times(u.length)).plus(c.dot(u).times(v.length))
	norm, limit := math.Abs(den.hi)+math.Abs(det.hi), doubleMinNorm*s.hi
	_, exp := math.Frexp(norm)
	// The second condition implies that needsSign would return false.
	return den.scale(-exp), det.scale(-exp), s.hi / norm, norm > limit && (den.hi > limit || math.Abs(det.hi) > limit)
}

// double returns the factor of e, computed with the precision that it needs and rounded to doubles.
// It adds the error of the factor to the bound of r. ok is false if the ray meets e.
func (r *bigRay) double(e edge, times uint32) (den, det double, ok bool) {
	if !r.factor(e, float64(times)) {
		return double{}, double{}, false
	}
	exp := exponent(&r.den, &r.det)
	return nearest(&r.den, -exp), nearest(&r.det, -exp), true
}

// doubleSum computes Sum with doubles, and with bigRay for edges that need more digits, a larger
// range or an exact sign. ok is false if the ray meets an edge, if a coordinate is not finite, or if
// done is closed.
func (b *Boundary) doubleSum(x, target r3.Vector, done <-chan struct{}) (w, bound *big.Float, ok bool) {
	if !vec.Finite(x) || !vec.Finite(target) {
		return nil, nil, false
	}
	var u, v, c doubleVector
	inRange := c.view(x, target)
	wide := newBigRay(rounded(x), target, extendedBits)
	p := doubleProduct{re: double{hi: 1}}
	sum, factors := 0.0, 0.0
	for i := range b.Len() {
		e, times := edge{}, uint32(1)
		if i < len(b.single) {
			e = b.single[i]
		} else {
			e, times = b.multiple[i-len(b.single)], b.mult[i-len(b.single)]
		}
		if i%checkEdges == 0 && closed(done) || times > blockFactors {
			return nil, nil, false
		}
		var den, det double
		cond, ok := 0.0, inRange && u.view(e.a, x) && v.view(e.b, x)
		if ok {
			den, det, cond, ok = c.factor(&u, &v)
		}
		if !ok {
			if den, det, ok = wide.double(e, times); !ok {
				return nil, nil, false
			}
			cond = 1 // covers the rounding to doubles
		}
		sum += float64(times) * cond
		factors += float64(times)
		for range times {
			p.mulAny(den, det)
		}
		_, exp := math.Frexp(max(math.Abs(p.re.hi), math.Abs(p.im.hi)))
		p.re, p.im = p.re.scale(-exp), p.im.scale(-exp)
	}
	out := newBigProduct(extendedBits)
	p.re.setTo(&out.re)
	p.im.setTo(&out.im)
	out.turns = p.turns
	e := doubleRoundoff*(turnsPerCond*errorZBig*sum+errorFactor/roundoff*factors+1) + wide.turns + wide.quarters/4
	return out.total(), new(big.Float).SetFloat64(inflate * e), true
}

// preciseSums yields Sum in double-double arithmetic, if possible, and then with 128 and 256 bits. It
// stops if the ray meets an edge exactly, if x or target is not finite, or if done is closed.
func (b *Boundary) preciseSums(x, target r3.Vector, done <-chan struct{}) iter.Seq2[*big.Float, *big.Float] {
	return func(yield func(w, bound *big.Float) bool) {
		w, bound, ok := b.doubleSum(x, target, done)
		if ok && !yield(w, bound) {
			return
		}
		for _, prec := range [...]uint{extendedBits, finalBits} {
			if w, bound, ok = b.ExtendedSum(x, target, prec, done); !ok || !yield(w, bound) {
				return
			}
		}
	}
}

// PreciseSum returns the value w of Sum with a bound of its error that is at most limit, if 256
// bits suffice. It tries double-double arithmetic, then 128 bits, then 256. With 256 bits the bound
// is below 2^−120 times the number of edges. ok is false if the ray meets an edge exactly, if x or
// target is not finite, or if done is closed. The cost is O(N) for N edges, usually half a
// microsecond for each edge. PreciseSum allocates.
func (b *Boundary) PreciseSum(x, target r3.Vector, limit float64, done <-chan struct{}) (w, bound *big.Float, ok bool) {
	for w, bound = range b.preciseSums(x, target, done) {
		if bound.Cmp(new(big.Float).SetFloat64(limit)) <= 0 {
			break
		}
	}
	return w, bound, w != nil
}
