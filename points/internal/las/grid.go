package las

import "math"

// grid turns the integers of a coordinate, or of extra bytes, into numbers.
type grid struct {
	scale, offset float64
	unit          float64 // 1/scale, if that is a power of ten, else 0
	origin        float64 // offset·unit, a whole number
}

// newGrid returns the grid of a scale and an offset. It is one of decimals if the scale is
// the float64 nearest to 10⁻ᵏ and the offset the one nearest to a multiple of that. Up to
// 10²², the last power of ten that is a float64, the quotients are rounded once, and so are
// those float64.
func newGrid(scale, offset float64) grid {
	g := grid{scale: scale, offset: offset}
	k := math.Round(-math.Log10(scale))
	if !(k >= 0 && k <= 22) { // NaN for a negative scale
		return g
	}
	unit := math.Pow10(int(k))
	origin := math.Round(offset * unit)
	// Any integer of 32 bits more is below 2⁵³.
	if 1/unit == scale && math.Abs(origin) <= 1<<52 && origin/unit == offset {
		g.unit, g.origin = unit, origin
	}
	return g
}

// at returns x·scale + offset for a whole number of 32 bits: of decimals the nearest
// float64, which is what a text of that number is read as, otherwise rounded twice.
func (g *grid) at(x float64) float64 {
	if g.unit > 0 {
		return (x + g.origin) / g.unit
	}
	return float64(x*g.scale) + g.offset
}
