package rays

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// Planes that are perpendicular to an axis have the same order and the same rounded parameters with and
// without arbitrary precision.
func TestCompareAlongAxis(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	decided := 0
	for range 300 {
		// Sheets of two triangles at heights that are equal, adjacent or different.
		axis, heights := rng.IntN(3), []float64{rng.NormFloat64(), float64(rng.IntN(3)), math.Ldexp(rng.Float64(), rng.IntN(80)-40)}
		var soup mesh.Soup
		for range 6 {
			h := heights[rng.IntN(3)]
			if rng.IntN(3) == 0 {
				h = math.Nextafter(h, math.Inf(1))
			}
			first := int32(len(soup.Vertices))
			for range 3 {
				v := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
				v[axis] = h
				soup.Vertices = append(soup.Vertices, r3.Vector{X: v[0], Y: v[1], Z: v[2]})
			}
			soup.Faces = append(soup.Faces, [3]int32{first, first + 1, first + 2})
		}
		c := caster(t, testmesh.Mesh(soup), inpoly.Options{})
		for range 20 {
			l := line{a: r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}, segment: rng.IntN(2) == 0}
			l.d = r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
			if rng.IntN(2) == 0 { // differences of such numbers are exact
				l.a = r3.Vector{X: float64(rng.IntN(9)) / 4, Y: float64(rng.IntN(9)) / 4, Z: float64(rng.IntN(9)) / 4}
			}
			if l.segment {
				l.b = l.a.Add(l.d)
				l.d = l.b.Sub(l.a)
			}
			if component(&l.d, axis) == 0 {
				continue
			}
			var p parameter
			c.atPlane(&l, int32(rng.IntN(len(c.tris))), &p)
			var q parameter
			c.atPlane(&l, int32(rng.IntN(len(c.tris))), &q)
			fast, slow := [2]parameter{p, q}, [2]parameter{p, q}
			order, ok := c.compareAlongAxis(&l, &fast[0], &fast[1])
			if !ok {
				continue
			}
			decided++
			want := exactly(c, &l, p).Cmp(exactly(c, &l, q))
			if order != want {
				t.Fatalf("order %d, not %d: %+v, %+v", order, want, p, q)
			}
			if order == 0 {
				for i := range slow {
					slow[i].round(c.ratio(&l, &slow[i]))
					if fast[i] != slow[i] {
						t.Fatalf("%+v, not %+v", fast[i], slow[i])
					}
				}
			}
		}
	}
	if decided < 1000 {
		t.Errorf("only %d comparisons were decided", decided)
	}
}
