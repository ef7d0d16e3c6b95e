package cells_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// countdown is a context that ends after a given number of calls of Err.
type countdown struct {
	context.Context
	mu   sync.Mutex
	left int
	done chan struct{}
}

func newCountdown(parent context.Context, looks int) *countdown {
	return &countdown{Context: parent, left: looks, done: make(chan struct{})}
}

func (c *countdown) Done() <-chan struct{} { return c.done }

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		close(c.done)
	}
	if c.left <= 0 {
		return context.Canceled
	}
	return nil
}

// looks returns the number of calls of Err so far. startCount is the argument of newCountdown.
func (c *countdown) looks(startCount int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return startCount - c.left
}

// checkAbandoned checks the sides from an interrupted call. Each side must be right or Unknown, and
// at least one must be Unknown.
func checkAbandoned(t *testing.T, got, want []side.Side) {
	t.Helper()
	for i, s := range got {
		if s != want[i] && s != side.Unknown {
			t.Fatalf("dst[%d] = %v after an interruption, want %v or %v", i, s, want[i], side.Unknown)
		}
	}
	if slices.Equal(got, want) {
		t.Error("all points were answered although the context ended")
	}
}

// checkNoLeak fails the test if more goroutines than before still run after five seconds.
func checkNoLeak(t *testing.T, before int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines run, want at most %d", runtime.NumGoroutine(), before)
}

// interrupted returns closed meshes, an open mesh, and meshes with long lists. New uses different
// steps for these meshes. With -short, the meshes are smaller.
func interrupted() map[string]*mesh.Mesh {
	levels, ribs := 6, 5000
	if testing.Short() {
		levels, ribs = 5, 1500
	}
	return map[string]*mesh.Mesh{
		"star":       testmesh.Mesh(testmesh.Star(levels, .6, 1)),
		"hemisphere": testmesh.Mesh(testmesh.Hemisphere(levels - 1)),
		"cone":       testmesh.Mesh(testmesh.DoubleCone(ribs, 1)),
		"slivers":    testmesh.Mesh(drilledPlate(at(500, 500, 5), .001, 2*ribs/5)),
	}
}

// crews returns the worker counts to test. With -short, it returns one count.
func crews() []int {
	if testing.Short() {
		return []int{7}
	}
	return []int{1, 2, 7}
}

// If a context ends while New builds an index, New returns the error of the context or a complete
// index.
func TestNewInterrupted(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, m := range interrupted() {
		rays := raysOf(m, side.NonZero)
		for _, workers := range crews() {
			const many = 1 << 30
			whole := newCountdown(t.Context(), many)
			x, err := cells.New(whole, m, cells.Options{Rays: rays, Workers: workers})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			looks := whole.looks(many)
			if looks < 3 {
				t.Errorf("%s, %d workers: %d checks of the context while the index of %d faces is built", name, workers, looks, m.NumFaces())
			}
			for k := range rounds(1, 40) {
				at := 1 + looks*(2*k+1)/(2*rounds(1, 40))
				x2, err := cells.New(newCountdown(t.Context(), at), m, cells.Options{Rays: rays, Workers: workers})
				switch {
				case err == nil && at < looks/2:
					t.Errorf("%s, %d workers: New continues after check %d of %d", name, workers, at, looks)
				case err == nil:
					if x2.Shape() != x.Shape() {
						t.Errorf("%s: shape %+v, want %+v", name, x2.Shape(), x.Shape())
					}
				case !errors.Is(err, context.Canceled) || x2 != nil:
					t.Errorf("%s, %d workers: error %v and index %v after check %d, want error %v and no index", name, workers, err, x2, at, context.Canceled)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := cells.New(ctx, m, cells.Options{Rays: rays}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v of a context that has ended, want %v", name, err, context.Canceled)
		}
	}
	checkNoLeak(t, before)
}

// If a context ends during SidesTo, SidesTo returns the error of the context. Every side is then
// right or Unknown.
func TestSidesInterrupted(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, m := range interrupted() {
		w := newTwin(t.Context(), t, name, m, cells.Options{}, side.NonZero)
		n := 200_000
		if name == "hemisphere" || testing.Short() {
			n = 20_000
		}
		pts := manyPoints(m, n)
		want := make([]side.Side, n)
		if _, err := w.index[0].SidesTo(t.Context(), want, pts, 0); err != nil {
			t.Fatal(err)
		}
		for _, workers := range crews() {
			for _, looks := range []int{1, 2, 3} {
				got := make([]side.Side, n)
				for i := range got {
					got[i] = side.Side(77)
				}
				_, err := w.index[0].SidesTo(newCountdown(t.Context(), looks), got, pts, workers)
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("%s, %d workers, %d looks: error %v, want %v", name, workers, looks, err, context.Canceled)
				}
				checkAbandoned(t, got, want)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			got := slices.Clone(want)
			if _, err := w.index[0].SidesTo(ctx, got, pts, workers); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %d workers: error %v of a context that has ended, want %v", name, workers, err, context.Canceled)
			}
			for i, s := range got {
				if s != side.Unknown {
					t.Fatalf("%s, %d workers: dst[%d] = %v of a context that had ended, want %v", name, workers, i, s, side.Unknown)
				}
			}
		}
	}
	checkNoLeak(t, before)
}

// manyPoints returns n points in and around the box of m. Some points lie on faces.
func manyPoints(m *mesh.Mesh, n int) []r3.Vector {
	k := &maker{r: newRand(uint64(n)), mesh: m, box: m.Box()}
	out := make([]r3.Vector, n)
	for i := range out {
		out[i] = k.around()
		if i%16 == 0 {
			out[i] = k.onFace()
		}
	}
	return out
}

// On an open mesh with many edges, a closed channel Interrupt ends the query of a single point. The
// side is then Unknown.
func TestSideInterrupted(t *testing.T) {
	// A cube with a hole in its side x = 0 gives W = 1/2 in the plane of the hole. The soup is
	// symmetric about this plane and adds 0 to W in the plane. Arithmetic in float64 cannot compare
	// the exact sum 1/2 with the threshold 1/2.
	soup := testmesh.Translate(testmesh.Triangles(2000, 2), at(2, 0, 0))
	mirror := testmesh.Move(soup, func(p r3.Vector) r3.Vector { return at(-p.X, p.Y, p.Z) })
	m := testmesh.Mesh(testmesh.Union(testmesh.Without(testmesh.UnitCube(), 0, 1), soup, mirror))
	w := newTwin(t.Context(), t, "half open cube", m, cells.Options{}, side.NonZero)
	done := make(chan struct{})
	close(done)
	s := cells.Scratch{Interrupt: done}
	if got := w.index[0].Side(at(0, .5, .5), &s); got != side.Unknown {
		t.Errorf("interrupted: %v, want %v", got, side.Unknown)
	}
}

// In this test, Rays blocks until its context ends. New and SidesTo must end when their own context
// ends.
func TestRaysBlock(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, m := range interrupted() {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		opt := cells.Options{Rays: func(inner context.Context) (*raycross.Caster, error) {
			select {
			case <-inner.Done():
			case <-ctx.Done(): // inner can be a context that never ends
			}
			return nil, context.DeadlineExceeded
		}}
		x, err := cells.New(ctx, m, opt)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v, want %v", name, err, context.DeadlineExceeded)
		}
		if err == nil {
			pts := manyPoints(m, 1000)
			checkWithoutRays(t, name, m, x, pts, context.DeadlineExceeded)
		}
		cancel()
	}
	checkNoLeak(t, before)
}

// If Rays fails, New and SidesTo return the error of Rays or need no ray. No side is wrong.
func TestRaysFail(t *testing.T) {
	broken := errors.New("no rays")
	meshes := interrupted()
	meshes["tangle"] = testmesh.Mesh(testmesh.Tangle(12, 100, 1))
	meshes["copies"] = testmesh.Mesh(testmesh.Copies(testmesh.Tetrahedron(), 1000))
	for name, m := range meshes {
		x, err := cells.New(t.Context(), m, cells.Options{Rays: func(context.Context) (*raycross.Caster, error) { return nil, broken }})
		switch {
		case err == nil:
			checkWithoutRays(t, name, m, x, manyPoints(m, 1000), broken)
		case !errors.Is(err, broken):
			t.Errorf("%s: error %v, want %v", name, err, broken)
		}
	}
}

// checkWithoutRays checks the sides from an index whose function Rays fails.
func checkWithoutRays(t *testing.T, name string, m *mesh.Mesh, x *cells.Index, pts []r3.Vector, want error) {
	t.Helper()
	casters, err := newCasters(t.Context(), m, side.NonZero)
	if err != nil {
		t.Fatal(err)
	}
	right, got := make([]side.Side, len(pts)), make([]side.Side, len(pts))
	if _, err := casters[0].SidesTo(t.Context(), right, pts, 0); err != nil {
		t.Fatal(err)
	}
	_, err = x.SidesTo(t.Context(), got, pts, 2)
	if err != nil && !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", name, err, want)
	}
	for i := range got {
		if got[i] != right[i] && (err == nil || got[i] != side.Unknown) {
			t.Fatalf("%s: %s: side %v with error %v, want %v", name, hex(pts[i]), got[i], err, right[i])
		}
	}
}

// If a mesh is closed and has no long lists, queries of random points do not call Rays.
func TestRaysNotCalled(t *testing.T) {
	m := testmesh.Sphere(5)
	w := newTwin(t.Context(), t, "sphere", m, cells.Options{}, side.NonZero)
	if w.index[0].Shape().Crossed == 0 {
		return // the index has no cells
	}
	k := &maker{r: newRand(1), mesh: m, box: m.Box()}
	pts := make([]r3.Vector, 50_000)
	for i := range pts {
		pts[i] = k.around()
	}
	stats, err := w.index[0].SidesTo(t.Context(), make([]side.Side, len(pts)), pts, 2)
	if err != nil {
		t.Fatal(err)
	}
	if w.calls.Load() != 0 || stats.Rays != 0 {
		t.Errorf("Rays called %d times, %d rays cast for random points in a sphere; want none", w.calls.Load(), stats.Rays)
	}
}
