// Package morton orders points along a space-filling curve. Neighbors in the order are neighbors in
// space, so successive queries find nodes and triangles in the cache. The order affects no answer.
//
//	var s morton.Sorter
//	for _, i := range s.Order(pts[lo:hi], box) {
//		dst[lo+int(i)] = answer(pts[lo+int(i)])
//	}
package morton

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

const (
	axisBits  = 8
	codeBits  = 3 * axisBits // 256³ cells
	indexBits = 16
	indexMask = 1<<indexBits - 1
	passBits  = codeBits / 2
	buckets   = 1 << passBits
)

// Block is the largest number of points that Order accepts. With more points, neighbors in the
// order are closer in space. Compared with blocks of 2^13 points, rays were 50% faster in a foam
// of 600,000 triangles and 20% faster in a sphere of 131,072 triangles (tuning).
const Block = 1 << indexBits

// Sorter is the working memory of Order and takes 1 MB. The zero value is ready to use.
type Sorter struct {
	keys, buffer [Block]uint64
}

// Order returns the indexes of pts in the Morton order of a grid of 256³ cells over box. Points in
// the same cell keep their order. A point outside the box counts as a point in the nearest cell,
// and a coordinate that is NaN counts as the lowest coordinate of the box. The result is valid
// until the next use of s. Order panics if there are more than Block points. Order takes O(n) time
// for n points, with two passes of a radix sort.
func (s *Sorter) Order(pts []r3.Vector, box bvh.Box) []uint64 {
	n := len(pts)
	if n > Block {
		panic("morton: the number of points must be at most Block")
	}
	var low, high [buckets]uint32
	size := box.Size()
	sx, sy, sz := scale(size.X), scale(size.Y), scale(size.Z)
	for i, p := range pts {
		code := spread[cell((p.X-box.Min.X)*sx)] |
			spread[cell((p.Y-box.Min.Y)*sy)]<<1 |
			spread[cell((p.Z-box.Min.Z)*sz)]<<2
		s.keys[i] = uint64(code)<<indexBits | uint64(i)
		low[code&(buckets-1)]++
		high[code>>passBits]++
	}
	bucketStarts(&low)
	bucketStarts(&high)
	scatter(s.buffer[:n], s.keys[:n], indexBits, &low)
	scatter(s.keys[:n], s.buffer[:n], indexBits+passBits, &high)
	for i := range s.keys[:n] {
		s.keys[i] &= indexMask
	}
	return s.keys[:n]
}

// scale returns the number of cells per unit of length along an axis.
func scale(boxLength float64) float64 {
	if k := (1 << axisBits) / boxLength; k <= math.MaxFloat64 {
		return k
	}
	return 0 // the box is flat or tiny, so all points are in one cell
}

// cell returns the index of a cell along one axis. The coordinate x is in units of cells.
func cell(x float64) uint32 {
	if !(x > 0) {
		return 0
	}
	return uint32(min(x, 1<<axisBits-1))
}

// bucketStarts replaces the count of each bucket with the position of its first element.
func bucketStarts(count *[buckets]uint32) {
	sum := uint32(0)
	for i, c := range count {
		count[i] = sum
		sum += c
	}
}

// scatter does one pass of a radix sort. It copies src to dst and sorts the elements by one digit.
// nextPos holds the next position of each bucket in dst.
func scatter(dst, src []uint64, shift uint, nextPos *[buckets]uint32) {
	for _, k := range src {
		b := k >> shift & (buckets - 1)
		dst[nextPos[b]] = k
		nextPos[b]++
	}
}

// spread[i] is i with two zero bits between neighboring bits.
var spread = func() (t [1 << axisBits]uint32) {
	for i := range t {
		for b := range axisBits {
			t[i] |= uint32(i) >> b & 1 << (3 * b)
		}
	}
	return t
}()
