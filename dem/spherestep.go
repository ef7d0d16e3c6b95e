package dem

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Step moves the world on by one time step. If it fails, with ErrParticle for a ball that
// would get behind a wall as a whole or to the centre of another one, or whose velocity
// would not be finite, with neighbor.ErrBody for one that would fly out of all range, or with
// the error of ctx, the world is as before.
//
// The integrator is Verlet's in the form that keeps velocities: positions are, but for
// rounding, those of x(t+h) = 2x(t) − x(t−h) + h²·F/m, which the paper takes. The
// dashpot is given the velocities v(t) + h·a(t), which keeps the order of two.
func (w *Spheres) Step(ctx context.Context) error {
	w.bad.reset()
	if err := run(ctx, len(w.mass), w.opt.Workers, w.predictWork); err != nil {
		return err
	}
	if i, ok := w.bad.get(); ok {
		return fmt.Errorf("dem: %w: ball %d would leave the walls: the time step is too long or the stiffness too small for its velocity %v",
			ErrParticle, i, w.now.velocity[i])
	}
	if err := w.forces(ctx); err != nil {
		return err
	}
	if err := run(ctx, len(w.mass), w.opt.Workers, w.finishWork); err != nil {
		return err
	}
	if i, ok := w.bad.get(); ok {
		return fmt.Errorf("dem: %w: ball %d would get the velocity %v: the time step is too long or the stiffness too large",
			ErrParticle, i, w.next.velocity[i])
	}
	w.now, w.next = w.next, w.now
	w.steps++
	return nil
}

// predict moves balls [lo, hi) and gives them the velocities v(t) + h·a(t).
func (w *Spheres) predict(_, lo, hi int) {
	h := w.opt.TimeStep
	for i := lo; i < hi; i++ {
		x, v, a := w.now.balls[i].Centre, w.now.velocity[i], w.now.acceleration[i]
		to := x.Add(v.Add(a.Mul(h / 2)).Mul(h))
		r := w.now.balls[i].Radius
		all := r3.Vector{X: r, Y: r, Z: r}
		if !strictlyIn(bvh.Box{Min: w.walls.Min.Sub(all), Max: w.walls.Max.Add(all)}, to) {
			w.bad.report(i)
		}
		w.next.balls[i].Centre = to
		w.next.velocity[i] = v.Add(a.Mul(h))
	}
}

// forces finds the pairs of the next state and sums what acts on its balls, by pairs in their
// order, as forces in its accelerations. Walls and gravity come with finish.
func (w *Spheres) forces(ctx context.Context) error {
	if err := w.method.Update(ctx, w.next.balls); err != nil {
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
		return fmt.Errorf("dem: %w: balls %d and %d have the same centre", ErrParticle, pairs[p].A, pairs[p].B)
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
func (w *Spheres) pairForces(_, lo, hi int) {
	s := &w.next
	k, d := w.opt.Stiffness, w.opt.Damping
	for p := lo; p < hi; p++ {
		pair := s.pairs[p]
		a, b := &s.balls[pair.A], &s.balls[pair.B]
		delta := a.Centre.Sub(b.Centre)
		distance := math.Sqrt(delta.Norm2())
		overlap := a.Radius + b.Radius - distance
		if distance == 0 {
			w.bad.report(p)
		}
		if !(overlap > 0) {
			s.force[p] = r3.Vector{}
			continue
		}
		n := delta.Mul(1 / distance)
		f := float64(k * overlap)
		if d > 0 {
			f -= float64(d * s.velocity[pair.A].Sub(s.velocity[pair.B]).Dot(n))
		}
		s.force[p] = n.Mul(f)
	}
}

// finish adds walls and gravity for balls [lo, hi) and gives them their velocities:
// v(t) + h·(a(t) + a(t+h))/2.
func (w *Spheres) finish(_, lo, hi int) {
	s := &w.next
	h := w.opt.TimeStep / 2
	for i := lo; i < hi; i++ {
		a := w.accelerate(i)
		s.acceleration[i] = a
		s.velocity[i] = s.velocity[i].Add(a.Sub(w.now.acceleration[i]).Mul(h))
		if v := s.velocity[i]; !finite(v.X) || !finite(v.Y) || !finite(v.Z) {
			w.bad.report(i)
		}
	}
}

// begin makes the next state, whose forces are known, the first one.
func (w *Spheres) begin() {
	for i := range w.mass {
		w.next.acceleration[i] = w.accelerate(i)
	}
	w.now, w.next = w.next, w.now
}

// accelerate returns the acceleration of ball i by the forces summed in its place,
// walls and gravity.
func (w *Spheres) accelerate(i int) r3.Vector {
	s := &w.next
	b, v, f := &s.balls[i], s.velocity[i], s.acceleration[i]
	k, d := w.opt.Stiffness, w.opt.Damping
	f.X += wallForce(b.Centre.X, v.X, b.Radius, w.walls.Min.X, w.walls.Max.X, k, d)
	f.Y += wallForce(b.Centre.Y, v.Y, b.Radius, w.walls.Min.Y, w.walls.Max.Y, k, d)
	f.Z += wallForce(b.Centre.Z, v.Z, b.Radius, w.walls.Min.Z, w.walls.Max.Z, k, d)
	return f.Mul(1 / w.mass[i]).Add(w.gravity)
}
