package dem

import (
	"errors"
	"fmt"
	"math"
)

// ErrOptions is the error for options that do not define a world.
var ErrOptions = errors.New("bad option")

// ErrParticle is the error for a particle that no world can hold, or that a step would
// send where it must not be. The message names the particle.
var ErrParticle = errors.New("bad particle")

// Options are shared by all particles of a world. Units are the caller's own, if they are
// consistent; this package names SI units.
type Options struct {
	// TimeStep is the length of a step, positive. It must be a small part of the duration of
	// a contact (ContactTime), or steps fail.
	TimeStep float64
	// Stiffness is the spring constant, positive: k of Muth, Müller, Eberhard, Luding 2007,
	// eq. 1, in N/m. Polygons documents its meaning there.
	Stiffness float64
	// Damping is the constant of the dashpot, not negative: d of the same equation, in Ns/m.
	// Polygons documents its meaning there.
	Damping float64
	// Density is mass per volume, or per area in the plane; 0 means 1.
	Density float64
	// Workers is the number of goroutines, at most MaxWorkers; all processors if it is not
	// positive. Trajectories do not depend on it.
	Workers int
}

// withDefaults returns o with its defaults, or ErrOptions.
func (o Options) withDefaults() (Options, error) {
	if o.Density == 0 {
		o.Density = 1
	}
	o.Workers = workers(o.Workers)
	switch {
	case !positive(o.TimeStep):
		return o, fmt.Errorf("dem: %w: time step %v, want a positive number", ErrOptions, o.TimeStep)
	case !positive(o.Stiffness):
		return o, fmt.Errorf("dem: %w: stiffness %v, want a positive number", ErrOptions, o.Stiffness)
	case o.Damping != 0 && !positive(o.Damping):
		return o, fmt.Errorf("dem: %w: damping %v, want zero or a positive number", ErrOptions, o.Damping)
	case !positive(o.Density):
		return o, fmt.Errorf("dem: %w: density %v, want a positive number", ErrOptions, o.Density)
	}
	return o, nil
}

// ContactTime returns how long two particles with the reduced mass m_a·m_b/(m_a+m_b) touch
// if nothing else touches them: half a period of the oscillator
// m·δ″ + damping·δ′ + stiffness·δ = 0, which is π/√(k/m − (d/2m)²). Against a wall the reduced
// mass is the mass of the particle. If the damping is so strong that they do not part, it
// returns +Inf.
func ContactTime(reducedMass, stiffness, damping float64) float64 {
	rate := damping / (2 * reducedMass)
	square := stiffness/reducedMass - rate*rate
	if square <= 0 {
		return math.Inf(1)
	}
	return math.Pi / math.Sqrt(square)
}

// Restitution returns the speed at which the particles of ContactTime part, divided by the
// speed at which they met: exp(−d/(2m)·ContactTime). A contact ends where the overlap ends;
// before that the dashpot may have pulled, because the force of eq. 1 has no other limit
// than δ > 0.
func Restitution(reducedMass, stiffness, damping float64) float64 {
	if damping == 0 {
		return 1
	}
	return math.Exp(-damping / (2 * reducedMass) * ContactTime(reducedMass, stiffness, damping))
}

// Energy is the energy of all particles of a world, in J.
type Energy struct {
	Kinetic    float64 // ½ m v², of the centers of mass
	Rotational float64 // ½ I ω²: zero for balls and disks, which do not turn without friction
	Elastic    float64 // of the springs, including walls
	Potential  float64 // −m g·x
}

// Total returns the sum. Without damping it changes only by the error of the integrator.
func (e Energy) Total() float64 { return e.Kinetic + e.Rotational + e.Elastic + e.Potential }
