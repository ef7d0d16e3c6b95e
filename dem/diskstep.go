package dem

import (
	"github.com/golang/geo/r2"
)

// predict is kernels.predict.
func (w *Disks) predict(_, lo, hi int) {
	h := w.opt.TimeStep
	for i := lo; i < hi; i++ {
		x, v, a := w.now.bodies[i].Center, w.now.velocity[i], w.now.acceleration[i]
		to := x.Add(times(h, v.Add(times(h/2, a))))
		if r := w.now.bodies[i].Radius; !strictlyWithin(around(w.walls, r), to) {
			w.bad.report(i)
		}
		w.next.bodies[i].Center = to
		w.next.velocity[i] = v.Add(times(h, a))
	}
}

// pairForces is kernels.pairs.
func (w *Disks) pairForces(_, lo, hi int) {
	s := &w.next
	k, d := w.opt.Stiffness, w.opt.Damping
	for p := lo; p < hi; p++ {
		pair := s.pairs[p]
		a, b := &s.bodies[pair.A], &s.bodies[pair.B]
		delta := a.Center.Sub(b.Center)
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

// sum is kernels.sum.
func (w *Disks) sum() {
	s := &w.next
	clear(s.acceleration)
	for p, pair := range s.pairs {
		f := s.force[p]
		s.acceleration[pair.A] = s.acceleration[pair.A].Add(f)
		s.acceleration[pair.B] = s.acceleration[pair.B].Sub(f)
	}
}

// accelerations is kernels.begin.
func (w *Disks) accelerations(_, lo, hi int) {
	for i := lo; i < hi; i++ {
		w.next.acceleration[i] = w.accelerate(i)
		if !finitePoint(w.next.acceleration[i]) {
			w.bad.report(i)
		}
	}
}

// finish is kernels.finish.
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

// accelerate returns the acceleration of disk i by the forces summed in its place,
// walls and gravity.
func (w *Disks) accelerate(i int) r2.Point {
	s := &w.next
	b, v, f := &s.bodies[i], s.velocity[i], s.acceleration[i]
	k, d := w.opt.Stiffness, w.opt.Damping
	f.X += wallForce(b.Center.X, v.X, b.Radius, w.walls.Min.X, w.walls.Max.X, k, d)
	f.Y += wallForce(b.Center.Y, v.Y, b.Radius, w.walls.Min.Y, w.walls.Max.Y, k, d)
	return times(1/w.mass[i], f).Add(w.gravity)
}
