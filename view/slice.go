package view

import (
	"context"
	"fmt"
	"image"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// margin is the rim around the mesh's box in a slice, in its longer side: enough to
// see that the outside is outside. A choice.
const margin = 0.04

// slice is the winding number on a plane, and the cut of the mesh.
type slice struct {
	plane     Plane
	right, up int        // axes of the picture
	lo, hi    [2]float64 // of the picture, along right and up
	cols      int
	rows      int
	w         []float64 // at the middles of pixels, row by row from the top; NaN: no answer
	bound     float64   // largest error of w
	least     float64   // smallest and largest w
	most      float64
	segments  [][2][2]float64 // of the cut, along right and up
}

// newSlice computes the slice with the given number of pixels along its longer side, and
// the axis upright pointing up if it can.
// It is nil if the box of the mesh has no extent.
func newSlice(ctx context.Context, s *inpoly.Solid, p Plane, pixels, upright int) (*slice, error) {
	box := s.Mesh().Box()
	right, up := p.axes(upright)
	x := &slice{plane: p, right: right, up: up}
	var size [2]float64
	for k, a := range [2]int{right, up} {
		x.lo[k], x.hi[k] = axis(box.Min, a), axis(box.Max, a)
		size[k] = x.hi[k] - x.lo[k]
	}
	side := max(size[0], size[1])
	if !(side > 0) {
		return nil, nil
	}
	for k := range size {
		x.lo[k] -= margin * side
		x.hi[k] += margin * side
		size[k] = x.hi[k] - x.lo[k]
	}
	side = max(size[0], size[1])
	x.cols = max(1, int(math.Round(float64(pixels)*(size[0]/side))))
	x.rows = max(1, int(math.Round(float64(pixels)*(size[1]/side))))
	pts := make([]r3.Vector, x.cols*x.rows)
	for j := range x.rows {
		for i := range x.cols {
			pts[j*x.cols+i] = x.point(i, j)
		}
	}
	x.w = make([]float64, len(pts))
	bounds := make([]float64, len(pts))
	if err := s.WindingsTo(ctx, x.w, bounds, pts); err != nil {
		return nil, fmt.Errorf("slice %v: %w", p, err)
	}
	x.least, x.most = math.Inf(1), math.Inf(-1)
	for i, w := range x.w {
		if !math.IsNaN(w) {
			x.least, x.most = min(x.least, w), max(x.most, w)
			x.bound = max(x.bound, bounds[i])
		}
	}
	x.segments = cut(s.Mesh(), p, right, up)
	return x, nil
}

// point returns the middle of pixel i of row j, from the top left.
func (x *slice) point(i, j int) r3.Vector {
	var p [3]float64
	p[x.plane.Axis] = x.plane.Value
	p[x.right] = x.lo[0] + (x.hi[0]-x.lo[0])*((float64(i)+0.5)/float64(x.cols))
	p[x.up] = x.hi[1] - (x.hi[1]-x.lo[1])*((float64(j)+0.5)/float64(x.rows))
	return r3.Vector{X: p[0], Y: p[1], Z: p[2]}
}

// corner returns a corner of the picture: right is 0 or 1, and so is up.
func (x *slice) corner(right, up int) r3.Vector {
	var p [3]float64
	p[x.plane.Axis] = x.plane.Value
	p[x.right] = [2]float64{x.lo[0], x.hi[0]}[right]
	p[x.up] = [2]float64{x.lo[1], x.hi[1]}[up]
	return r3.Vector{X: p[0], Y: p[1], Z: p[2]}
}

// pixel returns where a point of the plane lies in a picture of the given width and
// height, in pixels from the top left.
func (x *slice) pixel(p [2]float64, width, height int) (px, py float64) {
	px = (p[0] - x.lo[0]) / (x.hi[0] - x.lo[0]) * float64(width)
	py = (x.hi[1] - p[1]) / (x.hi[1] - x.lo[1]) * float64(height)
	return px, py
}

// image returns the slice with its cut, translucent, one pixel for each number.
func (x *slice) image() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, x.cols, x.rows))
	for i, w := range x.w {
		img.SetNRGBA(i%x.cols, i/x.cols, windingColour(w))
	}
	// A two-hundredth of a small picture is a line already.
	x.outline(canvas{img}, image.Rect(0, 0, x.cols, x.rows), min(1.5, float64(max(x.cols, x.rows))/200))
	return img
}

// outline draws the cut of the mesh into a part of a picture.
func (x *slice) outline(c canvas, at image.Rectangle, width float64) {
	c = canvas{c.img.SubImage(at).(*image.NRGBA)}
	for _, s := range x.segments {
		ax, ay := x.pixel(s[0], at.Dx(), at.Dy())
		bx, by := x.pixel(s[1], at.Dx(), at.Dy())
		c.line(float64(at.Min.X)+ax, float64(at.Min.Y)+ay, float64(at.Min.X)+bx, float64(at.Min.Y)+by, width, outlineColour)
	}
}

// outlineColour shows on black and on white.
var outlineColour = rgb{0x5a, 0x66, 0x78}
