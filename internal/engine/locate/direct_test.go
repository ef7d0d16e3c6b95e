package locate

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// directSet returns the result of newSet. It fails the test unless the chosen method is Direct.
func directSet(t *testing.T, soup mesh.Soup, method string, l Workload) *Set {
	t.Helper()
	set := newSet(t, testmesh.Mesh(soup), method, l)
	if set.Method != Direct {
		t.Fatalf("%+v: %v, %s, want %v", l, set.Method, set.Reason(), Direct)
	}
	return set
}

// The method Direct builds no tree as long as the bounds of the sums decide all sides.
func TestDirectBuildsNoTree(t *testing.T) {
	cube := testmesh.UnitCube()
	for name, set := range map[string]*Set{"requested": directSet(t, cube, Direct, Workload{})} {
		for p, want := range map[r3.Vector]side.Side{
			{X: .5, Y: .5, Z: .5}: side.Inside, {X: -1, Y: .5, Z: .5}: side.Outside, {X: 1, Y: .5, Z: .5}: side.OnSurface, {}: side.OnSurface,
			{X: math.NaN()}: side.Unknown, {Z: math.Inf(1)}: side.Unknown,
		} {
			if got := set.Sides.Side(p); got != want {
				t.Errorf("%s: %v is %v, want %v", name, p, got, want)
			}
			set.Winding.Winding(p)
		}
		if set.Surface.Indexed() {
			t.Errorf("%s: the tree has been built", name)
		}
	}
	open := directSet(t, testmesh.Without(cube, 0, 1), Direct, Workload{})
	if got := open.Sides.Side(r3.Vector{Y: .5, Z: .5}); got != side.Unknown || !open.Surface.Indexed() {
		t.Errorf("in the middle of a hole: %v, want %v; tree built: %v, want true", got, side.Unknown, open.Surface.Indexed())
	}
}

// If many more points than expected are queried, Auto replaces the direct sum by rays and builds
// the tree. Auto keeps the direct sum if rays would not be faster. A caller that requests Direct
// always gets the direct sum.
func TestDirectIsLeft(t *testing.T) {
	star, soup := testmesh.Without(testmesh.Star(3, 0.5, 1), 0), testmesh.Triangles(80, 3)
	pts := make([]r3.Vector, 1000)
	for i := range pts {
		x, y := math.Sincos(float64(i))
		pts[i] = r3.Vector{X: x, Y: y, Z: x * y}.Mul(float64(i) / 900)
	}
	for _, tc := range []struct {
		name   string
		soup   mesh.Soup
		method string
		tree   bool // whether the queries must build the tree
	}{
		{"Auto", star, Auto, true},
		{"requested", star, Direct, false},
		{"soup", soup, Auto, false},
	} {
		want := rays{NewSurface(testmesh.Mesh(tc.soup), SurfaceOptions{})}
		single, batch := directSet(t, tc.soup, tc.method, Workload{Points: 1}), directSet(t, tc.soup, tc.method, Workload{Points: 1})
		sides := make([]side.Side, len(pts))
		if _, err := batch.Sides.LocateTo(t.Context(), side.Answers{Sides: sides[:1]}, pts[:1], 0); err != nil || batch.Surface.Indexed() {
			t.Errorf("%s: error %v; tree built after one point: %v", tc.name, err, batch.Surface.Indexed())
		}
		if _, err := batch.Sides.LocateTo(t.Context(), side.Answers{Sides: sides}, pts, 0); err != nil {
			t.Fatal(err)
		}
		for i, p := range pts {
			w, bound := want.Winding(p)
			if gotW, gotBound := single.Winding.Winding(p); math.Abs(gotW-w) > gotBound+bound {
				t.Errorf("%s: W of %v = %v ± %g, want %v ± %g", tc.name, p, gotW, gotBound, w, bound)
			}
			if one, where := single.Sides.Side(p), want.Side(p); one != where || sides[i] != where {
				t.Errorf("%s: %v is %v as a single point, %v in a batch, want %v", tc.name, p, one, sides[i], where)
			}
		}
		for kind, set := range map[string]*Set{"single": single, "batch": batch} {
			if got := set.Surface.Indexed(); got != tc.tree {
				t.Errorf("%s, %s: tree built %v after %d points, want %v", tc.name, kind, got, len(pts), tc.tree)
			}
		}
	}
}

// A batch waits for the tree if a sum does not decide a side. The batch ends when its context ends,
// even while the tree is being built.
func TestDirectWaitsForTree(t *testing.T) {
	middle := []r3.Vector{{Y: .5, Z: .5}} // the middle of the hole, where |W| is 1/2
	cube := testmesh.UnitCube()
	for name, tc := range map[string]struct {
		soup mesh.Soup
		rule side.Rule
	}{
		"undecided": {testmesh.Without(cube, 0, 1), side.NonZero},
		"parity":    {testmesh.Flip(cube, 0, 1), side.EvenOdd},
	} {
		for _, workers := range []int{1, 2} {
			synctest.Test(t, func(t *testing.T) {
				set := directSet(t, tc.soup, Direct, Workload{Rule: tc.rule, Workers: workers})
				set.Surface.index = lazy.New(func(ctx context.Context) (*Index, error) {
					<-ctx.Done() // simulates a build that takes forever
					return nil, ctx.Err()
				})
				ctx, cancel := context.WithCancel(t.Context())
				got := make(chan error, 1)
				go func() {
					_, err := set.Sides.LocateTo(ctx, side.Answers{Sides: make([]side.Side, 1)}, middle, workers)
					got <- err
				}()
				synctest.Wait()
				cancel()
				if err := <-got; !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %d workers: %v, want %v", name, workers, err, context.Canceled)
				}
				synctest.Wait()
			})
		}
	}
}

// barrier is an Estimator whose method EstimateTo waits until n calls run at the same time.
type barrier struct {
	*direct
	n    int32
	met  chan struct{}
	here atomic.Int32
}

func (m *barrier) Prepare(ctx context.Context, pts []r3.Vector, workers int) (BatchEstimator, int) {
	_, size := m.direct.Prepare(ctx, pts, workers)
	return m, size
}

func (m *barrier) EstimateTo(ctx context.Context, dst []Estimate, pts []r3.Vector) (side.Stats, error) {
	if m.here.Add(1) == m.n {
		close(m.met)
	}
	<-m.met // blocks forever if one worker makes two of the n calls
	return m.direct.EstimateTo(ctx, dst, pts)
}

// A batch of a few points with long sums uses all workers.
func TestFewSumsOnAllWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSurface(testmesh.Mesh(testmesh.Star(6, .5, 1)), SurfaceOptions{})
		l := WithFallback(&barrier{direct: newDirect(s), n: 3, met: make(chan struct{})}, rays{s}, side.NonZero, false, math.Inf(1))
		if _, err := l.LocateTo(t.Context(), newAnswers(3), make([]r3.Vector, 3), 3); err != nil {
			t.Error(err)
		}
	})
}
