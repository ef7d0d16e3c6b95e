package fmm

// pair is a translation: from the moments of a cluster to a cell of the block.
type pair struct{ cell, node int32 }

// pairs collects the translations of a block of cells and groups them by offset,
// in the order in which offsets, and the pairs of each, were first seen.
type pairs struct {
	slots   []int32 // open addressing: number of the offset + 1, 0 for none
	offsets []offset
	count   []int32
	list    []numbered
	sorted  []pair
}

type numbered struct {
	pair
	offset int32
}

func (p *pairs) reset() {
	clear(p.slots)
	p.offsets, p.count, p.list = p.offsets[:0], p.count[:0], p.list[:0]
}

func (p *pairs) add(at offset, cell, node int32) {
	i := p.number(at)
	p.count[i]++
	p.list = append(p.list, numbered{pair{cell, node}, i})
}

// number returns the number of an offset.
func (p *pairs) number(at offset) int32 {
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

// hash mixes the components: multiplication by an odd number with bits all over,
// the fraction of the golden ratio.
func (o offset) hash() uint64 {
	k := uint64(uint32(o.x))<<40 ^ uint64(uint32(o.y))<<20 ^ uint64(uint32(o.z)) ^ uint64(uint8(o.finer))<<58
	return k * 0x9e3779b97f4a7c15 >> 40
}

func (p *pairs) grow() {
	p.slots = make([]int32, max(1024, 4*len(p.slots)))
	for i, at := range p.offsets {
		h := at.hash()
		for p.slots[h&uint64(len(p.slots)-1)] != 0 {
			h++
		}
		p.slots[h&uint64(len(p.slots)-1)] = int32(i + 1)
	}
}

// each calls visit for each offset with its pairs.
func (p *pairs) each(visit func(at offset, list []pair)) {
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
