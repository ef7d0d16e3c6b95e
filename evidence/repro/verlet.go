package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// verletDisks is the integrator of Muth, Müller, Eberhard, Luding 2007, §1, as printed: the next positions follow
// from the positions of this step and of the step before, x(t+h) = 2x(t) − x(t−h) + h²a(t). There are no
// velocities. Forces are springs between disks that overlap, and between disks and walls.
type verletDisks struct {
	opt         dem.Options
	size        r2.Point
	radii, mass []float64
	now, past   []r2.Point
}

// newVerletDisks begins with the positions and velocities of a system, x(−h) = x(0) − hv + h²a/2.
func newVerletDisks(s *system) *verletDisks {
	w := &verletDisks{opt: s.opt, size: r2.Point{X: s.size.X, Y: s.size.Y}}
	for _, d := range s.disks {
		w.radii, w.mass = append(w.radii, d.Radius), append(w.mass, s.opt.Density*math.Pi*d.Radius*d.Radius)
		w.now = append(w.now, d.Center)
	}
	h := s.opt.TimeStep
	a, _ := w.accelerations()
	for i, x := range w.now {
		v := r2.Point{X: s.velocities[i].X, Y: s.velocities[i].Y}
		w.past = append(w.past, x.Sub(v.Mul(h)).Add(a[i].Mul(h*h/2)))
	}
	return w
}

// accelerations returns the accelerations at the positions of this step, and the pairs that overlap.
func (w *verletDisks) accelerations() ([]r2.Point, []neighbor.Pair) {
	force := make([]r2.Point, len(w.now))
	var pairs []neighbor.Pair
	for i, a := range w.now {
		for k := i + 1; k < len(w.now); k++ {
			d := w.now[k].Sub(a)
			overlap := w.radii[i] + w.radii[k] - d.Norm()
			if overlap > 0 {
				f := d.Normalize().Mul(w.opt.Stiffness * overlap)
				force[i], force[k] = force[i].Sub(f), force[k].Add(f)
				pairs = append(pairs, neighbor.Pair{A: int32(i), B: int32(k)})
			}
		}
		r, k := w.radii[i], w.opt.Stiffness
		force[i] = force[i].Add(r2.Point{
			X: k * (max(0, r-a.X) - max(0, a.X+r-w.size.X)),
			Y: k * (max(0, r-a.Y) - max(0, a.Y+r-w.size.Y)),
		})
	}
	for i := range force {
		force[i] = force[i].Mul(1 / w.mass[i])
	}
	return force, pairs
}

// step advances all positions by a time step.
func (w *verletDisks) step() {
	a, _ := w.accelerations()
	h := w.opt.TimeStep
	for i, x := range w.now {
		w.now[i], w.past[i] = x.Mul(2).Sub(w.past[i]).Add(a[i].Mul(h*h)), x
	}
}

// howOften says in how many steps something happened.
func howOften(steps int) string {
	if steps == 0 {
		return "never"
	}
	return fmt.Sprintf("in %d steps", steps)
}

// verletStatement compares the integrator as printed with the integrator of package dem, which stores
// velocities.
func verletStatement(ctx context.Context, r *Run) (Statement, error) {
	s, _, err := disks2007(ctx, r, 0, 244)
	if err != nil {
		return Statement{}, err
	}
	steps := pick(r.Size, 20, 1000, 1000)
	worlds, _, err := s.worlds(ctx, []string{methodGrid}, 7e-3, 1.5e-3)
	if err != nil {
		return Statement{}, err
	}
	w, ours := newVerletDisks(s), worlds[0].(diskWorld)
	different, contacts := 0, 0
	for range steps {
		if err := ours.Step(ctx); err != nil {
			return Statement{}, err
		}
		w.step()
		_, pairs := w.accelerations()
		contacts += len(pairs)
		if !slices.Equal(pairs, ours.contacts()) {
			different++
		}
	}
	apart, moved := 0.0, 0.0 // in radii
	for i, d := range ours.Disks.Disks() {
		apart = max(apart, d.Center.Sub(w.now[i]).Norm()/d.Radius)
		moved = max(moved, w.now[i].Sub(s.disks[i].Center).Norm()/d.Radius)
	}
	return counted("V4.verlet", "Verlet's method without velocities", "§1: the Verlet integrator finds new positions from the last two, without velocities.",
		fmt.Sprintf("After %d steps of 244 disks, positions with and without velocities differ by at most %.0e radii, and contacts %s.", steps, apart, howOften(different)),
		"below 1e-6, and the same contacts", apart < 1e-6 && different == 0, Fails,
		fmt.Sprintf("%s contacts a step; disks move by up to %s radii.", short(float64(contacts)/float64(steps)), short(moved))).number(fmt.Sprintf("%.0e radii apart", apart)), nil
}
