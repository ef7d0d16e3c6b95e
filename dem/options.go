package dem

import (
	"errors"
	"fmt"
	"math"

	"github.com/inpoly/inpoly/dem/internal/parallel"
)

// ErrOptions is the error for invalid options, walls or gravity.
var ErrOptions = errors.New("bad option")

// ErrParticle is the error for an invalid particle, or for a particle that a step would move out of
// the valid range. The error message names the particle.
var ErrParticle = errors.New("bad particle")

// MaxWorkers is the largest number of goroutines that a world or a packing uses.
const MaxWorkers = parallel.MaxWorkers

// blockSize is the number of particles or pairs in a block. The work takes about 10 µs per block.
const blockSize = 512

// Options are the options of a world. They apply to all its particles. All consistent systems of
// units are valid. The documentation uses SI units.
type Options struct {
	// TimeStep is the length of a step. It must be positive, and much shorter than a contact (see
	// ContactTime) so that steps succeed.
	TimeStep float64
	// Stiffness is the spring constant k of Muth, Müller, Eberhard, Luding 2007, eq. 1, in N/m. It
	// must be positive. For polygons, see type Polygons.
	Stiffness float64
	// Damping is the dashpot constant d of Muth, Müller, Eberhard, Luding 2007, eq. 1, in Ns/m. It
	// must not be negative. For polygons, see type Polygons.
	Damping float64
	// Density is mass divided by volume in space, or mass divided by area in the plane. 0 means 1.
	Density float64
	// Friction is the coefficient of friction μ of polygons: the tangential force of a contact is at
	// most μ times its normal force. It must not be negative. 0 means no friction. Spheres and Disks do
	// not rotate and refuse any other value; package rigid has balls with friction.
	Friction float64
	// Tangential is the ratio of the tangential constants of a contact to Stiffness and Damping, if
	// there is friction. It must not be negative. 0 means 2/7, as in rigid.Linear.
	Tangential float64
	// Workers is the number of goroutines, at most MaxWorkers. If it is not positive, the world uses
	// all processors. Trajectories do not depend on Workers.
	Workers int
}

func (o Options) withDefaults() (Options, error) {
	if o.Density == 0 {
		o.Density = 1
	}
	if o.Tangential == 0 {
		o.Tangential = 2. / 7
	}
	o.Workers = parallel.Workers(o.Workers)
	switch {
	case !positive(o.TimeStep):
		return o, fmt.Errorf("dem: %w: time step %v must be a positive number", ErrOptions, o.TimeStep)
	case !positive(o.Stiffness):
		return o, fmt.Errorf("dem: %w: stiffness %v must be a positive number", ErrOptions, o.Stiffness)
	case o.Damping != 0 && !positive(o.Damping):
		return o, fmt.Errorf("dem: %w: damping %v must be zero or a positive number", ErrOptions, o.Damping)
	case !positive(o.Density):
		return o, fmt.Errorf("dem: %w: density %v must be a positive number", ErrOptions, o.Density)
	case o.Friction != 0 && !positive(o.Friction):
		return o, fmt.Errorf("dem: %w: coefficient of friction %v must be zero or a positive number", ErrOptions, o.Friction)
	case !positive(o.Tangential):
		return o, fmt.Errorf("dem: %w: tangential ratio %v must be zero or a positive number", ErrOptions, o.Tangential)
	}
	return o, nil
}

// ContactTime returns how long two particles touch each other if nothing else touches them. For
// particles of masses a and b, reducedMass is m = a·b/(a+b). For a particle and a wall, reducedMass
// is the mass of the particle. The contact lasts half a period of the oscillator m·δ″ + damping·δ′
// + stiffness·δ = 0, where δ is the overlap. So the contact time is π/√(stiffness/m −
// (damping/(2m))²). If strong damping prevents the particles from separating, ContactTime returns
// +Inf.
func ContactTime(reducedMass, stiffness, damping float64) float64 {
	rate := damping / (2 * reducedMass)
	square := stiffness/reducedMass - rate*rate
	if square <= 0 {
		return math.Inf(1)
	}
	return math.Pi / math.Sqrt(square)
}

// Restitution returns the speed at which two particles separate, divided by the speed at which they
// collide. The ratio is exp(−damping/(2m)·t), where m is the reduced mass and t is the contact
// time. A contact ends when the overlap ends. Shortly before the end, the dashpot can pull the
// particles together, because it acts during the whole overlap, as in eq. 1 of Muth, Müller,
// Eberhard, Luding 2007.
func Restitution(reducedMass, stiffness, damping float64) float64 {
	if damping == 0 {
		return 1
	}
	return math.Exp(-damping / (2 * reducedMass) * ContactTime(reducedMass, stiffness, damping))
}

// Energy is the energy of all particles of a world, in J.
type Energy struct {
	Kinetic    float64 // sum of ½·mass·speed² over all particles
	Rotational float64 // sum of ½·inertia·spin²; zero for balls and disks, which never rotate
	Elastic    float64 // energy of the springs between particles and at walls, including the springs of friction
	Potential  float64 // sum of −mass·(gravity·position) over all particles
}

// Total returns the sum of all energies. Without damping and friction, the sum changes only because
// of integration errors.
func (e Energy) Total() float64 { return e.Kinetic + e.Rotational + e.Elastic + e.Potential }

type clock struct {
	opt   Options
	steps uint64
}

// Steps returns the number of steps since the beginning.
func (c *clock) Steps() uint64 { return c.steps }

// Time returns the time since the beginning. It is the number of steps times the time step.
func (c *clock) Time() float64 { return float64(c.steps) * c.opt.TimeStep }
