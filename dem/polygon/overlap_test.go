package polygon

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"
)

// TestOverlapTwin compares Overlap with the slow reference in twin_test.go. The relative error of
// areas must be at most 1e-12. For thin areas, the test also allows the error of the crossings. If
// no body is thin, that error is 2^-100 of the sizes, divided by the sine of the crossing angle.
// The error of centroids must be at most 1e-12 times the smaller radius, plus rounding of places.
func TestOverlapTwin(t *testing.T) {
	least := math.Inf(1)
	eachScene(t, 1, trials(8_000, 1_000_000), func(t *testing.T, a, b *Body) {
		var p Pair
		got := p.Overlap(a, b)
		ca, cb := twinCorners(a), twinCorners(b)
		area, centroid := twinCommon(ca, cb)
		// The reference rounds divisions. Therefore, its area can be a tiny positive number
		// although the bodies do not overlap.
		if relation, _ := twinRelation(ca, cb); relation != Overlapping {
			area, centroid = 0, r2.Point{}
		}
		span := a.shape.reach + b.shape.reach + b.at.Sub(a.at).Norm()
		known := 0x1p-90 * span * (got.Chord.Norm() + math.Sqrt(area))
		if min(a.shape.area/a.shape.size, b.shape.area/b.shape.size) < 0x1p-41*span {
			known = 0 // sums in rational numbers are exact
		}
		if (got.Area > 0) != (area > 0) || !near(got.Area, area, area+known/tolerance) {
			t.Errorf("area %v, want %v, off by %g", got.Area, area, got.Area/area-1)
		}
		scale := min(a.shape.radius, b.shape.radius) + 1e-3*a.at.Norm()
		if d := got.Centroid.Sub(centroid).Norm(); d > tolerance*scale {
			t.Errorf("centroid %v, want %v, off by %g", got.Centroid, centroid, d)
		}
		if area > 0 {
			least = min(least, area)
		}
	})
	t.Logf("least area %g", least)
	if !t.Failed() && least > 1e-12 {
		t.Errorf("least area %g: no thin ones", least)
	}
}

// The chord, rotated clockwise by a right angle, must be −∇Area. The test computes ∇Area by finite
// differences. If the bodies are exchanged, the chord must be reversed.
func TestChordIsTheGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const h = 1e-6
	tested := 0
	for range trials(2_000, 100_000) {
		a, b := anywhere(t, rng, 1, 1, 1)
		var p Pair
		o := p.Overlap(&a, &b)
		if o.Area == 0 {
			continue
		}
		tested++
		area := func(dx, dy float64) float64 {
			c := b
			c.at = c.at.Add(r2.Point{X: dx, Y: dy})
			return p.Overlap(&a, &c).Area
		}
		gradient := r2.Point{X: (area(h, 0) - area(-h, 0)) / (2 * h), Y: (area(0, h) - area(0, -h)) / (2 * h)}
		want := r2.Point{X: -o.Chord.Y, Y: o.Chord.X}
		// If body b moves by h, the chord changes by about h, or more at small crossing angles.
		if d := gradient.Sub(want).Norm(); d > 1e-3 {
			t.Errorf("gradient %v, chord %v, off by %g", gradient, o.Chord, d)
		}
		if back := p.Overlap(&b, &a); back.Chord.Add(o.Chord).Norm() > 1e-14 {
			t.Errorf("chord %v, exchanged %v", o.Chord, back.Chord)
		}
		if n := o.Normal(); o.Chord != (r2.Point{}) && !near(n.Norm(), 1, 1) {
			t.Errorf("normal %v", n)
		}
	}
	if tested < 100 {
		t.Errorf("%d overlapping pairs", tested)
	}
}

// The test cuts body b into two parts. The overlap areas of body a with both parts must sum to the
// overlap area of a and b.
func TestOverlapAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range trials(2_000, 100_000) {
		a, b := anywhere(t, rng, 1, 1, 1)
		n := b.shape.Len()
		if n < 4 {
			continue
		}
		cut := 2 + rng.IntN(n-3)
		left, right := b, b
		left.shape = must[*Shape](t)(New(b.shape.corners[:cut+1]))
		right.shape = must[*Shape](t)(New(append([]r2.Point{b.shape.corners[0]}, b.shape.corners[cut:]...)))
		var p Pair
		whole, l, r := p.Overlap(&a, &b), p.Overlap(&a, &left), p.Overlap(&a, &right)
		if !near(l.Area+r.Area, whole.Area, whole.Area) {
			t.Errorf("%v + %v is not %v", l.Area, r.Area, whole.Area)
		}
		moment := l.Centroid.Mul(l.Area).Add(r.Centroid.Mul(r.Area))
		if moment.Sub(whole.Centroid.Mul(whole.Area)).Norm() > tolerance*whole.Area {
			t.Errorf("centroids %v, %v do not make %v", l.Centroid, r.Centroid, whole.Centroid)
		}
	}
}

func TestOverlapTable(t *testing.T) {
	square := must[*Shape](t)(New([]r2.Point{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}))
	small := must[*Shape](t)(New([]r2.Point{{X: 0, Y: 0}, {X: 0.25, Y: 0}, {X: 0.25, Y: 0.25}, {X: 0, Y: 0.25}}))
	bar := must[*Shape](t)(New([]r2.Point{{X: -1, Y: 0}, {X: 2, Y: 0}, {X: 2, Y: 0.25}, {X: -1, Y: 0.25}}))
	for _, row := range []struct {
		name  string
		shape *Shape
		at    r2.Point
		want  Overlap
	}{
		{"apart", square, r2.Point{X: 2}, Overlap{}},
		{"edges touch", square, r2.Point{X: 1}, Overlap{}},
		{"corners touch", square, r2.Point{X: -1, Y: 1}, Overlap{}},
		{"corner in", square, r2.Point{X: 0.5, Y: 0.75}, Overlap{0.125, r2.Point{X: 0.75, Y: 0.875}, r2.Point{X: -0.5, Y: 0.25}}},
		{"flush above and below", square, r2.Point{X: 0.75}, Overlap{0.25, r2.Point{X: 0.875, Y: 0.5}, r2.Point{Y: 1}}},
		{"the same", square, r2.Point{}, Overlap{1, r2.Point{X: 0.5, Y: 0.5}, r2.Point{}}},
		{"inside", small, r2.Point{X: 0.5, Y: 0.5}, Overlap{1. / 16, r2.Point{X: 0.625, Y: 0.625}, r2.Point{}}},
		{"inside a corner", small, r2.Point{X: 0.75, Y: 0.75}, Overlap{1. / 16, r2.Point{X: 0.875, Y: 0.875}, r2.Point{X: -0.125, Y: 0.125}}},
		{"bar through", bar, r2.Point{Y: 0.5}, Overlap{0.25, r2.Point{X: 0.5, Y: 0.625}, r2.Point{}}},
		{"bar along the bottom", bar, r2.Point{Y: -0.125}, Overlap{0.125, r2.Point{X: 0.5, Y: 0.0625}, r2.Point{X: 1}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := must[Body](t)(Place(square, Pose{}))
			b := must[Body](t)(Place(row.shape, Pose{At: row.at}))
			var p Pair
			if got := p.Overlap(&a, &b); !near(got.Area, row.want.Area, 1) || got.Centroid.Sub(row.want.Centroid).Norm() > 1e-15 ||
				got.Chord != row.want.Chord {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}

// If one body is inside the other, the chord must be exactly zero.
func TestNestedHasNoChord(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 17))
	for range trials(1_000, 50_000) {
		a := must[Body](t)(Place(regular(t, 3+rng.IntN(20), 3, rng.Float64()), Pose{Angle: rng.NormFloat64()}))
		b := must[Body](t)(Place(random(t, rng, 3+rng.IntN(8), 1), Pose{At: r2.Point{X: 0.1 * rng.Float64()}, Angle: rng.NormFloat64()}))
		var p Pair
		for _, o := range []Overlap{p.Overlap(&a, &b), p.Overlap(&b, &a)} {
			if o.Chord != (r2.Point{}) || o.Normal() != (r2.Point{}) || !near(o.Area, b.shape.Area(), b.shape.Area()) {
				t.Fatalf("%+v inside %+v: %+v, area %v", b, a, o, b.shape.Area())
			}
		}
	}
}

// The overlaps in this test are thinner than the rounding errors of coordinates. The relation must
// be exact. The area must be positive and negligible. The centroid must be on the common edge.
func TestThinnerThanResolved(t *testing.T) {
	above := must[*Shape](t)(New(points(-1, 0, 2, 0, 1, 3)))
	below := must[*Shape](t)(New(points(-2, 0, 0, -3, 1, 0)))
	// For the last two of these angles, rounding dominates the sums and could move the centroid off
	// the common edge.
	angles := []float64{0, 0.3, 2, -3, 7.521647176669277, 9.876902177714436}
	for rng := rand.New(rand.NewPCG(16, 16)); len(angles) < trials(30, 1_000); {
		angles = append(angles, 10*rng.NormFloat64())
	}
	for _, angle := range angles {
		for _, depth := range []float64{1e-30, 1e-32, 3e-33, 1e-40, 1e-120, 5e-324} {
			a := must[Body](t)(Place(above, Pose{Angle: angle}))
			sin, cos := math.Sincos(angle)
			b := must[Body](t)(Place(below, Pose{Angle: angle, At: r2.Point{X: -depth * sin, Y: depth * cos}}))
			var p Pair
			near, common := p.Distance(&a, &b), p.Overlap(&a, &b)
			want := exactRelation(&a, &b)
			if near.Relation != want || (common.Area > 0) != (want == Overlapping) || common.Area > 3*depth+1e-29 {
				t.Errorf("angle %v, depth %g: %v, want %v, %+v", angle, depth, near.Relation, want, common)
			}
			if want != Overlapping {
				continue
			}
			if !(near.Distance < 0 && near.Distance >= -2*depth) {
				t.Errorf("angle %v, depth %g: %v", angle, depth, near.Distance)
			}
			c := r2.Point{X: cos*common.Centroid.X + sin*common.Centroid.Y, Y: cos*common.Centroid.Y - sin*common.Centroid.X}
			if math.Abs(c.Y) > 1e-15 || c.X < -1-1e-15 || c.X > 1+1e-15 {
				t.Errorf("angle %v, depth %g: centroid at %v of the edge", angle, depth, c)
			}
		}
	}
}
