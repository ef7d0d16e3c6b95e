package fmm

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/internal/par"
)

// targetTree is the evaluation tree. For each cell σ that is a leaf, it holds the local expansion
// of the far field and a list of the near triangles. A targetTree is immutable.
type targetTree struct {
	cube
	children [][8]int32 // children of each inner cell: i for inner cell i ≥ 0, −1−i for leaf i, or none
	leaves   []leaf
	rows     int       // number of values in a local expansion
	locals   []float64 // local expansion of each leaf, as prepareLocal writes it
	spans    []bem.Span
	top      []int32 // inner cell or leaf at each cell of level topLevel, numbered as in targetTree.children
	topLevel int
	cells    int     // number of cells that were built
	pairs    int64   // number of pairs that were translated
	assessed int64   // number of pairs that were assessed
	rounding float64 // largest rounding bound of a leaf
	bound    float64 // largest error bound of a leaf
}

// none marks a missing child. The source tree evaluates the points in a missing child.
const none = int32(-1 << 31)

// leaf is a cell of the evaluation tree that is not divided.
type leaf struct {
	cell
	level int8
	spans int32   // index of the first span
	count int32   // number of spans
	near  int32   // number of triangles in the spans
	bound float64 // error bound of the local expansion
}

// find returns the index of the leaf that contains x, or false if no leaf contains x.
func (t *targetTree) find(x r3.Vector) (i int32, ok bool) {
	c, ok := t.cellAt(x)
	if !ok {
		return 0, false
	}
	shift := t.depth - t.topLevel
	side := int32(1) << t.topLevel
	at := t.top[((c.z>>shift)*side+c.y>>shift)*side+c.x>>shift]
	for at >= 0 {
		shift--
		at = t.children[at][c.x>>shift&1|c.y>>shift&1<<1|c.z>>shift&1<<2]
	}
	if at == none {
		return 0, false
	}
	return -1 - at, true
}

func (t *targetTree) local(i int32) []float64 { return t.locals[int(i)*t.rows : (int(i)+1)*t.rows] }

// far returns the far field of J at x in leaf i (L2P).
func (t *targetTree) far(i int32, degree int, x r3.Vector) float64 {
	l := &t.leaves[i]
	p := x.Sub(t.center(l.cell, int(l.level))).Mul(1 / t.half(int(l.level)))
	dst, px, py, pz := [1]float64{}, [1]float64{p.X}, [1]float64{p.Y}, [1]float64{p.Z}
	evaluateMany(dst[:], px[:], py[:], pz[:], t.local(i), degree)
	return dst[0]
}

// targetCell is a cell of the evaluation tree that is being built.
type targetCell struct {
	cell
	level      int8
	octant     int8
	isLeaf     bool
	parent     int32   // index of the parent among the cells of the level above
	inner      int32   // index of the parent among the inner cells
	lo, hi     int32   // range of the known points in the cell
	points     float64 // expected number of points
	truncation float64 // truncation bound of all pairs that the cell and its ancestors accepted
	rounding   float64
	pairs      int32   // number of pairs that are translated to the cell and its ancestors
	open       []int32 // clusters that the children of the cell will assess
	spans      []bem.Span
	near       int32 // number of triangles in the near field of a leaf
}

// targetBuilder builds an evaluation tree, level by level. A worker processes one block of cells at
// a time. The blocks are the same for any number of workers, and so are the results.
type targetBuilder struct {
	src    *sourceTree
	params *expansionParams
	geo    *geometryCache
	box    bvh.Box
	points []uint64 // sorted Morton codes of the points, if they are known

	out           *targetTree
	cells, before []targetCell
	locals, old   []float64 // local expansions of the cells in g.cells and in g.before
	workers       []*traversal
}

// A worker processes blocks of blockCells cells, or of smallBlock cells if there are few cells. A
// larger block has more cells of each octant, which fill more lanes in the translations from the
// parents.
const (
	blockCells = 96 // tuning
	smallBlock = 8  // tuning
	blockParts = 32 // tuning: least number of blocks of a level before blocks become larger
)

func newTargetTree(ctx context.Context, src *sourceTree, params *expansionParams, box bvh.Box, points []uint64, workers int) (*targetTree, error) {
	workers = par.Workers(workers)
	g := &targetBuilder{
		src: src, params: params, geo: &geometryCache{deg: params.degrees},
		box: box, points: points, workers: make([]*traversal, workers),
	}
	rows := padded(harmonics.Len(params.local))
	g.out = &targetTree{cube: src.cube, rows: rows}
	for i := range g.workers {
		ops := newM2LOperators(params.degrees)
		g.workers[i] = &traversal{src: src, geo: g.geo, params: params, ops: ops, sum: ops.tables.NewSum(), down: newShifter(l2lCache.of(params.local))}
	}
	g.cells = []targetCell{{parent: -1, inner: -1, hi: int32(len(points))}}
	for len(g.cells) > 0 {
		g.locals = make([]float64, len(g.cells)*rows)
		size := min(max(smallBlock, len(g.cells)/blockParts), blockCells)
		err := par.Blocks(ctx, len(g.cells), size, workers, func(worker, lo, hi int) { g.block(ctx, worker, lo, hi) })
		if err != nil {
			return nil, err
		}
		g.next()
	}
	for _, t := range g.workers {
		g.out.assessed += t.assessed
	}
	g.out.index()
	return g.out, nil
}

// block chooses the pairs of the cells [lo, hi) of the level, and translates the moments of these
// pairs to the cells.
func (g *targetBuilder) block(ctx context.Context, worker, lo, hi int) {
	t := g.workers[worker]
	rows, stride := g.out.rows, g.src.stride
	var candidates []int32
	for i := lo; i < hi; i++ {
		if ctx.Err() != nil {
			t.down.flush()
			return
		}
		c := &g.cells[i]
		candidates = candidates[:0]
		if c.parent < 0 {
			candidates = append(candidates, 0)
		} else {
			parent := &g.before[c.parent]
			t.down.add(g.locals[i*rows:(i+1)*rows], g.old[int(c.parent)*rows:(int(c.parent)+1)*rows], int(c.octant))
			for _, n := range parent.open {
				node := &g.src.nodes[n]
				if node.kids == 0 || node.level >= c.level {
					candidates = append(candidates, n)
					continue
				}
				for k := node.child; k < node.child+int32(node.kids); k++ {
					candidates = append(candidates, k)
				}
			}
		}
		c.points = g.expected(c)
		c.isLeaf = t.decide(c, candidates, c.points)
		c.pairs += int32(len(t.accepted))
		for j := range t.accepted {
			p := &t.accepted[j]
			n := int(p.node)
			t.sum.Add(t.ops.of(p.at), g.src.moments[n*stride:(n+1)*stride])
		}
		t.sum.AddTo(g.locals[i*rows : (i+1)*rows])
		if c.isLeaf {
			c.spans, c.near = g.nearField(t)
			continue
		}
		c.open = make([]int32, len(t.open))
		for j := range t.open {
			c.open[j] = t.open[j].node
		}
	}
	t.down.flush()
}

// expected returns the expected number of points in a cell. If the known points are a sample, a
// cell without any of them gets a small part of the points of its parent.
func (g *targetBuilder) expected(c *targetCell) float64 {
	switch n := float64(c.hi - c.lo); {
	case g.params.known:
		return n
	case g.points == nil:
		return g.params.points * math.Ldexp(g.params.volume, -3*int(c.level))
	case n > 0:
		return n * g.params.sample
	case c.parent >= 0:
		return g.before[c.parent].points / 32 // tuning
	}
	return 0
}

// nearField returns the spans of the triangles in the open clusters, and the number of these
// triangles.
func (g *targetBuilder) nearField(t *traversal) (spans []bem.Span, triangles int32) {
	t.order = t.order[:0]
	for i := range t.open {
		n := t.open[i].node
		t.order = append(t.order, int64(g.src.nodes[n].lo)<<32|int64(n))
	}
	slices.Sort(t.order)
	for _, k := range t.order {
		n := &g.src.nodes[k&math.MaxInt32]
		triangles += n.hi - n.lo
		if k := len(spans) - 1; k >= 0 && spans[k].First+spans[k].Count == n.block {
			spans[k].Count += n.blocks
			continue
		}
		spans = append(spans, bem.Span{First: n.block, Count: n.blocks})
	}
	return spans, triangles
}

// next stores the leaves of the level and creates the cells of the next level.
func (g *targetBuilder) next() {
	rows := g.out.rows
	g.out.cells += len(g.cells)
	link := func(c *targetCell, to int32) {
		if c.parent >= 0 {
			g.out.children[c.inner][c.octant] = to
		}
	}
	leaves, inner := len(g.out.leaves), 0
	for i := range g.cells {
		if g.cells[i].isLeaf {
			leaves++
		} else {
			inner++
		}
	}
	g.out.locals = slices.Grow(g.out.locals, leaves*rows-len(g.out.locals))[:leaves*rows]
	if g.params.known {
		inner = min(inner, len(g.points)/8+1)
	}
	cells := make([]targetCell, 0, 8*inner)
	for i := range g.cells {
		c := &g.cells[i]
		g.out.pairs += int64(c.pairs)
		if c.parent >= 0 {
			g.out.pairs -= int64(g.before[c.parent].pairs)
		}
		switch {
		case c.isLeaf && float64(c.near)*g.params.cost.near > g.params.cost.clusters:
			// The source tree evaluates the points of this leaf, which is faster.
			continue
		case c.isLeaf:
			link(c, int32(-1-len(g.out.leaves)))
			bound := g.params.total(c.truncation, c.rounding, c.pairs)
			g.out.rounding = max(g.out.rounding, g.params.total(0, c.rounding, c.pairs))
			g.out.bound = max(g.out.bound, bound)
			g.out.leaves = append(g.out.leaves, leaf{
				cell: c.cell, level: c.level, spans: int32(len(g.out.spans)), count: int32(len(c.spans)), near: c.near, bound: bound,
			})
			g.out.spans = append(g.out.spans, c.spans...)
			local := g.out.locals[(len(g.out.leaves)-1)*rows : len(g.out.leaves)*rows]
			copy(local, g.locals[i*rows:(i+1)*rows])
			prepareLocal(local, local, g.params.local)
			c.spans = nil
			continue
		}
		self := int32(len(g.out.children))
		link(c, self)
		g.out.children = append(g.out.children, [8]int32{none, none, none, none, none, none, none, none})
		at := c.lo
		for o := range 8 {
			k := targetCell{
				cell: c.cell.child(o), level: c.level + 1, octant: int8(o), parent: int32(i), inner: self,
				truncation: c.truncation, rounding: c.rounding, pairs: c.pairs,
			}
			if g.points != nil {
				shift := 3 * (g.src.depth - int(k.level))
				k.lo = at
				for at < c.hi && int(g.points[at]>>shift&7) == o {
					at++
				}
				k.hi = at
			}
			if g.params.known && k.lo == k.hi || !g.params.known && !g.meets(&k) {
				continue
			}
			cells = append(cells, k)
		}
	}
	g.out.locals = g.out.locals[:len(g.out.leaves)*rows]
	g.before, g.old = g.cells, g.locals
	g.cells = cells
}

// meets reports whether a cell overlaps the box of the evaluation tree.
func (g *targetBuilder) meets(c *targetCell) bool {
	m := g.src.center(c.cell, int(c.level))
	h := g.src.half(int(c.level)) * (1 + slackRadius)
	e := r3.Vector{X: h, Y: h, Z: h}
	return g.box.Overlaps(bvh.Box{Min: m.Sub(e), Max: m.Add(e)})
}

// maxTop is the largest number of cells in the table targetTree.top.
const maxTop = 1 << 18 // tuning

// index fills the table t.top, where the search for the leaf of a point begins.
func (t *targetTree) index() {
	for t.topLevel < t.depth && 1<<(3*(t.topLevel+1)) <= min(maxTop, 4*len(t.leaves)) {
		t.topLevel++
	}
	root := none
	switch {
	case len(t.children) > 0:
		root = 0
	case len(t.leaves) > 0:
		root = -1
	}
	side := int32(1) << t.topLevel
	t.top = make([]int32, side*side*side)
	for z := range side {
		for y := range side {
			for x := range side {
				at := root
				for l := t.topLevel - 1; l >= 0 && at >= 0; l-- {
					at = t.children[at][x>>l&1|y>>l&1<<1|z>>l&1<<2]
				}
				t.top[(z*side+y)*side+x] = at
			}
		}
	}
}
