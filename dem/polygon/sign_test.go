package polygon

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"
)

// exactVector returns q−p in rational numbers, computed from the places of the bodies. If p is nil,
// it returns q relative to the place of the first body.
func exactVector(f *frame, p, q *corner) (x, y *big.Rat) {
	at := func(c *corner) (x, y *big.Rat) {
		b, l := f.body[c.body], f.local(c)
		num := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
		mul := func(a, b float64) *big.Rat { return new(big.Rat).Mul(num(a), num(b)) }
		x = new(big.Rat).Sub(mul(b.cos, l.X), mul(b.sin, l.Y))
		y = new(big.Rat).Add(mul(b.sin, l.X), mul(b.cos, l.Y))
		return x.Add(x, num(b.at.X)), y.Add(y, num(b.at.Y))
	}
	px, py := new(big.Rat).SetFloat64(f.body[0].at.X), new(big.Rat).SetFloat64(f.body[0].at.Y)
	if p != nil {
		px, py = at(p)
	}
	qx, qy := at(q)
	return qx.Sub(qx, px), qy.Sub(qy, py)
}

func exactCross(f *frame, p, q, r, s *corner) *big.Rat {
	ux, uy := exactVector(f, p, q)
	vx, vy := exactVector(f, r, s)
	l, m := new(big.Rat).Mul(ux, vy), new(big.Rat).Mul(uy, vx)
	return l.Sub(l, m)
}

func exactDot(f *frame, p, q, r, s *corner) *big.Rat {
	ux, uy := exactVector(f, p, q)
	vx, vy := exactVector(f, r, s)
	l, m := new(big.Rat).Mul(ux, vx), new(big.Rat).Mul(uy, vy)
	return l.Add(l, m)
}

// hardBody returns a body with three arbitrary corners. Their coordinates are small integers or
// have widely different sizes, so that the tests reach all stages of computing signs.
func hardBody(rng *rand.Rand) *Body {
	value := func() float64 {
		switch rng.IntN(6) {
		case 0:
			return 0
		case 1:
			return math.Ldexp(rng.NormFloat64(), -rng.IntN(1070))
		case 2:
			return math.Ldexp(rng.NormFloat64(), 198-rng.IntN(400))
		case 3:
			return rng.NormFloat64()
		}
		return float64(rng.IntN(5) - 2)
	}
	s := &Shape{corners: []r2.Point{{X: value(), Y: value()}, {X: value(), Y: value()}, {X: value(), Y: value()}}}
	if rng.IntN(2) == 0 {
		// Corner 2 is the rounded midpoint of the other corners, so all corners are nearly collinear.
		s.corners[2] = s.corners[0].Add(s.corners[1]).Mul(0.5)
	}
	s.reach = MinSize
	for _, c := range s.corners {
		s.reach = max(s.reach, (math.Abs(c.X)+math.Abs(c.Y))*(1+0x1p-50))
	}
	b := &Body{shape: s, cos: 1, at: r2.Point{X: value(), Y: value()}}
	switch rng.IntN(3) {
	case 0:
		b.sin, b.cos = math.Sincos(value())
	case 1:
		b.sin, b.cos = 1, 0
	}
	return b
}

// Signs must be exact. Values and vectors must have a small relative error. The error bounds of
// float64 and of doubles must hold.
func TestSignsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var stages frame
	zeros := 0
	for trial := range trials(3_000, 300_000) {
		var f frame
		f.init(hardBody(rng), hardBody(rng))
		var c [4]corner
		for i := range c {
			c[i] = f.corner(rng.IntN(2), rng.IntN(3))
		}
		if rng.IntN(8) == 0 {
			c[2], c[3] = c[0], c[1]
		}
		p, q, r, s := &c[0], &c[1], &c[2], &c[3]
		for _, dot := range []bool{false, true} {
			want, got := exactCross(&f, p, q, r, s), f.crossSign(p, q, r, s)
			if dot {
				want, got = exactDot(&f, p, q, r, s), f.dotSign(p, q, r, s)
			}
			if want.Sign() == 0 {
				zeros++
			}
			if got != want.Sign() {
				t.Fatalf("trial %d, dot %v: sign %d, want %d of %v", trial, dot, got, want.Sign(), want)
			}
			value, bound := f.doubleProduct(p, q, r, s, dot)
			checkBound(t, trial, "double", value, bound+unit*math.Abs(value), want)
			v := f.product(p, q, r, s, dot, relativeError)
			checkBound(t, trial, "value", v, 2*relativeError*math.Abs(v), want)
		}
		ux, uy := exactVector(&f, p, q)
		d := f.difference(p, q)
		norm := math.Max(math.Abs(d.X), math.Abs(d.Y))
		checkBound(t, trial, "x", d.X, 2*relativeError*norm, ux)
		checkBound(t, trial, "y", d.Y, 2*relativeError*norm, uy)
		stages.exact += f.exact
		stages.rational += f.rational
	}
	if zeros == 0 || stages.exact == 0 || stages.rational == 0 {
		t.Errorf("%d zeros, %d expansions, %d rational numbers: a stage is not tested", zeros, stages.exact, stages.rational)
	}
}

func checkBound(t *testing.T, trial int, what string, got, bound float64, want *big.Rat) {
	t.Helper()
	off := new(big.Rat).Sub(want, new(big.Rat).SetFloat64(got))
	// A value that underflows keeps its sign. So underflow can add the smallest nonzero number to
	// the error.
	limit := new(big.Rat).SetFloat64(bound + math.SmallestNonzeroFloat64)
	if off.Abs(off).Cmp(limit) > 0 {
		t.Fatalf("trial %d: %s %g, want %s, bound %g", trial, what, got, want.FloatString(30), bound)
	}
}

// The errors of the rounded coordinates of corners must be within the bound of the frame.
func TestFrameBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for trial := range trials(1_000, 100_000) {
		var f frame
		a, b := hardBody(rng), hardBody(rng)
		f.init(a, b)
		for k := range 2 {
			c := f.corner(k, rng.IntN(3))
			x, y := exactVector(&f, nil, &c)
			checkBound(t, trial, "x", c.x, f.err[k], x)
			checkBound(t, trial, "y", c.y, f.err[k], y)
			at := f.doubleCorner(&c)
			for _, v := range []struct {
				d    double
				want *big.Rat
			}{{at.x, x}, {at.y, y}} {
				hi, lo := new(big.Rat).SetFloat64(v.d.hi), new(big.Rat).SetFloat64(v.d.lo)
				checkBound(t, trial, "low part", 0, 8*unit*f.err[k], hi.Add(hi, lo).Sub(hi, v.want))
			}
		}
	}
}

// Signs must also be exact for unrotated corners. The vectors in this test are parallel, and their
// coordinates need more bits than the type double has.
func TestPlainSignsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 15))
	value := func() float64 { return math.Ldexp(float64(rng.Int64N(1<<51)), -rng.IntN(70)) }
	long := 0
	for trial := range trials(5_000, 200_000) {
		p, q := r2.Point{X: value(), Y: value()}, r2.Point{X: value(), Y: value()}
		f := plainFrame(&Shape{corners: []r2.Point{p, q, p.Mul(3), q.Mul(3)}})
		a, b, c, d := f.corner(0, 0), f.corner(0, 1), f.corner(0, 2), f.corner(0, 3)
		if got := f.crossSign(&a, &b, &c, &d); got != 0 {
			t.Fatalf("trial %d: (%v−%v)×3(%v−%v) has sign %d", trial, q, p, q, p, got)
		}
		u := f.doubleCorner(&b).sub(f.doubleCorner(&a))
		v := f.doubleCorner(&d).sub(f.doubleCorner(&c))
		if u.cross(v).value() != 0 {
			long++
		}
	}
	if long == 0 {
		t.Error("no product has been rounded")
	}
}

// For random bodies, float64 may leave at most one sign undecided in 500 calls. The stage with
// twice the precision must decide all of these signs.
func TestLaterStagesAreRare(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	var p Pair
	for range 5_000 {
		a, b := anywhere(t, rng, 1, 1, 3)
		p.Distance(&a, &b)
		p.Overlap(&a, &b)
	}
	if s := p.Stats(); s.Doubles > s.Calls/500 || s.Exact > 0 || s.Rational > 0 {
		t.Errorf("%+v", s)
	}
}
