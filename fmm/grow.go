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

// growing is a cell of the evaluation tree while that is built.
type growing struct {
	cell
	level      int8
	octant     int8
	isLeaf     bool
	parent     int32   // among the cells of the level before
	inner      int32   // number of its parent, or of itself, among the inner cells
	lo, hi     int32   // its points, if they are known
	truncation float64 // spent of the tolerance so far
	rounding   float64
	pairs      int32   // translated to it and its ancestors
	open       []int32 // clusters left to its children
	spans      []bem.Span
	near       int32 // triangles of the near field of a leaf
}

// grower builds an evaluation tree, level by level. Cells of a level are done in
// blocks of a fixed size, each by one worker: the results do not depend on their
// number.
type grower struct {
	src    *source
	spec   *layout
	geo    *geometries
	ops    *operators
	down   *downward
	box    bvh.Box
	points []uint64 // Morton codes of the points, sorted, if they are known

	out           *target
	cells, before []growing
	locals, old   []float64 // of cells and before
	workers       []*traversal
}

// blockCells is how many cells share each M2L operator while it is in the cache, at
// most: smaller levels are cut into parts for all workers, whose number does not
// matter.
const (
	blockCells = 512
	leastBlock = 16
	blockParts = 16
)

// grow builds the evaluation tree for src.
func grow(ctx context.Context, src *source, spec *layout, box bvh.Box, points []uint64, workers int) (*target, error) {
	workers = par.Workers(workers)
	g := &grower{
		src: src, spec: spec, geo: &geometries{deg: spec.degrees}, ops: newOperators(spec.degrees), down: downwards.of(spec.local),
		box: box, points: points, workers: make([]*traversal, workers),
	}
	rows := padded(harmonics.Len(spec.local))
	g.out = &target{frame: src.frame, rows: rows}
	for i := range g.workers {
		g.workers[i] = &traversal{src: src, geo: g.geo, spec: spec, work: make([]float64, g.ops.workLen())}
	}
	g.cells = []growing{{parent: -1, inner: -1, hi: int32(len(points))}}
	for len(g.cells) > 0 {
		g.locals = make([]float64, len(g.cells)*rows)
		size := min(max(leastBlock, len(g.cells)/blockParts), blockCells)
		err := par.Blocks(ctx, len(g.cells), size, workers, func(worker, lo, hi int) { g.block(ctx, worker, lo, hi) })
		if err != nil {
			return nil, err
		}
		g.next()
	}
	for _, t := range g.workers {
		g.out.looked += t.looked
	}
	g.out.index()
	return g.out, nil
}

// block decides about the cells [lo, hi) of the level and translates to them.
func (g *grower) block(ctx context.Context, worker, lo, hi int) {
	t := g.workers[worker]
	rows := g.out.rows
	t.pairs.reset()
	var candidates []int32
	for i := lo; i < hi; i++ {
		if ctx.Err() != nil {
			return
		}
		c := &g.cells[i]
		candidates = candidates[:0]
		if c.parent < 0 {
			candidates = append(candidates, 0)
		} else {
			parent := &g.before[c.parent]
			g.down.add(g.locals[i*rows:(i+1)*rows], g.old[int(c.parent)*rows:(int(c.parent)+1)*rows], int(c.octant), t.work)
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
		c.isLeaf = t.decide(c, candidates, g.expected(c))
		c.pairs += int32(len(t.accepted))
		for j := range t.accepted {
			p := &t.accepted[j]
			t.pairs.add(p.at, int32(i-lo), p.node)
		}
		if c.isLeaf {
			c.spans, c.near = g.nearField(t)
			continue
		}
		c.open = make([]int32, len(t.open))
		for j := range t.open {
			c.open[j] = t.open[j].node
		}
	}
	stride := g.src.stride
	t.pairs.each(func(at offset, list []pair) {
		op, signs := g.ops.of(at)
		for _, p := range list {
			i, n := lo+int(p.cell), int(p.node)
			op.add(g.locals[i*rows:(i+1)*rows], g.src.moments[n*stride:(n+1)*stride], signs, g.spec.degrees, t.work)
		}
	})
}

// expected is how many points will be asked for in a cell.
func (g *grower) expected(c *growing) float64 {
	if g.points != nil {
		return float64(c.hi - c.lo)
	}
	return g.spec.share(int(c.level))
}

// nearField returns the spans of the open clusters, and the triangles in them.
func (g *grower) nearField(t *traversal) (spans []bem.Span, triangles int32) {
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

// next stores the leaves of the level and makes the cells of the next one.
func (g *grower) next() {
	rows := g.out.rows
	var cells []growing
	g.out.cells += len(g.cells)
	link := func(c *growing, to int32) {
		if c.parent >= 0 {
			g.out.children[c.inner][c.octant] = to
		}
	}
	for i := range g.cells {
		c := &g.cells[i]
		g.out.pairs += int64(c.pairs)
		if c.parent >= 0 {
			g.out.pairs -= int64(g.before[c.parent].pairs)
		}
		switch {
		case c.isLeaf && float64(c.near)*g.spec.cost.near > g.spec.cost.clusters:
			// Its points are better off with the source tree.
			continue
		case c.isLeaf:
			link(c, int32(-1-len(g.out.leaves)))
			g.out.rounding = max(g.out.rounding, g.spec.total(0, c.rounding, c.pairs))
			g.out.leaves = append(g.out.leaves, leaf{
				cell: c.cell, level: c.level, spans: int32(len(g.out.spans)), count: int32(len(c.spans)), near: c.near,
				bound: g.spec.total(c.truncation, c.rounding, c.pairs),
			})
			g.out.spans = append(g.out.spans, c.spans...)
			g.out.locals = append(g.out.locals, g.locals[i*rows:(i+1)*rows]...)
			local := g.out.locals[len(g.out.locals)-rows:]
			prepareLocal(local, local, g.spec.local)
			c.spans = nil
			continue
		}
		self := int32(len(g.out.children))
		link(c, self)
		g.out.children = append(g.out.children, [8]int32{none, none, none, none, none, none, none, none})
		at := c.lo
		for o := range 8 {
			k := growing{
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
				if k.lo == k.hi {
					continue
				}
			} else if !g.meets(&k) {
				continue
			}
			cells = append(cells, k)
		}
	}
	g.before, g.old = g.cells, g.locals
	g.cells = cells
}

// meets reports whether a cell has points of the box.
func (g *grower) meets(c *growing) bool {
	m := g.src.centre(c.cell, int(c.level))
	h := g.src.half(int(c.level)) * (1 + slackRadius)
	e := r3.Vector{X: h, Y: h, Z: h}
	return g.box.Overlaps(bvh.Box{Min: m.Sub(e), Max: m.Add(e)})
}

// root returns the inner cell, leaf, or none, that the whole cube is.
func (t *target) root() int32 {
	switch {
	case len(t.children) > 0:
		return 0
	case len(t.leaves) > 0:
		return -1
	}
	return none
}

// worst returns the largest bound of the far field of a leaf.
func (t *target) worst() float64 {
	worst := 0.0
	for i := range t.leaves {
		worst = max(worst, t.leaves[i].bound)
	}
	return worst
}

// mostTop is the most cells of the table that find starts with.
const mostTop = 1 << 18

// index makes the table of find.
func (t *target) index() {
	for t.topLevel < t.depth && 1<<(3*(t.topLevel+1)) <= min(mostTop, 4*len(t.leaves)) {
		t.topLevel++
	}
	side := int32(1) << t.topLevel
	t.top = make([]int32, side*side*side)
	for z := range side {
		for y := range side {
			for x := range side {
				at := t.root()
				for l := t.topLevel - 1; l >= 0 && at >= 0; l-- {
					at = t.children[at][x>>l&1|y>>l&1<<1|z>>l&1<<2]
				}
				t.top[(z*side+y)*side+x] = at
			}
		}
	}
}
