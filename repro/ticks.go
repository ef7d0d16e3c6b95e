package main

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// logTicks marks powers of ten, with their multiples between them; where there are fewer
// than two powers, 2 and 5 are named too.
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
		steps = 2 // no room for multiples
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
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// tickLabel writes k·10^e.
func tickLabel(k, e int) string {
	if e >= -3 && e <= 5 {
		return fmt.Sprintf("%.10g", float64(k)*math.Pow10(e))
	}
	return fmt.Sprintf("%de%d", k, e)
}

// linearTicks marks about five multiples of 1, 2 or 5 times a power of ten.
type linearTicks struct{}

// Ticks returns the marks of an axis from lo to hi.
func (linearTicks) Ticks(lo, hi float64) []plot.Tick {
	const wanted = 5
	rough := (hi - lo) / wanted
	step := math.Pow10(int(math.Floor(math.Log10(rough))))
	for _, k := range []float64{2, 2.5, 2} { // 2, 5, 10
		if step*k <= 1.3*rough { // rather one more than half as many
			step *= k
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		// ten digits hide the rounding of the product
		ticks = append(ticks, plot.Tick{Value: i * step, Label: fmt.Sprintf("%.10g", i*step)})
	}
	return ticks
}
