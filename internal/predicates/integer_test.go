package predicates

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

// Integers decide coordinates with few bits. All signs equal the signs in arbitrary precision.
func TestIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	zeros := 0
	for range 100_000 {
		digits := math.Ldexp(1, 1+r.IntN(integerBits+4))
		var scale [3]float64 // the axes have different units
		for i := range scale {
			scale[i] = math.Ldexp(1/digits, r.IntN(400)-200)
		}
		c := func() float64 { return math.Round((2*r.Float64() - 1) * digits) }
		v := func() r3.Vector { return r3.Vector{X: c(), Y: c(), Z: c()} }
		a, b, d := v(), v(), v()
		s, u := float64(r.IntN(9)-4), float64(r.IntN(9)-4)
		p := a.Add(b.Sub(a).Mul(s)).Add(d.Sub(a).Mul(u))
		if r.IntN(2) == 0 {
			p.X += float64(r.IntN(3) - 1)
		}
		for _, q := range []*r3.Vector{&a, &b, &d, &p} {
			q.X, q.Y, q.Z = q.X*scale[0], q.Y*scale[1], q.Z*scale[2]
		}
		want := orient3DPrecise(a, b, d, p)
		if got := orient3DExpansion(a, b, d, p, 0); got != want {
			t.Fatalf("orient3DExpansion(%v, %v, %v, %v) = %d, want %d", a, b, d, p, got, want)
		}
		if want == 0 {
			zeros++
		}
		var k Counter
		e := p.Sub(a)
		if got, want := k.Orient2D(a.X, a.Y, b.X, b.Y, a.X+e.X, a.Y+e.Y), orient2DPrecise(a.X, a.Y, b.X, b.Y, a.X+e.X, a.Y+e.Y); got != want {
			t.Fatalf("Orient2D = %d, want %d", got, want)
		}
	}
	if zeros < 10_000 {
		t.Errorf("only %d determinants are zero", zeros)
	}
}

func orient2DPrecise(ax, ay, bx, by, cx, cy float64) int {
	sub := func(x, y float64) *big.Float {
		return new(big.Float).SetPrec(3000).Sub(big.NewFloat(x), big.NewFloat(y))
	}
	left := new(big.Float).SetPrec(3000).Mul(sub(ax, cx), sub(by, cy))
	right := new(big.Float).SetPrec(3000).Mul(sub(ay, cy), sub(bx, cx))
	return left.Cmp(right)
}

func TestToIntegers(t *testing.T) {
	for _, x := range []struct {
		a, b, c float64
		ok      bool
	}{
		{0, 0, 0, true},
		{1, 2, -0x1p40, true},
		{1, 2, -0x1p41, false},
		{0x1p-342, 0, 0x1.8p-340, true},
		{0x1p331, 0x1p-342, 0, false},
		{-0x1.fffffffffep331, 0, 0x1p331, true},
		{1.0 / 3, 0, 0, false},
	} {
		i, j, k, ok := toIntegers(x.a, x.b, x.c)
		if ok != x.ok {
			t.Errorf("toIntegers(%g, %g, %g): ok is %v", x.a, x.b, x.c, ok)
		}
		if ok && (float64(i)*x.b != float64(j)*x.a || float64(i)*x.c != float64(k)*x.a || max(i, -i, j, -j, k, -k) >= 1<<integerBits) {
			t.Errorf("toIntegers(%g, %g, %g) = %d, %d, %d", x.a, x.b, x.c, i, j, k)
		}
	}
}
