package main

import (
	"context"
	"math"

	"github.com/inpoly/inpoly/neighbor"
)

// cellGrid implements two methods of the papers. With one level it is the linked cell method. With
// more levels it is the hierarchical grid of Ogarko and Luding 2012, §2. The particles of a cell
// form a linked list. Each particle is compared with the particles of its own cell and of half of
// the neighboring cells. On levels of smaller particles, it is compared with the particles of all
// cells that intersect a box around its center. No comparison is skipped, so Stats.Tests is the
// number of tests that the papers estimate. Update does not validate the bodies.
type cellGrid[T neighbor.Disk | neighbor.Sphere] struct {
	hashed bool      // every level is a hash table, as in Ogarko and Luding 2012, §2.3
	boxes  bool      // the boxes of two particles are compared first (§2.2)
	reach  float64   // search boxes have the half-width r + reach·s; 0.5 in eq. 4
	visits uint64    // number of visited cells in all steps so far
	exact  uint64    // number of comparisons of balls in all steps so far
	sizes  []float64 // cell sizes of the levels, ascending
	axes   int
	balls  []ball
	level  []uint8 // level of each particle
	cell   [][3]int32
	next   []int32 // next[i] is the particle after i in the list of its cell, or −1
	levels []gridLevel
	counts []int // number of particles on each level
	low    [3]float64
	extent [3]float64 // extent of the box of the centers
	stats  neighbor.Stats
	pairs  pairSorter
}

// ball is a particle. For a disk, z is 0.
type ball struct{ x, y, z, r float64 }

// newCellGrid returns the method for the given cell sizes in ascending order. A cell size must be at
// least the largest diameter of the particles in its level.
func newCellGrid[T neighbor.Disk | neighbor.Sphere](sizes ...float64) *cellGrid[T] {
	g := &cellGrid[T]{reach: 0.5, axes: 3, levels: make([]gridLevel, len(sizes)), counts: make([]int, len(sizes))}
	var zero T
	if _, plane := any(zero).(neighbor.Disk); plane {
		g.axes = 2
	}
	for _, s := range sizes {
		// The index of a cell along an axis is floor((x−low)/s), where s is the cell size. For
		// fewer than 2²⁰ cells, rounding changes the quotient by less than 2⁻³². The factor 1 +
		// 2⁻³⁰ makes a cell wider than its largest particle. So particles that touch are in the
		// same cell or in adjacent cells.
		g.sizes = append(g.sizes, s*(1+0x1p-30))
	}
	return g
}

// Update sorts the particles into cells and finds the pairs that touch.
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
		g.levels[h].reset(g.sizes[h], g.extent, g.counts[h], g.hashed)
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

// Stats returns the counts over all steps so far.
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

// beside compares particle i with the rest of the list of its cell, and with the particles of half
// of the neighboring cells.
func (g *cellGrid[T]) beside(i int32) {
	g.visits++
	g.list(i, g.next[i])
	l, c := &g.levels[g.level[i]], g.cell[i]
	for _, o := range halfOffsets[:halfNeighbors(g.axes)] {
		head, inside := l.head([3]int32{c[0] + o[0], c[1] + o[1], c[2] + o[2]})
		if inside {
			g.visits++
			g.list(i, head)
		}
	}
}

// halfOffsets holds one of every two opposite offsets from a cell to its neighbors. The first four
// offsets stay in the plane of the cell.
var halfOffsets = [13][3]int32{
	{1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 1, 0},
	{-1, -1, 1}, {0, -1, 1}, {1, -1, 1}, {-1, 0, 1}, {0, 0, 1}, {1, 0, 1}, {-1, 1, 1}, {0, 1, 1}, {1, 1, 1},
}

// halfNeighbors returns half the number of neighbors of a cell: (3^d − 1)/2 for d axes.
func halfNeighbors(axes int) int {
	if axes == 2 {
		return 4
	}
	return 13
}

// below compares particle i with the particles of level h, on which particles are smaller (eq. 4
// and 5).
func (g *cellGrid[T]) below(i int32, h int) {
	l := &g.levels[h]
	first, last := g.cellRange(i, h)
	if first[0] > last[0] {
		return
	}
	for k := first[2]; k <= last[2]; k++ {
		for m := first[1]; m <= last[1]; m++ {
			if heads := l.row(first[0], last[0], m, k); heads != nil {
				g.visits += uint64(len(heads))
				for _, head := range heads {
					g.list(i, head)
				}
				continue
			}
			g.visits += uint64(last[0] - first[0] + 1)
			for n := first[0]; n <= last[0]; n++ {
				g.list(i, l.heads[l.place([3]int32{n, m, k})])
			}
		}
	}
}

// cellRange returns the first and the last cell of level h that particle i visits: all cells that
// intersect a box around its center. The half-width of the box is r + s/2, where r is the radius of
// particle i and s is the cell size of level h. With reach 1 the half-width is r + s, as in the
// method of Iwai et al. 1999.
func (g *cellGrid[T]) cellRange(i int32, h int) (first, last [3]int32) {
	b, l := g.balls[i], &g.levels[h]
	reach := b.r + g.reach*g.sizes[h]
	x, y, z := b.x-g.low[0], b.y-g.low[1], b.z-g.low[2]
	first, last = l.index(x-reach, y-reach, z-reach), l.index(x+reach, y+reach, z+reach)
	for axis := range first {
		first[axis], last[axis] = max(first[axis], 0), min(last[axis], l.counts[axis]-1)
	}
	return first, last
}

// storage returns the bytes of the two arrays of the linked cell method: the first particle of each
// cell, and the next particle of each particle.
func (g *cellGrid[T]) storage() (bytes int) {
	for _, l := range g.levels {
		bytes += 4 * len(l.heads)
	}
	return bytes + 4*len(g.next)
}

// list compares particle i with the particles of a linked list.
func (g *cellGrid[T]) list(i, head int32) {
	for j := head; j >= 0; j = g.next[j] {
		g.test(i, j)
	}
}

// boxSlack makes the comparison of boxes accept every pair that the comparison of balls accepts: if a
// difference exceeds r(1+2⁻⁵⁰), its rounded square exceeds the rounded square of r.
const boxSlack = 1 + 0x1p-50

// test adds the pair i, j if the particles touch, with the arithmetic of package neighbor.
func (g *cellGrid[T]) test(i, j int32) {
	g.stats.Tests++
	a, b := &g.balls[i], &g.balls[j]
	x, y, z, r := a.x-b.x, a.y-b.y, a.z-b.z, a.r+b.r
	if g.boxes {
		if far := r * boxSlack; math.Abs(x) > far || math.Abs(y) > far || math.Abs(z) > far {
			return
		}
	}
	g.exact++
	if float64(x*x)+float64(y*y)+float64(z*z) <= r*r {
		g.pairs.add(i, j)
	}
}

// gridLevel maps each cell of a level to a linked list of particles. It is a hash table with open
// addressing, or an array of all cells.
type gridLevel struct {
	inverse float64
	counts  [3]int32
	heads   []int32 // first particle of each cell (array) or of each slot (hash table); −1 if there is none
	keys    []int64 // cell keys of the slots of the hash table; nil for an array
	mask    uint64
}

// denseCells is the largest number of cells per particle in an array. A level with more cells per
// particle is a hash table, even if hash tables are not demanded.
const denseCells = 16

// reset removes all particles, and prepares the level for n particles in a box of the given extent.
func (l *gridLevel) reset(size float64, extent [3]float64, n int, hashed bool) {
	l.inverse = 1 / size
	cells := 1.0
	for axis := range l.counts {
		l.counts[axis] = int32(extent[axis]*l.inverse) + 1
		cells *= float64(l.counts[axis])
	}
	length := int(math.Min(cells, math.MaxInt32))
	if !hashed && cells <= denseCells*float64(n)+64 {
		l.keys = nil
	} else {
		length = 4
		for length < 2*n {
			length *= 2
		}
		l.mask = uint64(length - 1)
		l.keys = resized(l.keys, length)
	}
	l.heads = resized(l.heads, length)
	for i := range l.heads {
		l.heads[i] = -1
	}
}

// resized returns a slice of length n. It reuses the memory of s if s has the capacity.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// index returns the cell of a point. The coordinates are relative to the lower corner.
func (l *gridLevel) index(x, y, z float64) [3]int32 {
	return [3]int32{int32(math.Floor(x * l.inverse)), int32(math.Floor(y * l.inverse)), int32(math.Floor(z * l.inverse))}
}

// key returns the number of a cell.
func (l *gridLevel) key(c [3]int32) int64 {
	return int64(c[0]) + int64(l.counts[0])*(int64(c[1])+int64(l.counts[1])*int64(c[2]))
}

// place returns the index of cell c in heads, even if the cell has no particles.
func (l *gridLevel) place(c [3]int32) int {
	key := l.key(c)
	if l.keys == nil {
		return int(key)
	}
	// This is Fibonacci hashing. The factor is 2⁶⁴ divided by the golden ratio (Knuth, The Art of
	// Computer Programming 3, §6.4).
	at := uint64(key) * 0x9e3779b97f4a7c15 >> 20 & l.mask
	for l.heads[at] >= 0 && l.keys[at] != key {
		at = (at + 1) & l.mask
	}
	return int(at)
}

// head returns the first particle of a cell, or −1 if the cell is empty. It also reports whether the
// cell is inside the grid.
func (l *gridLevel) head(c [3]int32) (first int32, inside bool) {
	for axis, n := range l.counts {
		if c[axis] < 0 || c[axis] >= n {
			return -1, false
		}
	}
	return l.heads[l.place(c)], true
}

// row returns the heads of the cells (firstX, y, z) to (lastX, y, z). It returns nil if the level
// is a hash table. All cells must be inside the grid.
func (l *gridLevel) row(firstX, lastX, y, z int32) []int32 {
	if l.keys != nil {
		return nil
	}
	at := l.key([3]int32{firstX, y, z})
	return l.heads[at : at+int64(lastX-firstX)+1]
}

// push inserts a particle at the front of the list of its cell. It returns the former first particle.
func (l *gridLevel) push(c [3]int32, i int32) (next int32) {
	at := l.place(c)
	next, l.heads[at] = l.heads[at], i
	if l.keys != nil {
		l.keys[at] = l.key(c)
	}
	return next
}
