package main

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/polygon"
)

// Particles of both kinds have the area of a disk of their radius. At the start of a column, no two
// particles overlap.
func TestColumnScene(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, shape := range []grain{roundGrain, angularGrain} {
		for _, radius := range []float64{0.5, 1, 3} {
			s, err := shape(radius, random)
			if err != nil {
				t.Fatal(err)
			}
			if want := math.Pi * radius * radius; math.Abs(s.Area()/want-1) > 1e-12 {
				t.Errorf("area %v, want %v", s.Area(), want)
			}
		}
		scene, half, err := columnScene(50, shape, random)
		if err != nil {
			t.Fatal(err)
		}
		var bodies []polygon.Body
		for _, p := range scene.Polygons {
			b, err := polygon.Place(p.Shape, p.Pose)
			if err != nil {
				t.Fatal(err)
			}
			if !p.Fixed {
				bodies = append(bodies, b)
			}
		}
		if len(bodies) != 50 || math.Abs(bodies[0].Centroid().X) > half {
			t.Errorf("%d particles, the first at %v", len(bodies), bodies[0].Centroid())
		}
		for i := range bodies {
			for k := range i {
				var pair polygon.Pair
				if pair.Overlap(&bodies[i], &bodies[k]).Area > 0 {
					t.Errorf("particles %d and %d overlap", i, k)
				}
			}
		}
	}
}

// The angle of a surface of two straight flanks is the mean of their angles, whatever lies apart from
// the heap.
func TestRepose(t *testing.T) {
	var y []float64
	const left, right, height = 0.5, 0.25, 40.0
	for i := -200; i <= 200; i++ {
		x := heapBin * float64(i)
		y = append(y, max(0, height-math.Abs(x)*map[bool]float64{true: left, false: right}[i < 0]))
	}
	y[len(y)-3] = 0.5 * height // apart
	angle, err := repose(y)
	if want := (math.Atan(left) + math.Atan(right)) / 2 * 180 / math.Pi; err != nil || math.Abs(angle-want) > 1e-9 {
		t.Errorf("angle %v, error %v, want %v", angle, err, want)
	}
	if angle, err := repose([]float64{0, 0, 5, 0, 0}); err != nil || math.Abs(angle-math.Atan(5/heapBin)*180/math.Pi) > 1e-9 {
		t.Errorf("a tower has the angle %v, error %v", angle, err)
	}
	for name, y := range map[string][]float64{"flat": {1, 1, 1, 1}, "cut": {0, 0, 1, 2, 3}, "nothing": {0, 0, 0}} {
		if angle, err := repose(y); !errors.Is(err, errFlat) {
			t.Errorf("%s: angle %v, error %v, want %v", name, angle, err, errFlat)
		}
	}
}

// The surface of an edge is that of its points, also in bins without an end of the edge. Bin i of nine is
// around 2·(i−4).
func TestRaise(t *testing.T) {
	for _, row := range []struct {
		p, q r2.Point
		want []float64
	}{
		{r2.Point{X: -5, Y: 1}, r2.Point{X: 4, Y: 10}, []float64{0, 0, 3, 5, 7, 9, 10, 0, 0}},
		{r2.Point{X: 4, Y: 10}, r2.Point{X: -5, Y: 1}, []float64{0, 0, 3, 5, 7, 9, 10, 0, 0}},
		{r2.Point{X: 2.5, Y: 1}, r2.Point{X: 2.5, Y: 6}, []float64{0, 0, 0, 0, 0, 6, 0, 0, 0}},
		{r2.Point{X: 6.5, Y: 2}, r2.Point{X: 100, Y: 2}, []float64{0, 0, 0, 0, 0, 0, 0, 2, 2}},
		{r2.Point{X: -100, Y: -2}, r2.Point{X: 100, Y: -2}, make([]float64, 9)},
	} {
		y := make([]float64, 9)
		raise(y, row.p, row.q)
		for i := range y {
			if math.Abs(y[i]-row.want[i]) > 1e-12 {
				t.Errorf("edge from %v to %v: %v, want %v", row.p, row.q, y, row.want)
				break
			}
		}
	}
}

// A heap does not depend on the number of threads, but on its seed.
func TestHeap(t *testing.T) {
	plan := heapPlan{particles: 20, fill: 6, collapse: 6}
	var heaps []heap
	for _, threads := range []int{1, 2} {
		h, err := plan.build(t.Context(), angularGrain, 0, threads)
		if err != nil {
			t.Fatal(err)
		}
		heaps = append(heaps, h)
	}
	other, err := plan.build(t.Context(), angularGrain, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := heaps[0], heaps[1]; a.angle != b.angle || a.before != b.before || !slices.Equal(a.surface, b.surface) {
		t.Errorf("one thread finds the angle %v, two find %v", a.angle, b.angle)
	}
	if slices.Equal(heaps[0].surface, other.surface) {
		t.Error("two seeds have the same heap")
	}
	for _, h := range append(heaps, other) {
		if !(h.angle > 5 && h.angle < 60) {
			t.Errorf("angle %v", h.angle)
		}
	}
}

// The mean of four angles with the deviation 2 has the interval ±3.182 (Student's t for three degrees of
// freedom), and that of two has ±12.706·s/√2.
func TestMeanAngle(t *testing.T) {
	d := math.Sqrt(3)
	if m := newMeanAngle([]float64{10 - d, 10 + d, 10 - d, 10 + d}); math.Abs(m.mean-10) > 1e-12 || math.Abs(m.error-3.18245) > 1e-4 {
		t.Errorf("%v, want 10 ± 3.18245", m)
	}
	if m := newMeanAngle([]float64{1, 3}); math.Abs(m.error-12.7062) > 1e-3 {
		t.Errorf("%v, want 2 ± 12.7062", m)
	}
}

// The statement holds only if the ratio is small at the ends of both intervals, and does not hold only if it is large there.
func TestReposeStatement(t *testing.T) {
	near := func(angle float64) []float64 { return []float64{angle - 0.1, angle, angle + 0.1} }
	for _, row := range []struct {
		round, angular []float64
		want           Verdict
	}{
		{near(14), near(24), Yes},
		{near(20), near(24), No},
		{near(17.9), near(24), Inconclusive},           // the ratio is below .75, but not its upper end
		{near(14), []float64{1, 24, 60}, Inconclusive}, // angles that tell nothing
		{[]float64{1, 14, 30}, near(24), Inconclusive},
	} {
		s := reposeStatement(row.round, row.angular)
		if err := s.check(); err != nil || s.Verdict != row.want {
			t.Errorf("%v and %v: verdict %v, error %v, want %v", row.round, row.angular, s.Verdict, err, row.want)
		}
	}
}
