package section

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"
)

// ErrUnit reports a unit that SVG does not have.
var ErrUnit = errors.New("unknown unit of length")

// SVGUnits are the units of SVGOptions.
var SVGUnits = []string{"mm", "cm", "in", "pt", "pc", "px"}

// SVGOptions configures WriteSVG. The zero value is valid.
type SVGOptions struct {
	// Unit is the unit of the mesh, one of SVGUnits. Then the picture is drawn to scale: width and
	// height have this unit. If Unit is "", the picture has no size and fills its frame.
	Unit string
	// Title is the title of the picture.
	Title string
}

// svgMargin is the empty margin of a picture, relative to its longer side.
const svgMargin = 0.02 // tuning

// WriteSVG writes sections as one SVG 1.1 picture with a layer for each section (a group that
// Inkscape also shows as a layer). The unit of the view box is the unit of the mesh. The first
// coordinate of Section.Frame points right and the second points up. Filled regions are paths with
// the fill rule evenodd. Every fill rule gives the same picture, because the rings do not overlap.
// The sections of an open mesh are lines.
//
// Errors: ErrUnit; the errors of w.
func WriteSVG(w io.Writer, list []*Section, opt SVGOptions) error {
	if opt.Unit != "" && !slices.Contains(SVGUnits, opt.Unit) {
		return fmt.Errorf("%w: %q: expected one of %s", ErrUnit, opt.Unit, strings.Join(SVGUnits, ", "))
	}
	lo, hi := extent(list)
	size := [2]float64{hi[0] - lo[0], hi[1] - lo[1]}
	margin := svgMargin * max(size[0], size[1])
	if margin == 0 {
		margin = 1
	}
	left, top, width, height := lo[0]-margin, -hi[1]-margin, size[0]+2*margin, size[1]+2*margin
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" version="1.1" viewBox="%s %s %s %s"`,
		number(left), number(top), number(width), number(height))
	if opt.Unit != "" {
		fmt.Fprintf(b, ` width="%s%s" height="%s%s"`, number(width), opt.Unit, number(height), opt.Unit)
	}
	b.WriteString(">\n")
	if opt.Title != "" {
		fmt.Fprintf(b, "<title>%s</title>\n", escape(opt.Title))
	}
	b.WriteString("<style>path { fill: #b8c4d0; stroke: #20303c; stroke-width: 1px; stroke-linejoin: round; vector-effect: non-scaling-stroke } .line { fill: none }</style>\n")
	for i, s := range list {
		fmt.Fprintf(b, `<g id="section-%d" inkscape:groupmode="layer" inkscape:label="%s">`+"\n", i+1, escape(s.Plane.Label()))
		for _, p := range s.Polygons {
			b.WriteString(`<path fill-rule="evenodd" d="`)
			s.path(b, p.Outer.Points, true)
			for _, h := range p.Holes {
				s.path(b, h.Points, true)
			}
			b.WriteString("\"/>\n")
		}
		if !s.Closed {
			for _, c := range s.Contours {
				b.WriteString(`<path class="line" d="`)
				s.path(b, c.Points, c.Closed)
				b.WriteString("\"/>\n")
			}
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}

// extent returns the box of all points in the frames of the sections.
func extent(list []*Section) (lo, hi [2]float64) {
	lo, hi = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, s := range list {
		for _, c := range s.Contours {
			for _, p := range c.Points {
				for k, x := range s.Frame.At(p) {
					lo[k], hi[k] = min(lo[k], x), max(hi[k], x)
				}
			}
		}
	}
	if lo[0] > hi[0] {
		return [2]float64{}, [2]float64{}
	}
	return lo, hi
}

// path writes the commands of a polyline.
func (s *Section) path(b *bufio.Writer, points []r3.Vector, closed bool) {
	for i, p := range points {
		command := 'L'
		if i == 0 {
			command = 'M'
		}
		q := s.Frame.At(p)
		fmt.Fprintf(b, "%c%s %s", command, number(q[0]), number(-q[1]))
	}
	if closed {
		b.WriteByte('Z')
	}
}

// number formats x with the digits that identify it. It writes −0 as 0.
func number(x float64) string { return strconv.FormatFloat(x+0, 'g', -1, 64) }

// escape escapes text for XML, and replaces characters that XML does not allow.
func escape(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}

// Label returns a short text for the plane, such as z=1.5, or the origin and the normal.
func (p Plane) Label() string {
	if g := newGeometry(p); g.axis {
		return string("xyz"[g.k]) + "=" + number(at(p.Origin, g.k))
	}
	text := func(v r3.Vector) string { return number(v.X) + "," + number(v.Y) + "," + number(v.Z) }
	return "origin " + text(p.Origin) + ", normal " + text(p.Normal)
}
