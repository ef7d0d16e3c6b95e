package cells

import (
	"math"
	"testing"
)

// certain is more than the errors that its comment adds up, and no sum of a plane
// leaves int32, not even with certain added.
func TestCertainIsProved(t *testing.T) {
	const (
		coefficients = 4 * 0.75 * unitU                  // rounding to int16, and 1/4 behind it
		coordinates  = (0.5 + 0x1p-19*unitU) * 3 * unitQ // rounding, and corners off by 2^−20 of the edge
		largest      = 4*unitQ*unitU + certain           // in magnitude
		moved        = 0x1p-23*2*unitU + 0x1p-20*2*unitU // points and corners, in units
	)
	if coefficients+coordinates >= certain {
		t.Errorf("errors add up to %v, certain is %d", coefficients+coordinates, certain)
	}
	if largest > math.MaxInt32 {
		t.Errorf("values reach %d", int64(largest))
	}
	if slack*2*unitU < moved {
		t.Errorf("slack is %v units, points and corners move by %v", slack*2*unitU, moved)
	}
}

// randomLine returns a line of planes, some of them not there, through the middle
