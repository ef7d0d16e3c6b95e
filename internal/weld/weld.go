// Package weld merges equal points into vertices. Points with equal coordinates (−0 = +0) become
// one vertex. The vertices have the order of their first points.
//
// The caller divides the points into chunks, which are welded in parallel. A Filter drops most
// points that are equal to an earlier point of the same chunk. Weld then merges the remaining
// points of all chunks. The vertices depend neither on the chunks nor on the number of workers.
package weld

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/golang/geo/r3"
)

// Point32 is a point of a file that stores float32 numbers.
type Point32 struct{ X, Y, Z float32 }

// Point is the type of a point. The coordinates must not be NaN.
type Point interface {
	Point32 | r3.Vector
	comparable
}

// kind has the functions that depend on the coordinate type of the points.
type kind[P Point] struct {
	hash    func(dst []uint32, points []P)
	vectors func(dst []r3.Vector, points []P)
	compare func(a, b P) int // 0 if the points are equal
}

func kindOf[P Point]() kind[P] {
	var k any
	switch any(*new(P)).(type) {
	case Point32:
		k = kind[Point32]{hash32, vectors32, compare32}
	default:
		k = kind[r3.Vector]{hash64, vectors64, r3.Vector.Cmp}
	}
	return k.(kind[P])
}

// The multipliers of the hash functions are the first 64 fractional bits of the golden ratio, √2 and
// √3, with the lowest bit set.
const k0, k1, k2 = 0x9e3779b97f4a7c15, 0x6a09e667f3bcc909, 0xbb67ae8584caa73b

// hash32 and hash64 mix the bits of the coordinates with products of 64 × 64 bits, like wyhash. The
// addition of 0 turns −0 into +0 and changes no other number.
func hash32(dst []uint32, points []Point32) {
	for i, p := range points {
		xy := uint64(math.Float32bits(p.X+0)) | uint64(math.Float32bits(p.Y+0))<<32
		hi, lo := bits.Mul64(xy^k0, uint64(math.Float32bits(p.Z+0))^k1)
		dst[i] = uint32((hi ^ lo) * k2 >> 32)
	}
}

func hash64(dst []uint32, points []r3.Vector) {
	for i, p := range points {
		hi, lo := bits.Mul64(math.Float64bits(p.X+0)^k0, math.Float64bits(p.Y+0)^k1)
		hi, lo = bits.Mul64(hi^lo^math.Float64bits(p.Z+0), k2)
		dst[i] = uint32((hi ^ lo) >> 32)
	}
}

func vectors32(dst []r3.Vector, points []Point32) {
	for i, p := range points {
		dst[i] = r3.Vector{X: float64(p.X), Y: float64(p.Y), Z: float64(p.Z)}
	}
}

func vectors64(dst, points []r3.Vector) { copy(dst, points) }

func compare32(a, b Point32) int {
	return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y), cmp.Compare(a.Z, b.Z))
}

// Filter removes most repeated points of a chunk. It remembers only one recent point for each slot
// of a small table, so it can miss repeated points. The zero value is an empty Filter. A Filter is
// not safe for concurrent use.
type Filter[P Point] struct {
	points []P      // kept points
	hashes []uint32 // hashes of the kept points
	block  []uint32 // hashes of the arguments of Add
	recent []int32  // for each slot, 1 + the index in points of the last new point with this slot
	kind   kind[P]
}

// filterSlots is the number of slots of a Filter. The slots take 64 KB.
const filterSlots = 1 << 14 // tuning

// Add adds points to the chunk. It sets index[i] to the index of a kept point that is equal to
// points[i]. The kept points have the order of their first occurrences.
func (f *Filter[P]) Add(points []P, index []int32) {
	if f.recent == nil {
		f.recent, f.kind = make([]int32, filterSlots), kindOf[P]()
	}
	if cap(f.block) < len(points) {
		f.block = make([]uint32, len(points))
	}
	block, kept, hashes, recent := f.block[:len(points)], f.points, f.hashes, f.recent[:filterSlots]
	f.kind.hash(block, points)
	index = index[:len(points)]
	for i, p := range points {
		h := block[i]
		slot := &recent[h%filterSlots]
		if k := *slot - 1; k >= 0 && kept[k] == p {
			index[i] = k
			continue
		}
		index[i] = int32(len(kept))
		kept, hashes = append(kept, p), append(hashes, h)
		*slot = int32(len(kept))
	}
	f.points, f.hashes = kept, hashes
}

// Kept returns the number of kept points.
func (f *Filter[P]) Kept() int { return len(f.points) }

// Chunk holds the kept points of a Filter, sorted by partition. In a partition, their order does not
// change.
type Chunk[P Point] struct {
	points []P
	index  []int32 // indices of the points before they were sorted
	ends   []int32 // end of each partition
}

// Take returns the kept points and empties f. It stores them in dst, which must be long enough, or in
// new memory if dst is nil. There are 1<<bits partitions; see PartitionBits.
func (f *Filter[P]) Take(dst []P, bits int) Chunk[P] {
	if dst == nil {
		dst = make([]P, len(f.points))
	}
	c := Chunk[P]{points: dst[:len(f.points)], index: make([]int32, len(f.points)), ends: make([]int32, 1<<bits)}
	next, shift := c.ends, (32-bits)&63 // number of points of a partition, then the place of its next point
	for _, h := range f.hashes {
		next[uint64(h)>>shift]++
	}
	sum := int32(0)
	for p, n := range next {
		next[p] = sum
		sum += n
	}
	for i, h := range f.hashes {
		place := &next[uint64(h)>>shift]
		c.points[*place], c.index[*place] = f.points[i], int32(i)
		*place++
	}
	f.points, f.hashes = f.points[:0], f.hashes[:0]
	clear(f.recent)
	return c
}

// run returns the range of partition p.
func (c *Chunk[P]) run(p int) (from, to int32) {
	if p > 0 {
		from = c.ends[p-1]
	}
	return from, c.ends[p]
}

// partitionSize is the intended number of points in a partition. The points of a partition and its
// table take about 300 KB.
const partitionSize = 1 << 14 // tuning

// maxPartitionBits limits the number of partitions, so that a chunk has several points in each
// partition.
const maxPartitionBits = 11 // tuning

// PartitionBits returns the argument of Filter.Take and Merge for about the given number of points.
func PartitionBits(points int) int {
	return min(maxPartitionBits, bits.Len(uint(points/partitionSize)))
}
