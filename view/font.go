package view

import (
	_ "embed"
	"image"
	"image/color"
	"strings"
)

// fontText has a line for each printable ASCII character but the blank: the character
// and its rows from the top, five pixels each, the last two below the base line.
//
//go:embed assets/font.txt
var fontText string

// Size of the letters in pixels, with the gaps beside and below.
const (
	letterWidth  = 6
	letterHeight = 11
)

// letters are the rows of each character of fontText.
var letters = parseFont(fontText)

func parseFont(text string) map[rune][]string {
	out := map[rune][]string{' ': nil}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		out[rune(fields[0][0])] = fields[1:]
	}
	return out
}

// text writes s with its top left corner at (x, y), each pixel of a letter being
// scale pixels large. What the font lacks becomes a question mark.
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

// shortened returns s, its middle left out if text would write it wider than that.
func shortened(s string, width, scale int) string {
	r := []rune(s)
	if n := max(4, width/(scale*letterWidth)); len(r) > n {
		head := (n - 3) / 2
		return string(r[:head]) + "..." + string(r[len(r)-(n-3-head):])
	}
	return s
}
