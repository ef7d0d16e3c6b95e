package predicates

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

// TestPlaneSide compares PlaneSide with rational arithmetic, for points near a plane, exactly on it,
// and with coordinates of all magnitudes.
func TestPlaneSide(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var k Counter
	zeros := 0
	for i := range 100_000 {
		small := func() float64 { return float64(r.IntN(9) - 4) }
		next := small
		if i%3 == 1 {
			next = func() float64 { return r.NormFloat64() * math.Ldexp(1, r.IntN(8)) }
		}
		if i%30 == 2 {
			next = func() float64 { return math.Ldexp(r.NormFloat64(), r.IntN(1800)-900) }
		}
		point := func() r3.Vector { return r3.Vector{X: next(), Y: next(), Z: next()} }
		o, n := point(), point()
		p := point()
		if i%2 == 0 { // near the plane
			p = o.Add(n.Cross(point()))
		}
		if p.X-p.X != 0 || p.Y-p.Y != 0 || p.Z-p.Z != 0 {
			continue
		}
		want := ExactPlaneHeight(p, o, n).Sign()
		if got := k.PlaneSide(p, o, n); got != want {
			t.Fatalf("PlaneSide(%v, %v, %v) = %d, want %d", p, o, n, got, want)
		}
		if want == 0 {
			zeros++
		}
	}
	if zeros < 1000 || k.Filter == 0 || k.Expansion == 0 || k.Exact == 0 {
		t.Errorf("%d zeros, stages %+v: the test does not reach all stages", zeros, k)
	}
}
