package bem

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/predicates"
)

// Scratch counts the work of one goroutine. The zero value is ready.
type Scratch struct {
	Signs predicates.Counter // stages of the exact signs
	Near  uint64             // triangles and edges that left the fast kernel
}

// SolidAngle returns the signed solid angle of the triangle a, b, c at x, in
// [−2π, 2π]: positive where x lies on the inner side (the normal (b−a)×(c−a)
// points away from x). The sign is exact: 0 where x lies exactly in the plane of
// the triangle, on the triangle included, and for triangles of zero area, but
// also where the angle is below the smallest float64. The error is a few 1e-15
// except within rounding of an edge. NaN if an input is not finite.
func SolidAngle(x, a, b, c r3.Vector) float64 {
	if !vec.Finite(x) || !vec.Finite(a) || !vec.Finite(b) || !vec.Finite(c) {
		return math.NaN()
	}
	sign := predicates.Orient3D(a, b, c, x)
	if sign == 0 {
		return 0
	}
	den, det, s := strackee(view(a, x), view(b, x), view(c, x))
	f := newFactor(den, det, s, sign)
	return 2 * math.Atan2(f.im, f.re)
}

// triangle returns the factor of a triangle, and whether x lies exactly on it.
func (sc *Scratch) triangle(x, a, b, c r3.Vector) (f factor, on bool) {
	sc.Near++
	den, det, s := strackee(view(a, x), view(b, x), view(c, x))
	if !doubtful(den, det, s) {
		return newFactor(den, det, s, 0), false
	}
	sign := sc.Signs.Orient3D(a, b, c, x)
	if sign == 0 {
		// In the plane: den < 0 inside, 0 on the border, > 0 outside.
		return factor{re: 1}, sc.Signs.OnTriangle(x, a, b, c)
	}
	return newFactor(den, det, s, sign), false
}
