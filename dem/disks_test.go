package dem

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

// planeGas returns n² disks with random velocities on a lattice with spacing 2.2e-3. The radii are
// uniform in [.5, 1.5]·1e-3, as in §3.1 of Muth, Müller, Eberhard, Luding 2007, so some disks
// overlap.
func planeGas(n int, seed uint64) DiskScene {
	const spacing, radius, speed = 2.2e-3, 1e-3, 2.
	rng := rand.New(rand.NewPCG(seed, 1))
	var s DiskScene
	side := spacing * float64(n)
	s.Walls = neighbor.Rect{Max: r2.Point{X: side, Y: side}}
	for i := range n * n {
		s.Disks = append(s.Disks, neighbor.Disk{
			Center: r2.Point{X: float64(i%n) + .5, Y: float64(i/n) + .5}.Mul(spacing), Radius: radius * (.5 + rng.Float64())})
		s.Velocities = append(s.Velocities, r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()}.Mul(speed))
	}
	return s
}

// planeOptions are the options in §3.1 of Muth, Müller, Eberhard, Luding 2007.
var planeOptions = Options{TimeStep: 1e-7, Stiffness: 1e7, Density: 7000, Workers: 1}

func newDisks(t testing.TB, s DiskScene, m neighbor.Method[neighbor.Disk], o Options) *Disks {
	t.Helper()
	w, err := NewDisks(t.Context(), s, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func bruteDisks() neighbor.Method[neighbor.Disk] { return neighbor.NewBruteForce[neighbor.Disk]() }

// TestDisksLikeBallsInAPlane compares disks with balls of the same masses. The centers of the balls
// stay in a plane.
func TestDisksLikeBallsInAPlane(t *testing.T) {
	s := planeGas(12, 1)
	s.Gravity = r2.Point{X: 3, Y: -1000}
	const radius = 1e-3
	twin := SphereScene{Gravity: r3.Vector{X: 3, Y: -1000},
		Walls: bvh.Box{Min: r3.Vector{Z: -1}, Max: r3.Vector{X: s.Walls.Max.X, Y: s.Walls.Max.Y, Z: 1}}}
	for i := range s.Disks {
		s.Disks[i].Radius = radius
		c, v := s.Disks[i].Center, s.Velocities[i]
		twin.Balls = append(twin.Balls, neighbor.Sphere{Center: r3.Vector{X: c.X, Y: c.Y}, Radius: radius})
		twin.Velocities = append(twin.Velocities, r3.Vector{X: v.X, Y: v.Y})
	}
	o := planeOptions
	o.Damping = 50
	w := newDisks(t, s, bruteDisks(), o)
	o.Density /= 4. / 3 * radius
	balls := newSpheres(t, twin, brute(), o)
	const steps = 2000
	contacts := 0
	for range steps {
		walk(t, w, 1)
		walk(t, balls, 1)
		pairs, _ := w.Contacts()
		contacts += len(pairs)
	}
	if contacts < steps {
		t.Fatalf("%d contacts: the test compares little", contacts)
	}
	for i, d := range w.Disks() {
		c := balls.Balls()[i].Center
		if got := math.Hypot(d.Center.X-c.X, d.Center.Y-c.Y); got > 1e-9*radius {
			t.Fatalf("disk %d at %v, want %v", i, d.Center, c)
		}
	}
	e, f := w.Energy(), balls.Energy()
	for _, p := range [][2]float64{{e.Kinetic, f.Kinetic}, {e.Elastic, f.Elastic}, {e.Potential, f.Potential}, {e.Total(), f.Total()}} {
		if math.Abs(p[0]-p[1]) > 1e-9*(e.Kinetic+math.Abs(e.Potential)) {
			t.Errorf("energy %+v, want %+v", e, f)
		}
	}
	p, q := w.Momentum(), balls.Momentum()
	if math.Hypot(p.X-q.X, p.Y-q.Y) > 1e-9*q.Norm() {
		t.Errorf("momentum %v, want %v", p, q)
	}
}

func TestDisksEnergyAndMomentum(t *testing.T) {
	n, steps := 25, 2000
	if full {
		n, steps = 88, 20_000
	}
	s := planeGas(n, 2)
	w := newDisks(t, s, fast[neighbor.Disk](1), planeOptions)
	before, worst := w.Energy().Total(), 0.
	for i := range steps {
		walk(t, w, 1)
		if i%50 == 0 || i == steps-1 {
			worst = max(worst, math.Abs(w.Energy().Total()/before-1))
		}
	}
	t.Logf("%d disks, %d steps: energy off by at most %.2g", n*n, steps, worst)
	if pairs, _ := w.Contacts(); worst > 1e-3 || len(pairs) < n {
		t.Errorf("energy off by %g, want at most 1e-3; %d contacts", worst, len(pairs))
	}

	s.Walls = neighbor.Rect{}
	w = newDisks(t, s, fast[neighbor.Disk](1), planeOptions)
	start, scale := w.Momentum(), 0.
	for i, v := range w.Velocities() {
		scale += w.Mass(i) * v.Norm()
	}
	walk(t, w, steps)
	if d := w.Momentum().Sub(start).Norm(); d > 1e-14*scale*math.Sqrt(float64(steps)) {
		t.Errorf("momentum off by %g of %g", d, scale)
	}
}

func TestDisksSameForAllMethodsAndWorkers(t *testing.T) {
	s := planeGas(35, 3)
	o := planeOptions
	o.Damping = 30
	steps := 150
	if testing.Short() {
		steps = 20
	}
	want := uint64(0)
	for _, m := range methods[neighbor.Disk]() {
		for _, workers := range []int{1, 2, 5} {
			o.Workers = workers
			w := newDisks(t, s, m.new(workers), o)
			walk(t, w, steps)
			pairs, forces := w.Contacts()
			if len(pairs) < 100 {
				t.Fatalf("%d contacts: the test compares little", len(pairs))
			}
			got := hash(w.Disks(), w.Velocities(), pairs, forces)
			if want == 0 {
				want = got
			} else if got != want {
				t.Errorf("%s, %d workers: hash %x, want %x", m.name, workers, got, want)
			}
		}
	}
}

func TestDisksBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, row := range []struct {
		name   string
		change func(*DiskScene, *Options)
		want   error
		text   string
	}{
		{"NaN position", func(s *DiskScene, _ *Options) { s.Disks[3].Center.Y = nan }, ErrParticle, "disk 3"},
		{"infinite position", func(s *DiskScene, _ *Options) { s.Disks[0].Center.X = -inf }, ErrParticle, "disk 0"},
		{"NaN velocity", func(s *DiskScene, _ *Options) { s.Velocities[2].X = nan }, ErrParticle, "disk 2"},
		{"zero radius", func(s *DiskScene, _ *Options) { s.Disks[1].Radius = 0 }, ErrParticle, "disk 1"},
		{"negative radius", func(s *DiskScene, _ *Options) { s.Disks[1].Radius = -1 }, ErrParticle, "disk 1"},
		{"radius without mass", func(s *DiskScene, _ *Options) { s.Disks[1].Radius = 1e-170 }, ErrParticle, "disk 1"},
		{"outside the walls", func(s *DiskScene, _ *Options) { s.Disks[8].Center.Y = 1 }, ErrParticle, "disk 8"},
		{"on a wall", func(s *DiskScene, _ *Options) { s.Disks[8].Center.Y = 0 }, ErrParticle, "disk 8"},
		{"flat walls", func(s *DiskScene, _ *Options) { s.Walls.Max = r2.Point{X: 1} }, ErrOptions, "walls"},
		{"NaN walls", func(s *DiskScene, _ *Options) { s.Walls.Max.Y = nan }, ErrOptions, "walls"},
		{"infinite gravity", func(s *DiskScene, _ *Options) { s.Gravity.Y = inf }, ErrOptions, "gravity"},
		{"same center", func(s *DiskScene, _ *Options) { s.Disks[1].Center = s.Disks[0].Center }, ErrParticle, "disks 0 and 1"},
		{"infinite force of a pair", func(s *DiskScene, o *Options) {
			s.Disks[4].Center, s.Disks[4].Radius, s.Disks[5].Radius = s.Disks[5].Center.Add(r2.Point{X: -1e-4}), 1e3, 1e3
			s.Walls, o.Stiffness = neighbor.Rect{}, 1e306
		}, ErrParticle, "the initial force between disks 0 and 4 would be"},
		{"infinite acceleration", func(s *DiskScene, o *Options) { s.Walls, o.Density = neighbor.Rect{}, 1e-310 }, ErrParticle, "disk 0 of mass"},
		{"no time step", func(_ *DiskScene, o *Options) { o.TimeStep = 0 }, ErrOptions, "time step"},
		{"no stiffness", func(_ *DiskScene, o *Options) { o.Stiffness = 0 }, ErrOptions, "stiffness"},
	} {
		s, o := planeGas(3, 4), planeOptions
		row.change(&s, &o)
		w, err := NewDisks(t.Context(), s, bruteDisks(), o)
		checkError(t, row.name, err, row.want, row.text)
		if w != nil {
			t.Errorf("%s: a world and an error", row.name)
		}
	}
}

func TestDisksFailedStepChangesNothing(t *testing.T) {
	s := planeGas(30, 5)
	s.Velocities[7] = r2.Point{X: -1e6}
	w := newDisks(t, s, bruteDisks(), planeOptions)
	state := func(w *Disks) uint64 {
		pairs, forces := w.Contacts()
		return hash(w.Disks(), w.Velocities(), pairs, forces, w.Steps(), w.Energy())
	}
	before := state(w)
	checkError(t, "escape", w.Step(t.Context()), ErrParticle, "disk 7")
	if state(w) != before {
		t.Error("a failed step has changed the world")
	}
	w = newDisks(t, DiskScene{
		Disks:      []neighbor.Disk{{Radius: 1}, {Center: r2.Point{X: 2.9}, Radius: 1}},
		Velocities: []r2.Point{{X: 1e-3}, {}},
	}, bruteDisks(), Options{TimeStep: 1000, Stiffness: 1e308})
	before = state(w)
	checkError(t, "infinite velocity", w.Step(t.Context()), ErrParticle, "disk 0 would get the velocity")
	if state(w) != before || w.Time() != 0 {
		t.Error("a failed step has changed the world")
	}
	w = newDisks(t, planeGas(30, 5), bruteDisks(), planeOptions)
	twin := newDisks(t, planeGas(30, 5), bruteDisks(), planeOptions)
	before = state(w)
	for calls := range 5 {
		if err := w.Step(&doneAfter{Context: t.Context(), calls: calls}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
		if state(w) != before {
			t.Errorf("a step that ended after %d checks has changed the world", calls)
		}
	}
	walk(t, w, 4)
	walk(t, twin, 4)
	if state(w) != state(twin) {
		t.Error("failed steps have changed later ones")
	}
}

func TestDisksStepsWithoutMemory(t *testing.T) {
	w := newDisks(t, planeGas(20, 6), bruteDisks(), planeOptions)
	walk(t, w, 400)
	if allocs := testing.AllocsPerRun(50, func() {
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations a step, want none", allocs)
	}
}
