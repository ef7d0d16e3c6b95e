package rigid

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem/internal/parallel"
)

// bodyBlock is the number of bodies in a block. A block takes some 10 µs. // tuning
const bodyBlock = 64

// Step advances the world by one time step. If Step fails, the world does not change.
//
// The integrator is the velocity Verlet method, with the rotation of inertia.turn. The integrator
// has the order 2. Forces use the velocities v(t) + h·a(t), where h is the time step and a the
// acceleration. Their error is of order h², so the order stays 2.
//
// Errors: ErrBody if a body would move by more than its own radius or turn by more than a radian in
// the step, if its velocity would not be finite, or if two balls would have the same center; an
// error of package neighbor or collide for a body out of their range; the error of ctx.
func (w *World) Step(ctx context.Context) error {
	w.awake.Begin(w.opt.Workers)
	defer w.awake.End()
	w.bad.Reset()
	if err := parallel.ForEachBlock(ctx, len(w.bodies), bodyBlock, w.opt.Workers, w.predict); err != nil {
		return err
	}
	if i, ok := w.bad.Get(); ok {
		m := &w.now.motions[i]
		return fmt.Errorf("rigid: %w: body %d would move by more than its radius %.3g or turn by more than a radian in a step: the time step is too long for its velocity %v and spin %v, or springs are too stiff",
			ErrBody, i, w.bodies[i].shape.reach, m.velocity, m.spin)
	}
	if err := w.forces(ctx); err != nil {
		return err
	}
	w.bad.Reset()
	if err := parallel.ForEachBlock(ctx, len(w.bodies), bodyBlock, w.opt.Workers, w.finish); err != nil {
		return err
	}
	if i, ok := w.bad.Get(); ok {
		m := &w.next.motions[i]
		return fmt.Errorf("rigid: %w: body %d would get the velocity %v and the spin %v: the time step is too long or springs are too stiff",
			ErrBody, i, m.velocity, m.spin)
	}
	w.now, w.next = w.next, w.now
	w.steps++
	return nil
}

// accelerations returns the acceleration of a body and the moment on it.
func (w *World) accelerations(i int, m *motion) (a, torque r3.Vector) {
	return scaled(1/w.bodies[i].mass, m.force).Add(w.gravity), m.torque
}

// predict moves bodies [lo, hi) and sets their velocities to v(t) + h·a(t). If a body moves too
// far, predict reports it to w.bad.
func (w *World) predict(_, lo, hi int) {
	h := w.opt.TimeStep
	for i := lo; i < hi; i++ {
		b, old, m := &w.bodies[i], &w.now.motions[i], &w.next.motions[i]
		*m = *old
		if old.removed {
			continue
		}
		a, torque := w.accelerations(i, old)
		move := scaled(h, old.velocity.Add(scaled(h/2, a)))
		half := old.momentum.Add(scaled(h/2, torque))
		m.pose.Rotation = b.inertia.turn(old.pose.Rotation, old.rotation.back(half), h)
		m.rotation = matrixOf(m.pose.Rotation)
		m.center = old.center.Add(move)
		m.pose.Translation = m.center.Sub(m.rotation.apply(b.shape.center))
		m.velocity, m.momentum = old.velocity.Add(scaled(h, a)), old.momentum.Add(scaled(h, torque))
		m.updateSpin(b)
		if turn := scaled(h, m.spin); !(length(move) <= b.shape.reach && length(turn) <= 1) {
			w.bad.Report(i)
		}
	}
}

// finish sets the velocities of bodies [lo, hi) to v(t) + h·(a(t) + a(t+h))/2. It removes bodies
// that have left the bounds. If a velocity is not finite, finish reports the body to w.bad.
func (w *World) finish(_, lo, hi int) {
	half := w.opt.TimeStep / 2
	for i := lo; i < hi; i++ {
		old, m := &w.now.motions[i], &w.next.motions[i]
		if old.removed {
			continue
		}
		before, torqueBefore := w.accelerations(i, old)
		a, torque := w.accelerations(i, m)
		m.velocity = m.velocity.Add(scaled(half, a.Sub(before)))
		m.momentum = m.momentum.Add(scaled(half, torque.Sub(torqueBefore)))
		m.updateSpin(&w.bodies[i])
		if !finite(m.velocity) || !finite(m.momentum) || !finite(m.spin) {
			w.bad.Report(i)
		}
		m.removed = !w.inBounds(m.center)
	}
}

// sum adds the forces of all contacts to their bodies. Each body adds its forces in the order of the
// contacts, for any number of workers.
func (w *World) sum(ctx context.Context) error {
	s, n := &w.next, len(w.bodies)
	if n == 0 {
		return nil
	}
	add := func(i int32, c *Contact, at, force r3.Vector) {
		m := &s.motions[i]
		m.force = m.force.Add(force)
		m.torque = m.torque.Add(at.Sub(m.center).Cross(force))
		if c.Pitch != 0 {
			m.torque = m.torque.Add(scaled(float64(c.Pitch*force.Dot(c.Normal)), c.Normal))
		}
	}
	// Every worker reads the numbers of all bodies, but only the contacts of its own bodies.
	size := max(bodyBlock, (n+w.opt.Workers-1)/w.opt.Workers)
	return parallel.ForEachBlock(ctx, n, size, w.opt.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.motions[i].force, s.motions[i].torque = r3.Vector{}, r3.Vector{}
		}
		first, last := int32(lo), int32(hi)
		for i, e := range w.ends {
			if e[0] >= first && e[0] < last {
				add(e[0], &s.contacts[i], s.contacts[i].Point, s.contacts[i].Force)
			}
			if e[1] >= first && e[1] < last {
				c := &s.contacts[i]
				add(e[1], c, c.Point.Sub(w.shift(c.Image)), scaled(-1, c.Force))
			}
		}
	})
}
