package view

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"sort"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// packedFont holds the font Go Regular, which contains the characters of the Latin, Greek and
// Cyrillic scripts. It is goregular.TTF of golang.org/x/image, compressed with gzip to half of its
// size. INPOLY_UPDATE=1 go test -run TestFont writes it.
//
//go:embed font.gz
var packedFont []byte

func unpackFont() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packedFont))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

var parseFont = sync.OnceValues(func() (*opentype.Font, error) {
	font, err := unpackFont()
	if err != nil {
		return nil, err
	}
	return opentype.Parse(font)
})

// lettering draws text of one size. It is not safe for concurrent use.
type lettering struct {
	face font.Face
	size float64
}

// newLettering returns letters whose em square has the given size in pixels.
func newLettering(size float64) (lettering, error) {
	f, err := parseFont()
	if err != nil {
		return lettering{}, err
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	return lettering{face, size}, err
}

// width returns the width of s in pixels.
func (l lettering) width(s string) float64 { return float64(font.MeasureString(l.face, s)) / 64 }

// line returns the distance of base lines in pixels.
func (l lettering) line() float64 { return 1.5 * l.size }

// draw draws s with its first letter at x. y is the base line. A box replaces each character that
// the font does not contain.
func (l lettering) draw(img draw.Image, x, y float64, s string, c color.Color) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: l.face,
		Dot: fixed.Point26_6{X: fixed.Int26_6(math.Round(64 * x)), Y: fixed.Int26_6(64 * math.Round(y))}}
	d.DrawString(s)
}

// shortened returns s if its width is at most the given width. Otherwise it replaces the middle of s
// by an ellipsis.
func (l lettering) shortened(s string, width float64) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if l.width(s) <= width {
		return s
	}
	r := []rune(s)
	without := func(n int) string { // removes n characters
		kept := len(r) - n
		return string(r[:(kept+1)/2]) + "…" + string(r[len(r)-kept/2:])
	}
	return without(sort.Search(len(r), func(n int) bool { return l.width(without(n)) <= width }))
}
