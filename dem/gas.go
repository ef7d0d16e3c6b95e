package dem

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// The functions UniformVolume, UniformSize and Bidisperse return n radii from 1 to ratio. The
// distributions are from Ogarko and Luding 2012, §4.1. Each function divides its distribution into
// n equal parts and uses one radius from each part. Therefore, even rare large radii occur in the
// correct number. The seed determines the order of the radii. The functions panic if n is negative,
// or if ratio is infinite, NaN or below 1.

// UniformVolume returns n radii of balls from 1 to ratio. Intervals of radii of equal length
// contain balls of equal total volume. So the number density of the radius r is proportional to
// r⁻³. This density reproduces the numbers of grid levels in Ogarko and Luding 2012, §4.1.
func UniformVolume(n int, ratio float64, seed uint64) []float64 {
	return sample(n, ratio, seed, func(u float64) float64 {
		// The fraction of balls with radii up to r is u = (1 − r⁻²)/(1 − ratio⁻²). Solve for r.
		return 1 / math.Sqrt(1-u*(1-1/(ratio*ratio)))
	})
}

// UniformSize returns n radii that are uniformly distributed from 1 to ratio.
func UniformSize(n int, ratio float64, seed uint64) []float64 {
	return sample(n, ratio, seed, func(u float64) float64 { return 1 + u*(ratio-1) })
}

// Bidisperse returns n radii, each either 1 or ratio. The balls of radius 1 have about the same
// total volume as the balls of radius ratio. If n ≥ 2, each of the two radii occurs at least once.
func Bidisperse(n int, ratio float64, seed uint64) []float64 {
	large := 1 / (1 + ratio*ratio*ratio)
	if n >= 2 {
		large = min(max(large, 1/float64(n)), 1-1/float64(n))
	}
	return sample(n, ratio, seed, func(u float64) float64 {
		if u > 1-large {
			return ratio
		}
		return 1
	})
}

// sample applies inverseCDF to the midpoints of n equal parts of [0, 1], and shuffles the results.
func sample(n int, ratio float64, seed uint64, inverseCDF func(float64) float64) []float64 {
	if n < 0 || !(ratio >= 1) || math.IsInf(ratio, 1) {
		panic(fmt.Sprintf("dem: number of sizes %d must not be negative, and ratio %v must be finite and at least 1", n, ratio))
	}
	rng := rand.New(rand.NewPCG(seed, 0x5123))
	sizes := make([]float64, n)
	for i := range sizes {
		sizes[i] = min(ratio, max(1, inverseCDF((float64(i)+.5)/float64(n))))
	}
	rng.Shuffle(n, func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	return sizes
}

// ThermalSpheres returns random velocities of balls in thermal equilibrium. The velocities are
// normally distributed. Each degree of freedom of each ball has the same mean energy ½kT. The
// temperature T follows from the given overlap, which is the mean overlap in collisions of the
// smallest balls, divided by their radius. Ogarko and Luding 2012, §4.2, use .01. Pass the same
// options to NewSpheres. Only Stiffness and Density affect the velocities.
//
// Errors: ErrOptions if an option is invalid or the overlap is not positive; ErrParticle if a
// radius is not positive.
func ThermalSpheres(balls []neighbor.Sphere, overlap float64, o Options, seed uint64) ([]r3.Vector, error) {
	rng := rand.New(rand.NewPCG(seed, 3))
	return thermal(balls, sphereMass, overlap, o, func(speed float64) r3.Vector {
		return r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Mul(speed)
	})
}

// ThermalDisks does for disks in the plane what ThermalSpheres does for balls.
func ThermalDisks(disks []neighbor.Disk, overlap float64, o Options, seed uint64) ([]r2.Point, error) {
	rng := rand.New(rand.NewPCG(seed, 2))
	return thermal(disks, diskMass, overlap, o, func(speed float64) r2.Point {
		return times(speed, r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()})
	})
}

// thermal returns a velocity for each particle. The velocities are normally distributed with the
// standard deviation √(kT/m), where m is the mass of the particle.
//
// The given overlap determines the temperature T. Let v be the speed at which two particles of mass
// m approach each other along the line of their centers. In a gas, v has the variance 2kT/m. Faster
// particles collide more often. Therefore, v in collisions has the density m/2kT·v·exp(−mv²/4kT)
// and the mean √(πkT/m). Let s be the stiffness. The largest overlap of a collision at speed v is
// v·√(m/2s). The mean of the largest overlaps is √(πkT/2s).
func thermal[B ball, V vector](bodies []B, mass func(radius, density float64) float64, overlap float64, o Options,
	velocity func(deviation float64) V) ([]V, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if !positive(overlap) {
		return nil, fmt.Errorf("dem: %w: overlap %v must be a positive number", ErrOptions, overlap)
	}
	deviations := make([]float64, len(bodies))
	smallest := math.Inf(1)
	for i := range bodies {
		_, r := centerRadius(&bodies[i])
		m := mass(r, o.Density)
		if !positive(r) || !positive(m) {
			return nil, fmt.Errorf("dem: %w: particle %d of radius %v has the mass %v: the mass must be a positive number", ErrParticle, i, r, m)
		}
		smallest = min(smallest, r)
		deviations[i] = 1 / math.Sqrt(m)
	}
	rootKT := overlap * smallest * math.Sqrt(2*o.Stiffness/math.Pi)
	velocities := make([]V, len(bodies))
	for i, d := range deviations {
		velocities[i] = velocity(d * rootKT)
	}
	return velocities, nil
}
