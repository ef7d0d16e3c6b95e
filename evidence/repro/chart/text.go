package chart

import (
	"image/color"
	"math"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// outlines is an SVG canvas that draws text as outlines of the glyphs.
type outlines struct{ *vgsvg.Canvas }

// FillString draws a string with its baseline at pt.
func (c outlines) FillString(f font.Face, pt vg.Point, s string) {
	var (
		buf  sfnt.Buffer
		last sfnt.GlyphIndex
	)
	// With one pixel for each unit of the font, the outlines are exact.
	units := fixed.I(int(f.Face.UnitsPerEm()))
	scale := f.Font.Size / vg.Length(units)
	x := pt.X
	// The position of a glyph and its outlines are rounded separately, so equal glyphs have equal
	// outlines, and function share can define them once.
	rounded := func(v vg.Length) vg.Length { return vg.Length(math.Round(100*float64(v))) / 100 }
	at := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: rounded(x) + rounded(scale*vg.Length(p.X)), Y: rounded(pt.Y) - rounded(scale*vg.Length(p.Y))} // y of a glyph points down
	}
	for i, r := range []rune(s) {
		glyph, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if kern, err := f.Face.Kern(&buf, last, glyph, units, 0); err == nil {
				x += scale * vg.Length(kern)
			}
		}
		last = glyph
		segments, err := f.Face.LoadGlyph(&buf, glyph, units, nil)
		if err != nil {
			continue
		}
		var path vg.Path
		open := false
		for _, seg := range segments {
			switch seg.Op {
			case sfnt.SegmentOpMoveTo:
				if open {
					path.Close()
				}
				path.Move(at(seg.Args[0]))
				open = true
			case sfnt.SegmentOpLineTo:
				path.Line(at(seg.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(at(seg.Args[0]), at(seg.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(at(seg.Args[0]), at(seg.Args[1]), at(seg.Args[2]))
			}
		}
		if open {
			path.Close()
			c.Fill(path)
		}
		if advance, err := f.Face.GlyphAdvance(&buf, glyph, units, 0); err == nil {
			x += scale * vg.Length(advance)
		}
	}
}

// handler draws one line of text. Superscript digits and the superscript minus sign are drawn as
// small raised characters, because most fonts contain only some of them.
type handler struct{ text.Plain }

var superscripts = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")

const (
	raisedSize = 0.68 // size of raised characters relative to the others, as is usual in typesetting
	raise      = 0.36 // height of the raised baseline relative to the size of the font
)

// run is a part of a text with characters of one size.
type run struct {
	text   string
	raised bool
}

func runs(s string) (out []run) {
	for _, r := range s {
		raised := true
		switch {
		case r == '⁻':
			r = '−'
		default:
			raised = false
			for i, c := range superscripts {
				if r == c {
					r, raised = rune('0'+i), true
				}
			}
		}
		if n := len(out); n > 0 && out[n-1].raised == raised {
			out[n-1].text += string(r)
		} else {
			out = append(out, run{string(r), raised})
		}
	}
	return out
}

func (h handler) face(f font.Font, raised bool) font.Face {
	if raised {
		f.Size *= raisedSize
	}
	return h.Fonts.Lookup(f, f.Size)
}

func (h handler) width(s string, f font.Font) (w vg.Length) {
	for _, r := range runs(s) {
		face := h.face(f, r.raised)
		w += face.Width(r.text)
	}
	return w
}

// Box returns the size of a text. Package text documents the results.
func (h handler) Box(s string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Plain.Box(s, f)
	return h.width(s, f), height, depth
}

// Draw draws a text like text.Plain.
func (h handler) Draw(c vg.Canvas, s string, style text.Style, pt vg.Point) {
	if strings.TrimSpace(s) == "" {
		return
	}
	face := h.face(style.Font, false)
	c.SetColor(style.Color)
	if style.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(style.Rotation)
	}
	sin, cos := math.Sincos(style.Rotation)
	pt.X, pt.Y = pt.Y*vg.Length(sin)+pt.X*vg.Length(cos), pt.Y*vg.Length(cos)-pt.X*vg.Length(sin)
	pt.X += vg.Length(style.XAlign) * h.width(s, style.Font)
	pt.Y += style.Height(s)*vg.Length(style.YAlign) - face.Extents().Ascent + style.Font.Size
	for _, r := range runs(s) {
		f, y := h.face(style.Font, r.raised), pt.Y
		if r.raised {
			y += raise * style.Font.Size
		}
		c.FillString(f, vg.Point{X: pt.X, Y: y}, r.text)
		pt.X += f.Width(r.text)
	}
}

// style returns a style of text without serifs.
func style(size vg.Length, c color.Color, base text.Style) text.Style {
	base.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	base.Color = c
	base.Handler = handler{text.Plain{Fonts: plot.DefaultTextHandler.Cache()}}
	return base
}
