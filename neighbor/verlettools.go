package neighbor

import (
	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// verletTools are the parts of a VerletList that depend on the kind of bodies.
//
// Two bodies that touch now are in the list: let half the skin be h, and e = 2^-53. Balls
// that touch obey |Δ| ≤ (r_a+r_b)(1+5e). Neither has moved by more than h − g(1+6e), where
// g ≥ 0 is by how much it has grown, up to 6eh for rounding. So the centers for which the
// list was built obey |Δ| ≤ (r_a+r_b+2h)(1+20e), with the radii of then, and touchSpheres
// accepts radii (r+h)(1+2^-45) = (r+h)(1+256e). Boxes of now lie in those of then with h on all
// sides, computed by the same operations in both places.
type verletTools[T Body] struct {
	// thicken sets dst to bodies with h around them.
	thicken func(dst, bodies []T, h float64)
	// moved tells whether a body has moved or grown by more than h since then, or appeared.
	moved func(then, now []T, h float64) bool
	// touching appends the pairs of a list that touch. Bodies beyond the end are absent.
	touching func(dst, list []Pair, bodies []T) []Pair
}

// thickness is the factor for radii in the list.
const thickness = 1 + 0x1p-45

func verletToolsOf[T Body]() verletTools[T] {
	var t any
	switch any((*T)(nil)).(type) {
	case *Disk:
		t = verletTools[Disk]{thickenDisks, movedDisks, listedDisks}
	case *Sphere:
		t = verletTools[Sphere]{thickenSpheres, movedSpheres, listedSpheres}
	case *Rect:
		t = verletTools[Rect]{thickenRects, movedRects, listedRects}
	case *bvh.Box:
		t = verletTools[bvh.Box]{thickenBoxes, movedBoxes, listedBoxes}
	}
	return t.(verletTools[T])
}

func thickenDisks(dst, bodies []Disk, h float64) {
	for i, b := range bodies {
		dst[i] = Disk{Center: b.Center, Radius: (b.Radius + h) * thickness}
	}
}

func thickenSpheres(dst, bodies []Sphere, h float64) {
	for i, b := range bodies {
		dst[i] = Sphere{Center: b.Center, Radius: (b.Radius + h) * thickness}
	}
}

func thickenRects(dst, bodies []Rect, h float64) {
	for i, b := range bodies {
		dst[i] = Rect{Min: r2.Point{X: b.Min.X - h, Y: b.Min.Y - h}, Max: r2.Point{X: b.Max.X + h, Y: b.Max.Y + h}}
	}
}

func thickenBoxes(dst, bodies []bvh.Box, h float64) {
	for i, b := range bodies {
		dst[i] = bvh.Box{
			Min: r3.Vector{X: b.Min.X - h, Y: b.Min.Y - h, Z: b.Min.Z - h},
			Max: r3.Vector{X: b.Max.X + h, Y: b.Max.Y + h, Z: b.Max.Z + h},
		}
	}
}

// room returns how far a ball may move: h less what its radius has grown. It is negative if
// the ball has appeared or if less than half of h is left, so that its square is normal.
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

func listedDisks(dst, list []Pair, bodies []Disk) []Pair {
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

func listedSpheres(dst, list []Pair, bodies []Sphere) []Pair {
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

func listedRects(dst, list []Pair, bodies []Rect) []Pair {
	for _, p := range list {
		if int(p.B) < len(bodies) && touchRects(&bodies[p.A], &bodies[p.B]) {
			dst = append(dst, p)
		}
	}
	return dst
}

func listedBoxes(dst, list []Pair, bodies []bvh.Box) []Pair {
	for _, p := range list {
		if int(p.B) < len(bodies) && touchBoxes(&bodies[p.A], &bodies[p.B]) {
			dst = append(dst, p)
		}
	}
	return dst
}
