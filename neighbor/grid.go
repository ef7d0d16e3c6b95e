package neighbor

import (
	"context"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// GridOptions are the choices of a HierarchicalGrid. The zero value is good.
type GridOptions struct {
	Workers int // ≤ 0: all processors
	// Sizes are the cell sizes of the levels, ascending: a body is in the first level whose
	// size is not below its largest extent, one that exceeds all in the last. Without sizes each
	// step chooses them by the recipe of OptimalLevels, from radii rounded up by 1.6 %.
	Sizes []float64
}

// HierarchicalGrid sorts bodies into levels by size and the bodies of each level into cells,
// and looks for the neighbours of a body in its own level and in those of smaller
// bodies, Ogarko & Luding (2012), §2. Time and memory grow linearly with the number of bodies
// for any distribution of sizes, if no body meets too many others.
//
// Unlike there, cells of a level that follow each other along x are one row, whose bodies
// are sorted by where they begin on x: the run of them that a search box can meet is found
// by bisection, and empty cells cost nothing. Rows are therefore wider than the largest
// body of a sparse level. A row is found in a table by its cell numbers on y (and z) modulo
// powers of two; rows that fall together make the search longer, not wrong.
type HierarchicalGrid[T Body] struct {
	options GridOptions
	kernel  kernel[T]
	grid    grid[T]
	found   collector
	pairs   []Pair
	spare   []Pair
	stats   Stats
}

// NewHierarchicalGrid returns a HierarchicalGrid before its first step.
func NewHierarchicalGrid[T Body](o GridOptions) *HierarchicalGrid[T] {
	return &HierarchicalGrid[T]{options: o, kernel: kernelOf[T]()}
}

// Update builds the grid and searches it; see Method.
func (m *HierarchicalGrid[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	workers := par.Workers(m.options.Workers)
	pairs, err := m.grid.allPairs(ctx, &m.kernel, &m.found, m.spare, bodies, m.options.Sizes, workers)
	if err != nil {
		m.spare = pairs
		return err
	}
	m.pairs, m.spare = pairs, m.pairs
	m.stats.Steps++
	m.stats.Rebuilds++
	m.stats.Tests += m.found.tested()
	return nil
}

// Pairs returns the pairs that touch; see Method.
func (m *HierarchicalGrid[T]) Pairs() []Pair { return m.pairs }

// Stats returns what has been counted; see Method.
func (m *HierarchicalGrid[T]) Stats() Stats { return m.stats }

// grid is the structure for one step.
type grid[T Body] struct {
	sizes  histogram
	bounds []bvh.Box // by index; empty if absent
	bucket []int32   // by index; −1 if absent
	levels []level   // from the largest bodies to the smallest
	start  []int32   // of the buckets of all levels: where their bodies begin; one more

	// The bodies sorted by bucket, then by where they begin on x.
	keys   []key
	bodies []T
	ids    []int32
	from   []float64 // where they begin on x
	rows   []row     // by index
}

// key is a body and where it begins on x.
type key struct {
	from float64
	id   int32
}

// row is the place of a body among the rows of its level.
type row struct{ y, z int32 }

// level is the part of the grid for bodies of similar size.
type level struct {
	n                  int        // number of bodies
	size               float64    // largest extent of a body in it
	box                bvh.Box    // of where its bodies begin
	reach              [3]float64 // on each axis: no body is longer than this
	inverseY, inverseZ float64    // 1/width of the rows
	maxY, maxZ         int32      // last row that has a body
	ny, nz             int32      // size of the table, powers of two
	first              int32      // bucket of row (0, 0)
	wraps              bool       // whether different rows may be in one bucket
}

// allPairs sets dst to the pairs of the bodies, which have been checked, ordered.
func (g *grid[T]) allPairs(ctx context.Context, k *kernel[T], c *collector, dst []Pair, bodies []T, sizes []float64, workers int) ([]Pair, error) {
	if err := g.build(ctx, k, bodies, sizes, workers); err != nil {
		return dst, err
	}
	c.reset(workers)
	err := par.Blocks(ctx, len(g.ids), searchBlock, workers, func(worker, lo, hi int) {
		s := search[T]{grid: g, kernel: k, pairs: c.lists[worker]}
		s.run(lo, hi)
		c.lists[worker] = s.pairs
		c.tests[worker].n += s.tests
	})
	if err != nil {
		return dst, err
	}
	return c.ordered(ctx, dst, len(bodies), workers)
}
