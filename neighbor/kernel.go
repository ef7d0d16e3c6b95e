package neighbor

import (
	"math"
	"slices"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// kernel is what the methods need to know of a kind of bodies. The functions are called
// once a body or once a run of bodies, never once a pair.
type kernel[T Body] struct {
	axes   int // 2 or 3
	absent func(b *T) bool
	// bounds sets dst to a box that contains the body. Boxes of bodies that touch overlap;
	// in the plane Z is zero.
	bounds func(dst *bvh.Box, b *T)
	// scan appends the pairs of body b, whose index is id, with those of others that it
	// touches. None of them is absent, and none has a coordinate −0 if it is a rectangle or box.
	// plain makes copies of bodies fit for scan.
	plain func(bodies []T)
	scan  func(dst []Pair, b *T, id int32, others []T, ids []int32) []Pair
}

// kernelOf returns the kernel for bodies of type T.
func kernelOf[T Body]() kernel[T] {
	var k any
	switch any((*T)(nil)).(type) {
	case *Disk:
		k = kernel[Disk]{2, (*Disk).absent, diskBounds, func([]Disk) {}, scanDisks}
	case *Sphere:
		k = kernel[Sphere]{3, (*Sphere).absent, sphereBounds, func([]Sphere) {}, scanSpheres}
	case *Rect:
		k = kernel[Rect]{2, (*Rect).absent, rectBounds, plainRects, scanRects}
	case *bvh.Box:
		k = kernel[bvh.Box]{3, absentBox, boxBounds, plainBoxes, scanBoxes}
	}
	return k.(kernel[T])
}

// widen makes radii r' ≥ r(1+5u), u = 2^-53, so that p = c_a−r'_a ≤ q = c_b+r'_b, without
// rounding, if touchDisks or touchSpheres accepts a and b (see there). Rounding is monotone:
// the rounded ends of the bounds then obey fl(p) ≤ fl(q), wherever the bodies are. 2^-49 is
// 16u, of which the two roundings of r' take two.
const widen = 1 + 0x1p-49

func diskBounds(dst *bvh.Box, b *Disk) {
	c, r := b.Center, float64(b.Radius*widen)
	dst.Min = r3.Vector{X: c.X - r, Y: c.Y - r}
	dst.Max = r3.Vector{X: c.X + r, Y: c.Y + r}
}

func sphereBounds(dst *bvh.Box, b *Sphere) {
	c, r := b.Center, float64(b.Radius*widen)
	dst.Min = r3.Vector{X: c.X - r, Y: c.Y - r, Z: c.Z - r}
	dst.Max = r3.Vector{X: c.X + r, Y: c.Y + r, Z: c.Z + r}
}

func rectBounds(dst *bvh.Box, b *Rect) {
	dst.Min = r3.Vector{X: b.Min.X, Y: b.Min.Y}
	dst.Max = r3.Vector{X: b.Max.X, Y: b.Max.Y}
}

func boxBounds(dst *bvh.Box, b *bvh.Box) { *dst = *b }

// plainRects makes each −0 in rectangles 0.
func plainRects(rects []Rect) {
	for i := range rects {
		r := &rects[i]
		r.Min, r.Max = r.Min.Add(r2.Point{}), r.Max.Add(r2.Point{})
	}
}

// plainBoxes makes each −0 in boxes 0.
func plainBoxes(boxes []bvh.Box) {
	for i := range boxes {
		b := &boxes[i]
		b.Min, b.Max = b.Min.Add(r3.Vector{}), b.Max.Add(r3.Vector{})
	}
}

// The scans write every pair and keep it by moving on, without a branch: whether bodies of
// neighboring cells touch cannot be predicted.

// reserve returns dst with space for n more pairs, and that space.
func reserve(dst []Pair, n int) ([]Pair, []Pair) {
	dst = slices.Grow(dst, n)
	return dst, dst[len(dst) : len(dst)+n]
}

func scanDisks(dst []Pair, b *Disk, id int32, others []Disk, ids []int32) []Pair {
	p := *b
	dst, out := reserve(dst, len(others))
	ids, n := ids[:len(others)], 0
	for k := range others {
		out[n] = Pair{A: min(id, ids[k]), B: max(id, ids[k])}
		n += 1 - int(math.Float64bits(overlapDisks(&p, &others[k]))>>63)
	}
	return dst[:len(dst)+n]
}

func scanSpheres(dst []Pair, b *Sphere, id int32, others []Sphere, ids []int32) []Pair {
	p := *b
	dst, out := reserve(dst, len(others))
	ids, n := ids[:len(others)], 0
	for k := range others {
		out[n] = Pair{A: min(id, ids[k]), B: max(id, ids[k])}
		n += 1 - int(math.Float64bits(overlapSpheres(&p, &others[k]))>>63)
	}
	return dst[:len(dst)+n]
}

func scanRects(dst []Pair, b *Rect, id int32, others []Rect, ids []int32) []Pair {
	p := *b
	dst, out := reserve(dst, len(others))
	ids, n := ids[:len(others)], 0
	for k := range others {
		out[n] = Pair{A: min(id, ids[k]), B: max(id, ids[k])}
		n += 1 - int(apartRects(&p, &others[k])>>63)
	}
	return dst[:len(dst)+n]
}

func scanBoxes(dst []Pair, b *bvh.Box, id int32, others []bvh.Box, ids []int32) []Pair {
	p := *b
	dst, out := reserve(dst, len(others))
	ids, n := ids[:len(others)], 0
	for k := range others {
		out[n] = Pair{A: min(id, ids[k]), B: max(id, ids[k])}
		n += 1 - int(apartBoxes(&p, &others[k])>>63)
	}
	return dst[:len(dst)+n]
}
