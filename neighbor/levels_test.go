package neighbor

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPapersLevels(t *testing.T) {
	for _, law := range []struct {
		name   string
		radius func(u float64) float64
		want   int
	}{
		{"uniform volume", func(u float64) float64 { return 1 / math.Sqrt(1-u*(1-1./2500)) }, 7},
		// The fastest in the paper's figure 4 is 2; L(m+K) is .3 % smaller for 3.
		{"uniform size", func(u float64) float64 { return 1 + 49*u }, 3},
		{"one size", func(u float64) float64 { return 1 }, 1},
	} {
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(seed, 4))
			const n = 125001
			radii := make([]float64, n)
			volume := 0.0
			for i := range radii {
				// Systematic sampling: one radius from each of n equal parts of the law.
				radii[i] = law.radius((float64(i) + rng.Float64()) / n)
				volume += 4. / 3 * math.Pi * radii[i] * radii[i] * radii[i]
			}
			rng.Shuffle(n, func(i, j int) { radii[i], radii[j] = radii[j], radii[i] })
			sizes := OptimalLevels(radii, math.Cbrt(volume/.62), 3)
			if len(sizes) != law.want {
				t.Errorf("%s, seed %d: %d levels %v, want %d", law.name, seed, len(sizes), sizes, law.want)
			}
		}
	}
}
