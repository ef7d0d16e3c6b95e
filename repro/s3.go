package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// rubble returns n regular polygons with 3 to 10 corners between walls. Their rotations and
// velocities are random. They lie on a dense square lattice, so many polygons touch.
func rubble(n int, random *rand.Rand) (dem.PolygonScene, error) {
	const spacing, speed = 1.9, 0.3 // polygons of radius 1 overlap at corners, but not at edges
	columns := int(math.Ceil(math.Sqrt(float64(n))))
	rows := (n + columns - 1) / columns
	s := dem.PolygonScene{Walls: neighbor.Rect{Max: r2.Point{X: spacing*float64(columns) + 1, Y: spacing*float64(rows) + 1}}}
	for i := range n {
		shape, err := regular(3 + random.IntN(8))
		if err != nil {
			return s, err
		}
		p := dem.Polygon{Shape: shape, Velocity: r2.Point{X: speed * random.NormFloat64(), Y: speed * random.NormFloat64()}, Spin: speed * random.NormFloat64()}
		p.Pose.At = r2.Point{X: spacing*(float64(i%columns)+0.5) + 0.5, Y: spacing*(float64(i/columns)+0.5) + 0.5}
		p.Pose.Angle = 2 * math.Pi * random.Float64()
		s.Polygons = append(s.Polygons, p)
	}
	return s, nil
}

// runS3 repeats the measurement of Schinner 1999, §5, with one thread and with two threads.
func runS3(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{100}, []int{500, 2000}, []int{500, 2000, 8000, 20000})
	steps := pick(r.Size, 3, 60, 150)
	table := Table{Name: "S3-threads", Title: "Time of a step with one thread and with two threads. The last column is for one thread", Columns: []string{"polygons", "contacts", "1 thread ms", "2 threads ms", "speed-up", "µs a polygon and step"}}
	curve := Series{Name: "measured"}
	least, most := Series{Name: "the paper: from 1.9", Style: Prediction, Hue: 2}, Series{Name: "to 1.95", Style: Prediction, Hue: 2}
	r.progress.plan(len(counts))
	for _, n := range counts {
		scene, err := rubble(n, rand.New(rand.NewPCG(uint64(n), 12)))
		if err != nil {
			return nil, err
		}
		var worlds [2]*dem.Polygons
		for k := range worlds {
			opt := dem.Options{TimeStep: 2e-4, Stiffness: 1e4, Density: 1, Workers: k + 1}
			worlds[k], err = dem.NewPolygons(ctx, scene, neighbor.NewIncrementalSort[neighbor.Rect](neighbor.SortOptions{Workers: k + 1}), opt)
			if err != nil {
				return nil, err
			}
		}
		var times [2][]float64
		for step := range steps {
			for k, w := range worlds {
				t, err := seconds(func() error { return w.Step(ctx) })
				if err != nil {
					return nil, fmt.Errorf("%d polygons, step %d: %w", n, step, err)
				}
				times[k] = append(times[k], t)
			}
		}
		for i := range n {
			if worlds[0].Pose(i) != worlds[1].Pose(i) {
				return nil, fmt.Errorf("%d polygons: the positions of polygon %d with one thread and with two threads differ", n, i)
			}
		}
		one, two := median(times[0]), median(times[1])
		table.Add(n, len(worlds[0].Contacts()), 1e3*one, 1e3*two, one/two, 1e6*one/float64(n))
		curve.Add(float64(n), one/two)
		least.Add(float64(n), 1.9)
		most.Add(float64(n), 1.95)
		r.progress.step(fmt.Sprint(n))
	}
	last := curve.Y[len(curve.Y)-1]
	holds := verdict(last >= 1.9)
	if runtime.NumCPU() < 2 {
		holds = "not measured: the machine has one processor"
	}
	return &Result{
		Figures: []Figure{{Name: "S3-speedup", Title: "Two threads against one: measured and in the paper", X: "number of polygons", Y: "speed-up", LogX: true, Series: []Series{curve, least, most}}},
		Tables:  []Table{table},
		Statements: []Statement{
			{"Two threads are 1.9 to 1.95 times as fast as one thread.", fmt.Sprintf("Two threads are %.2f times as fast for %d polygons.", last, counts[len(counts)-1]), holds},
			{"Not in the paper: every polygon has the same pose with two threads as with one thread.", fmt.Sprintf("All poses are identical after %d steps.", steps), "yes"},
		},
		Notes: []string{fmt.Sprintf("The simulation uses a Gear predictor–corrector and forces from overlap areas (package dem). An incremental sort finds the bounding boxes that overlap. The polygons are regular, have 3 to 10 corners, and touch. The times are medians of %d steps. The two worlds take turns of one step.", steps)},
	}, nil
}
