package bem

import (
	"math"
	"math/big"
	"testing"
)

// eighths are the exact multiples of an eighth of a turn, with both signs of
// zero wherever one occurs: re, im, and the argument in eighths.
var eighths = []struct {
	re, im float64
	k      int64
}{
	{1, 0, 0}, {1, math.Copysign(0, -1), 0},
	{0.5, 0.5, 1}, {0.5, -0.5, -1},
	{0, 1, 2}, {math.Copysign(0, -1), 1, 2}, {0, -1, -2}, {math.Copysign(0, -1), -1, -2},
	{-0.5, 0.5, 3}, {-0.5, -0.5, -3},
	{-1, 0, 4}, {-1, math.Copysign(0, -1), -4},
}

// Products of multiples of 45° are exact, so each step is on an axis or a
// diagonal, and no turn may get lost on the cut.
func TestSpinOnTheAxes(t *testing.T) {
	rng := newRand(1)
	for trial := range 500 {
		p, b := identity, newBigSpin(64)
		want := int64(0)
		for step := range 40 {
			f := eighths[rng.IntN(len(eighths))]
			if rng.IntN(4) == 0 {
				m := uint32(1 + rng.IntN(9))
				p = p.times(spin{re: f.re, im: f.im}.pow(m))
				b.power(big.NewFloat(f.re), big.NewFloat(f.im), m)
				want += int64(m) * f.k
			} else {
				p = p.mulAny(f.re, f.im)
				b.mulAny(big.NewFloat(f.re), big.NewFloat(f.im))
				want += f.k
			}
			p = p.rescale()
			b.rescale()
			if got := p.total(); got != float64(want)/8 {
				t.Fatalf("trial %d, step %d: %v turns, want %v", trial, step, got, float64(want)/8)
			}
			if got, _ := b.total().Float64(); math.Abs(got-float64(want)/8) > 1e-15 {
				t.Fatalf("trial %d, step %d: %v turns in big.Float, want %v", trial, step, got, float64(want)/8)
			}
		}
	}
}

func TestSpinAgainstAtan2(t *testing.T) {
	rng := newRand(2)
	for trial := range 300 {
		p, b := identity, newBigSpin(100)
		want := 0.0
		// Tiny angles on the cut and far apart magnitudes included.
		for step := range 400 {
			theta := math.Pi * (2*rng.Float64() - 1)
			if rng.IntN(2) == 0 {
				theta *= math.Pow(10, -300*rng.Float64())
			}
			if rng.IntN(8) == 0 {
				theta = math.Copysign(math.Pi, theta)
			}
			im, re := math.Sincos(theta)
			n := math.Abs(re) + math.Abs(im)
			re, im = re/n, im/n
			m := uint32(1)
			if rng.IntN(10) == 0 {
				m = rng.Uint32N(1000) + 1
				p = p.times(spin{re: re, im: im}.pow(m))
				b.power(big.NewFloat(re), big.NewFloat(im), m)
			} else {
				p = p.mulAny(re, im)
				b.mulAny(big.NewFloat(re), big.NewFloat(im))
			}
			want += float64(m) * math.Atan2(im, re) / (2 * math.Pi)
			if step%100 == 0 {
				p = p.rescale()
			}
		}
		if got := p.total(); math.Abs(got-want) > 1e-10 {
			t.Fatalf("trial %d: %v turns, want %v", trial, got, want)
		}
		if got, _ := b.total().Float64(); math.Abs(got-want) > 1e-10 {
			t.Fatalf("trial %d: %v turns in big.Float, want %v", trial, got, want)
		}
	}
}
