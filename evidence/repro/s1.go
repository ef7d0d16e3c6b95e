package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// regular returns the regular polygon with n corners on the unit circle.
func regular(n int) (*polygon.Shape, error) {
	corners := make([]r2.Point, n)
	for i := range corners {
		s, c := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / float64(n))
		corners[i] = r2.Point{X: c, Y: s}
	}
	return polygon.New(corners)
}

// turn1999 is the angle by which the two polygons of S1 rotate relative to each other. In a tenth
// of a turn, 100 of 1,000 corners pass the other polygon. The paper states "up to 100 times".
const turn1999 = 2 * math.Pi / 10

// coherent returns the poses of two polygons that rotate and drift past each other, in the given
// number of steps. distance is the first distance of their centers. The corners have the distance 1
// from the center of their polygon.
func coherent(shape *polygon.Shape, steps int, distance, drift float64) (a, b []polygon.Body, err error) {
	for i := range steps {
		t := float64(i) / float64(steps)
		pa, err := polygon.Place(shape, polygon.Pose{Angle: turn1999 / 2 * t})
		if err != nil {
			return nil, nil, err
		}
		pb, err := polygon.Place(shape, polygon.Pose{At: r2.Point{X: distance + drift*t, Y: drift * t}, Angle: 0.3 - turn1999/2*t})
		if err != nil {
			return nil, nil, err
		}
		a, b = append(a, pa), append(b, pb)
	}
	return a, b, nil
}

// The drift moves the closest points. Polygons in contact drift less, so that they stay in contact.
const (
	apart1999    = 2.1 // at this distance, polygons never touch
	drift1999    = 0.1
	slipping1999 = 0.001
)

// contactDistance returns a distance of the centers at which two regular polygons overlap in any
// orientation: 1.98 times the radius of the circle inside them.
func contactDistance(shape *polygon.Shape) float64 {
	return 1.98 * math.Cos(math.Pi/float64(shape.Len()))
}

// calls1999 holds the counts of all calls for one number of corners.
type calls1999 struct {
	work    float64 // a call
	changes int     // number of changes of the closest features
	near    []polygon.Proximity
	seconds float64 // a call
}

// callAll counts and measures the calls for a motion.
func callAll(ctx context.Context, r *Run, a, b []polygon.Body, overlap bool) (calls1999, error) {
	c := calls1999{near: make([]polygon.Proximity, len(a))}
	var pair polygon.Pair
	s, err := r.phases(ctx, func() error {
		pair = polygon.Pair{}
		for i := range a {
			c.near[i] = pair.Distance(&a[i], &b[i])
			if overlap {
				pair.Overlap(&a[i], &b[i])
			}
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	for i := 1; i < len(a); i++ {
		if c.near[i].Features != c.near[i-1].Features {
			c.changes++
		}
		if overlap && c.near[i].Relation != polygon.Overlapping {
			return c, fmt.Errorf("step %d: the polygons do not overlap", i)
		}
	}
	st := pair.Stats()
	// The keys of measurements are numbers, so all processes must make the same measurements in the
	// same order.
	c.work, c.seconds = float64(st.Steps+st.Visits)/float64(st.Calls), r.overProcesses("calls", s[0]).Median/float64(st.Calls)
	return c, nil
}

// runS1 repeats figure 11 of Schinner 1999, and the same for polygons in contact.
func runS1(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{4, 16}, []int{4, 8, 16, 32, 64, 128, 256, 512, 1000}, []int{4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1000})
	steps := pick(r.Size, 100, 5000, 100000)
	apart, touching, fresh := Series{Name: "apart"}, Series{Name: "in contact"}, Series{Name: "apart, no memory"}
	table := Table{Name: "S1-calls", Long: true, Title: "Work and time of a call: polygons apart, the same without the features of the last call, and in contact (distance and overlap)",
		Columns: []string{"corners", "apart: work", "changes of features", "ns", "no memory: work", "in contact: work", "ns in contact"}}
	r.progress.plan(len(counts))
	var changes []int
	for _, n := range counts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		shape, err := regular(n)
		if err != nil {
			return nil, err
		}
		a, b, err := coherent(shape, steps, apart1999, drift1999)
		if err != nil {
			return nil, err
		}
		c, err := callAll(ctx, r, a, b, false)
		if err != nil {
			return nil, fmt.Errorf("%d corners: %w", n, err)
		}
		alone, err := withoutMemory(a, b, c.near, max(1, steps/1000))
		if err != nil {
			return nil, fmt.Errorf("%d corners: %w", n, err)
		}
		if a, b, err = coherent(shape, steps, contactDistance(shape), slipping1999); err != nil {
			return nil, err
		}
		t, err := callAll(ctx, r, a, b, true)
		if err != nil {
			return nil, fmt.Errorf("%d corners in contact: %w", n, err)
		}
		apart.Add(float64(n), c.work)
		fresh.Add(float64(n), alone)
		touching.Add(float64(n), t.work)
		changes = append(changes, c.changes)
		table.Add(n, c.work, c.changes, 1e9*c.seconds, alone, t.work, 1e9*t.seconds)
		r.progress.step(fmt.Sprintf("%d corners", n))
	}
	kept, speed, err := stepsKept(ctx, r)
	if err != nil {
		return nil, err
	}
	spread, slope, alone := spreadOf(apart.Y), fitPower(apart.X, apart.Y), fitPower(fresh.X, fresh.Y)
	last, inContact := len(counts)-1, fitTail(touching, pick(r.Size, 0.0, 16, 16))
	return &Result{
		Figures: []Figure{{Name: "S1-fig11", Title: "One call of the closest-feature algorithm", X: "number of corners", Y: "work of a call [pairs of features, corners]", LogX: true, LogY: true, Series: []Series{apart, touching, fresh}}},
		Tables:  []Table{table},
		Statements: []Statement{
			counted("S1.flat", "a call takes constant time for polygons apart", "Figure 11: the time of a call hardly grows with the number of corners.", fmt.Sprintf("From %d to %d corners the work varies by a factor of %.2f (exponent %s).", counts[0], counts[last], spread, slope),
				"below 1.5", spread < 1.5, Fails, fmt.Sprintf("In time: %s and %s ns.", readable(table.Rows[0][3]), readable(table.Rows[last][3]))).number(fmt.Sprintf("exponent %.2f", slope.Exponent)),
			counted("S1.changes", "", "Figure 11: the slight increase is due to more changes (up to 100).", fmt.Sprintf("%d and %d changes for %d and %d corners; work %.4f and %.4f.", changes[0], changes[last], counts[0], counts[last], apart.Y[0], apart.Y[last]),
				"more changes, more work", changes[last] > changes[0] && apart.Y[last] >= apart.Y[0], Parameters, "We chose a rotation past 100 corners.").uncounted(FittedTo),
			counted("S1.contact", "a call takes constant time in contact", "§1.2: a call takes constant time also in contact; footnote 3: rarely a complete check is necessary.", fmt.Sprintf("Exponent of the work: %s.", inContact),
				"below .2", inContact.Exponent+zeroIfNaN(inContact.Error) < 0.2, Kernel, "Ours needs no complete check in contact.").number(fmt.Sprintf("exponent %.2f", inContact.Exponent)),
			quiet(counted("S1.converge", "a call without memory takes O(n log n)", "§4.2: without memory a call converges in O(n log n).", fmt.Sprintf("Exponent of the work: %s.", alone), "at most 1.25, as n log n", alone.Exponent <= 1.25, Fails, "")),
			counted("S1.kept", "closest features stay for hundreds of steps", "§4.2: two features remain closest for several hundreds of steps.", fmt.Sprintf("For %s steps, if polygons move by about %.5f radii a step.", short(kept), speed), "above 200", kept > 200, Parameters, "The paper states no speed."),
		},
		Notes: []string{fmt.Sprintf("Two equal regular polygons rotate by a tenth of a turn in %d steps, and drift.", steps)},
	}, nil
}

// zeroIfNaN returns 0 for the unknown error of a fit to two points.
func zeroIfNaN(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// stepsKept simulates moving polygons like S3 and returns the mean number of steps between changes of
// the closest features, over all pairs that are near each other at the start but do not touch. It
// also returns the typical length of a step in radii.
func stepsKept(ctx context.Context, r *Run) (steps, length float64, err error) {
	const n, near, timeStep = 100, 3, 2e-4 // diagonal neighbors are 2.7 apart
	scene, err := rubble(n, 30, 30, rand.New(rand.NewPCG(n, 42)))
	if err != nil {
		return 0, 0, err
	}
	w, err := dem.NewPolygons(ctx, scene, neighbor.NewIncrementalSort[neighbor.Rect](neighbor.SortOptions{Workers: 1}), dem.Options{TimeStep: timeStep, Stiffness: 1e4, Density: 1, Workers: 1})
	if err != nil {
		return 0, 0, err
	}
	type tracked struct {
		a, b int
		pair polygon.Pair
		last polygon.Proximity
	}
	var list []tracked
	for a := range n {
		for b := a + 1; b < n; b++ {
			if scene.Polygons[a].Pose.At.Sub(scene.Polygons[b].Pose.At).Norm() < near {
				list = append(list, tracked{a: a, b: b})
			}
		}
	}
	calls, changes := 0, 0
	bodies := make([]polygon.Body, n)
	for step := range pick(r.Size, 20, 500, 2000) {
		if err := w.Step(ctx); err != nil {
			return 0, 0, err
		}
		for i := range bodies {
			if bodies[i], err = polygon.Place(scene.Polygons[i].Shape, w.Pose(i)); err != nil {
				return 0, 0, err
			}
		}
		for k := range list {
			t := &list[k]
			p := t.pair.Distance(&bodies[t.a], &bodies[t.b])
			if step > 0 && p.Relation == polygon.Separated && t.last.Relation == polygon.Separated {
				calls++
				if p.Features != t.last.Features {
					changes++
				}
			}
			t.last = p
		}
	}
	return float64(calls) / float64(max(changes, 1)), rubbleSpeed * math.Sqrt2 * timeStep, nil
}

// withoutMemory compares a sample of the results with the results of new Pairs. It returns the work
// of a call.
func withoutMemory(a, b []polygon.Body, want []polygon.Proximity, every int) (float64, error) {
	work, calls := uint64(0), 0
	for i := 0; i < len(a); i += every {
		var p polygon.Pair
		if got := p.Distance(&a[i], &b[i]); got.Distance != want[i].Distance || got.Features != want[i].Features {
			return 0, fmt.Errorf("step %d: a new Pair finds distance %v between features %v, but the Pair with memory finds %v between %v", i, got.Distance, got.Features, want[i].Distance, want[i].Features)
		}
		work += p.Stats().Steps + p.Stats().Visits
		calls++
	}
	return float64(work) / float64(calls), nil
}
