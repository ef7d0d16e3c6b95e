package layout

import (
	"math"
	"testing"
)

// SignBound exceeds the sum of the errors that docs/design/016-error-bounds.md lists. Every value
// of a plane fits int32, even after SignBound is added.
func TestSignBoundIsProved(t *testing.T) {
	const (
		coefficients = 4 * 0.75 * CoordUnit                      // error of the coefficients: 1/2 from rounding to int16, and 1/4 before rounding
		coordinates  = (0.5 + 0x1p-19*CoordUnit) * 3 * PlaneUnit // error of the coordinates: 1/2 from rounding, plus 2^−20 times the edge of the cell, the error of the corners
		largest      = 4*PlaneUnit*CoordUnit + SignBound         // largest magnitude of a value
		moved        = 0x1p-23*2*CoordUnit + 0x1p-20*2*CoordUnit // error of a point plus error of a corner, in units of 1/CoordUnit
	)
	if coefficients+coordinates >= SignBound {
		t.Errorf("errors add up to %v, SignBound is %d", coefficients+coordinates, SignBound)
	}
	if largest > math.MaxInt32 {
		t.Errorf("values reach %d", int64(largest))
	}
	if Slack*2*CoordUnit < moved {
		t.Errorf("Slack is %v units, points and corners move by %v", Slack*2*CoordUnit, moved)
	}
}
