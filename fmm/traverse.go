package fmm

import (
	"math"
)

// Assessing the pairs of one target cell.

// candidate is a source cluster that a target cell has to deal with.
type candidate struct {
	node       int32
	at         offset
	truncation float64 // bounds of the pair; +Inf if it cannot be translated
	rounding   float64
}

// traversal is the working memory of one worker that builds an evaluation tree.
type traversal struct {
	src  *source
	geo  *geometries
	spec *layout

	pool     []candidate
	accepted []candidate
	open     []candidate // not accepted
	bins     [binCount]float64
	work     []float64
	pairs    pairs
	order    []int64
	looked   int64 // calls of assess
}

// binCount bins, one for each power of two below the allowance, sort errors well
// enough: what is smaller than the last of them is accepted anyway.
const binCount = 40

// assess adds the pair of n and the cell c to the pool.
func (t *traversal) assess(n int32, c cell, level int8) {
	t.looked++
	node := &t.src.nodes[n]
	p := candidate{node: n, at: between(node, c, level)}
	if p.at.finer < coarsest {
		p.truncation = math.Inf(1)
		t.pool = append(t.pool, p)
		return
	}
	k := t.src.degree + 1
	g := t.geo.of(p.at)
	p.truncation, p.rounding = g.bounds(node, t.src.norms[int(n)*k:(int(n)+1)*k], t.spec.rounding)
	t.pool = append(t.pool, p)
}

// accept moves those of the pool with the smallest errors to accepted, as long as
// the sum of their errors is at most allow, up to a factor of two, and the rest to
// open. It returns what they spend.
func (t *traversal) accept(allow float64) (truncation, rounding float64) {
	clear(t.bins[:])
	_, top := math.Frexp(allow)
	bin := func(e float64) int {
		_, x := math.Frexp(e)
		return min(max(top-x, 0), binCount-1)
	}
	for i := range t.pool {
		if e := t.pool[i].truncation; e <= allow {
			t.bins[bin(e)] += e
		}
	}
	// From the smallest errors up; bins are numbered from the largest.
	limit, sum := binCount, 0.0
	for limit > 0 && sum+t.bins[limit-1] <= allow {
		limit--
		sum += t.bins[limit]
	}
	for i := range t.pool {
		p := &t.pool[i]
		if p.truncation <= allow && (bin(p.truncation) >= limit || truncation+p.truncation <= allow-sum) {
			if bin(p.truncation) < limit {
				truncation += p.truncation // of the next bin, while there is room
			}
			rounding += p.rounding
			t.accepted = append(t.accepted, *p)
		} else {
			t.open = append(t.open, *p)
		}
	}
	return truncation + sum, rounding
}

// left counts the triangles of the open clusters, and the clusters that a child would
// have to deal with.
func (t *traversal) left() (triangles, pairs int) {
	for i := range t.open {
		n := &t.src.nodes[t.open[i].node]
		triangles += int(n.hi - n.lo)
		pairs += max(1, int(n.kids))
	}
	return triangles, pairs
}

// decide finds out what becomes of the pairs of a cell: which are accepted, and
// which stay open, for its children or, if it is a leaf, for the near field. points
// is how many points are expected in it. What its ancestors have spent of the
// tolerance is in c.
func (t *traversal) decide(c *growing, candidates []int32, points float64) (isLeaf bool) {
	t.pool, t.accepted, t.open = t.pool[:0], t.accepted[:0], t.open[:0]
	for _, n := range candidates {
		t.assess(n, c.cell, c.level)
	}
	rest := max(0, t.spec.tolerance-c.truncation)
	truncation, rounding := t.accept(rest / 2)
	near, pairs := t.left()
	isLeaf = !t.spec.divide(int(c.level), points, near, pairs)
	if !isLeaf {
		// Every level below needs its share.
		t.accepted, t.open = t.accepted[:0], t.open[:0]
		truncation, rounding = t.accept(rest * spentShare / (t.spec.below(int(c.level), points, near, pairs) + 2))
	}
	c.truncation += truncation
	c.rounding += rounding
	if isLeaf {
		t.refine(c)
	}
	return isLeaf
}

// refine looks at the children of what a leaf has open: small clusters may be
// accepted where large ones are not.
func (t *traversal) refine(c *growing) {
	for {
		rest := max(0, t.spec.tolerance-c.truncation)
		t.pool = t.pool[:0]
		n := 0
		inner := 0
		for _, p := range t.open {
			node := &t.src.nodes[p.node]
			// A cluster around the cell itself is not worth opening further once
			// its children are much smaller.
			if node.kids > 0 && p.at.finer < finest {
				inner++
				for k := node.child; k < node.child+int32(node.kids); k++ {
					t.assess(k, c.cell, c.level)
				}
				continue
			}
			t.open[n] = p
			n++
		}
		t.open = t.open[:n]
		if inner == 0 {
			break
		}
		trunc, rounding := t.accept(rest / 2)
		c.truncation += trunc
		c.rounding += rounding
	}
	// What is left of the tolerance.
	t.pool = append(t.pool[:0], t.open...)
	t.open = t.open[:0]
	trunc, rounding := t.accept(max(0, t.spec.tolerance-c.truncation))
	c.truncation += trunc
	c.rounding += rounding
}

// finest is how many levels below a leaf the clusters of its far field may lie. A
// choice: their number grows, what they spare shrinks.
const finest = 2

// coarsest is how many levels above a cell the clusters of its far field may lie,
// as a negative number. They are leaves, whose few triangles fill a block of the near field or two:
// beyond, there are too many offsets for M2L to be faster. A choice.
const coarsest = -1

// spentShare is which part of its equal share of the tolerance a level spends: what
// is left helps the leaves, where an error saves most. Measured.
const spentShare = 0.4
