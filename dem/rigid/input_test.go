package rigid

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

func TestBadShapes(t *testing.T) {
	for _, r := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-200, 1e200} {
		s, err := NewBall(r)
		checkError(t, "ball", err, ErrShape, "radius")
		if s != nil {
			t.Error("a shape and an error")
		}
	}
	cube := box(r3.Vector{X: 1, Y: 1, Z: 1}, 1)
	open := mesh.Soup{Vertices: cube.Vertices, Faces: cube.Faces[1:]}
	flat := mesh.Soup{Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}}, Faces: [][3]int32{{0, 1, 2}, {0, 2, 1}}}
	inward := mesh.Soup{Vertices: cube.Vertices}
	for _, f := range cube.Faces {
		inward.Faces = append(inward.Faces, [3]int32{f[0], f[2], f[1]})
	}
	for _, row := range []struct {
		soup mesh.Soup
		text string
	}{{open, "open"}, {flat, "volume"}, {inward, "inward"}, {mesh.Soup{}, "volume"}} {
		s, err := NewPolyhedron(t.Context(), solidOf(t, row.soup))
		checkError(t, row.text, err, ErrShape, row.text)
		if s != nil {
			t.Error("a shape and an error")
		}
	}
	dented := box(r3.Vector{X: 1, Y: 1, Z: 1}, 2)
	for i, v := range dented.Vertices {
		if v == (r3.Vector{Z: .5}) {
			dented.Vertices[i].Z = .4
		}
	}
	whole, part := solidOf(t, cube), solidOf(t, dented)
	for _, row := range []struct {
		text  string
		whole *inpoly.Solid
		parts []*inpoly.Solid
	}{
		{"at least one", whole, nil}, {"part 1 is not convex", whole, []*inpoly.Solid{whole, part}},
		{"part 0", whole, []*inpoly.Solid{solidOf(t, open)}}, {"inward", whole, []*inpoly.Solid{solidOf(t, inward)}},
		{"open", solidOf(t, open), []*inpoly.Solid{whole}},
	} {
		s, err := NewCompound(t.Context(), row.whole, row.parts...)
		checkError(t, row.text, err, ErrShape, row.text)
		if s != nil {
			t.Error("a shape and an error")
		}
	}
	for _, row := range []struct {
		shape *Shape
		parts int
	}{{polyhedron(t, cube), 1}, {polyhedron(t, dented), 0}, {ball(t, 1), 0}, {compoundL(t), 2}} {
		if got := row.shape.Parts(); got != row.parts {
			t.Errorf("%d convex parts, want %d", got, row.parts)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewPolyhedron(ctx, solidOf(t, cube)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := NewCompound(ctx, whole, whole); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestBadScenes(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	stone, stub := polyhedron(t, box(r3.Vector{X: 1, Y: 1, Z: 1}, 1)), ball(t, .5)
	sheet, _ := slopes(t)
	for _, row := range []struct {
		name   string
		change func(*Scene, *Options)
		want   error
		text   string
	}{
		{"no shape", func(s *Scene, _ *Options) { s.Bodies[1].Shape = nil }, ErrBody, "body 1"},
		{"zero shape", func(s *Scene, _ *Options) { s.Bodies[1].Shape = new(Shape) }, ErrBody, "body 1"},
		{"zero pose", func(s *Scene, _ *Options) { s.Bodies[0].Pose = pose.Pose{} }, pose.ErrInvalid, "body 0"},
		{"NaN pose", func(s *Scene, _ *Options) { s.Bodies[0].Pose.Translation.Y = nan }, ErrBody, "body 0"},
		{"long quaternion", func(s *Scene, _ *Options) { s.Bodies[0].Pose.Rotation = quat.Number{Real: 2} }, ErrBody, "body 0"},
		{"NaN velocity", func(s *Scene, _ *Options) { s.Bodies[1].Velocity.Z = nan }, ErrBody, "body 1"},
		{"infinite spin", func(s *Scene, _ *Options) { s.Bodies[1].Spin.Z = inf }, ErrBody, "body 1"},
		{"large spin", func(s *Scene, _ *Options) { s.Bodies[1].Spin.Z, s.Bodies[1].Density = 1e300, 1e100 }, ErrBody, "body 1"},
		{"far away", func(s *Scene, _ *Options) { s.Bodies[0].Pose.Translation.Y = 1e200 }, nil, "body 0"},
		{"negative density", func(s *Scene, _ *Options) { s.Bodies[1].Density = -1 }, ErrBody, "density -1"},
		{"NaN density", func(s *Scene, _ *Options) { s.Bodies[1].Density = nan }, ErrBody, "body 1"},
		{"tiny density", func(s *Scene, _ *Options) { s.Bodies[1].Density = 1e-320 }, ErrBody, "body 1"},
		{"same center", func(s *Scene, _ *Options) { s.Bodies[1] = s.Bodies[2] }, ErrBody, "balls 1 and 2"},
		{"infinite force", func(s *Scene, o *Options) {
			s.Bodies[1].Pose.Translation.X = .9
			s.Bodies[1].Density = 1e-9
			o.Law = Linear{Ball: Spring{1e308, 0}}
		}, ErrBody, "initial force"},
		{"wall without mesh", func(s *Scene, _ *Options) { s.Walls = []Wall{{}} }, ErrOptions, "wall 0"},
		{"mesh and half-space", func(s *Scene, _ *Options) {
			s.Walls = []Wall{{Solid: sheet.Solid, Thickness: 1, HalfSpace: &HalfSpace{Normal: r3.Vector{Z: 1}}}}
		}, ErrOptions, "wall 0"},
		{"half-space without normal", func(s *Scene, _ *Options) { s.Walls = []Wall{{HalfSpace: new(HalfSpace)}} }, ErrOptions, "wall 0"},
		{"half-space of NaN", func(s *Scene, _ *Options) { s.Walls = []Wall{{HalfSpace: &HalfSpace{r3.Vector{Z: nan}, 0}}} }, ErrOptions, "wall 0"},
		{"infinite half-space", func(s *Scene, _ *Options) { s.Walls = []Wall{{HalfSpace: &HalfSpace{r3.Vector{Z: 1}, inf}}} }, ErrOptions, "wall 0"},
		{"huge normal", func(s *Scene, _ *Options) { s.Walls = []Wall{{HalfSpace: &HalfSpace{r3.Vector{Z: 1e200}, 0}}} }, ErrOptions, "wall 0"},
		{"unknown contacts", func(_ *Scene, o *Options) { o.Contacts = 7 }, ErrOptions, "contacts 7"},
		{"sheet without thickness", func(s *Scene, _ *Options) { s.Walls = []Wall{{Solid: sheet.Solid}} }, ErrOptions, "wall 0"},
		{"sheet of NaN", func(s *Scene, _ *Options) { s.Walls = []Wall{{Solid: sheet.Solid, Thickness: nan}} }, ErrOptions, "wall 0"},
		{"NaN gravity", func(s *Scene, _ *Options) { s.Gravity.X = nan }, ErrOptions, "gravity"},
		{"outside the bounds", func(s *Scene, _ *Options) { s.Bounds = bvh.Box{Min: r3.Vector{X: 1}, Max: r3.Vector{X: 2, Y: 1, Z: 1}} }, ErrBody, "body 0"},
		{"flat bounds", func(s *Scene, _ *Options) { s.Bounds = bvh.Box{Max: r3.Vector{X: 2}} }, ErrOptions, "bounds"},
		{"no time step", func(_ *Scene, o *Options) { o.TimeStep = 0 }, ErrOptions, "time step"},
		{"infinite time step", func(_ *Scene, o *Options) { o.TimeStep = inf }, ErrOptions, "time step"},
		{"no law", func(_ *Scene, o *Options) { o.Law = nil }, ErrOptions, "law"},
		{"negative stiffness", func(_ *Scene, o *Options) { o.Law = Linear{Ball: Spring{-1, 0}} }, ErrOptions, "stiffness"},
		{"NaN friction", func(_ *Scene, o *Options) { o.Law = Linear{Friction: nan} }, ErrOptions, "friction"},
		{"infinite damping", func(_ *Scene, o *Options) { o.Law = Linear{Surface: Spring{1, inf}} }, ErrOptions, "damping"},
	} {
		s := Scene{Bodies: []Body{
			{Shape: stone, Pose: pose.At(r3.Vector{})}, {Shape: stub, Pose: pose.At(r3.Vector{X: 3})}, {Shape: stub, Pose: pose.At(r3.Vector{X: 6})}}}
		o := Options{TimeStep: 1e-3, Law: Linear{Ball: Spring{1, 0}}}
		row.change(&s, &o)
		w, err := New(t.Context(), s, o)
		if row.want == nil {
			row.want = err
		}
		checkError(t, row.name, err, row.want, row.text)
		if err == nil || w != nil {
			t.Errorf("%s: a world, error %v", row.name, err)
		}
	}
	// A wall without triangles touches nothing.
	empty := Scene{Bodies: []Body{{Shape: stone, Pose: pose.At(r3.Vector{})}, {Shape: stub, Pose: pose.At(r3.Vector{X: 3})}}, Walls: []Wall{{Solid: solidOf(t, mesh.Soup{})}}}
	walk(t, newWorld(t, empty, Options{TimeStep: 1, Law: Linear{}}), 2)
	w, err := New(t.Context(), Scene{}, Options{TimeStep: 1, Law: Linear{}})
	if err != nil || w.Step(t.Context()) != nil || w.Energy().Total() != 0 {
		t.Errorf("an empty scene: error %v", err)
	}
}

func TestFailedStepChangesNothing(t *testing.T) {
	fail := func(name, text string, s Scene, o Options, steps int) {
		t.Helper()
		w := newWorld(t, s, o)
		for range steps {
			before, energy := hashOf(w), w.Energy()
			err := w.Step(t.Context())
			if err == nil {
				continue
			}
			checkError(t, name, err, ErrBody, text)
			if hashOf(w) != before || w.Energy() != energy {
				t.Errorf("%s: a failed step has changed the world", name)
			}
			return
		}
		t.Errorf("%s: no step fails", name)
	}
	stub := ball(t, .5)
	o := Options{TimeStep: 1e-3, Law: Linear{Ball: Spring{1e3, 0}}}
	fast := Scene{Bodies: []Body{{Shape: stub, Pose: pose.At(r3.Vector{}), Velocity: r3.Vector{X: 600}}}}
	fail("fast", "body 0 would move", fast, o, 1)
	fast.Bodies[0].Velocity, fast.Bodies[0].Spin = r3.Vector{}, r3.Vector{Y: 1100}
	fail("spinning", "turn by more than a radian", fast, o, 1)
	stiff := Scene{Bodies: []Body{{Shape: stub, Pose: pose.At(r3.Vector{})}, {Shape: stub, Pose: pose.At(r3.Vector{X: .99})}}}
	o.Law = Linear{Ball: Spring{1e9, 0}}
	fail("stiff", "springs are too stiff", stiff, o, 3)
	meet := Scene{Bodies: []Body{
		{Shape: stub, Pose: pose.At(r3.Vector{}), Velocity: r3.Vector{X: 1}}, {Shape: stub, Pose: pose.At(r3.Vector{X: .5}), Velocity: r3.Vector{X: -1}}}}
	o.TimeStep, o.Law = .25, Linear{}
	fail("same center", "balls 0 and 1", meet, o, 1)
	wild := Scene{Bodies: []Body{
		{Shape: stub, Density: .1, Pose: pose.At(r3.Vector{}), Velocity: r3.Vector{X: .2}}, {Shape: stub, Density: .1, Pose: pose.At(r3.Vector{X: 1.01})}}}
	o.Law = Linear{Ball: Spring{1e308, 0}}
	o.TimeStep = 1
	fail("infinite", "would get the velocity", wild, o, 1)

	s := pile(t, 12, 4)
	o = Options{TimeStep: 1e-3, Law: gritLaw, Workers: 2}
	w, twin := newWorld(t, s, o), newWorld(t, s, o)
	walk(t, w, 600)
	walk(t, twin, 605)
	before := hashOf(w)
	for after := range 60 {
		ctx := &doneAfter{Context: t.Context()}
		ctx.calls.Store(int64(after))
		if err := w.Step(ctx); !errors.Is(err, context.Canceled) {
			break
		}
		if hashOf(w) != before {
			t.Fatalf("a step that ended after %d checks has changed the world", after)
		}
	}
	if w.Steps() == 601 {
		walk(t, w, 4)
	} else {
		walk(t, w, 5)
	}
	if hashOf(w) != hashOf(twin) {
		t.Error("failed steps have changed later ones")
	}
}

// TestNonConvex puts balls and a box into a cavity and a notch, where only concave bodies can hold them.
func TestNonConvex(t *testing.T) {
	// The shell has the outer side 4 and the inner side 3. A ball rolls inside it.
	outer, inner := box(r3.Vector{X: 4, Y: 4, Z: 4}, 2), box(r3.Vector{X: 3, Y: 3, Z: 3}, 2)
	for i, f := range inner.Faces {
		inner.Faces[i] = [3]int32{f[0], f[2], f[1]}
	}
	shell := polyhedron(t, join(outer, inner))
	if v := shell.Volume(); math.Abs(v-37) > 1e-9 {
		t.Fatalf("volume %v, want 37", v)
	}
	stone := polyhedron(t, box(r3.Vector{X: .6, Y: .5, Z: .4}, 2))
	s := Scene{Bodies: []Body{
		{Shape: shell, Pose: pose.At(r3.Vector{})},
		{Shape: ball(t, .5), Pose: pose.At(r3.Vector{X: .5}), Velocity: r3.Vector{X: 2, Y: 1, Z: .5}},
		{Shape: stone, Pose: pose.At(r3.Vector{X: -.7, Y: .3}), Velocity: r3.Vector{X: -1, Y: 2, Z: .5}, Spin: r3.Vector{Y: 1}},
	}}
	w := newWorld(t, s, Options{TimeStep: 1e-3, Law: Linear{Ball: Spring{1e4, 0}, Surface: Spring{1e5, 0}}})
	p, l, e := w.Momentum(), w.AngularMomentum(), w.Energy().Total()
	touched := 0
	for range 8000 {
		walk(t, w, 1)
		touched += len(w.Contacts())
	}
	for i := 1; i < 3; i++ {
		inside := w.Pose(0).Inverse().Apply(w.Center(i))
		if max(math.Abs(inside.X), math.Abs(inside.Y), math.Abs(inside.Z)) > 1.6 {
			t.Errorf("body %d has left the shell: %v", i, inside)
		}
	}
	if touched < 100 || w.Momentum().Sub(p).Norm() > 1e-10 || w.AngularMomentum().Sub(l).Norm() > 1e-10 || math.Abs(w.Energy().Total()/e-1) > .02 {
		t.Errorf("%d contacts; momentum %v, want %v; angular momentum %v, want %v; energy %v, want %v",
			touched, w.Momentum(), p, w.AngularMomentum(), l, w.Energy().Total(), e)
	}
}

// TestBallInValley lets a ball come to rest between two walls of a valley of 90°. Each wall carries a
// part of its weight.
func TestBallInValley(t *testing.T) {
	valley := join(
		grid(3, 1, func(u, v float64) r3.Vector { return r3.Vector{X: 6*v - 6, Y: 10*(1-u) - 5, Z: 6 - 6*v} }),
		grid(4, 1, func(u, v float64) r3.Vector { return r3.Vector{X: 6 * v, Y: 10*(1-u) - 5, Z: 6 * v} }),
	)
	s := Scene{Gravity: r3.Vector{Z: -10}, Walls: []Wall{{Solid: solidOf(t, valley), Thickness: .4}}}
	s.Bodies = []Body{{Shape: ball(t, .5), Pose: pose.At(r3.Vector{X: .3, Z: 1})}}
	const k = 2e3
	w := newWorld(t, s, Options{TimeStep: 1e-3, Law: Linear{Ball: Spring{k, 20}}})
	walk(t, w, 8000)
	depth := w.Mass(0) * 10 * math.Sqrt(.5) / k
	want := r3.Vector{Z: (.5 - depth) * math.Sqrt2}
	if got := w.Center(0); got.Sub(want).Norm() > 1e-4 || len(w.Contacts()) != 2 {
		t.Errorf("the ball is at %v with %d contacts, want %v with 2", got, len(w.Contacts()), want)
	}
}

// TestSheetHasAFront drops bodies on the front, on the rim and beside a sheet, and below it.
func TestSheetHasAFront(t *testing.T) {
	square := solidOf(t, grid(4, 4, func(u, v float64) r3.Vector { return r3.Vector{X: 4*u - 2, Y: 4*v - 2} }))
	stone := polyhedron(t, box(r3.Vector{X: 1, Y: 1, Z: 1}, 4))
	run := func(b Body) r3.Vector {
		s := Scene{Gravity: r3.Vector{Z: -10}, Walls: []Wall{{Solid: square, Thickness: .3}}, Bodies: []Body{b}}
		w := newWorld(t, s, Options{TimeStep: 1e-3, Law: Linear{Ball: Spring{1e3, 5}, Surface: Spring{1e3, 20}}})
		walk(t, w, 1000)
		return w.Center(0)
	}
	for _, row := range []struct {
		name  string
		body  Body
		holds bool
	}{
		{"ball on the front", Body{Shape: ball(t, .5), Pose: pose.At(r3.Vector{X: .3, Z: 1})}, true},
		{"ball behind, within the thickness", Body{Shape: ball(t, .5), Pose: pose.At(r3.Vector{X: .3, Z: -.2})}, true},
		{"ball behind", Body{Shape: ball(t, .5), Pose: pose.At(r3.Vector{X: .3, Z: -.4})}, false},
		{"ball beside", Body{Shape: ball(t, .5), Pose: pose.At(r3.Vector{X: 2.6, Z: 1})}, false},
		{"box on the front", Body{Shape: stone, Pose: pose.At(r3.Vector{X: .3, Z: 1})}, true},
		{"box behind", Body{Shape: stone, Pose: pose.At(r3.Vector{X: .3, Z: -1})}, false},
		{"box beside", Body{Shape: stone, Pose: pose.At(r3.Vector{X: 2.6, Z: 1})}, false},
	} {
		if z := run(row.body).Z; (z > .3) != row.holds {
			t.Errorf("%s: z is %v after 1 s", row.name, z)
		}
	}
}

// TestSheetPushesPolyhedra lets a box without vertices on its faces come to rest on two ridges.
func TestSheetPushesPolyhedra(t *testing.T) {
	ground := solidOf(t, grid(64, 16, func(u, v float64) r3.Vector {
		x := 8*u - 4
		return r3.Vector{X: x, Y: 4.3*v - 2.15, Z: -1.5 * math.Abs(math.Abs(x)-1)}
	}))
	stone := polyhedron(t, box(r3.Vector{X: 5, Y: 1, Z: 1}, 1))
	s := Scene{Gravity: r3.Vector{Z: -10}, Walls: []Wall{{Solid: ground, Thickness: .5}},
		Bodies: []Body{{Shape: stone, Pose: pose.At(r3.Vector{Z: .6})}}}
	w := newWorld(t, s, Options{TimeStep: 5e-4, Law: Linear{Surface: Spring{1e5, 2e3}, Friction: .3}})
	walk(t, w, 4000)
	c := w.Center(0)
	if !(c.Z > .4 && c.Z < .5) || math.Abs(c.X) > .01 || math.Abs(c.Y) > .01 {
		t.Errorf("the box is at %v", c)
	}
	var sum r3.Vector
	for _, x := range w.Contacts() {
		sum = sum.Add(x.Force)
		if x.Kind != NodeOfB || x.Normal.Z < .99 {
			t.Errorf("contact %+v", x)
		}
	}
	if want := 10 * w.Mass(0); math.Abs(sum.Z/want-1) > 1e-3 {
		t.Errorf("force %v, want %v", sum, want)
	}
	if !slices.IsSortedFunc(w.now.keys, compareKeys) {
		t.Error("contacts out of order")
	}
	// From behind, the sheet does not hold the box.
	s.Gravity.Z, s.Bodies[0].Pose = 10, pose.At(r3.Vector{Z: -3})
	w = newWorld(t, s, Options{TimeStep: 1e-3, Law: Linear{Surface: Spring{1e3, 20}}})
	for w.Center(0).Z < -2.2 {
		walk(t, w, 1)
	}
	walk(t, w, 100)
	for _, x := range w.Contacts() {
		if x.Normal.Z < 0 {
			t.Errorf("contact %+v with a box behind the sheet", x)
		}
	}
}

// TestCoarseWalls drops a box on a vertex of a wall whose faces are much larger than the box.
func TestCoarseWalls(t *testing.T) {
	ground := grid(2, 2, func(u, v float64) r3.Vector { return r3.Vector{X: 40*u - 20, Y: 40*v - 20} })
	hill := ground // a closed wall with the same top
	hill.Vertices = append(slices.Clone(ground.Vertices), r3.Vector{Z: -30})
	edges := map[[2]int32]bool{}
	for _, f := range ground.Faces {
		for k := range f {
			edges[[2]int32{f[k], f[(k+1)%3]}] = true
		}
	}
	hill.Faces = slices.Clone(ground.Faces)
	for e := range edges {
		if !edges[[2]int32{e[1], e[0]}] {
			hill.Faces = append(hill.Faces, [3]int32{e[1], e[0], int32(len(ground.Vertices))})
		}
	}
	for i, wall := range []Wall{{Solid: solidOf(t, ground), Thickness: .5}, {Solid: solidOf(t, hill)}} {
		s := Scene{Gravity: r3.Vector{Z: -9.81}, Walls: []Wall{wall},
			Bodies: []Body{{Shape: polyhedron(t, box(r3.Vector{X: 1, Y: 1, Z: 1}, 1)), Pose: pose.At(r3.Vector{X: .1, Y: .2, Z: .52})}}}
		w := newWorld(t, s, Options{TimeStep: 5e-4, Law: Linear{Surface: Spring{1e5, 1e2}, Friction: .3}})
		highest := 0.
		for range 6000 {
			walk(t, w, 1)
			highest = max(highest, w.Center(0).Z)
		}
		if z := w.Center(0).Z; highest > .521 || math.Abs(z-.5) > 1e-3 {
			t.Errorf("wall %d: the center is at %v, the highest at %v", i, z, highest)
		}
	}
}

// TestBehindASheet turns a cube that has the vertices of a sheet in its upper half.
func TestBehindASheet(t *testing.T) {
	sheet := solidOf(t, grid(40, 40, func(u, v float64) r3.Vector { return r3.Vector{X: 4*u - 2, Y: 4*v - 2} }))
	cube := polyhedron(t, box(r3.Vector{X: 1, Y: 1, Z: 1}, 1))
	for _, angle := range []float64{0, .02, .1, .3} {
		s := Scene{Walls: []Wall{{Solid: sheet, Thickness: .1}},
			Bodies: []Body{{Shape: cube, Pose: turned(t, r3.Vector{X: 1, Y: .3}, angle, r3.Vector{Z: -.35})}}}
		w := newWorld(t, s, Options{TimeStep: 1e-4, Law: Linear{Surface: Spring{1e3, 0}}})
		for _, c := range w.Contacts() {
			if c.Kind == NodeOfB {
				t.Errorf("turned by %v: %+v", angle, c)
			}
		}
	}
}

// cubic is a law of a user.
type cubic struct{ stiffness float64 }

func (l cubic) Force(c *Contact) (force, spring r3.Vector) {
	return c.Normal.Mul(l.stiffness * c.Depth * c.Depth * c.Depth), r3.Vector{}
}

func (l cubic) Energy(c *Contact) float64 {
	return l.stiffness * c.Depth * c.Depth * c.Depth * c.Depth / 4
}

// broken is a law whose force is not a number after the first step.
type broken struct{ cubic }

func (broken) Force(c *Contact) (force, spring r3.Vector) {
	if c.Depth > .1 {
		return r3.Vector{X: math.NaN()}, r3.Vector{}
	}
	return r3.Vector{}, r3.Vector{}
}

func TestBrokenLaw(t *testing.T) {
	s := Scene{Bodies: []Body{
		{Shape: ball(t, 1), Pose: pose.At(r3.Vector{}), Velocity: r3.Vector{Y: 1}},
		{Shape: ball(t, 1), Pose: pose.At(r3.Vector{Y: 2.01})},
	}}
	w := newWorld(t, s, Options{TimeStep: 1e-2, Law: broken{}})
	for range 100 {
		before := hashOf(w)
		if err := w.Step(t.Context()); err != nil {
			checkError(t, "NaN", err, ErrBody, "body 0 would get the velocity")
			if hashOf(w) != before {
				t.Error("a failed step has changed the world")
			}
			return
		}
	}
	t.Error("no step fails")
}

// TestOwnLaw lets two balls collide with the law of a user. The deepest overlap follows from energy.
func TestOwnLaw(t *testing.T) {
	s := Scene{Bodies: []Body{
		{Shape: ball(t, 1), Pose: pose.At(r3.Vector{}), Velocity: r3.Vector{Y: 1}},
		{Shape: ball(t, 1), Pose: pose.At(r3.Vector{Y: 2.01})},
	}}
	w := newWorld(t, s, Options{TimeStep: 1e-4, Law: cubic{1e5}})
	e, deepest, mass := w.Energy().Total(), 0., 0.
	for w.Time() < .5 {
		walk(t, w, 1)
		for _, c := range w.Contacts() {
			deepest, mass = max(deepest, c.Depth), c.Mass
		}
	}
	if want := math.Pow(2*mass/1e5, .25); math.Abs(deepest/want-1) > 1e-4 || math.Abs(w.Energy().Total()/e-1) > 1e-6 {
		t.Errorf("depth %v, want %v; energy %v, want %v", deepest, want, w.Energy().Total(), e)
	}
	if v, _ := w.Velocity(1); math.Abs(v.Y-1) > 1e-5 {
		t.Errorf("velocity %v, want 1", v)
	}
}
