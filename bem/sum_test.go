package bem

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
)

// trials is the number of seeded cases: a sample, or with INPOLY_FULL=1 all.
func trials(sample, full int) int {
	if os.Getenv("INPOLY_FULL") == "1" {
		return full
	}
	return sample
}

// multiplicity is mostly ±1.
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

// Sum and Reference stay within their bounds on chains of one to three edges, in
// every world, for awkward points and rays; and ok is false exactly where the
// ray meets an edge.
func TestSumBound(t *testing.T) {
	for wi, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			rng := newRand(uint64(100 + wi))
			cut, loose, compared := 0, 0, 0
			worst := 0.0
			for trial := range trials(2500, 30000) {
				edges := make([][2]r3.Vector, 1+rng.IntN(3))
				mult := make([]int32, len(edges))
				size := 0.0
				for i := range edges {
					edges[i] = [2]r3.Vector{w.vertex(rng), w.vertex(rng)}
					mult[i] = multiplicity(rng)
					size = max(size, largest(edges[i][0]), largest(edges[i][1]))
				}
				b := NewChain(edges, mult)
				face := mesh.Triangle{edges[0][0], edges[0][1], w.vertex(rng)}
				x := hard(rng, face, w)
				target := aim(rng, x, hard(rng, face, w), max(size, largest(x)))
				if !finite(x) || !finite(target) {
					t.Fatalf("trial %d: test point %v or target %v is not finite", trial, x, target)
				}
				where := fmt.Sprintf("trial %d: chain %v × %v, x %v, target %v", trial, edges, mult, x, target)

				var sc Scratch
				got, bound, ok := b.Sum(x, target, &sc)
				want, how := twinSum(b, x, target)
				if ok && how == always || !ok && how == never {
					t.Fatalf("%s: ok %v, case %d", where, ok, how)
				}
				ref, refBound, refOK := b.Reference(x, target, extendedBits)
				if refOK && how == always || !refOK && how == never {
					t.Fatalf("%s: ok %v in Reference, case %d", where, refOK, how)
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
			t.Logf("%d compared, %d of them with a bound above 1e-6, error up to %.2g of it; %d rays met an edge", compared, loose, worst, cut)
			if compared < 100 || loose == compared {
				t.Error("the test compares too little")
			}
		})
	}
}

// crossings returns χ of the ray from x to target over the triangles that do not
// contain x, by exact signs; ok is false if the ray meets an edge.
func crossings(tris []mesh.Triangle, x, target r3.Vector) (chi int64, ok bool) {
	for _, f := range tris {
		a, b, c := f[0], f[1], f[2]
		if predicates.ZeroArea(a, b, c) || predicates.OnTriangle(x, a, b, c) {
			continue
		}
		ab := predicates.Orient3D(target, a, b, x)
		bc := predicates.Orient3D(target, b, c, x)
		ca := predicates.Orient3D(target, c, a, x)
		lo, hi := min(ab, bc, ca), max(ab, bc, ca)
		front := predicates.Orient3D(a, b, c, x)
		switch {
		case lo < 0 && hi > 0:
		case lo == 0 || hi == 0:
			return 0, false
		case front == ab:
			chi += int64(front)
		}
	}
	return chi, true
}

// One ray plus the boundary is the winding number, on the surface too, and the
// direct sum stays within its bound; Compare decides on the right side.
func TestRayPlusBoundary(t *testing.T) {
	for wi, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			rng := newRand(uint64(200 + wi))
			compared, onSurface := 0, 0
			for trial := range trials(700, 10000) {
				s := soup(rng, 1+rng.IntN(8), 3+rng.IntN(5), func() r3.Vector { return w.vertex(rng) })
				m := mustMesh(s)
				tris := triangles(m)
				x := hard(rng, tris[rng.IntN(len(tris))], w)
				size := largest(x)
				for _, v := range m.Vertices {
					size = max(size, largest(v))
				}
				target := aim(rng, x, hard(rng, tris[rng.IntN(len(tris))], w), size)
				where := fmt.Sprintf("trial %d: triangles %v, x %v, target %v", trial, tris, x, target)

				want := twinWinding(tris, x)
				direct, directBound, on := NewDirect(m, 1).Winding(x)
				if d, in := off(direct, want, directBound); !in {
					t.Fatalf("%s: direct %v, want %v: off by %g, bound %g", where, direct, want, d, directBound)
				}
				var touching []mesh.Triangle
				for _, f := range tris {
					if predicates.OnTriangle(x, f[0], f[1], f[2]) {
						touching = append(touching, f)
					}
				}
				if on != (len(touching) > 0) {
					t.Fatalf("%s: on %v, want %v", where, on, !on)
				}
				b := NewBoundary(m)
				if on {
					b = b.Without(touching)
					onSurface++
				}
				chi, ok := crossings(tris, x, target)
				if !ok {
					continue
				}
				var sc Scratch
				sum, bound, ok := b.Sum(x, target, &sc)
				if !ok {
					// A boundary edge of zero-area triangles may be met
					// though no triangle is.
					continue
				}
				compared++
				if d, in := off(sum, bigf().Sub(want, bigf().SetInt64(chi)), bound); !in {
					t.Fatalf("%s: χ %d + %v, want %v: off by %g, bound %g", where, chi, sum, want, d, bound)
				}
				checkCompare(t, where, b, x, target, chi, want)
			}
			t.Logf("%d compared, %d on the surface", compared, onSurface)
			if compared < 50 {
				t.Error("the test compares too little")
			}
		})
	}
}

// checkCompare asks for thresholds at, and a rounding from, the true value.
func checkCompare(t *testing.T, where string, b *Boundary, x, target r3.Vector, chi int64, want *big.Float) {
	t.Helper()
	near, _ := want.Float64()
	for _, threshold := range []float64{0.5, -0.5, near, math.Nextafter(near, 1), math.Nextafter(near, -1)} {
		d := bigf().Sub(want, big.NewFloat(threshold)).Sign()
		if sign, ok := b.Compare(x, target, chi, threshold); ok && sign != d {
			t.Fatalf("%s: Compare with %v gives %d, want %d", where, threshold, sign, d)
		}
	}
}
