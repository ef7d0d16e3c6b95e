package dem

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

var full = os.Getenv("INPOLY_FULL") == "1"

func brute() neighbor.Method[neighbor.Sphere] { return neighbor.NewBruteForce[neighbor.Sphere]() }

// headOn returns two balls with the radii 1 and ratio. The gap between the balls is .01, and the
// balls approach each other with speed 1.
func headOn(ratio float64) SphereScene {
	return SphereScene{
		Balls: []neighbor.Sphere{
			{Center: r3.Vector{X: -1.005, Y: 3, Z: -2}, Radius: 1},
			{Center: r3.Vector{X: ratio + .005, Y: 3, Z: -2}, Radius: ratio},
		},
		Velocities: []r3.Vector{{X: .75}, {X: -.25}},
	}
}

func TestSpheresHeadOn(t *testing.T) {
	for _, row := range []struct {
		name           string
		ratio, damping float64
	}{
		{"equal, elastic", 1, 0}, {"unequal, elastic", 3, 0},
		{"equal, weakly damped", 1, 10}, {"unequal, strongly damped", .5, 20},
	} {
		t.Run(row.name, func(t *testing.T) {
			const k = 1000.
			o := Options{TimeStep: 1e-5, Stiffness: k, Damping: row.damping, Workers: 1}
			w := newSpheres(t, headOn(row.ratio), brute(), o)
			reduced := w.Mass(0) * w.Mass(1) / (w.Mass(0) + w.Mass(1))
			before := w.Momentum()
			touched := 0
			for touched == 0 || len(w.touching()) > 0 {
				walk(t, w, 1)
				touched += len(w.touching())
				if w.Time() > 2 {
					t.Fatal("the balls do not part")
				}
			}
			want := ContactTime(reduced, k, row.damping)
			if got := float64(touched) * o.TimeStep; math.Abs(got-want) > 2*o.TimeStep {
				t.Errorf("contact lasts %v, want %v ± 2 steps", got, want)
			}
			v := w.Velocities()
			// The last force of the contact is damping times speed. The contact ends between two
			// steps. So the error of the velocity is at most about the effect of this force during
			// one step.
			tolerance := 1e-7 + 2*row.damping/reduced*o.TimeStep
			if got, want := v[1].X-v[0].X, Restitution(reduced, k, row.damping); math.Abs(got-want) > tolerance {
				t.Errorf("restitution %v, want %v ± %v", got, want, tolerance)
			}
			if got := w.Momentum(); got.Sub(before).Norm() > 1e-12*before.Norm()+1e-12 {
				t.Errorf("momentum %v, want %v", got, before)
			}
			if v[0].Y != 0 || v[1].Z != 0 {
				t.Errorf("velocities %v leave the line of the centers", v)
			}
		})
	}
}

// TestSpheresOrder lets a ball oscillate between two walls. The ball always overlaps both walls.
// The equation m·x″ = −2k·x − 2·damping·x′ has a known solution. The error must be proportional to
// the square of the time step.
func TestSpheresOrder(t *testing.T) {
	for _, damping := range []float64{0, 2} {
		const k, end = 100., 2.
		var errs []float64
		for _, steps := range []int{200, 400, 800, 1600, 3200} {
			s := SphereScene{
				Balls: []neighbor.Sphere{{Center: r3.Vector{X: .1}, Radius: 1}},
				Walls: bvh.Box{Min: r3.Vector{X: -.8, Y: -9, Z: -9}, Max: r3.Vector{X: .8, Y: 9, Z: 9}},
			}
			w := newSpheres(t, s, brute(), Options{TimeStep: end / float64(steps), Stiffness: k, Damping: damping})
			walk(t, w, steps)
			m := w.Mass(0)
			rate := damping / m
			omega := math.Sqrt(2*k/m - rate*rate)
			want := .1 * math.Exp(-rate*end) * (math.Cos(omega*end) + rate/omega*math.Sin(omega*end))
			errs = append(errs, math.Abs(w.Balls()[0].Center.X-want))
		}
		if got := slope(errs); math.Abs(got-2) > .1 {
			t.Errorf("damping %v: order %.3f, want 2; errors %v", damping, got, errs)
		}
	}
}

// TestSpheresBallInBox lets a ball bounce between walls. A period consists of two flights and two
// contacts.
func TestSpheresBallInBox(t *testing.T) {
	const k, v, r, periods = 1000., 1., .5, 5
	s := SphereScene{
		Balls:      []neighbor.Sphere{{Center: r3.Vector{X: 1, Y: 1, Z: 1}, Radius: r}},
		Velocities: []r3.Vector{{X: v}},
		Walls:      bvh.Box{Max: r3.Vector{X: 2, Y: 2, Z: 2}},
	}
	o := Options{TimeStep: 1e-4, Stiffness: k}
	w := newSpheres(t, s, brute(), o)
	period := 2*(2-2*r)/v + 2*ContactTime(w.Mass(0), k, 0)
	walk(t, w, int(math.Round(periods*period/o.TimeStep)))
	offset := w.Time() - periods*period
	if got, want := w.Balls()[0].Center.X, 1+v*offset; math.Abs(got-want) > 1e-4 {
		t.Errorf("after %d periods at %v, want %v", periods, got, want)
	}
	if got := w.Velocities()[0].X; math.Abs(got-v) > 1e-5 {
		t.Errorf("after %d periods with the velocity %v, want %v", periods, got, v)
	}
}

func TestSpheresFall(t *testing.T) {
	g := r3.Vector{X: 1, Y: -2, Z: -9.8125}
	s := SphereScene{Balls: []neighbor.Sphere{{Radius: 1}, {Center: r3.Vector{X: 5}, Radius: 2}}, Gravity: g}
	w := newSpheres(t, s, brute(), Options{TimeStep: 1. / 1024, Stiffness: 1})
	before := w.Energy().Total()
	walk(t, w, 1024)
	for i, b := range w.Balls() {
		want := s.Balls[i].Center.Add(g.Mul(.5))
		if b.Center.Sub(want).Norm() > 1e-12 {
			t.Errorf("ball %d fell to %v, want %v", i, b.Center, want)
		}
	}
	if got := w.Energy().Total(); math.Abs(got-before) > 1e-9 {
		t.Errorf("energy %v, want %v", got, before)
	}
}

// TestSpheresStoermer compares positions with x(t+h) = 2x(t) − x(t−h) + h²·F/m, the formula of
// Muth, Müller, Eberhard, Luding 2007. The test computes the forces F from all pairs.
func TestSpheresStoermer(t *testing.T) {
	s := gas(5, 7)
	w := newSpheres(t, s, brute(), gasOptions)
	h := gasOptions.TimeStep
	acceleration := func(x []r3.Vector) []r3.Vector {
		a := make([]r3.Vector, len(x))
		for i := range x {
			var f r3.Vector
			for j := range x {
				d := x[i].Sub(x[j])
				if o := s.Balls[i].Radius + s.Balls[j].Radius - d.Norm(); i != j && o > 0 {
					f = f.Add(d.Normalize().Mul(gasOptions.Stiffness * o))
				}
			}
			r := s.Balls[i].Radius
			side := s.Walls.Max.X
			f.X += gasOptions.Stiffness * (max(0, r-x[i].X) - max(0, x[i].X+r-side))
			f.Y += gasOptions.Stiffness * (max(0, r-x[i].Y) - max(0, x[i].Y+r-side))
			f.Z += gasOptions.Stiffness * (max(0, r-x[i].Z) - max(0, x[i].Z+r-side))
			a[i] = f.Mul(1 / (4 * math.Pi / 3 * r * r * r * gasOptions.Density))
		}
		return a
	}
	n := len(s.Balls)
	x, old := make([]r3.Vector, n), make([]r3.Vector, n)
	for i := range s.Balls {
		x[i] = s.Balls[i].Center
	}
	a := acceleration(x)
	for i := range x {
		old[i] = x[i].Sub(s.Velocities[i].Mul(h)).Add(a[i].Mul(h * h / 2))
	}
	const steps = 1000
	contacts := 0
	for range steps {
		a := acceleration(x)
		for i := range x {
			x[i], old[i] = x[i].Mul(2).Sub(old[i]).Add(a[i].Mul(h*h)), x[i]
		}
		walk(t, w, 1)
		contacts += len(w.touching())
	}
	if contacts < 2*steps {
		t.Fatalf("%d contacts in %d steps: the test compares nothing", contacts, steps)
	}
	for i, b := range w.Balls() {
		// The sides of the box are 6e-3 long, so the rounding error of a coordinate is below 1e-18.
		// The formula of the test stores no velocities. Its errors grow with the square of the number
		// of steps.
		if d := b.Center.Sub(x[i]).Norm(); d > 1e-12 {
			t.Fatalf("ball %d at %v, want %v: off by %g", i, b.Center, x[i], d)
		}
	}
}

func TestSpheresEnergyAndMomentum(t *testing.T) {
	n, steps := 10, 1500
	if full {
		n, steps = 22, 10_000
	}
	w := newSpheres(t, gas(n, 1), fast[neighbor.Sphere](1), gasOptions)
	before := w.Energy().Total()
	worst, contacts := 0., 0
	for i := range steps {
		walk(t, w, 1)
		contacts += len(w.touching())
		if i%50 == 0 || i == steps-1 {
			worst = max(worst, math.Abs(w.Energy().Total()/before-1))
		}
	}
	t.Logf("%d balls, %d steps, %.2f contacts a ball: energy off by at most %.2g", n*n*n, steps,
		float64(contacts)/float64(steps*n*n*n), worst)
	if worst > 1e-3 || contacts < steps*n*n {
		t.Errorf("energy off by %g, want at most 1e-3; %d contacts", worst, contacts)
	}

	s := gas(n, 2)
	s.Walls = bvh.Box{}
	w = newSpheres(t, s, fast[neighbor.Sphere](1), gasOptions)
	start, scale := w.Momentum(), 0.
	for i, v := range w.Velocities() {
		scale += w.Mass(i) * v.Norm()
	}
	walk(t, w, steps)
	// Each step has a few rounding errors of relative size 2^-53, with random signs.
	if d := w.Momentum().Sub(start).Norm(); d > 1e-14*scale*math.Sqrt(float64(steps)) {
		t.Errorf("momentum off by %g of %g", d, scale)
	}
}

func TestSpheresSameForAllMethodsAndWorkers(t *testing.T) {
	s := gas(11, 3)
	for i := range s.Balls {
		s.Balls[i].Radius *= .85 + float64(i%9)/20
	}
	o := gasOptions
	o.Damping = 30
	steps := 150
	switch {
	case full:
		steps = 2000
	case testing.Short():
		steps = 20
	}
	want := uint64(0)
	for _, m := range methods[neighbor.Sphere]() {
		for _, workers := range []int{1, 2, 5} {
			o.Workers = workers
			w := newSpheres(t, s, m.new(workers), o)
			walk(t, w, steps)
			pairs, forces := w.Contacts()
			if len(pairs) < 100 {
				t.Fatalf("%d contacts: the test compares little", len(pairs))
			}
			got := hash(w.Balls(), w.Velocities(), pairs, forces)
			if want == 0 {
				want = got
			} else if got != want {
				t.Errorf("%s, %d workers: hash %x, want %x", m.name, workers, got, want)
			}
		}
	}
}

func TestSpheresBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, row := range []struct {
		name   string
		change func(*SphereScene, *Options)
		want   error
		text   string
	}{
		{"NaN position", func(s *SphereScene, _ *Options) { s.Balls[1].Center.Y = nan }, ErrParticle, "ball 1"},
		{"infinite position", func(s *SphereScene, _ *Options) { s.Balls[0].Center.Z = -inf }, ErrParticle, "ball 0"},
		{"huge position", func(s *SphereScene, _ *Options) { s.Balls[1].Center.Z = 1e300 }, neighbor.ErrBody, "1"},
		{"NaN velocity", func(s *SphereScene, _ *Options) { s.Velocities[1].X = nan }, ErrParticle, "ball 1"},
		{"infinite velocity", func(s *SphereScene, _ *Options) { s.Velocities[1].Z = inf }, ErrParticle, "ball 1"},
		{"zero radius", func(s *SphereScene, _ *Options) { s.Balls[1].Radius = 0 }, ErrParticle, "ball 1"},
		{"negative radius", func(s *SphereScene, _ *Options) { s.Balls[1].Radius = -1 }, ErrParticle, "ball 1"},
		{"absent ball", func(s *SphereScene, _ *Options) { s.Balls[1].Radius = neighbor.Absent() }, ErrParticle, "ball 1"},
		{"NaN radius", func(s *SphereScene, _ *Options) { s.Balls[1].Radius = nan }, ErrParticle, "ball 1"},
		{"radius without mass", func(s *SphereScene, _ *Options) { s.Balls[1].Radius = 1e-120 }, ErrParticle, "ball 1"},
		{"outside the walls", func(s *SphereScene, _ *Options) { s.Walls.Min.X, s.Walls.Max = 0, r3.Vector{X: 9, Y: 9, Z: 9} }, ErrParticle, "ball 0"},
		{"on a wall", func(s *SphereScene, _ *Options) {
			s.Walls = bvh.Box{Min: r3.Vector{X: -9, Y: 3, Z: -9}, Max: r3.Vector{X: 9, Y: 9, Z: 9}}
		}, ErrParticle, "ball 0"},
		{"flat walls", func(s *SphereScene, _ *Options) { s.Walls.Max = r3.Vector{X: 1, Y: 1} }, ErrOptions, "walls"},
		{"NaN walls", func(s *SphereScene, _ *Options) { s.Walls.Max = r3.Vector{X: nan, Y: 1, Z: 1} }, ErrOptions, "walls"},
		{"NaN gravity", func(s *SphereScene, _ *Options) { s.Gravity.Y = nan }, ErrOptions, "gravity"},
		{"same center", func(s *SphereScene, _ *Options) { s.Balls[1].Center = s.Balls[0].Center }, ErrParticle, "balls 0 and 1"},
		{"infinite force of a pair", func(s *SphereScene, o *Options) {
			s.Balls[1].Center.X, o.Stiffness = 0, 1.7e308
			s.Balls[1].Radius = 2
		}, ErrParticle, "the initial force between balls 0 and 1 would be"},
		{"infinite force of the dashpot", func(s *SphereScene, o *Options) {
			s.Balls[1].Center.X = 0
			s.Velocities[0].X, o.Damping = 1e200, 1e200
		}, ErrParticle, "the initial force between balls 0 and 1 would be"},
		{"infinite force of a wall", func(s *SphereScene, o *Options) {
			s.Walls = bvh.Box{Min: r3.Vector{X: -9, Y: 2.9, Z: -9}, Max: r3.Vector{X: 9, Y: 9, Z: 9}}
			s.Balls[0].Radius, s.Balls[1].Center.X, o.Stiffness = 2, 5, 1.7e308
		}, ErrParticle, "ball 0 of mass"},
		{"infinite sum of forces", func(s *SphereScene, o *Options) {
			// Balls 2 and 3 push ball 1 from the left, each with a force of about 1.5e308.
			s.Balls = []neighbor.Sphere{{Radius: 1}, {Center: r3.Vector{Y: 100}, Radius: 1},
				{Center: r3.Vector{X: -.5, Y: 99.9}, Radius: 1}, {Center: r3.Vector{X: -.5, Y: 100.1}, Radius: 1}}
			s.Velocities = nil
			o.Stiffness = 1e308
		}, ErrParticle, "ball 1 of mass"},
		{"mass without a reciprocal", func(s *SphereScene, o *Options) { o.Density = 1e-320 }, ErrParticle, "ball 0 of mass"},
		{"no time step", func(_ *SphereScene, o *Options) { o.TimeStep = 0 }, ErrOptions, "time step"},
		{"negative time step", func(_ *SphereScene, o *Options) { o.TimeStep = -1 }, ErrOptions, "time step"},
		{"NaN time step", func(_ *SphereScene, o *Options) { o.TimeStep = nan }, ErrOptions, "time step"},
		{"no stiffness", func(_ *SphereScene, o *Options) { o.Stiffness = 0 }, ErrOptions, "stiffness"},
		{"negative stiffness", func(_ *SphereScene, o *Options) { o.Stiffness = -1 }, ErrOptions, "stiffness"},
		{"infinite stiffness", func(_ *SphereScene, o *Options) { o.Stiffness = inf }, ErrOptions, "stiffness"},
		{"negative damping", func(_ *SphereScene, o *Options) { o.Damping = -1 }, ErrOptions, "damping"},
		{"NaN damping", func(_ *SphereScene, o *Options) { o.Damping = nan }, ErrOptions, "damping"},
		{"negative density", func(_ *SphereScene, o *Options) { o.Density = -1 }, ErrOptions, "density"},
	} {
		s, o := headOn(1), Options{TimeStep: 1e-3, Stiffness: 1}
		row.change(&s, &o)
		w, err := NewSpheres(t.Context(), s, brute(), o)
		checkError(t, row.name, err, row.want, row.text)
		if w != nil {
			t.Errorf("%s: a world and an error", row.name)
		}
	}
}

func TestSpheresFailedStepChangesNothing(t *testing.T) {
	s := headOn(1)
	s.Walls = bvh.Box{Min: r3.Vector{X: -9, Y: -9, Z: -9}, Max: r3.Vector{X: 9, Y: 9, Z: 9}}
	s.Balls = append(s.Balls, neighbor.Sphere{Center: r3.Vector{Z: 5}, Radius: 1})
	s.Velocities = append(s.Velocities, r3.Vector{Z: 3000})
	state := func(w *Spheres) uint64 {
		pairs, forces := w.Contacts()
		return hash(w.Balls(), w.Velocities(), pairs, forces, w.Steps(), w.Energy())
	}
	w := newSpheres(t, s, brute(), Options{TimeStep: 1e-3, Stiffness: 1e3})
	walk(t, w, 1)
	before := state(w)
	checkError(t, "escape", w.Step(t.Context()), ErrParticle, "ball 2")
	if state(w) != before {
		t.Error("a failed step has changed the world")
	}

	// In a time step of 1000, ball 0 moves by 1 and overlaps ball 1 by .1. Then the stiff spring
	// makes the velocity infinite.
	w = newSpheres(t, SphereScene{
		Balls:      []neighbor.Sphere{{Radius: 1}, {Center: r3.Vector{X: 2.9}, Radius: 1}},
		Velocities: []r3.Vector{{X: 1e-3}, {}},
	}, brute(), Options{TimeStep: 1000, Stiffness: 1e308})
	before = state(w)
	checkError(t, "infinite velocity", w.Step(t.Context()), ErrParticle, "ball 0 would get the velocity")
	if state(w) != before {
		t.Error("a failed step has changed the world")
	}

	s = gas(9, 4)
	w = newSpheres(t, s, brute(), gasOptions)
	twin := newSpheres(t, s, brute(), gasOptions)
	walk(t, w, 3)
	before = state(w)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Step(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	for _, after := range []int{1, 2, 3, 5} {
		if err := w.Step(&doneAfter{Context: t.Context(), calls: after}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
		if state(w) != before {
			t.Errorf("a step that ended after %d checks has changed the world", after)
		}
	}
	walk(t, w, 3)
	walk(t, twin, 6)
	if state(w) != state(twin) {
		t.Error("failed steps have changed later ones")
	}
}

func TestSpheresStepsWithoutMemory(t *testing.T) {
	w := newSpheres(t, gas(6, 5), brute(), gasOptions)
	walk(t, w, 400)
	if allocs := testing.AllocsPerRun(50, func() {
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations a step, want none", allocs)
	}
}

// TestSpheresScale doubles all lengths and multiplies the stiffness by eight. All results must be
// exactly twice as large.
func TestSpheresScale(t *testing.T) {
	s, o := gas(5, 8), gasOptions
	s.Gravity = r3.Vector{X: .01, Y: -.3, Z: .2}
	o.Damping = 20
	twice, p := s, o
	twice.Balls, twice.Velocities = slices.Clone(s.Balls), slices.Clone(s.Velocities)
	for i := range s.Balls {
		twice.Balls[i].Center = s.Balls[i].Center.Mul(2)
		twice.Balls[i].Radius *= 2
		twice.Velocities[i] = s.Velocities[i].Mul(2)
	}
	twice.Walls.Max, twice.Gravity = s.Walls.Max.Mul(2), s.Gravity.Mul(2)
	p.Stiffness, p.Damping = 8*o.Stiffness, 8*o.Damping
	w, v := newSpheres(t, s, brute(), o), newSpheres(t, twice, brute(), p)
	walk(t, w, 1000)
	walk(t, v, 1000)
	if len(w.touching()) < 10 {
		t.Fatalf("%d contacts: the test says little", len(w.touching()))
	}
	for i, b := range w.Balls() {
		if v.Balls()[i].Center != b.Center.Mul(2) || v.Velocities()[i] != w.Velocities()[i].Mul(2) {
			t.Fatalf("ball %d at %v, want twice %v", i, v.Balls()[i].Center, b.Center)
		}
	}
}

func TestSpheresKeepTheirOwn(t *testing.T) {
	s := headOn(1)
	w := newSpheres(t, s, brute(), Options{TimeStep: 1e-3, Stiffness: 1})
	want := slices.Clone(w.Balls())
	s.Balls[0].Center.X, s.Velocities[0].X = 7, 7
	if !slices.Equal(w.Balls(), want) || w.Velocities()[0].X != .75 {
		t.Error("the world shares memory with the scene")
	}
}
