package dem

import (
	"math"

	"github.com/golang/geo/r2"
)

// The functions below are those of r2.Point with every product rounded, as those of r3.Vector
// round it: r2's may be fused with a sum on some machines.

// times returns m·p.
func times(m float64, p r2.Point) r2.Point { return r2.Point{X: float64(m * p.X), Y: float64(m * p.Y)} }

// dot returns a·b.
func dot(a, b r2.Point) float64 { return float64(a.X*b.X) + float64(a.Y*b.Y) }

// cross returns the third component of a×b.
func cross(a, b r2.Point) float64 { return float64(a.X*b.Y) - float64(a.Y*b.X) }

// length returns |p| without care for overflow, which the range of neighbor.ErrBody excludes.
func length(p r2.Point) float64 { return math.Sqrt(dot(p, p)) }

// finitePoint reports whether both coordinates are finite.
func finitePoint(p r2.Point) bool { return finite(p.X) && finite(p.Y) }
