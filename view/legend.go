package view

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
)

// sideWords returns the names of sides in sentences, indexed by inpoly.Side.
func (s *Scene) sideWords() [4]string {
	words := [4]string{inpoly.Unknown: "uncertain", inpoly.Outside: "outside", inpoly.OnSurface: "on the surface", inpoly.Inside: "inside"}
	if t := s.report.Tolerance; t > 0 {
		words[inpoly.OnSurface] = fmt.Sprintf("within %.6g of the surface", t)
	}
	return words
}

// entry is an item of the legend.
type entry struct {
	text  string
	color rgb
	line  bool // the symbol is a line, otherwise a disc
	scale bool // the color scale of winding numbers follows the text
	faint bool // the object is not drawn
}

// layout is the arrangement of a picture: the title at the top, the room for the drawing, and the
// legend at the bottom.
type layout struct {
	theme          theme
	room           image.Rectangle
	title, text    lettering
	name, subtitle string
	rows           [][]entry
	notes          []string
	rim            float64
	bottom         float64 // y coordinate of the bottom of the legend
	span           scaleRange
}

// layout arranges the texts. If the picture is too small, it omits notes, then the legend, then the
// title, so that the drawing gets at least half of the height.
func (p *painter) layout() (*layout, error) {
	size := 6 + 12*min(float64(p.opt.Width), 1.6*float64(p.opt.Height))/1280 // 12 pixels for 640 × 400, 18 for 1280 × 800
	text, err := newLettering(size)
	if err != nil {
		return nil, err
	}
	title, err := newLettering(1.35 * size)
	if err != nil {
		return nil, err
	}
	l := &layout{theme: p.theme, title: title, text: text, rim: 1.4 * size}
	width, height := float64(p.opt.Width)-2*l.rim, float64(p.opt.Height)
	if p.opt.Cut {
		l.span = p.scene.slice.scaleRange()
	}
	l.name = title.shortened(quote.Line(p.scene.opt.Name), width)
	l.subtitle = text.shortened(p.subtitle(), width)
	l.arrange(p.entries(), width)
	for _, n := range p.notes() {
		l.notes = append(l.notes, text.shortened(n, width))
	}
	for _, omit := range []func(){func() {}, func() { l.notes = nil }, func() { l.rows = nil }, func() { l.name, l.subtitle = "", "" }} {
		omit()
		if l.head()+l.foot() <= height/2 {
			break
		}
	}
	l.bottom = height
	l.room = image.Rect(0, int(l.head()), p.opt.Width, int(height-l.foot()))
	return l, nil
}

// head returns the height of the title.
func (l *layout) head() float64 {
	h := 0.0
	if l.name != "" {
		h += l.title.line()
	}
	if l.subtitle != "" {
		h += l.text.line()
	}
	if h > 0 {
		h += l.rim - 0.4*l.text.size
	}
	return h
}

// foot returns the height of the legend and the notes.
func (l *layout) foot() float64 {
	if n := len(l.rows) + len(l.notes); n > 0 {
		return l.rim + float64(n)*l.text.line()
	}
	return 0
}

// The widths of a symbol with the gap to its text, and of the gap between entries, relative to the
// size of the text.
const (
	symbolWidth = 1.25
	entryGap    = 1.9
	scaleWidth  = 6.5
)

// arrange divides entries into rows.
func (l *layout) arrange(entries []entry, width float64) {
	used := 0.0
	for _, e := range entries {
		e.text = l.text.shortened(e.text, width-symbolWidth*l.text.size)
		w := symbolWidth*l.text.size + l.text.width(e.text)
		if e.scale {
			w += scaleWidth * l.text.size
		}
		if n := len(l.rows); n > 0 && used+entryGap*l.text.size+w <= width {
			l.rows[n-1] = append(l.rows[n-1], e)
			used += entryGap*l.text.size + w
		} else {
			l.rows = append(l.rows, []entry{e})
			used = w
		}
	}
}

// draw draws the texts into img.
func (l *layout) draw(img *image.NRGBA) {
	c := canvas{img}
	ink, faint := l.theme.ink.opaque(), l.theme.faint.opaque()
	y := l.rim - 0.4*l.text.size
	if l.name != "" {
		y += l.title.line()
		l.title.draw(img, l.rim, y-0.4*l.title.size, l.name, ink)
	}
	if l.subtitle != "" {
		y += l.text.line()
		l.text.draw(img, l.rim, y-0.45*l.text.size, l.subtitle, faint)
	}
	y = l.bottom - l.foot() + 0.4*l.text.size
	for _, row := range l.rows {
		x := l.rim
		middle := y + 0.62*l.text.size
		for _, e := range row {
			half := 0.36 * l.text.size
			words := ink
			if e.faint {
				words = faint
			}
			switch {
			case e.scale:
				l.text.draw(img, x, y+l.text.size, e.text, words)
				x += l.text.width(e.text) + 0.6*l.text.size
				x += l.drawScale(c, x, y) + entryGap*l.text.size
				continue
			case e.line:
				c.line(x, middle, x+0.85*l.text.size, middle, math.Max(2, 0.17*l.text.size), e.color)
			case e.faint:
				c.disc(x+half, middle, half, e.color)
				c.disc(x+half, middle, half-math.Max(1.2, 0.1*l.text.size), l.theme.ground)
			default:
				c.disc(x+half, middle, half, e.color)
			}
			x += symbolWidth * l.text.size
			l.text.draw(img, x, y+l.text.size, e.text, words)
			x += l.text.width(e.text) + entryGap*l.text.size
		}
		y += l.text.line()
	}
	for _, n := range l.notes {
		l.text.draw(img, l.rim, y+l.text.size, n, faint)
		y += l.text.line()
	}
}

// drawScale draws the colors of winding numbers with the smallest and the largest number beside them.
// It returns the width.
func (l *layout) drawScale(c canvas, x, y float64) float64 {
	start := x
	_, texts := l.span.ticks()
	l.text.draw(c.img, x, y+l.text.size, texts[0], l.theme.ink.opaque())
	x += l.text.width(texts[0]) + 0.4*l.text.size
	from, width, high := int(x), int(4*l.text.size), int(0.7*l.text.size)
	for i := range width {
		w := l.span.lo + (l.span.hi-l.span.lo)*(float64(i)+0.5)/float64(width)
		f := windingColor(w)
		for j := range high {
			c.cover(from+i, int(y+0.27*l.text.size)+j, rgb{f.R, f.G, f.B}, float64(f.A)/255)
		}
	}
	x += float64(width) + 0.4*l.text.size
	last := texts[len(texts)-1]
	l.text.draw(c.img, x, y+l.text.size, last, l.theme.ink.opaque())
	return x + l.text.width(last) - start
}

func (c rgb) opaque() color.NRGBA { return color.NRGBA{c[0], c[1], c[2], 255} }

// commas returns n with a comma between groups of three digits.
func commas(n int64) string { return plural.Group(n, ",") }

func counted(n int64, noun string) string { return commas(n) + " " + plural.Noun(n, noun) }

// subtitle describes the mesh and the points.
func (p *painter) subtitle() string {
	d := &p.scene.report.Diagnosis
	text := counted(int64(d.Triangles), "triangle")
	if d.Triangles > 0 {
		text += map[bool]string{true: ", closed", false: ", not closed"}[d.ZeroBoundary]
	}
	if p.scene.surface.reduced {
		text += ", drawn with " + commas(int64(len(p.scene.surface.faces)))
	}
	if p.opt.Cut {
		text += ", cut at " + p.scene.slice.plane.Label()
	}
	if p.scene.cloud == nil {
		return text
	}
	n := p.scene.cloud.Counts()
	text += " · " + counted(n[0]+n[1]+n[2]+n[3], "point")
	if name := p.scene.opt.PointsName; name != "" {
		text += " of " + quote.Line(name)
	}
	return text
}

// entries returns the legend: the points by side, and the defects, the worst kind first.
func (p *painter) entries() []entry {
	var out []entry
	if p.scene.cloud != nil {
		counts, hidden, words := p.scene.cloud.Counts(), p.hidden(), p.scene.sideWords()
		for _, side := range sideOrder {
			if counts[side] == 0 && side != inpoly.Inside && side != inpoly.Outside {
				continue
			}
			e := entry{text: words[side] + " " + commas(counts[side]), color: sideColors[side], faint: hidden[side]}
			if e.faint {
				e.text += " (not drawn)"
			}
			out = append(out, e)
		}
	}
	if p.opt.Cut {
		out = append(out, entry{text: "winding number", scale: true})
	}
	for i := len(p.scene.layers) - 1; i >= 0; i-- {
		if l := p.scene.layers[i]; l.On {
			out = append(out, entry{text: l.Name + " " + commas(int64(l.Total)), color: l.Color, line: l.IsEdges()})
		}
	}
	return out
}

// notes returns sentences about points that are not drawn.
func (p *painter) notes() []string {
	s := p.scene
	if s.cloud == nil {
		return nil
	}
	var out []string
	if _, total, thinned := s.sampled(); thinned {
		out = append(out, fmt.Sprintf("The picture shows a random sample of %s of %s.", commas(int64(len(s.points))), counted(total, "point")))
	}
	if n := s.cloud.nonFinite; n > 0 {
		out = append(out, fmt.Sprintf("Not drawn: %s with a coordinate that is missing or not finite.", counted(n, "point")))
	}
	far, hidden := int64(s.far), p.hidden()
	for _, q := range s.points {
		if !hidden[q.side&3] && p.isFar(s.frame.local(q.p)) {
			far++
		}
	}
	if far > 0 {
		out = append(out, fmt.Sprintf("Not drawn: %s far from the mesh.", counted(far, "point")))
	}
	return out
}
