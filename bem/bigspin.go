package bem

import "math/big"

// bigSpin is spin in big.Float arithmetic of a chosen precision.
type bigSpin struct {
	re, im big.Float
	turns  int64
	t      [4]big.Float // products
}

// newBigSpin returns the empty product.
func newBigSpin(prec uint) *bigSpin {
	p := &bigSpin{}
	p.re.SetPrec(prec).SetInt64(1)
	p.im.SetPrec(prec)
	for i := range p.t {
		p.t[i].SetPrec(prec)
	}
	return p
}

// mul multiplies p by z = re + i·im, re ≥ +0. See spin.mul.
func (p *bigSpin) mul(re, im *big.Float) {
	p.t[0].Mul(&p.re, re)
	p.t[1].Mul(&p.im, im)
	p.t[2].Mul(&p.re, im)
	p.t[3].Mul(&p.im, re)
	p.t[2].Add(&p.t[2], &p.t[3])
	p.count(p.t[2].Signbit())
	p.re.Sub(&p.t[0], &p.t[1])
	p.im.Set(&p.t[2])
}

// count counts the turn of a step that brings p to an imaginary part of that
// sign bit. See spin.turn.
func (p *bigSpin) count(lower bool) {
	if p.im.Signbit() == lower || !p.re.Signbit() {
		return
	}
	if lower {
		p.turns++
	} else {
		p.turns--
	}
}

// quarter multiplies p by i, or by −i, exactly.
func (p *bigSpin) quarter(up bool) {
	p.t[0].Set(&p.re)
	p.t[1].Set(&p.im)
	if up {
		p.count(p.t[0].Signbit())
		p.re.Neg(&p.t[1])
		p.im.Set(&p.t[0])
		return
	}
	p.count(!p.t[0].Signbit())
	p.re.Set(&p.t[1])
	p.im.Neg(&p.t[0])
}

// mulAny multiplies p by z = re + i·im with an argument in [−π, π]. See
// spin.mulAny.
func (p *bigSpin) mulAny(re, im *big.Float) {
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

// times multiplies p by q, which must be another product.
func (p *bigSpin) times(q *bigSpin) {
	p.mulAny(&q.re, &q.im)
	p.turns += q.turns
}

// power multiplies p by z^m, m ≥ 1, by repeated squaring. See spin.pow.
func (p *bigSpin) power(re, im *big.Float, m uint32) {
	prec := p.re.Prec()
	square, factor := newBigSpin(prec), newBigSpin(prec)
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

// rescale multiplies p by a power of two that keeps its exponents small.
func (p *bigSpin) rescale() {
	e := p.re.MantExp(nil)
	if p.re.Sign() == 0 || (p.im.Sign() != 0 && p.im.MantExp(nil) > e) {
		e = p.im.MantExp(nil)
	}
	p.re.SetMantExp(&p.re, -e)
	p.im.SetMantExp(&p.im, -e)
}

// total returns the sum of the arguments in turns, with an absolute error below
// 2^(2−prec) turns besides one rounding of the result.
func (p *bigSpin) total() *big.Float {
	prec := p.re.Prec()
	turns := argument(&p.im, &p.re, prec)
	var quarter, zero, one big.Float
	one.SetInt64(1)
	// π/2 by the same routine: the argument of i.
	quarter.SetPrec(prec).Set(argument(&one, &zero, prec))
	turns.Quo(turns, quarter.SetMantExp(&quarter, 2))
	var whole big.Float
	whole.SetPrec(prec).SetInt64(p.turns)
	return turns.Add(turns, &whole)
}

// guardBits are carried beyond the precision in argument. Its error stays below
// 128 units, so 2^−57 of the last place of the result.
const guardBits = 64

// halvings is how often argument halves the angle: the series then gains 2·16
// bits a term.
const halvings = 16

// argument returns atan2(y, x) with prec bits and a relative error below
// (1 + 2^−56)·2^−prec; on the negative real axis the sign bit of y tells which of
// ±π is meant. (0, 0) gives 0.
//
// The angle of (x, y) is twice that of (|(x,y)|+x, y), which has no cancellation
// for x ≥ 0; otherwise that direction is (y, |(x,y)|−x). With u the roundoff of
// the working precision, each halving has a relative error of at most 5u in the
// tangent, so no more in the angle. What is left, t = tan(θ/2^16) < 2^−14, goes
// to atan t = Σ (−1)^k t^(2k+1)/(2k+1), whose terms alternate and shrink: the sum
// is cut where they fall below u·t. Together 5·16u, u for t, and less than 8u for
// the series, whose later terms hardly matter.
func argument(y, x *big.Float, prec uint) *big.Float {
	w := prec + guardBits
	num := func() *big.Float { return new(big.Float).SetPrec(w) }
	if y.Sign() == 0 && x.Sign() >= 0 {
		return new(big.Float).SetPrec(prec)
	}
	lower := y.Signbit()
	a, b := num().Set(x), num().Abs(y)
	h, s := num(), num()
	for range halvings {
		h.Mul(a, a)
		h.Add(h, s.Mul(b, b))
		h.Sqrt(h)
		if a.Sign() < 0 {
			h.Sub(h, a)
			a, b, h = b, h, a
		} else {
			a.Add(a, h)
		}
	}
	t := num().Quo(b, a)
	t2 := num().Mul(t, t)
	sum, power, term := num().Set(t), num().Set(t), num()
	for k := int64(3); ; k += 2 {
		power.Mul(power, t2)
		power.Neg(power)
		term.Quo(power, s.SetInt64(k))
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-int(w) {
			break
		}
		sum.Add(sum, term)
	}
	sum.SetMantExp(sum, halvings)
	if lower {
		sum.Neg(sum)
	}
	return new(big.Float).SetPrec(prec).Set(sum)
}
