package dem

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

// SphereScene is what a world of balls begins with.
type SphereScene struct {
	// Balls may overlap; no two may have the same centre.
	Balls []neighbor.Sphere
	// Velocities of the balls, as many; nil if all are at rest.
	Velocities []r3.Vector
	// Walls is the box whose sides push the balls back, with the law of the balls. All centres
	// are strictly inside. Where a side is infinite there is no wall; the zero Box stands for
	// none at all.
	Walls bvh.Box
	// Gravity is the acceleration of free balls.
	Gravity r3.Vector
}

// Spheres is a world of balls in space: Muth, Müller, Eberhard, Luding 2007, eq. 1, with
// the Verlet integrator. It is for one goroutine at a time.
type Spheres struct {
	opt     Options
	walls   bvh.Box
	gravity r3.Vector
	method  neighbor.Method[neighbor.Sphere]
	mass    []float64
	now     sphereState
	next    sphereState // of the step being made; exchanged with now when it succeeded
	steps   uint64
	bad     first
	// The parts of a step, bound once: binding takes memory.
	predictWork, pairWork, finishWork func(worker, lo, hi int)
}

// sphereState is all that a step changes.
type sphereState struct {
	balls        []neighbor.Sphere
	velocity     []r3.Vector
	acceleration []r3.Vector
	pairs        []neighbor.Pair
	force        []r3.Vector // of pair i on its ball A
}

// NewSpheres returns the world that begins with the scene, of which it keeps copies, and
// finds contacts by method, which nobody else may use. It fails with ErrOptions, with
// ErrParticle naming the first bad ball, with neighbor.ErrBody where method does, or
// with the error of ctx. It panics if the number of velocities is wrong.
func NewSpheres(ctx context.Context, scene SphereScene, method neighbor.Method[neighbor.Sphere], o Options) (*Spheres, error) {
	if scene.Velocities != nil && len(scene.Velocities) != len(scene.Balls) {
		panic(fmt.Sprintf("dem: %d velocities of %d balls", len(scene.Velocities), len(scene.Balls)))
	}
	o, err := o.normal()
	if err != nil {
		return nil, err
	}
	w := &Spheres{opt: o, walls: scene.Walls, gravity: scene.Gravity, method: method}
	if w.walls == (bvh.Box{}) {
		inf := math.Inf(1)
		w.walls = bvh.Box{Min: r3.Vector{X: -inf, Y: -inf, Z: -inf}, Max: r3.Vector{X: inf, Y: inf, Z: inf}}
	}
	if err := checkSphereScene(scene, w.walls); err != nil {
		return nil, err
	}
	n := len(scene.Balls)
	for _, s := range []*sphereState{&w.now, &w.next} {
		s.balls = append([]neighbor.Sphere(nil), scene.Balls...)
		s.velocity = make([]r3.Vector, n)
		s.acceleration = make([]r3.Vector, n)
	}
	copy(w.next.velocity, scene.Velocities)
	w.mass = make([]float64, n)
	for i, b := range scene.Balls {
		w.mass[i] = sphereMass(b.Radius, o.Density)
		if !positive(w.mass[i]) {
			return nil, fmt.Errorf("dem: %w: ball %d of radius %v has the mass %v", ErrParticle, i, b.Radius, w.mass[i])
		}
	}
	w.predictWork, w.pairWork, w.finishWork = w.predict, w.pairForces, w.finish
	if err := w.forces(ctx); err != nil {
		return nil, err
	}
	w.begin()
	return w, nil
}

// checkSphereScene returns the error of the first bad ball.
func checkSphereScene(scene SphereScene, walls bvh.Box) error {
	if !(walls.Min.X < walls.Max.X && walls.Min.Y < walls.Max.Y && walls.Min.Z < walls.Max.Z) {
		return fmt.Errorf("dem: %w: walls from %v to %v enclose nothing", ErrOptions, walls.Min, walls.Max)
	}
	if g := scene.Gravity; !finite(g.X) || !finite(g.Y) || !finite(g.Z) {
		return fmt.Errorf("dem: %w: gravity %v is not finite", ErrOptions, g)
	}
	for i, b := range scene.Balls {
		c := b.Centre
		if !finite(c.X) || !finite(c.Y) || !finite(c.Z) {
			return fmt.Errorf("dem: %w: centre %v of ball %d is not finite", ErrParticle, c, i)
		}
		if !positive(b.Radius) {
			return fmt.Errorf("dem: %w: radius %v of ball %d, want a positive number", ErrParticle, b.Radius, i)
		}
		if !strictlyIn(walls, c) {
			return fmt.Errorf("dem: %w: centre %v of ball %d is not inside the walls from %v to %v", ErrParticle, c, i, walls.Min, walls.Max)
		}
	}
	for i, v := range scene.Velocities {
		if !finite(v.X) || !finite(v.Y) || !finite(v.Z) {
			return fmt.Errorf("dem: %w: velocity %v of ball %d is not finite", ErrParticle, v, i)
		}
	}
	return nil
}

// strictlyIn reports whether p is inside b and not on a side; NaN is not.
func strictlyIn(b bvh.Box, p r3.Vector) bool {
	return p.X > b.Min.X && p.X < b.Max.X && p.Y > b.Min.Y && p.Y < b.Max.Y && p.Z > b.Min.Z && p.Z < b.Max.Z
}

// Balls returns where the balls are. The slice belongs to the world, and is valid until the
// next step.
func (w *Spheres) Balls() []neighbor.Sphere { return w.now.balls }

// Velocities returns those of the balls, like Balls.
func (w *Spheres) Velocities() []r3.Vector { return w.now.velocity }

// Contacts returns the pairs that touch and the forces on their balls A (those on B are
// the opposite), like Balls; pairs are ordered by A, then B.
func (w *Spheres) Contacts() ([]neighbor.Pair, []r3.Vector) { return w.now.pairs, w.now.force }

// Mass returns that of ball i.
func (w *Spheres) Mass(i int) float64 { return w.mass[i] }

// Steps returns how many steps were made.
func (w *Spheres) Steps() uint64 { return w.steps }

// Time returns the time since the beginning: steps times their length.
func (w *Spheres) Time() float64 { return float64(w.steps) * w.opt.TimeStep }

// Energy returns the energy of all balls, summed in their order.
func (w *Spheres) Energy() Energy {
	var e Energy
	s := &w.now
	for i, v := range s.velocity {
		e.Kinetic += w.mass[i] * v.Norm2() / 2
		e.Potential -= w.mass[i] * w.gravity.Dot(s.balls[i].Centre)
		c, r := s.balls[i].Centre, s.balls[i].Radius
		e.Elastic += wallEnergy(c.X, r, w.walls.Min.X, w.walls.Max.X) +
			wallEnergy(c.Y, r, w.walls.Min.Y, w.walls.Max.Y) +
			wallEnergy(c.Z, r, w.walls.Min.Z, w.walls.Max.Z)
	}
	for _, p := range s.pairs {
		a, b := &s.balls[p.A], &s.balls[p.B]
		overlap := max(0, a.Radius+b.Radius-a.Centre.Sub(b.Centre).Norm())
		e.Elastic += overlap * overlap
	}
	e.Elastic *= w.opt.Stiffness / 2
	return e
}

// Momentum returns that of all balls, summed in their order.
func (w *Spheres) Momentum() r3.Vector {
	var sum r3.Vector
	for i, v := range w.now.velocity {
		sum = sum.Add(v.Mul(w.mass[i]))
	}
	return sum
}
