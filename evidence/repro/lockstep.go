package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// verletEvery is the Verlet list of Muth, Müller, Eberhard, Luding 2007, §2.1. It builds the list
// from all pairs every 100 steps ("an update of only each 100th time step can be enough"), and
// earlier if a particle has moved too far.
type verletEvery[T neighbor.Body] struct {
	*neighbor.VerletList[T]
	opt   neighbor.VerletOptions
	steps int
	past  uint64 // number of tests of former lists
}

// verletSteps is the number of steps between two builds of a list.
const verletSteps = 100

// newVerletEvery returns a method whose neighbor spheres have five times the largest radius, as in
// the example of the paper. Centers of particles that touch are two radii apart, so the skin is
// three radii.
func newVerletEvery[T neighbor.Body](largest float64, threads int) *verletEvery[T] {
	opt := neighbor.VerletOptions{Workers: threads, Skin: 3 * largest, Quadratic: true}
	return &verletEvery[T]{VerletList: neighbor.NewVerletList[T](opt), opt: opt}
}

// Update builds a new list every verletSteps steps.
func (v *verletEvery[T]) Update(ctx context.Context, bodies []T) error {
	v.steps++
	if v.steps%verletSteps == 0 {
		v.past += v.VerletList.Stats().Tests
		v.VerletList = neighbor.NewVerletList[T](v.opt)
	}
	return v.VerletList.Update(ctx, bodies)
}

// Stats returns the tests of all lists so far.
func (v *verletEvery[T]) Stats() neighbor.Stats {
	s := v.VerletList.Stats()
	s.Tests += v.past
	return s
}

// counter is a neighbor method of which only Stats is used.
type counter interface{ Stats() neighbor.Stats }

// workOf returns the work of all steps of a method so far, in units of a test. Linked cells visit
// cells. The linked linear lists compare each end of each box on each axis at least once a step.
func workOf(name string, m counter, bodies, axes int) float64 {
	s := m.Stats()
	work := float64(s.Tests)
	switch g := m.(type) {
	case *cellGrid[neighbor.Disk]:
		work += overhead * float64(g.visits)
	case *cellGrid[neighbor.Sphere]:
		work += overhead * float64(g.visits)
	}
	if name == methodLLL {
		work += float64(s.Exchanges) + 2*float64(axes*bodies)*float64(s.Steps)
	}
	return work
}

// workAlong returns the work and the exchanges of a step of a method. In each step, move changes the
// bodies.
func workAlong[T neighbor.Body](ctx context.Context, name string, m neighbor.Method[T], bodies []T, axes, steps int, move func()) (work, exchanges float64, err error) {
	if err := m.Update(ctx, bodies); err != nil {
		return 0, 0, err
	}
	work, exchanges = -workOf(name, m, len(bodies), axes), -float64(m.Stats().Exchanges)
	for range steps {
		move()
		if err := m.Update(ctx, bodies); err != nil {
			return 0, 0, err
		}
	}
	work, exchanges = work+workOf(name, m, len(bodies), axes), exchanges+float64(m.Stats().Exchanges)
	return work / float64(steps), exchanges / float64(steps), nil
}

// reflect moves x by v and keeps it between 0 and size.
func reflect(x, v *float64, size float64) {
	*x += *v
	if *x < 0 || *x > size {
		*v = -*v
		*x = math.Max(0, math.Min(size, *x+2**v))
	}
}

// countable reports whether workOf counts all work of a method. The Stats of our own methods do not
// count all their work.
func countable(name string) bool { return name == methodVL || name == methodLLL || name == methodLC }

// These are the names of the neighbor methods. The methods marked (ours) are not in the paper.
const (
	methodVL   = "Verlet list"
	methodLLL  = "linked linear list"
	methodLC   = "linked cell"
	methodLCx  = "linked cell, pruned (ours)"
	methodLLLx = "linked linear list in regions (ours)"
	methodGrid = "hierarchical grid (ours)"
)

// methods2007 returns the methods with the given names.
func methods2007[T neighbor.Disk | neighbor.Sphere](names []string, cellSize, maxRadius float64, threads int) []neighbor.Method[T] {
	var list []neighbor.Method[T]
	for _, name := range names {
		switch name {
		case methodVL:
			list = append(list, newVerletEvery[T](maxRadius, threads))
		case methodLLL:
			list = append(list, neighbor.NewIncrementalSort[T](neighbor.SortOptions{Undivided: true, Workers: threads}))
		case methodLLLx:
			list = append(list, neighbor.NewIncrementalSort[T](neighbor.SortOptions{Workers: threads}))
		case methodLC:
			list = append(list, newCellGrid[T](cellSize))
		case methodLCx:
			list = append(list, neighbor.NewLinkedCell[T](neighbor.CellOptions{CellSize: cellSize, Workers: threads}))
		case methodGrid:
			list = append(list, neighbor.NewHierarchicalGrid[T](neighbor.GridOptions{Workers: threads}))
		}
	}
	return list
}

// world is a simulation of particles.
type world interface {
	Step(ctx context.Context) error
	contacts() []neighbor.Pair
}

type ballWorld struct{ *dem.Spheres }

func (w ballWorld) contacts() []neighbor.Pair { pairs, _ := w.Contacts(); return pairs }

type diskWorld struct{ *dem.Disks }

func (w diskWorld) contacts() []neighbor.Pair { pairs, _ := w.Contacts(); return pairs }

// system is the initial state of a simulation.
type system struct {
	balls      []neighbor.Sphere // nil if there are disks
	disks      []neighbor.Disk
	velocities []r3.Vector
	size       r3.Vector // upper corner of the walls; the lower corner is 0
	opt        dem.Options
}

// bodies returns the number of particles and of axes.
func (s *system) bodies() (n, axes int) {
	if s.disks != nil {
		return len(s.disks), 2
	}
	return len(s.balls), 3
}

// worlds returns a world and the method for each name, all in the same state.
func (s *system) worlds(ctx context.Context, names []string, cellSize, maxRadius float64) ([]world, []counter, error) {
	var list []world
	var counters []counter
	if s.disks != nil {
		plane := make([]r2.Point, len(s.velocities))
		for i, v := range s.velocities {
			plane[i] = r2.Point{X: v.X, Y: v.Y}
		}
		for _, m := range methods2007[neighbor.Disk](names, cellSize, maxRadius, s.opt.Workers) {
			w, err := dem.NewDisks(ctx, dem.DiskScene{Disks: s.disks, Velocities: plane, Walls: neighbor.Rect{Max: r2.Point{X: s.size.X, Y: s.size.Y}}}, m, s.opt)
			if err != nil {
				return nil, nil, err
			}
			list, counters = append(list, diskWorld{w}), append(counters, m)
		}
		return list, counters, nil
	}
	for _, m := range methods2007[neighbor.Sphere](names, cellSize, maxRadius, s.opt.Workers) {
		w, err := dem.NewSpheres(ctx, dem.SphereScene{Balls: s.balls, Velocities: s.velocities, Walls: bvh.Box{Max: s.size}}, m, s.opt)
		if err != nil {
			return nil, nil, err
		}
		list, counters = append(list, ballWorld{w}), append(counters, m)
	}
	return list, counters, nil
}

// trial moves worlds that differ only in their methods. The worlds take turns: in each turn, a
// world makes one step.
type trial struct {
	label            string
	worlds           []world
	names            []string
	n                int // number of steps so far
	ordinary, making [][]float64
	turns            [][]float64 // median of the ordinary steps of each call of move

	methods      []counter
	bodies, axes int
	before       []float64 // work before the first step
}

// newTrial returns the worlds of a system, one for each method.
func newTrial(ctx context.Context, label string, s *system, names []string, cellSize, maxRadius float64) (*trial, error) {
	worlds, methods, err := s.worlds(ctx, names, cellSize, maxRadius)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	t := trialOf(label, worlds, names)
	t.methods = methods
	t.bodies, t.axes = s.bodies()
	for i, m := range methods {
		t.before = append(t.before, workOf(names[i], m, t.bodies, t.axes))
	}
	return t, nil
}

func trialOf(label string, worlds []world, names []string) *trial {
	times := func() [][]float64 { return make([][]float64, len(worlds)) }
	return &trial{label: label, worlds: worlds, names: names, ordinary: times(), making: times(), turns: times()}
}

// move advances all worlds by a number of steps. It fails if the contacts of two worlds differ.
func (t *trial) move(ctx context.Context, steps int) error {
	before := make([]int, len(t.worlds))
	for i := range t.worlds {
		before[i] = len(t.ordinary[i])
	}
	for range steps {
		for i, w := range t.worlds {
			start := time.Now()
			if err := w.Step(ctx); err != nil {
				return fmt.Errorf("%s: %s, step %d: %w", t.label, t.names[i], t.n, err)
			}
			took := time.Since(start).Seconds()
			// The constructor of the world called Update once. So step t.n is call t.n+2 of Update.
			if t.names[i] == methodVL && (t.n+2)%verletSteps == 0 {
				t.making[i] = append(t.making[i], took)
			} else {
				t.ordinary[i] = append(t.ordinary[i], took)
			}
			if !slices.Equal(w.contacts(), t.worlds[0].contacts()) {
				return fmt.Errorf("%s: step %d: contacts of %s differ from those of %s", t.label, t.n, t.names[i], t.names[0])
			}
		}
		t.n++
	}
	for i, list := range t.ordinary {
		if len(list) > before[i] {
			t.turns[i] = append(t.turns[i], median(list[before[i]:]))
		}
	}
	return nil
}

// stepped holds the measurements of one world.
type stepped struct {
	seconds   float64 // seconds of a step
	low, high float64 // the same for the fastest and the slowest turn
	work      float64 // work of a step, or NaN if it is not countable
	contacts  int     // number of contacts in the last step
}

// results returns the median time of a step for each method. For Verlet lists it weights two
// medians: 99/100 of the median of steps without a build, plus 1/100 of the median of steps with a
// build.
func (t *trial) results() []stepped {
	list := make([]stepped, len(t.worlds))
	for i, w := range t.worlds {
		weighted := func(s float64) float64 {
			if len(t.making[i]) > 0 {
				s += (median(t.making[i]) - s) / verletSteps
			}
			return s
		}
		work := math.NaN()
		if t.methods != nil && countable(t.names[i]) {
			work = (workOf(t.names[i], t.methods[i], t.bodies, t.axes) - t.before[i]) / float64(t.n)
		}
		list[i] = stepped{weighted(median(t.ordinary[i])), weighted(slices.Min(t.turns[i])), weighted(slices.Max(t.turns[i])), work, len(w.contacts())}
	}
	return list
}

// rounds is the number of turns of each system of an experiment. If other work disturbs the machine
// for some seconds, it affects only a part of the steps of each system.
const rounds = 5

// inTurns moves each system by the given number of steps. The systems take turns. Then the times of a
// trial are the medians of all processes.
func inTurns(ctx context.Context, r *Run, trials []*trial, steps int) error {
	turns := min(rounds, steps)
	r.progress.plan(turns * len(trials))
	for k := range turns {
		for _, t := range trials {
			if err := t.move(ctx, (k+1)*steps/turns-k*steps/turns); err != nil {
				return err
			}
			r.progress.step(t.label)
		}
	}
	for _, t := range trials {
		for i, name := range t.names {
			t.ordinary[i] = r.record(t.label+", "+name, median(t.ordinary[i]))
			if len(t.making[i]) > 0 {
				t.making[i] = r.record(t.label+", "+name+", build", median(t.making[i]))
			}
		}
	}
	return nil
}
