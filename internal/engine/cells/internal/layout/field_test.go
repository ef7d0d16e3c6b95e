package layout

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A field equals the linear interpolation of its values, up to its bound.
func TestField(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var v [8]float64
		for i := range v {
			v[i] = 14 * (rng.Float64() - 0.5)
		}
		var f Field
		f.Set(CapField, &v, 0)
		if f.Kind != CapField {
			t.Fatalf("%v is not stored", v)
		}
		u := [3]float64{rng.Float64(), rng.Float64(), rng.Float64()}
		want := 0.0
		for c, x := range v {
			for a := range u {
				if c>>a&1 == 1 {
					x *= u[a]
				} else {
					x *= 1 - u[a]
				}
			}
			want += x
		}
		if got, bound := f.At(u[0], u[1], u[2]); !(math.Abs(got-want) <= bound) || bound > 3*fieldUnit {
			t.Fatalf("%v at %v: %g ± %g, want %g", v, u, got, bound, want)
		}
	}
	for name, c := range map[string]struct{ value, bound float64 }{
		"value too large": {1e7, 0}, "NaN": {math.NaN(), 0}, "infinite": {math.Inf(1), 0},
		"bound too large": {0, 1e7}, "infinite bound": {0, math.Inf(1)}, "bound is NaN": {0, math.NaN()},
	} {
		var f Field
		if f.Set(CapField, &[8]float64{c.value}, c.bound); f.Kind != NoField {
			t.Errorf("%s: stored as %+v", name, f)
		}
	}
}
