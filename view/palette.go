package view

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"github.com/inpoly/inpoly"
)

type rgb [3]uint8

// Hex returns #rrggbb.
func (c rgb) Hex() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// sideColors holds the colors of points, indexed by inpoly.Side. Most color-blind people can
// distinguish blue and orange. All four colors are visible on black and on white.
var sideColors = [4]rgb{
	inpoly.Unknown:   {0xa8, 0x55, 0xf7},
	inpoly.Outside:   {0xe8, 0x9a, 0x1c},
	inpoly.OnSurface: {0x12, 0xa8, 0x6b},
	inpoly.Inside:    {0x1f, 0x77, 0xe0},
}

// sideNames holds the values of the column "state", indexed by inpoly.Side.
var sideNames = [4]string{inpoly.Unknown: "uncertain", inpoly.Outside: "out", inpoly.OnSurface: "on", inpoly.Inside: "in"}

var sideOrder = [4]inpoly.Side{inpoly.Inside, inpoly.Outside, inpoly.OnSurface, inpoly.Unknown}

var (
	meshColor        = rgb{0x7c, 0x90, 0xad}
	openColor        = rgb{0xee, 0x22, 0x2c}
	misorientedColor = rgb{0xf0, 0x1e, 0xb4}
	flippedColor     = rgb{0xf0, 0x1e, 0xb4}
	nonManifoldColor = rgb{0x00, 0xb4, 0xc8}
	duplicateColor   = rgb{0xb0, 0x6a, 0x2c}
	// intersectingColor is yellow, which none of the other defects has.
	intersectingColor = rgb{0xe6, 0xc8, 0x00}
	zeroAreaColor     = rgb{0x8d, 0xb6, 0x00}
	inwardColor       = rgb{0x8a, 0x5c, 0xf6}
)

type scaleStop struct {
	w float64
	c color.NRGBA
}

// windingScale holds the colors of winding numbers. The color is nearly transparent at 0. At 1, it
// is the color of inside points. Colors between two stops are interpolated linearly. Beyond the
// first and the last stop, the color is constant.
var windingScale = []scaleStop{
	{-2, color.NRGBA{0x6d, 0x10, 0x4a, 230}},
	{-1, color.NRGBA{0xd0, 0x3c, 0x78, 220}},
	{-0.5, color.NRGBA{0xe8, 0x9a, 0xb4, 170}},
	{0, color.NRGBA{0xb4, 0xbe, 0xcc, 36}},
	{0.5, color.NRGBA{0x8c, 0xbe, 0xee, 170}},
	{1, color.NRGBA{0x1f, 0x77, 0xe0, 220}},
	{2, color.NRGBA{0x1a, 0x3c, 0x9c, 230}},
	{4, color.NRGBA{0x0c, 0x14, 0x50, 240}},
}

// windingColor returns the color of a winding number. NaN is transparent.
func windingColor(w float64) color.NRGBA {
	stops := windingScale
	switch {
	case math.IsNaN(w):
		return color.NRGBA{}
	case w <= stops[0].w:
		return stops[0].c
	}
	for i := 1; i < len(stops); i++ {
		if a, b := stops[i-1], stops[i]; w <= b.w {
			return blend(a.c, b.c, (w-a.w)/(b.w-a.w))
		}
	}
	return stops[len(stops)-1].c
}

func blend(a, b color.NRGBA, t float64) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), mix(a.A, b.A)}
}

type scaleRange struct{ lo, hi float64 }

// scaleRange returns the smallest range of integers that contains 0, 1 and the winding numbers of
// the slice. The range is clamped to the color scale.
func (x *slice) scaleRange() scaleRange {
	first, last := windingScale[0].w, windingScale[len(windingScale)-1].w
	r := scaleRange{0, 1}
	if x.minW <= x.maxW {
		// A rounded winding number can lie slightly beyond an integer. The code moves the limits
		// by the error bound, so such a number does not extend the range.
		r.lo = min(0, max(first, math.Floor(x.minW+x.bound)))
		r.hi = max(1, min(last, math.Ceil(x.maxW-x.bound)))
	}
	return r
}

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
