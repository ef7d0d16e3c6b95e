package dem

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem/internal/parallel"
	"github.com/inpoly/inpoly/neighbor"
)

// SphereScene is the initial state of a Spheres.
type SphereScene struct {
	// Balls may overlap, but two balls must not have the same center.
	Balls []neighbor.Sphere
	// Velocities has the velocity of each ball. It is nil if all balls are at rest.
	Velocities []r3.Vector
	// Walls is a box around the centers of all balls. The centers must be strictly inside the box.
	// The sides of the box push the balls back like other balls do. A side at infinity is no wall.
	// The zero Box means no walls.
	Walls bvh.Box
	// Periodic connects the opposite sides of Walls on the axes x, y and z. The sides on these axes
	// must be finite. They are not walls: a ball that leaves through one side enters through the
	// opposite side, and balls touch each other through the sides. Balls can start anywhere on
	// these axes. No diameter may exceed the distance of the sides.
	Periodic [3]bool
	// Gravity is the acceleration of a ball that nothing touches.
	Gravity r3.Vector
}

// DiskScene is the initial state of a Disks.
type DiskScene struct {
	// Disks may overlap, but two disks must not have the same center.
	Disks []neighbor.Disk
	// Velocities has the velocity of each disk. It is nil if all disks are at rest.
	Velocities []r2.Point
	// Walls is a rectangle around the centers of all disks. The centers must be strictly inside the
	// rectangle. The sides of the rectangle push the disks back like other disks do. A side at
	// infinity is no wall. The zero Rect means no walls.
	Walls neighbor.Rect
	// Periodic connects the opposite sides of Walls on the axes x and y, as in a SphereScene.
	Periodic [2]bool
	// Gravity is the acceleration of a disk that nothing touches.
	Gravity r2.Point
}

// Spheres is a world of balls in space. It uses the forces of Muth, Müller, Eberhard, Luding 2007,
// eq. 1, and the Verlet integrator. One goroutine at a time may use a Spheres.
type Spheres struct {
	world[neighbor.Sphere, r3.Vector]
}

// Disks is a world of disks in the plane with the forces and the integrator of Spheres. One
// goroutine at a time may use a Disks.
type Disks struct {
	world[neighbor.Disk, r2.Point]
}

// NewSpheres returns a world that starts with a copy of the scene. The world finds contacts with
// the given method, which no other code may use. NewSpheres panics if the number of velocities is
// wrong.
//
// Errors: ErrOptions; ErrParticle; neighbor.ErrBody from the method; the error of ctx. ErrParticle
// names the first bad ball, or two balls whose force on each other is not finite.
func NewSpheres(ctx context.Context, scene SphereScene, method neighbor.Method[neighbor.Sphere], o Options) (*Spheres, error) {
	w := new(Spheres)
	w.noun, w.massOf, w.method, w.walls, w.gravity = "ball", sphereMass, method, scene.Walls, scene.Gravity
	if w.walls == (bvh.Box{}) && scene.Periodic == [3]bool{} {
		w.walls = noWalls()
	}
	if err := w.start(ctx, scene.Balls, scene.Velocities, scene.Periodic, o); err != nil {
		return nil, err
	}
	return w, nil
}

// NewDisks returns a world of disks in the plane. The scene, the method and the errors are as for
// NewSpheres.
func NewDisks(ctx context.Context, scene DiskScene, method neighbor.Method[neighbor.Disk], o Options) (*Disks, error) {
	w := new(Disks)
	w.noun, w.massOf, w.method, w.walls, w.gravity = "disk", diskMass, method, wallBox(scene.Walls), in3D(&scene.Gravity)
	if err := w.start(ctx, scene.Disks, scene.Velocities, [3]bool{scene.Periodic[0], scene.Periodic[1]}, o); err != nil {
		return nil, err
	}
	return w, nil
}

// Balls returns the balls at their current positions. On periodic axes, their centers are between
// the sides of the cell (neighbor.Cell.Wrap); see Unwrapped. The slice belongs to the world and is valid
// until the next step.
func (w *Spheres) Balls() []neighbor.Sphere { return w.now.bodies }

// Disks returns the disks at their current positions. On periodic axes, their centers are between
// the sides of the cell (neighbor.Cell.Wrap); see Unwrapped. The slice belongs to the world and is valid
// until the next step.
func (w *Disks) Disks() []neighbor.Disk { return w.now.bodies }

// world is the common part of Spheres and Disks. It computes with vectors in space. For disks,
// all z are 0.
type world[B ball, V vector] struct {
	clock
	noun    string // name of a particle in messages
	massOf  func(radius, density float64) float64
	method  neighbor.Method[B]
	walls   bvh.Box   // sides on periodic axes are at infinity
	border  border[B] // the periodic axes
	gravity r3.Vector
	mass    []float64
	now     ballState[B, V]
	next    ballState[B, V]    // state after the step; it becomes the current state if the step succeeds
	found   []neighbor.Pair    // pairs of the method, unless an axis is periodic
	across  []neighbor.Contact // contacts of the method if an axis is periodic
	reach   atomic.Int32       // largest difference of the indices of two particles that touch
	phases  [2]parallel.Phase  // the loops over pairs and over particles
	bad     parallel.MinIndex  // index of the first particle that makes a step fail
	awake   parallel.Awake
	badPair parallel.MinIndex // index of the first pair that makes a step fail
	// These functions do the parts of a step. They are fields, because making a function value
	// allocates.
	predictWork, pairWork, startWork, finishWork func(worker, lo, hi int)
}

type ballState[B ball, V vector] struct {
	bodies       []B
	velocity     []V
	acceleration []V
	pairs        []neighbor.Pair
	force        []V // force[i] is the force of pairs[i] on its particle A
	// images and crossings are nil if no axis is periodic. images[i] is the number of periods on
	// each axis by which particle B of pairs[i] moves to touch A. crossings has an element for each
	// particle.
	images    [][3]int32
	crossings []crossings
}

// start copies and checks the particles. It also computes the forces at time zero.
func (w *world[B, V]) start(ctx context.Context, bodies []B, velocities []V, periodic [3]bool, o Options) (err error) {
	if velocities != nil && len(velocities) != len(bodies) {
		panic(fmt.Sprintf("dem: %d velocities for %d %ss: the numbers must be equal", len(velocities), len(bodies), w.noun))
	}
	if w.opt, err = o.withDefaults(); err != nil {
		return err
	}
	if o.Friction != 0 {
		return fmt.Errorf("dem: %w: coefficient of friction %v must be zero, because %ss do not rotate: use package rigid for balls with friction", ErrOptions, o.Friction, w.noun)
	}
	if w.border, w.method, w.walls, err = newBorder(w.method, w.walls, periodic); err != nil {
		return err
	}
	if err := checkWalls(w.walls, w.gravity); err != nil {
		return err
	}
	for _, s := range []*ballState[B, V]{&w.now, &w.next} {
		s.bodies = append([]B(nil), bodies...)
		s.velocity = make([]V, len(bodies))
		s.acceleration = make([]V, len(bodies))
		if w.border.periodic {
			s.crossings = make([]crossings, len(bodies))
		}
	}
	copy(w.next.velocity, velocities)
	w.mass = make([]float64, len(bodies))
	for i := range bodies {
		if err := w.checkBall(i); err != nil {
			return err
		}
	}
	w.predictWork, w.pairWork, w.startWork, w.finishWork = w.predict, w.pairForces, w.firstAccelerations, w.finish
	if err := w.forces(ctx, w.startWork); err != nil {
		return err
	}
	if i, ok := w.bad.Get(); ok {
		return w.tooStrong(i)
	}
	w.now, w.next = w.next, w.now
	return nil
}

// checkBall checks particle i of the next state and computes its mass.
func (w *world[B, V]) checkBall(i int) error {
	c, r := centerRadius(&w.next.bodies[i])
	if !finiteVector(c) {
		return fmt.Errorf("dem: %w: center %v of %s %d is not finite", ErrParticle, as[V](c), w.noun, i)
	}
	if w.border.periodic {
		in, _, ok := w.border.wrap(c, &w.next.crossings[i])
		if !ok {
			return fmt.Errorf("dem: %w: center %v of %s %d is too far from the periodic cell from %v to %v",
				ErrParticle, as[V](c), w.noun, i, as[V](w.border.cell.Min), as[V](w.border.cell.Max))
		}
		c = in
		setCenter(&w.next.bodies[i], c)
	}
	if !positive(r) {
		return fmt.Errorf("dem: %w: radius %v of %s %d must be a positive number", ErrParticle, r, w.noun, i)
	}
	if !strictlyIn(w.walls, c) {
		return fmt.Errorf("dem: %w: center %v of %s %d is not inside the walls from %v to %v",
			ErrParticle, as[V](c), w.noun, i, as[V](w.walls.Min), as[V](w.walls.Max))
	}
	if v := &w.next.velocity[i]; !finiteVector(in3D(v)) {
		return fmt.Errorf("dem: %w: velocity %v of %s %d is not finite", ErrParticle, *v, w.noun, i)
	}
	w.mass[i] = w.massOf(r, w.opt.Density)
	if !positive(w.mass[i]) {
		return fmt.Errorf("dem: %w: %s %d of radius %v has the mass %v: the mass must be a positive number", ErrParticle, w.noun, i, r, w.mass[i])
	}
	return nil
}

// tooStrong returns the error for particle i of the next state if its acceleration is not finite.
func (w *world[B, V]) tooStrong(i int) error {
	s := &w.next
	for p, pair := range s.pairs {
		if (int(pair.A) == i || int(pair.B) == i) && !finiteVector(in3D(&s.force[p])) {
			return fmt.Errorf("dem: %w: the initial force between %ss %d and %d would be %v: the stiffness or the damping is too large",
				ErrParticle, w.noun, pair.A, pair.B, s.force[p])
		}
	}
	return fmt.Errorf("dem: %w: the initial acceleration of %s %d of mass %v would be %v: the stiffness or the damping is too large, or the mass is too small",
		ErrParticle, w.noun, i, w.mass[i], s.acceleration[i])
}

// Velocities returns the velocities of the particles. The slice belongs to the world and is valid
// until the next step.
func (w *world[B, V]) Velocities() []V { return w.now.velocity }

// Contacts returns the pairs that touch, ordered by A, then B, then Images. For each pair it also returns the
// force on particle A. The force on particle B is the opposite force. The slices belong to the
// world and are valid until the next step.
func (w *world[B, V]) Contacts() ([]neighbor.Pair, []V) { return w.now.pairs, w.now.force }

// Images returns, for each pair of Contacts, by how many periods particle B moves to touch particle
// A; see neighbor.Contact.Image. A pair can occur several times in Contacts with different images,
// and a particle can touch its own image. Images returns nil if no axis is periodic. The slice
// belongs to the world and is valid until the next step.
func (w *world[B, V]) Images() [][3]int32 { return w.now.images }

// Unwrapped returns where the center of particle i would be if space did not repeat: the initial
// center plus the displacement since then. Without periodic axes, it is the center.
func (w *world[B, V]) Unwrapped(i int) V { return as[V](w.unwrapped(i)) }

func (w *world[B, V]) unwrapped(i int) r3.Vector {
	c, _ := centerRadius(&w.now.bodies[i])
	if !w.border.periodic {
		return c
	}
	return w.border.unwrap(c, w.now.crossings[i])
}

// Mass returns the mass of particle i.
func (w *world[B, V]) Mass(i int) float64 { return w.mass[i] }

// Energy returns the energy of all particles, added in the order of the particles. The potential
// energy belongs to the unwrapped positions. Energy takes O(n) time for n particles.
func (w *world[B, V]) Energy() Energy {
	var e Energy
	s := &w.now
	for i := range s.bodies {
		v := in3D(&s.velocity[i])
		c, r := centerRadius(&s.bodies[i])
		e.Kinetic += w.mass[i] * v.Norm2() / 2
		e.Potential -= w.mass[i] * w.gravity.Dot(w.unwrapped(i))
		e.Elastic += wallEnergy(c.X, r, w.walls.Min.X, w.walls.Max.X) +
			wallEnergy(c.Y, r, w.walls.Min.Y, w.walls.Max.Y) +
			wallEnergy(c.Z, r, w.walls.Min.Z, w.walls.Max.Z)
	}
	for i, p := range s.pairs {
		a, ra := centerRadius(&s.bodies[p.A])
		b, rb := centerRadius(&s.bodies[p.B])
		delta := a.Sub(b)
		if s.images != nil {
			delta = w.border.move(delta, opposite(s.images[i]))
		}
		overlap := max(0, ra+rb-delta.Norm())
		e.Elastic += overlap * overlap
	}
	e.Elastic *= w.opt.Stiffness / 2
	return e
}

// Momentum returns the momentum of all particles, added in the order of the particles.
func (w *world[B, V]) Momentum() V {
	var sum r3.Vector
	for i := range w.now.velocity {
		sum = sum.Add(scaled(w.mass[i], in3D(&w.now.velocity[i])))
	}
	return as[V](sum)
}

func sphereMass(radius, density float64) float64 {
	return 4 * math.Pi / 3 * density * radius * radius * radius
}

func diskMass(radius, density float64) float64 { return math.Pi * density * radius * radius }
