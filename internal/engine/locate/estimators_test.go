package locate

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
	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// newSet calls trySet. If trySet returns an error, the test fails.
func newSet(t *testing.T, m *mesh.Mesh, method string, l Workload) *Set {
	t.Helper()
	set, err := trySet(t.Context(), m, method, l)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// trySet builds the Set of m with the given method and the options l.
func trySet(ctx context.Context, m *mesh.Mesh, method string, l Workload) (*Set, error) {
	s := NewSurface(m, SurfaceOptions{Rule: l.Rule, Workers: l.Workers})
	return Build(ctx, s, NewWorkload(m, l), method)
}

func newAnswers(n int) side.Answers {
	return side.Answers{Sides: make([]side.Side, n), Winding: make([]float64, n), Bound: make([]float64, n)}
}

// scatter returns points in and around the box of m. Some of the points lie on or very close to
// vertices, edges and faces.
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

// openMeshes returns meshes that are open for different reasons: holes, cracks, unconnected
// triangles, or faces that are flipped or doubled.
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

// All methods for winding numbers of an open mesh agree with the direct sum within their bounds,
// for single points and for batches.
func TestWindingMethodsAgree(t *testing.T) {
	for name, m := range openMeshes() {
		t.Run(name, func(t *testing.T) {
			pts := scatter(m, 600, 1)
			want, wantBound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
			if err := bem.NewDirect(m, 0).WindingsTo(t.Context(), want, wantBound, on, pts); err != nil {
				t.Fatal(err)
			}
			s := NewSurface(m, SurfaceOptions{})
			sides := make([]side.Side, len(pts))
			if _, err := (rays{s}).LocateTo(t.Context(), side.Answers{Sides: sides}, pts, 0); err != nil {
				t.Fatal(err)
			}
			for _, epsilon := range []float64{1e-2, 1e-7} {
				w := Workload{Triangles: m.NumFaces(), BoundaryEdges: len(m.Boundary()), BoundarySum: true, Epsilon: epsilon}
				for _, method := range measured.windingMethods(w) {
					checkWindings(t, s, w, method, pts, func(i int) (float64, float64, side.Side) { return want[i], wantBound[i], sides[i] })
				}
			}
		})
	}
}

// checkWindings compares the sides and winding numbers of one method with the expected results.
func checkWindings(t *testing.T, s *Surface, work Workload, method Method, pts []r3.Vector, want func(i int) (w, bound float64, side side.Side)) {
	t.Helper()
	built, err := method.Build(t.Context(), s, work)
	if err != nil {
		t.Fatal(err)
	}
	l := built.Locator
	a := newAnswers(len(pts))
	if _, err := l.LocateTo(t.Context(), a, pts, 0); err != nil {
		t.Fatal(err)
	}
	var sc raycross.Scratch
	good := 0
	for i, p := range pts {
		x, bound, where := want(i)
		oneW, oneBound := l.Winding(p)
		for kind, got := range map[string][2]float64{"batch": {a.Winding[i], a.Bound[i]}, "single": {oneW, oneBound}} {
			if !(math.Abs(got[0]-x) <= got[1]+bound) {
				t.Errorf("%s to %g, %s, %v: W = %v ± %g, want %v ± %g", method.Name, work.Epsilon, kind, p, got[0], got[1], x, bound)
			}
		}
		if a.Bound[i] <= work.Epsilon {
			good++
		} else if _, least := s.MustIndex().Rays.Winding(p, &sc); a.Bound[i] > least {
			t.Errorf("%s to %g, %v: bound %g, and %g can be reached", method.Name, work.Epsilon, p, a.Bound[i], least)
		}
		if one := l.Side(p); a.Sides[i] != where || one != where {
			t.Errorf("%s to %g, %v: %v in a batch, %v as a single point, want %v", method.Name, work.Epsilon, p, a.Sides[i], one, where)
		}
	}
	if good < len(pts)*9/10 {
		t.Errorf("%s: %d of %d bounds are at most %g", method.Name, good, len(pts), work.Epsilon)
	}
}

// The potential of caps has the correct sign. In the middle of a cube without one side, W is 5/6.
func TestCapsSign(t *testing.T) {
	s := NewSurface(testmesh.Mesh(testmesh.Without(testmesh.UnitCube(), 0, 1)), SurfaceOptions{})
	c, _, err := newCapped(t.Context(), s, 1e-9, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Estimate(r3.Vector{X: .5, Y: .5, Z: .5}); !got.OK || math.Abs(got.W-5.0/6) > got.Bound || got.Bound > 1e-9 {
		t.Errorf("%+v, want 5/6", got)
	}
	if got := c.Estimate(r3.Vector{X: 0, Y: .25, Z: .5}); got.OK || got.OnSurface {
		t.Errorf("on the cap: %+v, want no estimate", got)
	}
	if got := c.Estimate(r3.Vector{X: -9, Y: .25, Z: .5}); !got.OK || math.Abs(got.W*4*math.Pi-1.0/81) > 1e-3 {
		t.Errorf("before the hole: %+v, want the solid angle of the hole, about 1/81", got)
	}
}

// The answers of a batch do not depend on the number of workers.
func TestEstimatesWorkers(t *testing.T) {
	for name, m := range map[string]*mesh.Mesh{
		"closed": testmesh.Mesh(testmesh.Star(4, .5, 1)), "holes": openMeshes()["holes"], "soup": openMeshes()["soup"],
	} {
		pts := append(scatter(m, 5000, 3), r3.Vector{X: math.NaN()}, r3.Vector{Y: math.Inf(1)}, r3.Vector{X: math.MaxFloat64})
		var want side.Answers
		for _, workers := range []int{1, 2, 5} {
			set := newSet(t, m, FMM, Workload{Epsilon: 1e-4, Workers: workers})
			got := newAnswers(len(pts))
			stats, err := set.LocateTo(t.Context(), got, pts, workers)
			if err != nil || stats.Points != uint64(len(pts)) {
				t.Errorf("%s: error %v, %d points, want %d", name, err, stats.Points, len(pts))
			}
			if want.Sides == nil {
				want = got
			}
			for i := range pts {
				if got.Sides[i] != want.Sides[i] || math.Float64bits(got.Winding[i]) != math.Float64bits(want.Winding[i]) || got.Bound[i] != want.Bound[i] {
					t.Fatalf("%s, %d workers, %v: %v, %v ± %g, want %v, %v ± %g", name, workers, pts[i],
						got.Sides[i], got.Winding[i], got.Bound[i], want.Sides[i], want.Winding[i], want.Bound[i])
				}
			}
		}
	}
}

// One call for sides and winding numbers returns the same answers as separate calls. This is true
// for every method and for several options.
func TestSidesWithWindings(t *testing.T) {
	for name, soup := range map[string]mesh.Soup{
		"closed": testmesh.Star(3, 0.5, 1), "open": testmesh.Hemisphere(3), "parity": testmesh.Flip(testmesh.Star(3, 0.5, 1), 3, 4),
	} {
		m := testmesh.Mesh(soup)
		pts := append(scatter(m, 200, 5), r3.Vector{X: math.NaN()})
		for _, method := range append(Methods(), Method{Name: Auto}) {
			for _, l := range []Workload{{}, {Rule: side.EvenOdd}, {Tolerance: .02}} {
				set := newSet(t, m, method.Name, l)
				sides, both := make([]side.Side, len(pts)), newAnswers(len(pts))
				stats, err := set.LocateTo(t.Context(), both, pts, 0)
				if err == nil {
					_, err = set.LocateTo(t.Context(), side.Answers{Sides: sides}, pts, 0)
				}
				if err != nil || stats.Points != uint64(len(pts)) {
					t.Errorf("%s, %s, %+v: error %v, %d points, want %d", name, method.Name, l, err, stats.Points, len(pts))
				}
				for i, p := range pts {
					x, b := set.Winding.Winding(p)
					if both.Sides[i] != sides[i] || vec.Finite(p) != (math.Abs(x-both.Winding[i]) <= b+both.Bound[i]) {
						t.Errorf("%s, %s, %+v at %v: %v, %v ± %g, want %v, %v ± %g", name, method.Name, l, p,
							both.Sides[i], both.Winding[i], both.Bound[i], sides[i], x, b)
					}
				}
			}
		}
	}
}

// planOf returns the estimator and the current plan of set. The method of set must be FMM, and its
// mesh must be closed.
func planOf(set *Set) (*potential, *fmm.Plan) {
	p := set.Exact.locator.(*fallback).estimator.(*potential)
	return p, p.plans.Current()
}

// If callers query more points than expected, the plan gets deeper. The sides stay correct, even if
// several goroutines query at the same time.
func TestRefine(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(4, .5, 1))
	set := newSet(t, m, FMM, Workload{Points: 1000, Workers: 2})
	p, first := planOf(set)
	pts := scatter(m, 30_000, 9)
	want := make([]side.Side, len(pts))
	if _, err := set.Sides.LocateTo(t.Context(), side.Answers{Sides: want[:10]}, pts[:10], 2); err != nil {
		t.Fatal(err)
	}
	if _, plan := planOf(set); plan != first {
		t.Error("ten points have replaced the plan")
	}
	if _, err := (rays{set.Surface}).LocateTo(t.Context(), side.Answers{Sides: want}, pts, 2); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := make([]side.Side, len(pts))
			if _, err := set.Sides.LocateTo(context.Background(), side.Answers{Sides: got}, pts, 2); err != nil {
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
	_, deeper := planOf(set)
	if deeper == first {
		t.Error("the plan has not changed")
	}
	if near, before := p.meanNear(deeper, pts), p.meanNear(first, pts); near >= before {
		t.Errorf("near fields of %v triangles with the deeper plan, %v before", near, before)
	}
}

// If ctx ends during a refinement, the plan does not change. The next batch refines the plan.
func TestRefineCanceled(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(4, .5, 1))
	set := newSet(t, m, FMM, Workload{Points: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pts := scatter(m, 30_000, 9)
	dst := side.Answers{Sides: make([]side.Side, len(pts))}
	_, first := planOf(set)
	if _, err := set.Sides.LocateTo(ctx, dst, pts, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if _, plan := planOf(set); plan != first {
		t.Error("the plan has changed")
	}
	if _, err := set.Sides.LocateTo(t.Context(), dst, pts, 0); err != nil {
		t.Error(err)
	}
	if _, plan := planOf(set); plan == first {
		t.Error("the next batch has not changed the plan")
	}
}

// Every method fails if float64 cannot represent winding numbers to within epsilon.
func TestEpsilonTooSmall(t *testing.T) {
	open := testmesh.Mesh(testmesh.Hemisphere(3))
	for _, method := range append(Methods(), Method{Name: Auto}) {
		if _, err := trySet(t.Context(), open, method.Name, Workload{Epsilon: 1e-19}); !errors.Is(err, fmm.ErrEpsilon) || !strings.Contains(err.Error(), "can be reached") {
			t.Errorf("%v: error %v, want an error with the smallest epsilon that can be reached", method.Name, err)
		}
		// A point on the surface of a closed mesh has a winding number that is not an integer.
		if _, err := trySet(t.Context(), testmesh.Mesh(testmesh.UnitCube()), method.Name, Workload{Epsilon: 1e-19}); !errors.Is(err, fmm.ErrEpsilon) {
			t.Errorf("%v, closed: error %v, want %v", method.Name, err, fmm.ErrEpsilon)
		}
	}
}

// upgradeOf returns the upgrade in set.Winding.
func upgradeOf(t *testing.T, set *Set) *lazy.Upgrade[Locator] {
	t.Helper()
	if set.Winding.upgrade == nil {
		t.Fatalf("no upgrade from %s", set.Method)
	}
	return set.Winding.upgrade
}

// For an open mesh, Auto uses multipoles only after many winding numbers. The bound is at most the
// requested epsilon, or 1e-6 if no epsilon is requested.
func TestUpgrade(t *testing.T) {
	m := openMeshes()["hemisphere"]
	pts := scatter(m, 40_000, 2)
	exact := rays{NewSurface(m, SurfaceOptions{})}
	for _, epsilon := range []float64{0, 1e-3} {
		set := newSet(t, m, Auto, Workload{Epsilon: epsilon, Points: 500})
		u := upgradeOf(t, set)
		base := u.Current()
		a := newAnswers(len(pts))
		a.Sides = nil
		if _, err := set.Winding.LocateTo(t.Context(), answers.Slice(a, 0, 10), pts[:10], 0); err != nil || u.Current() != base {
			t.Errorf("error %v; upgrade after ten points: %v", err, u.Current() != base)
		}
		for range 3 {
			if _, err := set.Winding.LocateTo(t.Context(), a, pts, 0); err != nil {
				t.Fatal(err)
			}
		}
		if u.Current() == base {
			t.Errorf("no upgrade after %d points", 3*len(pts))
		}
		limit := max(epsilon, autoEpsilon)
		for i, p := range pts[:2000] {
			x, b := exact.Winding(p)
			if one, oneBound := set.Winding.Winding(p); math.Abs(a.Winding[i]-x) > a.Bound[i]+b || math.Abs(one-x) > oneBound+b || a.Bound[i] > max(limit, b) {
				t.Errorf("%v: W = %v ± %g, as a single point %v ± %g, want %v ± %g", p, a.Winding[i], a.Bound[i], one, oneBound, x, b)
			}
		}
	}
}

// Auto continues to use rays and the sum over the boundary if multipoles cannot reach epsilon.
func TestUpgradeGivesUp(t *testing.T) {
	m := openMeshes()["hemisphere"]
	set := newSet(t, m, Auto, Workload{Epsilon: 1e-13})
	upgradeOf(t, set)
	if _, err := newMultipole(t.Context(), set.Surface, 1e-16, 0); !errors.Is(err, fmm.ErrEpsilon) {
		t.Fatalf("error %v, want %v: the test tests nothing", err, fmm.ErrEpsilon)
	}
	// In this cost model, multipoles cost nothing.
	free := measured
	free.multipoles = multipoleCosts{}
	w := Workload{Triangles: m.NumFaces(), BoundaryEdges: len(m.Boundary()), BoundarySum: true, Epsilon: 1e-16, Workers: 1}
	base := rays{set.Surface}
	u := multipolesLater(&free, set.Surface, w, base, func(w Workload) float64 { return free.rayWindings(w).Point })
	if l, err := u.For(t.Context(), 1, 0); err != nil || l != Locator(base) || !u.Final() {
		t.Errorf("%v, error %v, final %v, want rays, and final", l, err, u.Final())
	}
}

// The function cheapest returns the method with the smallest cost. The expected methods follow from
// the constants in the variable flat.
func TestCheapestWindings(t *testing.T) {
	open := func(triangles, boundary int, points int64, epsilon float64) Workload {
		return Workload{Triangles: triangles, BoundaryEdges: boundary, BoundarySum: true, Points: points, Epsilon: epsilon, Workers: 1}
	}
	for _, tc := range []struct {
		name string
		work Workload
		want string
	}{
		{"closed", Workload{Triangles: 1000, Workers: 1}, "multipoles, rounded"},
		{"small boundary, precise", open(1000, 10, 0, 1e-6), "capped"}, // capped takes 10 + 100 + 100 ns, rays take 1,010 ns
		{"soup", open(1000, 3000, 0, 1e-2), "multipoles"},              // multipoles take 897 ns, capped takes 110 + 924 ns
		{"soup, too precise", open(1000, 3000, 0, 1e-6), RayCrossing},  // rays take 4,000 ns, multipoles take 10,100 ns
		{"few points", open(1000, 10, 10, 1e-2), RayCrossing},          // rays take 100 + 10 µs, multipoles 150 + 8 µs, capped 305 + 1 µs
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := cheapest(tc.work, flat.windingMethods(tc.work)).Name; got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
	// With more boundary edges a ray takes longer, so the best epsilon is smaller.
	last := 1.0
	for _, edges := range []int{1000, 30_000, 1_000_000} {
		epsilon := measured.sideEpsilon(open(1_000_000, edges, 0, 0))
		if epsilon > last {
			t.Errorf("%d edges: epsilon %g, larger than %g for fewer edges", edges, epsilon, last)
		}
		last = epsilon
	}
	if last > 1e-4 {
		t.Errorf("a million edges: epsilon %g, want at most 1e-4", last)
	}
	for _, epsilon := range []float64{closedEpsilon, 1e-3, 1e-9} {
		if one, many := measured.evaluate(10, epsilon), measured.evaluate(1_000_000, epsilon); one >= many {
			t.Errorf("epsilon %g: %v ns for 10 triangles, %v ns for a million", epsilon, one, many)
		}
	}
}

// Many small batches together refine the plan.
func TestRefineBySmallBatches(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(5, .5, 1))
	set := newSet(t, m, FMM, Workload{Points: 100, Workers: 1})
	p, first := planOf(set)
	pts := scatter(m, 40_000, 9)
	for lo := 0; lo < len(pts); lo += 1000 {
		if _, err := set.Sides.LocateTo(t.Context(), side.Answers{Sides: make([]side.Side, 1000)}, pts[lo:lo+1000], 1); err != nil {
			t.Fatal(err)
		}
	}
	last := p.plans.Current()
	if near, before := p.meanNear(last, pts), p.meanNear(first, pts); near > before*3/4 {
		t.Errorf("near fields of %v triangles after %d points, %v before", near, len(pts), before)
	}
}

// TestParityCostsOmitTheTree checks the cheapest method for 1,010 points and four triangles under
// the rule EvenOdd. The tree is always built, so its cost must not count against rays.
func TestParityCostsOmitTheTree(t *testing.T) {
	w := Workload{Rule: side.EvenOdd, Parity: true, Triangles: 4, BoundaryEdges: 4, Points: 1010, Workers: 1}
	w.Epsilon = measured.sideEpsilon(w)
	if m := cheapest(w, measured.windingMethods(w)); m.Name != RayCrossing {
		t.Errorf("got %s with the error %g, want %s", m.Name, w.Epsilon, RayCrossing)
	}
}

// If the number of points is unknown, Auto starts with columns. A large batch builds cells, which
// return the same answers. Afterward, the columns take no memory.
func TestUnknownPoints(t *testing.T) {
	m := testmesh.Sphere(6)
	set := newSet(t, m, Auto, Workload{})
	if set.Method != Columns || !strings.HasSuffix(set.Reason(), "; columns first, because the number of points is unknown") {
		t.Fatalf("%s, %q, want %s", set.Method, set.Reason(), Columns)
	}
	u := upgradeOf(t, set)
	first := u.Current()
	pts := scatter(m, 2_000_000, 3)
	before, after := newAnswers(len(pts)), newAnswers(len(pts))
	if _, err := set.Sides.LocateTo(t.Context(), answers.Slice(before, 0, 1000), pts[:1000], 0); err != nil || u.Current() != first {
		t.Errorf("error %v; upgrade after 1,000 points: %v", err, u.Current() != first)
	}
	if _, err := set.Sides.LocateTo(t.Context(), after, pts, 0); err != nil {
		t.Fatal(err)
	}
	cells, ok := u.Current().(grid)
	if !ok {
		t.Fatalf("%T after %d points, want cells", u.Current(), len(pts))
	}
	if got, want := set.Bytes(), set.Surface.Bytes()+cells.Bytes(); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	for i := range 1000 {
		if before.Sides[i] != after.Sides[i] || before.Winding[i] != after.Winding[i] {
			t.Errorf("%v: %v, %v by columns, %v, %v by cells", pts[i], before.Sides[i], before.Winding[i], after.Sides[i], after.Winding[i])
		}
	}
}
