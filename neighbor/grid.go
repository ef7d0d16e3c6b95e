package neighbor

import (
	"context"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/par"
)

// GridOptions are the choices of a HierarchicalGrid. The zero value is good.
type GridOptions struct {
	Workers int // ≤ 0: all processors
	// Sizes are the largest extents of the bodies of each level, ascending: a body is in the
	// first level whose size is not below its own largest extent by more than a millionth, as
	// the extent of its box is rounded; one that exceeds all in the last. Without sizes each step chooses them by the recipe of OptimalLevels, from radii
	// rounded up by at most 1.6 %. The cells of a level are larger than that where it is sparse.
	Sizes []float64
}

// HierarchicalGrid sorts bodies into levels by size and the bodies of each level into cells,
// and looks for the neighbors of a body in its own level and in those of smaller
// bodies, Ogarko & Luding (2012), §2. Time and memory grow linearly with the number of bodies
// for any distribution of sizes, if no body meets too many others.
//
// Cells are found in a hash table, whose length is a multiple of the number of bodies: by
// their number along each axis, modulo powers of two where the level is too sparse for
// a table of all. So cells that follow each other along x follow each other in memory, and one
// look finds a whole run of them. Cells that fall together make the search longer, not wrong.
type HierarchicalGrid[T Body] struct {
	gridMethod[T]
}

// sizeSlack is the part by which an extent may exceed that of its level. A box at a distance of
// d diameters from the origin is rounded by 2^-52 d of its extent. A choice: neighbors are
// found whatever the level.
const sizeSlack = 0x1p-20

// NewHierarchicalGrid returns a HierarchicalGrid before its first step. It panics if Sizes are
// not positive and ascending.
func NewHierarchicalGrid[T Body](o GridOptions) *HierarchicalGrid[T] {
	last := 0.0
	for _, s := range o.Sizes {
		if !(s > last) {
			panic("neighbor: sizes of levels must be positive and ascending")
		}
		last = s
	}
	levels := plan{sizes: slices.Clone(o.Sizes), minCell: minCell}
	for i := range levels.sizes {
		levels.sizes[i] = min(levels.sizes[i]*(1+sizeSlack), math.MaxFloat64)
	}
	return &HierarchicalGrid[T]{newGridMethod[T](levels, o.Workers)}
}

// gridMethod is a Method that lays a grid anew in each step, all by one plan.
type gridMethod[T Body] struct {
	plan    plan
	workers int // ≤ 0: all processors
	kernel  kernel[T]
	grid    grid[T]
	found   collector
	pairs   []Pair
	spare   []Pair // memory for the next step
	stats   Stats
}

func newGridMethod[T Body](p plan, workers int) gridMethod[T] {
	return gridMethod[T]{plan: p, workers: workers, kernel: kernelOf[T]()}
}

// Update sorts the bodies into cells and searches them; see Method.
func (m *gridMethod[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	pairs, err := m.grid.allPairs(ctx, &m.kernel, &m.found, m.spare, bodies, m.plan, par.Workers(m.workers))
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
func (m *gridMethod[T]) Pairs() []Pair { return m.pairs }

// Stats returns what has been counted; see Method.
func (m *gridMethod[T]) Stats() Stats { return m.stats }

// plan is how to lay a grid.
type plan struct {
	sizes   []float64 // of the levels; none: by the recipe
	edge    float64   // of the cells of all levels; 0: by the number of bodies
	minCell float64   // least edge chosen, in reaches
}

// grid is the structure for one step.
type grid[T Body] struct {
	kernel *kernel[T]
	given  []T // the bodies as they came
	sizes  histogram
	bucket []int32 // of each body given, −1 if absent
	levels []level // from the largest bodies to the smallest
	start  []int32 // of the buckets of all levels: where their bodies begin; one more

	// The bodies sorted by bucket, then by index.
	bodies []T
	ids    []int32
}

// allPairs sets dst to the pairs of the bodies, which have been checked, ordered.
func (g *grid[T]) allPairs(ctx context.Context, k *kernel[T], c *collector, dst []Pair, bodies []T, p plan, workers int) ([]Pair, error) {
	g.kernel, g.given = k, bodies
	defer func() { g.given = nil }()
	if err := g.build(ctx, p, workers); err != nil {
		return dst, err
	}
	c.reset(workers)
	err := par.Blocks(ctx, len(g.ids), searchBlock, workers, func(worker, lo, hi int) {
		s := search[T]{grid: g, pairs: c.lists[worker]}
		s.run(int32(lo), int32(hi))
		c.lists[worker] = s.pairs
		c.tests[worker].n += s.tests
	})
	if err != nil {
		return dst, err
	}
	return c.ordered(ctx, dst, len(bodies), workers)
}
