package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/golang/geo/r2"
	"github.com/google/pprof/profile"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// rubbleSpeed is the standard deviation of each component of the velocities of rubble.
const rubbleSpeed = 0.3

// rubble returns n regular polygons with the given range of corners between walls. The rotations and
// velocities are random. The polygons lie on a dense square lattice, so many polygons touch.
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

// corners is a range of the number of corners of polygons.
type corners struct{ fewest, most int }

func (c corners) String() string {
	if c.fewest < c.most {
		return fmt.Sprintf("%d to %d corners", c.fewest, c.most)
	}
	return fmt.Sprintf("%d corners", c.most)
}

// corners1999 are the ranges of the number of corners. The paper does not state its ranges.
var corners1999 = []corners{{3, 10}, {30, 30}, {100, 100}}

// counts1999 returns the numbers of polygons.
func counts1999(s Size) []int { return pick(s, []int{100}, []int{500, 2000}, []int{500, 2000, 8000}) }

// runS3 repeats the measurement of Schinner 1999, §5, with one thread and with two threads.
func runS3(ctx context.Context, r *Run) (*Result, error) {
	counts := counts1999(r.Size)
	steps := pick(r.Size, 3, 20, 60)
	table := Table{Name: "S3-threads", Long: true, Title: "Time of a step with one and with two threads, and its ratio (median, smallest and largest of the processes)", Columns: []string{"corners", "polygons", "contacts", "1 thread ms", "2 threads ms", "speed-up"}}
	f := Figure{Name: "S3-speedup", Title: "Two threads against one: speed-up by the number of polygons and corners", X: "number of polygons", Y: "speed-up", LogX: true}
	r.progress.plan(len(counts) * len(corners1999))
	var last [][]float64 // for each number of corners, the speed-ups of all processes with the most polygons
	for hue, c := range corners1999 {
		name := c.String()
		curve := Series{Name: name, Hue: hue + 1}
		var samples []float64
		for _, n := range counts {
			t, contacts, err := r.threadTimes(ctx, n, c, steps)
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
	line := Series{Name: "the paper: from 1.9", Style: Prediction, Hue: 7}
	for _, n := range counts {
		line.Add(float64(n), least1999)
	}
	f.Series = append(f.Series, line)
	s, err := r.threadsStatement(ctx, counts[len(counts)-1], last)
	if err != nil {
		return nil, err
	}
	return &Result{Figures: []Figure{f}, Tables: []Table{table}, Statements: []Statement{s},
		Notes: []string{fmt.Sprintf("Gear predictor–corrector, forces from overlap areas, regular polygons that touch. Times are medians of %d steps in turns; all poses agree.", steps)}}, nil
}

// threadsStatement decides how much faster two threads can be. The limit follows from the share of a step in which
// only one thread works (Amdahl's law). Our times are shown but decide nothing, because two threads seldom have two
// processors on a shared machine.
func (r *Run) threadsStatement(ctx context.Context, n int, speedups [][]float64) (Statement, error) {
	ours, times, some := "", "", false
	var least []float64 // the smallest limit of each process
	for k, c := range corners1999 {
		share, err := r.serialShare(ctx, n, c)
		if err != nil {
			return Statement{}, err
		}
		limits := r.record(c.String()+" limit", 1/(share+(1-share)/2))
		for i, x := range limits {
			if k == 0 {
				least = append(least, x)
			}
			least[i] = min(least[i], x)
		}
		limit := newInterval(limits)
		ours += fmt.Sprintf("%s with %s, ", limit, c)
		times += fmt.Sprintf("%s with %s, ", newInterval(speedups[k]), c)
		some = some || limit.Low >= least1999
	}
	fastest := make([]float64, len(speedups))
	for k := range fastest {
		fastest[k] = newInterval(speedups[k]).Median
	}
	number := fmt.Sprintf("%.2f to %.2f times; the serial part allows %.2f", slices.Min(fastest), slices.Max(fastest), median(least))
	cause := Kernel
	if some {
		cause = Parameters // the statement holds for some numbers of corners
	}
	s := r.timedStatement("S3.threads", "two threads are 1.9 times as fast", "§5: two threads are 1.9 to 1.95 times as fast as one (it does not say for how many corners).",
		fmt.Sprintf("The part of a step that one thread works alone allows %sfor %d polygons.", ours, n), "all at least 1.9", newInterval(least), least1999, math.Inf(1), cause, "In time: "+strings.TrimSuffix(times, ", ")+".").tookTurns(r).number(number)
	if r.Size == Tiny {
		s = s.unchecked()
	}
	return s, nil
}

// parallelLoops are the functions whose calls are the parallel part of a step. With one worker, they do
// the work of all workers themselves.
var parallelLoops = []string{"github.com/inpoly/inpoly/dem/internal/parallel.ForEachBlock", "github.com/inpoly/inpoly/internal/par.Blocks"}

// serialShare returns the share of the CPU time of steps with one worker that is outside of parallel loops. It
// samples the call stack, so other programs change the result little.
func (r *Run) serialShare(ctx context.Context, n int, c corners) (float64, error) {
	r.progress.say("serial share, " + c.String())
	w, err := rubbleWorld(ctx, n, c, 1)
	if err != nil {
		return 0, err
	}
	if err := w.Step(ctx); err != nil { // which allocates memory
		return 0, err
	}
	var data bytes.Buffer
	runtime.SetCPUProfileRate(500) // StartCPUProfile keeps this rate, and says so on standard error
	if err := pprof.StartCPUProfile(&data); err != nil {
		return 0, err
	}
	for end := cpuSeconds() + pick(r.Size, 0.02, 2.0, 20); cpuSeconds() < end; {
		if err := w.Step(ctx); err != nil {
			pprof.StopCPUProfile()
			return 0, err
		}
	}
	pprof.StopCPUProfile()
	p, err := profile.Parse(&data)
	if err != nil {
		return 0, err
	}
	var all, shared int64
	for _, s := range p.Sample {
		inStep, inLoop := false, false
		for _, l := range s.Location {
			for _, line := range l.Line {
				inStep = inStep || strings.HasSuffix(line.Function.Name, "dem.(*Polygons).Step")
				inLoop = inLoop || slices.Contains(parallelLoops, line.Function.Name)
			}
		}
		if inStep {
			all += s.Value[0]
			if inLoop {
				shared += s.Value[0]
			}
		}
	}
	if shared == 0 && r.Size != Tiny {
		return 0, fmt.Errorf("%d samples of steps, none in a parallel loop", all)
	}
	return 1 - float64(shared)/float64(max(all, 1)), nil
}

// least1999 is the smallest speed-up that the paper states.
const least1999 = 1.9

// rubbleWorld returns the world of n polygons for the given number of threads.
func rubbleWorld(ctx context.Context, n int, c corners, threads int) (*dem.Polygons, error) {
	scene, err := rubble(n, c.fewest, c.most, rand.New(rand.NewPCG(uint64(n), 12)))
	if err != nil {
		return nil, err
	}
	return dem.NewPolygons(ctx, scene, neighbor.NewIncrementalSort[neighbor.Rect](neighbor.SortOptions{Workers: threads}),
		dem.Options{TimeStep: 2e-4, Stiffness: 1e4, Density: 1, Workers: threads})
}

// threadTimes returns the median seconds of a step with one and with two threads, and the number of
// contacts. It fails if the poses differ.
func (r *Run) threadTimes(ctx context.Context, n int, c corners, steps int) (medians [2]float64, contacts int, err error) {
	var worlds [2]*dem.Polygons
	for k := range worlds {
		if worlds[k], err = rubbleWorld(ctx, n, c, k+1); err != nil {
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
