package neighbor

import (
	"math"
	"slices"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// bodyOps has the operations on one kind of body. Most operations have a slice of bodies or pairs
// as an argument, because calls of function values are not inlined.
type bodyOps[T Body] struct {
	axes   int // 2 or 3
	touch  func(a, b *T) bool
	absent func(b *T) bool
	// bounds sets dst to a box that contains the body. If two bodies touch, their boxes overlap. In
	// the plane, Z is zero.
	bounds func(dst *bvh.Box, b *T)
	// normalize prepares bodies for scan. It changes the slice in place.
	normalize func(bodies []T)
	// scan compares b with each of the other bodies, and appends the pairs that touch. id is the
	// index of b, and ids has the indices of the other bodies. No body may be absent. No rectangle
	// or box may have a coordinate −0.
	scan func(dst []Pair, b *T, id int32, others []T, ids []int32) []Pair
	// inflate sets dst to enlarged bodies. The margin is at least h on each side.
	inflate func(dst, bodies []T, h float64)
	// moved reports whether any body has appeared, or has moved or grown by more than h.
	moved func(old, now []T, h float64) bool
	// touching appends to dst the given pairs that touch. Bodies with an index ≥ len(bodies) are
	// absent.
	touching func(dst, list []Pair, bodies []T) []Pair
	// extent returns the center of a body and its sizes on the axes.
	extent func(b *T) (center, size r3.Vector)
	// move moves b by whole periods. Each coordinate is rounded once.
	move func(b *T, image [3]int32, period r3.Vector)
	none T // an absent body
}

func opsOf[T Body]() bodyOps[T] {
	var ops any
	switch any((*T)(nil)).(type) {
	case *Disk:
		ops = bodyOps[Disk]{2, touchDisks, (*Disk).absent, diskBounds, func([]Disk) {}, scanDisks, inflateDisks, movedDisks, touchingDisks,
			diskExtent, moveDisk, Disk{Radius: Absent()}}
	case *Sphere:
		ops = bodyOps[Sphere]{3, touchSpheres, (*Sphere).absent, sphereBounds, func([]Sphere) {}, scanSpheres, inflateSpheres, movedSpheres, touchingSpheres,
			sphereExtent, moveSphere, Sphere{Radius: Absent()}}
	case *Rect:
		ops = bodyOps[Rect]{2, touchRects, (*Rect).absent, rectBounds, normalizeRects, scanRects, inflateRects, movedRects, touchingRects,
			rectExtent, moveRect, EmptyRect()}
	case *bvh.Box:
		ops = bodyOps[bvh.Box]{3, touchBoxes, absentBox, boxBounds, normalizeBoxes, scanBoxes, inflateBoxes, movedBoxes, touchingBoxes,
			boxExtent, moveBox, bvh.EmptyBox()}
	}
	return ops.(bodyOps[T])
}

// touchDisks reports whether two disks touch. No disk may be absent, because the square of its
// radius would be +Inf. For coordinates and radii up to 2^500 nothing overflows.
//
// Let u = 2^-53, and let Δ be the difference of the centers. If touchDisks accepts a and b, then
// |Δ| ≤ (r_a+r_b)(1+5u). Therefore Δ also obeys this bound on each axis. Proof: each sum,
// difference and product is rounded. The computed |Δ|² has five roundings and is at least (1−u)^5
// |Δ|². The computed (r_a+r_b)² has three roundings and is at most (1+u)^3 (r_a+r_b)².
func touchDisks(a, b *Disk) bool { return overlapDisks(a, b) >= 0 }

// overlapDisks returns (r_a+r_b)² − |Δ|² with rounding, where Δ is the difference of the centers.
// The sign shows which rounded square is larger. The result is never −0.
func overlapDisks(a, b *Disk) float64 {
	x, y := a.Center.X-b.Center.X, a.Center.Y-b.Center.Y
	r := a.Radius + b.Radius
	return float64(r*r) - (float64(x*x) + float64(y*y))
}

func touchSpheres(a, b *Sphere) bool { return overlapSpheres(a, b) >= 0 }

// overlapSpheres does for balls what overlapDisks does for disks.
func overlapSpheres(a, b *Sphere) float64 {
	x, y, z := a.Center.X-b.Center.X, a.Center.Y-b.Center.Y, a.Center.Z-b.Center.Z
	r := a.Radius + b.Radius
	return float64(r*r) - (float64(x*x) + float64(y*y) + float64(z*z))
}

func touchRects(a, b *Rect) bool {
	return a.Min.X <= b.Max.X && b.Min.X <= a.Max.X && a.Min.Y <= b.Max.Y && b.Min.Y <= a.Max.Y
}

// apartRects returns a number whose highest bit is set if and only if two rectangles do not touch.
// No coordinate may be −0. A difference is negative if and only if the corresponding comparison in
// touchRects is false.
func apartRects(a, b *Rect) uint64 {
	return math.Float64bits(b.Max.X-a.Min.X) | math.Float64bits(a.Max.X-b.Min.X) |
		math.Float64bits(b.Max.Y-a.Min.Y) | math.Float64bits(a.Max.Y-b.Min.Y)
}

func touchBoxes(a, b *bvh.Box) bool { return a.Overlaps(*b) }

// apartBoxes does for boxes what apartRects does for rectangles.
func apartBoxes(a, b *bvh.Box) uint64 {
	return math.Float64bits(b.Max.X-a.Min.X) | math.Float64bits(a.Max.X-b.Min.X) |
		math.Float64bits(b.Max.Y-a.Min.Y) | math.Float64bits(a.Max.Y-b.Min.Y) |
		math.Float64bits(b.Max.Z-a.Min.Z) | math.Float64bits(a.Max.Z-b.Min.Z)
}

// widen is the factor by which bounds enlarges radii. Let u = 2^-53. The factor is 1+16u, so an
// enlarged radius r' is at least r(1+5u) after two roundings. Let c be a coordinate of a center. If
// touchDisks or touchSpheres accepts a and b, then c_a−r'_a ≤ c_b+r'_b (see touchDisks). Rounding
// is monotone, so the rounded ends of the intervals have the same order.
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

// normalizeRects replaces each −0 by 0.
func normalizeRects(rects []Rect) {
	for i := range rects {
		r := &rects[i]
		r.Min, r.Max = r.Min.Add(r2.Point{}), r.Max.Add(r2.Point{})
	}
}

// normalizeBoxes replaces each −0 by 0.
func normalizeBoxes(boxes []bvh.Box) {
	for i := range boxes {
		b := &boxes[i]
		b.Min, b.Max = b.Min.Add(r3.Vector{}), b.Max.Add(r3.Vector{})
	}
}

// The scan functions have no branches, because a processor cannot predict whether bodies of
// neighboring cells touch. They write every pair, but advance the output index only if the bodies
// touch.

// reserve returns dst with capacity for n more pairs, and a slice for these n pairs.
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

// thickness is the factor by which inflateDisks and inflateSpheres enlarge radii. The comment of
// VerletList has the proof.
const thickness = 1 + 0x1p-45

func inflateDisks(dst, bodies []Disk, h float64) {
	for i, b := range bodies {
		dst[i] = Disk{Center: b.Center, Radius: (b.Radius + h) * thickness}
	}
}

func inflateSpheres(dst, bodies []Sphere, h float64) {
	for i, b := range bodies {
		dst[i] = Sphere{Center: b.Center, Radius: (b.Radius + h) * thickness}
	}
}

func inflateRects(dst, bodies []Rect, h float64) {
	for i, b := range bodies {
		dst[i] = Rect{Min: r2.Point{X: b.Min.X - h, Y: b.Min.Y - h}, Max: r2.Point{X: b.Max.X + h, Y: b.Max.Y + h}}
	}
}

func inflateBoxes(dst, bodies []bvh.Box, h float64) {
	for i, b := range bodies {
		dst[i] = bvh.Box{
			Min: r3.Vector{X: b.Min.X - h, Y: b.Min.Y - h, Z: b.Min.Z - h},
			Max: r3.Vector{X: b.Max.X + h, Y: b.Max.Y + h, Z: b.Max.Z + h},
		}
	}
}

// room returns the distance that a ball can move: h minus the growth of its radius. It returns −1
// if the ball has appeared or the distance is less than h/2. Otherwise the square of the distance
// is a normal number.
func room(then, now, h float64) float64 {
	left := h - max(now-then, 0)
	if left < h/2 {
		return -1
	}
	return left
}

func movedDisks(then, now []Disk, h float64) bool {
	for i := range now {
		a, b := &then[i], &now[i]
		if b.absent() {
			continue
		}
		x, y := b.Center.X-a.Center.X, b.Center.Y-a.Center.Y
		r := room(a.Radius, b.Radius, h)
		if !(r > 0 && float64(x*x)+float64(y*y) <= r*r) {
			return true
		}
	}
	return false
}

func movedSpheres(then, now []Sphere, h float64) bool {
	for i := range now {
		a, b := &then[i], &now[i]
		if b.absent() {
			continue
		}
		x, y, z := b.Center.X-a.Center.X, b.Center.Y-a.Center.Y, b.Center.Z-a.Center.Z
		r := room(a.Radius, b.Radius, h)
		if !(r > 0 && float64(x*x)+float64(y*y)+float64(z*z) <= r*r) {
			return true
		}
	}
	return false
}

func movedRects(then, now []Rect, h float64) bool {
	for i := range now {
		a, b := &then[i], &now[i]
		if !(b.Min.X >= a.Min.X-h && b.Min.Y >= a.Min.Y-h && b.Max.X <= a.Max.X+h && b.Max.Y <= a.Max.Y+h) {
			return true
		}
	}
	return false
}

func movedBoxes(then, now []bvh.Box, h float64) bool {
	for i := range now {
		a, b := &then[i], &now[i]
		if !(b.Min.X >= a.Min.X-h && b.Min.Y >= a.Min.Y-h && b.Min.Z >= a.Min.Z-h &&
			b.Max.X <= a.Max.X+h && b.Max.Y <= a.Max.Y+h && b.Max.Z <= a.Max.Z+h) {
			return true
		}
	}
	return false
}

func touchingDisks(dst, list []Pair, bodies []Disk) []Pair {
	for _, p := range list {
		if int(p.B) >= len(bodies) {
			continue
		}
		a, b := &bodies[p.A], &bodies[p.B]
		if touchDisks(a, b) && a.Radius > 0 && b.Radius > 0 {
			dst = append(dst, p)
		}
	}
	return dst
}

func touchingSpheres(dst, list []Pair, bodies []Sphere) []Pair {
	for _, p := range list {
		if int(p.B) >= len(bodies) {
			continue
		}
		a, b := &bodies[p.A], &bodies[p.B]
		if touchSpheres(a, b) && a.Radius > 0 && b.Radius > 0 {
			dst = append(dst, p)
		}
	}
	return dst
}

func touchingRects(dst, list []Pair, bodies []Rect) []Pair {
	for _, p := range list {
		if int(p.B) < len(bodies) && touchRects(&bodies[p.A], &bodies[p.B]) {
			dst = append(dst, p)
		}
	}
	return dst
}

func touchingBoxes(dst, list []Pair, bodies []bvh.Box) []Pair {
	for _, p := range list {
		if int(p.B) < len(bodies) && touchBoxes(&bodies[p.A], &bodies[p.B]) {
			dst = append(dst, p)
		}
	}
	return dst
}
