package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// logTicks marks powers of ten and their multiples by 2 to 9. If an axis has fewer than two powers
// of ten, the multiples by 2 and 5 also get labels. Labels are decimal numbers if these are short.
type logTicks struct{}

// Ticks returns the marks of an axis from lo to hi.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	powers := 0
	for e := first; e <= last; e++ {
		if v := math.Pow10(e); v >= lo && v <= hi {
			powers++
		}
	}
	every, steps := (last-first)/8+1, 10
	if last-first > 6 {
		steps = 2 // only powers, because marks of multiples would overlap
	}
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		for k := 1; k < steps; k++ {
			v := math.Pow10(e) * float64(k)
			if v < lo || v > hi {
				continue
			}
			t := plot.Tick{Value: v}
			if k == 1 && (e-first)%every == 0 || powers < 2 && (k == 2 || k == 5) {
				t.Label = tickLabel(k, e)
				if powers < 2 && e >= -2 && e <= 3 {
					t.Label = linearLabel(v)
				}
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// tickLabel formats k·10^e: 1, 10, 10², 10³, 10⁻¹ and so on, and 2, 50, 2·10³ between powers.
func tickLabel(k, e int) string {
	switch {
	case e == 0:
		return strconv.Itoa(k)
	case e == 1:
		return strconv.Itoa(10 * k)
	}
	digits := []rune(strconv.Itoa(e))
	for i, d := range digits {
		if d == '-' {
			digits[i] = '⁻'
		} else {
			digits[i] = superscripts[d-'0']
		}
	}
	power := "10" + string(digits)
	if k == 1 {
		return power
	}
	return fmt.Sprintf("%d·%s", k, power)
}

// linearTicks marks about five multiples of a step. The step is 1, 2 or 5 times a power of ten.
type linearTicks struct{}

// Ticks returns the marks of an axis from lo to hi.
func (linearTicks) Ticks(lo, hi float64) []plot.Tick {
	const wanted = 5
	rough := (hi - lo) / wanted
	step := math.Pow10(int(math.Floor(math.Log10(rough))))
	for _, k := range []float64{2, 2.5, 2} { // the products are 2, 5 and 10
		if step*k <= 1.3*rough { // the factor 1.3 accepts one tick too few, because the next smaller step would have about twice as many ticks
			step *= k
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: linearLabel(i * step)})
	}
	return ticks
}

// linearLabel formats a multiple of a step, with a comma between groups of three digits.
func linearLabel(v float64) string {
	s := fmt.Sprintf("%.10g", v) // hides the rounding error of a product
	whole, fraction, ok := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if ok {
		whole += "." + fraction
	}
	return strings.Replace(whole, "-", "−", 1)
}
