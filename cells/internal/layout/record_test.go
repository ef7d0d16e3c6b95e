package layout

import (
	"math"
	"testing"
)

// SignBound exceeds the errors that its comment adds up. No sum of a plane leaves
// int32, even with SignBound added.
func TestSignBoundIsProved(t *testing.T) {
	const (
		coefficients = 4 * 0.75 * CoordUnit                      // rounding to int16, and 1/4 behind it
		coordinates  = (0.5 + 0x1p-19*CoordUnit) * 3 * PlaneUnit // rounding, and corners off by 2^−20 of the edge
		largest      = 4*PlaneUnit*CoordUnit + SignBound         // in magnitude
		moved        = 0x1p-23*2*CoordUnit + 0x1p-20*2*CoordUnit // points and corners, in units
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
