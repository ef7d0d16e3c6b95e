package bem

import (
	"math"
	"math/big"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Powers of two change nothing, up to coordinates whose differences overflow and
// down to subnormal ones.
func TestScaleInvariance(t *testing.T) {
	rng := newRand(30)
	corner := func() r3.Vector {
		// Multiples of 2^−40 in (−2, 2).
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
		for _, k := range []float64{0x1p1023, 0x1p600, 0x1p-600, 0x1p-1030} {
			scaled := mesh.Soup{Faces: append([][3]int32(nil), s.Faces...)}
			for _, v := range s.Vertices {
				scaled.Vertices = append(scaled.Vertices, v.Mul(k))
			}
			m := mustMesh(scaled)
			w2, wb2, _ := NewDirect(m, 1).Winding(x.Mul(k))
			sum2, sb2, ok2 := NewBoundary(m).Sum(x.Mul(k), target.Mul(k), &sc)
			if !(math.Abs(w-w2) <= wb+wb2) || ok != ok2 || !(math.Abs(sum-sum2) <= sb+sb2) {
				t.Fatalf("trial %d, scale %g: w %v and %v, sum %v and %v", trial, k, w, w2, sum, sum2)
			}
			if wb2 > wb+1e-14 || sb2 > sb+1e-14 {
				t.Fatalf("trial %d, scale %g: bounds %g and %g grew to %g and %g", trial, k, wb, sb, wb2, sb2)
			}
		}
	}
}

// The bound of a product of exactly known factors, Gaussian integers, is that of
// the multiplications alone. Factors and their conjugates alternate, so that the
// sum stays small while the roundings go on.
func TestTallyTotal(t *testing.T) {
	rng := newRand(31)
	for trial := range 40 {
		p, b := tally{spin: identity}, newBigSpin(200)
		re, im := float64(rng.IntN(1<<20)), float64(rng.IntN(1<<21)-1<<20)
		for range 1 + trial*300 {
			p.spin = p.spin.mulAny(re, im).rescale()
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
