package bvh

import (
	"cmp"
	"math/bits"
	"slices"
)

// bins is the number of bins an axis is cut into: beyond 16 the trees get better
// by less than a percent (Wald 2007, §3).
const bins = 16

// A grid whose part in use has become smaller than fineBoxes, while the middles
// of its boxes spread over less than fineMiddles units, is replaced by a finer
// one: 2¹² units serve 16 bins well, and each replacement gains 2¹⁴.
const (
	fineMiddles = 1 << 12
	fineBoxes   = 1 << 16
)

// extent is a box on the grid.
type extent struct {
	x0, y0, z0 int32
	x1, y1, z1 int32
}

func emptyExtent() extent {
	const big = 1<<31 - 1
	return extent{x0: big, y0: big, z0: big, x1: -big, y1: -big, z1: -big}
}

// grow extends e by o.
func (e *extent) grow(o *extent) {
	e.x0, e.y0, e.z0 = min(e.x0, o.x0), min(e.y0, o.y0), min(e.z0, o.z0)
	e.x1, e.y1, e.z1 = max(e.x1, o.x1), max(e.y1, o.y1), max(e.z1, o.z1)
}

// area returns half the surface area of e, which is not empty.
func (e *extent) area() float64 {
	dx, dy, dz := float64(e.x1-e.x0), float64(e.y1-e.y0), float64(e.z1-e.z0)
	return dx*dy + dy*dz + dz*dx
}

func (e *extent) widest() int32 { return max(e.x1-e.x0, e.y1-e.y0, e.z1-e.z0) }

// bin collects the boxes whose middles fall into one slice of an axis.
type bin struct {
	extent
	count int32
	spare int32
}

// binning is the arithmetic that maps a middle to its bin: (middle−low)·factor
// in fixed point with 32 bits behind the point.
type binning struct {
	low    [3]int32
	factor [3]uint64
}

func newBinning(middles *extent, n uint64) binning {
	b := binning{low: [3]int32{middles.x0, middles.y0, middles.z0}}
	for axis, high := range [3]int32{middles.x1, middles.y1, middles.z1} {
		// (size)·⌊n·2³²/(size+1)⌋ < n·2³², so the last bin is n−1; it is
		// reached if size ≥ n.
		b.factor[axis] = (n << 32) / (uint64(high-b.low[axis]) + 1)
	}
	return b
}

// partition reorders the records of s, of which there are at least two, so that
// the records of one child come before those of the other, and returns the place
// of the first of the other. Both children get at least one record.
func (b *builder) partition(s span, depth int32) int32 {
	part := b.records[s.lo:s.hi]
	middles := middlesOf(part)
	if middles.widest() < fineMiddles {
		if boxes := extentOf(part); boxes.widest() < fineBoxes {
			b.requantize(s)
			middles = middlesOf(part)
		}
	}
	half := s.lo + s.len()/2
	if middles.widest() == 0 {
		return half // nothing tells the boxes apart
	}
	if depth+int32(bits.Len32(uint32(s.len()-1))) >= maxDepth {
		sortWidest(part, &middles)
		return half
	}
	return s.lo + splitByArea(part, &middles)
}

// middlesOf returns the bounds of the boxes' middles, times two.
func middlesOf(part []record) extent {
	e := emptyExtent()
	for i := range part {
		r := &part[i]
		x, y, z := r.x0+r.x1, r.y0+r.y1, r.z0+r.z1
		e.x0, e.y0, e.z0 = min(e.x0, x), min(e.y0, y), min(e.z0, z)
		e.x1, e.y1, e.z1 = max(e.x1, x), max(e.y1, y), max(e.z1, z)
	}
	return e
}

// extentOf returns the bounds of the boxes.
func extentOf(part []record) extent {
	e := emptyExtent()
	for i := range part {
		e.grow(&part[i].extent)
	}
	return e
}

// sortWidest sorts the records along the axis on which their middles spread
// most, so that splits in half end the tree within the depth that is left.
func sortWidest(part []record, middles *extent) {
	dx, dy, dz := middles.x1-middles.x0, middles.y1-middles.y0, middles.z1-middles.z0
	key := func(r *record) int32 { return r.x0 + r.x1 }
	if dy > dx && dy >= dz {
		key = func(r *record) int32 { return r.y0 + r.y1 }
	} else if dz > dx {
		key = func(r *record) int32 { return r.z0 + r.z1 }
	}
	slices.SortFunc(part, func(p, q record) int {
		return cmp.Or(cmp.Compare(key(&p), key(&q)), cmp.Compare(p.id, q.id))
	})
}

// splitByArea splits the records where the surface area heuristic wants it: the
// sum over both sides of area times number is least. Of equal costs it takes the
// first axis and the first place. Middles must differ on some axis. It returns
// the number of records on the first side.
func splitByArea(part []record, middles *extent) int32 {
	var table [3][bins]bin
	for axis := range table {
		for k := range table[axis] {
			table[axis][k].extent = emptyExtent()
		}
	}
	f := newBinning(middles, bins)
	fill(&table, part, &f)
	axis, place := cheapest(&table)
	return divideRecords(part, axis, f.low[axis], f.factor[axis], uint64(place))
}

// fill puts the records into the bins of all three axes.
func fill(table *[3][bins]bin, part []record, f *binning) {
	lx, ly, lz := f.low[0], f.low[1], f.low[2]
	fx, fy, fz := f.factor[0], f.factor[1], f.factor[2]
	for i := range part {
		r := &part[i]
		bx := &table[0][uint64(r.x0+r.x1-lx)*fx>>32&(bins-1)]
		bx.grow(&r.extent)
		bx.count++
		by := &table[1][uint64(r.y0+r.y1-ly)*fy>>32&(bins-1)]
		by.grow(&r.extent)
		by.count++
		bz := &table[2][uint64(r.z0+r.z1-lz)*fz>>32&(bins-1)]
		bz.grow(&r.extent)
		bz.count++
	}
}

// cheapest returns the axis and the number of bins on the first side of the
// cheapest split.
func cheapest(table *[3][bins]bin) (axis, place int) {
	best := -1.0
	for a := range table {
		row := &table[a]
		var right [bins]float64 // cost of the bins from k on
		e, n := emptyExtent(), int32(0)
		for k := bins - 1; k > 0; k-- {
			if row[k].count > 0 {
				e.grow(&row[k].extent)
				n += row[k].count
			}
			if n > 0 {
				right[k] = e.area() * float64(n)
			} else {
				right[k] = -1
			}
		}
		e, n = emptyExtent(), 0
		for k := 1; k < bins && right[k] >= 0; k++ {
			if row[k-1].count == 0 {
				continue // the same split as one place before
			}
			e.grow(&row[k-1].extent)
			n += row[k-1].count
			if cost := e.area()*float64(n) + right[k]; best < 0 || cost < best {
				best, axis, place = cost, a, k
			}
		}
	}
	return axis, place
}

// divideRecords moves the records whose bin on the axis is below place to the
// front, and returns their number.
func divideRecords(part []record, axis int, low int32, factor, place uint64) int32 {
	limit := place << 32
	n := 0
	for i := range part {
		r := part[i]
		var middle int32
		switch axis {
		case 0:
			middle = r.x0 + r.x1
		case 1:
			middle = r.y0 + r.y1
		default:
			middle = r.z0 + r.z1
		}
		part[i] = part[n]
		part[n] = r
		if uint64(middle-low)*factor < limit {
			n++
		}
	}
	return int32(n)
}
