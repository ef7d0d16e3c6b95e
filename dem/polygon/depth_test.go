package polygon

import (
	"math/rand/v2"
	"testing"
)

// leastDepth must return the same features as a sweep, wherever it begins.
func TestLeastDepthIsTheSweep(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	overlapping, found := 0, 0
	check := func(t *testing.T, a, b *Body) {
		var f frame
		f.init(a, b)
		relation, want := f.sweep()
		if relation == Overlapping {
			overlapping++
		}
		for try := range 5 {
			v := want
			if try > 0 {
				for k := range v {
					v[k] = Feature{Index: rng.Int32N(int32(f.body[k].shape.Len())), Edge: rng.IntN(2) == 0}
				}
			}
			if got, ok := f.leastDepth(v); !ok {
				continue
			} else if relation != Overlapping || got != want {
				t.Errorf("from %v: got %v, want %v %v", v, got, relation, want)
			}
			if try == 0 {
				found++
			}
		}
	}
	eachScene(t, 51, trials(10_000, 500_000), check)
	t.Run("many corners", func(t *testing.T) {
		for range trials(3_000, 100_000) {
			a, b := anywhere(t, rng, 1, 1, 1)
			for _, c := range [2]*Body{&a, &b} {
				if rng.IntN(3) > 0 {
					c.shape = random(t, rng, 3+rng.IntN(200), 1)
				}
			}
			check(t, &a, &b)
		}
	})
	t.Logf("%d of %d overlaps found without a sweep", found, overlapping)
	if found < overlapping*9/10 || found < trials(1_000, 1_000) {
		t.Errorf("%d of %d overlaps found without a sweep: the test says little", found, overlapping)
	}
}

// If overlapping bodies move little between calls, each call of Distance must examine a constant
// number of features, for any number of corners. Binary searches add a few.
func TestCoherentDepthIsConstant(t *testing.T) {
	steps := trials(2_000, 100_000)
	for _, depth := range []float64{1e-6, 1e-3, 0.1} {
		for _, n := range []int{8, 30, 100, 300, 1000} {
			s := regular(t, n, 1, 0.05)
			var p, far Pair
			a, b := press(t, &far, s, 0, depth)
			p.Distance(&a, &b)
			p.Overlap(&a, &b)
			before := p.Stats()
			for i := 1; i <= steps; i++ {
				a, b = press(t, &far, s, i, depth)
				p.Overlap(&a, &b) // a call of Overlap does not slow down Distance
				if got := p.Distance(&a, &b); got.Relation != Overlapping || got.Distance < -depth-tolerance {
					t.Fatalf("depth %g, %d corners: %+v", depth, n, got)
				}
			}
			after := p.Stats()
			mean := float64(after.Steps+after.Visits-before.Steps-before.Visits) / float64(steps)
			t.Logf("depth %g, %d corners: %.2f looks a call", depth, n, mean)
			if mean > 60 {
				t.Errorf("depth %g, %d corners: %v looks a call", depth, n, mean)
			}
			if after.Sweeps != before.Sweeps {
				t.Errorf("depth %g, %d corners: %+v, before %+v", depth, n, after, before)
			}
		}
	}
}
