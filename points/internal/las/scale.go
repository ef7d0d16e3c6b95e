package las

import (
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// scaling maps stored integers to numbers.
type scaling struct {
	scale, offset float64
	unit          float64 // 1/scale if the scaling is decimal, else 0 (see newScaling)
	origin        float64 // offset·unit, an integer
}

// newScaling returns the scaling of a scale and an offset. The scaling is decimal if scale is the
// float64 nearest to 10⁻ᵏ, and offset is the float64 nearest to a multiple of 10⁻ᵏ. Powers of ten
// up to 10²² are exact in float64. Therefore each quotient in newScaling is rounded once.
func newScaling(scale, offset float64) scaling {
	g := scaling{scale: scale, offset: offset}
	k := math.Round(-math.Log10(scale))
	if !(k >= 0 && k <= 22) { // k is NaN if scale is negative
		return g
	}
	unit := math.Pow10(int(k))
	origin := math.Round(offset * unit)
	// The sum of origin and a 32-bit integer is below 2⁵³.
	if 1/unit == scale && math.Abs(origin) <= 1<<52 && origin/unit == offset {
		g.unit, g.origin = unit, origin
	}
	return g
}

// value returns x·scale + offset for a 32-bit integer x. A decimal scaling returns the float64
// nearest to the exact decimal number, like a parser of decimal text. Other scalings round twice.
func (g *scaling) value(x float64) float64 {
	if g.unit > 0 {
		return (x + g.origin) / g.unit
	}
	return float64(x*g.scale) + g.offset
}

const (
	// Offsets are multiples of offsetSteps steps, so that they are easy to read.
	offsetSteps = 1e6
	// maxSteps bounds the distance of a coordinate from the middle of all coordinates, in steps.
	// The integers then fit into 32 bits, although the offset is not exactly the middle.
	maxSteps = math.MaxInt32 - offsetSteps
	// maxRelativeStep bounds the step of coordinates that are not decimals, relative to
	// axisStats.typical. The value is a judgment call.
	maxRelativeStep = 1e-5
	// noiseRatio is a lower bound of axisStats.typical, relative to half the extent of the cloud.
	// Smaller distances can be noise, as in a rotated plane. The value is a judgment call.
	noiseRatio = 1e-6
)

// axisStats has the statistics of one coordinate (x, y or z) of the kept rows.
type axisStats struct {
	name       byte
	min, max   float64
	halfExtent float64 // (max−min)/2 without overflow
	maxAbs     float64 // largest absolute value
	typical    float64 // median of the nonzero distances from the median
	lastDigit  float64 // place value of the last decimal digit of all values
	isDecimal  bool    // all values are decimals, so lastDigit is valid
	farRow     int     // row farthest from the median
	farValue   float64 // coordinate of row farRow
}

// newAxisStats returns the statistics of coordinate i of the kept rows of b. It skips infinities
// and NaN.
func newAxisStats(b *table.Block, i int) axisStats {
	a := axisStats{name: "xyz"[i], min: math.Inf(1), max: math.Inf(-1)}
	var all []float64
	for k, p := range b.Points {
		if x := [3]float64{p.X, p.Y, p.Z}[i]; x-x == 0 && !b.Dropped(k) {
			all = append(all, x)
		}
	}
	a.lastDigit, a.isDecimal = findLastDigit(all)
	if len(all) == 0 {
		return a
	}
	slices.Sort(all)
	a.min, a.max = all[0], all[len(all)-1]
	a.halfExtent, a.maxAbs = a.max/2-a.min/2, max(-a.min, a.max)
	median := all[(len(all)-1)/2]
	a.farValue = a.max
	if median/2-a.min/2 > a.max/2-median/2 {
		a.farValue = a.min
	}
	for k, p := range b.Points {
		if [3]float64{p.X, p.Y, p.Z}[i] == a.farValue && !b.Dropped(k) {
			a.farRow = k
			break
		}
	}
	distances := all[:0]
	for _, x := range all {
		if d := math.Abs(x/2 - median/2); d > 0 {
			distances = append(distances, d)
		}
	}
	if a.typical = a.maxAbs; len(distances) > 0 {
		slices.Sort(distances)
		a.typical = 2 * distances[(len(distances)-1)/2]
	}
	return a
}

// chooseScales returns scales and offsets for the kept rows of b. All scales are powers of ten.
//
// If possible, all axes have the same scale:
//   - The scale is at least 10⁻⁸ of the extent, so that the points use at most 10⁸ of the 2³²
//     steps. Later points can then be twenty times the extent away.
//   - The scale is at least 2⁻⁵² of the largest coordinate, because float64 has this spacing.
//   - Decimals, as in surveys, can have a larger scale: a tenth of the place value of the last
//     digit, but at most 10⁻⁵ of the extent. Later points can then lie far beyond the extent.
//   - If this place value is only 10⁻⁹ to 10⁻⁸ of the extent, it is the scale.
//
// If this scale would drop digits, ownScale returns a scale for each axis. An offset is 0 if all
// coordinates are within 2³⁰ steps of 0. Otherwise it is a multiple of 10⁶ steps near the middle.
func chooseScales(src table.Source, b *table.Block) (scale, offset [3]float64, err error) {
	var axes [3]axisStats
	half, largest, last, decimal := 0.0, 0.0, 1.0, true
	for i := range axes {
		axes[i] = newAxisStats(b, i)
		a := &axes[i]
		half, largest = max(half, a.halfExtent), max(largest, a.maxAbs)
		last, decimal = min(last, a.lastDigit), decimal && a.isDecimal
	}
	step := 1e-3 // default if all coordinates are 0: a millimeter if the unit is a meter
	same := true
	if largest > 0 {
		if half == 0 {
			half = largest / 2
		}
		spacing := largest / (1 << 52)
		step = powerOfTen(max(2e-8*half, spacing))
		if same = decimal && last >= max(2e-9*half, spacing); same {
			step = max(min(step, last), min(last/10, powerOfTen(2e-6*half)))
		}
	}
	for i := range axes {
		a := &axes[i]
		scale[i] = step
		if !same {
			if scale[i], err = a.ownScale(src, b, step, half); err != nil {
				return scale, offset, err
			}
		}
		if a.maxAbs/scale[i] > 1<<30 {
			middle := a.min/2 + a.max/2
			offset[i] = product(math.Round(middle/scale[i]/offsetSteps)*offsetSteps, scale[i])
			if o := offset[i]; o-o != 0 {
				offset[i] = middle
			}
		}
	}
	return scale, offset, nil
}

// ownScale returns the scale of one axis if commonScale would drop digits. If 2³² steps of
// a.lastDigit cover the axis, the scale is a.lastDigit. If they cover only typical distances,
// ownScale returns an error that names the farthest row and wraps table.ErrCannotHold. If they
// cover even less, maxRelativeStep bounds the scale, as for numbers that are not decimals.
func (a *axisStats) ownScale(src table.Source, b *table.Block, commonScale, halfCloud float64) (float64, error) {
	if a.maxAbs == 0 {
		return commonScale, nil
	}
	finest := powerOfTen(max(a.halfExtent/maxSteps, a.maxAbs/(1<<52)))
	switch {
	case a.isDecimal && a.lastDigit >= finest:
		return min(commonScale, a.lastDigit), nil
	case a.isDecimal && a.lastDigit*maxSteps >= a.typical:
		return 0, a.precisionError(src, b, finest, fmt.Sprintf("last digits of %v", a.lastDigit))
	}
	maxStep := maxRelativeStep * max(a.typical, noiseRatio*halfCloud)
	if commonScale <= maxStep {
		return commonScale, nil
	}
	if finest > maxStep {
		return 0, a.precisionError(src, b, finest, fmt.Sprintf("typical distances of %v", a.typical))
	}
	return max(powerOfTen(maxStep/10), finest), nil
}

// precisionError reports that the farthest row would make other rows lose digits.
func (a *axisStats) precisionError(src table.Source, b *table.Block, finest float64, of string) error {
	return fmt.Errorf("%s: %c is %v: with this row, LAS would round %c to steps of %v, but other rows have %s: las: %w: drop this row, or use ply, npy or parquet",
		pointio.Place(src, b, a.farRow), a.name, a.farValue, a.name, finest, of, table.ErrCannotHold)
}

// product returns n·step. If step is a power of ten of at least 10⁻²², then step or 1/step is
// exact, and the result is rounded once.
func product(n, step float64) float64 {
	if e := math.Round(math.Log10(step)); e < 0 {
		return n / math.Pow10(int(-e))
	}
	return n * step
}

// findLastDigit returns the place value of the last decimal digit of finite coordinates. It returns
// false unless each coordinate is the float64 nearest to a decimal number with at most twelve
// decimal places. Integers below 2⁵³ and powers of ten up to 10²² are exact in float64. Therefore
// the quotient of two such numbers is rounded once.
func findLastDigit(all []float64) (float64, bool) {
	const maxDigits = 12
	digits, p := 0, 1.0
	for _, x := range all {
		for math.Round(x*p)/p != x {
			if digits++; digits > maxDigits {
				return 0, false
			}
			p = math.Pow10(digits)
		}
		if math.Abs(x*p) >= 1<<53 {
			return 0, false
		}
	}
	return math.Pow10(-digits), true
}

// powerOfTen returns the least power of ten that is at least x and at least 10⁻³⁰⁰.
func powerOfTen(x float64) float64 {
	e := max(-300, int(math.Floor(math.Log10(x)))-1)
	for math.Pow10(e) < x {
		e++
	}
	return math.Pow10(e)
}
