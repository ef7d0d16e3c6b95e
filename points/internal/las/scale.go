package las

import (
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

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

const (
	// Offsets are multiples of so many steps, for the eye.
	coarse = 1e6
	// So many steps may be between a coordinate and the middle of all, as the offset is at
	// most half of coarse beside that.
	reach = math.MaxInt32 - coarse
	// Coordinates that are no decimals are rounded to steps of at most that part of their
	// typical distance: five digits. A choice.
	mostRounded = 1e-5
	// A typical distance that is a smaller part of the extent of the cloud may be noise, as
	// of a plane that was turned; steps are not made for it. A choice: so others may lie a
	// fiftieth of the extent away (10⁻⁶ · mostRounded · 2³¹).
	noise = 1e-6
)

// axis is what the rows that are kept ask of the scale of a coordinate.
type axis struct {
	name    byte
	lo, hi  float64
	half    float64 // of the extent, so that nothing overflows
	largest float64 // absolute value
	typical float64 // median of the distances from the median that are not 0
	last    float64 // power of ten of the last digits
	decimal bool    // there are last digits
	far     int     // row that is farthest from the median
	value   float64 // of that row
}

// newAxis looks at the finite coordinates i of the rows of b that are kept.
func newAxis(b *table.Block, i int) axis {
	a := axis{name: "xyz"[i], lo: math.Inf(1), hi: math.Inf(-1)}
	var all []float64
	for k, p := range b.Points {
		if x := [3]float64{p.X, p.Y, p.Z}[i]; x-x == 0 && !b.Dropped(k) {
			all = append(all, x)
		}
	}
	a.last, a.decimal = lastDigit(all)
	if len(all) == 0 {
		return a
	}
	slices.Sort(all)
	a.lo, a.hi = all[0], all[len(all)-1]
	a.half, a.largest = a.hi/2-a.lo/2, max(-a.lo, a.hi)
	median := all[(len(all)-1)/2]
	a.value = a.hi
	if median/2-a.lo/2 > a.hi/2-median/2 {
		a.value = a.lo
	}
	for k, p := range b.Points {
		if [3]float64{p.X, p.Y, p.Z}[i] == a.value && !b.Dropped(k) {
			a.far = k
			break
		}
	}
	distances := all[:0]
	for _, x := range all {
		if d := math.Abs(x/2 - median/2); d > 0 {
			distances = append(distances, d)
		}
	}
	if a.typical = a.largest; len(distances) > 0 {
		slices.Sort(distances)
		a.typical = 2 * distances[(len(distances)-1)/2]
	}
	return a
}

// steps returns scales, which are powers of ten, and offsets for the rows of b that are
// kept.
//
// The same scale for all axes is at least 10⁻⁸ of the extent, and 2⁻⁵² of the largest
// coordinate, which is the spacing of float64. So the points take at most 10⁸ of the 2³²
// steps, and others may lie twenty times the extent beyond them. If the coordinates are
// decimals, as surveyors write them, it is a tenth of their last digit, but at most 10⁻⁵ of
// the extent, so that others may lie far beyond; or it is their last digit, if that is at
// least 10⁻⁹ of the extent.
//
// Where that would drop digits, an axis has a scale of its own: its last digit, if the
// 2³² steps hold all of the axis so; or what mostRounded allows. If its rows do not fit
// then, but those at a typical distance from the median would, the error names the row
// that is farthest and wraps table.ErrCannotHold. Decimals of which not even these fit
// are rounded as if they were none.
//
// The offset is 0 if that leaves all coordinates within 2³⁰ steps, and else a multiple of
// 10⁶ steps near the middle.
func steps(src table.Source, b *table.Block) (scale, offset [3]float64, err error) {
	var axes [3]axis
	half, largest, last, decimal := 0.0, 0.0, 1.0, true
	for i := range axes {
		axes[i] = newAxis(b, i)
		a := &axes[i]
		half, largest = max(half, a.half), max(largest, a.largest)
		last, decimal = min(last, a.last), decimal && a.decimal
	}
	step := 1e-3 // where nothing says how large the cloud is: millimetres, if units are metres
	same := true
	if largest > 0 {
		if half == 0 {
			half = largest / 2
		}
		spacing := largest / (1 << 52)
		step = power(max(2e-8*half, spacing))
		if same = decimal && last >= max(2e-9*half, spacing); same {
			step = max(min(step, last), min(last/10, power(2e-6*half)))
		}
	}
	for i := range axes {
		a := &axes[i]
		scale[i] = step
		if !same {
			if scale[i], err = a.step(src, b, step, half); err != nil {
				return scale, offset, err
			}
		}
		if a.largest/scale[i] > 1<<30 {
			middle := a.lo/2 + a.hi/2
			offset[i] = times(math.Round(middle/scale[i]/coarse)*coarse, scale[i])
			if o := offset[i]; o-o != 0 {
				offset[i] = middle
			}
		}
	}
	return scale, offset, nil
}

// step returns the scale of an axis of which the scale for all, of a cloud whose extent is
// twice half, may drop digits.
func (a *axis) step(src table.Source, b *table.Block, all, half float64) (float64, error) {
	if a.largest == 0 {
		return all, nil
	}
	finest := power(max(a.half/reach, a.largest/(1<<52)))
	switch {
	case a.decimal && a.last >= finest:
		return min(all, a.last), nil
	case a.decimal && a.last*reach >= a.typical:
		return 0, a.lost(src, b, finest, fmt.Sprintf("last digits of %v", a.last))
	}
	most := mostRounded * max(a.typical, noise*half)
	if all <= most {
		return all, nil
	}
	if finest > most {
		return 0, a.lost(src, b, finest, fmt.Sprintf("typical distances of %v", a.typical))
	}
	return max(power(most/10), finest), nil
}

// lost is the error of a row that takes the digits of the others.
func (a *axis) lost(src table.Source, b *table.Block, finest float64, of string) error {
	return fmt.Errorf("%s: %c is %v: to reach that, LAS would round %c to steps of %v, and other rows have %s: las: %w: keep the rows without it, or want ply, npy or parquet",
		pointio.Place(src, b, a.far), a.name, a.value, a.name, finest, of, table.ErrCannotHold)
}

// times returns n·step, rounded once if step is a power of ten not below 10⁻²²: other
// than that, its reciprocal is exact.
func times(n, step float64) float64 {
	if e := math.Round(math.Log10(step)); e < 0 {
		return n / math.Pow10(int(-e))
	}
	return n * step
}

// lastDigit returns the power of ten of the last digit of finite coordinates that are
// decimals, each the float64 nearest to a decimal number of at most twelve digits behind
// the point. The quotient of a whole number, below 2⁵³, and a power of ten, below 10²²,
// both exact, is rounded once, and so is that float64.
func lastDigit(all []float64) (float64, bool) {
	const most = 12
	digits, p := 0, 1.0
	for _, x := range all {
		for math.Round(x*p)/p != x {
			if digits++; digits > most {
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

// power returns the least power of ten that is at least x, and a normal number.
func power(x float64) float64 {
	e := max(-300, int(math.Floor(math.Log10(x)))-1)
	for math.Pow10(e) < x {
		e++
	}
	return math.Pow10(e)
}
