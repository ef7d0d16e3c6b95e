package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// rubbleSpeed is the standard deviation of each component of the velocities of rubble.
const rubbleSpeed = 0.3

// rubble returns n regular polygons with the given range of corners between walls. Their rotations and
// velocities are random. They lie on a dense square lattice, so many polygons touch.
func rubble(n, fewest, most int, random *rand.Rand) (dem.PolygonScene, error) {
	const spacing, speed = 1.9, rubbleSpeed // polygons of radius 1 overlap at corners, but not at edges
	columns := int(math.Ceil(math.Sqrt(float64(n))))
	rows := (n + columns - 1) / columns
	s := dem.PolygonScene{Walls: neighbor.Rect{Max: r2.Point{X: spacing*float64(columns) + 1, Y: spacing*float64(rows) + 1}}}
	for i := range n {
		shape, err := regular(fewest + random.IntN(most-fewest+1))
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

// corners1999 are the ranges of the number of corners. The paper does not state its own.
var corners1999 = []struct{ fewest, most int }{{3, 10}, {30, 30}, {100, 100}}

// runS3 repeats the measurement of Schinner 1999, §5, with one thread and with two threads.
func runS3(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{100}, []int{500, 2000}, []int{500, 2000, 8000})
	steps := pick(r.Size, 3, 20, 60)
	table := Table{Name: "S3-threads", Long: true, Title: "Time of a step with one and with two threads, and its ratio (median, smallest and largest of the processes)", Columns: []string{"corners", "polygons", "contacts", "1 thread ms", "2 threads ms", "speed-up"}}
	f := Figure{Name: "S3-speedup", Title: "Two threads against one: speed-up by the number of polygons and corners", X: "number of polygons", Y: "speed-up", LogX: true}
	r.progress.plan(len(counts) * len(corners1999))
	var last [][]float64 // for each number of corners, the speed-ups of all processes with the most polygons
	for hue, corners := range corners1999 {
		name := fmt.Sprintf("%d corners", corners.most)
		if corners.fewest < corners.most {
			name = fmt.Sprintf("%d to %d corners", corners.fewest, corners.most)
		}
		curve := Series{Name: name, Hue: hue + 1}
		var samples []float64
		for _, n := range counts {
			t, contacts, err := r.threadTimes(ctx, n, corners.fewest, corners.most, steps)
			if err != nil {
				return nil, fmt.Errorf("%d polygons: %w", n, err)
			}
			samples = r.record(fmt.Sprintf("%s %d", name, n), t[0]/t[1])
			speedup := newInterval(samples)
			table.Add(name, n, contacts, 1e3*t[0], 1e3*t[1], speedup.String())
			curve.AddRange(float64(n), speedup.Median, speedup.Low, speedup.High)
			r.progress.step(fmt.Sprint(n))
		}
		last = append(last, samples)
		f.Series = append(f.Series, curve)
	}
	for k, v := range []float64{1.9, 1.95} {
		line := Series{Name: []string{"the paper: from 1.9", "to 1.95"}[k], Style: Prediction, Hue: 7}
		for _, n := range counts {
			line.Add(float64(n), v)
		}
		f.Series = append(f.Series, line)
	}
	n := counts[len(counts)-1]
	ours, cause := "", Kernel
	for k, samples := range last {
		speedup := newInterval(samples)
		ours += fmt.Sprintf("%s with %s, ", speedup, f.Series[k].Name)
		if speedup.Low >= least1999 {
			cause = Parameters // it holds for some number of corners
		}
	}
	s := r.timedStatement("S3.threads", "two threads are 1.9 times as fast", "§5: two threads are 1.9 to 1.95 times as fast as one (it does not say for how many corners).", fmt.Sprintf("%sfor %d polygons.", ours, n), "all at least 1.9", newInterval(smallest(last)), least1999, math.Inf(1), cause, "")
	if runtime.NumCPU() < 2 {
		s.Why = "The machine has one processor."
		s = s.unchecked()
	}
	return &Result{Figures: []Figure{f}, Tables: []Table{table}, Statements: []Statement{s},
		Notes: []string{fmt.Sprintf("Gear predictor–corrector, forces from overlap areas, regular polygons that touch. Times are medians of %d steps in turns; all poses agree.", steps)}}, nil
}

// smallest returns the smallest value of each process over all lists.
func smallest(lists [][]float64) []float64 {
	least := slices.Clone(lists[0])
	for _, list := range lists[1:] {
		least = least[:min(len(least), len(list))]
		for i := range least {
			least[i] = min(least[i], list[i])
		}
	}
	return least
}

// least1999 is the smallest speed-up that the paper states.
const least1999 = 1.9

// threadTimes returns the median seconds of a step with one and with two threads, and the number of
// contacts. It fails if the poses differ.
func (r *Run) threadTimes(ctx context.Context, n, fewest, most, steps int) (medians [2]float64, contacts int, err error) {
	scene, err := rubble(n, fewest, most, rand.New(rand.NewPCG(uint64(n), 12)))
	if err != nil {
		return medians, 0, err
	}
	var worlds [2]*dem.Polygons
	for k := range worlds {
		opt := dem.Options{TimeStep: 2e-4, Stiffness: 1e4, Density: 1, Workers: k + 1}
		worlds[k], err = dem.NewPolygons(ctx, scene, neighbor.NewIncrementalSort[neighbor.Rect](neighbor.SortOptions{Workers: k + 1}), opt)
		if err != nil {
			return medians, 0, err
		}
	}
	var times [2][]float64
	for step := range steps {
		for k, w := range worlds {
			t, err := r.meter.watch(func() error { return w.Step(ctx) })
			if err != nil {
				return medians, 0, fmt.Errorf("step %d: %w", step, err)
			}
			times[k] = append(times[k], t)
		}
	}
	for i := range n {
		if worlds[0].Pose(i) != worlds[1].Pose(i) {
			return medians, 0, fmt.Errorf("the positions of polygon %d with one thread and with two threads differ", i)
		}
	}
	return [2]float64{median(times[0]), median(times[1])}, len(worlds[0].Contacts()), nil
}
