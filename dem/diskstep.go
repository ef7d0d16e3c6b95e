package dem

import (
	"context"
	"fmt"

	"github.com/golang/geo/r2"
)

// Step moves the world on by one time step. If it fails, with ErrParticle for a disk that
// would get behind a wall as a whole or to the centre of another one, or whose velocity
// would not be finite, with neighbor.ErrBody for one that would fly out of all range, or with
// the error of ctx, the world is as before.
//
// The integrator is Verlet's in the form that keeps velocities: positions are, but for
// rounding, those of x(t+h) = 2x(t) − x(t−h) + h²·F/m, which the paper takes. The
// dashpot is given the velocities v(t) + h·a(t), which keeps the order of two.
func (w *Disks) Step(ctx context.Context) error {
	w.bad.reset()
	if err := run(ctx, len(w.mass), w.opt.Workers, w.predictWork); err != nil {
		return err
	}
	if i, ok := w.bad.get(); ok {
		return fmt.Errorf("dem: %w: disk %d would leave the walls: the time step is too long or the stiffness too small for its velocity %v",
			ErrParticle, i, w.now.velocity[i])
	}
	if err := w.forces(ctx); err != nil {
		return err
	}
	if err := run(ctx, len(w.mass), w.opt.Workers, w.finishWork); err != nil {
		return err
	}
	if i, ok := w.bad.get(); ok {
		return fmt.Errorf("dem: %w: disk %d would get the velocity %v: the time step is too long or the stiffness too large",
			ErrParticle, i, w.next.velocity[i])
	}
	w.now, w.next = w.next, w.now
	w.steps++
	return nil
}

// predict moves disks [lo, hi) and gives them the velocities v(t) + h·a(t).
func (w *Disks) predict(_, lo, hi int) {
	h := w.opt.TimeStep
	for i := lo; i < hi; i++ {
		x, v, a := w.now.disks[i].Centre, w.now.velocity[i], w.now.acceleration[i]
		to := x.Add(times(h, v.Add(times(h/2, a))))
		if r := w.now.disks[i].Radius; !strictlyWithin(around(w.walls, r), to) {
			w.bad.report(i)
		}
		w.next.disks[i].Centre = to
		w.next.velocity[i] = v.Add(times(h, a))
	}
}

// forces finds the pairs of the next state and sums what acts on its disks, by pairs in their
// order, as forces in its accelerations. Walls and gravity come with finish.
func (w *Disks) forces(ctx context.Context) error {
	if err := w.method.Update(ctx, w.next.disks); err != nil {
		return fmt.Errorf("dem: %w", err)
	}
	s := &w.next
	pairs := w.method.Pairs()
	s.pairs = resized(s.pairs, len(pairs))
	copy(s.pairs, pairs)
	s.force = resized(s.force, len(pairs))
	w.bad.reset()
	if err := run(ctx, len(pairs), w.opt.Workers, w.pairWork); err != nil {
		return err
	}
	if p, ok := w.bad.get(); ok {
		return fmt.Errorf("dem: %w: disks %d and %d have the same centre", ErrParticle, pairs[p].A, pairs[p].B)
	}
	clear(s.acceleration)
	for p, pair := range s.pairs {
		f := s.force[p]
		s.acceleration[pair.A] = s.acceleration[pair.A].Add(f)
		s.acceleration[pair.B] = s.acceleration[pair.B].Sub(f)
	}
	return nil
}

// pairForces computes the forces of pairs [lo, hi), eq. 1 and 2 of the paper.
func (w *Disks) pairForces(_, lo, hi int) {
	s := &w.next
	k, d := w.opt.Stiffness, w.opt.Damping
	for p := lo; p < hi; p++ {
		pair := s.pairs[p]
		a, b := &s.disks[pair.A], &s.disks[pair.B]
		delta := a.Centre.Sub(b.Centre)
		distance := length(delta)
		overlap := a.Radius + b.Radius - distance
		if distance == 0 {
			w.bad.report(p)
		}
		if !(overlap > 0) {
			s.force[p] = r2.Point{}
			continue
		}
		n := times(1/distance, delta)
		f := float64(k * overlap)
		if d > 0 {
			f -= float64(d * dot(s.velocity[pair.A].Sub(s.velocity[pair.B]), n))
		}
		s.force[p] = times(f, n)
	}
}

// finish adds walls and gravity for disks [lo, hi) and gives them their velocities:
// v(t) + h·(a(t) + a(t+h))/2.
func (w *Disks) finish(_, lo, hi int) {
	s := &w.next
	h := w.opt.TimeStep / 2
	for i := lo; i < hi; i++ {
		a := w.accelerate(i)
		s.acceleration[i] = a
		s.velocity[i] = s.velocity[i].Add(times(h, a.Sub(w.now.acceleration[i])))
		if !finitePoint(s.velocity[i]) {
			w.bad.report(i)
		}
	}
}

// begin makes the next state, whose forces are known, the first one.
func (w *Disks) begin() {
	for i := range w.mass {
		w.next.acceleration[i] = w.accelerate(i)
	}
	w.now, w.next = w.next, w.now
}

// accelerate returns the acceleration of disk i by the forces summed in its place,
// walls and gravity.
func (w *Disks) accelerate(i int) r2.Point {
	s := &w.next
	b, v, f := &s.disks[i], s.velocity[i], s.acceleration[i]
	k, d := w.opt.Stiffness, w.opt.Damping
	f.X += wallForce(b.Centre.X, v.X, b.Radius, w.walls.Min.X, w.walls.Max.X, k, d)
	f.Y += wallForce(b.Centre.Y, v.Y, b.Radius, w.walls.Min.Y, w.walls.Max.Y, k, d)
	return times(1/w.mass[i], f).Add(w.gravity)
}
