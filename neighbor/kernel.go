package neighbor

import (
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
	// touches. None of them is absent.
	scan func(dst []Pair, b *T, id int32, others []T, ids []int32) []Pair
}

// kernelOf returns the kernel for bodies of type T.
func kernelOf[T Body]() kernel[T] {
	var k any
	switch any((*T)(nil)).(type) {
	case *Disk:
		k = kernel[Disk]{2, (*Disk).absent, diskBounds, scanDisks}
	case *Sphere:
		k = kernel[Sphere]{3, (*Sphere).absent, sphereBounds, scanSpheres}
	case *Rect:
		k = kernel[Rect]{2, (*Rect).absent, rectBounds, scanRects}
	case *bvh.Box:
		k = kernel[bvh.Box]{3, absentBox, boxBounds, scanBoxes}
	}
	return k.(kernel[T])
}

// widen makes radii r' ≥ r(1+5u), u = 2^-53, so that p = c_a−r'_a ≤ q = c_b+r'_b, without
// rounding, if touchDisks or touchSpheres accepts a and b (see there). Rounding is monotone:
// the rounded ends of the bounds then obey fl(p) ≤ fl(q), wherever the bodies are. 2^-49 is
// 16u, of which the two roundings of r' take two.
const widen = 1 + 0x1p-49

func diskBounds(dst *bvh.Box, b *Disk) {
	c, r := b.Centre, float64(b.Radius*widen)
	dst.Min = r3.Vector{X: c.X - r, Y: c.Y - r}
	dst.Max = r3.Vector{X: c.X + r, Y: c.Y + r}
}

func sphereBounds(dst *bvh.Box, b *Sphere) {
	c, r := b.Centre, float64(b.Radius*widen)
	dst.Min = r3.Vector{X: c.X - r, Y: c.Y - r, Z: c.Z - r}
	dst.Max = r3.Vector{X: c.X + r, Y: c.Y + r, Z: c.Z + r}
}

func rectBounds(dst *bvh.Box, b *Rect) {
	dst.Min = r3.Vector{X: b.Min.X, Y: b.Min.Y}
	dst.Max = r3.Vector{X: b.Max.X, Y: b.Max.Y}
}

func boxBounds(dst *bvh.Box, b *bvh.Box) { *dst = *b }

func scanDisks(dst []Pair, b *Disk, id int32, others []Disk, ids []int32) []Pair {
	p := *b
	ids = ids[:len(others)]
	for k := range others {
		if touchDisks(&p, &others[k]) {
			dst = append(dst, Pair{A: min(id, ids[k]), B: max(id, ids[k])})
		}
	}
	return dst
}

func scanSpheres(dst []Pair, b *Sphere, id int32, others []Sphere, ids []int32) []Pair {
	p := *b
	ids = ids[:len(others)]
	for k := range others {
		if touchSpheres(&p, &others[k]) {
			dst = append(dst, Pair{A: min(id, ids[k]), B: max(id, ids[k])})
		}
	}
	return dst
}

func scanRects(dst []Pair, b *Rect, id int32, others []Rect, ids []int32) []Pair {
	p := *b
	ids = ids[:len(others)]
	for k := range others {
		if touchRects(&p, &others[k]) {
			dst = append(dst, Pair{A: min(id, ids[k]), B: max(id, ids[k])})
		}
	}
	return dst
}

func scanBoxes(dst []Pair, b *bvh.Box, id int32, others []bvh.Box, ids []int32) []Pair {
	p := *b
	ids = ids[:len(others)]
	for k := range others {
		if touchBoxes(&p, &others[k]) {
			dst = append(dst, Pair{A: min(id, ids[k]), B: max(id, ids[k])})
		}
	}
	return dst
}
