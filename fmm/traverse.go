package fmm

import (
	"math"

	"github.com/inpoly/inpoly/harmonics"
)

// A leaf of the evaluation tree accepts clusters up to maxFiner levels finer than the leaf. Deeper
// clusters are more numerous, and each one saves less time.
const maxFiner = 2 // tuning

// A cell accepts clusters up to −minFiner levels coarser than the cell. Coarser clusters are leaves
// of the source tree with few triangles, which fill one or two blocks of the near field. Their
// offsets vary so much that M2L would not be faster.
const minFiner = -1 // tuning

// All levels have equal shares of the tolerance. Each level of inner cells uses at most the
// fraction usedShare of its share. The leaves use the rest, because a larger error saves the most
// time there.
const usedShare = 0.4 // tuning

type candidate struct {
	node       int32
	at         offset
	truncation float64 // bound of the truncation error, or +Inf if the pair cannot be translated
	rounding   float64
}

// traversal is the working memory of one worker that builds an evaluation tree.
type traversal struct {
	src    *sourceTree
	geo    *geometryCache
	params *expansionParams

	pool     []candidate
	accepted []candidate
	open     []candidate
	bins     [binCount]float64
	down     *shifter // translations from parents
	ops      *m2lOperators
	sum      *harmonics.Sum
	order    []int64
	assessed int64
}

// accept sorts errors into binCount bins. Each bin holds the errors between two successive powers
// of two. Bin 0 holds the largest errors. The last bin also holds all smaller errors.
const binCount = 40

// assess adds the pair of node n and cell c to the pool.
func (t *traversal) assess(n int32, c cell, level int8) {
	t.assessed++
	node := &t.src.nodes[n]
	p := candidate{node: n, at: between(node, c, level)}
	if p.at.finer < minFiner {
		p.truncation = math.Inf(1)
		t.pool = append(t.pool, p)
		return
	}
	k := t.src.degree + 1
	g := t.geo.of(p.at)
	p.truncation, p.rounding = g.bounds(node, t.src.norms[int(n)*k:(int(n)+1)*k], t.params.rounding)
	t.pool = append(t.pool, p)
}

// accept appends the candidates with the smallest truncation errors to t.accepted, while the sum of
// these errors is at most errorBudget. It appends the others to t.open. accept does not sort the
// errors within a bin. accept returns the sums of the accepted errors.
func (t *traversal) accept(errorBudget float64) (truncation, rounding float64) {
	clear(t.bins[:])
	_, top := math.Frexp(errorBudget)
	bin := func(e float64) int {
		_, x := math.Frexp(e)
		return min(max(top-x, 0), binCount-1)
	}
	for i := range t.pool {
		if e := t.pool[i].truncation; e <= errorBudget {
			t.bins[bin(e)] += e
		}
	}
	// The loop begins with the smallest errors, which are in the last bin.
	limit, sum := binCount, 0.0
	for limit > 0 && sum+t.bins[limit-1] <= errorBudget {
		limit--
		sum += t.bins[limit]
	}
	for i := range t.pool {
		p := &t.pool[i]
		if p.truncation <= errorBudget && (bin(p.truncation) >= limit || truncation+p.truncation <= errorBudget-sum) {
			if bin(p.truncation) < limit {
				truncation += p.truncation // this error is not part of sum
			}
			rounding += p.rounding
			t.accepted = append(t.accepted, *p)
		} else {
			t.open = append(t.open, *p)
		}
	}
	return truncation + sum, rounding
}

// remaining returns the number of triangles in the open clusters, and the number of clusters that a
// child of the cell would assess.
func (t *traversal) remaining() (triangles, pairs int) {
	for i := range t.open {
		n := &t.src.nodes[t.open[i].node]
		triangles += int(n.hi - n.lo)
		pairs += max(1, int(n.kids))
	}
	return triangles, pairs
}

// decide accepts pairs of a cell and reports whether the cell becomes a leaf. The other pairs stay
// open, for the near field of the leaf or for the children of the cell. Before the call,
// c.truncation is the truncation bound of all pairs that the ancestors of the cell accepted.
func (t *traversal) decide(c *targetCell, candidates []int32, points float64) (isLeaf bool) {
	t.pool, t.accepted, t.open = t.pool[:0], t.accepted[:0], t.open[:0]
	for _, n := range candidates {
		t.assess(n, c.cell, c.level)
	}
	rest := max(0, t.params.tolerance-c.truncation)
	truncation, rounding := t.accept(rest / 2)
	near, pairs := t.remaining()
	isLeaf = !t.params.divide(int(c.level), points, near, pairs)
	if !isLeaf {
		// Leave a share of the tolerance to the levels below the cell.
		t.accepted, t.open = t.accepted[:0], t.open[:0]
		truncation, rounding = t.accept(rest * usedShare / (t.params.levelsBelow(int(c.level), points, near, pairs) + 2))
	}
	c.truncation += truncation
	c.rounding += rounding
	if isLeaf {
		t.refine(c)
	}
	return isLeaf
}

// refine assesses the children of the open clusters of a leaf. A small cluster can be acceptable
// even if it is inside a large cluster that was not accepted.
func (t *traversal) refine(c *targetCell) {
	for {
		rest := max(0, t.params.tolerance-c.truncation)
		t.pool = t.pool[:0]
		n := 0
		inner := 0
		for _, p := range t.open {
			node := &t.src.nodes[p.node]
			// An open cluster that is maxFiner levels finer than the leaf lies near the leaf.
			// Assessing its children would not save time.
			if node.kids > 0 && p.at.finer < maxFiner {
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
		truncation, rounding := t.accept(rest / 2)
		c.truncation += truncation
		c.rounding += rounding
	}
	// The leaf can use all of the remaining tolerance.
	t.pool = append(t.pool[:0], t.open...)
	t.open = t.open[:0]
	truncation, rounding := t.accept(max(0, t.params.tolerance-c.truncation))
	c.truncation += truncation
	c.rounding += rounding
}

// hash mixes the components of an offset by multiplication with 2^64/φ, where φ is the golden
// ratio.
func (o offset) hash() uint64 {
	k := uint64(uint32(o.x))<<40 ^ uint64(uint32(o.y))<<20 ^ uint64(uint32(o.z)) ^ uint64(uint8(o.finer))<<58
	return k * 0x9e3779b97f4a7c15 >> 40
}
