package vec

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"
)

func TestFiniteMaxAbsNorm(t *testing.T) {
	inf, nan, tiny := math.Inf(1), math.NaN(), math.SmallestNonzeroFloat64
	for _, c := range []struct {
		v            r3.Vector
		finite       bool
		maxAbs, norm float64
	}{
		{r3.Vector{}, true, 0, 0},
		{r3.Vector{X: 2, Y: -3, Z: 6}, true, 6, 7},
		{r3.Vector{X: 2, Y: 3, Z: -6}, true, 6, 7},
		{r3.Vector{X: 0x1p1023}, true, 0x1p1023, 0x1p1023},
		{r3.Vector{X: 3 * 0x1p1000, Y: 4 * 0x1p1000}, true, 4 * 0x1p1000, 5 * 0x1p1000},
		{r3.Vector{Y: -math.MaxFloat64, Z: math.MaxFloat64}, true, math.MaxFloat64, inf},
		{r3.Vector{Z: tiny}, true, tiny, tiny},
		{r3.Vector{X: 3 * tiny, Z: 4 * tiny}, true, 4 * tiny, 5 * tiny},
		{r3.Vector{X: -inf, Y: 1}, false, inf, inf},
		{r3.Vector{Y: inf, Z: inf}, false, inf, inf},
		{r3.Vector{X: 1, Y: nan}, false, nan, nan},
		{r3.Vector{Z: nan}, false, nan, nan},
	} {
		if got := Finite(c.v); got != c.finite {
			t.Errorf("Finite(%v) = %v", c.v, got)
		}
		if got := MaxAbs(c.v); got != c.maxAbs && !(got != got && c.maxAbs != c.maxAbs) {
			t.Errorf("MaxAbs(%v) = %v, want %v", c.v, got, c.maxAbs)
		}
		if got := Norm(c.v); got != c.norm && !(got != got && c.norm != c.norm) {
			t.Errorf("Norm(%v) = %v, want %v", c.v, got, c.norm)
		}
	}
}
