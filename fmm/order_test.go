package fmm

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
)

// New and WindingsTo give the same bits for any number of workers and any order of points. Winding
// agrees with WindingsTo.
func TestSameBits(t *testing.T) {
	for i, s := range []solid{
		{"foam", testmesh.Soup(foam(t, 10))},
		{"triangles of all sizes", sizes(1500, 7)},
		{"tangle", testmesh.Tangle(50, 1000, 2)},
		{"sphere at 2^-300", testmesh.Scale(testmesh.Soup(testmesh.Sphere(3)), 0x1p-300)},
	} {
		m := testmesh.Mesh(s.soup)
		pts := spots(m, rounds(700, 20_000), uint64(200+i))
		order := seeded(uint64(i)).Perm(len(pts))
		shuffled := make([]r3.Vector, len(pts))
		for k, j := range order {
			shuffled[k] = pts[j]
		}
		for k, opt := range []Options{{Epsilon: 0.45}, {Epsilon: 4e-3, Points: pts}, {Epsilon: 1e-6, ExpectedPoints: 10_000}, {Epsilon: 1e-4, Points: shuffled}} {
			if testing.Short() && (i+k)%2 != 0 {
				continue
			}
			opt.Workers = 1
			p := newPlan(t, corners(m), opt)
			want := windings(t, p, pts, 1)
			single := newAnswers(len(pts))
			var sc Scratch
			for k, x := range pts {
				single.w[k], single.bound[k], single.on[k] = p.Winding(x, &sc)
			}
			want.same(t, s.name+", single calls", single, pts)
			counts := []int{2, 7, 0}
			if testing.Short() {
				counts = []int{7}
			}
			for _, workers := range counts {
				want.same(t, s.name+", workers", windings(t, p, pts, workers), pts)
				opt.Workers = workers
				q := newPlan(t, corners(m), opt)
				want.same(t, s.name+", built by more workers", windings(t, q, pts, 1), pts)
				if len(q.tree.leaves) != len(p.tree.leaves) || q.tree.pairs != p.tree.pairs || q.Budget() != p.Budget() {
					t.Errorf("%s: %d workers build %d leaves with %d pairs, one worker %d with %d", s.name, workers, len(q.tree.leaves), q.tree.pairs, len(p.tree.leaves), p.tree.pairs)
				}
			}
			got, back := windings(t, p, shuffled, 2), newAnswers(len(pts))
			for k, j := range order {
				back.w[j], back.bound[j], back.on[j] = got.w[k], got.bound[k], got.on[k]
			}
			want.same(t, s.name+", shuffled", back, pts)
			// Known points in another order give the same evaluation tree.
			if opt.Points != nil {
				opt.Points = shuffled
				want.same(t, s.name+", built for shuffled points", windings(t, newPlan(t, corners(m), opt), pts, 2), pts)
			}
		}
	}
}

// The test uses batches of more than runPoints points, and of more than batchPoints points.
func TestManyPoints(t *testing.T) {
	m := testmesh.Mesh(testmesh.Torus(2, 0.5, 24, 12))
	p := newPlan(t, corners(m), Options{ExpectedPoints: 1e6})
	few := spots(m, 500, 3)
	pts := make([]r3.Vector, rounds(3*runPoints+1000, batchPoints+70_000))
	for i := range pts {
		pts[i] = few[i%len(few)]
	}
	want, got := windings(t, p, few, 1), windings(t, p, pts, 2)
	all := newAnswers(len(pts))
	for i := range pts {
		k := i % len(few)
		all.w[i], all.bound[i], all.on[i] = want.w[k], want.bound[k], want.on[k]
	}
	all.same(t, "torus", got, pts)
}

// WindingsTo accepts empty batches, and it panics if the slices differ in length.
func TestWindingsToLengths(t *testing.T) {
	p := newPlan(t, corners(testmesh.Mesh(testmesh.UnitCube())), Options{})
	if err := p.WindingsTo(t.Context(), nil, nil, nil, nil, 3); err != nil {
		t.Error(err)
	}
	for _, n := range [][3]int{{1, 2, 2}, {2, 1, 2}, {2, 2, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("lengths %v for 2 points: got no panic, want one", n)
				}
			}()
			_ = p.WindingsTo(t.Context(), make([]float64, n[0]), make([]float64, n[1]), make([]bool, n[2]), make([]r3.Vector, 2), 1)
		}()
	}
}

// fuse is a context that ends after a given number of calls of Err.
type fuse struct {
	context.Context
	left atomic.Int64
}

func newFuse(n int64) *fuse {
	f := &fuse{Context: context.Background()}
	f.left.Store(n)
	return f
}

func (f *fuse) Err() error {
	if f.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// If the context has ended, New, Refine and WindingsTo return the error of the context. Points
// without an answer have w = NaN and bound = +Inf. The answers for other points are correct.
func TestCancellation(t *testing.T) {
	m := foam(t, 12)
	tris := corners(m)
	pts := spots(m, 2000, 9)
	whole := newPlan(t, tris, Options{ExpectedPoints: 1e5})
	want := windings(t, whole, pts, 1)
	built := false
	for n := int64(0); n < 1<<14 && !built; n = 2*n + 1 {
		for _, workers := range []int{1, 3} {
			p, err := New(newFuse(n), tris, Options{ExpectedPoints: 1e5, Workers: workers})
			switch {
			case err == nil:
				want.same(t, "built within the time", windings(t, p, pts, 1), pts)
				built = true
			case !errors.Is(err, context.Canceled) || p != nil:
				t.Fatalf("New after %d checks of the context: error %v, plan returned: %v", n, err, p != nil)
			}
		}
	}
	if !built {
		t.Error("New never succeeds")
	}
	if p, err := New(newFuse(0), nil, Options{}); err == nil {
		t.Errorf("New without triangles after the end of the context: got no error, plan returned: %v", p != nil)
	}
	for n := int64(0); n < 8; n++ {
		if q, err := whole.Refine(newFuse(n), 1e7); !errors.Is(err, context.Canceled) || q != nil {
			t.Errorf("Refine after %d checks of the context: error %v, want context.Canceled", n, err)
		}
	}
	answered := map[bool]int{}
	for n := int64(0); n < 1000; n = 2*n + 1 {
		got := newAnswers(len(pts))
		err := whole.WindingsTo(newFuse(n), got.w, got.bound, got.on, pts, 2)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for i := range pts {
			done := math.Float64bits(got.w[i]) == math.Float64bits(want.w[i]) && got.bound[i] == want.bound[i] && got.on[i] == want.on[i]
			none := math.IsNaN(got.w[i]) && math.IsInf(got.bound[i], 1) && !got.on[i]
			if !done && (!none || err == nil) {
				t.Fatalf("after %d looks at the context, error %v: %v ± %v on=%v, want %v ± %v on=%v", n, err, got.w[i], got.bound[i], got.on[i], want.w[i], want.bound[i], want.on[i])
			}
			answered[done]++
		}
	}
	if answered[true] == 0 || answered[false] == 0 {
		t.Errorf("%d answers and %d points without one, want some of both", answered[true], answered[false])
	}
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	if _, err := New(ctx, tris, Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("New after its deadline: error %v, want %v", err, context.DeadlineExceeded)
	}
}

// Winding allocates nothing for points in leaves. For other points, it allocates only until the
// stack in its Scratch is large enough.
func TestWindingDoesNotAllocate(t *testing.T) {
	m := testmesh.Sphere(4)
	for _, opt := range []Options{{Epsilon: 4e-3}, {Epsilon: 1e-6, Depth: 3}, {Epsilon: 1e-8, ExpectedPoints: 1000}, {Points: []r3.Vector{}}} {
		p := newPlan(t, corners(m), opt)
		var s Scratch
		kinds := map[bool]int{}
		for _, x := range []r3.Vector{
			{}, {X: 0.5, Y: 0.3, Z: 0.1}, {X: 0.99, Y: 0.01, Z: 0.02}, {X: -1.01, Y: 0.1}, {X: 3, Y: 4, Z: 5}, {X: 1.3, Y: 1.3, Z: 1.3}, {X: 1e9}, {X: math.NaN()},
		} {
			if vec.Finite(x) {
				_, leaf := p.tree.find(x)
				kinds[leaf]++
			}
			p.Winding(x, &s)
			if n := testing.AllocsPerRun(20, func() { p.Winding(x, &s) }); n != 0 {
				t.Errorf("%s, at %v: %g allocations, want 0", optionText(opt), x, n)
			}
		}
		if kinds[false] == 0 || opt.Points == nil && kinds[true] == 0 {
			t.Errorf("%s: %d points in leaves, %d outside, want some of both", optionText(opt), kinds[true], kinds[false])
		}
	}
}

func TestScratchCounts(t *testing.T) {
	m := testmesh.Sphere(3)
	p := newPlan(t, corners(m), Options{Depth: 3})
	for _, x := range spots(m, 200, 4) {
		if !vec.Finite(x) {
			continue
		}
		var s Scratch
		p.Winding(x, &s)
		i, ok := p.tree.find(x)
		if !ok {
			continue
		}
		l := p.tree.leaves[i]
		seen := 0
		for _, span := range p.tree.spans[l.spans : l.spans+l.count] {
			for id := range p.src.nodes {
				n := &p.src.nodes[id]
				if n.kids == 0 && n.block >= span.First && n.block < span.First+span.Count {
					seen += int(n.hi - n.lo)
				}
			}
		}
		if int(s.Near) != seen {
			t.Fatalf("at %v: counted %d triangles, want %d", x, s.Near, seen)
		}
	}
}

// Many goroutines use one plan while others refine it.
func TestConcurrent(t *testing.T) {
	m := testmesh.Mesh(cutUp(foam(t, 10), 2, 8))
	p := newPlan(t, corners(m), Options{Epsilon: 1e-4, ExpectedPoints: 100})
	pts := spots(m, 300, 6)
	want := windings(t, p, pts, 1)
	exact := reference(t, m, pts)
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			if g%3 == 2 {
				q, err := p.Refine(context.Background(), float64(1000*g))
				if err != nil {
					t.Error(err)
					return
				}
				check(t, "refined", 1e-4, windings(t, q, pts, 2), exact, pts)
				return
			}
			if g%3 == 1 {
				want.same(t, "many workers", windings(t, p, pts, 3), pts)
				return
			}
			var s Scratch
			for i, x := range pts {
				w, bound, on := p.Winding(x, &s)
				if math.Float64bits(w) != math.Float64bits(want.w[i]) || bound != want.bound[i] && !math.IsInf(bound, 1) || on != want.on[i] {
					t.Errorf("at %v: %v ± %v on=%v, want %v ± %v on=%v", x, w, bound, on, want.w[i], want.bound[i], want.on[i])
					return
				}
			}
		})
	}
	wg.Wait()
}
