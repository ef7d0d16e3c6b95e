package main

import (
	"context"
	"math"

	"github.com/inpoly/inpoly/neighbor"
)

// cellGrid is the linked cell method as the papers have it, with one level, and the
// hierarchical grid of Ogarko and Luding 2012, §2, with several: the particles of a cell
// are a linked list; each is compared with those of its cell and of half of the cells
// around, and in the levels of smaller particles with those of all cells that a box around
// it meets. Nothing is pruned, so Tests is the number that the papers estimate. Package
// neighbor has faster methods; this is what they are measured against. It takes good bodies
// for granted.
type cellGrid[T neighbor.Disk | neighbor.Sphere] struct {
	sizes  []float64 // cell sizes of the levels, ascending
	axes   int
	balls  []ball
	level  []uint8 // of each particle
	cell   [][3]int32
	next   []int32 // of the particle's list, −1 at its end
	levels []gridLevel
	counts []int // of particles by level
	low    [3]float64
	extent [3]float64 // of the centers
	stats  neighbor.Stats
	pairs  pairSorter
}

// ball is a particle; in the plane z = 0.
type ball struct{ x, y, z, r float64 }

// newCellGrid returns the method for cells of the given sizes, ascending, none below the
// largest diameter of the particles it is meant for.
func newCellGrid[T neighbor.Disk | neighbor.Sphere](sizes ...float64) *cellGrid[T] {
	g := &cellGrid[T]{axes: 3, levels: make([]gridLevel, len(sizes)), counts: make([]int, len(sizes))}
	var zero T
	if _, plane := any(zero).(neighbor.Disk); plane {
		g.axes = 2
	}
	for _, s := range sizes {
		// An index is floor((x−low)/s), rounded twice: with fewer than 2²⁰ cells an axis it is
		// off by less than 2⁻³² cells. Cells that are 2⁻³⁰ wider than the largest particle
		// therefore never part two that touch by more than one.
		g.sizes = append(g.sizes, s*(1+0x1p-30))
	}
	return g
}

// Update sorts the particles into cells and searches them.
func (g *cellGrid[T]) Update(ctx context.Context, bodies []T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.load(bodies)
	g.pairs.reset(len(bodies))
	clear(g.counts)
	for i, b := range g.balls {
		h := 0
		for h < len(g.sizes)-1 && 2*b.r > g.sizes[h] {
			h++
		}
		g.level[i] = uint8(h)
		g.counts[h]++
	}
	for h := range g.levels {
		g.levels[h].reset(g.sizes[h], g.extent, g.counts[h])
	}
	for i, b := range g.balls {
		h := g.level[i]
		g.cell[i] = g.levels[h].index(b.x-g.low[0], b.y-g.low[1], b.z-g.low[2])
		g.next[i] = g.levels[h].push(g.cell[i], int32(i))
	}
	for i := range g.balls {
		g.beside(int32(i))
		for h := range int(g.level[i]) {
			g.below(int32(i), h)
		}
	}
	g.pairs.sort()
	g.stats.Steps++
	g.stats.Rebuilds++
	return nil
}

// Pairs returns the pairs that touch.
func (g *cellGrid[T]) Pairs() []neighbor.Pair { return g.pairs.sorted }

// Stats returns what has been counted.
func (g *cellGrid[T]) Stats() neighbor.Stats { return g.stats }

// load copies the particles and finds the box of their centers.
func (g *cellGrid[T]) load(bodies []T) {
	n := len(bodies)
	g.balls, g.level, g.cell, g.next = resized(g.balls, n), resized(g.level, n), resized(g.cell, n), resized(g.next, n)
	g.low = [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	switch list := any(bodies).(type) {
	case []neighbor.Disk:
		for i, b := range list {
			g.balls[i] = ball{b.Center.X, b.Center.Y, 0, b.Radius}
		}
	case []neighbor.Sphere:
		for i, b := range list {
			g.balls[i] = ball{b.Center.X, b.Center.Y, b.Center.Z, b.Radius}
		}
	}
	high := [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for _, b := range g.balls {
		g.low[0], g.low[1], g.low[2] = min(g.low[0], b.x), min(g.low[1], b.y), min(g.low[2], b.z)
		high[0], high[1], high[2] = max(high[0], b.x), max(high[1], b.y), max(high[2], b.z)
	}
	g.extent = [3]float64{}
	if n > 0 {
		g.extent = [3]float64{high[0] - g.low[0], high[1] - g.low[1], high[2] - g.low[2]}
	}
}

// beside compares particle i with those in front of it in its own list, and with those of
// the 4 (in the plane) or 13 cells that come after its own.
func (g *cellGrid[T]) beside(i int32) {
	g.list(i, g.next[i])
	l, c := &g.levels[g.level[i]], g.cell[i]
	for _, o := range after[:cellsAfter(g.axes)] {
		g.list(i, l.head([3]int32{c[0] + o[0], c[1] + o[1], c[2] + o[2]}))
	}
}

// after are the neighbors of a cell that come after it, those in its plane first.
var after = [13][3]int32{
	{1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 1, 0},
	{-1, -1, 1}, {0, -1, 1}, {1, -1, 1}, {-1, 0, 1}, {0, 0, 1}, {1, 0, 1}, {-1, 1, 1}, {0, 1, 1}, {1, 1, 1},
}

// cellsAfter is the number of cells after one: (3^d − 1)/2.
func cellsAfter(axes int) int {
	if axes == 2 {
		return 4
	}
	return 13
}

// below compares particle i with those of a lower level, eq. 4 and 5: all whose cells meet
// the box of half edge r + s/2 about its center.
func (g *cellGrid[T]) below(i int32, h int) {
	b, l := g.balls[i], &g.levels[h]
	reach := b.r + 0.5*g.sizes[h]
	x, y, z := b.x-g.low[0], b.y-g.low[1], b.z-g.low[2]
	first, last := l.index(x-reach, y-reach, z-reach), l.index(x+reach, y+reach, z+reach)
	for axis := range first {
		first[axis], last[axis] = max(first[axis], 0), min(last[axis], l.counts[axis]-1)
	}
	if first[0] > last[0] {
		return
	}
	for k := first[2]; k <= last[2]; k++ {
		for m := first[1]; m <= last[1]; m++ {
			if heads := l.row(first[0], last[0], m, k); heads != nil {
				for _, head := range heads {
					g.list(i, head)
				}
				continue
			}
			for n := first[0]; n <= last[0]; n++ {
				g.list(i, l.heads[l.place([3]int32{n, m, k})])
			}
		}
	}
}

// list compares particle i with those of a list.
func (g *cellGrid[T]) list(i, head int32) {
	for j := head; j >= 0; j = g.next[j] {
		g.test(i, j)
	}
}

// test compares two particles, by the operations of package neighbor in the same order.
func (g *cellGrid[T]) test(i, j int32) {
	g.stats.Tests++
	a, b := &g.balls[i], &g.balls[j]
	x, y, z, r := a.x-b.x, a.y-b.y, a.z-b.z, a.r+b.r
	if float64(x*x)+float64(y*y)+float64(z*z) <= r*r {
		g.pairs.add(i, j)
	}
}
