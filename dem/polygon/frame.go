package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// unit is half a unit in the last place of 1: fl(x) differs from x by at most unit·|fl(x)|,
// and by unit·|x|.
const unit = 0x1p-53

// errTurn·reach bounds the error of a coordinate of a turned corner: two products and a
// difference, each with an error of unit·reach at most to first order; one more covers the
// rest.
const errTurn = 4 * unit

// frame is two bodies seen from the place of the first one, so that only the difference
// of places matters, however large they are.
type frame struct {
	body  [2]*Body
	to    r2.Point   // place of the second body, rounded
	rest  r2.Point   // its error: to+rest is exact
	err   [2]float64 // bound of the error of a rounded coordinate of corners of a body
	limit float64    // bound of the error of determinants in float64: see sign.go

	looks    uint64 // features that sweeping and clipping looked at
	doubles  uint64 // signs that float64 did not decide
	exact    uint64 // determinants by expansions
	rational uint64 // determinants by rational numbers
}

// corner is corner i of body of in a frame, rounded.
type corner struct {
	x, y float64
	of   int32
	i    int32
}

func (f *frame) init(a, b *Body) {
	f.body = [2]*Body{a, b}
	f.to.X, f.rest.X = twoDiff(b.at.X, a.at.X)
	f.to.Y, f.rest.Y = twoDiff(b.at.Y, a.at.Y)
	apart := max(math.Abs(f.to.X), math.Abs(f.to.Y))
	f.err[0] = errTurn * a.shape.reach
	// Beyond turning, the rounding of the difference of places and that of the sum: unit times
	// apart, and unit times (reach + apart).
	f.err[1] = (errTurn + 2*unit) * (b.shape.reach + apart)
	f.limit = limit(f.span())
}

// span bounds the coordinates: the reaches and the distance of places along an axis.
func (f *frame) span() float64 {
	return f.body[0].shape.reach + f.body[1].shape.reach + max(math.Abs(f.to.X), math.Abs(f.to.Y))
}

// corner returns corner i of body k.
func (f *frame) corner(k, i int) corner {
	b := f.body[k]
	x, y := b.turn(b.shape.corners[i])
	if k == 1 {
		x, y = x+f.to.X, y+f.to.Y
	}
	return corner{x: x, y: y, of: int32(k), i: int32(i)}
}

// local returns a corner as it is in its shape.
func (f *frame) local(c *corner) r2.Point { return f.body[c.of].shape.corners[c.i] }
