package neighbor

import (
	"context"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/par"
)

// CellOptions are the options of a LinkedCell. The zero value is valid.
type CellOptions struct {
	Workers int // number of goroutines; ≤ 0 means one for each processor
	// CellSize is the edge length of the cells. 0 selects the largest extent of a body, or a larger
	// length if cells would contain fewer than one body on average. If bodies are larger than cells,
	// the search visits more cells.
	CellSize float64
}

// LinkedCell sorts bodies into cells of one size and compares the bodies in nearby cells (Muth,
// Müller, Eberhard & Luding 2007, §2.2). It is meant for bodies of similar size. The number of
// tests grows with the cube of the ratio of the largest size to the mean size.
type LinkedCell[T Body] struct {
	gridMethod[T]
}

// NewLinkedCell returns a LinkedCell that has made no step yet. It panics if CellSize is not
// between 0 and 2^500.
func NewLinkedCell[T Body](o CellOptions) *LinkedCell[T] {
	mustLength("cell size", o.CellSize)
	one := gridParams{sizes: []float64{math.MaxFloat64}, edge: o.CellSize, minCell: 1}
	return &LinkedCell[T]{gridMethod[T]{params: one, workers: o.Workers, ops: opsOf[T]()}}
}

// mustLength panics if x is not between 0 and limit.
func mustLength(name string, x float64) {
	if !(x >= 0 && x <= limit) {
		panic("neighbor: " + name + " must be from 0 to 2^500")
	}
}

// GridOptions are the options of a HierarchicalGrid. The zero value is valid.
type GridOptions struct {
	Workers int // number of goroutines; ≤ 0 means one for each processor
	// Sizes has the size of each level, ascending. A body belongs to the first level whose size is
	// at least the largest extent of the body. The extent can exceed the size of the level by a
	// millionth, because extents of boxes are rounded. A body that exceeds all sizes belongs to the
	// last level. If Sizes is empty, each step uses the sizes from OptimalLevels for radii rounded
	// up by at most 1.6 %. The cells of a level with few bodies are larger than its size.
	Sizes []float64
}

// HierarchicalGrid sorts bodies into levels by size, and the bodies of each level into cells. For
// each body, it searches the level of the body and the levels of smaller bodies (Ogarko & Luding
// 2012, §2). Time and memory are linear in the number of bodies for any distribution of sizes,
// unless a body touches too many other bodies.
//
// The cells of a level are stored in a hash table. The length of the table is at most proportional
// to the number of bodies. If a table of all cells is short enough, each cell has its own bucket.
// Otherwise the hash is the number of the cell on each axis modulo a power of two. Cells that are
// adjacent along x are adjacent in memory, so one look-up finds a whole run of cells. Collisions
// cost time but do not change the pairs.
type HierarchicalGrid[T Body] struct {
	gridMethod[T]
}

// sizeSlack is the relative amount by which an extent can exceed the size of its level. If a box is
// d diameters away from the origin, its extent has a relative rounding error of 2^-52 d. The value
// affects only speed, because the level of a body does not change its neighbors (tuning).
const sizeSlack = 0x1p-20

// NewHierarchicalGrid returns a HierarchicalGrid that has made no step yet. It panics if Sizes are
// not positive and ascending.
func NewHierarchicalGrid[T Body](o GridOptions) *HierarchicalGrid[T] {
	last := 0.0
	for _, s := range o.Sizes {
		if !(s > last) {
			panic("neighbor: sizes of levels must be positive and ascending")
		}
		last = s
	}
	levels := gridParams{sizes: slices.Clone(o.Sizes), minCell: minCell}
	for i := range levels.sizes {
		levels.sizes[i] = min(levels.sizes[i]*(1+sizeSlack), math.MaxFloat64)
	}
	return &HierarchicalGrid[T]{gridMethod[T]{params: levels, workers: o.Workers, ops: opsOf[T]()}}
}

// gridMethod is a Method that builds a grid in each step with the same parameters.
type gridMethod[T Body] struct {
	result
	params  gridParams
	workers int // number of goroutines; ≤ 0 means one for each processor
	ops     bodyOps[T]
	grid    grid[T]
	found   pairCollector
}

// Update sorts the bodies into cells and searches the cells; see Method.
func (m *gridMethod[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	pairs, err := m.grid.allPairs(ctx, &m.ops, &m.found, m.buffer, bodies, m.params, par.Workers(m.workers))
	if err != nil {
		m.buffer = pairs
		return err
	}
	m.pairs, m.buffer = pairs, m.pairs
	m.stats.Steps++
	m.stats.Rebuilds++
	m.stats.Tests += m.found.tested()
	return nil
}

type gridParams struct {
	sizes   []float64 // sizes of the levels; if empty, each step chooses sizes
	edge    float64   // edge of all cells; if 0, the density of each level determines it
	minCell float64   // smallest ratio of the chosen edge to the reach of the level
}

// grid has the levels and the sorted bodies of one step.
type grid[T Body] struct {
	ops    *bodyOps[T]
	input  []T // the bodies of the step
	sizes  histogram
	bucket []int32 // bucket of each body, or −1 if the body is absent
	levels []level // levels in descending order of size
	start  []int32 // position of the first body of each bucket, then len(bodies)

	// bodies is sorted by bucket and then by index. ids has the indices of these bodies.
	bodies []T
	ids    []int32
}

// allPairs builds the grid for valid bodies. It sets dst to the ordered pairs that touch.
func (g *grid[T]) allPairs(ctx context.Context, k *bodyOps[T], c *pairCollector, dst []Pair, bodies []T, p gridParams, workers int) ([]Pair, error) {
	g.ops, g.input = k, bodies
	defer func() { g.input = nil }()
	if err := g.build(ctx, p, workers); err != nil {
		return dst, err
	}
	return c.collect(ctx, dst, len(g.ids), searchBlock, len(bodies), workers, func(list []Pair, lo, hi int) ([]Pair, uint64) {
		s := search[T]{grid: g, limit: &c.limit, counted: len(list), pairs: list}
		s.run(int32(lo), int32(hi))
		return s.pairs, s.tests
	})
}
