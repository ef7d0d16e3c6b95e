package view

import (
	_ "embed"
	"image"
	"image/color"
	"math"
	"strings"
)

// canvas draws on an image and clips to its bounds.
type canvas struct{ img *image.NRGBA }

// cover blends col over a pixel. share, from 0 to 1, is the part of the pixel that col covers.
func (c canvas) cover(x, y int, col rgb, share float64) {
	if share <= 0 || !(image.Point{X: x, Y: y}).In(c.img.Rect) {
		return
	}
	share = min(1, share)
	under := c.img.NRGBAAt(x, y)
	// Operator "over" of Porter and Duff 1984 for colors that are not premultiplied.
	rest := float64(under.A) / 255 * (1 - share)
	alpha := share + rest
	mix := func(top, below uint8) uint8 {
		return uint8(math.Round((float64(top)*share + float64(below)*rest) / alpha))
	}
	c.img.SetNRGBA(x, y, color.NRGBA{mix(col[0], under.R), mix(col[1], under.G), mix(col[2], under.B), uint8(math.Round(255 * alpha))})
}

func (c canvas) fill(r image.Rectangle, col color.NRGBA) {
	r = r.Intersect(c.img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.img.SetNRGBA(x, y, col)
		}
	}
}

// line draws an antialiased line. It steps from pixel to pixel along the axis in which the line is
// longer. In each step it covers the pixels across the line that the width needs.
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
	// half is half the extent of the line across the axis of the steps.
	half := width / 2 * math.Hypot(1, slope)
	from, to := math.Floor(max(float64(lo), ax-width/2)), math.Ceil(min(float64(hi), bx+width/2))
	for x := from; x < to; x++ {
		// along is the part of the pixel that the line covers along the axis of the steps.
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

// disc draws a filled antialiased circle.
func (c canvas) disc(x, y, radius float64, col rgb) {
	for j := math.Floor(y - radius - 1); j <= y+radius; j++ {
		for i := math.Floor(x - radius - 1); i <= x+radius; i++ {
			c.cover(int(i), int(j), col, radius+0.5-math.Hypot(i+0.5-x, j+0.5-y))
		}
	}
}

// fontText has one line for each printable ASCII character except the space: the character and its
// rows from top to bottom, each of five pixels. The last two rows are below the baseline.
//
//go:embed assets/font.txt
var fontText string

// Size of a letter in pixels, including the gap to the right and below.
const (
	letterWidth  = 6
	letterHeight = 11
)

// letters maps each character of fontText to its rows.
var letters = parseFont(fontText)

func parseFont(text string) map[rune][]string {
	out := map[rune][]string{' ': nil}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		out[rune(fields[0][0])] = fields[1:]
	}
	return out
}

// text draws s with the top left corner at (x, y). Each pixel of a letter becomes a square with
// sides of scale pixels. A question mark replaces characters that the font does not contain.
func (c canvas) text(x, y, scale int, s string, col color.NRGBA) {
	for _, r := range s {
		rows, ok := letters[r]
		if !ok {
			rows = letters['?']
		}
		for j, row := range rows {
			for i, bit := range row {
				if bit == '1' {
					px, py := x+scale*i, y+scale*j
					c.fill(image.Rect(px, py, px+scale, py+scale), col)
				}
			}
		}
		x += scale * letterWidth
	}
}

// shortened returns s if text draws s in at most width pixels. Otherwise dots replace the middle of
// s.
func shortened(s string, width, scale int) string {
	r := []rune(s)
	if n := max(4, width/(scale*letterWidth)); len(r) > n {
		head := (n - 3) / 2
		return string(r[:head]) + "..." + string(r[len(r)-(n-3-head):])
	}
	return s
}
