package section

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/predicates"
)

// corners are the vertices of the mesh, relative to the plane. With a pose, they are points of the world that
// float64 numbers approximate.
type corners struct {
	g        geometry
	vertices []r3.Vector       // in the frame of the mesh
	place    *motion.Placement // nil without a pose

	// near is the plane in the frame of the mesh, if there is a pose. offset bounds the error of its
	// origin, and tilt that of its normal.
	near         Plane
	offset, tilt float64
}

// newCorners returns the vertices relative to the plane p.
func newCorners(p Plane, vertices []r3.Vector, place *motion.Placement) corners {
	c := corners{g: newGeometry(p), vertices: vertices, place: place}
	if place != nil {
		c.near.Origin, c.offset = place.Position(p.Origin)
		c.near.Normal, c.tilt = place.Direction(p.Normal)
	}
	return c
}

// point returns the coordinates of vertex v in the world, and a bound of their errors.
func (c *corners) point(v int32) (p r3.Vector, bound float64) {
	if c.place != nil {
		return c.place.Back(c.vertices[v])
	}
	return c.vertices[v], 0
}

// exact returns the exact coordinates of vertex v in the world.
func (c *corners) exactPoint(v int32) [3]*big.Rat {
	p := c.vertices[v]
	if c.place != nil {
		return c.place.ExactBack(p)
	}
	return [3]*big.Rat{new(big.Rat).SetFloat64(p.X), new(big.Rat).SetFloat64(p.Y), new(big.Rat).SetFloat64(p.Z)}
}

// side returns +1 if vertex v is above the plane, and −1 if it is below it. on reports whether it lies on the
// plane; then the side is −1.
func (c *corners) side(k *predicates.Counter, v int32) (side int, on bool) {
	if c.place == nil {
		return c.g.side(k, c.vertices[v])
	}
	h, bound := c.quickHeight(v)
	switch { // both comparisons are false after an overflow
	case h > bound:
		return 1, false
	case -h > bound:
		return -1, false
	}
	switch s := c.signedHeight(v).Sign(); s {
	case 0:
		return -1, true
	default:
		return s, false
	}
}

// quickHeight returns the height of vertex v at a pose, and a bound of its error.
//
// The height is n·(v−o) in the frame of the mesh. If n has the error e and o has the error f, the height
// changes by at most |e||v−o| + (|n|+|e|)|f|.
func (c *corners) quickHeight(v int32) (h, bound float64) {
	p, o, n := c.vertices[v], c.near.Origin, c.near.Normal
	h, bound = predicates.PlaneHeight(p, o, n)
	abs := math.Abs
	bound += (1 + 16*unit) * (c.tilt*(abs(p.X-o.X)+abs(p.Y-o.Y)+abs(p.Z-o.Z)) + (abs(n.X)+abs(n.Y)+abs(n.Z)+c.tilt)*c.offset)
	return h, bound * (1 + 4*unit)
}

// worldHeight returns the height of vertex v, and a bound of its error, which is not finite after an overflow.
func (c *corners) worldHeight(v int32) (h, bound float64) {
	if c.place != nil {
		return c.quickHeight(v)
	}
	return predicates.PlaneHeight(c.vertices[v], c.g.Origin, c.g.Normal)
}

// signedHeight returns the exact height of vertex v in an arbitrary unit.
func (c *corners) signedHeight(v int32) *big.Rat {
	if c.place == nil {
		return predicates.ExactPlaneHeight(c.vertices[v], c.g.Origin, c.g.Normal)
	}
	sum := new(big.Rat)
	for k, x := range c.exactPoint(v) {
		x.Sub(x, new(big.Rat).SetFloat64(at(c.g.Origin, k)))
		sum.Add(sum, x.Mul(x, new(big.Rat).SetFloat64(at(c.g.Normal, k))))
	}
	return sum
}

// height returns the distance of vertex v from the plane in an arbitrary unit, and the relative error of this
// number. The vertex must not lie on the plane. No bound is known if the number is below 2^−1022 or not finite.
func (c *corners) height(v int32) (h, relative float64) {
	var bound float64
	switch {
	case c.place != nil:
		h, bound = c.quickHeight(v)
	case c.g.axis:
		return math.Abs(at(c.vertices[v], c.g.k) - at(c.g.Origin, c.g.k)), unit
	default:
		h, bound = predicates.PlaneHeight(c.vertices[v], c.g.Origin, c.g.Normal)
	}
	if h = math.Abs(h); bound <= 0x1p-30*h {
		return h, bound / h * (1 + 0x1p-20)
	}
	h, _ = c.exactHeight(v).Float64()
	return h, 2 * unit
}

// exactHeight returns the exact distance of vertex v from the plane in the unit of height.
func (c *corners) exactHeight(v int32) *big.Rat {
	h := c.signedHeight(v)
	return h.Abs(h)
}
