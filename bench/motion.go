package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// motionTable measures steps in which all bodies move by 1 % of a diameter, for each neighbor method
// and several numbers of bodies, and a tower that is reversed: Schinner (1999), fig. 6.
func (b *bench) motionTable() error {
	header("bodies", "<kind", "<method", "ns a body and step, mean", "median", "<min–max", "tests a body", "exchanges a body", "pairs a body")
	sizes := []int{1_000, 10_000, 100_000}
	if b.quick {
		sizes = sizes[:1]
	}
	for _, n := range sizes {
		space := ballsInMotion(n)
		for _, by := range append(finders[neighbor.Sphere](), undivided[neighbor.Sphere]()) {
			if err := motionRow(b, "balls", by, space); err != nil {
				return err
			}
		}
		plane := disksInMotion(n)
		for _, by := range append(finders[neighbor.Disk](), undivided[neighbor.Disk]()) {
			if err := motionRow(b, "disks", by, plane); err != nil {
				return err
			}
		}
	}
	return b.towerTable()
}

// undivided is the incremental sort with one list for each axis, as in the papers.
func undivided[T neighbor.Body]() finder[T] {
	return finder[T]{"incremental sort, one list", func(n int) neighbor.Method[T] {
		return neighbor.NewIncrementalSort[T](neighbor.SortOptions{Undivided: true, Workers: n})
	}}
}

// crowd is a set of bodies that move straight between walls.
type crowd[T neighbor.Body] struct {
	bodies []T
	move   func() // one step
}

func motionRow[T neighbor.Body](b *bench, kind string, by finder[T], c crowd[T]) error {
	m := by.new(b.threads)
	update := func() error { return m.Update(b.ctx, c.bodies) }
	for range 4 { // the first steps build and grow
		c.move()
		if err := update(); err != nil {
			return err
		}
	}
	n := float64(len(c.bodies))
	before := m.Stats()
	var times []float64
	for round, start := 0, time.Now(); b.another(round/leastSteps, time.Since(start)); round++ {
		c.move()
		t, err := seconds(update)
		if err != nil {
			return err
		}
		times = append(times, t*1e9/n)
	}
	after := m.Stats()
	all := n * float64(after.Steps-before.Steps)
	fmt.Printf("| %d | %s | %s | %.0f | %.0f | %s | %.1f | %.2f | %.2f |\n", len(c.bodies), kind, by.name, mean(times), median(times), rates(times).spread(),
		float64(after.Tests-before.Tests)/all, float64(after.Exchanges-before.Exchanges)/all, float64(len(m.Pairs()))/n)
	return nil
}

// leastSteps is the number of steps in a round, of which at least three are measured. Bodies then move
// by their radius, so lists are rebuilt.
const leastSteps = 50

// mean returns the mean, which includes the steps that rebuild lists.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// ballsInMotion returns n equal balls, at random places with a volume fraction of .4, whose
// steps are 1 % of the diameter in random directions.
func ballsInMotion(n int) crowd[neighbor.Sphere] {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	side := math.Cbrt(float64(n) * 4 / 3 * math.Pi / .4)
	c := crowd[neighbor.Sphere]{bodies: make([]neighbor.Sphere, n)}
	steps := make([]r3.Vector, n)
	for i := range steps {
		c.bodies[i] = neighbor.Sphere{Center: r3.Vector{X: side * rng.Float64(), Y: side * rng.Float64(), Z: side * rng.Float64()}, Radius: 1}
		d := r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
		steps[i] = d.Mul(.02 / d.Norm())
	}
	c.move = func() {
		for i := range steps {
			at, d := &c.bodies[i].Center, &steps[i]
			glide(&at.X, &d.X, side)
			glide(&at.Y, &d.Y, side)
			glide(&at.Z, &d.Z, side)
		}
	}
	return c
}

// disksInMotion is ballsInMotion in the plane, at an area fraction of .67.
func disksInMotion(n int) crowd[neighbor.Disk] {
	rng := rand.New(rand.NewPCG(6, uint64(n)))
	side := math.Sqrt(float64(n) * math.Pi / .67)
	c := crowd[neighbor.Disk]{bodies: make([]neighbor.Disk, n)}
	steps := make([]r2.Point, n)
	for i := range steps {
		c.bodies[i] = neighbor.Disk{Center: r2.Point{X: side * rng.Float64(), Y: side * rng.Float64()}, Radius: 1}
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		steps[i] = r2.Point{X: .02 * cos, Y: .02 * sin}
	}
	c.move = func() {
		for i := range steps {
			at, d := &c.bodies[i].Center, &steps[i]
			glide(&at.X, &d.X, side)
			glide(&at.Y, &d.Y, side)
		}
	}
	return c
}

// glide moves x by d, which changes its sign at the ends of [0, side].
func glide(x, d *float64, side float64) {
	*x += *d
	if *x < 0 && *d < 0 || *x > side && *d > 0 {
		*d = -*d
	}
}

// towerTable measures the step that reverses a tower, and the one after it.
func (b *bench) towerTable() error {
	fmt.Printf("\nA tower that is reversed within a step, by incremental sort with one list an axis:\n\n")
	header("bodies", "exchanges, reversal", "reversal ms", "reversal ns a pair of bodies", "exchanges after", "step after ms", "step after ns a body")
	sizes := []int{500, 1_000, 2_000, 4_000, 8_000}
	if b.quick {
		sizes = sizes[:1]
	}
	for _, n := range sizes {
		var reversal, after []float64
		var exchanges [2]uint64
		m := neighbor.NewIncrementalSort[neighbor.Rect](neighbor.SortOptions{Undivided: true, Workers: b.threads})
		if err := m.Update(b.ctx, tower(n, 0)); err != nil {
			return err
		}
		for round := range 2 * b.reps {
			// Odd towers are reversed. The shift makes the next step one of small motion.
			for k, shift := range []float64{0, .01} {
				bodies := tower(n, round+1)
				for i := range bodies {
					bodies[i].Min.X += shift
					bodies[i].Max.X += shift
				}
				before := m.Stats().Exchanges
				t, err := seconds(func() error { return m.Update(b.ctx, bodies) })
				if err != nil {
					return err
				}
				exchanges[k] = m.Stats().Exchanges - before
				if k == 0 {
					reversal = append(reversal, t)
				} else {
					after = append(after, t)
				}
			}
		}
		r, a := median(reversal), median(after)
		fmt.Printf("| %d | %d | %.3g | %.2f | %d | %.3g | %.0f |\n", n, exchanges[0], r*1e3, r*1e9/(float64(n)*float64(n-1)/2), exchanges[1], a*1e3, a*1e9/float64(n))
	}
	return nil
}

// tower returns n boxes above each other, each beside the one below: from left to right in even
// rounds, from right to left in odd ones.
func tower(n, round int) []neighbor.Rect {
	bodies := make([]neighbor.Rect, n)
	for i := range bodies {
		x := 2 * float64(i)
		if round%2 == 1 {
			x = 2 * float64(n-1-i)
		}
		bodies[i] = neighbor.Rect{Min: r2.Point{X: x, Y: float64(i)}, Max: r2.Point{X: x + 1, Y: float64(i + 1)}}
	}
	return bodies
}
