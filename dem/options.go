package dem

import (
	"errors"
	"fmt"
	"math"
)

// ErrOptions is the error for invalid options, walls or gravity.
var ErrOptions = errors.New("bad option")

// ErrParticle is the error for an invalid particle, or for a particle that a step would move out of
// the valid range. The message names the particle.
var ErrParticle = errors.New("bad particle")

// Options are the options of a world, for all its particles. Any consistent units are valid. The
// documentation uses SI units.
type Options struct {
	// TimeStep is the length of a step, positive. It must be a small part of the duration of a
	// contact (ContactTime). Otherwise steps fail.
	TimeStep float64
	// Stiffness is the spring constant k of Muth, Müller, Eberhard, Luding 2007, eq. 1, in N/m. It
	// is positive. Polygons documents its meaning for polygons.
	Stiffness float64
	// Damping is the constant d of the dashpot in the same equation, in Ns/m. It is not negative.
	// Polygons documents its meaning for polygons.
	Damping float64
	// Density is mass per volume, or per area in the plane. 0 means 1.
	Density float64
	// Workers is the number of goroutines, at most MaxWorkers. All processors are used if it is not
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
		return o, fmt.Errorf("dem: %w: time step %v must be a positive number", ErrOptions, o.TimeStep)
	case !positive(o.Stiffness):
		return o, fmt.Errorf("dem: %w: stiffness %v must be a positive number", ErrOptions, o.Stiffness)
	case o.Damping != 0 && !positive(o.Damping):
		return o, fmt.Errorf("dem: %w: damping %v must be zero or a positive number", ErrOptions, o.Damping)
	case !positive(o.Density):
		return o, fmt.Errorf("dem: %w: density %v must be a positive number", ErrOptions, o.Density)
	}
	return o, nil
}

// ContactTime returns how long two particles with the reduced mass m = m_a·m_b/(m_a+m_b) touch if
// nothing else touches them. It is half a period of the oscillator m·δ″ + damping·δ′ + stiffness·δ
// = 0, which is π/√(stiffness/m − (damping/2m)²). Against a wall the reduced mass is the mass of
// the particle. If the damping is so strong that the particles do not part, ContactTime returns
// +Inf.
func ContactTime(reducedMass, stiffness, damping float64) float64 {
	rate := damping / (2 * reducedMass)
	square := stiffness/reducedMass - rate*rate
	if square <= 0 {
		return math.Inf(1)
	}
	return math.Pi / math.Sqrt(square)
}

// Restitution returns the speed at which the particles of ContactTime part, divided by the speed at
// which they met: exp(−damping/(2m)·ContactTime). A contact ends where the overlap ends. Before
// that the dashpot can pull, because eq. 1 only requires an overlap δ > 0.
func Restitution(reducedMass, stiffness, damping float64) float64 {
	if damping == 0 {
		return 1
	}
	return math.Exp(-damping / (2 * reducedMass) * ContactTime(reducedMass, stiffness, damping))
}

// Energy is the energy of all particles of a world, in J.
type Energy struct {
	Kinetic    float64 // ½ m v² of the centers of mass
	Rotational float64 // ½ I ω², zero for balls and disks, which do not turn without friction
	Elastic    float64 // energy of the springs, including walls
	Potential  float64 // −m g·x
}

// Total returns the sum. Without damping only the error of the integrator changes the sum.
func (e Energy) Total() float64 { return e.Kinetic + e.Rotational + e.Elastic + e.Potential }

// clock counts the steps of a world.
type clock struct {
	opt   Options
	steps uint64
}

// Steps returns the number of steps.
func (c *clock) Steps() uint64 { return c.steps }

// Time returns the time since the beginning: the number of steps times their length.
func (c *clock) Time() float64 { return float64(c.steps) * c.opt.TimeStep }
