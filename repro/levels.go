package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/inpoly/inpoly/neighbor"
)

// overhead is the constant K of Ogarko and Luding 2012, eq. 7.
const overhead = 0.3

// leveled holds the measurements of one number of levels.
type leveled struct {
	levels    int
	load      float64 // m of eq. 7: mean number of particles in a cell of the fullest level
	seconds   float64 // seconds of a step, with integration and forces
	detection float64 // seconds of the search for contacts
	tests     float64 // number of tests in a step
}

// predicted is the time L(m+K) of eq. 7, up to a factor.
func (l leveled) predicted() float64 { return float64(l.levels) * (l.load + overhead) }

// load returns the mean number of particles in a cell of the fullest level. The particles are in a
// cube of edge 1.
func load(sizes, radii []float64) float64 {
	counts := make([]int, len(sizes))
	for _, r := range radii {
		h := 0
		for h < len(sizes)-1 && 2*r > sizes[h] {
			h++
		}
		counts[h]++
	}
	m := 0.0
	for h, s := range sizes {
		m = max(m, float64(counts[h])*s*s*s)
	}
	return m
}

// gridMethod returns a method with the given cell sizes.
type gridMethod func(sizes []float64) neighbor.Method[neighbor.Sphere]

// paperGrid is the paper's algorithm, and ourGrid is the algorithm of package neighbor.
func paperGrid(sizes []float64) neighbor.Method[neighbor.Sphere] {
	return newCellGrid[neighbor.Sphere](sizes...)
}

func ourGrid(threads int) gridMethod {
	return func(sizes []float64) neighbor.Method[neighbor.Sphere] {
		return neighbor.NewHierarchicalGrid[neighbor.Sphere](neighbor.GridOptions{Sizes: sizes, Workers: threads})
	}
}

// placements returns the number of worlds to measure for each number of levels. Each world has its
// linked lists at other memory addresses. So the time of a step varies by up to 50 % between
// worlds, but hardly varies within a world.
func (r *Run) placements() int { return pick(r.Size, 1, 1, 5) }

// levelSteps measures worlds of the packing with each number of levels. It skips n levels if
// neighbor.LevelSizes returns fewer than n levels. It fails if the contacts of two worlds differ
// after two steps.
func (r *Run) levelSteps(ctx context.Context, p *packed, levels []int, method gridMethod) ([]leveled, error) {
	radii, repeat := p.radii(), r.repetitions()
	places := r.placements()
	repeat.enough /= time.Duration(places)
	var list []leveled
	var stepTimes, searchTimes [][]float64 // medians by number of levels and world
	var contacts []neighbor.Pair
	for place := range places {
		k := 0
		for _, n := range levels {
			r.progress.step(fmt.Sprintf("%d levels", n))
			sizes := neighbor.LevelSizes(radii, 1, 3, n)
			if len(sizes) != n {
				continue
			}
			if place == 0 {
				list = append(list, leveled{levels: n, load: load(sizes, radii)})
				stepTimes, searchTimes = append(stepTimes, nil), append(searchTimes, nil)
			} else if stepTimes[k][0] > repeat.long.Seconds() {
				k++
				continue
			}
			one, found, err := r.levelWorld(ctx, p, method(sizes), repeat)
			if err != nil {
				return nil, fmt.Errorf("%d levels: %w", n, err)
			}
			if place == 0 && k == 0 {
				contacts = found
			} else if !slices.Equal(contacts, found) {
				return nil, fmt.Errorf("%d levels: the %d contacts differ from the %d contacts with %d levels", n, len(found), len(contacts), list[0].levels)
			}
			list[k].tests = one.tests
			stepTimes[k], searchTimes[k] = append(stepTimes[k], one.seconds), append(searchTimes[k], one.detection)
			k++
		}
	}
	for k := range list {
		list[k].seconds, list[k].detection = median(stepTimes[k]), median(searchTimes[k])
	}
	return list, nil
}

// levelWorld measures one world. It also returns the contacts after two steps.
func (r *Run) levelWorld(ctx context.Context, p *packed, m neighbor.Method[neighbor.Sphere], repeat repetitions) (l leveled, early []neighbor.Pair, err error) {
	w, err := p.world(ctx, m, r.Threads)
	if err != nil {
		return l, nil, err
	}
	var times []float64
	for start := time.Now(); len(times) < 2 || repeat.another(len(times), time.Since(start)); {
		t, err := seconds(func() error { return w.Step(ctx) })
		if err != nil {
			return l, nil, err
		}
		times = append(times, t)
		if len(times) == 2 { // every world makes at least two steps
			found, _ := w.Contacts()
			early = slices.Clone(found)
		}
	}
	stats := m.Stats()
	var alone []float64
	for start := time.Now(); repeat.another(len(alone), time.Since(start)); {
		t, err := seconds(func() error { return m.Update(ctx, w.Balls()) })
		if err != nil {
			return l, nil, err
		}
		alone = append(alone, t)
	}
	return leveled{seconds: median(times), detection: median(alone), tests: float64(stats.Tests) / float64(stats.Steps)}, early, nil
}

// best returns the row with the smallest value.
func best(list []leveled, value func(leveled) float64) leveled {
	return slices.MinFunc(list, func(a, b leveled) int {
		switch x, y := value(a), value(b); {
		case x < y:
			return -1
		case x > y:
			return +1
		}
		return 0
	})
}

// slowdown returns the curve of the slow-down factor: time divided by the smallest time.
func slowdown(name string, list []leveled, value func(leveled) float64) Series {
	s := Series{Name: name}
	least := value(best(list, value))
	for _, l := range list {
		s.Add(float64(l.levels), value(l)/least)
	}
	return s
}

// deviation returns the largest ratio of two curves that have the same x.
func deviation(a, b Series) float64 {
	worst := 1.0
	for i := range a.Y {
		worst = math.Max(worst, math.Max(a.Y[i]/b.Y[i], b.Y[i]/a.Y[i]))
	}
	return worst
}

func total(l leveled) float64     { return l.seconds }
func predicted(l leveled) float64 { return l.predicted() }
