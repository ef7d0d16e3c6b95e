package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// verletEvery is the Verlet list of Muth, Müller, Eberhard, Luding 2007, §2.1, made anew
// from all pairs every 100 steps ("an update of only each 100th time step can be enough"),
// and earlier if a particle has moved too far.
type verletEvery[T neighbor.Body] struct {
	*neighbor.VerletList[T]
	opt   neighbor.VerletOptions
	steps int
}

// verletSteps is the life of a list.
const verletSteps = 100

// newVerletEvery returns the list with spheres of five times the largest radius, the
// paper's example: three more than two that touch.
func newVerletEvery[T neighbor.Body](largest float64, threads int) *verletEvery[T] {
	opt := neighbor.VerletOptions{Workers: threads, Skin: 3 * largest, Quadratic: true}
	return &verletEvery[T]{VerletList: neighbor.NewVerletList[T](opt), opt: opt}
}

// Update makes the list anew when it is time.
func (v *verletEvery[T]) Update(ctx context.Context, bodies []T) error {
	v.steps++
	if v.steps%verletSteps == 0 {
		v.VerletList = neighbor.NewVerletList[T](v.opt)
	}
	return v.VerletList.Update(ctx, bodies)
}

// The neighbour methods of the paper, and ours.
const (
	methodVL   = "Verlet list"
	methodLLL  = "linked linear list"
	methodLC   = "linked cell"
	methodLCx  = "linked cell, pruned (ours)"
	methodLLLx = "linked linear list in regions (ours)"
	methodGrid = "hierarchical grid (ours)"
)

// methods2007 makes the methods, with cells of the given size.
func methods2007[T neighbor.Disk | neighbor.Sphere](names []string, cell, largest float64, threads int) []neighbor.Method[T] {
	var list []neighbor.Method[T]
	for _, name := range names {
		switch name {
		case methodVL:
			list = append(list, newVerletEvery[T](largest, threads))
		case methodLLL:
			list = append(list, neighbor.NewIncrementalSort[T](neighbor.SortOptions{Undivided: true, Workers: threads}))
		case methodLLLx:
			list = append(list, neighbor.NewIncrementalSort[T](neighbor.SortOptions{Workers: threads}))
		case methodLC:
			list = append(list, newCellGrid[T](cell))
		case methodLCx:
			list = append(list, neighbor.NewLinkedCell[T](neighbor.CellOptions{CellSize: cell, Workers: threads}))
		case methodGrid:
			list = append(list, neighbor.NewHierarchicalGrid[T](neighbor.GridOptions{Workers: threads}))
		}
	}
	return list
}

// world is particles that move.
type world interface {
	Step(ctx context.Context) error
	contacts() []neighbor.Pair
}

type ballWorld struct{ *dem.Spheres }

func (w ballWorld) contacts() []neighbor.Pair { pairs, _ := w.Contacts(); return pairs }

type diskWorld struct{ *dem.Disks }

func (w diskWorld) contacts() []neighbor.Pair { pairs, _ := w.Contacts(); return pairs }

// system is the particles of one simulation.
type system struct {
	balls      []neighbor.Sphere // or
	disks      []neighbor.Disk
	velocities []r3.Vector
	size       r3.Vector // of the walls, lower corner 0
	opt        dem.Options
}

// worlds returns the same world once for each method.
func (s *system) worlds(ctx context.Context, names []string, cell, largest float64) ([]world, error) {
	var list []world
	if s.disks != nil {
		plane := make([]r2.Point, len(s.velocities))
		for i, v := range s.velocities {
			plane[i] = r2.Point{X: v.X, Y: v.Y}
		}
		for _, m := range methods2007[neighbor.Disk](names, cell, largest, s.opt.Workers) {
			w, err := dem.NewDisks(ctx, dem.DiskScene{Disks: s.disks, Velocities: plane, Walls: neighbor.Rect{Max: r2.Point{X: s.size.X, Y: s.size.Y}}}, m, s.opt)
			if err != nil {
				return nil, err
			}
			list = append(list, diskWorld{w})
		}
		return list, nil
	}
	for _, m := range methods2007[neighbor.Sphere](names, cell, largest, s.opt.Workers) {
		w, err := dem.NewSpheres(ctx, dem.SphereScene{Balls: s.balls, Velocities: s.velocities, Walls: bvh.Box{Max: s.size}}, m, s.opt)
		if err != nil {
			return nil, err
		}
		list = append(list, ballWorld{w})
	}
	return list, nil
}

// stepped is what the steps of one world took.
type stepped struct {
	seconds  float64 // a step
	contacts int     // in the last step
}

// lockstep moves worlds that differ in their methods alone, one step each in turn, and
// fails where their contacts differ in any step. The time of a step is the median, and for
// Verlet lists 99 hundredths of the median of ordinary steps and a hundredth of that of
// steps that make the list.
func lockstep(ctx context.Context, worlds []world, names []string, steps int) ([]stepped, error) {
	ordinary, making := make([][]float64, len(worlds)), make([][]float64, len(worlds))
	for n := range steps {
		for i, w := range worlds {
			start := time.Now()
			if err := w.Step(ctx); err != nil {
				return nil, fmt.Errorf("%s, step %d: %w", names[i], n, err)
			}
			t := time.Since(start).Seconds()
			// the first call of Update was made with the world
			if names[i] == methodVL && (n+2)%verletSteps == 0 {
				making[i] = append(making[i], t)
			} else {
				ordinary[i] = append(ordinary[i], t)
			}
			if !slices.Equal(w.contacts(), worlds[0].contacts()) {
				return nil, fmt.Errorf("step %d: contacts of %s differ from those of %s", n, names[i], names[0])
			}
		}
	}
	list := make([]stepped, len(worlds))
	for i, w := range worlds {
		t := median(ordinary[i])
		if len(making[i]) > 0 {
			t += (median(making[i]) - t) / verletSteps
		}
		list[i] = stepped{t, len(w.contacts())}
	}
	return list, nil
}
