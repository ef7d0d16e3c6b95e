package polygon

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"
)

// If the bodies move little between calls, each call must examine a constant number of features.
// The mean numbers for 4 corners and for 1,000 corners may differ by a factor of at most 2. No call
// may sweep.
func TestCoherentMotionIsConstant(t *testing.T) {
	steps := trials(2_000, 100_000)
	var first float64
	for _, n := range []int{4, 10, 30, 100, 300, 1000} {
		s := regular(t, n, 1, 0.05)
		var p Pair
		a, b := orbit(t, s, 0)
		p.Distance(&a, &b)
		before := p.Stats()
		for i := 1; i <= steps; i++ {
			a, b = orbit(t, s, i)
			p.Distance(&a, &b)
		}
		after := p.Stats()
		mean := float64(after.Steps-before.Steps) / float64(steps)
		t.Logf("%d corners: %.3f steps a call", n, mean)
		if first == 0 {
			first = mean
		}
		if mean > 2*first || mean > 3 {
			t.Errorf("%d corners: %v steps a call, %v with the fewest", n, mean, first)
		}
		if after.Sweeps != before.Sweeps || after.Visits != before.Visits {
			t.Errorf("%d corners: %+v, before %+v", n, after, before)
		}
	}
}

// orbit returns the bodies at step i of a motion. In each step, both bodies rotate by less than
// 1e-3 radians. Body b moves around body a at a varying distance.
func orbit(t testing.TB, s *Shape, i int) (a, b Body) {
	x := 1e-3 * float64(i)
	sin, cos := math.Sincos(0.7 * x)
	r := 2.1 + 0.05*math.Sin(3*x)
	a = must[Body](t)(Place(s, Pose{Angle: 0.3 * x}))
	b = must[Body](t)(Place(s, Pose{Angle: 1 - 0.4*x, At: r2.Point{X: r * cos, Y: r * sin}}))
	return a, b
}

// press returns the bodies at step i of a motion like that of orbit. The bodies overlap with the
// given depth. If the depth is negative, its absolute value is their distance. For steps in order,
// the Pair p saves time.
func press(t testing.TB, p *Pair, s *Shape, i int, depth float64) (a, b Body) {
	x := 1e-3 * float64(i)
	sin, cos := math.Sincos(0.7 * x)
	a = must[Body](t)(Place(s, Pose{Angle: 0.3 * x}))
	b = must[Body](t)(Place(s, Pose{Angle: 1 - 0.4*x, At: r2.Point{X: 4 * cos, Y: 4 * sin}}))
	// Move b toward a until the bodies almost touch, then along the normal of the contact.
	d := p.Distance(&a, &b)
	for ; d.Distance > 1e-9; d = p.Distance(&a, &b) {
		b.at = b.at.Sub(r2.Point{X: cos, Y: sin}.Mul(d.Distance - 1e-10))
	}
	b.at = b.at.Add(d.Normal.Mul(-d.Distance - depth))
	return a, b
}

// Every call must end. The number of steps of a walk may not exceed the number of features.
// Sweeping and clipping may examine only a constant number of features for each corner.
func TestWorkIsBoundedByCorners(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	steps, looks := 0.0, 0.0
	check := func(t *testing.T, a, b *Body) {
		n := a.shape.Len() + b.shape.Len()
		for _, overlap := range []bool{false, true} {
			p := Pair{feature: [2]Feature{
				{Index: rng.Int32N(int32(a.shape.Len())), Edge: rng.IntN(2) == 0},
				{Index: rng.Int32N(int32(b.shape.Len())), Edge: rng.IntN(2) == 0},
			}}
			if overlap {
				p.Overlap(a, b)
			} else {
				p.Distance(a, b)
			}
			s := p.Stats()
			steps = max(steps, float64(s.Steps)/float64(n))
			looks = max(looks, float64(s.Visits)/float64(n))
			if s.Steps > uint64(4*n) {
				t.Errorf("%d steps with %d corners", s.Steps, n)
			}
			// For each edge, clipping makes at most eight tests to find where the part of the edge in
			// the other body begins and ends. For each corner of the other body, clipping makes at
			// most eight more.
			if s.Visits > uint64(16*n) {
				t.Errorf("%d looks with %d corners", s.Visits, n)
			}
		}
	}
	eachScene(t, 12, trials(5_000, 200_000), check)
	t.Run("many corners", func(t *testing.T) {
		for range trials(300, 10_000) {
			a, b := Body{shape: random(t, rng, 3+rng.IntN(300), 1), cos: 1}, Body{shape: random(t, rng, 3+rng.IntN(300), 1), cos: 1}
			b.at = r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()}
			check(t, &a, &b)
		}
	})
	t.Logf("at most %.2f steps and %.2f looks a corner", steps, looks)
}

// Two bodies move through each other: they touch, overlap and separate again.
func TestPassingThrough(t *testing.T) {
	for _, n := range []int{3, 4, 7, 50} {
		s := regular(t, n, 1, 0.1)
		var kept Pair
		a := must[Body](t)(Place(s, Pose{}))
		relations := map[Relation]int{}
		for i := range 4001 {
			x := float64(i-2000) / 800
			b := must[Body](t)(Place(s, Pose{At: r2.Point{X: x, Y: 0.3 * x * x}, Angle: x}))
			var fresh Pair
			got, want := kept.Distance(&a, &b), fresh.Distance(&a, &b)
			if got != want {
				t.Fatalf("%d corners at %v: got %+v, want %+v", n, x, got, want)
			}
			relations[got.Relation]++
			if o := kept.Overlap(&a, &b); o != fresh.Overlap(&a, &b) || (o.Area > 0) != (got.Relation == Overlapping) {
				t.Fatalf("%d corners at %v: %v, %+v", n, x, got.Relation, o)
			}
		}
		if relations[Separated] == 0 || relations[Overlapping] == 0 {
			t.Errorf("%d corners: %v", n, relations)
		}
	}
}

// No call may allocate, even if expansions decide a sign. The only exception is bodies of very
// different sizes.
func TestNoAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	for _, scene := range scenes {
		var p Pair
		for range 20 {
			a, b := scene.make(t, rng)
			if n := testing.AllocsPerRun(10, func() {
				p.Distance(&a, &b)
				p.Overlap(&a, &b)
			}); n != 0 && scene.name != "sizes far apart" {
				t.Errorf("%s: %v allocations", scene.name, n)
			}
		}
		if (p.Stats().Rational != 0) != (scene.name == "sizes far apart") {
			t.Errorf("%s: %+v", scene.name, p.Stats())
		}
	}
}

// The test uses one Pair for many pairs of different shapes.
func TestPairOfOtherShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	var used Pair
	for range 2_000 {
		a, b := anywhere(t, rng, 1, 1, 2)
		var fresh Pair
		if got, want := used.Distance(&a, &b), fresh.Distance(&a, &b); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
}
