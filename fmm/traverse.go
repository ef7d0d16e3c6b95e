package fmm

import "math"

// A leaf of the evaluation tree accepts clusters that are up to maxFiner levels finer than the
// leaf. Deeper clusters are more numerous, and each saves less time.
const maxFiner = 2 // tuning

// A cell accepts clusters that are up to −minFiner levels coarser than the cell. Clusters beyond
// this limit are leaves of the source tree, and their few triangles fill one or two blocks of the
// near field. Their offsets are too diverse for M2L to be faster.
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
	work     []float64
	pairs    pairGroups
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
// these errors is at most errorBudget. It appends the others to t.open. Errors in the same bin are
// not sorted. accept returns the sums of the accepted errors.
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
		// The tolerance is shared with the levels below the cell.
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
	// The leaf uses the remaining tolerance.
	t.pool = append(t.pool[:0], t.open...)
	t.open = t.open[:0]
	truncation, rounding := t.accept(max(0, t.params.tolerance-c.truncation))
	c.truncation += truncation
	c.rounding += rounding
}

// pair is a translation from the moments of a cluster to a cell of the block.
type pair struct{ cell, node int32 }

// pairGroups collects the translations of a block of cells and groups them by offset. The offsets
// are in the order of their first pairs. The pairs of an offset are in the order in which they were
// added.
type pairGroups struct {
	slots   []int32 // hash table with open addressing: 1 + index of the offset, or 0 for an empty slot
	offsets []offset
	count   []int32
	list    []numbered
	sorted  []pair
}

type numbered struct {
	pair
	offset int32
}

func (p *pairGroups) reset() {
	clear(p.slots)
	p.offsets, p.count, p.list = p.offsets[:0], p.count[:0], p.list[:0]
}

func (p *pairGroups) add(at offset, cell, node int32) {
	i := p.number(at)
	p.count[i]++
	p.list = append(p.list, numbered{pair{cell, node}, i})
}

// number returns the index of an offset, and adds the offset if it is new.
func (p *pairGroups) number(at offset) int32 {
	if 2*len(p.offsets) >= len(p.slots) {
		p.grow()
	}
	for h := at.hash(); ; h++ {
		s := &p.slots[h&uint64(len(p.slots)-1)]
		if *s == 0 {
			p.offsets = append(p.offsets, at)
			p.count = append(p.count, 0)
			*s = int32(len(p.offsets))
		} else if p.offsets[*s-1] != at {
			continue
		}
		return *s - 1
	}
}

// hash mixes the components of an offset by multiplication with 2^64/φ, where φ is the golden
// ratio.
func (o offset) hash() uint64 {
	k := uint64(uint32(o.x))<<40 ^ uint64(uint32(o.y))<<20 ^ uint64(uint32(o.z)) ^ uint64(uint8(o.finer))<<58
	return k * 0x9e3779b97f4a7c15 >> 40
}

func (p *pairGroups) grow() {
	p.slots = make([]int32, max(1024, 4*len(p.slots)))
	for i, at := range p.offsets {
		h := at.hash()
		for p.slots[h&uint64(len(p.slots)-1)] != 0 {
			h++
		}
		p.slots[h&uint64(len(p.slots)-1)] = int32(i + 1)
	}
}

// each calls visit for each offset with the pairs of that offset.
func (p *pairGroups) each(visit func(at offset, list []pair)) {
	sum := int32(0)
	for i, n := range p.count {
		p.count[i] = sum
		sum += n
	}
	if cap(p.sorted) < len(p.list) {
		p.sorted = make([]pair, 2*len(p.list))
	}
	sorted := p.sorted[:len(p.list)]
	for _, e := range p.list {
		sorted[p.count[e.offset]] = e.pair
		p.count[e.offset]++
	}
	lo := int32(0)
	for i, hi := range p.count {
		visit(p.offsets[i], sorted[lo:hi])
		lo = hi
	}
}
