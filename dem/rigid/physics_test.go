package rigid

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// TestHeadOn compares a collision of two balls with the closed form of the linear spring and dashpot.
func TestHeadOn(t *testing.T) {
	for _, row := range []struct{ ratio, damping float64 }{{1, 0}, {3, 0}, {1, 10}, {.5, 20}} {
		const k, h = 1000., 1e-5
		s := Scene{Bodies: []Body{
			{Shape: ball(t, 1), Pose: pose.At(r3.Vector{X: -1.005, Y: 3}), Velocity: r3.Vector{X: .75}},
			{Shape: ball(t, row.ratio), Pose: pose.At(r3.Vector{X: row.ratio + .005, Y: 3}), Velocity: r3.Vector{X: -.25}},
		}}
		w := newWorld(t, s, Options{TimeStep: h, Law: Linear{Ball: Spring{k, row.damping}}})
		m := w.Mass(0) * w.Mass(1) / (w.Mass(0) + w.Mass(1))
		before, touched := w.Momentum(), 0
		for touched == 0 || len(w.Contacts()) > 0 {
			walk(t, w, 1)
			touched += len(w.Contacts())
		}
		if got, want := float64(touched)*h, dem.ContactTime(m, k, row.damping); math.Abs(got-want) > 2*h {
			t.Errorf("%+v: contact lasts %v, want %v", row, got, want)
		}
		v0, _ := w.Velocity(0)
		v1, _ := w.Velocity(1)
		if got, want := v1.X-v0.X, dem.Restitution(m, k, row.damping); math.Abs(got-want) > 1e-7+2*row.damping/m*h {
			t.Errorf("%+v: restitution %v, want %v", row, got, want)
		}
		if d := w.Momentum().Sub(before).Norm(); d > 1e-12*before.Norm()+1e-12 {
			t.Errorf("%+v: momentum off by %g", row, d)
		}
	}
}

// TestOrder lets a ball oscillate between two walls that it always overlaps. The equation m·x″ = −2k·x −
// 2d·x′ has a known solution. The error must be proportional to the square of the time step. The walls
// are solid, or sheets.
func TestOrder(t *testing.T) {
	side := func(sign float64) mesh.Soup {
		return grid(3, 2, func(u, v float64) r3.Vector { return r3.Vector{X: .8 * sign, Y: (8*u - 4) * -sign, Z: 8*v - 4} })
	}
	solids := []Wall{
		{Solid: solidOf(t, placed(box(r3.Vector{X: 2, Y: 8, Z: 8}, 2), r3.Vector{X: 1.8}))},
		{Solid: solidOf(t, placed(box(r3.Vector{X: 2, Y: 8, Z: 8}, 2), r3.Vector{X: -1.8}))},
	}
	sheets := []Wall{{Solid: solidOf(t, side(1)), Thickness: .3}, {Solid: solidOf(t, side(-1)), Thickness: .3}}
	for i, walls := range [][]Wall{solids, sheets} {
		for _, damping := range []float64{0, 2} {
			const k, end = 100., 2.
			var errs []float64
			for _, steps := range []int{200, 400, 800, 1600} {
				s := Scene{Bodies: []Body{{Shape: ball(t, 1), Pose: pose.At(r3.Vector{X: .1})}}, Walls: walls}
				w := newWorld(t, s, Options{TimeStep: end / float64(steps), Law: Linear{Ball: Spring{k, damping}}})
				walk(t, w, steps)
				rate := damping / w.Mass(0)
				omega := math.Sqrt(2*k/w.Mass(0) - rate*rate)
				want := .1 * math.Exp(-rate*end) * (math.Cos(omega*end) + rate/omega*math.Sin(omega*end))
				errs = append(errs, math.Abs(w.Center(0).X-want))
			}
			if got := slope(errs); math.Abs(got-2) > .1 {
				t.Errorf("walls %d, damping %v: order %.3f, want 2; errors %v", i, damping, got, errs)
			}
		}
	}
}

// slopes are sheets in the plane z = 0, divided into triangles in two ways.
func slopes(t *testing.T) (coarse, fine Wall) {
	plane := func(u, v float64) r3.Vector { return r3.Vector{X: 40*u - 20, Y: 40*v - 20} }
	bent := func(u, v float64) r3.Vector {
		p := plane(u, v)
		p.X += .3 * math.Sin(7*p.X+p.Y)
		p.Y += .3 * math.Sin(5*p.Y-p.X)
		return p
	}
	return Wall{Solid: solidOf(t, grid(1, 1, plane)), Thickness: .5}, Wall{Solid: solidOf(t, grid(90, 80, bent)), Thickness: .5}
}

// TestMeshIsAPlane lets a ball bounce and roll on the plane z = 0 as two triangles, as many triangles,
// and as the top of a box. The ball must move as on the wall of dem.Spheres, whichever triangles it
// meets.
func TestMeshIsAPlane(t *testing.T) {
	coarse, fine := slopes(t)
	law := Linear{Ball: Spring{2e4, 20}, Friction: .3}
	solid := Wall{Solid: solidOf(t, placed(box(r3.Vector{X: 40, Y: 40, Z: 2}, 32), r3.Vector{Z: -1}))}
	var ends []r3.Vector
	for _, wall := range []Wall{coarse, fine, solid} {
		s := Scene{Gravity: r3.Vector{Z: -9.81}, Walls: []Wall{wall}, Bodies: []Body{
			{Shape: ball(t, .5), Pose: pose.At(r3.Vector{X: -3, Y: -2, Z: 1}), Velocity: r3.Vector{X: 3, Y: 1.5}, Density: 2}}}
		w := newWorld(t, s, Options{TimeStep: 5e-4, Law: law})
		for range 7000 {
			walk(t, w, 1)
			if n := len(w.Contacts()); n > 1 {
				t.Fatalf("%d contacts with a plane", n)
			}
		}
		v, spin := w.Velocity(0)
		ends = append(ends, w.Center(0), v, spin)
	}
	for i, p := range ends {
		if d := p.Sub(ends[i%3]).Norm(); d > 1e-9 {
			t.Errorf("wall %d: result %v, want %v", i/3, p, ends[i%3])
		}
	}
	if ends[0].Z > .51 || ends[0].X < 3 {
		t.Errorf("the ball ends at %v: the test compares little", ends[0])
	}
	// The ball rolls: its lowest point is at rest.
	if slip := ends[1].X - .5*ends[2].Y; math.Abs(slip) > 5e-3 {
		t.Errorf("the ball slides at %g", slip)
	}
}

// TestRolling lets a ball roll down a slope: 5/7 g sin α, if friction is strong enough.
func TestRolling(t *testing.T) {
	_, fine := slopes(t)
	for _, angle := range []float64{.1, .3} {
		const g, k = 9.81, 1e5
		s := Scene{Gravity: r3.Vector{X: g * math.Sin(angle), Z: -g * math.Cos(angle)}, Walls: []Wall{fine}}
		shape := ball(t, .5)
		s.Bodies = []Body{{Shape: shape, Pose: pose.At(r3.Vector{X: -9, Z: .5 - shape.Volume()*g*math.Cos(angle)/k})}}
		w := newWorld(t, s, Options{TimeStep: 1e-4, Law: Linear{Ball: Spring{k, 100}, Friction: .5}})
		walk(t, w, 5000)
		v0, _ := w.Velocity(0)
		walk(t, w, 5000)
		v, _ := w.Velocity(0)
		if got, want := (v.X-v0.X)/.5, 5./7*g*math.Sin(angle); math.Abs(got/want-1) > 1e-3 {
			t.Errorf("angle %v: acceleration %v, want %v", angle, got, want)
		}
	}
}

// TestSlidingBlock lets a box slide down a slope: g(sin α − μ cos α). Below the angle of friction it
// sticks. The wall is a sheet or a box.
func TestSlidingBlock(t *testing.T) {
	const g, mu, h = 9.81, .4, 2e-4
	sheet, _ := slopes(t)
	solid := Wall{Solid: solidOf(t, placed(box(r3.Vector{X: 40, Y: 40, Z: 2}, 1), r3.Vector{Z: -1}))}
	block := polyhedron(t, box(r3.Vector{X: 1, Y: 1, Z: .3}, 4))
	for i, wall := range []Wall{sheet, solid} {
		for _, angle := range []float64{.2, .35, .45, .6} {
			s := Scene{Gravity: r3.Vector{X: g * math.Sin(angle), Z: -g * math.Cos(angle)}, Walls: []Wall{wall}}
			// The weight of the box is carried by an area of 1.
			const k = 1e4
			depth := block.Volume() * g * math.Cos(angle) / k
			s.Bodies = []Body{{Shape: block, Pose: pose.At(r3.Vector{X: -9, Z: .15 - depth})}}
			w := newWorld(t, s, Options{TimeStep: h, Law: Linear{Surface: Spring{k, 100}, Friction: mu}})
			walk(t, w, 2500)
			v0, _ := w.Velocity(0)
			p0 := w.Center(0)
			walk(t, w, 2500)
			v, _ := w.Velocity(0)
			want := g * (math.Sin(angle) - mu*math.Cos(angle))
			if want < 0 {
				if moved := w.Center(0).Sub(p0).Norm(); moved > 1e-5 || v.Norm() > 1e-4 {
					t.Errorf("wall %d, angle %v: the block moves by %g at %v, must stick", i, angle, moved, v)
				}
			} else if got := (v.X - v0.X) / .5; math.Abs(got/want-1) > 5e-3 {
				t.Errorf("wall %d, angle %v: acceleration %v, want %v", i, angle, got, want)
			}
		}
	}
}

// top returns a body without forces that turns about nearly its middle axis.
func top(t *testing.T, s mesh.Soup, spin r3.Vector, h float64) *World {
	scene := Scene{Bodies: []Body{{Shape: polyhedron(t, s), Pose: turned(t, r3.Vector{X: 1, Y: 2}, .7, r3.Vector{X: 5}), Spin: spin}}}
	return newWorld(t, scene, Options{TimeStep: h, Law: Linear{}})
}

// TestTop checks the rotation of a body without forces: the angular momentum is exact, the energy
// oscillates, and the error is proportional to the square of the time step.
func TestTop(t *testing.T) {
	brick := func() mesh.Soup { return box(r3.Vector{X: 3, Y: 2, Z: 1}, 1) }
	end := func(h float64, n int) (pose.Pose, float64) {
		w := top(t, brick(), r3.Vector{X: 1, Y: 2, Z: .3}, h)
		l, e := w.AngularMomentum(), w.Energy().Rotational
		worst := 0.
		for range n {
			walk(t, w, 1)
			worst = max(worst, math.Abs(w.Energy().Rotational/e-1))
		}
		if w.AngularMomentum() != l {
			t.Errorf("the angular momentum changes from %v to %v", l, w.AngularMomentum())
		}
		return w.Pose(0), worst
	}
	exact, _ := end(5./80000, 80000)
	var errs, energy []float64
	for _, n := range []int{200, 400, 800, 1600} {
		p, worst := end(5/float64(n), n)
		x := r3.Vector{X: 1, Y: 1, Z: 1}
		errs, energy = append(errs, p.Apply(x).Sub(exact.Apply(x)).Norm()), append(energy, worst)
	}
	if a, b := slope(errs), slope(energy); math.Abs(a-2) > .1 || math.Abs(b-2) > .1 {
		t.Errorf("order %.2f of the orientation and %.2f of the energy, want 2; errors %v, %v", a, b, errs, energy)
	}
	// Over many turns the error of the energy does not grow.
	_, short := end(.02, 500)
	_, long := end(.02, 50000)
	if long > 1.5*short {
		t.Errorf("the energy is off by %g after 500 steps and %g after 50,000", short, long)
	}
}

// TestTennisRacket turns a brick about its middle axis with a small disturbance. It must turn over
// again and again (Dzhanibekov). The period of the flips is the period of an elliptic function. The
// test integrates Euler's equations for the reference.
func TestTennisRacket(t *testing.T) {
	const h, steps = 1e-3, 40_000
	w := top(t, box(r3.Vector{X: 3, Y: 2, Z: 1}, 1), r3.Vector{}, h)
	moments := w.bodies[0].inertia.moments
	spin := r3.Vector{X: .02, Y: 2, Z: .01} // along the principal axes
	m := &w.now.motions[0]
	m.momentum = m.rotation.apply(w.bodies[0].inertia.axes.back(r3.Vector{X: moments[0] * spin.X, Y: moments[1] * spin.Y, Z: moments[2] * spin.Z}))
	euler := func(o r3.Vector) r3.Vector {
		return r3.Vector{X: (moments[1] - moments[2]) / moments[0] * o.Y * o.Z, Y: (moments[2] - moments[0]) / moments[1] * o.Z * o.X,
			Z: (moments[0] - moments[1]) / moments[2] * o.X * o.Y}
	}
	flips, flipsWant := 0, 0
	lastGot, lastWant := 0, 0
	sign, signWant := 1., 1.
	for i := range steps {
		k1 := euler(spin)
		k2 := euler(spin.Add(k1.Mul(h / 2)))
		k3 := euler(spin.Add(k2.Mul(h / 2)))
		k4 := euler(spin.Add(k3.Mul(h)))
		spin = spin.Add(k1.Add(k2.Mul(2)).Add(k3.Mul(2)).Add(k4).Mul(h / 6))
		if spin.Y*signWant < 0 {
			signWant, flipsWant, lastWant = -signWant, flipsWant+1, i
		}
		walk(t, w, 1)
		m := &w.now.motions[0]
		if y := w.bodies[0].inertia.axes[1].Dot(m.rotation.back(m.momentum)); y*sign < 0 {
			sign, flips, lastGot = -sign, flips+1, i
		}
	}
	if flips < 3 || flips != flipsWant || math.Abs(float64(lastGot-lastWant)) > 20 {
		t.Errorf("%d flips, the last at step %d, want %d at step %d", flips, lastGot, flipsWant, lastWant)
	}
}

// TestCornerOnFace lets a corner of a box hit a face of another box. The velocities after the
// collision must agree with the impulse of two rigid bodies without friction. Contacts of nodes with damping have
// the restitution of a linear spring and dashpot. The force of a corner in a layer is not linear, so its
// restitution is that of the velocities after the collision.
func TestCornerOnFace(t *testing.T) {
	for _, row := range []struct {
		name  string
		spin  r3.Vector
		shift r3.Vector
	}{
		{"central", r3.Vector{}, r3.Vector{}}, {"eccentric", r3.Vector{}, r3.Vector{X: .6, Y: -.3}},
		{"with spin", r3.Vector{X: .3, Y: -.2, Z: .5}, r3.Vector{X: -.5, Y: .7}},
	} {
		for _, kind := range []struct {
			contacts Contacts
			damping  float64
		}{{Nodes, 0}, {Nodes, .25}, {Layers, 0}, {Layers, .25}} {
			contacts, damping := kind.contacts, kind.damping
			target := polyhedron(t, box(r3.Vector{X: 3, Y: 2.5, Z: 1}, 1))
			striker := polyhedron(t, box(r3.Vector{X: 1, Y: 1.2, Z: .8}, 1))
			// The corner (.5, .6, −.4) of the striker points down.
			p := turned(t, r3.Vector{X: 1, Y: -.8, Z: .2}, -.8, r3.Vector{})
			low, area := r3.Vector{Z: 9}, 0.
			for i, v := range striker.mesh.Vertices {
				if x := p.Apply(v); x.Z < low.Z {
					low, area = x, striker.area[i]
				}
			}
			p.Translation = row.shift.Add(r3.Vector{Z: .5 + 1e-4}).Sub(low.Sub(r3.Vector{X: low.X, Y: low.Y}))
			s := Scene{Bodies: []Body{
				{Shape: striker, Pose: p, Velocity: r3.Vector{X: .2, Z: -1}, Spin: row.spin},
				{Shape: target, Pose: pose.At(r3.Vector{}), Density: 2},
			}}
			const h = 2e-6
			k := 2e8
			if contacts == Layers { // the force of a corner grows with the third power of the depth
				k = 1e14
			}
			w := newWorld(t, s, Options{TimeStep: h, Law: Linear{}})
			at := p.Translation.Add(low)
			n := r3.Vector{Z: 1}
			// The effective mass is 1/Σ(1/m + (r×n)·I⁻¹(r×n)).
			inverse := func(i int) float64 {
				m, b := &w.now.motions[i], &w.bodies[i]
				arm := at.Sub(m.center).Cross(n)
				return 1/b.mass + arm.Dot(m.rotation.apply(b.inertia.solve(m.rotation.back(arm))))
			}
			mass := 1 / (inverse(0) + inverse(1))
			speed := w.now.motions[0].velocityAt(at).Sub(w.now.motions[1].velocityAt(at)).Dot(n)
			law := Linear{Surface: Spring{k, damping * 2 * math.Sqrt(mass*k*area) / area}}
			restitution := dem.Restitution(mass, k*area, law.Surface.Damping*area)
			if contacts == Layers && damping > 0 {
				law.Surface.Damping = k * 1e-4
			}
			expected := func(start *World) (want [2][2]r3.Vector) {
				impulse := n.Mul(-(1 + restitution) * mass * speed)
				for i, sign := range []float64{1, -1} {
					m, b := &start.now.motions[i], &start.bodies[i]
					turn := m.rotation.apply(b.inertia.solve(m.rotation.back(at.Sub(m.center).Cross(impulse))))
					want[i] = [2]r3.Vector{m.velocity.Add(impulse.Mul(sign / b.mass)), m.spin.Add(turn.Mul(sign))}
				}
				return want
			}
			start := w
			w = newWorld(t, s, Options{TimeStep: h, Contacts: contacts, Law: law})
			momentum, angular := w.Momentum(), w.AngularMomentum()
			for touched := false; !touched || len(w.Contacts()) > 0; touched = touched || len(w.Contacts()) > 0 {
				walk(t, w, 1)
				if w.Time() > .1 {
					t.Fatal("the bodies do not part")
				}
			}
			if contacts == Layers && damping > 0 {
				v, _ := w.Velocity(0)
				restitution = n.Dot(v.Sub(s.Bodies[0].Velocity))*w.Mass(0)/(-mass*speed) - 1
				if restitution < .01 || restitution > .95 {
					t.Errorf("%s: restitution %v with damping", row.name, restitution)
				}
			}
			want := expected(start)
			for i := range want {
				v, spin := w.Velocity(i)
				dv, ds := v.Sub(want[i][0]).Norm(), spin.Sub(want[i][1]).Norm()
				if scale := -speed * mass / w.Mass(i); dv > .01*scale || ds > .01*max(scale, want[i][1].Norm()) {
					t.Errorf("%s, contacts %d, damping %v, body %d: velocity %v and spin %v, want %v", row.name, contacts, damping, i, v, spin, want[i])
				}
			}
			if d := w.Momentum().Sub(momentum).Norm(); d > 1e-11 {
				t.Errorf("momentum off by %g", d)
			}
			if d := w.AngularMomentum().Sub(angular).Norm(); d > 1e-11 {
				t.Errorf("angular momentum off by %g", d)
			}
		}
	}
}

// TestRefinedMesh presses a sphere of more and more triangles into a sheet and into a block. The force of its
// vertices in the sheet must converge to the integral of the pressure k·z over the cap: π·k·R·D² for the depth D.
// In a block, half of the force is this integral. The other half is that of the pressure k·(R−r) over the
// disk in the plane of the block, for the distance r from the center: its vertical component is π·k·(R−D)·D².
func TestRefinedMesh(t *testing.T) {
	const k, r, d = 1e4, 1., .2
	sheet, _ := slopes(t)
	solid := Wall{Solid: solidOf(t, placed(box(r3.Vector{X: 40, Y: 40, Z: 4}, 1), r3.Vector{Z: -2}))}
	for i, wall := range []Wall{sheet, solid} {
		var errs []float64
		want := math.Pi * k * r * d * d
		if i == 1 {
			want = math.Pi * k * (r - d/2) * d * d
		}
		for _, n := range []int{20, 40, 80} {
			s := Scene{Walls: []Wall{wall}, Bodies: []Body{{Shape: polyhedron(t, ellipsoid(r, r, r, 2*n, n)), Pose: turned(t, r3.Vector{X: 1}, 1.2, r3.Vector{X: 2, Y: 3, Z: r - d})}}}
			w := newWorld(t, s, Options{TimeStep: 1e-4, Law: Linear{Surface: Spring{k, 0}}})
			errs = append(errs, math.Abs(w.now.motions[0].force.Z/want-1))
			if side := w.now.motions[0].force; math.Hypot(side.X, side.Y) > .02*side.Z {
				t.Errorf("wall %d, n=%d: force %v, must be vertical", i, n, side)
			}
		}
		if errs[2] > 5e-3 || errs[0] > .1 {
			t.Errorf("wall %d: errors %v", i, errs)
		}
		t.Logf("wall %d: errors %.2g", i, errs)
	}
}

// TestBalances checks energy, momentum and angular momentum of pebbles, balls and boxes without
// friction and damping, and momentum and angular momentum with both. The energy of edges ends when a
// vertex enters, so the energy is less exact with boxes.
func TestBalances(t *testing.T) {
	run := func(law Linear, h float64, steps int, boxes string) (energy float64) {
		s := pile(t, 30, 5)
		s.Walls, s.Gravity = nil, r3.Vector{}
		pebble, box := s.Bodies[0].Shape, s.Bodies[3].Shape
		for i := range s.Bodies { // they fly to the middle
			switch {
			case boxes == "none" && s.Bodies[i].Shape == box:
				s.Bodies[i].Shape = pebble
			case boxes == "only":
				s.Bodies[i].Shape = box
			}
			s.Bodies[i].Velocity = s.Bodies[i].Pose.Translation.Sub(r3.Vector{Z: 3}).Mul(-2).Add(s.Bodies[i].Velocity.Mul(.2))
		}
		w := newWorld(t, s, Options{TimeStep: h, Law: law})
		e, p, l := w.Energy().Total(), w.Momentum(), w.AngularMomentum()
		scale, contacts := 0., 0
		for i := range s.Bodies {
			scale += w.Mass(i) * s.Bodies[i].Velocity.Norm()
		}
		for range steps {
			walk(t, w, 1)
			contacts += len(w.Contacts())
			energy = max(energy, math.Abs(w.Energy().Total()/e-1))
		}
		if contacts < 3*steps {
			t.Fatalf("%d contacts in %d steps: the test says little", contacts, steps)
		}
		if d := w.Momentum().Sub(p).Norm(); d > 1e-12*scale {
			t.Errorf("momentum off by %g of %g", d, scale)
		}
		if d := w.AngularMomentum().Sub(l).Norm(); d > 1e-11*scale {
			t.Errorf("angular momentum off by %g of %g", d, scale)
		}
		return energy
	}
	frictionless := Linear{Ball: gritLaw.Ball, Surface: gritLaw.Surface}
	frictionless.Ball.Damping, frictionless.Surface.Damping = 0, 0
	coarse, fine := run(frictionless, 4e-4, 1500, "none"), run(frictionless, 1e-4, 6000, "none")
	some, only := run(frictionless, 4e-4, 1500, "some"), run(frictionless, 4e-4, 1500, "only")
	t.Logf("energy off by %.2g with long steps, by %.2g with short ones, by %.2g with boxes, by %.2g with boxes only", coarse, fine, some, only)
	if fine > 5e-4 || coarse > 5e-3 || some > .01 || only > .05 {
		t.Errorf("energy off by %g with long steps, by %g with short ones, by %g with boxes, by %g with boxes only", coarse, fine, some, only)
	}
	run(gritLaw, 4e-4, 1500, "some")
}

// TestCrossedBars lets two long bars hit each other crosswise. No vertex of either enters the other.
// The bars must not pass through each other.
func TestCrossedBars(t *testing.T) {
	for _, row := range []struct {
		name         string
		roll         float64 // of both bars about their long axes
		angle, shift float64
	}{
		{"faces", 0, math.Pi / 2, 0}, {"edges", math.Pi / 4, math.Pi / 2, 0}, {"oblique edges", math.Pi / 4, 1, .5}, {"tilted", .3, 1.2, -.7},
	} {
		bar := polyhedron(t, box(r3.Vector{X: 8, Y: 1, Z: 1}, 1))
		p := turned(t, r3.Vector{X: 1}, row.roll, r3.Vector{})
		q := turned(t, r3.Vector{Z: 1}, row.angle, r3.Vector{X: row.shift, Z: 1.6}).Mul(p)
		for _, contacts := range []Contacts{Layers, Nodes} {
			crossBars(t, row.name, Scene{Bodies: []Body{{Shape: bar, Pose: p}, {Shape: bar, Pose: q, Velocity: r3.Vector{Z: -1}}}}, contacts)
		}
	}
}

func crossBars(t *testing.T, name string, s Scene, contacts Contacts) {
	t.Helper()
	w := newWorld(t, s, Options{TimeStep: 1e-4, Contacts: contacts, Law: Linear{Surface: Spring{3e4, 0}}})
	e, l, touched := w.Energy().Total(), w.AngularMomentum(), 0
	for w.Time() < 2 {
		walk(t, w, 1)
		touched += len(w.Contacts())
		for _, c := range w.Contacts() {
			if (c.Kind == Edges) != (contacts == Nodes) {
				t.Fatalf("%s: contact of kind %v", name, c.Kind)
			}
		}
	}
	v0, _ := w.Velocity(0)
	v1, _ := w.Velocity(1)
	if touched == 0 || len(w.Contacts()) > 0 || v1.Sub(v0).Z < .1 || w.Center(1).Z < w.Center(0).Z {
		t.Errorf("%s: %d contacts, then velocities %v and %v", name, touched, v0, v1)
	}
	if d := math.Abs(w.Energy().Total()/e - 1); d > 1e-5 {
		t.Errorf("%s: energy off by %g", name, d)
	} else {
		t.Logf("%s: energy off by %.2g", name, d)
	}
	if d := w.AngularMomentum().Sub(l).Norm(); d > 1e-11 {
		t.Errorf("%s: angular momentum off by %g", name, d)
	}
}
