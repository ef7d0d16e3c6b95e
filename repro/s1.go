package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/polygon"
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

// turn1999 is the angle by which the two polygons of S1 rotate relative to each other. It is a
// tenth of a turn, so 100 of 1,000 corners pass the other polygon. The paper states "up to 100
// times".
const turn1999 = 2 * math.Pi / 10

// coherent returns the poses of two polygons that rotate and drift past each other without
// touching, in the given number of steps.
func coherent(shape *polygon.Shape, steps int) (a, b []polygon.Body, err error) {
	for i := range steps {
		t := float64(i) / float64(steps)
		pa, err := polygon.Place(shape, polygon.Pose{Angle: turn1999 / 2 * t})
		if err != nil {
			return nil, nil, err
		}
		// A drift by a tenth of a radius also moves the closest points.
		pb, err := polygon.Place(shape, polygon.Pose{At: r2.Point{X: 2.1 + 0.1*t, Y: 0.1 * t}, Angle: 0.3 - turn1999/2*t})
		if err != nil {
			return nil, nil, err
		}
		a, b = append(a, pa), append(b, pb)
	}
	return a, b, nil
}

// runS1 repeats figure 11 of Schinner 1999.
func runS1(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{4, 16}, []int{4, 8, 16, 32, 64, 128, 256, 512, 1000}, []int{4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1000})
	steps := pick(r.Size, 100, 10000, 100000)
	with, without := Series{Name: "closest features of the last call"}, Series{Name: "no memory"}
	table := Table{Name: "S1-calls", Title: "Time of a call of the closest-feature algorithm. A call with memory begins with the closest features of the last call",
		Columns: []string{"corners", "with memory ns", "pairs of features a call", "changes of features", "without memory ns"}}
	r.progress.plan(len(counts))
	for _, n := range counts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		shape, err := regular(n)
		if err != nil {
			return nil, err
		}
		a, b, err := coherent(shape, steps)
		if err != nil {
			return nil, err
		}
		var pair polygon.Pair
		near := make([]polygon.Proximity, steps)
		s, err := r.phases(ctx, func() error {
			pair = polygon.Pair{}
			for i := range a {
				near[i] = pair.Distance(&a[i], &b[i])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		every := max(1, steps/1000)
		fresh, err := r.phases(ctx, func() error { return withoutMemory(a, b, near, every) })
		if err != nil {
			return nil, fmt.Errorf("%d corners: %w", n, err)
		}
		changes := 0
		for i := 1; i < steps; i++ {
			if near[i].Features != near[i-1].Features {
				changes++
			}
		}
		t, u := s[0]/float64(steps), fresh[0]/float64((steps+every-1)/every)
		with.Add(float64(n), t)
		without.Add(float64(n), u)
		table.Add(n, 1e9*t, float64(pair.Stats().Steps)/float64(pair.Stats().Calls), changes, 1e9*u)
		r.progress.step(fmt.Sprintf("%d corners", n))
	}
	spread, slope := slices.Max(with.Y)/slices.Min(with.Y), fitPower(with.X, with.Y)
	return &Result{
		Figures: []Figure{{Name: "S1-fig11", Title: "One call of the closest-feature algorithm: with and without the last features", X: "number of corners", Y: "time a call [s]", LogX: true, LogY: true, Series: []Series{with, without}}},
		Tables:  []Table{table},
		Statements: []Statement{
			{"The time of a call hardly grows with the number of corners.", fmt.Sprintf("The slowest call takes %.2f times as long as the fastest, from %d to %d corners. The exponent is %s. Without the features of the last call it is %s.",
				spread, counts[0], counts[len(counts)-1], slope, fitPower(without.X, without.Y)), verdict(spread < 2)},
			{"The slight increase is due to more changes of the closest feature (up to 100).", fmt.Sprintf("The number of changes is %v for %d corners and %v for %d corners.", table.Rows[0][3], counts[0], table.Rows[len(table.Rows)-1][3], counts[len(counts)-1]),
				"number of changes: yes, but the motion was chosen to give it; increase of the time: " + verdict(slope.Exponent > slope.Error)},
		},
		Notes: []string{fmt.Sprintf("Two equal regular polygons rotate by a tenth of a turn relative to each other in %d steps. Along each axis, they drift by a tenth of their radius. They never touch. For a sample of the steps, calls without memory find the same distances.", steps)},
	}, nil
}

// withoutMemory compares a sample of the results with the results of new Pairs.
func withoutMemory(a, b []polygon.Body, want []polygon.Proximity, every int) error {
	for i := 0; i < len(a); i += every {
		var p polygon.Pair
		if got := p.Distance(&a[i], &b[i]); got.Distance != want[i].Distance || got.Features != want[i].Features {
			return fmt.Errorf("step %d: a new Pair finds distance %v between features %v, but the Pair with memory finds %v between %v", i, got.Distance, got.Features, want[i].Distance, want[i].Features)
		}
	}
	return nil
}
