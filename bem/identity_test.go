package bem

import (
	"fmt"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// crossings returns the sum χ of the signs of the crossings of the ray from x to target. It skips
// triangles that contain x or have no area. ok is false if the ray meets an edge of any other
// triangle.
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

// The boundary sum plus χ (the result of crossings) is the winding number, also for points on the
// surface. The error of the direct sum is within its bound, and Compare decides correctly.
func TestRayPlusBoundary(t *testing.T) {
	for wi, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			rng := newRand(uint64(200 + wi))
			compared, onSurface, decided := 0, 0, 0
			for trial := range trials(200, 10000) {
				s := soup(rng, 1+rng.IntN(8), 3+rng.IntN(5), func() r3.Vector { return w.vertex(rng) })
				m := mustMesh(s)
				tris := triangles(m)
				x := hard(rng, tris[rng.IntN(len(tris))], w)
				size := vec.MaxAbs(x)
				for _, v := range m.Vertices {
					size = max(size, vec.MaxAbs(v))
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
					// crossings skips degenerate triangles, but the ray can meet a boundary edge of a
					// degenerate triangle.
					continue
				}
				compared++
				if d, in := off(sum, bigf().Sub(want, bigf().SetInt64(chi)), bound); !in {
					t.Fatalf("%s: χ %d + %v, want %v: off by %g, bound %g", where, chi, sum, want, d, bound)
				}
				decided += checkCompare(t, where, b, x, target, chi, want)
			}
			t.Logf("%d compared, %d on the surface, %d of %d comparisons decided", compared, onSurface, decided, 5*compared)
			if compared < 50 || decided < 3*compared {
				t.Error("the test compares too few points")
			}
		})
	}
}
