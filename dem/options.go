package dem

import (
	"errors"
	"fmt"
	"math"
)

// ErrOptions is the error for options that no world can be made of.
var ErrOptions = errors.New("bad option")

// ErrParticle is the error for a particle that no world can hold, or that a step would
// send somewhere it must not be; the message names the particle.
var ErrParticle = errors.New("bad particle")

// Options are what all particles of a world share. Units are the caller's own, as long as
// they fit each other; SI is meant where one is named.
type Options struct {
	// TimeStep is the length of a step, positive. It has to be a small part of the duration of
	// a contact (ContactTime), or a step fails.
	TimeStep float64
	// Stiffness is the spring constant, positive: k of Muth, Müller, Eberhard, Luding 2007,
	// eq. 1, in N/m; for polygons see Polygons.
	Stiffness float64
	// Damping is the constant of the dashpot, not negative: d of the same equation, in Ns/m;
	// for polygons see Polygons.
	Damping float64
	// Density is the mass of a unit of volume, in the plane of area; zero stands for one.
	Density float64
	// Workers is the number of goroutines, at most MaxWorkers; all processors if it is not
	// positive. Trajectories do not depend on it.
	Workers int
}

// normal returns o with its defaults, or ErrOptions.
func (o Options) normal() (Options, error) {
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

// positive reports whether x is a finite number above zero.
func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }

// finite reports whether x is neither NaN nor infinite.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
