package side

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"
)

// Side tells where a point lies relative to a solid. The zero value is Unknown.
type Side uint8

const (
	// Unknown means that the answer could not be decided: the point is not
	// finite, or the winding number of an open mesh equals the threshold of the
	// rule within every arithmetic that was tried. Printed "uncertain".
	Unknown Side = iota
	// Outside means that the point is not in the solid.
	Outside
	// OnSurface means that the point lies exactly on a closed triangle (its
	// edges and vertices included), or within the tolerance that the user set.
	OnSurface
	// Inside means that the point is in the solid.
	Inside
)

// String returns "uncertain", "out", "on" or "in".
func (s Side) String() string {
	switch s {
	case Unknown:
		return "uncertain"
	case Outside:
		return "out"
	case OnSurface:
		return "on"
	case Inside:
		return "in"
	}
	return fmt.Sprintf("Side(%d)", uint8(s))
}

// Oracle answers which points lie in a solid. Implementations are safe for
// concurrent use and give the same sides for any order of points and any number
// of workers.
type Oracle interface {
	// SidesTo writes the side of pts[i] to dst[i]. It panics if the lengths
	// differ, and returns the error of ctx if that ends first; dst then holds
	// Unknown where no answer was found.
	SidesTo(ctx context.Context, dst []Side, pts []r3.Vector) error
}
