package fmm

import "math"

// finest is the largest number of levels by which a cluster can be finer than the leaf of the
// evaluation tree that accepts it. Deeper clusters are more numerous, and each saves less time.
const finest = 2 // tuning

// coarsest is minus the largest number of levels by which a cluster can be coarser than the cell
// that accepts it. Even coarser clusters are leaves of the source tree, and their few triangles
// fill one or two blocks of the near field. Their offsets are too diverse for M2L to be faster.
const coarsest = -1 // tuning

// All levels have equal shares of the tolerance. Each level of inner cells uses at most the
// fraction usedShare of its share. The leaves use the remaining tolerance, because a larger error
// saves the most time in leaves.
const usedShare = 0.4 // tuning

// candidate is a pair of a target cell and a source cluster.
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
	open     []candidate // candidates that were not accepted
	bins     [binCount]float64
	work     []float64
	pairs    pairGroups
	order    []int64
	assessed int64 // number of calls of assess
}

// binCount is the number of bins for errors. Each bin holds the errors between two successive
// powers of two. Bin 0 holds the largest errors, up to the parameter allow of accept. The last bin
// also holds all smaller errors.
const binCount = 40

// assess adds a pair to the pool: node n and the cell c of the given level.
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

// accept moves candidates from the pool to accepted, those with small truncation errors first.
// Within a factor of two, errors are not sorted. The sum of the truncation errors is at most the
// parameter allow. The other candidates move to open. The results are the sums of the accepted
// errors.
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
	// The loop adds bins in the order of increasing errors. Bin 0 holds the largest errors.
	limit, sum := binCount, 0.0
	for limit > 0 && sum+t.bins[limit-1] <= allow {
		limit--
		sum += t.bins[limit]
	}
	for i := range t.pool {
		p := &t.pool[i]
		if p.truncation <= allow && (bin(p.truncation) >= limit || truncation+p.truncation <= allow-sum) {
			if bin(p.truncation) < limit {
				truncation += p.truncation // the candidate is in the first bin that does not fit entirely
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
// open. The open pairs become the near field of a leaf, or the children of the cell assess them.
// points is the expected number of points in the cell. Before the call, c.truncation is the part of
// the tolerance that the ancestors of the cell used.
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
			// An open cluster that is finer than the leaf by the constant finest lies near the leaf.
			// Assessing its children would not save time.
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
	slots   []int32 // hash table with open addressing: 1 + number of the offset, or 0
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

// number returns the number assigned to an offset. If the offset is new, it first adds the offset.
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
