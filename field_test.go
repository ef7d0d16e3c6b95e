package inpoly

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// scatter returns points in and around the box of m, some of them very close to
// vertices, edges and faces, or exactly there.
func scatter(m *mesh.Mesh, n int, seed uint64) []r3.Vector {
	rng := rand.New(rand.NewPCG(seed, 7))
	box := m.Box()
	size := box.Size()
	pts := make([]r3.Vector, 0, n)
	for len(pts) < n {
		p := box.Min.Add(r3.Vector{X: size.X * (1.4*rng.Float64() - .2), Y: size.Y * (1.4*rng.Float64() - .2), Z: size.Z * (1.4*rng.Float64() - .2)})
		if rng.IntN(3) == 0 {
			t := m.Triangle(int32(rng.IntN(m.NumFaces())))
			u, v := rng.Float64(), rng.Float64()
			if u+v > 1 {
				u, v = 1-u, 1-v
			}
			switch rng.IntN(3) {
			case 0:
				u, v = 0, 0
			case 1:
				v = 0
			}
			p = t[0].Mul(1 - u - v).Add(t[1].Mul(u)).Add(t[2].Mul(v))
			if rng.IntN(2) == 0 {
				p.Z += size.Norm() * math.Pow(10, -2-14*rng.Float64())
			}
		}
		pts = append(pts, p)
	}
	return pts
}

// openMeshes are open in different ways: small holes, a large one, cracks, a soup,
// faces that are flipped or doubled.
func openMeshes() map[string]*mesh.Mesh {
	star := testmesh.Star(4, 0.5, 1)
	return map[string]*mesh.Mesh{
		"hole":       testmesh.Mesh(testmesh.Without(star, 7)),
		"holes":      testmesh.Mesh(testmesh.Without(star, 3, 50, 51, 52, 400, 401, 900, 1500)),
		"hemisphere": testmesh.Mesh(testmesh.Hemisphere(4)),
		"sheet":      testmesh.Mesh(testmesh.Sheet(12)),
		"flipped":    testmesh.Mesh(testmesh.Flip(star, 5, 6, 77, 300)),
		"doubled":    testmesh.Mesh(testmesh.Double(star, 5, 6, 77, 300)),
		"tangle":     testmesh.Mesh(testmesh.Tangle(40, 300, 2)),
		"soup":       testmesh.Mesh(testmesh.Triangles(300, 3)),
		"triangle":   testmesh.Mesh(testmesh.Triangles(1, 3)),
		"far holes":  testmesh.Mesh(testmesh.Translate(testmesh.Without(star, 3, 50, 900), r3.Vector{X: 1e6, Y: -3e5, Z: 1e7})),
		"tiny":       testmesh.Mesh(testmesh.Scale(testmesh.Without(star, 3, 50, 900), 1e-100)),
	}
}

// All ways to find the winding numbers of an open mesh agree with the direct sum,
// and so with each other, within their bounds, for single points and in batches.
func TestWaysAgree(t *testing.T) {
	for name, m := range openMeshes() {
		t.Run(name, func(t *testing.T) {
			pts := scatter(m, 600, 1)
			want, wantBound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
			if err := bem.NewDirect(m, 0).WindingsTo(t.Context(), want, wantBound, on, pts); err != nil {
				t.Fatal(err)
			}
			rays, err := NewSolid(t.Context(), m, Options{Method: RayCrossing})
			if err != nil {
				t.Fatal(err)
			}
			sides := make([]Side, len(pts))
			if err := rays.SidesTo(t.Context(), sides, pts); err != nil {
				t.Fatal(err)
			}
			for _, w := range ways {
				for _, epsilon := range []float64{1e-2, 1e-7} {
					checkWay(t, m, w, epsilon, pts, func(i int) (float64, float64, Side) { return want[i], wantBound[i], sides[i] })
				}
			}
		})
	}
}

// checkWay compares one way with the winding numbers and sides that want tells.
func checkWay(t *testing.T, m *mesh.Mesh, w way, epsilon float64, pts []r3.Vector, want func(i int) (w, bound float64, side Side)) {
	t.Helper()
	s, err := NewSolid(t.Context(), m, Options{Method: RayCrossing})
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.newField(t.Context(), w, epsilon)
	if err != nil {
		t.Fatal(err)
	}
	s.field, s.method = f, FMM
	a := answers{make([]Side, len(pts)), make([]float64, len(pts)), make([]float64, len(pts))}
	if _, err := s.windingsTo(t.Context(), a, pts); err != nil {
		t.Fatal(err)
	}
	var sc scratch
	good := 0
	for i, p := range pts {
		x, bound, side := want(i)
		oneW, oneBound := s.fieldWinding(f, p, &sc)
		for kind, got := range map[string][2]float64{"batch": {a.w[i], a.bound[i]}, "single": {oneW, oneBound}} {
			if !(math.Abs(got[0]-x) <= got[1]+bound) {
				t.Errorf("%v to %g, %s, %v: W = %v ± %g, want %v ± %g", f, epsilon, kind, p, got[0], got[1], x, bound)
			}
		}
		if a.bound[i] <= epsilon {
			good++
		} else if _, least := s.searched().caster.Winding(p, &sc.ray); a.bound[i] > least {
			t.Errorf("%v to %g, %v: bound %g, and %g can be reached", f, epsilon, p, a.bound[i], least)
		}
		if one := s.fieldSide(p, &sc); a.sides[i] != side || one != side {
			t.Errorf("%v to %g, %v: %v in a batch, %v alone, want %v", f, epsilon, p, a.sides[i], one, side)
		}
	}
	if good < len(pts)*9/10 {
		t.Errorf("%v: %d of %d bounds are at most %g", f, good, len(pts), epsilon)
	}
}

// In the middle of a cube without one side, whose cap is two triangles, W = 5/6:
// the sign of the potential of caps.
func TestCapsSign(t *testing.T) {
	s, err := NewSolid(t.Context(), testmesh.Mesh(testmesh.Without(testmesh.UnitCube(), 0, 1)), Options{Method: RayCrossing})
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.newField(t.Context(), byCaps, 1e-9)
	if err != nil {
		t.Fatal(err)
	}
	var sc scratch
	if got := f.at(r3.Vector{X: .5, Y: .5, Z: .5}, &sc); !got.ok || math.Abs(got.w-5.0/6) > got.bound || got.bound > 1e-9 {
		t.Errorf("%+v, want 5/6", got)
	}
	// On the cap, outside the box, and nowhere.
	if got := f.at(r3.Vector{X: 0, Y: .25, Z: .5}, &sc); got.ok || got.on {
		t.Errorf("on the cap: %+v, want nothing found", got)
	}
	if got := f.at(r3.Vector{X: -9, Y: .25, Z: .5}, &sc); !got.ok || math.Abs(got.w*4*math.Pi-1.0/81) > 1e-3 {
		t.Errorf("before the hole: %+v, want the solid angle of the hole, about 1/81", got)
	}
}

// The numbers of a batch do not depend on the workers.
func TestFieldWorkers(t *testing.T) {
	for name, m := range map[string]*mesh.Mesh{
		"closed": testmesh.Mesh(testmesh.Star(4, .5, 1)), "holes": openMeshes()["holes"], "soup": openMeshes()["soup"],
	} {
		pts := append(scatter(m, 5000, 3), r3.Vector{X: math.NaN()}, r3.Vector{Y: math.Inf(1)}, r3.Vector{X: math.MaxFloat64})
		var want answers
		for _, workers := range []int{1, 2, 5} {
			s, err := NewSolid(t.Context(), m, Options{Method: FMM, Epsilon: 1e-4, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			got := answers{make([]Side, len(pts)), make([]float64, len(pts)), make([]float64, len(pts))}
			stats, err := s.SidesWindingsTo(t.Context(), got.sides, got.w, got.bound, pts)
			if err != nil || stats.Points != uint64(len(pts)) {
				t.Errorf("%s: error %v, %d points, want %d", name, err, stats.Points, len(pts))
			}
			if want.w == nil {
				want = got
			}
			for i := range pts {
				if got.sides[i] != want.sides[i] || math.Float64bits(got.w[i]) != math.Float64bits(want.w[i]) || got.bound[i] != want.bound[i] {
					t.Fatalf("%s, %d workers, %v: %v, %v ± %g, want %v, %v ± %g", name, workers, pts[i],
						got.sides[i], got.w[i], got.bound[i], want.sides[i], want.w[i], want.bound[i])
				}
			}
		}
	}
}

// Sides and winding numbers together are those of separate calls, with every method,
// rule and tolerance.
func TestSidesWindingsTo(t *testing.T) {
	for name, soup := range map[string]mesh.Soup{
		"closed": testmesh.Star(3, 0.5, 1), "open": testmesh.Hemisphere(3), "parity": testmesh.Flip(testmesh.Star(3, 0.5, 1), 3, 4),
	} {
		m := testmesh.Mesh(soup)
		pts := append(scatter(m, 200, 5), r3.Vector{X: math.NaN()})
		for method := range Method(len(methodNames)) {
			for _, opt := range []Options{{}, {Rule: EvenOdd}, {Tolerance: .02}} {
				opt.Method = method
				s, err := NewSolid(t.Context(), m, opt)
				if err != nil {
					t.Fatal(err)
				}
				sides, both := make([]Side, len(pts)), make([]Side, len(pts))
				w, bound := make([]float64, len(pts)), make([]float64, len(pts))
				stats, err := s.SidesWindingsTo(t.Context(), both, w, bound, pts)
				if err == nil {
					err = s.SidesTo(t.Context(), sides, pts)
				}
				if err != nil || stats.Points != uint64(len(pts)) {
					t.Errorf("%s, %+v: error %v, %d points, want %d", name, opt, err, stats.Points, len(pts))
				}
				for i, p := range pts {
					x, b := s.Winding(p)
					if both[i] != sides[i] || finite(p) != (math.Abs(x-w[i]) <= b+bound[i]) {
						t.Errorf("%s, %+v at %v: %v, %v ± %g, want %v, %v ± %g", name, opt, p, both[i], w[i], bound[i], sides[i], x, b)
					}
				}
			}
		}
	}
}

// When many more points come than were expected the plan gets deeper, once, whoever
// asks, and the answers stay right.
func TestRefine(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(4, .5, 1))
	s, err := NewSolid(t.Context(), m, Options{Method: FMM, ExpectedPoints: 1000, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	first := s.field.potential.plan.Load()
	pts := scatter(m, 30_000, 9)
	want := make([]Side, len(pts))
	if err := s.SidesTo(t.Context(), want[:10], pts[:10]); err != nil {
		t.Fatal(err)
	}
	if s.field.potential.plan.Load() != first {
		t.Error("ten points have made another plan")
	}
	rays, err := NewSolid(t.Context(), m, Options{Method: RayCrossing})
	if err != nil {
		t.Fatal(err)
	}
	if err := rays.SidesTo(t.Context(), want, pts); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := make([]Side, len(pts))
			if err := s.SidesTo(context.Background(), got, pts); err != nil {
				t.Error(err)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%v is %v, want %v", pts[i], got[i], want[i])
				}
			}
		})
	}
	wg.Wait()
	deeper := s.field.potential.plan.Load()
	if deeper == first {
		t.Error("the plan has not changed")
	}
	if near, before := meanNear(deeper, pts), meanNear(first, pts); near >= before {
		t.Errorf("near fields of %v triangles, before %v", near, before)
	}
}

// A refinement that ctx interrupts leaves the plan.
func TestRefineCancelled(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(4, .5, 1))
	s, err := NewSolid(t.Context(), m, Options{Method: FMM, ExpectedPoints: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pts := scatter(m, 30_000, 9)
	first := s.field.potential.plan.Load()
	if err := s.SidesTo(ctx, make([]Side, len(pts)), pts); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if s.field.potential.plan.Load() != first || s.field.potential.deepest || s.field.potential.refining {
		t.Errorf("the plan has changed, or will never again: %+v", s.field.potential)
	}
}

// An error that nothing reaches is refused by every method, for open meshes.
func TestEpsilonTooSmall(t *testing.T) {
	open := testmesh.Mesh(testmesh.Hemisphere(3))
	for method := range Method(len(methodNames)) {
		if _, err := NewSolid(t.Context(), open, Options{Method: method, Epsilon: 1e-19}); !errors.Is(err, fmm.ErrEpsilon) || !strings.Contains(err.Error(), "can be reached") {
			t.Errorf("%v: error %v, want one that names what can be reached", method, err)
		}
		for _, epsilon := range []float64{-1, math.NaN(), math.Inf(1)} {
			if _, err := NewSolid(t.Context(), open, Options{Method: method, Epsilon: epsilon}); err == nil || errors.Is(err, fmm.ErrEpsilon) {
				t.Errorf("%v, epsilon %v: error %v, want another", method, epsilon, err)
			}
		}
		closed, err := NewSolid(t.Context(), testmesh.Mesh(testmesh.UnitCube()), Options{Method: method, Epsilon: 1e-300})
		if err != nil {
			t.Errorf("%v, closed: %v", method, err)
			continue
		}
		if w, bound := closed.Winding(r3.Vector{X: .5, Y: .5, Z: .5}); w != 1 || bound != 0 {
			t.Errorf("%v, closed: W = %v ± %g, want 1", method, w, bound)
		}
	}
}

// Many winding numbers of an open mesh under Auto come from multipoles, to a
// millionth or what was asked for; a few do not.
func TestUpgrade(t *testing.T) {
	m := openMeshes()["hemisphere"]
	pts := scatter(m, 40_000, 2)
	rays, err := NewSolid(t.Context(), m, Options{Method: RayCrossing})
	if err != nil {
		t.Fatal(err)
	}
	for _, epsilon := range []float64{0, 1e-3} {
		s, err := NewSolid(t.Context(), m, Options{Epsilon: epsilon, ExpectedPoints: 500})
		if err != nil {
			t.Fatal(err)
		}
		if s.upgrade == nil {
			t.Fatalf("no upgrade from %v", s.method)
		}
		w, bound := make([]float64, len(pts)), make([]float64, len(pts))
		if err := s.WindingsTo(t.Context(), w[:10], bound[:10], pts[:10]); err != nil || s.upgrade.field.there() {
			t.Errorf("error %v; upgrade after ten points: %v", err, s.upgrade.field.there())
		}
		for range 3 { // in the end many
			if err := s.WindingsTo(t.Context(), w, bound, pts); err != nil {
				t.Fatal(err)
			}
		}
		if !s.upgrade.field.there() {
			t.Errorf("no upgrade after %d points", 3*len(pts))
		}
		limit := max(epsilon, autoEpsilon)
		for i, p := range pts[:2000] {
			x, b := rays.Winding(p)
			if one, oneBound := s.Winding(p); math.Abs(w[i]-x) > bound[i]+b || math.Abs(one-x) > oneBound+b || bound[i] > max(limit, b) {
				t.Errorf("%v: W = %v ± %g, alone %v ± %g, want %v ± %g", p, w[i], bound[i], one, oneBound, x, b)
			}
		}
	}
}

// What multipoles cannot reach under Auto is left to the boundary.
func TestUpgradeGivesUp(t *testing.T) {
	s, err := NewSolid(t.Context(), openMeshes()["hemisphere"], Options{Epsilon: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	if s.upgrade == nil {
		t.Fatal("no upgrade")
	}
	if _, err := s.newField(t.Context(), byTriangles, 1e-16); !errors.Is(err, fmm.ErrEpsilon) {
		t.Fatalf("error %v, want %v: the test tests nothing", err, fmm.ErrEpsilon)
	}
	task := s.task
	task.epsilon = 1e-16
	u := s.newUpgrade(task)
	if f, err := u.field.get(t.Context()); err != nil || f.way != byRay {
		t.Errorf("%v, error %v, want a ray", f, err)
	}
}

// The cost model by hand, with the constants of flat.
func TestWays(t *testing.T) {
	open := func(triangles, boundary int, points int64, epsilon float64) task {
		return task{triangles: triangles, boundary: boundary, sum: true, points: points, epsilon: epsilon, workers: 1}
	}
	for _, tc := range []struct {
		name string
		task task
		want way
	}{
		{"closed", task{triangles: 1000, workers: 1}, byRounding},
		{"small boundary, precise", open(1000, 10, 0, 1e-6), byCaps}, // 10 + 100 + 100 of 1010 ns
		{"soup", open(1000, 3000, 0, 1e-2), byTriangles},             // 797 of 10 + 924
		{"soup, too precise", open(1000, 3000, 0, 1e-6), byRay},      // 4,000 of 10,100
		{"few points", open(1000, 10, 10, 1e-2), byRay},              // 100 + 10 µs; triangles 150 + 8, caps 305 + 1
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := flat.bestWay(tc.task); got != tc.want {
				t.Errorf("way %d, want %d", got, tc.want)
			}
		})
	}
	// The more edges a cast point takes, the smaller the error.
	last := 1.0
	for _, edges := range []int{1000, 30_000, 1_000_000} {
		epsilon := measured.sideEpsilon(open(1_000_000, edges, 0, 0))
		if epsilon > last {
			t.Errorf("%d edges: epsilon %g, with fewer %g", edges, epsilon, last)
		}
		last = epsilon
	}
	if last > 1e-4 {
		t.Errorf("a million edges: epsilon %g is large", last)
	}
	for _, epsilon := range []float64{closedEpsilon, 1e-3, 1e-9} {
		if one, many := measured.evaluate(10, epsilon), measured.evaluate(1_000_000, epsilon); one >= many {
			t.Errorf("epsilon %g: %v ns for 10 triangles, %v for a million", epsilon, one, many)
		}
	}
}
