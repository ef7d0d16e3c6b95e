package neighbor

import (
	"context"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/par"
)

// CellOptions are the options of a LinkedCell. The zero value works.
type CellOptions struct {
	Workers int // ≤ 0: all processors
	// CellSize is the edge of the cells. 0 means the largest extent of a body, or more if cells
	// would contain less than one body on average. If bodies are larger than cells, the search
	// visits more cells.
	CellSize float64
}

// LinkedCell sorts bodies into cells of one size and compares the bodies of nearby cells (Muth,
// Müller, Eberhard & Luding 2007, §2.2). It suits bodies of similar size: the number of tests grows
// with the cube of the ratio of the largest size to the mean size.
type LinkedCell[T Body] struct {
	gridMethod[T]
}

// NewLinkedCell returns a LinkedCell before its first step. It panics unless CellSize is between 0
// and 2^500.
func NewLinkedCell[T Body](o CellOptions) *LinkedCell[T] {
	mustLength("cell size", o.CellSize)
	one := gridParams{sizes: []float64{math.MaxFloat64}, edge: o.CellSize, minCell: 1}
	return &LinkedCell[T]{gridMethod[T]{params: one, workers: o.Workers, ops: opsOf[T]()}}
}

// mustLength panics unless x is between 0 and limit.
func mustLength(name string, x float64) {
	if !(x >= 0 && x <= limit) {
		panic("neighbor: " + name + " must be from 0 to 2^500")
	}
}

// GridOptions are the options of a HierarchicalGrid. The zero value works.
type GridOptions struct {
	Workers int // ≤ 0: all processors
	// Sizes are the largest extents of the bodies of each level, ascending. A body belongs to the
	// first level whose size is at least its own largest extent, with a tolerance of a millionth
	// because the extents of boxes are rounded. A body that exceeds all sizes belongs to the last
	// level. Without Sizes each step chooses the sizes that OptimalLevels returns for radii rounded
	// up by at most 1.6 %. A level with few bodies has cells larger than its size.
	Sizes []float64
}

// HierarchicalGrid sorts bodies into levels by size and the bodies of each level into cells. It
// looks for the neighbors of a body in its own level and in the levels of smaller bodies (Ogarko &
// Luding 2012, §2). Time and memory grow linearly with the number of bodies for any distribution of
// sizes, unless a body touches too many others.
//
// The cells form a hash table, whose length is a multiple of the number of bodies. The hash is the
// number of the cell on each axis. If a table of all cells would be too long, the hash takes the
// numbers modulo powers of two. Cells that are adjacent along x are then adjacent in memory, and
// one look-up finds a whole run of cells. Collisions cost time but do not change the pairs.
type HierarchicalGrid[T Body] struct {
	gridMethod[T]
}

// sizeSlack is the relative amount by which an extent can exceed the size of its level. The extent
// of a box at a distance of d diameters from the origin has a relative rounding error of 2^-52 d.
// Every level finds the same neighbors. tuning.
const sizeSlack = 0x1p-20

// NewHierarchicalGrid returns a HierarchicalGrid before its first step. It panics if Sizes are not
// positive and ascending.
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
	workers int // ≤ 0: all processors
	ops     bodyOps[T]
	grid    grid[T]
	found   pairCollector
}

// Update sorts the bodies into cells and searches them; see Method.
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

// gridParams are the parameters of a grid.
type gridParams struct {
	sizes   []float64 // of the levels; if empty, chosen like OptimalLevels
	edge    float64   // of the cells of all levels; if 0, chosen by the number of bodies
	minCell float64   // smallest edge to choose, relative to the reach of the level
}

// grid is the structure for one step.
type grid[T Body] struct {
	ops    *bodyOps[T]
	input  []T // the bodies of the step
	sizes  histogram
	bucket []int32 // of each body, −1 if absent
	levels []level // from the largest bodies to the smallest
	start  []int32 // position of the first body of each bucket of all levels; then the end

	// The bodies sorted by bucket, then by index.
	bodies []T
	ids    []int32
}

// allPairs builds the grid for checked bodies. It sets dst to the ordered pairs that touch.
func (g *grid[T]) allPairs(ctx context.Context, k *bodyOps[T], c *pairCollector, dst []Pair, bodies []T, p gridParams, workers int) ([]Pair, error) {
	g.ops, g.input = k, bodies
	defer func() { g.input = nil }()
	if err := g.build(ctx, p, workers); err != nil {
		return dst, err
	}
	return c.collect(ctx, dst, len(g.ids), searchBlock, len(bodies), workers, func(list []Pair, lo, hi int) ([]Pair, uint64) {
		s := search[T]{grid: g, pairs: list}
		s.run(int32(lo), int32(hi))
		return s.pairs, s.tests
	})
}
