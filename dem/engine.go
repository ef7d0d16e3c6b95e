package dem

import (
	"context"
	"fmt"

	"github.com/inpoly/inpoly/neighbor"
)

// engine is what Spheres and Disks have in common: particles that are bodies of type B, with
// places and velocities of type V, and the course of a step.
type engine[B neighbor.Body, V any] struct {
	opt     Options
	noun    string // what a particle is called
	method  neighbor.Method[B]
	mass    []float64
	now     state[B, V]
	next    state[B, V] // of the step being made; exchanged with now when it succeeded
	steps   uint64
	bad     first
	kernels kernels[V]
}

// state is all that a step changes.
type state[B neighbor.Body, V any] struct {
	bodies       []B
	velocity     []V
	acceleration []V
	pairs        []neighbor.Pair
	force        []V // of pair i on its particle A
}

// kernels are the parts of a step that compute with vectors, each written for space and for the plane:
// methods of a type parameter would be called through a table for every sum of two
// vectors. They are bound once: binding takes memory.
type kernels[V any] struct {
	// predict moves particles [lo, hi) and gives them the velocities v(t) + h·a(t). It reports
	// those that leave the walls.
	predict func(worker, lo, hi int)
	// pairs computes the forces of pairs [lo, hi), eq. 1 and 2 of Muth, Müller, Eberhard,
	// Luding 2007. It reports those of the same center.
	pairs func(worker, lo, hi int)
	// sum makes accelerations the sums of the forces of pairs, in their order.
	sum func()
	// begin makes these sums for particles [lo, hi) accelerations, with walls and gravity, and
	// reports those that are not finite.
	begin func(worker, lo, hi int)
	// finish does that as well and gives the particles their velocities,
	// v(t) + h·(a(t) + a(t+h))/2. It reports those that are not finite.
	finish func(worker, lo, hi int)
	// finite reports whether all components are finite.
	finite func(V) bool
}

// fill puts copies of the particles, which have been checked, into both states.
func (e *engine[B, V]) fill(bodies []B, velocities []V, method neighbor.Method[B], o Options) {
	e.opt, e.method = o, method
	for _, s := range []*state[B, V]{&e.now, &e.next} {
		s.bodies = append([]B(nil), bodies...)
		s.velocity = make([]V, len(bodies))
		s.acceleration = make([]V, len(bodies))
	}
	copy(e.next.velocity, velocities)
	e.mass = make([]float64, len(bodies))
}

// weigh takes the mass of particle i.
func (e *engine[B, V]) weigh(i int, radius, mass float64) error {
	if !positive(mass) {
		return fmt.Errorf("dem: %w: %s %d of radius %v has the mass %v", ErrParticle, e.noun, i, radius, mass)
	}
	e.mass[i] = mass
	return nil
}

// begin computes the forces at the beginning.
func (e *engine[B, V]) begin(ctx context.Context) error {
	if err := e.forces(ctx); err != nil {
		return err
	}
	if err := forEachBlock(ctx, len(e.mass), e.opt.Workers, e.kernels.begin); err != nil {
		return err
	}
	if i, ok := e.bad.get(); ok {
		return e.tooStrong(i)
	}
	e.now, e.next = e.next, e.now
	return nil
}

// tooStrong returns the error for particle i of the next state, whose acceleration is not finite.
func (e *engine[B, V]) tooStrong(i int) error {
	s := &e.next
	for p, pair := range s.pairs {
		if (int(pair.A) == i || int(pair.B) == i) && !e.kernels.finite(s.force[p]) {
			return fmt.Errorf("dem: %w: %ss %d and %d would begin with the force %v on each other: the stiffness or the damping is too large",
				ErrParticle, e.noun, pair.A, pair.B, s.force[p])
		}
	}
	return fmt.Errorf("dem: %w: %s %d of mass %v would begin with the acceleration %v: the stiffness or the damping is too large, or the mass too small",
		ErrParticle, e.noun, i, e.mass[i], s.acceleration[i])
}

// Step moves the world on by one time step. If it fails, with ErrParticle for a particle that
// would get behind a wall as a whole or to the center of another one, or whose velocity
// would not be finite, with neighbor.ErrBody for one that would fly out of all range, or with
// the error of ctx, the world is as before.
//
// The integrator is Verlet's in the form that keeps velocities: positions are, but for
// rounding, those of x(t+h) = 2x(t) − x(t−h) + h²·F/m, which the paper takes. The
// dashpot is given the velocities v(t) + h·a(t), which keeps the order of two.
func (e *engine[B, V]) Step(ctx context.Context) error {
	e.bad.reset()
	if err := forEachBlock(ctx, len(e.mass), e.opt.Workers, e.kernels.predict); err != nil {
		return err
	}
	if i, ok := e.bad.get(); ok {
		return fmt.Errorf("dem: %w: %s %d would leave the walls: the time step is too long for its velocity %v and acceleration %v, or the stiffness too small",
			ErrParticle, e.noun, i, e.now.velocity[i], e.now.acceleration[i])
	}
	if err := e.forces(ctx); err != nil {
		return err
	}
	if err := forEachBlock(ctx, len(e.mass), e.opt.Workers, e.kernels.finish); err != nil {
		return err
	}
	if i, ok := e.bad.get(); ok {
		return fmt.Errorf("dem: %w: %s %d would get the velocity %v: the time step is too long or the stiffness too large",
			ErrParticle, e.noun, i, e.next.velocity[i])
	}
	e.now, e.next = e.next, e.now
	e.steps++
	return nil
}

// forces finds the pairs of the next state and sums what acts on its particles, by pairs in their
// order, as forces in its accelerations. Walls and gravity come later.
func (e *engine[B, V]) forces(ctx context.Context) error {
	if err := e.method.Update(ctx, e.next.bodies); err != nil {
		return fmt.Errorf("dem: %w", err)
	}
	s := &e.next
	pairs := e.method.Pairs()
	s.pairs = resized(s.pairs, len(pairs))
	copy(s.pairs, pairs)
	s.force = resized(s.force, len(pairs))
	e.bad.reset()
	if err := forEachBlock(ctx, len(pairs), e.opt.Workers, e.kernels.pairs); err != nil {
		return err
	}
	if p, ok := e.bad.get(); ok {
		return fmt.Errorf("dem: %w: %ss %d and %d have the same center", ErrParticle, e.noun, pairs[p].A, pairs[p].B)
	}
	e.kernels.sum()
	return nil
}

// Velocities returns those of the particles. The slice belongs to the world, and is valid until
// the next step.
func (e *engine[B, V]) Velocities() []V { return e.now.velocity }

// Contacts returns the pairs that touch and the forces on their particles A (those on B are
// the opposite), like Velocities; pairs are ordered by A, then B.
func (e *engine[B, V]) Contacts() ([]neighbor.Pair, []V) { return e.now.pairs, e.now.force }

// Mass returns that of particle i.
func (e *engine[B, V]) Mass(i int) float64 { return e.mass[i] }

// Steps returns how many steps were made.
func (e *engine[B, V]) Steps() uint64 { return e.steps }

// Time returns the time since the beginning: steps times their length.
func (e *engine[B, V]) Time() float64 { return float64(e.steps) * e.opt.TimeStep }
