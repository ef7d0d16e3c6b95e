package dem

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// predict is kernels.predict.
func (w *Spheres) predict(_, lo, hi int) {
	h := w.opt.TimeStep
	for i := lo; i < hi; i++ {
		x, v, a := w.now.bodies[i].Center, w.now.velocity[i], w.now.acceleration[i]
		to := x.Add(v.Add(a.Mul(h / 2)).Mul(h))
		r := w.now.bodies[i].Radius
		all := r3.Vector{X: r, Y: r, Z: r}
		if !strictlyIn(bvh.Box{Min: w.walls.Min.Sub(all), Max: w.walls.Max.Add(all)}, to) {
			w.bad.report(i)
		}
		w.next.bodies[i].Center = to
		w.next.velocity[i] = v.Add(a.Mul(h))
	}
}

// pairForces is kernels.pairs.
func (w *Spheres) pairForces(_, lo, hi int) {
	s := &w.next
	k, d := w.opt.Stiffness, w.opt.Damping
	for p := lo; p < hi; p++ {
		pair := s.pairs[p]
		a, b := &s.bodies[pair.A], &s.bodies[pair.B]
		delta := a.Center.Sub(b.Center)
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

// sum is kernels.sum.
func (w *Spheres) sum() {
	s := &w.next
	clear(s.acceleration)
	for p, pair := range s.pairs {
		f := s.force[p]
		s.acceleration[pair.A] = s.acceleration[pair.A].Add(f)
		s.acceleration[pair.B] = s.acceleration[pair.B].Sub(f)
	}
}

// accelerations is kernels.begin.
func (w *Spheres) accelerations(_, lo, hi int) {
	for i := lo; i < hi; i++ {
		w.next.acceleration[i] = w.accelerate(i)
		if !finiteVector(w.next.acceleration[i]) {
			w.bad.report(i)
		}
	}
}

// finish is kernels.finish.
func (w *Spheres) finish(_, lo, hi int) {
	s := &w.next
	h := w.opt.TimeStep / 2
	for i := lo; i < hi; i++ {
		a := w.accelerate(i)
		s.acceleration[i] = a
		s.velocity[i] = s.velocity[i].Add(a.Sub(w.now.acceleration[i]).Mul(h))
		if !finiteVector(s.velocity[i]) {
			w.bad.report(i)
		}
	}
}

// accelerate returns the acceleration of ball i by the forces summed in its place,
// walls and gravity.
func (w *Spheres) accelerate(i int) r3.Vector {
	s := &w.next
	b, v, f := &s.bodies[i], s.velocity[i], s.acceleration[i]
	k, d := w.opt.Stiffness, w.opt.Damping
	f.X += wallForce(b.Center.X, v.X, b.Radius, w.walls.Min.X, w.walls.Max.X, k, d)
	f.Y += wallForce(b.Center.Y, v.Y, b.Radius, w.walls.Min.Y, w.walls.Max.Y, k, d)
	f.Z += wallForce(b.Center.Z, v.Z, b.Radius, w.walls.Min.Z, w.walls.Max.Z, k, d)
	return f.Mul(1 / w.mass[i]).Add(w.gravity)
}
