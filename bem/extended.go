package bem

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/angle"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
)

// Compare tries these precisions, in bits.
const (
	extendedBits = 128
	finalBits    = 256
)

// maxBits is the largest precision in bits for the factor of a single edge. It suffices for every
// edge that the ray does not meet (docs/design/016-error-bounds.md, Extended precision).
const maxBits = 1 << 13

// checkEdges is the number of edges between two checks of the done channel. The edges between two
// checks take some milliseconds.
const checkEdges = 256

// Compare returns the exact sign of χ + w − threshold, where w is the exact value of the sum that
// Sum approximates. It uses double-double arithmetic, then 128 bits, then 256. Compare is meant for
// the few points for which the bound of Sum is too large to decide the sign.
//
// ok is false if 256 bits do not decide the sign. Then |χ + w − threshold| is below about 2^−240,
// and usually 0. ok is also false if the ray meets an edge, if an argument is not finite, or if
// done is closed. A nil done counts as never closed. The cost is O(N) for N edges, usually half a
// microsecond for each edge, and sometimes some microseconds. Compare allocates.
func (b *Boundary) Compare(x, target r3.Vector, chi int64, threshold float64, done <-chan struct{}) (sign int, ok bool) {
	if math.IsNaN(threshold) || math.IsInf(threshold, 0) {
		return 0, false
	}
	for w, bound := range b.preciseSums(x, target, done) {
		// At 2^12 bits, the rounding error is negligible compared with the margin that the factor
		// inflate gives.
		d := new(big.Float).SetPrec(1 << 12).SetInt64(chi)
		d.Add(d, w)
		d.Sub(d, new(big.Float).SetFloat64(threshold))
		if new(big.Float).Abs(d).Cmp(bound) > 0 {
			return d.Sign(), true
		}
	}
	return 0, false
}

// ExtendedSum computes Sum in arithmetic of prec bits. prec is at least 64 and at most 1000. It
// uses the formula and the exact signs of Sum, and returns a bound of the absolute error of w. If x
// is close to an edge, the factor of that edge can need more than prec bits. ExtendedSum then
// computes that factor with more bits.
//
// ok is false if the ray meets an edge exactly, if x or target is not finite, or if done is closed.
// A nil done counts as never closed. The cost is O(N) for N edges, some microseconds for each edge.
func (b *Boundary) ExtendedSum(x, target r3.Vector, prec uint, done <-chan struct{}) (w, bound *big.Float, ok bool) {
	if !vec.Finite(x) || !vec.Finite(target) {
		return nil, nil, false
	}
	return b.extendedSum(newBigRay(rounded(x), target, min(max(prec, 64), 1000)), done)
}

// ExtendedSumAt is ExtendedSum for a start whose coordinates need not be float64 numbers.
func (b *Boundary) ExtendedSumAt(x Start, target r3.Vector, prec uint, done <-chan struct{}) (w, bound *big.Float, ok bool) {
	if !vec.Finite(target) {
		return nil, nil, false
	}
	return b.extendedSum(newBigRay(x, target, min(max(prec, 64), 1000)), done)
}

// Start is the start of a ray with exact coordinates, which need not be float64 numbers.
type Start interface {
	// Relative sets v to p minus the start, times a positive number. Each coordinate is correctly
	// rounded.
	Relative(v *[3]big.Float, p r3.Vector)
	// Orient3D returns the exact sign of (a−x)·((b−x)×(c−x)) for the start x.
	Orient3D(a, b, c *r3.Vector) int
}

// rounded is a start with float64 coordinates.
type rounded r3.Vector

func (x rounded) Relative(v *[3]big.Float, p r3.Vector) {
	from := [3]float64{x.X, x.Y, x.Z}
	for k, c := range [3]float64{p.X, p.Y, p.Z} {
		var f, g big.Float
		v[k].Sub(f.SetFloat64(c), g.SetFloat64(from[k]))
	}
}

func (x rounded) Orient3D(a, b, c *r3.Vector) int {
	return predicates.Orient3D(*a, *b, *c, r3.Vector(x))
}

// extendedSum does the work of ExtendedSum for the ray r, whose product is still 1.
func (b *Boundary) extendedSum(r *bigRay, done <-chan struct{}) (w, bound *big.Float, ok bool) {
	for i, e := range b.single {
		if i%checkEdges == 0 && closed(done) || !r.multiply(e, 1) {
			return nil, nil, false
		}
	}
	for i, e := range b.multiple {
		if i%checkEdges == 0 && closed(done) || !r.multiply(e, b.mult[i]) {
			return nil, nil, false
		}
	}
	w, bound = r.total()
	return w, bound, true
}

// closed reports whether done is closed. A nil channel counts as open.
func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

type bigVector struct {
	v      [3]big.Float
	length big.Float
}

// bigRay is a ray in extended precision, with the product of its factors and temporary values.
type bigRay struct {
	x        Start
	target   r3.Vector
	product  *bigProduct
	a, b, c  bigVector
	ab, bc   big.Float
	ca, det  big.Float
	den, s   big.Float
	t        [3]big.Float
	turns    float64 // part of the bound, in turns
	quarters float64 // part of the bound, in quarter turns
	finer    *bigRay // bigRay of twice the precision, made when needed
}

func newBigRay(x Start, target r3.Vector, prec uint) *bigRay {
	r := &bigRay{x: x, target: target, product: newBigProduct(prec)}
	for _, v := range []*bigVector{&r.a, &r.b, &r.c} {
		for k := range v.v {
			v.v[k].SetPrec(prec)
		}
		v.length.SetPrec(prec)
	}
	for _, f := range []*big.Float{&r.ab, &r.bc, &r.ca, &r.det, &r.den, &r.s, &r.t[0], &r.t[1], &r.t[2]} {
		f.SetPrec(prec)
	}
	r.view(&r.c, target) // the corner at infinity lies in the opposite direction
	for k := range r.c.v {
		r.c.v[k].Neg(&r.c.v[k])
	}
	return r
}

// view sets v to p minus the start, times a positive factor, and computes the length of v. Each
// coordinate is correctly rounded. Angles do not depend on the factor.
func (r *bigRay) view(v *bigVector, p r3.Vector) {
	r.x.Relative(&v.v, p)
	r.dot(&v.length, v, v)
	v.length.Sqrt(&v.length)
}

func (r *bigRay) dot(dst *big.Float, a, b *bigVector) {
	dst.Mul(&a.v[0], &b.v[0])
	dst.Add(dst, r.t[0].Mul(&a.v[1], &b.v[1]))
	dst.Add(dst, r.t[0].Mul(&a.v[2], &b.v[2]))
}

// oosteromStrackee sets den, det and s, like the function of the same name in float64.
func (r *bigRay) oosteromStrackee() {
	a, b, c := &r.a, &r.b, &r.c
	r.dot(&r.ab, a, b)
	r.dot(&r.bc, b, c)
	r.dot(&r.ca, c, a)
	r.s.Mul(&a.length, &b.length)
	r.s.Mul(&r.s, &c.length)
	r.den.Add(&r.s, r.t[0].Mul(&r.ab, &c.length))
	r.den.Add(&r.den, r.t[0].Mul(&r.bc, &a.length))
	r.den.Add(&r.den, r.t[0].Mul(&r.ca, &b.length))
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		r.t[0].Mul(&b.v[j], &c.v[k])
		r.t[1].Mul(&b.v[k], &c.v[j])
		r.t[2].Mul(&a.v[i], r.t[0].Sub(&r.t[0], &r.t[1]))
		if i == 0 {
			r.det.Set(&r.t[2])
		} else {
			r.det.Add(&r.det, &r.t[2])
		}
	}
}

// multiply multiplies the product by the factor of e, m times. It returns false if the ray meets e.
func (r *bigRay) multiply(e edge, m uint32) bool {
	if !r.factor(e, float64(m)) {
		return false
	}
	if m == 1 {
		r.product.mulAny(&r.den, &r.det)
		r.turns += r.units(1, 0)
	} else {
		r.product.power(&r.den, &r.det, m)
		r.turns += r.units(2*float64(m)+1, 0)
	}
	r.product.rescale()
	return true
}

// units returns n·2^exp·u with u = 2^−prec. The result is positive even if u underflows, which
// happens at the highest precisions.
func (r *bigRay) units(n float64, exp int) float64 {
	return math.Ldexp(n, exp-int(r.product.re.Prec())) + math.SmallestNonzeroFloat64
}

// factor sets den + i·det for e and adds m times the error of its argument to the bound. It returns
// false if the ray meets e. If less than half of the bits of the argument are certain, factor
// computes den + i·det with twice the precision. The rounding of that result adds at most u
// radians.
func (r *bigRay) factor(e edge, m float64) bool {
	r.view(&r.a, e.a)
	r.view(&r.b, e.b)
	r.oosteromStrackee()
	turns, quarters := r.turns, r.quarters
	if !r.resolve(e, m) {
		return false
	}
	prec := r.product.re.Prec()
	resolved := r.quarters == quarters && r.turns-turns <= m*math.Ldexp(1, -int(prec)/2)
	if resolved || 2*prec > maxBits {
		return true
	}
	if r.finer == nil {
		r.finer = newBigRay(r.x, r.target, 2*prec)
	}
	f := r.finer
	f.turns, f.quarters = 0, 0
	if !f.factor(e, 1) {
		return false
	}
	r.turns = turns + m*(r.units(1, 0)+f.turns)
	r.quarters = quarters + m*f.quarters
	r.den.Set(&f.den)
	r.det.Set(&f.det)
	return true
}

// resolve does the work of needsSign and newFactor in extended precision. It adds m times the error
// of the argument of den + i·det to the bound. It returns false if the ray meets e.
func (r *bigRay) resolve(e edge, m float64) bool {
	// The errors of den and det are at most maxErr. Below, maxErr becomes four times as large, which
	// is more than 2√2 times these errors.
	size, exp := mantissa(&r.s)
	maxErr := big.NewFloat(errorZBig * inflate * size)
	maxErr.SetMantExp(maxErr, exp-int(r.product.re.Prec()))
	abs, norm := r.t[1].Abs(&r.det), r.t[0].Abs(&r.den)
	norm.Add(norm, abs)
	sign := r.det.Sign()
	signNeeded := r.den.Cmp(maxErr) <= 0 && abs.Cmp(maxErr) <= 0
	if signNeeded {
		if sign = -r.x.Orient3D(&r.target, &e.a, &e.b); sign == 0 {
			return false
		}
		r.det.Set(abs)
		if sign < 0 {
			r.det.Neg(abs)
		}
	}
	switch maxErr.SetMantExp(maxErr, 2); {
	case norm.Cmp(maxErr) > 0:
		// s and |z|₁ can exceed the range of float64, so the code divides their mantissas.
		n, nexp := mantissa(norm)
		r.turns += m * r.units(turnsPerCond*errorZBig*size/n, exp-nexp)
	case !signNeeded && r.den.Cmp(abs) > 0:
		r.den.SetInt64(1)
		r.det.SetInt64(0)
		r.quarters += m
	default:
		r.den.SetInt64(0)
		r.det.SetInt64(int64(sign))
		r.quarters += m
	}
	return true
}

// total returns the sum in turns and its bound. Each multiplication adds at most √5·u/2π < u turns
// to the error. The conversion to turns adds an absolute error of 8u and a relative error of 2u.
func (r *bigRay) total() (w, bound *big.Float) {
	w = r.product.total()
	f, _ := w.Float64()
	e := r.turns + r.units(8+2*math.Abs(f), 0)
	return w, new(big.Float).SetFloat64(inflate * (e + r.quarters/4))
}

// mantissa returns m and e with f = m·2^e and 0.5 ≤ m < 1. The rounding of m to float64 can result
// in m = 1. For f = 0 both results are 0.
func mantissa(f *big.Float) (m float64, e int) {
	var g big.Float
	e = f.MantExp(&g)
	m, _ = g.Float64()
	return m, e
}

// bigProduct is a product in big.Float arithmetic.
type bigProduct struct {
	re, im big.Float
	turns  int64
	t      [4]big.Float
}

func newBigProduct(prec uint) *bigProduct {
	p := &bigProduct{}
	p.re.SetPrec(prec).SetInt64(1)
	p.im.SetPrec(prec)
	for i := range p.t {
		p.t[i].SetPrec(prec)
	}
	return p
}

// mul multiplies p by z = re + i·im with re ≥ +0. It corresponds to product.mul.
func (p *bigProduct) mul(re, im *big.Float) {
	p.t[0].Mul(&p.re, re)
	p.t[1].Mul(&p.im, im)
	p.t[2].Mul(&p.re, im)
	p.t[3].Mul(&p.im, re)
	p.t[2].Add(&p.t[2], &p.t[3])
	p.count(p.t[2].Signbit())
	p.re.Sub(&p.t[0], &p.t[1])
	p.im.Set(&p.t[2])
}

// count updates turns before the imaginary part gets the given sign bit. It corresponds to
// product.crossing.
func (p *bigProduct) count(lower bool) {
	if p.im.Signbit() == lower || !p.re.Signbit() {
		return
	}
	if lower {
		p.turns++
	} else {
		p.turns--
	}
}

// quarter rotates p by a quarter turn. The result is exact.
func (p *bigProduct) quarter(counterclockwise bool) {
	p.t[0].Set(&p.re)
	p.t[1].Set(&p.im)
	if counterclockwise {
		p.count(p.t[0].Signbit())
		p.re.Neg(&p.t[1])
		p.im.Set(&p.t[0])
		return
	}
	p.count(!p.t[0].Signbit())
	p.re.Set(&p.t[1])
	p.im.Neg(&p.t[0])
}

// mulAny multiplies p by z = re + i·im with an argument in [−π, π]. It corresponds to
// product.mulAny.
func (p *bigProduct) mulAny(re, im *big.Float) {
	var a, b big.Float
	switch {
	case re.Sign() == 0:
		p.mul(&a, im) // −0 becomes +0
	case re.Sign() > 0:
		p.mul(re, im)
	case im.Signbit():
		p.quarter(false)
		p.mul(a.Neg(im), b.Set(re))
	default:
		p.quarter(true)
		p.mul(a.Set(im), b.Neg(re))
	}
}

// times multiplies p by q, which must not be p.
func (p *bigProduct) times(q *bigProduct) {
	p.mulAny(&q.re, &q.im)
	p.turns += q.turns
}

// power multiplies p by (re + i·im)^m for m ≥ 1. It corresponds to product.pow.
func (p *bigProduct) power(re, im *big.Float, m uint32) {
	prec := p.re.Prec()
	square, factor := newBigProduct(prec), newBigProduct(prec)
	square.re.Set(re)
	square.im.Set(im)
	for {
		if m&1 == 1 {
			p.times(square)
			p.rescale()
		}
		m >>= 1
		if m == 0 {
			return
		}
		factor.re.Set(&square.re)
		factor.im.Set(&square.im)
		factor.turns = square.turns
		square.times(factor)
		square.rescale()
	}
}

// rescale multiplies p by a power of two to keep its exponents small.
func (p *bigProduct) rescale() {
	e := exponent(&p.re, &p.im)
	p.re.SetMantExp(&p.re, -e)
	p.im.SetMantExp(&p.im, -e)
}

// exponent returns the exponent of the larger component of re + i·im.
func exponent(re, im *big.Float) int {
	if re.Sign() == 0 || im.Sign() != 0 && im.MantExp(nil) > re.MantExp(nil) {
		return im.MantExp(nil)
	}
	return re.MantExp(nil)
}

// total returns the sum of the arguments in turns. Its absolute error is below 2^(2−prec) turns,
// plus the rounding of the result.
func (p *bigProduct) total() *big.Float {
	prec := p.re.Prec()
	turns := angle.Of(&p.im, &p.re, prec)
	var quarter, zero, one big.Float
	one.SetInt64(1)
	// π/2 is computed as the argument of i.
	quarter.SetPrec(prec).Set(angle.Of(&one, &zero, prec))
	turns.Quo(turns, quarter.SetMantExp(&quarter, 2))
	var whole big.Float
	whole.SetPrec(prec).SetInt64(p.turns)
	return turns.Add(turns, &whole)
}
