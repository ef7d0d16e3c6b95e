package polygon

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"
)

// If overlapping bodies move little between calls, each call must examine a constant number of
// features, for any number of corners. Only the first call may sweep.
func TestCoherentOverlapIsConstant(t *testing.T) {
	steps := trials(2_000, 100_000)
	for _, depth := range []float64{1e-6, 1e-3, 0.01, 0.1} {
		for _, n := range []int{4, 6, 10, 16, 30, 100, 300, 1000, 10_000} {
			if n == 4 && depth > 0.01 {
				continue // the boundaries of squares cross four times in some poses
			}
			s := regular(t, n, 1, 0.05)
			var p, far Pair
			a, b := press(t, &far, s, 0, depth)
			p.Overlap(&a, &b)
			before := p.Stats()
			sweeps, most := before.Sweeps, uint64(0)
			for i := 1; i <= steps; i++ {
				a, b = press(t, &far, s, i, depth)
				last := p.Stats()
				if p.Overlap(&a, &b).Area == 0 {
					t.Fatalf("depth %g, %d corners: no overlap", depth, n)
				}
				now := p.Stats()
				most = max(most, now.Steps+now.Visits-last.Steps-last.Visits)
			}
			after := p.Stats()
			mean := float64(after.Steps+after.Visits-before.Steps-before.Visits) / float64(steps)
			t.Logf("depth %g, %d corners: %.2f looks a call, at most %d", depth, n, mean, most)
			// With 10,000 corners, a corner passes the other boundary in most calls, some of them many.
			if n <= 1000 && (mean > 20 || most > 40) || mean > 60 {
				t.Errorf("depth %g, %d corners: %v looks a call, at most %d", depth, n, mean, most)
			}
			if after.Sweeps != sweeps || after.Exact != before.Exact {
				t.Errorf("depth %g, %d corners: %+v, before %+v", depth, n, after, before)
			}
		}
	}
}

// If bodies come together, overlap and separate, no call may examine all corners.
func TestContactWithoutSweeps(t *testing.T) {
	for _, n := range []int{4, 5, 16, 17, 100, 1000} {
		s := regular(t, n, 1, 0.05)
		var p, far Pair
		relations := map[bool]int{}
		for i := range 4_000 {
			a, b := press(t, &far, s, i, 1e-3*math.Sin(0.05*float64(i))-1e-4)
			relations[p.Overlap(&a, &b).Area > 0]++
		}
		if relations[true] < 1_000 || relations[false] < 1_000 {
			t.Fatalf("%d corners: relations %v", n, relations)
		}
		st := p.Stats()
		t.Logf("%d corners: %.2f looks a call", n, float64(st.Steps+st.Visits)/float64(st.Calls))
		if st.Sweeps != 0 {
			t.Errorf("%d corners: %+v", n, st)
		}
	}
}

// track may return true only if the boundaries cross exactly at the given places. The test starts it
// at random crossings, and at the true ones.
func TestTrackedCrossingsAreTheOnlyOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	tracked, missed, more := 0, 0, 0
	check := func(t *testing.T, a, b *Body) {
		var f frame
		f.init(a, b)
		var s pieceSums
		want := f.pieces(0, &s) && f.onlyCrossings(&s)
		if s.enters > 1 {
			more++
		}
		for try := range 6 {
			c := s.crossings
			if !want || try > 0 {
				for k := range c {
					c[k] = crossing{rng.Int32N(int32(f.body[k].shape.Len())), rng.Int32N(int32(f.body[1-k].shape.Len()))}
				}
			}
			switch {
			case f.track(&c, &[2]crossingPoint{}):
				tracked++
				if !want || c != s.crossings {
					t.Errorf("tracked %v, want %v (%v)", c, s.crossings, want)
				}
			case want && try == 0:
				missed++
			}
		}
	}
	eachScene(t, 41, trials(10_000, 500_000), check)
	t.Run("regular", func(t *testing.T) {
		for range trials(2_000, 100_000) {
			n := 3 + rng.IntN(60)
			a := Body{shape: regular(t, n, 1, 0), cos: 1}
			b := must[Body](t)(Place(regular(t, n, math.Exp(rng.NormFloat64()/4), 0), Pose{
				Angle: rng.NormFloat64(), At: r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()}.Mul(0.3 * rng.Float64())}))
			check(t, &a, &b)
		}
	})
	t.Logf("%d tracked, %d not proved, %d with more crossings", tracked, missed, more)
	if tracked < trials(1_000, 1_000) || more < trials(1_000, 1_000) || missed > tracked/10 {
		t.Errorf("%d tracked, %d not proved, %d with more crossings: the test says little", tracked, missed, more)
	}
}

// Bodies move through each other in random motions. The results must have the same bits as those of
// a new Pair.
func TestOverlapDoesNotDependOnTheMotion(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	followed, calls := uint64(0), uint64(0)
	for range trials(200, 10_000) {
		var s [2]*Shape
		for k := range s {
			switch n := 3 + rng.IntN(6); rng.IntN(4) {
			case 0:
				s[k] = random(t, rng, n, 1)
			case 1:
				s[k] = random(t, rng, 3+rng.IntN(100), 1)
			case 2:
				s[k] = regular(t, 3+rng.IntN(200), math.Exp(rng.NormFloat64()), 0)
			default:
				s[k] = must[*Shape](t)(New(points(-1, -0.1, 1, -0.1, 1, 0.1, -1, 0.1)))
			}
		}
		turn, slow := rng.NormFloat64(), math.Pow(10, -4*rng.Float64())
		from := r2.Point{X: 2 * rng.NormFloat64(), Y: 2 * rng.NormFloat64()}
		to := r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()}
		var p Pair
		for i := range 200 {
			x := slow * float64(i-100)
			a := must[Body](t)(Place(s[0], Pose{Angle: turn * x}))
			b := must[Body](t)(Place(s[1], Pose{Angle: 2 * x, At: from.Mul(x).Add(to.Mul(1 - x))}))
			var fresh Pair
			if got, want := p.Overlap(&a, &b), fresh.Overlap(&a, &b); got != want {
				t.Fatalf("%d and %d corners, step %d: got %+v, fresh %+v", s[0].Len(), s[1].Len(), i, got, want)
			}
			if p.last == crossed {
				followed++
			}
		}
		calls += p.Stats().Sweeps
	}
	t.Logf("%d calls followed crossings, %d sweeps", followed, calls)
	if followed < uint64(trials(1_000, 1_000)) {
		t.Error("the test says little")
	}
}

// The stored regions of runs must be the sums of their triangles.
func TestRunTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	for _, n := range []int{3, 8, 16, 17, 18, 31, 32, 33, 64, 100, 257} {
		s := regular(t, n, 1, 0.3)
		if rng.IntN(2) == 0 {
			s = random(t, rng, n, 1)
		}
		n = s.Len()
		if (s.runs != nil) != (n > maxWalk) {
			t.Errorf("%d corners: table %v", n, s.runs)
		}
		f := plainFrame(s)
		for i := range n {
			for j := range n {
				if i == j {
					continue
				}
				got, want := f.run(0, i, j), f.walkRun(0, i, j)
				if !near(got.weight, want.weight, want.weight) || got.first.Sub(want.first).Norm() > tolerance*want.weight {
					t.Fatalf("%d corners, run %d to %d: %+v, want %+v", n, i, j, got, want)
				}
			}
		}
		if looks := f.visits; n > maxWalk {
			f.visits = 0
			for i := range n {
				f.run(0, i, s.previous(i))
			}
			if f.visits > uint64(4*n) {
				t.Errorf("%d looks for %d runs (%d before)", f.visits, n, looks)
			}
		}
	}
}
