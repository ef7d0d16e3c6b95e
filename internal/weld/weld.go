// Package weld merges equal points into vertices. Points with equal coordinates (−0 = +0) become one
// vertex. The vertices have the order of their first points.
//
// The caller divides the points into chunks, which are welded in parallel. A Filter finds most
// points of a chunk that are equal to an earlier point of the chunk. Weld then merges the remaining
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

// kind has the functions of a type of points that depend on the fields of the type.
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

// Filter removes most repeated points of a chunk. It remembers one recent point for each slot of a
// small table, so it forgets points. The zero value is an empty Filter. A Filter is not safe for
// concurrent use.
type Filter[P Point] struct {
	points []P
	hashes []uint32
	recent []int32 // for each slot, 1 + the index in points of the last new point with this slot
	kind   kind[P]
}

// filterSlots is the number of slots of a Filter. The slots take 64 KB.
const filterSlots = 1 << 14 // tuning

// Add adds points to the chunk. It sets index[i] to the index of a point of Points that is equal to
// points[i].
func (f *Filter[P]) Add(points []P, index []int32) {
	if f.recent == nil {
		f.recent, f.kind = make([]int32, filterSlots), kindOf[P]()
	}
	if cap(f.hashes) < len(points) {
		f.hashes = make([]uint32, len(points))
	}
	hashes, kept, recent := f.hashes[:len(points)], f.points, f.recent[:filterSlots]
	f.kind.hash(hashes, points)
	index = index[:len(points)]
	for i, p := range points {
		slot := &recent[hashes[i]%filterSlots]
		if k := *slot - 1; k >= 0 && kept[k] == p {
			index[i] = k
			continue
		}
		index[i] = int32(len(kept))
		kept = append(kept, p)
		*slot = int32(len(kept))
	}
	f.points = kept
}

// Take returns the points that Add has kept, in the order of their first occurrences, and empties f.
func (f *Filter[P]) Take() []P { return f.TakeTo(make([]P, len(f.points))) }

// TakeTo is like Take, but stores the points in the first elements of dst.
func (f *Filter[P]) TakeTo(dst []P) []P {
	n := copy(dst, f.points)
	f.points = f.points[:0]
	clear(f.recent)
	return dst[:n]
}
