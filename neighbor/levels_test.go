package neighbor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPapersLevels(t *testing.T) {
	for _, law := range []struct {
		name   string
		radius func(u float64) float64
		want   int
	}{
		{"uniform volume", func(u float64) float64 { return 1 / math.Sqrt(1-u*(1-1./2500)) }, 7},
		// In figure 4 of Ogarko & Luding 2012, 2 levels are fastest. OptimalLevels finds 3 levels,
		// whose computed cost is 0.3% smaller.
		{"uniform size", func(u float64) float64 { return 1 + 49*u }, 3},
		{"one size", func(u float64) float64 { return 1 }, 1},
	} {
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(seed, 4))
			const n = 125001
			radii := make([]float64, n)
			volume := 0.0
			for i := range radii {
				// Take one radius from each of n equal parts of the distribution.
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

// countLevels returns the number of levels with at most m bodies per cell, by appendix A of Ogarko
// & Luding 2012.
func countLevels(sorted []float64, size, m float64, axes int) int {
	levels, bodies := 0, 0.0
	for i, r := range sorted {
		bodies++
		if i == 0 || bodies/math.Pow(.5*size/r, float64(axes)) > m {
			levels++
			bodies = 1
		}
	}
	return levels
}

// TestLevelPlanLiterally compares the cost of OptimalLevels with the lowest cost that a search
// finds. The search tries m in steps of 0.001.
func TestLevelPlanLiterally(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	trials := scaled(6, 300)
	if testing.Short() {
		trials = 2 // the race detector is slow, and this test has only one goroutine
	}
	for trial := range trials {
		n := 1 + rng.IntN(600)
		axes := 2 + trial%2
		radii := make([]float64, n)
		for i := range radii {
			radii[i] = math.Exp2(4 * rng.Float64())
		}
		size := 2 * 16 * (1 + 3*rng.Float64())
		sorted := slices.Sorted(slices.Values(radii))
		best := math.Inf(1)
		for m := 0.; ; m += .001 {
			levels := countLevels(sorted, size, m, axes)
			best = min(best, float64(levels)*(m+accessCost))
			if levels == 1 {
				break
			}
		}
		groups, upTo := equalGroups(radii)
		r := newLevelPlan(groups, upTo, size, axes)
		sizes := OptimalLevels(radii, size, axes)
		m := r.smallest(len(sizes))
		cost := float64(len(sizes)) * (m + accessCost)
		if cost > best || cost < best-.001*float64(n) {
			t.Errorf("%d radii in %g on %d axes: cost %g with %d levels, want at most %g", n, size, axes, cost, len(sizes), best)
		}
		if got := countLevels(sorted, size, m*(1+1e-9), axes); got != len(sizes) {
			t.Errorf("%d radii: %d levels for m = %g, want %d", n, len(sizes), m, got)
		}
		if last := sizes[len(sizes)-1]; last != 2*sorted[n-1] || !slices.IsSorted(sizes) {
			t.Errorf("sizes %v do not end with the largest diameter %g", sizes, 2*sorted[n-1])
		}
		for levels := 1; levels < 6; levels++ {
			if got := LevelSizes(radii, size, axes, levels); len(got) > levels || len(got) == 0 {
				t.Errorf("%d levels wanted, got %v", levels, got)
			}
		}
	}
}

func TestOneSizeIsOneLevel(t *testing.T) {
	radii := slices.Repeat([]float64{3, 1, 3}, 5000)
	for _, size := range []float64{6, 10, 100} {
		for _, sizes := range [][]float64{OptimalLevels(radii, size, 3), LevelSizes(radii, size, 3, 50)} {
			if !slices.Equal(sizes, []float64{6}) && !slices.Equal(sizes, []float64{2, 6}) {
				t.Errorf("in %g: sizes %v", size, sizes)
			}
		}
		if got := OptimalLevels(radii[:1], size, 3); !slices.Equal(got, []float64{6}) {
			t.Errorf("one body: sizes %v", got)
		}
	}
}

func TestNoLevels(t *testing.T) {
	if got := OptimalLevels(nil, 1, 3); len(got) != 0 {
		t.Errorf("levels %v of nothing", got)
	}
	if got := OptimalLevels([]float64{2, 1}, 0, 2); len(got) == 0 {
		t.Error("no levels in a world that is too small")
	}
}
