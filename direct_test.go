package inpoly

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func newDirect(t *testing.T, soup mesh.Soup, opt Options) *Solid {
	t.Helper()
	s, err := NewSolid(t.Context(), testmesh.Mesh(soup), opt)
	if err != nil {
		t.Fatal(err)
	}
	if got, reason := s.Method(); got != Direct {
		t.Fatalf("%+v: %v, %s, want %v", opt, got, reason, Direct)
	}
	return s
}

// The direct sum builds no tree for what its bound decides.
func TestDirectBuildsNoTree(t *testing.T) {
	cube := testmesh.UnitCube()
	for name, s := range map[string]*Solid{
		"asked for": newDirect(t, cube, Options{Method: Direct}),
		"Auto":      newDirect(t, cube, Options{ExpectedPoints: 6}),
	} {
		for p, want := range map[r3.Vector]Side{
			{X: .5, Y: .5, Z: .5}: Inside, {X: -1, Y: .5, Z: .5}: Outside, {X: 1, Y: .5, Z: .5}: OnSurface, {}: OnSurface,
			{X: math.NaN()}: Unknown, {Z: math.Inf(1)}: Unknown,
		} {
			if got := s.Side(p); got != want {
				t.Errorf("%s: %v is %v, want %v", name, p, got, want)
			}
			s.Winding(p)
		}
		if s.tree.there() {
			t.Errorf("%s: the tree has been built", name)
		}
		if d, _ := s.Distance(r3.Vector{X: -1}); d != 1 || !s.tree.there() {
			t.Errorf("%s: distance %v, want 1, and the tree: %v", name, d, s.tree.there())
		}
	}
	open := newDirect(t, testmesh.Without(cube, 0, 1), Options{Method: Direct})
	if got := open.Side(r3.Vector{Y: .5, Z: .5}); got != Unknown || !open.tree.there() {
		t.Errorf("in the middle of a hole: %v, want %v, after asking the tree: %v", got, Unknown, open.tree.there())
	}
}

// Where many more points come than Auto was told, the tree is built after all;
// not where it would not help, nor where the direct sum was asked for.
func TestDirectIsLeft(t *testing.T) {
	star, soup := testmesh.Star(3, 0.5, 1), testmesh.Triangles(80, 3)
	pts := make([]r3.Vector, 1000)
	for i := range pts {
		x, y := math.Sincos(float64(i))
		pts[i] = r3.Vector{X: x, Y: y, Z: x * y}.Mul(float64(i) / 900)
	}
	for _, tc := range []struct {
		name string
		soup mesh.Soup
		opt  Options
		left bool
	}{
		{"Auto", star, Options{ExpectedPoints: 1}, true},
		{"asked for", star, Options{Method: Direct, ExpectedPoints: 1}, false},
		{"soup", soup, Options{ExpectedPoints: 1}, false},
	} {
		want, err := NewSolid(t.Context(), testmesh.Mesh(tc.soup), Options{Method: RayCrossing})
		if err != nil {
			t.Fatal(err)
		}
		single, batch := newDirect(t, tc.soup, tc.opt), newDirect(t, tc.soup, tc.opt)
		sides := make([]Side, len(pts))
		if err := batch.SidesTo(t.Context(), sides[:1], pts[:1]); err != nil || batch.tree.there() {
			t.Errorf("%s: error %v, tree after one point: %v", tc.name, err, batch.tree.there())
		}
		if err := batch.SidesTo(t.Context(), sides, pts); err != nil {
			t.Fatal(err)
		}
		for i, p := range pts {
			w, bound := want.Winding(p)
			if gotW, gotBound := single.Winding(p); math.Abs(gotW-w) > gotBound+bound {
				t.Errorf("%s: W of %v = %v ± %g, want %v ± %g", tc.name, p, gotW, gotBound, w, bound)
			}
			if one, side := single.Side(p), want.Side(p); one != side || sides[i] != side {
				t.Errorf("%s: %v is %v, in a batch %v, want %v", tc.name, p, one, sides[i], side)
			}
		}
		for kind, s := range map[string]*Solid{"single": single, "batch": batch} {
			if s.tree.there() != tc.left {
				t.Errorf("%s, %s: tree %v after %d points, want %v", tc.name, kind, s.tree.there(), len(pts), tc.left)
			}
		}
	}
}

func TestSpare(t *testing.T) {
	s := newSpare(10)
	for i, step := range []struct {
		n    int
		want bool
	}{{4, true}, {6, true}, {0, true}, {1, false}, {1, false}, {math.MaxInt, false}, {math.MaxInt, false}, {0, false}} {
		if got := s.take(step.n); got != step.want {
			t.Errorf("step %d, %d of 10: %v, want %v", i, step.n, got, step.want)
		}
	}
	if none := newSpare(-1); none != nil || !none.take(math.MaxInt) || !none.take(math.MaxInt) {
		t.Error("a spare of all points is used up")
	}
}

// A batch that meets a point which the sum leaves undecided ends with its context
// while the tree is being built.
func TestDirectWaitsForTree(t *testing.T) {
	middle := []r3.Vector{{Y: .5, Z: .5}} // of the hole: as far from inside as from outside
	cube := testmesh.UnitCube()
	for name, tc := range map[string]struct {
		soup mesh.Soup
		opt  Options
		call func(context.Context, *Solid) error
	}{
		"undecided": {testmesh.Without(cube, 0, 1), Options{Method: Direct}, func(ctx context.Context, s *Solid) error {
			return s.SidesTo(ctx, make([]Side, 1), middle)
		}},
		"parity": {testmesh.Flip(cube, 0, 1), Options{Method: Direct, Rule: EvenOdd}, func(ctx context.Context, s *Solid) error {
			return s.SidesTo(ctx, make([]Side, 1), middle)
		}},
	} {
		for _, workers := range []int{1, 2} {
			synctest.Test(t, func(t *testing.T) {
				tc.opt.Workers = workers
				s := newDirect(t, tc.soup, tc.opt)
				s.tree = newLazy(func(ctx context.Context) (*tree, error) {
					<-ctx.Done() // a build that takes for ever
					return nil, ctx.Err()
				})
				ctx, cancel := context.WithCancel(t.Context())
				got := make(chan error, 1)
				go func() { got <- tc.call(ctx, s) }()
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

// A few sums keep all workers busy where each of them is long.
func TestFewSumsOnAllWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := NewSolid(t.Context(), mesh.Sphere(5), Options{Method: Direct, Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		met := make(chan struct{})
		var waiting atomic.Int32
		_, err = s.forEach(t.Context(), 3, func(int, *scratch) {
			if waiting.Add(1) == 3 {
				close(met)
			}
			<-met // a deadlock if a worker has two of the three
		})
		if err != nil {
			t.Error(err)
		}
	})
}
