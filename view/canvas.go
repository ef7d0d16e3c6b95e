package view

import (
	"image"
	"image/color"
	"math"
)

// canvas draws on an image. What lies outside is left out.
type canvas struct{ img *image.NRGBA }

// cover lays a colour over a pixel, with that share of it covered.
func (c canvas) cover(x, y int, col rgb, share float64) {
	if share <= 0 || !(image.Point{X: x, Y: y}).In(c.img.Rect) {
		return
	}
	share = min(1, share)
	under := c.img.NRGBAAt(x, y)
	// Porter, Duff 1984: A over B, colours not multiplied by their opacity.
	rest := float64(under.A) / 255 * (1 - share)
	alpha := share + rest
	mix := func(top, below uint8) uint8 {
		return uint8(math.Round((float64(top)*share + float64(below)*rest) / alpha))
	}
	c.img.SetNRGBA(x, y, color.NRGBA{mix(col[0], under.R), mix(col[1], under.G), mix(col[2], under.B), uint8(math.Round(255 * alpha))})
}

// fill paints a rectangle.
func (c canvas) fill(r image.Rectangle, col color.NRGBA) {
	r = r.Intersect(c.img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.img.SetNRGBA(x, y, col)
		}
	}
}

// line draws a line of that width with soft sides: pixel by pixel along its steeper
// axis, and across it as many as the width needs.
func (c canvas) line(ax, ay, bx, by, width float64, col rgb) {
	steep := math.Abs(by-ay) > math.Abs(bx-ax)
	r := c.img.Rect
	lo, hi := r.Min.X, r.Max.X
	if steep {
		ax, ay, bx, by = ay, ax, by, bx
		lo, hi = r.Min.Y, r.Max.Y
	}
	if ax > bx {
		ax, ay, bx, by = bx, by, ax, ay
	}
	slope := 0.0
	if bx > ax {
		slope = (by - ay) / (bx - ax)
	}
	// The width across the axis of a line that is not parallel to it.
	half := width / 2 * math.Hypot(1, slope)
	from, to := math.Floor(max(float64(lo), ax-width/2)), math.Ceil(min(float64(hi), bx+width/2))
	for x := from; x < to; x++ {
		// How much of the pixel the line reaches along its axis.
		along := min(x+1, bx+width/2) - max(x, ax-width/2)
		y := ay + slope*(min(max(x+0.5, ax), bx)-ax)
		for k := math.Floor(y - half); k < y+half; k++ {
			share := along * (min(k+1, y+half) - max(k, y-half))
			if steep {
				c.cover(int(k), int(x), col, share)
			} else {
				c.cover(int(x), int(k), col, share)
			}
		}
	}
}

// disc draws a filled circle with a soft rim.
func (c canvas) disc(x, y, radius float64, col rgb) {
	for j := math.Floor(y - radius - 1); j <= y+radius; j++ {
		for i := math.Floor(x - radius - 1); i <= x+radius; i++ {
			c.cover(int(i), int(j), col, radius+0.5-math.Hypot(i+0.5-x, j+0.5-y))
		}
	}
}
