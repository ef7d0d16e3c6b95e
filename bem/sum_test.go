package bem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// trials selects the number of seeded cases: all of them if INPOLY_FULL=1 is set, else a sample.
func trials(sample, full int) int {
	if os.Getenv("INPOLY_FULL") == "1" {
		return full
	}
	return sample
}

// multiplicity returns a random multiplicity, usually ±1.
func multiplicity(rng *rand.Rand) int32 {
	switch rng.IntN(12) {
	case 0:
		return rng.Int32N(9) - 4
	case 1:
		return rng.Int32()
	case 2:
		return math.MinInt32
	}
	return 1 - 2*rng.Int32N(2)
}

// The errors of Sum and ExtendedSum are within their bounds. They return ok = false exactly if the
// ray meets an edge.
func TestSumBound(t *testing.T) {
	for wi, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			rng := newRand(uint64(100 + wi))
			cut, loose, compared := 0, 0, 0
			worst := 0.0
			for trial := range trials(400, 30000) {
				edges := make([][2]r3.Vector, 1+rng.IntN(3))
				mult := make([]int32, len(edges))
				size := 0.0
				for i := range edges {
					edges[i] = [2]r3.Vector{w.vertex(rng), w.vertex(rng)}
					mult[i] = multiplicity(rng)
					size = max(size, vec.MaxAbs(edges[i][0]), vec.MaxAbs(edges[i][1]))
				}
				b := NewChain(edges, mult)
				face := mesh.Triangle{edges[0][0], edges[0][1], w.vertex(rng)}
				x := hard(rng, face, w)
				target := aim(rng, x, hard(rng, face, w), max(size, vec.MaxAbs(x)))
				if !vec.Finite(x) || !vec.Finite(target) {
					t.Fatalf("trial %d: test point %v or target %v is not finite", trial, x, target)
				}
				where := fmt.Sprintf("trial %d: chain %v × %v, x %v, target %v", trial, edges, mult, x, target)

				var sc Scratch
				got, bound, ok := b.Sum(x, target, &sc)
				want, how := twinSum(b, x, target)
				if ok && how == always || !ok && how == never {
					t.Fatalf("%s: Sum returns ok %v, which contradicts case %d of the twin", where, ok, how)
				}
				ref, refBound, refOK := b.ExtendedSum(x, target, extendedBits, nil)
				if refOK && how == always || !refOK && how == never {
					t.Fatalf("%s: ExtendedSum returns ok %v, which contradicts case %d of the twin", where, refOK, how)
				}
				if !ok || !refOK {
					cut++
					continue
				}
				compared++
				d, in := off(got, want, bound)
				if !in {
					t.Fatalf("%s: w %v, want %v: off by %g, bound %g", where, got, want, d, bound)
				}
				if bound > 1e-6 {
					loose++
				}
				if bound > 0 {
					worst = max(worst, d/bound)
				}
				e := bigf().Sub(ref, want)
				if e.Abs(e).Cmp(refBound) > 0 {
					t.Fatalf("%s: reference %v, want %v: off by %g, bound %g", where, ref, want, e, refBound)
				}
			}
			t.Logf("%d compared, %d with a bound above 1e-6, error up to %.2g of the bound; %d rays met an edge", compared, loose, worst, cut)
			if compared < 100 || loose == compared {
				t.Error("the test compares too few sums")
			}
		})
	}
}

func TestSumEdgeCases(t *testing.T) {
	e := [2]r3.Vector{{X: 1, Y: -1}, {X: 1, Y: 1}}
	b := NewChain([][2]r3.Vector{e}, []int32{1})
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name      string
		b         *Boundary
		x, target r3.Vector
		w         float64
		bound     float64 // largest allowed bound
		ok        bool
	}{
		{"no edges", NewChain(nil, nil), r3.Vector{}, r3.Vector{X: 9}, 0, 0, true},
		{"ray through the edge", b, r3.Vector{}, r3.Vector{X: 9}, 0, inf, false},
		{"ray through the end of the edge", b, r3.Vector{}, r3.Vector{X: 9, Y: 9}, 0, inf, false},
		{"on the edge", b, r3.Vector{X: 1, Y: 0.5}, r3.Vector{X: 9, Y: 3, Z: 4}, 0, inf, false},
		{"on its end", b, r3.Vector{X: 1, Y: 1}, r3.Vector{X: 9, Y: 3, Z: 4}, 0, inf, false},
		{"on its line, ray aside", b, r3.Vector{X: 1, Y: 3}, r3.Vector{X: 9, Y: 3, Z: 4}, 0, 1e-13, true},
		{"on its line, ray away from it", b, r3.Vector{X: 1, Y: 3}, r3.Vector{X: 1, Y: 9}, 0, 1e-13, true},
		{"in the plane, ray behind", b, r3.Vector{}, r3.Vector{X: -9}, 0, 1e-13, true},
		{"below the edge, ray past it", b, r3.Vector{}, r3.Vector{Z: 9}, -0.125, 1e-13, true},
		{"NaN point", b, r3.Vector{X: nan}, r3.Vector{X: 9}, nan, inf, true},
		{"infinite target", b, r3.Vector{}, r3.Vector{X: inf}, nan, inf, true},
	} {
		var sc Scratch
		w, bound, ok := c.b.Sum(c.x, c.target, &sc)
		if ok != c.ok || !(bound <= c.bound) || math.IsNaN(w) != math.IsNaN(c.w) || !math.IsInf(bound, 1) && math.Abs(w-c.w) > bound {
			t.Errorf("%s: %v ± %g, ok %v; want %v ± %g, %v", c.name, w, bound, ok, c.w, c.bound, c.ok)
		}
		ref, _, refOK := c.b.ExtendedSum(c.x, c.target, 128, nil)
		if want := c.ok && !math.IsNaN(c.w); refOK != want {
			t.Errorf("%s: reference ok %v, want %v", c.name, refOK, want)
		} else if f := 0.0; refOK {
			if f, _ = ref.Float64(); math.Abs(f-c.w) > 1e-15 {
				t.Errorf("%s: reference %v, want %v", c.name, f, c.w)
			}
		}
	}
}
