package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// stepper is a world of package dem.
type stepper interface {
	Step(ctx context.Context) error
}

// dynamicsTable measures steps of package dem on one thread and on all: polygons as in Schinner
// 1999, §5 (1.9 to 1.95 times as fast on two threads), balls and disks as in Muth, Müller,
// Eberhard, Luding 2007, §3.1 and §3.2. All worlds of a row take the same steps in turn.
func (b *bench) dynamicsTable() error {
	header("particles", "<kind", "<contacts by", "ns a particle and step, one thread", fmt.Sprintf("%d threads", b.threads), "speed-up")
	rows, balls, disks, steps := 100, 39, 88, 50
	if b.quick {
		rows, balls, disks, steps = 5, 8, 10, 2
	}
	shaken, err := shakenPolygons(rows)
	if err != nil {
		return err
	}
	for _, by := range finders[neighbor.Rect]() {
		if err := b.dynamicsRow(len(shaken.Polygons), "polygons, 3 to 10 corners", by.name, steps, func(workers int) (stepper, error) {
			return dem.NewPolygons(b.ctx, shaken, by.new(workers), dem.Options{TimeStep: 1e-3, Stiffness: 1e4, Damping: 10, Workers: workers})
		}); err != nil {
			return err
		}
	}
	gas := latticeGas(balls)
	for _, by := range finders[neighbor.Sphere]() {
		if err := b.dynamicsRow(len(gas.Balls), "balls", by.name, steps, func(workers int) (stepper, error) {
			return dem.NewSpheres(b.ctx, gas, by.new(workers), dem.Options{TimeStep: 1e-5, Stiffness: 1e5, Density: 1e10, Workers: workers})
		}); err != nil {
			return err
		}
	}
	plane := planeGas(disks)
	for _, by := range finders[neighbor.Disk]() {
		if err := b.dynamicsRow(len(plane.Disks), "disks", by.name, steps, func(workers int) (stepper, error) {
			return dem.NewDisks(b.ctx, plane, by.new(workers), dem.Options{TimeStep: 1e-7, Stiffness: 1e7, Density: 7000, Workers: workers})
		}); err != nil {
			return err
		}
	}
	return nil
}

// dynamicsRow measures worlds that differ only in their number of workers. The first round of steps,
// in which buffers grow, does not count.
func (b *bench) dynamicsRow(n int, kind, by string, steps int, newWorld func(workers int) (stepper, error)) error {
	threads := [2]int{1, b.threads}
	var worlds [2]stepper
	var times [2][]float64
	for i, workers := range threads {
		var err error
		if worlds[i], err = newWorld(workers); err != nil {
			return err
		}
	}
	for round := range b.reps + 1 {
		for i, w := range worlds {
			start := time.Now()
			for range steps {
				if err := w.Step(b.ctx); err != nil {
					return err
				}
			}
			if round > 0 {
				times[i] = append(times[i], time.Since(start).Seconds()/float64(steps*n)*1e9)
			}
		}
	}
	one, all := median(times[0]), median(times[1])
	fmt.Printf("| %d | %s | %s | %.0f | %.0f | %.2f |\n", n, kind, by, one, all, one/all)
	return nil
}

// finder is a neighbor method.
type finder[T neighbor.Body] struct {
	name string
	new  func(workers int) neighbor.Method[T]
}

// finders are the methods for moving bodies; the radial-distance sort is for bodies at rest.
func finders[T neighbor.Body]() []finder[T] {
	return []finder[T]{
		{"auto", func(n int) neighbor.Method[T] { return neighbor.NewAuto[T](neighbor.AutoOptions{Workers: n}) }},
		{"Verlet list", func(n int) neighbor.Method[T] { return neighbor.NewVerletList[T](neighbor.VerletOptions{Workers: n}) }},
		{"linked cell", func(n int) neighbor.Method[T] { return neighbor.NewLinkedCell[T](neighbor.CellOptions{Workers: n}) }},
		{"hierarchical grid", func(n int) neighbor.Method[T] {
			return neighbor.NewHierarchicalGrid[T](neighbor.GridOptions{Workers: n})
		}},
		{"incremental sort", func(n int) neighbor.Method[T] {
			return neighbor.NewIncrementalSort[T](neighbor.SortOptions{Workers: n})
		}},
	}
}

// shakenPolygons returns random polygons in the given number of rows of twice that length, with
// random poses and velocities, on a lattice of spacing 2 between walls. Most touch neighbors.
func shakenPolygons(rows int) (dem.PolygonScene, error) {
	rng := rand.New(rand.NewPCG(1, 1))
	n := 2 * rows
	s := dem.PolygonScene{Walls: neighbor.Rect{Max: r2.Point{X: 2 * float64(n), Y: 2 * float64(rows)}}}
	for i := range n * rows {
		corners := make([]r2.Point, 3+rng.IntN(8))
		stretch := .7 + .3*rng.Float64()
		for c := range corners {
			sin, cos := math.Sincos(2 * math.Pi * (float64(c) + .8*rng.Float64()) / float64(len(corners)))
			corners[c] = r2.Point{X: 1.1 * cos, Y: 1.1 * stretch * sin}
		}
		shape, err := polygon.New(corners)
		if err != nil {
			return s, err
		}
		s.Polygons = append(s.Polygons, dem.Polygon{
			Shape:    shape,
			Pose:     polygon.Pose{At: r2.Point{X: 2*float64(i%n) + 1, Y: 2*float64(i/n) + 1}, Angle: 2 * math.Pi * rng.Float64()},
			Velocity: r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()},
			Spin:     rng.NormFloat64(),
		})
	}
	return s, nil
}

// latticeGas returns the n³ balls of §3.2, on a lattice of 1.2 diameters.
func latticeGas(n int) dem.SphereScene {
	const spacing, radius, speed = 1.2e-3, .5e-3, .02
	rng := rand.New(rand.NewPCG(2, 2))
	side := spacing * float64(n)
	s := dem.SphereScene{Walls: bvh.Box{Max: r3.Vector{X: side, Y: side, Z: side}}}
	for i := range n * n * n {
		at := r3.Vector{X: float64(i%n) + .5, Y: float64(i/n%n) + .5, Z: float64(i/n/n) + .5}
		s.Balls = append(s.Balls, neighbor.Sphere{Center: at.Mul(spacing), Radius: radius})
		s.Velocities = append(s.Velocities, r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Mul(speed))
	}
	return s
}

// planeGas returns n² disks with the radii of §3.1, on a lattice of 2.2 mean radii.
func planeGas(n int) dem.DiskScene {
	const spacing, radius, speed = 2.2e-3, 1e-3, 2.
	rng := rand.New(rand.NewPCG(3, 3))
	side := spacing * float64(n)
	s := dem.DiskScene{Walls: neighbor.Rect{Max: r2.Point{X: side, Y: side}}}
	for i := range n * n {
		at := r2.Point{X: float64(i%n) + .5, Y: float64(i/n) + .5}
		s.Disks = append(s.Disks, neighbor.Disk{Center: at.Mul(spacing), Radius: radius * (.5 + rng.Float64())})
		s.Velocities = append(s.Velocities, r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()}.Mul(speed))
	}
	return s
}
