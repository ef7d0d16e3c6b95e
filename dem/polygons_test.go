package dem

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// TestPolygonsHeadOn lets edges of two rectangles collide. The contact must behave like a linear
// spring. The spring constant must be k times the length of the edges.
func TestPolygonsHeadOn(t *testing.T) {
	for _, damping := range []float64{0, 3} {
		const k, side, h = 1000., 2., 1e-5
		s := PolygonScene{Polygons: []Polygon{
			{Shape: rectangle(t, 1, side), Pose: polygon.Pose{At: r2.Point{X: 4, Y: 3}}, Velocity: r2.Point{X: -.5}},
			{Shape: rectangle(t, 3, side), Pose: polygon.Pose{At: r2.Point{X: .995, Y: 3}}, Velocity: r2.Point{X: .5}},
		}}
		w := newPolygons(t, s, bruteRects(), Options{TimeStep: h, Stiffness: k, Damping: damping, Density: 2, Workers: 1})
		m0, _ := w.Mass(0)
		m1, _ := w.Mass(1)
		if m0 != 4 || m1 != 12 {
			t.Fatalf("masses %v, %v, want 4, 12", m0, m1)
		}
		touched := 0
		for touched == 0 || len(w.Contacts()) > 0 {
			walk(t, w, 1)
			if c := w.Contacts(); len(c) > 0 {
				touched++
				if f := c[0].Force; math.Abs(f.Y) > 1e-12*math.Abs(f.X) || c[0].At.Y != 4 {
					t.Fatalf("force %v at %v, want it along x at y = 4", f, c[0].At)
				}
			}
			if w.Time() > 2 {
				t.Fatal("the squares do not part")
			}
		}
		want := ContactTime(3, k*side, damping*side)
		if got := float64(touched) * h; math.Abs(got-want) > 2*h {
			t.Errorf("damping %v: contact lasts %v, want %v ± 2 steps", damping, got, want)
		}
		v0, spin0 := w.Velocity(0)
		v1, _ := w.Velocity(1)
		tolerance := 1e-6 + 2*damping*side/3*h
		if got, want := v0.X-v1.X, Restitution(3, k*side, damping*side); math.Abs(got-want) > tolerance {
			t.Errorf("damping %v: restitution %v, want %v ± %g", damping, got, want, tolerance)
		}
		if math.Abs(spin0) > 1e-12 {
			t.Errorf("spin %v, want none", spin0)
		}
		if p, _ := w.Momentum(); math.Abs(p.X-4) > 1e-12 || math.Abs(p.Y) > 1e-12 {
			t.Errorf("momentum %v, want (4, 0)", p)
		}
	}
}

// TestPolygonsCornerOnEdge checks the force of a corner on an edge, for edges of several
// directions. The force must be at a right angle to the edge. It must act at the centroid of the
// triangle behind the edge.
func TestPolygonsCornerOnEdge(t *testing.T) {
	for _, angle := range []float64{0, .3, 1, math.Pi / 2, 2.5, -2} {
		turn := func(x, y float64) r2.Point {
			sin, cos := math.Sincos(angle)
			return r2.Point{X: cos*x - sin*y, Y: sin*x + cos*y}
		}
		// Before the rotation, the corner of the second polygon lies .1 below the upper edge of the
		// square. The edges at this corner have the slopes 1 and −2.
		s := PolygonScene{Polygons: []Polygon{
			{Shape: rectangle(t, 8, 8), Pose: polygon.Pose{At: turn(-3, -8), Angle: angle}, Fixed: true},
			{Shape: shape(t, r2.Point{}, r2.Point{X: 2, Y: 2}, r2.Point{X: -1, Y: 2}), Pose: polygon.Pose{At: turn(0, -.1), Angle: angle}},
		}}
		const k = 700.
		w := newPolygons(t, s, bruteRects(), Options{TimeStep: 1e-3, Stiffness: k, Workers: 1})
		if len(w.Contacts()) != 1 {
			t.Fatalf("angle %v: %d contacts, want 1", angle, len(w.Contacts()))
		}
		c := w.Contacts()[0]
		const area = .1 * .15 / 2
		want := turn(0, k*area)
		if c.Force.Sub(want).Norm() > 1e-12*k*area*1e2 {
			t.Errorf("angle %v: force %v, want %v", angle, c.Force, want)
		}
		if at := turn((.1-.05)/3, -.1/3); c.At.Sub(at).Norm() > 1e-13 {
			t.Errorf("angle %v: force at %v, want %v", angle, c.At, at)
		}
	}
}

// TestPolygonsRoll throws a polygon on the floor. The polygon slides and rocks from corner to
// corner without friction. The force of the wall has a potential, so energy and horizontal momentum
// must be conserved.
func TestPolygonsRoll(t *testing.T) {
	for _, corners := range []int{3, 4, 6, 17} {
		s := PolygonScene{
			Polygons: []Polygon{{Shape: regular(t, corners, 1), Pose: polygon.Pose{At: r2.Point{X: 3, Y: 1.2}, Angle: .1},
				Velocity: r2.Point{X: .5}, Spin: 2}},
			Walls:   neighbor.Rect{Max: r2.Point{X: math.Inf(1), Y: math.Inf(1)}},
			Gravity: r2.Point{Y: -10},
		}
		const end = 6.
		var errs []float64
		for _, steps := range []int{6000, 24_000} {
			w := newPolygons(t, s, bruteRects(), Options{TimeStep: end / float64(steps), Stiffness: 2e4, Workers: 1})
			before := w.Energy()
			worst, bottom, spins := 0., math.Inf(1), 0.
			for range steps {
				walk(t, w, 1)
				e := w.Energy()
				worst = max(worst, math.Abs(e.Total()/before.Total()-1))
				bottom = min(bottom, w.Center(0).Y)
				spins = max(spins, e.Rotational)
			}
			errs = append(errs, worst)
			if p, _ := w.Momentum(); math.Abs(p.X-.5*w.mass[0]) > 1e-10 {
				t.Errorf("%d corners: horizontal momentum %v, want %v", corners, p.X, .5*w.mass[0])
			}
			if bottom > 1.05 || spins < 2*before.Rotational/3 {
				t.Errorf("%d corners: it has not met the floor: lowest %v", corners, bottom)
			}
		}
		t.Logf("%d corners: energy off by at most %.2g", corners, errs)
		if errs[0] > 1e-4 || errs[1] > errs[0]/4 {
			t.Errorf("%d corners: energy off by %g, want at most 1e-4, and much less with a quarter of the step", corners, errs)
		}
	}
}

// TestWallsLikePolygons compares the part of a polygon behind a wall with the overlap of the
// polygon and a large rectangle.
func TestWallsLikePolygons(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	big := rectangle(t, 100, 100)
	walls := wallsOf(wallBox(neighbor.Rect{Max: r2.Point{X: 10, Y: 20}}))
	place := func(s *polygon.Shape, p polygon.Pose) polygon.Body {
		b, err := polygon.Place(s, p)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	behind := []polygon.Body{
		place(big, polygon.Pose{At: r2.Point{X: -100, Y: -50}}), place(big, polygon.Pose{At: r2.Point{X: 10, Y: -50}}),
		place(big, polygon.Pose{At: r2.Point{X: -50, Y: -100}}), place(big, polygon.Pose{At: r2.Point{X: -50, Y: 20}}),
	}
	met := 0
	for range 3000 {
		b := place(random(t, rng, 3+rng.IntN(9), 2), polygon.Pose{
			At: r2.Point{X: 12*rng.Float64() - 1, Y: 22*rng.Float64() - 1}, Angle: 7 * rng.Float64()})
		for i, w := range walls {
			var pair polygon.Pair
			want := pair.Overlap(&behind[i], &b)
			got := w.clip(&b)
			if want.Area > 0 {
				met++
			}
			if math.Abs(got.area-want.Area) > 1e-12 || math.Abs(got.width-length(want.Chord)) > 1e-12 {
				t.Fatalf("wall %d: area %v and width %v, want %v and %v", i, got.area, got.width, want.Area, length(want.Chord))
			}
			if want.Area > 1e-3 && got.centroid.Sub(want.Centroid).Norm() > 1e-9 {
				t.Fatalf("wall %d: centroid %v, want %v", i, got.centroid, want.Centroid)
			}
			var box neighbor.Rect
			box.Min, box.Max = b.Bounds()
			if got.area > 0 && !w.reached(box) {
				t.Fatalf("wall %d: area %v, but the box does not reach it", i, got.area)
			}
		}
	}
	if met < 1000 {
		t.Fatalf("%d bodies behind walls: the test compares little", met)
	}
}

func TestPolygonsMomentum(t *testing.T) {
	s := rubble(t, 8, .8, 1)
	s.Walls = neighbor.Rect{}
	w := newPolygons(t, s, fast[neighbor.Rect](1), rubbleOptions)
	p, l := w.Momentum()
	scale, before := 0., w.Energy()
	for i := range w.Len() {
		v, _ := w.Velocity(i)
		scale += w.mass[i] * (v.Norm() + w.inertia[i])
	}
	contacts := 0
	const steps = 2000
	for range steps {
		walk(t, w, 1)
		contacts += len(w.Contacts())
	}
	if contacts < 3*steps {
		t.Fatalf("%d contacts: the test says little", contacts)
	}
	q, m := w.Momentum()
	// Each step has some rounding errors of relative size 2^-53.
	if d := q.Sub(p).Norm(); d > 1e-14*scale*math.Sqrt(steps) {
		t.Errorf("momentum off by %g of %g", d, scale)
	}
	// The corrector moves a polygon after its forces were computed. Therefore the error of angular
	// momentum depends on the order of the integrator.
	if d := math.Abs(m - l); d > 1e-6*scale {
		t.Errorf("angular momentum off by %g of %g", d, scale)
	}
	t.Logf("energy of %d polygons %.4g, after %d steps %.4g", w.Len(), before.Total(), steps, w.Energy().Total())
	if e := w.Energy().Total() / before.Total(); math.Abs(e-1) > .05 {
		t.Errorf("energy is %v of what it was", e)
	}
}

// TestPolygonsComeToRest lets a column of blocks fall down a shaft. With damping the blocks must
// come to rest, and the floor must carry their weight. Without friction, a heap without a shaft would
// slide for a long time.
func TestPolygonsComeToRest(t *testing.T) {
	s := PolygonScene{Walls: neighbor.Rect{Max: r2.Point{X: 2, Y: 20}}, Gravity: r2.Point{Y: -10}}
	for i := range 5 {
		s.Polygons = append(s.Polygons, Polygon{Shape: rectangle(t, 1.6+.05*float64(i), 1),
			Pose: polygon.Pose{At: r2.Point{X: .2, Y: .2 + 1.3*float64(i)}, Angle: .03 * float64(i%3-1)}})
	}
	w := newPolygons(t, s, bruteRects(), Options{TimeStep: 2e-4, Stiffness: 2e4, Damping: 100, Workers: 1})
	walk(t, w, 30_000)
	e := w.Energy()
	weight, carried := 0., 0.
	floor := wallsOf(w.walls)[2]
	for i := range w.Len() {
		weight += 10 * w.mass[i]
		carried += 2e4 * floor.clip(&w.now.bodies[i]).area
	}
	t.Logf("energy %+v; weight %.6g, carried %.6g", e, weight, carried)
	if e.Kinetic+e.Rotational > 1e-5*e.Potential {
		t.Errorf("energy %+v: they still move", e)
	}
	if math.Abs(carried/weight-1) > 1e-2 {
		t.Errorf("the floor carries %v, want %v", carried, weight)
	}
}

func TestPolygonsSameForAllMethodsAndWorkers(t *testing.T) {
	s := rubble(t, 26, 1, 3)
	s.Polygons[30].Fixed, s.Polygons[30].Velocity, s.Polygons[30].Spin = true, r2.Point{}, 0
	o := rubbleOptions
	o.Damping = 10
	steps := 50
	switch {
	case full:
		steps = 500
	case testing.Short():
		steps = 10
	}
	want := uint64(0)
	for _, m := range methods[neighbor.Rect]() {
		for _, workers := range []int{1, 2, 5} {
			o.Workers = workers
			w := newPolygons(t, s, m.new(workers), o)
			walk(t, w, steps)
			if len(w.Contacts()) < 100 {
				t.Fatalf("%d contacts: the test compares little", len(w.Contacts()))
			}
			if got := polygonHash(w); want == 0 {
				want = got
			} else if got != want {
				t.Errorf("%s, %d workers: hash %x, want %x", m.name, workers, got, want)
			}
			if w.Pose(30) != s.Polygons[30].Pose {
				t.Errorf("the fixed polygon moves")
			}
		}
	}
}

func TestPolygonsBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, row := range []struct {
		name   string
		change func(*PolygonScene, *Options)
		want   error
		text   string
	}{
		{"NaN position", func(s *PolygonScene, _ *Options) { s.Polygons[1].Pose.At.Y = nan }, ErrParticle, "polygon 1"},
		{"NaN position", func(s *PolygonScene, _ *Options) { s.Polygons[1].Pose.At.Y = nan }, polygon.ErrPose, "polygon 1"},
		{"infinite angle", func(s *PolygonScene, _ *Options) { s.Polygons[2].Pose.Angle = inf }, ErrParticle, "polygon 2"},
		{"NaN velocity", func(s *PolygonScene, _ *Options) { s.Polygons[3].Velocity.X = nan }, ErrParticle, "polygon 3"},
		{"infinite spin", func(s *PolygonScene, _ *Options) { s.Polygons[3].Spin = -inf }, ErrParticle, "polygon 3"},
		{"no shape", func(s *PolygonScene, _ *Options) { s.Polygons[2].Shape = nil }, ErrParticle, "polygon 2"},
		{"outside the walls", func(s *PolygonScene, _ *Options) { s.Polygons[4].Pose.At.X = -5 }, ErrParticle, "polygon 4"},
		{"fixed, moving", func(s *PolygonScene, _ *Options) { s.Polygons[4].Fixed = true }, ErrParticle, "polygon 4"},
		{"one inside another", func(s *PolygonScene, _ *Options) {
			s.Polygons[1] = Polygon{Shape: rectangle(t, .01, .01), Pose: polygon.Pose{At: r2.Point{X: 1, Y: 1}}}
		}, ErrParticle, "polygons 0 and 1"},
		{"no mass", func(s *PolygonScene, o *Options) {
			s.Polygons[1].Shape, o.Density = rectangle(t, 1e-60, 1e-60), 1e-250
		}, ErrParticle, "polygon 1"},
		{"flat walls", func(s *PolygonScene, _ *Options) { s.Walls.Max = r2.Point{X: 1} }, ErrOptions, "walls"},
		{"NaN gravity", func(s *PolygonScene, _ *Options) { s.Gravity.X = nan }, ErrOptions, "gravity"},
		{"infinite force of a pair", func(s *PolygonScene, o *Options) {
			s.Walls, o.Stiffness = neighbor.Rect{}, 1e308
			s.Polygons[0] = Polygon{Shape: rectangle(t, 10, 10), Pose: polygon.Pose{At: r2.Point{X: 100}}}
			s.Polygons[1] = Polygon{Shape: rectangle(t, 10, 10), Pose: polygon.Pose{At: r2.Point{X: 105, Y: 1}}}
		}, ErrParticle, "the initial force between polygons 0 and 1 would be"},
		{"infinite force of a wall", func(s *PolygonScene, o *Options) {
			s.Walls, o.Stiffness = neighbor.Rect{Min: r2.Point{X: -500, Y: 6}, Max: r2.Point{X: 500, Y: 500}}, 1e308
			s.Polygons = []Polygon{{Shape: rectangle(t, 10, 10), Pose: polygon.Pose{At: r2.Point{X: 100, Y: 3}}}}
		}, ErrParticle, "polygon 0 of mass"},
		{"no time step", func(_ *PolygonScene, o *Options) { o.TimeStep = 0 }, ErrOptions, "time step"},
		{"negative stiffness", func(_ *PolygonScene, o *Options) { o.Stiffness = -1 }, ErrOptions, "stiffness"},
	} {
		s, o := rubble(t, 3, 1, 4), rubbleOptions
		row.change(&s, &o)
		w, err := NewPolygons(t.Context(), s, bruteRects(), o)
		checkError(t, row.name, err, row.want, row.text)
		if w != nil {
			t.Errorf("%s: a world and an error", row.name)
		}
	}
	// polygon.New rejects clockwise corners and shapes that are not convex.
	for _, corners := range [][]r2.Point{
		{{X: 0, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 0}},
		{{X: 0, Y: 0}, {X: 4, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 4}},
	} {
		if _, err := polygon.New(corners); !errors.Is(err, polygon.ErrShape) {
			t.Errorf("corners %v: error %v, want %v", corners, err, polygon.ErrShape)
		}
	}
}

func TestPolygonsFailedStepChangesNothing(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*PolygonScene)
		want   error
		text   string
	}{
		{"escape", func(s *PolygonScene) { s.Polygons[4].Velocity = r2.Point{Y: -1e5} }, ErrParticle, "polygon 4"},
		{"out of range", func(s *PolygonScene) { s.Walls, s.Polygons[4].Velocity = neighbor.Rect{}, r2.Point{Y: -1e65} }, ErrParticle, "polygon 4"},
		{"tunnel", func(s *PolygonScene) {
			s.Polygons[1] = Polygon{Shape: rectangle(t, .01, .01), Pose: polygon.Pose{At: r2.Point{X: 2.5, Y: 1}}, Velocity: r2.Point{X: -1500}}
		}, ErrParticle, "polygons 0 and 1"},
	} {
		s := rubble(t, 4, 1, 6)
		row.change(&s)
		w := newPolygons(t, s, bruteRects(), rubbleOptions)
		before := polygonHash(w)
		checkError(t, row.name, w.Step(t.Context()), row.want, row.text)
		if polygonHash(w) != before {
			t.Errorf("%s: a failed step has changed the world", row.name)
		}
	}
	w := newPolygons(t, rubble(t, 24, 1, 7), bruteRects(), rubbleOptions)
	twin := newPolygons(t, rubble(t, 24, 1, 7), bruteRects(), rubbleOptions)
	walk(t, w, 2)
	before := polygonHash(w)
	for calls := range 7 {
		if err := w.Step(&doneAfter{Context: t.Context(), calls: calls}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
		if polygonHash(w) != before {
			t.Errorf("a step that ended after %d checks has changed the world", calls)
		}
	}
	walk(t, w, 4)
	walk(t, twin, 6)
	if polygonHash(w) != polygonHash(twin) {
		t.Error("failed steps have changed later ones")
	}
}

func TestPolygonsStepsWithoutMemory(t *testing.T) {
	w := newPolygons(t, rubble(t, 10, 1, 8), bruteRects(), rubbleOptions)
	walk(t, w, 300)
	if allocs := testing.AllocsPerRun(50, func() {
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations a step, want none", allocs)
	}
}

// TestPolygonsScale doubles all lengths, the stiffness and the damping. All results must be exactly
// twice as large.
func TestPolygonsScale(t *testing.T) {
	s, o := rubble(t, 5, 1, 10), rubbleOptions
	s.Gravity = r2.Point{X: .1, Y: -3}
	o.Damping = 10
	twice, p := s, o
	twice.Polygons = slices.Clone(s.Polygons)
	for i := range s.Polygons {
		q := &twice.Polygons[i]
		var corners []r2.Point
		for c := range q.Shape.Len() {
			corners = append(corners, q.Shape.Corner(c).Mul(2))
		}
		q.Shape = shape(t, corners...)
		q.Pose.At, q.Velocity = q.Pose.At.Mul(2), q.Velocity.Mul(2)
	}
	twice.Walls.Max, twice.Gravity = s.Walls.Max.Mul(2), s.Gravity.Mul(2)
	p.Stiffness, p.Damping = 2*o.Stiffness, 2*o.Damping
	w, v := newPolygons(t, s, bruteRects(), o), newPolygons(t, twice, bruteRects(), p)
	walk(t, w, 500)
	walk(t, v, 500)
	if len(w.Contacts()) < 5 {
		t.Fatalf("%d contacts: the test says little", len(w.Contacts()))
	}
	for i := range w.Len() {
		if v.Center(i) != w.Center(i).Mul(2) || v.Pose(i).Angle != w.Pose(i).Angle {
			t.Fatalf("polygon %d at %v, want twice %v", i, v.Center(i), w.Center(i))
		}
	}
}

// TestPolygonsRemember checks that a pair retains its closest features while other pairs appear and
// disappear.
func TestPolygonsRemember(t *testing.T) {
	w := newPolygons(t, rubble(t, 12, 1, 9), bruteRects(), rubbleOptions)
	walk(t, w, 200)
	var calls, steps uint64
	for i := range w.now.closest {
		st := w.now.closest[i].Stats()
		calls, steps = calls+st.Calls, steps+st.Steps
	}
	if calls < uint64(50*len(w.now.pairs)) {
		t.Errorf("%d pairs remember %d calls: they forget", len(w.now.pairs), calls)
	}
	if !slices.IsSortedFunc(w.now.pairs, comparePairs) {
		t.Error("pairs are not in order")
	}
	t.Logf("%.2f steps a call", float64(steps)/float64(calls))
}
