package dem

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// The functions below return n sizes from 1 to ratio, as Ogarko and Luding 2012, §4.1, choose
// radii, in a random order that the seed determines. Sizes are sampled systematically, one from
// each n-th part of the distribution, so that even rare large ones have their share.
// They panic if n is negative or ratio is not a number ≥ 1.

// UniformVolume returns radii of balls whose volume, in each interval of radii, is proportional
// to its length: the number density is proportional to r⁻³. (So the paper's numbers of levels
// come out; the volume is then not the same for equal intervals of volume.)
func UniformVolume(n int, ratio float64, seed uint64) []float64 {
	return sample(n, ratio, seed, func(u float64) float64 {
		// The distribution function is (1 − r⁻²)/(1 − ratio⁻²).
		return 1 / math.Sqrt(1-u*(1-1/(ratio*ratio)))
	})
}

// UniformSize returns radii with a constant number density.
func UniformSize(n int, ratio float64, seed uint64) []float64 {
	return sample(n, ratio, seed, func(u float64) float64 { return 1 + u*(ratio-1) })
}

// Bidisperse returns radii 1 and ratio, such that the small balls have the volume of
// the large ones, as nearly as n allows; at least one of each kind if n ≥ 2.
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

// sample maps one number of each of n equal parts of [0, 1] by the inverse of a
// distribution function.
func sample(n int, ratio float64, seed uint64, inverse func(float64) float64) []float64 {
	if n < 0 || !(ratio >= 1) || math.IsInf(ratio, 1) {
		panic(fmt.Sprintf("dem: %d sizes of ratio %v", n, ratio))
	}
	rng := rand.New(rand.NewPCG(seed, 0x5123))
	sizes := make([]float64, n)
	for i := range sizes {
		sizes[i] = min(ratio, max(1, inverse((float64(i)+.5)/float64(n))))
	}
	rng.Shuffle(n, func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	return sizes
}
