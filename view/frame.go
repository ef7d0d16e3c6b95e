package view

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// reach is how many times the half size of the box a point may be away from its
// middle and still be drawn. Where the whole scene is in view, a box seen from 2²⁰
// times its size is a thousandth of a pixel; a choice.
const reach = 1 << 20

// frame maps coordinates to those of pictures: the middle of the box becomes the
// origin, and its longest half side a number in (1/2, 1].
type frame struct {
	centre r3.Vector
	scale  float64 // a power of two, so that only the rounding to float32 is left
}

// newFrame returns the frame of a box. An empty one, or a single point, has the
// scale 1.
func newFrame(b bvh.Box) frame {
	if b.Empty() {
		return frame{scale: 1}
	}
	// Halves first: sums and differences may overflow.
	lo, hi := b.Min.Mul(0.5), b.Max.Mul(0.5)
	half := longest(hi.Sub(lo))
	f := frame{centre: lo.Add(hi), scale: 1}
	if half > 0 {
		m, e := math.Frexp(half) // half = m·2^e with m in [1/2, 1)
		if m == 0.5 {
			e--
		}
		f.scale = math.Ldexp(1, e)
	}
	return f
}

// local returns p in the frame.
func (f frame) local(p r3.Vector) [3]float32 {
	d := p.Sub(f.centre)
	return [3]float32{float32(d.X / f.scale), float32(d.Y / f.scale), float32(d.Z / f.scale)}
}

// near reports whether p is near enough to be drawn; a p that is not finite is not.
func (f frame) near(p r3.Vector) bool {
	limit := reach * f.scale
	d := p.Sub(f.centre)
	return math.Abs(d.X) <= limit && math.Abs(d.Y) <= limit && math.Abs(d.Z) <= limit
}

func longest(v r3.Vector) float64 { return max(v.X, v.Y, v.Z) }

// axis returns the coordinate k of v: 0 is x, 1 is y, 2 is z.
func axis(v r3.Vector, k int) float64 { return [3]float64{v.X, v.Y, v.Z}[k] }
