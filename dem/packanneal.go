package dem

import (
	"context"
	"math"
)

// The annealing of a packing, found by trial. Balls of one size order best while they behave like hard
// ones that fill about .55, between the densities at which such balls freeze (.494) and at
// which they become a glass (.58): at .62 that is so when collisions press them together by
// some percent.
const (
	annealOverlap = .19 // of two of the smallest balls when they collide, in radii, on average, at first
	annealMargin  = 5e-3
	annealParts   = 15 // of the shortest contact in a step
	annealRescale = 10 // steps between corrections of the temperature
)

// anneal moves the balls as soft ones, with random velocities that fall linearly to zero in the
// given number of steps.
func (p *packer) anneal(ctx context.Context, steps int) error {
	least := math.Inf(1)
	for i, r := range p.radius {
		p.balls[i].Radius = r * (1 + annealMargin)
		least = min(least, p.balls[i].Radius)
	}
	o := Options{Stiffness: 1, Workers: p.workers}
	o.TimeStep = ContactTime(sphereMass(least, 1)/2, o.Stiffness, 0) / annealParts
	velocities, err := ThermalSpheres(p.balls, annealOverlap, o, p.rng.Uint64())
	if err != nil {
		return err
	}
	for i := range velocities {
		if p.flat {
			velocities[i].Z = 0
		}
	}
	w, err := NewSpheres(ctx, SphereScene{Balls: p.balls, Walls: p.walls, Velocities: velocities}, p.method, o)
	if err != nil {
		return err
	}
	hot := 0. // twice the kinetic energy
	for i, v := range w.now.velocity {
		hot += w.mass[i] * v.Norm2()
	}
	for step := range steps {
		if step%annealRescale == 0 {
			cold := 1 - float64(step)/float64(steps)
			w.heat(hot * cold * cold)
		}
		if err := w.Step(ctx); err != nil {
			return err
		}
	}
	for i := range p.balls {
		p.balls[i].Center = w.now.bodies[i].Center
	}
	return nil
}

// heat scales the velocities so that the kinetic energy is half of the given one.
func (w *Spheres) heat(twice float64) {
	now := 0.
	for i, v := range w.now.velocity {
		now += w.mass[i] * v.Norm2()
	}
	if now == 0 {
		return
	}
	factor := math.Sqrt(twice / now)
	for i := range w.now.velocity {
		w.now.velocity[i] = w.now.velocity[i].Mul(factor)
	}
}
