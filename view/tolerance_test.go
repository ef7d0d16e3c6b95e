package view

import (
	"image"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// With a tolerance, the legends say so, and the points within it are smaller than the other points.
func TestTolerance(t *testing.T) {
	pts := []r3.Vector{vector(0.5, 0.5, 1.01), vector(0.5, 0.5, 1.1)}
	for _, c := range []struct {
		tolerance float64
		want      string
		sides     []inpoly.Side
		smaller   inpoly.Side
	}{
		{0, "on the surface 1", []inpoly.Side{inpoly.OnSurface, inpoly.Outside}, inpoly.Outside},
		{0.02, "within 0.02 of the surface 1", nil, inpoly.OnSurface},
	} {
		solid := newSolid(t, testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), inpoly.Options{Tolerance: c.tolerance})
		sides := c.sides
		if sides == nil {
			sides = make([]inpoly.Side, len(pts))
			if err := solid.SidesTo(t.Context(), sides, pts); err != nil {
				t.Fatal(err)
			}
		}
		cloud := NewCloud(10)
		cloud.Add(0, pts, sides)
		scene := newScene(t, solid, cloud, Options{})
		p := painter{scene: scene, opt: PictureOptions{Width: 640, Height: 400}, theme: themes[Light]}
		if err := p.opt.check(); err != nil {
			t.Fatal(err)
		}
		legend := ""
		for _, e := range p.entries() {
			legend += e.text + ";"
		}
		if !strings.Contains(legend, c.want) {
			t.Errorf("tolerance %v: legend %q, want %q", c.tolerance, legend, c.want)
		}
		if page := visible(htmlPage(t, scene)); !strings.Contains(page, c.want) {
			t.Errorf("tolerance %v: the page does not say %q", c.tolerance, c.want)
		}
		if err := p.compose(t.Context(), image.Rect(0, 0, 640, 300)); err != nil {
			t.Fatal(err)
		}
		radius := map[inpoly.Side]float64{}
		for _, b := range p.raster.Balls {
			for _, side := range sideOrder {
				if b.Color == sideColors[side].linear() {
					radius[side] = b.Radius
				}
			}
		}
		on, out := radius[inpoly.OnSurface], radius[inpoly.Outside]
		if on <= 0 || out <= 0 || (on < out) != (c.smaller == inpoly.OnSurface) {
			t.Errorf("tolerance %v: radius %v on the surface, %v outside", c.tolerance, on, out)
		}
	}
}
