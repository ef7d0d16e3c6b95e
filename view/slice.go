package view

import (
	"context"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/plural"
)

// margin is the width of the rim around the box of the mesh in a slice, relative to the longer side
// of the box. The rim lies outside the mesh.
const margin = 0.04 // tuning

// slice holds the winding number on a plane, and the section of the mesh.
type slice struct {
	plane     Plane
	right, up int        // axes of the picture
	lo, hi    [2]float64 // coordinate ranges of the picture: horizontal, then vertical
	cols      int
	rows      int
	w         []float64       // winding numbers of the centers of the pixels, from the top row; NaN if unknown
	bound     float64         // largest error bound of an element of w
	minW      float64         // smallest element of w
	maxW      float64         // largest element of w
	segments  [][2][2]float64 // section of the mesh, in horizontal and vertical coordinates
	crowded   bool            // fewer pixels than requested; see crowd
}

// newSlice computes a slice with the given number of pixels along the longer side, or fewer if many faces
// are near the pixels. If upAxis lies in the plane, it points up in the picture. newSlice returns nil if
// the box of the mesh has no extent in the plane.
func newSlice(ctx context.Context, s *subject, p Plane, pixels, upAxis int) (*slice, error) {
	x := emptySlice(s.box, p, upAxis)
	if x == nil {
		return nil, ctx.Err()
	}
	n := affordable(pixels, sliceWork, x.crowd(s))
	x.crowded = n < pixels
	return x, x.compute(ctx, s, n)
}

// emptySlice returns a slice without pixels, or nil if the box has no extent in the plane.
func emptySlice(box bvh.Box, p Plane, upAxis int) *slice {
	right, up := p.axes(upAxis)
	x := &slice{plane: p, right: right, up: up}
	var size [2]float64
	for k, a := range [2]int{right, up} {
		x.lo[k], x.hi[k] = axis(box.Min, a), axis(box.Max, a)
		size[k] = x.hi[k] - x.lo[k]
	}
	side := max(size[0], size[1])
	if !(side > 0) {
		return nil
	}
	for k := range size {
		x.lo[k] -= margin * side
		x.hi[k] += margin * side
	}
	return x
}

// compute computes the winding numbers and the section. Errors: the error of ctx.
func (x *slice) compute(ctx context.Context, s *subject, pixels int) error {
	size := [2]float64{x.hi[0] - x.lo[0], x.hi[1] - x.lo[1]}
	side := max(size[0], size[1])
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
	if err := s.windings(ctx, x.w, bounds, pts); err != nil {
		return fmt.Errorf("slice %v: %w", x.plane, err)
	}
	x.minW, x.maxW = math.Inf(1), math.Inf(-1)
	for i, w := range x.w {
		if !math.IsNaN(w) {
			x.minW, x.maxW = min(x.minW, w), max(x.maxW, w)
			x.bound = max(x.bound, bounds[i])
		}
	}
	x.segments = section(s.vertices, s.faces, x.plane, x.right, x.up)
	return nil
}

// point returns the center of pixel i of row j, counted from the top left.
func (x *slice) point(i, j int) r3.Vector {
	var p [3]float64
	p[x.plane.Axis] = x.plane.Value
	p[x.right] = x.lo[0] + (x.hi[0]-x.lo[0])*((float64(i)+0.5)/float64(x.cols))
	p[x.up] = x.hi[1] - (x.hi[1]-x.lo[1])*((float64(j)+0.5)/float64(x.rows))
	return r3.Vector{X: p[0], Y: p[1], Z: p[2]}
}

// corner returns a corner of the picture. corner(0, 0) is at the bottom left, and corner(1, 0) is
// at the bottom right.
func (x *slice) corner(right, up int) r3.Vector {
	var p [3]float64
	p[x.plane.Axis] = x.plane.Value
	p[x.right] = [2]float64{x.lo[0], x.hi[0]}[right]
	p[x.up] = [2]float64{x.lo[1], x.hi[1]}[up]
	return r3.Vector{X: p[0], Y: p[1], Z: p[2]}
}

// pixel returns the position of a point of the plane in a picture of the given width and height.
// The position is in pixels from the top left.
func (x *slice) pixel(p [2]float64, width, height int) (px, py float64) {
	px = (p[0] - x.lo[0]) / (x.hi[0] - x.lo[0]) * float64(width)
	py = (x.hi[1] - p[1]) / (x.hi[1] - x.lo[1]) * float64(height)
	return px, py
}

// image returns a translucent picture of the slice and the section of the mesh. The picture has one
// pixel for each winding number.
func (x *slice) image() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, x.cols, x.rows))
	for i, w := range x.w {
		img.SetNRGBA(i%x.cols, i/x.cols, windingColor(w))
	}
	// Lines in a small picture are narrower.
	x.outline(canvas{img}, image.Rect(0, 0, x.cols, x.rows), min(1.5, float64(max(x.cols, x.rows))/200))
	return img
}

// outline draws the section of the mesh into the given rectangle.
func (x *slice) outline(c canvas, at image.Rectangle, width float64) {
	c = canvas{c.img.SubImage(at).(*image.NRGBA)}
	drawn := make(map[[2][2]float64]bool, len(x.segments))
	for _, s := range x.segments {
		if drawn[s] { // faces that coincide have equal segments
			continue
		}
		drawn[s] = true
		ax, ay := x.pixel(s[0], at.Dx(), at.Dy())
		bx, by := x.pixel(s[1], at.Dx(), at.Dy())
		c.line(float64(at.Min.X)+ax, float64(at.Min.Y)+ay, float64(at.Min.X)+bx, float64(at.Min.Y)+by, width, outlineColor)
	}
}

// outlineColor is visible on black and on white.
var outlineColor = rgb{0x5a, 0x66, 0x78}

// Plane is the plane on which the coordinate of Axis equals Value. Axis 0 is x, 1 is y and 2 is z.
type Plane struct {
	Axis  int
	Value float64
}

const axisNames = "xyz"

// ParsePlane parses an axis and a finite value, such as x=1.5, y=0 or z=-2.
func ParsePlane(s string) (Plane, error) {
	name, text, ok := strings.Cut(s, "=")
	name = strings.ToLower(strings.TrimSpace(name))
	k := -1
	if len(name) == 1 {
		k = strings.Index(axisNames, name)
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if !ok || k < 0 || err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return Plane{}, fmt.Errorf("plane %q: expected an axis and a finite value, such as z=0.3", s)
	}
	return Plane{k, value}, nil
}

// String returns p in the form that ParsePlane reads.
func (p Plane) String() string {
	return fmt.Sprintf("%c=%s", axisNames[p.Axis], strconv.FormatFloat(p.Value, 'g', -1, 64))
}

// Label returns p like String, but with six digits.
func (p Plane) Label() string {
	return fmt.Sprintf("%c=%s", axisNames[p.Axis], plural.Decimal(p.Value, 6))
}

// axes returns the axes that point right and up in a picture of the plane. The pairs are (x, y),
// (x, z) and (y, z). If upAxis is y, (z, y) replaces (y, z).
func (p Plane) axes(upAxis int) (right, up int) {
	if p.Axis == 0 && upAxis == 1 {
		return 2, 1
	}
	return [3]int{1, 0, 0}[p.Axis], [3]int{2, 2, 1}[p.Axis]
}

// middlePlane returns the plane through the middle of b that is perpendicular to the shortest side
// of positive length. The box must not be empty.
func middlePlane(b bvh.Box) Plane {
	lo, hi := b.Min.Mul(0.5), b.Max.Mul(0.5)
	half, middle := hi.Sub(lo), lo.Add(hi)
	best := 2
	for k := 1; k >= 0; k-- {
		if a := axis(half, k); a > 0 && (a < axis(half, best) || axis(half, best) == 0) {
			best = k
		}
	}
	return Plane{best, axis(middle, best)}
}

// section returns the segments in which the faces intersect p, in coordinates along the given axes.
// A face in the plane contributes its three edges.
func section(vertices []r3.Vector, faces [][3]int32, p Plane, right, up int) [][2][2]float64 {
	var out [][2][2]float64
	flat := func(v r3.Vector) [2]float64 { return [2]float64{axis(v, right), axis(v, up)} }
	for _, t := range faces {
		var h [3]float64 // coordinates along the axis of p
		above, below := 0, 0
		for k, v := range t {
			h[k] = axis(vertices[v], p.Axis)
			if h[k] > p.Value {
				above++
			} else if h[k] < p.Value {
				below++
			}
		}
		if above == 3 || below == 3 {
			continue
		}
		if above == 0 && below == 0 {
			for k := range 3 {
				a, b := vertices[t[k]], vertices[t[(k+1)%3]]
				out = append(out, [2][2]float64{flat(a), flat(b)})
			}
			continue
		}
		var ends [][2]float64
		for k := range 3 {
			a, b := vertices[t[k]], vertices[t[(k+1)%3]]
			ha, hb := h[k], h[(k+1)%3]
			if ha == p.Value {
				ends = append(ends, flat(a))
			}
			if ha < p.Value && hb > p.Value || ha > p.Value && hb < p.Value {
				// Halving prevents overflow of the differences.
				s := (p.Value/2 - ha/2) / (hb/2 - ha/2)
				fa, fb := flat(a), flat(b)
				ends = append(ends, [2]float64{fa[0]*(1-s) + fb[0]*s, fa[1]*(1-s) + fb[1]*s})
			}
		}
		if len(ends) == 2 {
			out = append(out, [2][2]float64{ends[0], ends[1]})
		}
	}
	return out
}
