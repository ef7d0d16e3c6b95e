package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/view"
)

// The lengths of a picture are pixels. A panel is a square with a title above.
const (
	panelSide   = 216
	panelTitle  = 34
	panelGap    = 12
	panelsInRow = 3
)

// picture draws a panel for inpoly and for each function with a title. A panel has the section of
// the mesh and the points, in the colors of the answers. The result is SVG for light and dark pages.
func (c *brokenCase) picture(found []brokenRival) []byte {
	titles, outcomes := []string{"inpoly"}, []outcome{c.ours}
	for i, r := range found {
		if r.panel != "" {
			titles, outcomes = append(titles, r.panel), append(outcomes, c.others[i])
		}
	}
	rows := (len(titles) + panelsInRow - 1) / panelsInRow
	width := panelsInRow*(panelSide+panelGap) + panelGap
	height := rows*(panelSide+panelTitle+panelGap) + panelGap
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">
<title>%s</title>
<style>
text{font:12px system-ui,"Liberation Sans",Arial,sans-serif;fill:#1f2328}
.ground{fill:#fff}.panel{fill:#f6f8fa}.mesh{stroke:#57606a;fill:none;stroke-width:1}
.in{fill:#0072b2}.out{fill:#c4c9cf}.falsein{fill:#d55e00}.falseout{stroke:#d55e00;stroke-width:1.6;fill:none}.on{fill:#009e73}
.bad{fill:#b34700}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117}.panel{fill:#161b22}.mesh{stroke:#8b949e}
.in{fill:#56b4e9}.out{fill:#3d444d}.falsein{fill:#ff8c42}.falseout{stroke:#ff8c42}.bad{fill:#ff8c42}}
</style>
<rect class="ground" width="100%%" height="100%%"/>
`, width, height, width, height, c.trouble)
	section := c.section()
	for i, title := range titles {
		x := panelGap + i%panelsInRow*(panelSide+panelGap)
		y := panelGap + i/panelsInRow*(panelSide+panelTitle+panelGap)
		c.panel(&b, x, y, title, outcomes[i], section)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// panel draws the answers of one function.
func (c *brokenCase) panel(b *bytes.Buffer, x, y int, title string, o outcome, section string) {
	result, class := fmt.Sprintf("%d of %d differ, %d wrong", o.differ, len(c.pts), o.wrong), "bad"
	switch o.state {
	case refuses:
		result = "refuses the mesh"
	case fails:
		result = "fails"
	case noState:
		result = "has no answer “on the surface”"
	default:
		if o.undefined == len(o.bytes) {
			result = fmt.Sprintf("%d of %d differ, rule undefined", o.differ, len(c.pts))
		} else if o.differ == 0 {
			result = fmt.Sprintf("0 of %d wrong", len(c.pts))
		}
		if o.differ == 0 {
			class = "good"
		}
	}
	fmt.Fprintf(b, `<g transform="translate(%d %d)"><text y="11" font-weight="600">%s</text><text class="%s" y="27">%s</text>
<g transform="translate(0 %d)"><rect class="panel" width="%d" height="%d"/>
`, x, y, title, class, result, panelTitle, panelSide, panelSide)
	var marks [5]bytes.Buffer // by the rule of inpoly: inside, outside, on the surface; otherwise: inside, outside
	for i, answer := range o.bytes {
		if i >= sliceSide*sliceSide || c.truth[i] == undecided {
			continue
		}
		u, v, shown := c.project(c.pts[i])
		switch {
		case !shown:
		case answer == c.truth[i] && answer == 0:
			fmt.Fprintf(&marks[1], "M%d %dh3v3h-3z", u-1, v-1)
		case answer == c.truth[i] && answer == 1:
			fmt.Fprintf(&marks[0], "M%d %dh3v3h-3z", u-1, v-1)
		case answer == c.truth[i]:
			fmt.Fprintf(&marks[2], "M%d %dh3v3h-3z", u-1, v-1)
		case answer == 0:
			fmt.Fprintf(&marks[4], "M%d %dl4 4m0-4l-4 4", u-2, v-2)
		default:
			fmt.Fprintf(&marks[3], "M%d %dh5v5h-5z", u-2, v-2)
		}
	}
	for i, class := range []string{"in", "out", "on", "falsein", "falseout"} {
		if marks[i].Len() > 0 {
			fmt.Fprintf(b, "<path class=%q d=%q/>\n", class, marks[i].String())
		}
	}
	fmt.Fprintf(b, "%s</g></g>\n", section)
}

// project returns the position of a point in a panel, and whether it lies in the panel. The window of
// the mesh is scaled to the panel along each axis on its own.
func (c *brokenCase) project(p r3.Vector) (u, v int, shown bool) {
	x, y := c.fraction(p)
	u, v = int(x*panelSide+0.5), int((1-y)*panelSide+0.5)
	return u, v, x >= 0 && x <= 1 && y >= 0 && y <= 1
}

// fraction returns the position of a point in the window of the mesh, from 0 to 1.
func (c *brokenCase) fraction(p r3.Vector) (x, y float64) {
	lo, size := c.window(c.mesh)
	at, from, width := [3]float64{p.X, p.Y, p.Z}, [3]float64{lo.X, lo.Y, lo.Z}, [3]float64{size.X, size.Y, size.Z}
	i, k := (c.axis+1)%3, (c.axis+2)%3
	if c.axis == 1 { // x to the right, z up
		i, k = k, i
	}
	return (at[i] - from[i]) / width[i], (at[k] - from[k]) / width[k]
}

// section returns the section of the mesh with the plane of the picture, as an SVG path. It is empty
// for a scatter picture.
func (c *brokenCase) section() string {
	if c.scatter {
		return ""
	}
	height := func(p r3.Vector) float64 { return [3]float64{p.X, p.Y, p.Z}[c.axis] - c.at }
	var path bytes.Buffer
	for f := range int32(c.mesh.NumFaces()) {
		t := c.mesh.Triangle(f)
		var ends []r3.Vector
		for k := range 3 {
			a, b := t[k], t[(k+1)%3]
			// Each edge is cut from its lower end, so adjacent faces get the same point.
			if ha, hb := height(a), height(b); (ha < 0) != (hb < 0) {
				if ha > hb {
					a, b, ha, hb = b, a, hb, ha
				}
				ends = append(ends, a.Add(b.Sub(a).Mul(ha/(ha-hb))))
			}
		}
		if len(ends) == 2 {
			u0, v0, _ := c.project(ends[0])
			u1, v1, _ := c.project(ends[1])
			if u0 != u1 || v0 != v1 {
				fmt.Fprintf(&path, "M%d %dL%d %d", u0, v0, u1, v1)
			}
		}
	}
	return fmt.Sprintf("<path class=\"mesh\" d=%q/>", path.String())
}

// solidPicture returns a 3D picture of the mesh as PNG, as inpoly view draws it.
func (c *brokenCase) solidPicture(ctx context.Context) ([]byte, error) {
	solid, err := inpoly.New(ctx, c.mesh, inpoly.Options{})
	if err != nil {
		return nil, err
	}
	scene, err := view.New(ctx, solid, nil, view.Options{Name: c.key, NoSlice: true})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := scene.WritePicture(ctx, &b, view.PictureOptions{Width: 480, Height: 300}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
