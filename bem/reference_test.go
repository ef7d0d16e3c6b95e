package bem

import (
	"math"
	"math/big"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// checkCompare asks for thresholds at, and a rounding from, the true value. It
// returns how many of them were decided.
func checkCompare(t *testing.T, where string, b *Boundary, x, target r3.Vector, chi int64, want *big.Float) (decided int) {
	t.Helper()
	near, _ := want.Float64()
	for _, threshold := range []float64{0.5, -0.5, near, math.Nextafter(near, 1), math.Nextafter(near, -1)} {
		d := bigf().Sub(want, big.NewFloat(threshold))
		sign, ok := b.Compare(x, target, chi, threshold, nil)
		if !ok {
			continue
		}
		decided++
		if sign != d.Sign() {
			t.Fatalf("%s: Compare with %v gives %d, want %d", where, threshold, sign, d.Sign())
		}
	}
	return decided
}

func TestCompare(t *testing.T) {
	// A cube without its lid: W at the centre of the lid is exactly ½, and
	// anything else beside it.
	cube := mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 2}, {X: 2, Y: 2}, {Y: 2}, {Z: 2}, {X: 2, Z: 2}, {X: 2, Y: 2, Z: 2}, {Y: 2, Z: 2}},
		Faces: [][3]int32{
			{0, 2, 1}, {0, 3, 2},
			{0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7},
		},
	}
	b := NewBoundary(mustMesh(cube))
	if b.Len() != 4 {
		t.Fatalf("the lid has %d edges", b.Len())
	}
	far := r3.Vector{X: 20, Y: 30, Z: 40}
	var sc Scratch
	for _, c := range []struct {
		name string
		z, t float64
		sign int
		ok   bool
	}{
		{"centre of the lid", 2, 0.5, 0, false},
		{"a rounding below", math.Nextafter(2, 0), 0.5, 1, true},
		{"a rounding above", math.Nextafter(2, 3), 0.5, -1, true},
		{"centre, threshold a rounding below", 2, math.Nextafter(0.5, 0), 1, true},
		{"centre, threshold a rounding above", 2, math.Nextafter(0.5, 1), -1, true},
		{"outside", 2.5, 0.5, -1, true},
		{"NaN", math.NaN(), 0.5, 0, false},
		{"NaN threshold", 1, math.NaN(), 0, false},
	} {
		x := r3.Vector{X: 1, Y: 1, Z: c.z}
		if sign, ok := b.Compare(x, far, 0, c.t, nil); sign != c.sign || ok != c.ok {
			t.Errorf("%s: sign %d, ok %v, want %d, %v", c.name, sign, ok, c.sign, c.ok)
		}
		w, bound, _ := b.Sum(x, far, &sc)
		if c.z-2 < 1e-10 && 2-c.z < 1e-10 && math.Abs(w-0.5) > bound {
			t.Errorf("%s: Sum %v ± %g decides by itself", c.name, w, bound)
		}
	}
}

// A point at any distance from an edge, down to the least float64: the bound is that of the
// precision, and tells on which side of an edge run through twice the point is.
func TestReferenceNextToAnEdge(t *testing.T) {
	a, b, c := r3.Vector{Y: 256}, r3.Vector{}, r3.Vector{Y: 9}
	far := []r3.Vector{{X: -7}, {Z: 2}, {X: -96, Y: 40, Z: 112}}
	chain := NewChain([][2]r3.Vector{{a, b}, {b, c}, {c, a}, {far[0], far[1]}, {far[1], far[2]}, {far[2], far[0]}}, []int32{2, 2, 2, 1, 1, 1})
	for e := 0; e >= -1074; e -= 7 {
		for _, z := range []float64{math.Ldexp(1, e), -math.Ldexp(1, e)} {
			x := r3.Vector{Y: 0x1.9551230429941p+07, Z: z}
			target := r3.Vector{X: 400, Y: 100, Z: 30}
			finest, _, ok := chain.Reference(x, target, 1000)
			if !ok {
				t.Fatalf("z = %g: the ray meets an edge", z)
			}
			for _, prec := range []uint{64, 128, 256, 1000} {
				w, bound, ok := chain.Reference(x, target, prec)
				if limit := math.Ldexp(1, -int(prec)/2+8); !ok || bound.Cmp(big.NewFloat(limit)) > 0 {
					t.Errorf("z = %g, %d bits: bound %g, %v", z, prec, bound, ok)
				} else if d := bigf().Sub(w, finest); d.Abs(d).Cmp(bound) > 0 {
					t.Errorf("z = %g, %d bits: off by %g, bound %g", z, prec, d, bound)
				}
			}
			if sign, ok := chain.Compare(x, target, 0, 0.5, nil); !ok || sign != -1 {
				t.Errorf("z = %g: sign %d, %v", z, sign, ok)
			}
		}
	}
}
