package bvh

import (
	"cmp"
	"math/bits"
	"slices"
)

// The effort for a split depends on the number of records. At full effort, every record goes into
// one of 16 bins on each of three axes. These constants save more than half of the build time of
// full effort, but a walk visits two percent more nodes. Both numbers were measured with segments
// through a sphere and a foam of 30,000 triangles.
const ( // tuning
	bins   = 16
	sample = 1024 // approximate number of records in a sample; only larger parts are sampled
	coarse = 128  // largest number of records that splitCoarse divides
	few    = 8    // largest number of records that splitFew divides
)

// A part of the tree gets a finer grid if its boxes span less than fineBoxes units of the grid and
// the doubled middles of the boxes span less than fineMiddles. A span of 2¹² units is enough for 16
// bins. Each new grid is at least 2¹⁴ times finer than the previous grid.
const (
	fineMiddles = 1 << 12
	fineBoxes   = 1 << 16
)

// bin collects the boxes whose middles lie in one slice of an axis.
type bin struct {
	extent
	count int32
	_     int32 // pads the bin to 32 bytes, so the offset of a bin is a shift
}

type table [3][bins]bin

// binning maps a record to a bin on each axis. A record with the doubled middle m is in bin
// (m−low)·factor. The factor is a fixed-point number with 32 fraction bits.
type binning struct {
	low    [3]int32
	factor [3]uint64
}

func newBinning(middles *extent, n uint64) binning {
	b := binning{low: [3]int32{middles.x0, middles.y0, middles.z0}}
	for axis, high := range [3]int32{middles.x1, middles.y1, middles.z1} {
		// Let size = high−low and f = ⌊n·2³²/(size+1)⌋. Because size·f < n·2³², no bin number
		// exceeds n−1. If size ≥ n, a record whose doubled middle is high is in bin n−1.
		b.factor[axis] = (n << 32) / (uint64(high-b.low[axis]) + 1)
	}
	return b
}

// partition moves the records of the left child to the front of s. It returns the number of the
// first record of the right child. s must have at least two records. Each child gets at least one
// record.
func (b *builder) partition(t *table, s span, depth int32) int32 {
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
		return half // all middles are equal
	}
	if depth+int32(bits.Len32(uint32(s.len()-1))) >= maxDepth {
		// From this depth on, every split halves the records. So no leaf is deeper than maxDepth.
		axis := middles.widestAxis()
		slices.SortFunc(part, func(p, q record) int {
			return cmp.Or(cmp.Compare(p.doubledMiddle(axis), q.doubledMiddle(axis)), cmp.Compare(p.id, q.id))
		})
		return half
	}
	return s.lo + t.splitByArea(part, &middles)
}

// splitByArea splits the records by the surface area heuristic. The cost of one side is its surface
// area times its number of records. If splits have the same cost, splitByArea prefers the first
// axis, and then the fewest bins on the first side. The middles must differ on some axis.
// splitByArea reorders the records and returns the number of records on the first side.
func (t *table) splitByArea(part []record, middles *extent) int32 {
	switch {
	case len(part) <= few:
		return splitFew(part, middles)
	case len(part) <= coarse:
		return splitCoarse(part, middles)
	}
	f := newBinning(middles, bins)
	t.fill(part, &f, sampleStep(len(part)))
	axis, place := t.cheapest()
	if place == 0 {
		// On every axis, all sampled records are in one bin. At least one record is in another bin,
		// so fill the bins with all records.
		t.fill(part, &f, 1)
		axis, place = t.cheapest()
	}
	return divideRecords(part, axis, f.low[axis], f.factor[axis], uint64(place))
}

// sampleStep returns the sampling step for n records. Meshes made by refinement repeat a pattern of
// faces, and the number of faces in the pattern is a power of two. An even step could sample the
// same face of every repetition, so the step is always odd.
func sampleStep(n int) int { return max(1, n/sample) | 1 }

// fill puts every step-th record into the bins of all axes.
func (t *table) fill(part []record, f *binning, step int) {
	for axis := range t {
		for k := range t[axis] {
			t[axis][k] = bin{extent: emptyExtent()}
		}
	}
	lx, ly, lz := f.low[0], f.low[1], f.low[2]
	fx, fy, fz := f.factor[0], f.factor[1], f.factor[2]
	for i := 0; i < len(part); i += step {
		r := &part[i]
		bx := &t[0][uint64(r.x0+r.x1-lx)*fx>>32&(bins-1)]
		bx.grow(&r.extent)
		bx.count++
		by := &t[1][uint64(r.y0+r.y1-ly)*fy>>32&(bins-1)]
		by.grow(&r.extent)
		by.count++
		bz := &t[2][uint64(r.z0+r.z1-lz)*fz>>32&(bins-1)]
		bz.grow(&r.extent)
		bz.count++
	}
}

// cheapest returns the axis of the cheapest split, and the number of bins on the first side. The
// number is 0 if no axis has two bins in use.
func (t *table) cheapest() (axis, place int) {
	var best float64
	for a := range t {
		if cost, k := cheapestPlace(t[a][:]); k > 0 && (place == 0 || cost < best) {
			best, axis, place = cost, a, k
		}
	}
	return axis, place
}

// cheapestPlace returns the cost of the cheapest split of at most 16 bins, and the number of bins
// on the first side. The number is 0 if only one bin is in use.
func cheapestPlace(row []bin) (best float64, place int) {
	var right [bins]float64 // right[k] is the cost of the bins from k on, or −1 if these bins are empty
	e, count := emptyExtent(), int32(0)
	for k := len(row) - 1; k > 0; k-- {
		right[k&(bins-1)] = -1
		if row[k].count > 0 {
			e.grow(&row[k].extent)
			count += row[k].count
		}
		if count > 0 {
			right[k&(bins-1)] = e.area() * float64(count)
		}
	}
	e, count = emptyExtent(), 0
	for k := 1; k < len(row) && right[k&(bins-1)] >= 0; k++ {
		if row[k-1].count == 0 {
			continue // bin k−1 is empty, so the first side is empty or has the same records as for k−1
		}
		e.grow(&row[k-1].extent)
		count += row[k-1].count
		if cost := e.area()*float64(count) + right[k&(bins-1)]; place == 0 || cost < best {
			best, place = cost, k
		}
	}
	return best, place
}

// divideRecords moves the records of the first binCount bins to the front of part and returns their
// number.
func divideRecords(part []record, axis int, low int32, factor, binCount uint64) int32 {
	limit := binCount << 32
	n := 0
	for i := range part {
		r := part[i]
		part[i] = part[n]
		part[n] = r
		if uint64(r.doubledMiddle(axis)-low)*factor < limit {
			n++
		}
	}
	return int32(n)
}

// splitFew does the work of splitByArea for a few records. It sorts the records along the axis on
// which the middles spread most, and tries every split of the sorted records.
func splitFew(part []record, middles *extent) int32 {
	var storage [few]int32
	keys := storage[:len(part)]
	for i, axis := 0, middles.widestAxis(); i < len(keys); i++ {
		keys[i] = part[i].doubledMiddle(axis)
	}
	for i := 1; i < len(keys); i++ {
		k, r, j := keys[i], part[i], i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j], part[j] = keys[j-1], part[j-1]
		}
		keys[j], part[j] = k, r
	}
	var right [few]float64
	e := emptyExtent()
	for i := len(part) - 1; i > 0; i-- {
		e.grow(&part[i].extent)
		right[i] = e.area() * float64(len(part)-i)
	}
	e = part[0].extent
	best, place := e.area()+right[1], 1
	for i := 2; i < len(part); i++ {
		e.grow(&part[i-1].extent)
		if cost := e.area()*float64(i) + right[i]; cost < best {
			best, place = cost, i
		}
	}
	return int32(place)
}

// splitCoarse does the work of splitByArea for a small part. It considers only the axis on which
// the middles spread most.
func splitCoarse(part []record, middles *extent) int32 {
	var row [bins / 2]bin
	for k := range row {
		row[k] = bin{extent: emptyExtent()}
	}
	f := newBinning(middles, bins/2)
	axis := middles.widestAxis()
	low, factor := f.low[axis], f.factor[axis]
	for i := range part {
		r := &part[i]
		b := &row[uint64(r.doubledMiddle(axis)-low)*factor>>32&(bins/2-1)]
		b.grow(&r.extent)
		b.count++
	}
	_, place := cheapestPlace(row[:])
	return divideRecords(part, axis, low, factor, uint64(place))
}
