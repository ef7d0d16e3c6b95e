package dem

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// ThermalSpheres returns random velocities of balls in thermal equilibrium: normally distributed,
// with the same mean energy ½kT for each degree of freedom of each ball. It is such that two of
// the smallest balls, where they collide in a gas, press each other together by overlap times
// their radius on average: Ogarko and Luding 2012, §4.2, take .01. The options are
// those of the world to be made; Stiffness and Density count.
//
// It fails with ErrOptions, also for an overlap that is not positive, and with ErrParticle for a
// ball whose radius is not.
func ThermalSpheres(balls []neighbor.Sphere, overlap float64, o Options, seed uint64) ([]r3.Vector, error) {
	speeds, err := thermalSpeeds(len(balls), func(i int) float64 { return balls[i].Radius }, sphereMass, overlap, o)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	velocities := make([]r3.Vector, len(balls))
	for i, speed := range speeds {
		velocities[i] = r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Mul(speed)
	}
	return velocities, nil
}

// ThermalDisks is ThermalSpheres for disks in the plane.
func ThermalDisks(disks []neighbor.Disk, overlap float64, o Options, seed uint64) ([]r2.Point, error) {
	speeds, err := thermalSpeeds(len(disks), func(i int) float64 { return disks[i].Radius }, diskMass, overlap, o)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	velocities := make([]r2.Point, len(disks))
	for i, speed := range speeds {
		velocities[i] = times(speed, r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()})
	}
	return velocities, nil
}

// thermalSpeeds returns √(kT/m) of each particle. In a gas v, the velocity with which two particles
// of mass m approach each other along the line of their centers, has the variance 2kT/m, and in
// collisions, which are the more frequent the larger it is, the density
// m/2kT·v·exp(−mv²/4kT). Its mean is √(πkT/m), and v presses two particles together by
// v·√(m/2k): by √(πkT/2k) on average.
func thermalSpeeds(n int, radius func(int) float64, mass func(radius, density float64) float64, overlap float64, o Options) ([]float64, error) {
	o, err := o.normal()
	if err != nil {
		return nil, err
	}
	if !positive(overlap) {
		return nil, fmt.Errorf("dem: %w: overlap %v, want a positive number", ErrOptions, overlap)
	}
	speeds := make([]float64, n)
	least := math.Inf(1)
	for i := range speeds {
		m := mass(radius(i), o.Density)
		if !positive(radius(i)) || !positive(m) {
			return nil, fmt.Errorf("dem: %w: particle %d of radius %v has the mass %v", ErrParticle, i, radius(i), m)
		}
		least = min(least, radius(i))
		speeds[i] = 1 / math.Sqrt(m)
	}
	root := overlap * least * math.Sqrt(2*o.Stiffness/math.Pi) // of kT
	for i := range speeds {
		speeds[i] *= root
	}
	return speeds, nil
}

// sphereMass and diskMass return the masses of particles.
func sphereMass(radius, density float64) float64 {
	return 4 * math.Pi / 3 * density * radius * radius * radius
}

func diskMass(radius, density float64) float64 { return math.Pi * density * radius * radius }
