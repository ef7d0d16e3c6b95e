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
	body     [2]*Body
	to       r2.Point   // place of the second body, rounded
	rest     r2.Point   // its error: to+rest is exact
	err      [2]float64 // bound of the error of a rounded coordinate of corners of a body
	exact    uint64     // determinants by expansions
	looks    uint64     // features that sweeping and clipping looked at
	rational uint64     // determinants by rational numbers
}

// corner is a corner in a frame.
type corner struct {
	x, y  float64  // rounded
	local r2.Point // in the frame of the shape
	of    int      // the body
}

func (f *frame) init(a, b *Body) {
	f.body = [2]*Body{a, b}
	f.to.X, f.rest.X = twoDiff(b.at.X, a.at.X)
	f.to.Y, f.rest.Y = twoDiff(b.at.Y, a.at.Y)
	f.err[0] = errTurn * a.shape.reach
	// Beyond turning, the rounding of the difference of places and that of the sum: unit times
	// |to|, and unit times (reach + |to|).
	f.err[1] = (errTurn + 2*unit) * (b.shape.reach + max(math.Abs(f.to.X), math.Abs(f.to.Y)))
}

// corner returns corner i of body k.
func (f *frame) corner(k, i int) corner {
	b := f.body[k]
	l := b.shape.corners[i]
	x, y := b.turn(l)
	if k == 1 {
		x, y = x+f.to.X, y+f.to.Y
	}
	return corner{x: x, y: y, local: l, of: k}
}

// unmoved is a body without shape in the zero pose.
var unmoved = Body{cos: 1}

// plainFrame and plainCorner serve points that are given as they are.
func plainFrame() frame { return frame{body: [2]*Body{&unmoved, &unmoved}} }

func plainCorner(p r2.Point) corner { return corner{x: p.X, y: p.Y, local: p} }
