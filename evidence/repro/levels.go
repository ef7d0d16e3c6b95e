package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/golang/geo/r3"

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

	seconds   float64   // time of a step with forces and integration; NaN if it was not measured
	steps     []float64 // seconds of a step in every process; nil if it was not measured
	detection []float64 // seconds of the search in every process
}

// work returns the tests plus K times the visited cells, in units of a test. Eq. 7 predicts this number.
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

// uneven returns the largest relative deviation of a level from the mean of all levels. It ignores
// the last level, which has the rest of the particles.
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

// scattered returns balls at random places in the unit cube. Only their centers are inside, and balls
// overlap. In a real packing, small balls are more concentrated, because large balls displace them.
func scattered(spec packingSpec) []neighbor.Sphere {
	balls, random := make([]neighbor.Sphere, spec.n), rand.New(rand.NewPCG(2, 2012))
	for i, r := range spec.scaledSizes() {
		balls[i] = neighbor.Sphere{Center: r3.Vector{X: random.Float64(), Y: random.Float64(), Z: random.Float64()}, Radius: r}
	}
	return balls
}

// countOneLevel computes the number of tests and of visited cells of the linked cell method from the
// positions. It does not run the search, which takes long if most pairs are tested.
func countOneLevel(balls []neighbor.Sphere, size float64) (tests, visits float64) {
	g := newCellGrid[neighbor.Sphere](size)
	g.load(balls)
	var l gridLevel
	l.reset(g.sizes[0], g.extent, len(balls), true)
	cells := map[[3]int32]float64{}
	for _, b := range g.balls {
		cells[l.index(b.x-g.low[0], b.y-g.low[1], b.z-g.low[2])]++
	}
	for c, n := range cells {
		tests += n * (n - 1) / 2
		visits += n
	neighbors:
		for _, o := range halfOffsets {
			at := [3]int32{c[0] + o[0], c[1] + o[1], c[2] + o[2]}
			for axis, count := range l.counts {
				if at[axis] < 0 || at[axis] >= count {
					continue neighbors
				}
			}
			tests += n * cells[at]
			visits += n
		}
	}
	return tests, visits
}

// workWith returns the work of one step with the given cell sizes.
func workWith(ctx context.Context, balls []neighbor.Sphere, sizes []float64) (float64, error) {
	g := paperGrid(sizes)
	err := g.Update(ctx, balls)
	return float64(g.stats.Tests) + overhead*float64(g.visits), err
}

// savedByLevels returns the work of one level divided by the work with the given cell sizes.
func savedByLevels(ctx context.Context, balls []neighbor.Sphere, sizes []float64) (float64, error) {
	tests, visits := countOneLevel(balls, sizes[len(sizes)-1])
	w, err := workWith(ctx, balls, sizes)
	return (tests + overhead*visits) / w, err
}

// balanced searches for cell sizes with less work. It changes one size after another by 10 %, later by
// 5 %, as long as this reduces the work, but at most four times. It does not change the last size,
// which must contain the largest ball.
func balanced(ctx context.Context, balls []neighbor.Sphere, sizes []float64) (best []float64, least float64, err error) {
	best = slices.Clone(sizes)
	if least, err = workWith(ctx, balls, best); err != nil {
		return nil, 0, err
	}
	for _, step := range []float64{1.1, 1.1, 1.05, 1.05} {
		for h := range len(best) - 1 {
			for _, factor := range []float64{step, 1 / step} {
				next := slices.Clone(best)
				next[h] *= factor
				if next[h] >= next[h+1] || h > 0 && next[h] <= next[h-1] {
					continue
				}
				w, err := workWith(ctx, balls, next)
				if err != nil {
					return nil, 0, err
				}
				if w < least {
					best, least = next, w
				}
			}
		}
	}
	return best, least, nil
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

// levelTimes measures the steps of worlds with each number of levels. It stores the seconds of a step. It also
// stores the seconds of the search alone, except for one level, which takes longest. Worlds with different
// numbers of levels take turns.
func (r *Run) levelTimes(ctx context.Context, p *packed, name string, list []leveled) error {
	parts := make([][]func() error, len(list))
	for k, l := range list {
		m := paperGrid(neighbor.LevelSizes(p.radii(), 1, 3, l.levels))
		w, err := p.world(ctx, m, r.Threads)
		if err != nil {
			return fmt.Errorf("%d levels: %w", l.levels, err)
		}
		parts[k] = []func() error{func() error { return w.Step(ctx) }, func() error { return m.Update(ctx, w.Balls()) }}
		if l.levels == 1 {
			parts[k] = parts[k][:1]
		}
	}
	times, err := r.turns(ctx, parts)
	if err != nil {
		return err
	}
	for k := range list {
		l, t := &list[k], times[k]
		l.seconds = t[0]
		l.steps = r.record(fmt.Sprintf("%s L=%d step", name, l.levels), t[0])
		if l.levels > 1 {
			l.detection = r.record(fmt.Sprintf("%s L=%d", name, l.levels), t[1])
		}
		r.progress.step(fmt.Sprintf("%d levels, time", l.levels))
	}
	return nil
}

// stepSlowdown returns the curve of the slow-down factor of the steps, with the range of all
// processes. It leaves out numbers of levels that a process has not measured.
func stepSlowdown(name string, list []leveled, processes int) Series {
	s := Series{Name: name}
	for _, l := range list {
		if len(l.steps) == processes {
			i := newInterval(ratios(l.steps, fastestSteps(list, processes)))
			s.AddRange(float64(l.levels), i.Median, i.Low, i.High)
		}
	}
	return s
}

// fastestSteps returns the seconds of the fastest step in each process.
func fastestSteps(list []leveled, processes int) []float64 {
	least := make([]float64, processes)
	for k := range least {
		least[k] = math.Inf(1)
		for _, l := range list {
			if k < len(l.steps) {
				least[k] = min(least[k], l.steps[k])
			}
		}
	}
	return least
}

// fitOverhead fits T = a·tests + b·cells + c·N to the seconds T of the search, where N is the number
// of particles. Each relative error has the same weight. fitOverhead returns K = b/a. list must have
// at least three numbers of levels.
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
