package neighbor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// maker has the name and the constructor of a method. The tests run all methods.
type maker[T Body] struct {
	name string
	make func(workers int) Method[T]
}

func methods[T Body]() []maker[T] {
	return []maker[T]{
		{"brute", func(int) Method[T] { return NewBruteForce[T]() }},
		{"grid", func(workers int) Method[T] { return NewHierarchicalGrid[T](GridOptions{Workers: workers}) }},
		{"grid of one level", func(workers int) Method[T] {
			return NewHierarchicalGrid[T](GridOptions{Workers: workers, Sizes: []float64{1}})
		}},
		{"grid of many levels", func(workers int) Method[T] {
			return NewHierarchicalGrid[T](GridOptions{Workers: workers, Sizes: []float64{.1, .2, 1, 1.5, 3, 6, 1e3}})
		}},
		{"linked cell", func(workers int) Method[T] { return NewLinkedCell[T](CellOptions{Workers: workers}) }},
		{"linked cell, tiny cells", func(workers int) Method[T] {
			return NewLinkedCell[T](CellOptions{Workers: workers, CellSize: .1})
		}},
		{"Verlet list", func(workers int) Method[T] { return NewVerletList[T](VerletOptions{Workers: workers}) }},
		{"Verlet list, thin", func(workers int) Method[T] {
			return NewVerletList[T](VerletOptions{Workers: workers, Skin: 1e-9})
		}},
		{"Verlet list, quadratic", func(workers int) Method[T] {
			return NewVerletList[T](VerletOptions{Workers: workers, Skin: .5, Quadratic: true})
		}},
		{"auto", func(workers int) Method[T] { return NewAuto[T](AutoOptions{Workers: workers}) }},
		{"incremental sort", func(workers int) Method[T] { return NewIncrementalSort[T](SortOptions{Workers: workers}) }},
		{"incremental sort, undivided", func(workers int) Method[T] {
			return NewIncrementalSort[T](SortOptions{Workers: workers, Undivided: true})
		}},
		{"incremental sort, many regions", func(workers int) Method[T] {
			return NewIncrementalSort[T](SortOptions{Workers: workers, PerRegion: 4, spread: .5})
		}},
		{"radial sort", func(workers int) Method[T] { return NewRadialSort[T](RadialOptions{Workers: workers}) }},
	}
}

// convert converts the balls of a scene to bodies of type T. Disks and rectangles have no Z. A box
// is as large as its ball. Boxes with odd indices have half that height.
func convert[T Body](scene []Sphere) []T {
	out := make([]T, len(scene))
	for i, s := range scene {
		r := r3.Vector{X: s.Radius, Y: s.Radius, Z: s.Radius}
		if i%2 == 1 {
			r.Y /= 2
		}
		lo, hi := s.Center.Sub(r), s.Center.Add(r)
		var b any
		switch any(&out[i]).(type) {
		case *Disk:
			b = Disk{Center: r2.Point{X: s.Center.X, Y: s.Center.Y}, Radius: s.Radius}
		case *Sphere:
			b = s
		case *Rect:
			b = Rect{Min: r2.Point{X: lo.X, Y: lo.Y}, Max: r2.Point{X: hi.X, Y: hi.Y}}
			if s.Radius == Absent() {
				b = EmptyRect()
			}
		case *bvh.Box:
			b = bvh.Box{Min: lo, Max: hi}
			if s.Radius == Absent() {
				b = bvh.EmptyBox()
			}
		}
		out[i] = b.(T)
	}
	return out
}

func eachKind(t *testing.T, disk func(*testing.T), sphere func(*testing.T), rect func(*testing.T), box func(*testing.T)) {
	t.Run("disks", disk)
	t.Run("spheres", sphere)
	t.Run("rects", rect)
	t.Run("boxes", box)
}

func TestScenes(t *testing.T) {
	eachKind(t, testScenes[Disk], testScenes[Sphere], testScenes[Rect], testScenes[bvh.Box])
}

func testScenes[T Body](t *testing.T) {
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			contacts := runScene(t, methods[T](), s)
			if contacts == 0 && s.contacts {
				t.Error("no body touches another: the scene tests nothing")
			}
		})
	}
}

// TestWorkers runs two steps with more than searchBlock bodies, so that several workers share them.
// The scene is small enough for the race detector.
func TestWorkers(t *testing.T) {
	s := scene{"workers", 2, true, flying(10, 1500, 20, .5, .01)}
	runScene(t, methods[Sphere](), s)
	runScene(t, methods[Rect](), s)
}

// runScene runs the steps of a scene with all methods and compares the pairs with those of brute
// force. It returns the total number of pairs in all steps.
func runScene[T Body](t *testing.T, makers []maker[T], s scene) int {
	t.Helper()
	var runs []Method[T]
	var names []string
	for _, m := range makers {
		for _, workers := range []int{1, 3} {
			runs = append(runs, m.make(workers))
			names = append(names, fmt.Sprintf("%s on %d workers", m.name, workers))
		}
	}
	brute := NewBruteForce[T]()
	contacts := 0
	var before []Pair
	w := s.start()
	for step := range s.steps {
		if step > 0 {
			w.move(step)
		}
		bodies := convert[T](w.bodies)
		if err := brute.Update(t.Context(), bodies); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		want := brute.Pairs()
		contacts += len(want)
		for i, m := range runs {
			if err := m.Update(t.Context(), bodies); err != nil {
				t.Fatalf("%s, step %d: %v", names[i], step, err)
			}
			if got := m.Pairs(); !slices.Equal(got, want) {
				t.Fatalf("%s, step %d: %s", names[i], step, differ(got, want, bodies))
			}
			if tr, ok := m.(Tracker[T]); ok {
				added, removed := tr.Changes()
				wantAdded, wantRemoved := changes(before, want)
				if !slices.Equal(added, wantAdded) || !slices.Equal(removed, wantRemoved) {
					t.Fatalf("%s, step %d: added %v, removed %v; want %v, %v", names[i], step, added, removed, wantAdded, wantRemoved)
				}
			}
		}
		before = slices.Clone(want)
	}
	for i := 0; i < len(runs); i += 2 {
		if a, b := runs[i].Stats(), runs[i+1].Stats(); a != b || a.Steps != uint64(s.steps) {
			t.Errorf("%s: %+v, on 3 workers %+v; want the same and %d steps", names[i], a, b, s.steps)
		}
	}
	return contacts
}

// differ describes the first pair that is in only one of the two lists.
func differ[T Body](got, want []Pair, bodies []T) string {
	added, removed := changes(want, got)
	text := fmt.Sprintf("%d pairs, want %d", len(got), len(want))
	if len(added) > 0 {
		text += fmt.Sprintf("; %v is wrong: %v, %v", added[0], bodies[added[0].A], bodies[added[0].B])
	}
	if len(removed) > 0 {
		text += fmt.Sprintf("; %v is missing: %v, %v", removed[0], bodies[removed[0].A], bodies[removed[0].B])
	}
	if len(added)+len(removed) == 0 {
		text += "; the order or the number of times is wrong"
	}
	return text
}

// changes returns the pairs of b that are not in a, and the pairs of a that are not in b.
func changes(a, b []Pair) (added, removed []Pair) {
	in := func(list []Pair) map[Pair]bool {
		m := make(map[Pair]bool, len(list))
		for _, p := range list {
			m[p] = true
		}
		return m
	}
	inA, inB := in(a), in(b)
	for _, p := range b {
		if !inA[p] {
			added = append(added, p)
		}
	}
	for _, p := range a {
		if !inB[p] {
			removed = append(removed, p)
		}
	}
	return added, removed
}

func TestBadBodies(t *testing.T) {
	eachKind(t,
		func(t *testing.T) {
			testBad(t, []Disk{
				{Radius: 0}, {Radius: -1}, {Radius: math.NaN()}, {Radius: math.Inf(1)}, {Radius: 0x1p-501}, {Radius: 0x1p501},
				{Center: r2.Point{X: math.NaN()}, Radius: 1}, {Center: r2.Point{Y: math.Inf(-1)}, Radius: 1},
				{Center: r2.Point{Y: 0x1p501}, Radius: 1},
			})
		},
		func(t *testing.T) {
			testBad(t, []Sphere{
				{Radius: 0}, {Radius: -1}, {Radius: math.NaN()}, {Radius: math.Inf(1)}, {Radius: 0x1p-501}, {Radius: 0x1p501},
				{Center: r3.Vector{X: math.NaN()}, Radius: 1}, {Center: r3.Vector{Y: math.Inf(-1)}, Radius: 1},
				{Center: r3.Vector{Z: -0x1p501}, Radius: 1},
			})
		},
		func(t *testing.T) {
			testBad(t, []Rect{
				{Min: r2.Point{X: 1}}, {Min: r2.Point{Y: 1}}, {Max: r2.Point{X: math.Inf(1)}}, {Max: r2.Point{Y: math.NaN()}},
				{Min: r2.Point{X: math.NaN()}}, {Max: r2.Point{X: 0x1p501}}, {Min: EmptyRect().Min, Max: r2.Point{}},
			})
		},
		func(t *testing.T) {
			testBad(t, []bvh.Box{
				{Min: r3.Vector{X: 1}}, {Min: r3.Vector{Z: 1}}, {Max: r3.Vector{X: math.Inf(1)}}, {Max: r3.Vector{Y: math.NaN()}},
				{Min: r3.Vector{X: math.NaN()}}, {Max: r3.Vector{Z: 0x1p501}}, {Min: bvh.EmptyBox().Min, Max: r3.Vector{}},
			})
		})
}

func testBad[T Body](t *testing.T, bad []T) {
	s := scenes()[0]
	w := s.start()
	first := convert[T](w.bodies)
	w.move(1)
	second := convert[T](w.bodies)
	for _, m := range methods[T]() {
		method, undisturbed := m.make(1), m.make(1)
		update := func(bodies []T) {
			t.Helper()
			if err := method.Update(t.Context(), bodies); err != nil {
				t.Fatalf("%s: %v", m.name, err)
			}
			if err := undisturbed.Update(t.Context(), bodies); err != nil {
				t.Fatalf("%s: %v", m.name, err)
			}
		}
		same := func() {
			t.Helper()
			if !slices.Equal(method.Pairs(), undisturbed.Pairs()) || method.Stats() != undisturbed.Stats() {
				t.Errorf("%s: an error changed %d pairs, %+v to %d, %+v", m.name,
					len(undisturbed.Pairs()), undisturbed.Stats(), len(method.Pairs()), method.Stats())
			}
			a, ok := method.(Tracker[T])
			if !ok {
				return
			}
			added, removed := a.Changes()
			wantAdded, wantRemoved := undisturbed.(Tracker[T]).Changes()
			if !slices.Equal(added, wantAdded) || !slices.Equal(removed, wantRemoved) {
				t.Errorf("%s: an error changed the changes", m.name)
			}
		}
		update(first)
		for i, b := range bad {
			at := (i * 7) % len(second)
			broken := slices.Clone(second)
			broken[at] = b
			err := method.Update(t.Context(), broken)
			if !errors.Is(err, ErrBody) {
				t.Errorf("%s: %v gives error %v, want %v", m.name, b, err, ErrBody)
			} else if want := fmt.Sprintf("bad body: body %d: ", at); len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
				t.Errorf("%s: error %q, want it to begin with %q", m.name, err, want)
			}
			same()
		}
		for calls := range 12 {
			ctx := &shortContext{Context: t.Context(), calls: calls}
			err := method.Update(ctx, second)
			if err == nil {
				break // the method finished before the context ended
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v, want %v", m.name, err, context.Canceled)
			}
			same()
		}
		// The next step must not depend on anything that a failed step left behind.
		method, undisturbed = m.make(1), m.make(1)
		update(first)
		for calls := range 12 {
			if method.Update(&shortContext{Context: t.Context(), calls: calls}, second) == nil {
				break
			}
		}
		if method.Stats().Steps == 1 {
			update(second)
			same()
		}
	}
}

// shortContext is a context that ends after a given number of calls of Err. Only one goroutine may
// use it.
type shortContext struct {
	context.Context
	calls int
}

func (c *shortContext) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}
