package view

import (
	"math"
	"strconv"
)

// scaleRange is what a legend of winding numbers spans.
type scaleRange struct{ lo, hi float64 }

// scaleRange returns the whole numbers around those of the slice, 0 and 1 at least,
// and within the colour scale.
func (x *slice) scaleRange() scaleRange {
	first, last := windingScale[0].w, windingScale[len(windingScale)-1].w
	r := scaleRange{0, 1}
	if x.least <= x.most {
		// A real number that is whole but for its bound must not add a step.
		r.lo = min(0, max(first, math.Floor(x.least+x.bound)))
		r.hi = max(1, min(last, math.Ceil(x.most-x.bound)))
	}
	return r
}

// ticks returns the whole numbers of the range with their words.
func (r scaleRange) ticks() (at []float64, text []string) {
	first, last := windingScale[0].w, windingScale[len(windingScale)-1].w
	for w := r.lo; w <= r.hi; w++ {
		word := strconv.FormatFloat(w, 'g', -1, 64)
		switch w {
		case first:
			word = "<=" + word
		case last:
			word = ">=" + word
		}
		at, text = append(at, w), append(text, word)
	}
	return at, text
}
