package raycross

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

func newCaster(t testing.TB, m *mesh.Mesh, opt Options) *Caster {
	t.Helper()
	x, err := m.Index(t.Context(), bvh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(x, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// solids returns closed, open and even meshes. Some meshes intersect themselves.
func solids() map[string]*mesh.Mesh {
	return map[string]*mesh.Mesh{
		"torus":              testmesh.Mesh(testmesh.Torus(2, 0.5, 40, 20)),
		"star":               testmesh.Mesh(testmesh.Star(4, 0.75, 1)),
		"degenerate cube":    testmesh.Mesh(testmesh.WithDegenerate(testmesh.UnitCube(), 30, 2)),
		"overlapping":        testmesh.Mesh(testmesh.Overlapping()),
		"tangle":             testmesh.Mesh(testmesh.Tangle(12, 200, 3)),
		"soup":               testmesh.Mesh(testmesh.Triangles(150, 4)),
		"hemisphere":         testmesh.Mesh(testmesh.Hemisphere(3)),
		"flipped star":       testmesh.Mesh(testmesh.Flip(testmesh.Star(3, 0.5, 5), 1, 17, 100)),
		"offset cube":        testmesh.Mesh(testmesh.Cube(r3.Vector{X: 1e6, Y: 1e6, Z: 1e6}, r3.Vector{X: 1e6 + .01, Y: 1e6 + .01, Z: 1e6 + .01})),
		"plate 1 and 1e-170": testmesh.Mesh(testmesh.Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1e-170})),
	}
}

// tries returns points in the box of the mesh, points on the surface up to rounding, and points a
// few ulps away from the surface.
func tries(m *mesh.Mesh, n int, seed uint64) []r3.Vector {
	r := rand.New(rand.NewPCG(seed, 17))
	box := m.Box()
	size := box.Size()
	nudge := func(x float64) float64 {
		switch r.IntN(4) {
		case 0:
			return math.Nextafter(x, math.Inf(1))
		case 1:
			return math.Nextafter(x, math.Inf(-1))
		}
		return x
	}
	var pts []r3.Vector
	for i := range n {
		t := m.Triangle(int32(r.IntN(m.NumFaces())))
		p := r3.Vector{
			X: box.Min.X + size.X*(1.2*r.Float64()-.1),
			Y: box.Min.Y + size.Y*(1.2*r.Float64()-.1),
			Z: box.Min.Z + size.Z*(1.2*r.Float64()-.1),
		}
		switch i % 6 {
		case 1:
			p = t[r.IntN(3)]
		case 2:
			p = t[0].Add(t[1]).Mul(.5)
		case 3:
			p = t[0].Mul(.5).Add(t[1].Mul(.25)).Add(t[2].Mul(.25))
		case 4: // coordinates of different vertices, so the point often lies in planes of faces and on lines through edges
			p = r3.Vector{X: t[0].X, Y: t[1].Y, Z: t[2].Z}
		}
		if i%2 == 1 {
			p = r3.Vector{X: nudge(p.X), Y: nudge(p.Y), Z: nudge(p.Z)}
		}
		pts = append(pts, p)
	}
	return pts
}

// On a closed mesh, the count of one ray is the winding number. On an even mesh, the parity of the
// count does not depend on the ray. Package referee computes the expected counts with integer
// arithmetic and other rays.
func TestCountEqualsReferee(t *testing.T) {
	for name, m := range solids() {
		t.Run(name, func(t *testing.T) {
			c := newCaster(t, m, Options{})
			var s Scratch
			on := 0
			for _, p := range tries(m, 600, 1) {
				if !c.box.Contains(p) {
					continue
				}
				n := c.Count(p, &s)
				w, k, isOn := referee.Judge(m.Vertices, m.Faces, p)
				if n.OnSurface != isOn {
					t.Fatalf("%v: on surface %v, want %v", p, n.OnSurface, isOn)
				}
				if isOn {
					on++
					continue
				}
				if m.Closed() && n.Signed != int64(w) {
					t.Fatalf("%v: %d signed crossings, want %d", p, n.Signed, w)
				}
				if m.EvenEdges() && (n.Crossings-uint64(k))%2 != 0 {
					t.Fatalf("%v: %d crossings, want the parity of %d", p, n.Crossings, k)
				}
			}
			if on == 0 {
				t.Error("no point on the surface: the test misses half of its purpose")
			}
		})
	}
}

// For every ray, the sum of χ and the boundary sum is the winding number.
func TestWindingEqualsDirect(t *testing.T) {
	for name, m := range solids() {
		t.Run(name, func(t *testing.T) {
			direct := bem.NewDirect(m, 1)
			var s Scratch
			for seed := range uint64(3) {
				c := newCaster(t, m, Options{Seed: seed})
				for _, p := range tries(m, 200, 2) {
					w, bound := c.Winding(p, &s)
					want, wantBound, on := direct.Winding(p)
					if math.Abs(w-want) > bound+wantBound {
						t.Fatalf("seed %d, %v: W = %v ± %g, direct sum %v ± %g", seed, p, w, bound, want, wantBound)
					}
					if m.Closed() && !on && (bound != 0 || w != math.Round(w)) {
						t.Fatalf("%v: W = %v ± %g on a closed mesh, want an exact integer", p, w, bound)
					}
				}
			}
		})
	}
}

// Each ray passes a boundary edge at a distance of a few ulps. χ and the boundary sum must place
// the ray on the same side of the edge. Otherwise their sum would be wrong by 1.
func TestRayWithinRoundingOfBoundary(t *testing.T) {
	for _, name := range []string{"hemisphere", "soup", "tangle"} {
		m := solids()[name]
		t.Run(name, func(t *testing.T) {
			c := newCaster(t, m, Options{})
			direct := bem.NewDirect(m, 1)
			r := rand.New(rand.NewPCG(21, 22))
			chain := m.Boundary()
			var s Scratch
			tried, jumped := 0, map[int64]bool{}
			for i := 0; tried < 3000 && i < 300_000; i++ {
				e := chain[r.IntN(len(chain))]
				a, b := m.Vertices[e.A], m.Vertices[e.B]
				spot := a.Add(b.Sub(a).Mul(r.Float64()))
				q, ok := rayThrough(c.box, spot, r)
				if !ok {
					continue
				}
				tried++
				n, ok := c.cast(&q, nil, &s)
				if !ok || n.OnSurface {
					continue // the ray intersects the edge exactly
				}
				w, bound, ok := c.addBoundary(c.boundary, q.p, n, &s)
				if !ok {
					continue
				}
				jumped[n.Signed] = true
				want, wantBound, _ := direct.Winding(q.p)
				if math.Abs(w-want) > bound+wantBound {
					t.Fatalf("%v → %v: %d + … = %v ± %g, direct sum %v ± %g", q.p, q.r, n.Signed, w, bound, want, wantBound)
				}
				if bound > 0.25 {
					t.Fatalf("%v → %v: bound %g away from the surface", q.p, q.r, bound)
				}
			}
			if tried < 1000 || len(jumped) < 2 {
				t.Errorf("%d rays, counts %v: the test hardly tests anything", tried, jumped)
			}
		})
	}
}

// rayThrough returns a random ray that passes close to the given point. It returns false if a slope
// of the ray exceeds maxSlope.
func rayThrough(box bvh.Box, spot r3.Vector, r *rand.Rand) (ray, bool) {
	size := box.Size()
	p := r3.Vector{X: box.Min.X + size.X*r.Float64(), Y: box.Min.Y + size.Y*r.Float64(), Z: box.Min.Z + size.Z*r.Float64()}
	d := spot.Sub(p)
	axis := int(d.LargestComponent())
	c := [3]float64{d.X, d.Y, d.Z}
	for _, k := range []int{(axis + 1) % 3, (axis + 2) % 3} {
		if math.Abs(c[k]) > maxSlope*math.Abs(c[axis]) {
			return ray{}, false
		}
	}
	sign := 1
	if c[axis] < 0 {
		sign = -1
	}
	return newRay(p, p.Add(d.Mul(16/math.Abs(c[axis])*max(vec.MaxAbs(box.Min), vec.MaxAbs(box.Max), 1))), axis, sign), true
}

// The side of a point must not depend on the number of workers, on the order of the points, or on
// the other points of the batch.
func TestSidesDeterministic(t *testing.T) {
	for _, name := range []string{"star", "hemisphere", "tangle"} {
		m := solids()[name]
		count := 3000
		if testing.Short() {
			count = 1000
		}
		pts := tries(m, count, 5)
		c := newCaster(t, m, Options{})
		want := make([]side.Side, len(pts))
		stats, err := c.SidesTo(t.Context(), want, pts, 1)
		if err != nil {
			t.Fatal(err)
		}
		if stats.Points != uint64(len(pts)) {
			t.Errorf("%s: %d points counted, want %d", name, stats.Points, len(pts))
		}
		for _, workers := range []int{0, 2, 7} {
			got := make([]side.Side, len(pts))
			st, err := c.SidesTo(t.Context(), got, pts, workers)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) || st != stats {
				t.Errorf("%s: %d workers give other sides or counts than one", name, workers)
			}
		}
		var s Scratch
		for i := len(pts) - 1; i >= 0; i-- {
			if got := c.Side(pts[i], &s); got != want[i] {
				t.Fatalf("%s: point %d alone and in reverse order: %v, want %v", name, i, got, want[i])
			}
		}
	}
}

func TestSidesCanceled(t *testing.T) {
	m := solids()["star"]
	c := newCaster(t, m, Options{})
	pts := tries(m, 40_000, 6)
	for _, workers := range []int{1, 2, 7} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		dst := make([]side.Side, len(pts))
		for i := range dst {
			dst[i] = side.Inside
		}
		if _, err := c.SidesTo(ctx, dst, pts, workers); !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: error %v, want %v", workers, err, context.Canceled)
		}
		for i, s := range dst {
			if s != side.Unknown {
				t.Fatalf("%d workers: dst[%d] = %v after canceling, want Unknown", workers, i, s)
			}
		}
	}
}

func TestSidesLengthMismatchPanics(t *testing.T) {
	c := newCaster(t, solids()["torus"], Options{})
	defer func() {
		if recover() == nil {
			t.Error("no panic for slices of different lengths")
		}
	}()
	_, _ = c.SidesTo(t.Context(), make([]side.Side, 2), make([]r3.Vector, 3), 1)
}

func TestNoAllocation(t *testing.T) {
	for _, name := range []string{"star", "hemisphere"} {
		m := solids()[name]
		c := newCaster(t, m, Options{})
		var pts []r3.Vector
		for _, p := range tries(m, 3000, 7) {
			var s Scratch
			c.Side(p, &s)
			if st := s.Stats(); st.Exact == 0 && st.Reference == 0 {
				pts = append(pts, p)
			}
		}
		if len(pts) < 2000 {
			t.Errorf("%s: only %d points need no exact last stage", name, len(pts))
		}
		dst := make([]side.Side, len(pts))
		var stats side.Stats
		if n := testing.AllocsPerRun(5, func() { stats, _ = c.SidesTo(context.Background(), dst, pts, 1) }); n != 0 {
			t.Errorf("%s: SidesTo allocates %v times, want 0", name, n)
		}
		if stats.Expansion == 0 || !slices.Contains(dst, side.OnSurface) {
			t.Errorf("%s: no expansions or no points on the surface were tested: %+v", name, stats)
		}
		i := 0
		if n := testing.AllocsPerRun(len(pts), func() {
			var s Scratch
			dst[i%len(pts)] = c.Side(pts[i%len(pts)], &s)
			i++
		}); n != 0 {
			t.Errorf("%s: Side allocates %v times, want 0", name, n)
		}
	}
}

func TestOddPoints(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, m := range solids() {
		for _, rule := range []side.Rule{side.NonZero, side.Positive, side.Negative, side.EvenOdd} {
			c := newCaster(t, m, Options{Rule: rule})
			var s Scratch
			for _, p := range []r3.Vector{{X: nan}, {Y: nan}, {Z: nan}, {X: inf}, {Y: -inf}, {X: nan, Y: inf}} {
				if got := c.Side(p, &s); got != side.Unknown {
					t.Errorf("%s, %v: side of %v is %v, want Unknown", name, rule, p, got)
				}
				if w, bound := c.Winding(p, &s); !math.IsNaN(w) || !math.IsInf(bound, 1) {
					t.Errorf("%s: winding of %v is %v ± %v, want NaN ± Inf", name, p, w, bound)
				}
			}
			const most = math.MaxFloat64
			for _, far := range []r3.Vector{
				{X: most, Y: -most}, {X: most, Y: most, Z: most}, {X: -most, Y: -most, Z: -most}, {X: 1e302},
				{X: 1.7e308, Y: 1.7e308, Z: -1.7e308}, {Z: -most},
			} {
				if got := c.Side(far, &s); got != side.Outside {
					t.Errorf("%s, %v: side of %v is %v, want Outside", name, rule, far, got)
				}
				if w, bound := c.Winding(far, &s); !(math.Abs(w)+bound < 1e-9) {
					t.Errorf("%s: winding of %v is %v ± %v, want 0", name, far, w, bound)
				}
			}
		}
	}
}

func TestNilMeshRefused(t *testing.T) {
	if _, err := New(nil, Options{}); !errors.Is(err, mesh.ErrNil) {
		t.Errorf("error %v, want %v", err, mesh.ErrNil)
	}
}

// Every ray that starts inside a closed, spiky surface must leave the surface. A ray that slips
// through an edge between two faces would count 0 crossings (the watertightness test of pbrt).
func TestWatertight(t *testing.T) {
	m := solids()["star"]
	c := newCaster(t, m, Options{})
	r := rand.New(rand.NewPCG(31, 32))
	var s Scratch
	for i := range 100_000 {
		p := r3.Vector{X: .02 * (r.Float64() - .5), Y: .02 * (r.Float64() - .5), Z: .02 * (r.Float64() - .5)}
		if i%2 == 0 {
			p = r3.Vector{} // the center of symmetry, where rays are often degenerate
		}
		q := aim(p, c.box, rayLength(c.largest), uint64(i), 0)
		n, ok := c.cast(&q, nil, &s)
		if ok && n.Signed != 1 {
			t.Fatalf("ray %d from %v to %v: %d signed crossings, want 1", i, p, q.r, n.Signed)
		}
	}
}

// decideExact must return the same side as rule.Decide with the exact W. The test passes the exact
// W to decideExact only through the function compare.
func TestDecideExact(t *testing.T) {
	for _, rule := range []side.Rule{side.NonZero, side.Positive, side.Negative, side.EvenOdd} {
		for w := -3.25; w <= 3.25; w += 0.25 {
			for _, bound := range []float64{0.1, 0.3, 1, 3} {
				compare := func(x float64) (int, bool) {
					switch {
					case w > x:
						return 1, true
					case w < x:
						return -1, true
					}
					return 0, false
				}
				// The estimate w + bound/2 differs from the true W by less than bound.
				got := decideExact(rule, w+bound/2, bound, compare)
				want, ok := rule.Decide(w, 0)
				if !ok {
					want = side.Unknown
				}
				if got != want {
					t.Errorf("%v, W = %v, bound %v: %v, want %v", rule, w, bound, got, want)
				}
			}
		}
	}
	if got := decideExact(side.EvenOdd, 0, math.Inf(1), nil); got != side.Unknown {
		t.Errorf("infinite bound: %v, want Unknown", got)
	}
}

func BenchmarkSides(b *testing.B) {
	for _, levels := range []int{4, 7} {
		m := testmesh.Sphere(levels)
		c := newCaster(b, m, Options{})
		r := rand.New(rand.NewPCG(41, 42))
		pts := make([]r3.Vector, 100_000)
		for i := range pts {
			pts[i] = r3.Vector{X: 2.1*r.Float64() - 1.05, Y: 2.1*r.Float64() - 1.05, Z: 2.1*r.Float64() - 1.05}
		}
		dst := make([]side.Side, len(pts))
		b.Run("mesh=sphere/triangles="+strconv.Itoa(m.NumFaces())+"/points=random", func(b *testing.B) {
			for b.Loop() {
				if _, err := c.SidesTo(b.Context(), dst, pts, 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(pts))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpoints/s")
		})
	}
}
