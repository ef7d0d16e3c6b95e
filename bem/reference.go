package bem

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/predicates"
)

// Precisions of Compare, in bits.
const (
	extendedBits = 128
	finalBits    = 256
)

// finestBits is the largest precision for the factor of a single edge. Seen from
// x, coordinates of float64 span less than 2^2100, so an edge that the ray does
// not meet has |z|₁/s above about 2^−4200 (the distance of x from its line, times
// the angle of the ray with its plane).
const finestBits = 1 << 13

// checkEdges is how often a reference sum looks at its done channel: some
// milliseconds.
const checkEdges = 256

// Compare returns the sign of χ + w − threshold, w the exact value of what Sum
// computes, evaluated with 128 and, if that cannot decide, with 256 bits. ok is
// false if neither can (the difference is below 2^−240 or so, as a rule 0), if the
// ray meets an edge, if x, target or threshold is not finite, or if done was
// closed, which may be nil. It is meant for the few points that the bound of Sum
// leaves open: it costs some microseconds an edge, and allocates.
func (b *Boundary) Compare(x, target r3.Vector, chi int64, threshold float64, done <-chan struct{}) (sign int, ok bool) {
	if math.IsNaN(threshold) || math.IsInf(threshold, 0) || !vec.Finite(x) || !vec.Finite(target) {
		return 0, false
	}
	for _, prec := range [...]uint{extendedBits, finalBits} {
		w, bound, ok := b.reference(x, target, prec, done)
		if !ok {
			return 0, false
		}
		// 2^12 bits: what these sums round away is nothing beside inflate.
		d := new(big.Float).SetPrec(1 << 12).SetInt64(chi)
		d.Add(d, w)
		d.Sub(d, new(big.Float).SetFloat64(threshold))
		if new(big.Float).Abs(d).Cmp(bound) > 0 {
			return d.Sign(), true
		}
	}
	return 0, false
}

// Reference is Sum in arithmetic of prec bits, at least 64 and at most 1000: the
// same formula, the same exact signs, and a bound of the absolute error on the
// same grounds. Where prec bits do not resolve the direction of a factor, because
// x is next to that edge, more are used for it. ok is false if the ray meets an
// edge exactly, or if x or target is not finite.
func (b *Boundary) Reference(x, target r3.Vector, prec uint) (w, bound *big.Float, ok bool) {
	return b.reference(x, target, prec, nil)
}

func (b *Boundary) reference(x, target r3.Vector, prec uint, done <-chan struct{}) (w, bound *big.Float, ok bool) {
	if !vec.Finite(x) || !vec.Finite(target) {
		return nil, nil, false
	}
	r := newBigRay(x, target, min(max(prec, 64), 1000))
	for i, e := range b.single {
		if i%checkEdges == 0 && closed(done) || !r.multiply(e, 1) {
			return nil, nil, false
		}
	}
	for i, e := range b.heavy {
		if i%checkEdges == 0 && closed(done) || !r.multiply(e, b.mult[i]) {
			return nil, nil, false
		}
	}
	w, bound = r.total()
	return w, bound, true
}

// closed reports whether done is closed; nil never is.
func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// bigVector is a vector seen from x, with its length.
type bigVector struct {
	v      [3]big.Float
	length big.Float
}

// bigRay holds the product of one sum and the variables of its arithmetic.
type bigRay struct {
	x, target r3.Vector
	spin      *bigSpin
	a, b, c   bigVector
	ab, bc    big.Float
	ca, det   big.Float
	den, s    big.Float
	t         [3]big.Float
	turns     float64 // part of the bound in turns
	quarters  float64 // part of the bound in quarter turns
	finer     *bigRay // of twice the precision, made when needed
}

func newBigRay(x, target r3.Vector, prec uint) *bigRay {
	r := &bigRay{x: x, target: target, spin: newBigSpin(prec)}
	for _, v := range []*bigVector{&r.a, &r.b, &r.c} {
		for k := range v.v {
			v.v[k].SetPrec(prec)
		}
		v.length.SetPrec(prec)
	}
	for _, f := range []*big.Float{&r.ab, &r.bc, &r.ca, &r.det, &r.den, &r.s, &r.t[0], &r.t[1], &r.t[2]} {
		f.SetPrec(prec)
	}
	r.view(&r.c, x, target)
	return r
}

// view sets v to p − x, correctly rounded, and its length.
func (r *bigRay) view(v *bigVector, p, x r3.Vector) {
	from := [3]float64{x.X, x.Y, x.Z}
	for k, c := range [3]float64{p.X, p.Y, p.Z} {
		var f, g big.Float
		v.v[k].Sub(f.SetFloat64(c), g.SetFloat64(from[k]))
	}
	r.dot(&v.length, v, v)
	v.length.Sqrt(&v.length)
}

func (r *bigRay) dot(dst *big.Float, a, b *bigVector) {
	dst.Mul(&a.v[0], &b.v[0])
	dst.Add(dst, r.t[0].Mul(&a.v[1], &b.v[1]))
	dst.Add(dst, r.t[0].Mul(&a.v[2], &b.v[2]))
}

// strackee sets den, det and s for the corners a, b, c. See the function
// strackee.
func (r *bigRay) strackee() {
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

// multiply multiplies the factor of e, m times; it reports whether the ray
// misses e.
func (r *bigRay) multiply(e edge, m uint32) bool {
	if !r.factor(e, float64(m)) {
		return false
	}
	if m == 1 {
		r.spin.mulAny(&r.den, &r.det)
		r.turns += r.units(1, 0)
	} else {
		r.spin.power(&r.den, &r.det, m)
		r.turns += r.units(2*float64(m)+1, 0)
	}
	r.spin.rescale()
	return true
}

// units returns n·2^exp in units of u = 2^−prec, rounded up where that underflows; u itself does
// for the highest precisions.
func (r *bigRay) units(n float64, exp int) float64 {
	return math.Ldexp(n, exp-int(r.spin.re.Prec())) + math.SmallestNonzeroFloat64
}

// factor sets den + i·det for e and adds m times its error to the bound; it
// reports whether the ray misses e. If the precision does not resolve the direction to half of
// its bits, it is found with more and rounded, which adds at most u radians.
func (r *bigRay) factor(e edge, m float64) bool {
	r.view(&r.a, e.a, r.x)
	r.view(&r.b, e.b, r.x)
	r.strackee()
	turns, quarters := r.turns, r.quarters
	if !r.judge(e, m) {
		return false
	}
	prec := r.spin.re.Prec()
	resolved := r.quarters == quarters && r.turns-turns <= m*math.Ldexp(1, -int(prec)/2)
	if resolved || 2*prec > finestBits {
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

// judge gives den + i·det the exact half-plane and adds m times its error to the
// bound, as doubtful and newFactor do. It returns false if the ray meets e.
func (r *bigRay) judge(e edge, m float64) bool {
	// limit is at least the error of den and of det, then of 2√2 times that.
	size, exp := mantissa(&r.s)
	limit := big.NewFloat(errorZBig * inflate * size)
	limit.SetMantExp(limit, exp-int(r.spin.re.Prec()))
	abs, norm := r.t[1].Abs(&r.det), r.t[0].Abs(&r.den)
	norm.Add(norm, abs)
	sign := r.det.Sign()
	doubtful := r.den.Cmp(limit) <= 0 && abs.Cmp(limit) <= 0
	if doubtful {
		if sign = -predicates.Orient3D(r.target, e.a, e.b, r.x); sign == 0 {
			return false
		}
		r.det.Set(abs)
		if sign < 0 {
			r.det.Neg(abs)
		}
	}
	switch limit.SetMantExp(limit, 2); {
	case norm.Cmp(limit) > 0:
		// s/|z|₁ in float64, though neither need be in its range.
		n, nexp := mantissa(norm)
		r.turns += m * r.units(slantTurns*errorZBig*size/n, exp-nexp)
	case !doubtful && r.den.Cmp(abs) > 0:
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

// total returns the sum in turns and its bound. Each multiplication adds at most
// √5·u/2π < u turns, the rest 8u and 2u relative to the result.
func (r *bigRay) total() (w, bound *big.Float) {
	w = r.spin.total()
	f, _ := w.Float64()
	e := r.turns + r.units(8+2*math.Abs(f), 0)
	return w, new(big.Float).SetFloat64(inflate * (e + r.quarters/4))
}

// mantissa returns f = m·2^e for f ≥ 0, 0.5 ≤ m < 1 with the roundoff of float64,
// or 0, 0.
func mantissa(f *big.Float) (m float64, e int) {
	var g big.Float
	e = f.MantExp(&g)
	m, _ = g.Float64()
	return m, e
}
