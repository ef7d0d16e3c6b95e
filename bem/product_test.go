package bem

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/angle"
	"github.com/inpoly/inpoly/mesh"
)

// eighths lists the directions at all multiples of 45°, with exact coordinates. Coordinates that
// are 0 occur with both signs.
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

// Products of multiples of 45° are exact, and each product lies on an axis or a diagonal. No turn
// is lost on the negative real axis.
func TestProductOnTheAxes(t *testing.T) {
	rng := newRand(1)
	for trial := range 500 {
		p, b := identity, newBigProduct(64)
		want := int64(0)
		for step := range 40 {
			f := eighths[rng.IntN(len(eighths))]
			if rng.IntN(4) == 0 {
				m := uint32(1 + rng.IntN(9))
				p = p.times(product{re: f.re, im: f.im}.pow(m))
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

// No turn is lost if im/re underflows.
func TestTotalUnderflow(t *testing.T) {
	for _, re := range []float64{-1, -1.5, -4, -0x1p800} {
		for _, im := range []float64{math.SmallestNonzeroFloat64, 0x1p-1022} {
			if below, above := (product{re: re, im: -im}).total(), (product{re: re, im: im}).total(); below != -0.5 || above != 0.5 {
				t.Errorf("%g ± %gi: %v and %v turns, want 0.5 and -0.5", re, im, above, below)
			}
		}
	}
}

func TestProductAgainstAtan2(t *testing.T) {
	rng := newRand(2)
	for trial := range 300 {
		p, b := identity, newBigProduct(100)
		want := 0.0
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
				p = p.times(product{re: re, im: im}.pow(m))
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

// The factors are Gaussian integers, which are exact. So the bound of their product covers only the
// multiplications. A factor alternates with its conjugate, which keeps the sum of the arguments
// small.
func TestAccumulatorTotal(t *testing.T) {
	rng := newRand(31)
	for trial := range 40 {
		p, b := accumulator{product: identity}, newBigProduct(200)
		re, im := float64(rng.IntN(1<<20)), float64(rng.IntN(1<<21)-1<<20)
		for range 1 + trial*300 {
			p.product = p.product.mulAny(re, im).rescale()
			b.mulAny(big.NewFloat(re), big.NewFloat(im))
			p.factors++
			im = -im
		}
		w, bound := p.total()
		if d, in := off(w, b.total(), bound); !in {
			t.Fatalf("trial %d: %v turns, off by %g, bound %g", trial, w, d, bound)
		}
	}
}

// Scaling by powers of two changes no result. Some scales make the differences of coordinates
// overflow, and some make coordinates subnormal.
func TestScaleInvariance(t *testing.T) {
	rng := newRand(30)
	corner := func() r3.Vector {
		// f returns multiples of 2^−40 in (−2, 2).
		f := func() float64 { return math.Ldexp(float64(rng.Int64N(1<<42)-1<<41), -40) }
		return r3.Vector{X: f(), Y: f(), Z: f()}
	}
	for trial := range 300 {
		s := soup(rng, 1+rng.IntN(5), 6, corner)
		x, target := corner(), corner()
		var sc Scratch
		m := mustMesh(mesh.Soup{Vertices: append([]r3.Vector(nil), s.Vertices...), Faces: append([][3]int32(nil), s.Faces...)})
		w, wb, _ := NewDirect(m, 1).Winding(x)
		sum, sb, ok := NewBoundary(m).Sum(x, target, &sc)
		for _, k := range []float64{0x1p998, 0x1p600, 0x1p-600, 0x1p-1030} {
			scaled := mesh.Soup{Faces: append([][3]int32(nil), s.Faces...)}
			for _, v := range s.Vertices {
				scaled.Vertices = append(scaled.Vertices, v.Mul(k))
			}
			m := mustMesh(scaled)
			w2, wb2, _ := NewDirect(m, 1).Winding(x.Mul(k))
			sum2, sb2, ok2 := NewBoundary(m).Sum(x.Mul(k), target.Mul(k), &sc)
			if !(math.Abs(w-w2) <= wb+wb2) || ok != ok2 || !(math.Abs(sum-sum2) <= sb+sb2) {
				t.Fatalf("trial %d, scale %g: scaling changes w %v to %v or the sum %v to %v", trial, k, w, w2, sum, sum2)
			}
			if wb2 > wb+1e-14 || sb2 > sb+1e-14 {
				t.Fatalf("trial %d, scale %g: scaling raises the bounds %g and %g to %g and %g", trial, k, wb, sb, wb2, sb2)
			}
		}
	}
}

// math.Atan2 is within 10 roundoffs of the angle in radians (docs/design/019-rounding.md, section 9).
// errorTotal allows three times as much.
func TestAtan2Error(t *testing.T) {
	rng := rand.New(rand.NewSource(77))
	worst := 0.0
	for range 20_000 {
		x, y := rng.NormFloat64()*math.Exp2(float64(rng.Intn(9))), rng.NormFloat64()
		switch rng.Intn(8) {
		case 0: // near a limit between two formulas
			y = math.Abs(x) * (0.66 + 1e-9*rng.NormFloat64())
		case 1:
			y = math.Abs(x) * (2.41421356237309504880 + 1e-9*rng.NormFloat64())
		case 2:
			y = math.Abs(x) * (1 + 1e-9*rng.NormFloat64())
		}
		want := angle.Of(big.NewFloat(y), big.NewFloat(x), 160)
		e, _ := new(big.Float).Sub(want, big.NewFloat(math.Atan2(y, x))).Float64()
		if worst = max(worst, math.Abs(e)/roundoff); !(math.Abs(e) <= 10*roundoff) {
			t.Errorf("Atan2(%v, %v): error %.3g roundoffs", y, x, math.Abs(e)/roundoff)
		}
	}
	t.Logf("errors up to %.3g roundoffs", worst)
}
