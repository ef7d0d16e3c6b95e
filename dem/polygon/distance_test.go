package polygon

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"
)

// tolerance is the largest relative error that tests accept. It is about 9,000 times the error of
// one rounding.
const tolerance = 1e-12

func near(got, want, scale float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(scale) }

// size returns the length with which tests compare absolute errors. It is the sum of the reaches of
// both bodies and the distances of their places from the origin.
func size(a, b *Body) float64 {
	return a.shape.reach + b.shape.reach + a.at.Norm() + b.at.Norm()
}

// TestDistanceTwin compares Distance with the slow reference in twin_test.go. The relations must be
// equal. The distance of separated bodies must have a relative error of at most 1e-12, even if the
// bodies are close. The error of the depth must be at most 1e-12·s, where s is the sum of the sizes
// of the bodies and the distance between their places.
func TestDistanceTwin(t *testing.T) {
	relations := map[Relation]int{}
	eachScene(t, 1, trials(8_000, 1_000_000), func(t *testing.T, a, b *Body) {
		var p Pair
		got := p.Distance(a, b)
		ca, cb := twinCorners(a), twinCorners(b)
		want, depth := twinRelation(ca, cb)
		relations[want]++
		if got.Relation != want {
			t.Errorf("got %v, want %v", got.Relation, want)
		}
		switch want {
		case Separated:
			if d := twinDistance(ca, cb); !near(got.Distance, d, d) {
				t.Errorf("distance %v, want %v, off by %g", got.Distance, d, got.Distance/d-1)
			}
		case Touching:
			if got.Distance != 0 {
				t.Errorf("touching at distance %v", got.Distance)
			}
		default:
			if !near(got.Distance, -depth, a.shape.reach+b.shape.reach+b.at.Sub(a.at).Norm()) {
				t.Errorf("depth %v, want %v", -got.Distance, depth)
			}
		}
		checkPoints(t, a, b, got)
	})
	if !t.Failed() && (relations[Separated] == 0 || relations[Touching] == 0 || relations[Overlapping] == 0) {
		t.Errorf("scenes do not have all relations: %v", relations)
	}
}

// checkPoints checks that both closest points lie on their features, and that they are consistent
// with the distance and the normal.
func checkPoints(t *testing.T, a, b *Body, got Proximity) {
	t.Helper()
	scale := size(a, b)
	if !near(got.Normal.Norm(), 1, 1) {
		t.Errorf("normal %v is not a unit vector", got.Normal)
	}
	if d := got.Points[1].Sub(got.Points[0]).Sub(got.Normal.Mul(got.Distance)); d.Norm() > tolerance*scale {
		t.Errorf("points %v do not differ by %v along %v", got.Points, got.Distance, got.Normal)
	}
	for k, body := range [2]*Body{a, b} {
		v := got.Features[k]
		p, q := body.Corner(int(v.Index)), body.Corner(int(v.Index))
		if v.Edge {
			q = body.Corner(body.shape.next(int(v.Index)))
		}
		if d := segmentDistance(got.Points[k], p, q); d > tolerance*scale {
			t.Errorf("point %v is off %v by %g", got.Points[k], v, d)
		}
	}
	// No corner of the first body may be beyond Points[0] along the normal. No corner of the second
	// body may be before Points[1]. Both rules also hold if the bodies overlap.
	for i := range a.shape.Len() {
		if h := a.Corner(i).Sub(got.Points[0]).Dot(got.Normal); h > tolerance*scale {
			t.Errorf("corner %d of the first body is %g beyond its point", i, h)
		}
	}
	for i := range b.shape.Len() {
		if h := b.Corner(i).Sub(got.Points[1]).Dot(got.Normal); h < -tolerance*scale {
			t.Errorf("corner %d of the second body is %g before its point", i, h)
		}
	}
}

func segmentDistance(c, p, q r2.Point) float64 {
	e, d := q.Sub(p), c.Sub(p)
	t := 0.0
	if l := e.Dot(e); l > 0 {
		t = min(1, max(0, e.Dot(d)/l))
	}
	return d.Sub(e.Mul(t)).Norm()
}

// The features that a Pair stores must not change the result, even if they come from other bodies.
func TestAnswersDoNotDependOnThePair(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	eachScene(t, 2, trials(2_000, 50_000), func(t *testing.T, a, b *Body) {
		var fresh Pair
		want, common := fresh.Distance(a, b), fresh.Overlap(a, b)
		for range 8 {
			used := Pair{feature: [2]Feature{
				{Index: rng.Int32N(20), Edge: rng.IntN(2) == 0},
				{Index: rng.Int32N(20), Edge: rng.IntN(2) == 0},
			}}
			used.last, used.cross = state(rng.IntN(3)), crossings{{rng.Int32N(20), rng.Int32N(20)}, {rng.Int32N(20), rng.Int32N(20)}}
			start := used
			if got := used.Distance(a, b); got != want {
				t.Errorf("from %v: got %+v, want %+v", start, got, want)
			}
			if got := used.Overlap(a, b); got != common {
				t.Errorf("from %v: got %+v, want %+v", start, got, common)
			}
		}
	})
}

// A sweep without a walk must return the same result as a walk.
func TestSweepIsTheWalk(t *testing.T) {
	walked := 0
	eachScene(t, 3, trials(5_000, 200_000), func(t *testing.T, a, b *Body) {
		var f frame
		f.init(a, b)
		relation, features := f.sweep()
		var p Pair
		if !p.walk(&f) {
			return
		}
		walked++
		if relation != Separated || features != p.feature {
			t.Errorf("sweep: %v %v, walk: %v", relation, features, p.feature)
		}
	})
	if walked == 0 {
		t.Error("no walk ended")
	}
}

// Distance(b, a) must be the mirror image of Distance(a, b). If both bodies are scaled by a power
// of two, the result must scale exactly.
func TestDistanceSymmetry(t *testing.T) {
	eachScene(t, 4, trials(2_000, 100_000), func(t *testing.T, a, b *Body) {
		var p, q Pair
		got, back := p.Distance(a, b), q.Distance(b, a)
		if got.Relation != back.Relation {
			t.Errorf("%v, exchanged %v", got.Relation, back.Relation)
		}
		scale := a.shape.reach + b.shape.reach + b.at.Sub(a.at).Norm()
		if !near(got.Distance, back.Distance, scale) {
			t.Errorf("distance %v, exchanged %v", got.Distance, back.Distance)
		}
		if got.Relation != Overlapping && (got.Features[0] != back.Features[1] || got.Features[1] != back.Features[0]) {
			t.Errorf("features %v, exchanged %v", got.Features, back.Features)
		}
		const factor = 0x1p-37
		a2, b2 := scaled(t, a, factor), scaled(t, b, factor)
		small := p.Distance(&a2, &b2)
		if small.Distance != factor*got.Distance || small.Normal != got.Normal || small.Features != got.Features ||
			small.Points[0] != got.Points[0].Mul(factor) {
			t.Errorf("got %+v, scaled %+v", got, small)
		}
	})
}

func scaled(t *testing.T, b *Body, factor float64) Body {
	t.Helper()
	corners := make([]r2.Point, b.shape.Len())
	for i := range corners {
		corners[i] = b.shape.Corner(i).Mul(factor)
	}
	s := *b
	s.shape = must[*Shape](t)(New(corners))
	s.at = s.at.Mul(factor)
	return s
}

func TestDistanceTable(t *testing.T) {
	square := must[*Shape](t)(New([]r2.Point{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}))
	diamond := must[*Shape](t)(New([]r2.Point{{X: 0, Y: -1}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: -1, Y: 0}}))
	h := math.Sqrt2 / 2
	for _, row := range []struct {
		name     string
		shape    *Shape
		at       r2.Point
		relation Relation
		distance float64
		normal   r2.Point
		points   [2]r2.Point
		features string
	}{
		{"edges face each other", square, r2.Point{X: 3, Y: 0.5}, Separated, 2, r2.Point{X: 1},
			[2]r2.Point{{X: 1, Y: 0.75}, {X: 3, Y: 0.75}}, "edge 1, edge 3"},
		{"corner and edge", diamond, r2.Point{X: 0.5, Y: 3}, Separated, 1, r2.Point{Y: 1},
			[2]r2.Point{{X: 0.5, Y: 1}, {X: 0.5, Y: 2}}, "edge 2, corner 0"},
		{"corners", square, r2.Point{X: 4, Y: 5}, Separated, 5, r2.Point{X: 0.6, Y: 0.8},
			[2]r2.Point{{X: 1, Y: 1}, {X: 4, Y: 5}}, "corner 2, corner 0"},
		{"edges face each other in a point", square, r2.Point{X: 2, Y: 1}, Separated, 1, r2.Point{X: 1},
			[2]r2.Point{{X: 1, Y: 1}, {X: 2, Y: 1}}, "corner 2, corner 0"},
		{"edges touch", square, r2.Point{X: 1, Y: -0.5}, Touching, 0, r2.Point{X: 1},
			[2]r2.Point{{X: 1, Y: 0.25}, {X: 1, Y: 0.25}}, "edge 1, edge 3"},
		{"whole edges touch", square, r2.Point{X: 1}, Touching, 0, r2.Point{X: 1},
			[2]r2.Point{{X: 1, Y: 0.5}, {X: 1, Y: 0.5}}, "edge 1, edge 3"},
		{"corners touch", square, r2.Point{X: 1, Y: 1}, Touching, 0, r2.Point{X: h, Y: h},
			[2]r2.Point{{X: 1, Y: 1}, {X: 1, Y: 1}}, "corner 2, corner 0"},
		{"corner touches edge", diamond, r2.Point{X: 2, Y: 0.5}, Touching, 0, r2.Point{X: 1},
			[2]r2.Point{{X: 1, Y: 0.5}, {X: 1, Y: 0.5}}, "edge 1, corner 3"},
		{"corner in", diamond, r2.Point{X: 1.75, Y: 0.5}, Overlapping, -0.25, r2.Point{X: 1},
			[2]r2.Point{{X: 1, Y: 0.5}, {X: 0.75, Y: 0.5}}, "edge 1, corner 3"},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := must[Body](t)(Place(square, Pose{}))
			b := must[Body](t)(Place(row.shape, Pose{At: row.at}))
			var p Pair
			got := p.Distance(&a, &b)
			features := got.Features[0].String() + ", " + got.Features[1].String()
			if got.Relation != row.relation || !near(got.Distance, row.distance, 1) || got.Normal.Sub(row.normal).Norm() > 1e-15 ||
				got.Points != row.points || features != row.features {
				t.Errorf("got %+v, want %+v", got, row)
			}
		})
	}
}

// If an edge is as short as one unit in the last place, a rotation can round both ends to the same
// point. Even then, the Distance of overlapping bodies must be negative.
func TestDepthOfEdgesBelowRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	overlapping := 0
	for range trials(8_000, 500_000) {
		flat := math.Ldexp(1, -rng.IntN(20))
		base := r2.Point{X: 1 + rng.Float64(), Y: flat * rng.Float64()}
		shape := func() *Shape {
			for {
				corners := make([]r2.Point, 3)
				for i := range corners {
					corners[i] = base.Add(r2.Point{X: float64(rng.IntN(3)), Y: flat * float64(rng.IntN(3))}.Mul(0x1p-52))
				}
				if s, err := New(corners); err == nil {
					return s
				}
			}
		}
		pose := Pose{Angle: 2 * math.Pi * rng.Float64()}
		a := must[Body](t)(Place(shape(), pose))
		pose.At = r2.Point{X: float64(rng.IntN(3) - 1), Y: float64(rng.IntN(3) - 1)}.Mul(0x1p-53)
		b := must[Body](t)(Place(shape(), pose))
		var p Pair
		got := p.Distance(&a, &b)
		if got.Relation != Overlapping {
			continue
		}
		overlapping++
		if !(got.Distance < 0) || !near(got.Normal.Norm(), 1, 1) {
			t.Fatalf("%v and %v, turned by %v: %+v", a.shape.corners, b.shape.corners, pose.Angle, got)
		}
	}
	if overlapping == 0 {
		t.Error("no bodies overlap")
	}
}

// The long sides of a needle have almost opposite outer normals. If the tips of two needles touch,
// the normal of the contact must have the direction of the needles.
func TestNormalBetweenNeedles(t *testing.T) {
	for _, length := range []float64{0x1p10, 0x1p30, 0x1p52, 0x1p60, 0x1p150} {
		left := must[*Shape](t)(New([]r2.Point{{}, {X: -length, Y: 1}, {X: -length, Y: -1}}))
		right := must[*Shape](t)(New([]r2.Point{{}, {X: length, Y: -1}, {X: length, Y: 1}}))
		for k := range 20 {
			pose := Pose{Angle: float64(k) / 3}
			a, b := must[Body](t)(Place(left, pose)), must[Body](t)(Place(right, pose))
			sin, cos := math.Sincos(pose.Angle)
			var p Pair
			got := p.Distance(&a, &b)
			if got.Relation != Touching || !near(got.Normal.Sub(r2.Point{X: cos, Y: sin}).Norm(), 0, 1) {
				t.Errorf("length %g, turned by %v: %+v", length, pose.Angle, got)
			}
			got = p.Distance(&b, &a)
			if got.Relation != Touching || !near(got.Normal.Sub(r2.Point{X: -cos, Y: -sin}).Norm(), 0, 1) {
				t.Errorf("length %g, turned by %v, other way: %+v", length, pose.Angle, got)
			}
		}
	}
}
