package fmm

import "math"

// finest is the number of levels below a leaf on which the clusters of its far field may lie:
// deeper, there are more of them and each saves less.
const finest = 2 // tuning

// coarsest is the number of levels above a cell on which the clusters of its far field may lie, as
// a negative number. Such clusters are leaves, whose few triangles fill one or two blocks of the
// near field. Farther up there are too many offsets for M2L to be faster.
const coarsest = -1 // tuning

// usedShare is the part of its equal share of the tolerance that a level uses. The leaves get the
// remainder, because there a larger error saves the most time. Measured.
const usedShare = 0.4 // tuning

// candidate is a pair of a target cell with a source cluster.
type candidate struct {
	node       int32
	at         offset
	truncation float64 // bounds of the errors of the pair; +Inf if it cannot be translated
	rounding   float64
}

// traversal is the working memory of one worker that builds an evaluation tree.
type traversal struct {
	src    *sourceTree
	geo    *geometryCache
	params *expansionParams

	pool     []candidate
	accepted []candidate
	open     []candidate // not accepted
	bins     [binCount]float64
	work     []float64
	pairs    pairGroups
	order    []int64
	assessed int64 // calls of assess
}

// binCount is the number of bins for errors, one for each power of two below the allowance. Errors
// below the last bin are accepted anyway.
const binCount = 40

// assess adds the pair of n and the cell c to the pool.
func (t *traversal) assess(n int32, c cell, level int8) {
	t.assessed++
	node := &t.src.nodes[n]
	p := candidate{node: n, at: between(node, c, level)}
	if p.at.finer < coarsest {
		p.truncation = math.Inf(1)
		t.pool = append(t.pool, p)
		return
	}
	k := t.src.degree + 1
	g := t.geo.of(p.at)
	p.truncation, p.rounding = g.bounds(node, t.src.norms[int(n)*k:(int(n)+1)*k], t.params.rounding)
	t.pool = append(t.pool, p)
}

// accept moves the candidates with the smallest errors from the pool to accepted, as long as the
// sum of their errors is at most allow, and the rest to open. Errors are ordered up to a factor of
// two. It returns the sums of the accepted errors.
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
	// From the smallest errors up; bin 0 holds the largest.
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

// remaining counts the triangles of the open clusters, and the clusters that a child would assess.
func (t *traversal) remaining() (triangles, pairs int) {
	for i := range t.open {
		n := &t.src.nodes[t.open[i].node]
		triangles += int(n.hi - n.lo)
		pairs += max(1, int(n.kids))
	}
	return triangles, pairs
}

// decide accepts pairs of a cell and leaves the others open: for its children or, if it is a leaf,
// for the near field. points is the number of points expected in the cell. c holds the part of the
// tolerance that its ancestors used.
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
		// Leave a share for every level below.
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

// refine assesses the children of the open clusters of a leaf: small clusters may be accepted where
// large ones are not.
func (t *traversal) refine(c *targetCell) {
	for {
		rest := max(0, t.params.tolerance-c.truncation)
		t.pool = t.pool[:0]
		n := 0
		inner := 0
		for _, p := range t.open {
			node := &t.src.nodes[p.node]
			// Once its children are much smaller, a cluster around the cell itself is not worth
			// opening further.
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
		truncation, rounding := t.accept(rest / 2)
		c.truncation += truncation
		c.rounding += rounding
	}
	// Use the rest of the tolerance.
	t.pool = append(t.pool[:0], t.open...)
	t.open = t.open[:0]
	truncation, rounding := t.accept(max(0, t.params.tolerance-c.truncation))
	c.truncation += truncation
	c.rounding += rounding
}

// pair is a translation from the moments of a cluster to a cell of the block.
type pair struct{ cell, node int32 }

// pairGroups collects the translations of a block of cells and groups them by offset. Offsets are
// in the order of their first pair, and the pairs of an offset are in the order in which they were
// added.
type pairGroups struct {
	slots   []int32 // open addressing: number of the offset + 1, or 0
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

// number returns the number of an offset, adding it if it is new.
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

// hash mixes the components by multiplication with the fraction of the golden ratio.
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

// each calls visit for each offset, with its pairs.
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
