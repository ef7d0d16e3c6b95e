package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/neighbor"
)

// overhead is the constant K of Ogarko and Luding 2012, eq. 7: the time of a visited cell divided by
// the time of a test. The paper found values from leastOverhead to mostOverhead.
const (
	overhead      = 0.3
	leastOverhead = 0.2
	mostOverhead  = 0.45
)

// leveled holds the counts of one step with one number of levels.
type leveled struct {
	levels int
	load   float64 // m of eq. 7: mean number of particles in a cell of the fullest level
	spread float64 // largest deviation of the particles per cell of a level from their mean, without the last level
	n      float64 // number of particles
	tests  float64
	exact  float64 // tests whose boxes overlap
	visits float64 // visited cells

	seconds   float64 // of a step with forces and integration; NaN if it was not measured
	detection []float64
}

// work is what eq. 7 counts, in units of a test.
func (l leveled) work() float64 { return l.tests + overhead*l.visits }

// predicted is L(m+K) of eq. 7.
func (l leveled) predicted() float64 { return float64(l.levels) * (l.load + overhead) }

func work(l leveled) float64      { return l.work() }
func predicted(l leveled) float64 { return l.predicted() }

// loads returns the numbers of particles per cell of all levels. The particles are in a cube of edge
// 1.
func loads(sizes, radii []float64) []float64 {
	counts := make([]float64, len(sizes))
	for _, r := range radii {
		h := 0
		for h < len(sizes)-1 && 2*r > sizes[h] {
			h++
		}
		counts[h]++
	}
	for h, s := range sizes {
		counts[h] *= s * s * s
	}
	return counts
}

// uneven returns the largest relative deviation from the mean of all levels but the last, which has
// the rest of the particles.
func uneven(loads []float64) float64 {
	full := loads[:max(1, len(loads)-1)]
	mean, worst := 0.0, 0.0
	for _, m := range full {
		mean += m / float64(len(full))
	}
	for _, m := range full {
		worst = max(worst, math.Abs(m/mean-1))
	}
	return worst
}

// gridMethod returns a method with the given cell sizes.
type gridMethod func(sizes []float64) neighbor.Method[neighbor.Sphere]

// paperGrid is the algorithm of the paper: hash tables on all levels, and boxes before balls.
func paperGrid(sizes []float64) *cellGrid[neighbor.Sphere] {
	g := newCellGrid[neighbor.Sphere](sizes...)
	g.hashed, g.boxes = true, true
	return g
}

// iwaiGrid searches one more layer of cells (Iwai et al. 1999).
func iwaiGrid(sizes []float64) *cellGrid[neighbor.Sphere] {
	g := paperGrid(sizes)
	g.reach = 1
	return g
}

// ourGrid is the algorithm of package neighbor.
func ourGrid(sizes []float64, threads int) neighbor.Method[neighbor.Sphere] {
	return neighbor.NewHierarchicalGrid[neighbor.Sphere](neighbor.GridOptions{Sizes: sizes, Workers: threads})
}

// countLevels returns the counts of one step of g. It fails if the contacts differ from the given
// ones.
func countLevels(ctx context.Context, balls []neighbor.Sphere, g *cellGrid[neighbor.Sphere], contacts []neighbor.Pair) (leveled, error) {
	radii := radiiOf(balls)
	if err := g.Update(ctx, balls); err != nil {
		return leveled{}, err
	}
	if !slices.Equal(g.Pairs(), contacts) {
		return leveled{}, fmt.Errorf("%d levels: %d contacts, expected %d", len(g.sizes), len(g.Pairs()), len(contacts))
	}
	list := loads(g.sizes, radii)
	return leveled{levels: len(g.sizes), load: slices.Max(list), spread: uneven(list), n: float64(len(balls)),
		tests: float64(g.stats.Tests), exact: float64(g.exact), visits: float64(g.visits), seconds: math.NaN()}, nil
}

// contactsOf returns the pairs that touch.
func contactsOf(ctx context.Context, balls []neighbor.Sphere) ([]neighbor.Pair, error) {
	m := neighbor.NewHierarchicalGrid[neighbor.Sphere](neighbor.GridOptions{})
	err := m.Update(ctx, balls)
	return m.Pairs(), err
}

// doubledSizes returns cell sizes that double from level to level, as in methods with a tree. The
// last one is the largest diameter. The first one contains the smallest particle.
func doubledSizes(radii []float64) []float64 {
	sizes := []float64{2 * slices.Max(radii)}
	for sizes[0] > 4*slices.Min(radii) {
		sizes = slices.Insert(sizes, 0, sizes[0]/2)
	}
	return sizes
}

// levelCounts counts one step with each number of levels that is possible.
func (r *Run) levelCounts(ctx context.Context, p *packed, levels []int) ([]leveled, error) {
	contacts, err := contactsOf(ctx, p.balls)
	if err != nil {
		return nil, err
	}
	var list []leveled
	for _, n := range levels {
		r.progress.step(fmt.Sprintf("%d levels", n))
		sizes := neighbor.LevelSizes(p.radii(), 1, 3, n)
		if len(sizes) != n {
			continue
		}
		l, err := countLevels(ctx, p.balls, paperGrid(sizes), contacts)
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	if len(list) == 0 {
		return nil, errors.New("no number of levels is possible")
	}
	return list, nil
}

// levelTimes measures the steps of worlds with each number of levels. It stores the seconds of a
// step and of the search alone.
func (r *Run) levelTimes(ctx context.Context, p *packed, name string, list []leveled, method gridMethod) error {
	for k := range list {
		l := &list[k]
		r.progress.step(fmt.Sprintf("%d levels, time", l.levels))
		m := method(neighbor.LevelSizes(p.radii(), 1, 3, l.levels))
		w, err := p.world(ctx, m, r.Threads)
		if err != nil {
			return fmt.Errorf("%d levels: %w", l.levels, err)
		}
		t, err := r.phases(ctx, func() error { return w.Step(ctx) }, func() error { return m.Update(ctx, w.Balls()) })
		if err != nil {
			return fmt.Errorf("%d levels: %w", l.levels, err)
		}
		l.seconds = t[0]
		l.detection = r.record(fmt.Sprintf("%s L=%d", name, l.levels), t[1])
	}
	return nil
}

// fitOverhead fits T = a·tests + b·cells + c·N to the seconds of the search, with the same weight for
// each relative error. It returns K = b/a. The search has at least three numbers of levels.
func fitOverhead(list []leveled, seconds []float64) float64 {
	// The normal equations of the three unknowns, with rows divided by the seconds.
	var m [3][4]float64
	for i, l := range list {
		row := [3]float64{l.tests / seconds[i], l.visits / seconds[i], l.n / seconds[i]}
		for j := range 3 {
			for k := range 3 {
				m[j][k] += row[j] * row[k]
			}
			m[j][3] += row[j]
		}
	}
	x := solve3(m)
	return x[1] / x[0]
}

// solve3 solves three linear equations by elimination with pivots. m[i][3] is the right side.
func solve3(m [3][4]float64) (x [3]float64) {
	for c := range 3 {
		p := c
		for i := c + 1; i < 3; i++ {
			if math.Abs(m[i][c]) > math.Abs(m[p][c]) {
				p = i
			}
		}
		m[c], m[p] = m[p], m[c]
		for i := range 3 {
			if i == c {
				continue
			}
			f := m[i][c] / m[c][c]
			for k := c; k < 4; k++ {
				m[i][k] -= f * m[c][k]
			}
		}
	}
	for i := range 3 {
		x[i] = m[i][3] / m[i][i]
	}
	return x
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

// slowdown returns the curve of the slow-down factor: the value divided by the smallest value.
func slowdown(name string, list []leveled, value func(leveled) float64) Series {
	s := Series{Name: name}
	least := value(best(list, value))
	for _, l := range list {
		s.Add(float64(l.levels), value(l)/least)
	}
	return s
}

// deviation returns the largest ratio of two curves that have the same x, and its x.
func deviation(a, b Series) (worst, at float64) {
	worst = 1
	for i := range a.Y {
		if ratio := math.Max(a.Y[i]/b.Y[i], b.Y[i]/a.Y[i]); ratio > worst {
			worst, at = ratio, a.X[i]
		}
	}
	return worst, at
}
