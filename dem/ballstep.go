package dem

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem/internal/parallel"
	"github.com/inpoly/inpoly/neighbor"
)

// Step advances the world by one time step. If Step fails, the world does not change.
//
// The integrator is the Verlet method in the form that stores velocities. Let h be the time step.
// Let x, v and a be the position, the velocity and the acceleration of a particle. Except for
// rounding, x(t+h) = 2x(t) − x(t−h) + h²·a(t), the formula of Muth, Müller, Eberhard, Luding 2007.
// The damping uses the velocities v(t) + h·a(t). Their error is of order h², so the method retains
// its order 2.
//
// Errors: ErrParticle if a particle would be completely behind a wall, would have the same center
// as another particle, or would have a velocity that is not finite; neighbor.ErrBody if a particle
// is out of the range of the method; the error of ctx.
func (w *world[B, V]) Step(ctx context.Context) error {
	w.awake.Begin(w.opt.Workers)
	defer w.awake.End()
	w.bad.Reset()
	if err := parallel.ForEachBlock(ctx, len(w.mass), blockSize, w.opt.Workers, w.predictWork); err != nil {
		return err
	}
	if i, ok := w.bad.Get(); ok {
		return fmt.Errorf("dem: %w: %s %d would leave the space between the walls: the time step is too long for its velocity %v and acceleration %v, or the stiffness is too small",
			ErrParticle, w.noun, i, w.now.velocity[i], w.now.acceleration[i])
	}
	if err := w.forces(ctx, w.finishWork); err != nil {
		return err
	}
	if i, ok := w.bad.Get(); ok {
		return fmt.Errorf("dem: %w: %s %d would get the velocity %v: the time step is too long or the stiffness too large",
			ErrParticle, w.noun, i, w.next.velocity[i])
	}
	w.now, w.next = w.next, w.now
	w.steps++
	return nil
}

// predict moves particles [lo, hi) and sets their velocities to v(t) + h·a(t). If a particle leaves
// the walls, predict reports its index to w.bad.
func (w *world[B, V]) predict(_, lo, hi int) {
	h := w.opt.TimeStep
	for i := lo; i < hi; i++ {
		x, r := centerRadius(&w.now.bodies[i])
		v, a := in3D(&w.now.velocity[i]), in3D(&w.now.acceleration[i])
		to := x.Add(scaled(h, v.Add(scaled(h/2, a))))
		if !(to.X > w.walls.Min.X-r && to.X < w.walls.Max.X+r && to.Y > w.walls.Min.Y-r && to.Y < w.walls.Max.Y+r) ||
			spatial[V]() && !(to.Z > w.walls.Min.Z-r && to.Z < w.walls.Max.Z+r) {
			w.bad.Report(i)
		}
		setCenter(&w.next.bodies[i], to)
		set(&w.next.velocity[i], v.Add(scaled(h, a)))
	}
	if w.border.periodic {
		w.wrap(lo, hi)
	}
}

// wrap moves the centers of particles [lo, hi) of the next state into the cell. If a center is too far
// away, wrap reports the index of the particle to w.bad.
func (w *world[B, V]) wrap(lo, hi int) {
	s := &w.next
	for i := lo; i < hi; i++ {
		s.crossings[i] = w.now.crossings[i]
		c, _ := centerRadius(&s.bodies[i])
		in, _, ok := w.border.wrap(c, &s.crossings[i])
		if !ok {
			w.bad.Report(i)
		}
		setCenter(&s.bodies[i], in)
	}
}

// forces finds the pairs of the next state and computes their forces. Then it calls work for ranges
// of particles. That function must call addForces for its range.
func (w *world[B, V]) forces(ctx context.Context, work func(worker, lo, hi int)) error {
	s := &w.next
	if err := w.method.Update(ctx, s.bodies); err != nil {
		return fmt.Errorf("dem: %w", err)
	}
	contacts := 0
	if w.border.periodic {
		w.across = w.border.method.Contacts()
		contacts = len(w.across)
		s.images = parallel.Resized(s.images, contacts)
	} else {
		w.found = w.method.Pairs()
		contacts = len(w.found)
	}
	s.pairs, s.force = parallel.Resized(s.pairs, contacts), parallel.Resized(s.force, contacts)
	w.reach.Store(0)
	w.bad.Reset()
	w.badPair.Reset()
	n := len(w.mass)
	w.phases = [...]parallel.Phase{
		{N: len(s.pairs), Size: blockSize, Work: w.pairWork},
		{N: n, Size: max(blockSize, (n+w.opt.Workers-1)/w.opt.Workers), Work: work},
	}
	if err := parallel.InPhases(ctx, w.opt.Workers, w.phases[:]); err != nil {
		return err
	}
	if p, ok := w.badPair.Get(); ok {
		return fmt.Errorf("dem: %w: %ss %d and %d have the same center", ErrParticle, w.noun, s.pairs[p].A, s.pairs[p].B)
	}
	return nil
}

// addForces sets the accelerations of particles [lo, hi) to the sums of their pair forces, added in
// the order of the pairs. Later, accelerate adds the forces of walls and gravity and divides by the
// mass.
//
// The pairs are ordered by A, and reach is the largest difference of B and A. So only pairs with lo
// − reach ≤ A < hi can contain these particles.
func (w *world[B, V]) addForces(lo, hi int) {
	s := &w.next
	clear(s.acceleration[lo:hi])
	if hi-lo == len(w.mass) {
		for p, pair := range s.pairs {
			f := in3D(&s.force[p])
			a, b := &s.acceleration[pair.A], &s.acceleration[pair.B]
			set(a, in3D(a).Add(f))
			set(b, in3D(b).Sub(f))
		}
		return
	}
	from := lo - int(w.reach.Load())
	first := sort.Search(len(s.pairs), func(p int) bool { return int(s.pairs[p].A) >= from })
	for p := first; p < len(s.pairs) && int(s.pairs[p].A) < hi; p++ {
		pair, f := s.pairs[p], in3D(&s.force[p])
		if int(pair.A) >= lo {
			a := &s.acceleration[pair.A]
			set(a, in3D(a).Add(f))
		}
		if int(pair.B) >= lo && int(pair.B) < hi {
			b := &s.acceleration[pair.B]
			set(b, in3D(b).Sub(f))
		}
	}
}

// pairForces copies pairs [lo, hi) from the method and computes their forces.
func (w *world[B, V]) pairForces(_, lo, hi int) {
	s := &w.next
	if w.border.periodic {
		for p, c := range w.across[lo:hi] {
			s.pairs[lo+p], s.images[lo+p] = c.Pair, c.Image
		}
	} else {
		copy(s.pairs[lo:hi], w.found[lo:hi])
	}
	if w.opt.Workers > 1 {
		w.extendReach(s.pairs[lo:hi])
	}
	if !w.border.periodic {
		w.shiftedForces(lo, hi, r3.Vector{})
		return
	}
	for lo < hi {
		end := lo + 1
		for end < hi && s.images[end] == s.images[lo] {
			end++
		}
		w.shiftedForces(lo, end, w.border.move(r3.Vector{}, s.images[lo]))
		lo = end
	}
}

// shiftedForces computes the forces of pairs [lo, hi) by eq. 1 and 2 of Muth, Müller, Eberhard,
// Luding 2007, with particle B of each pair moved by shift. If two particles then have the same
// center, shiftedForces reports their pair to w.badPair.
func (w *world[B, V]) shiftedForces(lo, hi int, shift r3.Vector) {
	s := &w.next
	k, d := w.opt.Stiffness, w.opt.Damping
	for p := lo; p < hi; p++ {
		pair := s.pairs[p]
		a, ra := centerRadius(&s.bodies[pair.A])
		b, rb := centerRadius(&s.bodies[pair.B])
		delta := a.Sub(b).Sub(shift)
		distance := math.Sqrt(delta.Norm2())
		overlap := ra + rb - distance
		if distance == 0 {
			w.badPair.Report(p)
		}
		if !(overlap > 0) {
			set(&s.force[p], r3.Vector{})
			continue
		}
		n := scaled(1/distance, delta)
		f := float64(k * overlap)
		if d > 0 {
			f -= float64(d * in3D(&s.velocity[pair.A]).Sub(in3D(&s.velocity[pair.B])).Dot(n))
		}
		set(&s.force[p], scaled(f, n))
	}
}

// extendReach makes reach at least the largest difference of B and A of the given pairs.
func (w *world[B, V]) extendReach(pairs []neighbor.Pair) {
	reach := int32(0)
	for _, p := range pairs {
		reach = max(reach, p.B-p.A)
	}
	for old := w.reach.Load(); reach > old && !w.reach.CompareAndSwap(old, reach); {
		old = w.reach.Load()
	}
}

// firstAccelerations sets the accelerations of particles [lo, hi). If an acceleration is not finite,
// firstAccelerations reports the index of the particle to w.bad.
func (w *world[B, V]) firstAccelerations(_, lo, hi int) {
	w.addForces(lo, hi)
	for i := lo; i < hi; i++ {
		a := w.accelerate(i)
		set(&w.next.acceleration[i], a)
		if !finiteVector(a) {
			w.bad.Report(i)
		}
	}
}

// finish sets the accelerations of particles [lo, hi), and their velocities to v(t) + h·(a(t) +
// a(t+h))/2. If a velocity is not finite, finish reports the index of the particle to w.bad.
func (w *world[B, V]) finish(_, lo, hi int) {
	w.addForces(lo, hi)
	s := &w.next
	h := w.opt.TimeStep / 2
	for i := lo; i < hi; i++ {
		a := w.accelerate(i)
		set(&s.acceleration[i], a)
		v := in3D(&s.velocity[i]).Add(scaled(h, a.Sub(in3D(&w.now.acceleration[i]))))
		set(&s.velocity[i], v)
		if !(finite(v.X) && finite(v.Y) && (!spatial[V]() || finite(v.Z))) {
			w.bad.Report(i)
		}
	}
}

// accelerate returns the acceleration of particle i of the next state. It is the effect of walls,
// gravity, and the force that is stored in acceleration[i].
func (w *world[B, V]) accelerate(i int) r3.Vector {
	s := &w.next
	c, r := centerRadius(&s.bodies[i])
	v, f := in3D(&s.velocity[i]), in3D(&s.acceleration[i])
	k, d := w.opt.Stiffness, w.opt.Damping
	f.X += wallForce(c.X, v.X, r, w.walls.Min.X, w.walls.Max.X, k, d)
	f.Y += wallForce(c.Y, v.Y, r, w.walls.Min.Y, w.walls.Max.Y, k, d)
	if spatial[V]() {
		f.Z += wallForce(c.Z, v.Z, r, w.walls.Min.Z, w.walls.Max.Z, k, d)
	}
	return scaled(1/w.mass[i], f).Add(w.gravity)
}
