package rigid

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// TestEdgesConserveEnergy lets bars with different sections hit each other crosswise, with spins. The
// error of the energy must be proportional to the square of the time step.
func TestEdgesConserveEnergy(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	shapes := crossingShapes(t)[:3]
	random := func(size float64) r3.Vector {
		return r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Mul(size)
	}
	worst := make([]float64, 4)
	for range 12 {
		a, b := shapes[rng.IntN(3)], shapes[rng.IntN(3)]
		p := turned(t, r3.Vector{X: 1}, 6*rng.Float64(), r3.Vector{})
		q := turned(t, r3.Vector{Z: 1}, .8+1.5*rng.Float64(), r3.Vector{X: rng.Float64() - .5, Y: rng.Float64() - .5, Z: 2.5})
		s := Scene{Bodies: []Body{
			{Shape: a.shape, Pose: p, Spin: random(.05)},
			{Shape: b.shape, Pose: q.Mul(turned(t, r3.Vector{X: 1}, 6*rng.Float64(), r3.Vector{})), Velocity: r3.Vector{Z: -1}, Spin: random(.05)},
		}}
		for i := range worst {
			n := 1000 << i
			w := newWorld(t, s, Options{TimeStep: 4 / float64(n), Contacts: Nodes, Law: Linear{Surface: Spring{3e4, 0}}})
			e, touched := w.Energy().Total(), 0
			l := w.AngularMomentum()
			off := 0.
			for range n {
				walk(t, w, 1)
				for _, c := range w.Contacts() {
					if c.Kind != Edges {
						t.Fatalf("%s and %s: contact of kind %d", a.name, b.name, c.Kind)
					}
					touched++
				}
				off = max(off, math.Abs(w.Energy().Total()/e-1))
			}
			if touched == 0 || len(w.Contacts()) > 0 {
				t.Fatalf("%s and %s: %d contacts, %d at the end", a.name, b.name, touched, len(w.Contacts()))
			}
			if d := w.AngularMomentum().Sub(l).Norm(); d > 1e-11 {
				t.Errorf("%s and %s: angular momentum off by %g", a.name, b.name, d)
			}
			worst[i] = max(worst[i], off)
		}
	}
	if got := slope(worst); math.Abs(got-2) > .2 || worst[0] > .01 {
		t.Errorf("the energy is off by %.2g: order %.2f, want 2", worst, got)
	}
	t.Logf("the energy is off by %.2g: order %.2f", worst, slope(worst))
}

// TestEdgesRest lays a plank flat across two bars. It must come to rest at the depth at which springs
// of the area of the contacts carry its weight. The center is at lever times half of the distance of the
// bars, so the bars carry 1 ± lever halves of the weight, and the plank tilts.
func TestEdgesRest(t *testing.T) {
	const k, g, h, lever = 1e5, 9.81, 1e-3, .05
	bar := func(x float64) Wall {
		return Wall{Solid: solidOf(t, placed(box(r3.Vector{X: 1, Y: 8, Z: 1}, 1), r3.Vector{X: x, Z: -.5}))}
	}
	plank := polyhedron(t, box(r3.Vector{X: 8, Y: 2, Z: .5}, 1))
	s := Scene{Gravity: r3.Vector{Z: -g}, Walls: []Wall{bar(-2), bar(2)}, Bodies: []Body{{Shape: plank, Pose: pose.At(r3.Vector{X: 2 * lever, Z: .26})}}}
	w := newWorld(t, s, Options{TimeStep: h, Contacts: Nodes, Law: Linear{Surface: Spring{k, 1e3}, Friction: .5}})
	last := w.Energy().Total()
	for range 4000 {
		walk(t, w, 1)
		if e := w.Energy().Total(); e > last+1e-6*math.Abs(last) {
			t.Fatalf("step %d: the energy grows from %v to %v", w.Steps(), last, e)
		} else {
			last = e
		}
	}
	v, spin := w.Velocity(0)
	if v.Norm() > 1e-6 || spin.Norm() > 1e-6 {
		t.Errorf("velocity %v and spin %v, must be at rest", v, spin)
	}
	if got, want := .25-w.Center(0).Z, w.Mass(0)*g/(k*4)*(1+lever*lever); math.Abs(got/want-1) > 1e-4 {
		t.Errorf("depth %v, want %v", got, want)
	}
	if n := len(w.Contacts()); n != 2 || w.Contacts()[0].Kind != Edges {
		t.Errorf("%d contacts, want 2 of edges", n)
	}
}

// TestEdgesDamping lets planks and prisms hit each other with damping. The energy must not grow.
func TestEdgesDamping(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	shapes := crossingShapes(t)[:3]
	for range 10 {
		s := Scene{Bodies: []Body{
			{Shape: shapes[rng.IntN(3)].shape, Pose: turned(t, r3.Vector{X: 1}, 6*rng.Float64(), r3.Vector{}), Spin: r3.Vector{Y: .1, Z: .2}},
			{Shape: shapes[rng.IntN(3)].shape, Pose: turned(t, r3.Vector{Z: 1}, .8+1.5*rng.Float64(), r3.Vector{X: .3, Z: 1.8}), Velocity: r3.Vector{Z: -1}},
		}}
		w := newWorld(t, s, Options{TimeStep: 5e-4, Contacts: Nodes, Law: Linear{Surface: Spring{3e4, 3e3}}})
		first, touched := w.Energy().Total(), 0
		last := first
		for range 6000 {
			walk(t, w, 1)
			for _, c := range w.Contacts() {
				if c.Kind == Edges {
					touched++
				}
			}
			e := w.Energy().Total()
			if e > last+1e-6*first {
				t.Fatalf("step %d: the energy grows from %v to %v of %v", w.Steps(), last, e, first)
			}
			last = e
		}
		if touched == 0 || last > .95*first {
			t.Errorf("%d contacts, energy %v of %v: the test says little", touched, last, first)
		}
	}
}

// TestSidesAcross checks the pairs of sides of closed meshes, also with four faces at an edge.
func TestSidesAcross(t *testing.T) {
	cubes := join(box(r3.Vector{X: 1, Y: 1, Z: 1}, 1), placed(box(r3.Vector{X: 1, Y: 1, Z: 1}, 1), r3.Vector{X: 1, Y: 1}))
	for _, s := range []mesh.Soup{box(r3.Vector{X: 1, Y: 2, Z: 3}, 4), pebble(1, 2, 3), cubes} {
		m := solidOf(t, s).Mesh()
		across := sidesAcross(m.Faces)
		for i, j := range across {
			if j < 0 || across[j] != int32(i) || m.Faces[i/3][i%3] != m.Faces[j/3][(j+1)%3] || m.Faces[i/3][(i+1)%3] != m.Faces[j/3][j%3] {
				t.Fatalf("side %d is across side %d", i, j)
			}
		}
	}
	sheet, _ := slopes(t)
	missing := 0
	for _, j := range sidesAcross(sheet.Solid.Mesh().Faces) {
		if j < 0 {
			missing++
		}
	}
	if missing != 4 {
		t.Errorf("%d sides of a rectangle have no other side, want 4", missing)
	}
}
