package raster

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

const (
	unit = 256 // units of screen coordinates in a pixel
	// guard limits screen coordinates in pixels, measured from the middle of the view. Triangles
	// beyond the guard are clipped. Coordinates are then less than 2²⁵ units, their differences less
	// than 2²⁶, and an edge function, which is the difference of two products, less than 2⁵³.
	guard = 4 * MaxSize
)

// corner is a corner of a triangle before the projection.
type corner struct {
	at     r3.Vector // coordinates of the camera
	normal r3.Vector // in coordinates of the camera, or 0
	height float64   // distance beyond the half-space of the clip; positive outside
}

// triangle is a triangle on the screen. Its corners are in counterclockwise order in a coordinate
// system whose second axis points down.
type triangle struct {
	x, y   [3]int32   // in units
	near   [3]float32 // reciprocal depths
	height [3]float32 // heights of the corners, divided by the depths
	normal [3][3]float32
	paint  int32 // index of the paint; negative if the triangle is not visible
}

// paint is the appearance of a set of triangles.
type paint struct {
	color        Color
	opacity, rim float32
	hidden       float32
	lit          bool
	clip         bool
	line         int32 // number of the set of lines, or 0: within a set, lines that overlap are drawn once
	texture      func(p r3.Vector) (Color, float32)
}

// projector converts objects to triangles on the screen.
type projector struct {
	camera        Camera
	width, height int
}

const block = 4096 // tuning: objects that a worker converts at once

// meshTriangles returns the triangles of m on the screen. Their paint is number, or number+1 for the
// back side if it has a color of its own. Element f belongs to face f, unless the
// face had to be divided: the triangles of divided faces are at the end.
func (p *projector) meshTriangles(ctx context.Context, m *Mesh, number int32, workers int) ([]triangle, error) {
	out := make([]triangle, len(m.Faces))
	more := make([][]triangle, (len(m.Faces)+block-1)/block)
	err := par.Blocks(ctx, len(m.Faces), block, workers, func(_, lo, hi int) {
		var parts, extra []triangle
		for f := lo; f < hi; f++ {
			out[f].paint = -1
			c, back, visible := p.corners(m, f)
			if !visible {
				continue
			}
			paint := number
			if back && m.Back != nil {
				paint++
			}
			parts = p.clipped(parts[:0], c[:], 1+m.Lift, paint)
			if len(parts) == 1 {
				out[f] = parts[0]
			} else {
				extra = append(extra, parts...)
			}
		}
		more[lo/block] = extra
	})
	for _, extra := range more {
		out = append(out, extra...)
	}
	return out, err
}

// corners returns the corners of a face, whether the viewer sees its back side, and whether a part
// of the face is in the half-space of m.
func (p *projector) corners(m *Mesh, f int) (c [3]corner, back, visible bool) {
	for k, v := range m.Faces[f] {
		at := vector(m.Vertices[v])
		c[k].at = p.camera.view(at)
		if m.Clip != nil {
			c[k].height = m.Clip.Normal.Dot(at) - m.Clip.Offset
		}
		visible = visible || c[k].height <= 0
	}
	// The normals of the face and of its corners point toward the viewer. The coordinates of the
	// camera are left-handed, so the normal of a face that shows its front points away at first.
	n := c[1].at.Sub(c[0].at).Cross(c[2].at.Sub(c[0].at))
	if n.Dot(c[0].at) > 0 {
		n = n.Mul(-1)
	} else {
		back = true
	}
	for k := range c {
		c[k].normal = n
		if m.Normals != nil {
			d := p.camera.direction(vector(m.Normals[3*f+k]))
			if d.Dot(n) < 0 {
				d = d.Mul(-1)
			}
			c[k].normal = d
		}
	}
	return c, back, visible
}

// lineTriangles returns two triangles for each visible segment.
func (p *projector) lineTriangles(ctx context.Context, l *Lines, number int32, workers int) ([]triangle, error) {
	blocks := make([][]triangle, (len(l.Ends)+block-1)/block)
	err := par.Blocks(ctx, len(l.Ends), block, workers, func(_, lo, hi int) {
		out := make([]triangle, 0, 2*(hi-lo))
		for _, ends := range l.Ends[lo:hi] {
			out = p.line(out, l, ends, number)
		}
		blocks[lo/block] = out
	})
	return slices.Concat(blocks...), err
}

// line appends the triangles of one segment. Half the width is added at both ends, so that the lines
// of a polygon join.
func (p *projector) line(out []triangle, l *Lines, ends [2][3]float32, number int32) []triangle {
	var c [2]corner
	for k, e := range ends {
		at := vector(e)
		c[k].at = p.camera.view(at)
		if l.Clip != nil {
			c[k].height = l.Clip.Normal.Dot(at) - l.Clip.Offset
		}
		if !finite(c[k].at) {
			return out
		}
	}
	if c[0].at.Z < p.camera.Near && c[1].at.Z < p.camera.Near {
		return out
	}
	for k := range c {
		if c[k].at.Z < p.camera.Near {
			c[k] = between(c[1-k], c[k], c[1-k].at.Z-p.camera.Near, c[k].at.Z-p.camera.Near)
			c[k].at.Z = p.camera.Near
		}
	}
	half := l.Width / 2 / p.camera.Focal // at depth 1
	ax, ay := c[0].at.X/c[0].at.Z, c[0].at.Y/c[0].at.Z
	bx, by := c[1].at.X/c[1].at.Z, c[1].at.Y/c[1].at.Z
	dx, dy := bx-ax, by-ay
	if length := math.Hypot(dx, dy); length > 0 {
		dx, dy = dx/length*half, dy/length*half
	} else {
		dx, dy = half, 0
	}
	at := func(c corner, x, y float64) corner {
		c.at.X, c.at.Y = x*c.at.Z, y*c.at.Z
		return c
	}
	q := [4]corner{
		at(c[0], ax-dx-dy, ay-dy+dx), at(c[0], ax-dx+dy, ay-dy-dx),
		at(c[1], bx+dx+dy, by+dy-dx), at(c[1], bx+dx-dy, by+dy+dx),
	}
	return p.clipped(out, q[:], 1+l.Lift, number)
}

// clipped appends the visible part of a convex polygon. It appends nothing if a coordinate is not
// finite.
func (p *projector) clipped(out []triangle, polygon []corner, lift float64, number int32) []triangle {
	limit := guard / p.camera.Focal
	inside := true
	for _, c := range polygon {
		if !finite(c.at) {
			return out
		}
		inside = inside && c.at.Z >= p.camera.Near && math.Abs(c.at.X) <= limit*c.at.Z && math.Abs(c.at.Y) <= limit*c.at.Z
	}
	if !inside {
		for _, distance := range []func(v r3.Vector) float64{
			func(v r3.Vector) float64 { return v.Z - p.camera.Near },
			func(v r3.Vector) float64 { return limit*v.Z - v.X },
			func(v r3.Vector) float64 { return limit*v.Z + v.X },
			func(v r3.Vector) float64 { return limit*v.Z - v.Y },
			func(v r3.Vector) float64 { return limit*v.Z + v.Y },
		} {
			polygon = cut(polygon, distance)
		}
	}
	for k := 2; k < len(polygon); k++ {
		if t, ok := p.project([3]corner{polygon[0], polygon[k-1], polygon[k]}, lift); ok {
			t.paint = number
			out = append(out, t)
		}
	}
	return out
}

// cut returns the part of a convex polygon whose distance is not negative (Sutherland, Hodgman 1974).
func cut(polygon []corner, distance func(r3.Vector) float64) []corner {
	var out []corner
	for k, c := range polygon {
		next := polygon[(k+1)%len(polygon)]
		here, there := distance(c.at), distance(next.at)
		if here >= 0 {
			out = append(out, c)
		}
		// The first argument of between is the end inside, so neighbors compute the same point.
		if here >= 0 && there < 0 {
			out = append(out, between(c, next, here, there))
		} else if here < 0 && there >= 0 {
			out = append(out, between(next, c, there, here))
		}
	}
	return out
}

// between returns the point of the segment from a to b at which the distance is 0. The distances at
// a and b have different signs.
func between(a, b corner, atA, atB float64) corner {
	t := atA / (atA - atB)
	return corner{
		at:     a.at.Add(b.at.Sub(a.at).Mul(t)),
		normal: a.normal.Add(b.normal.Sub(a.normal).Mul(t)),
		height: a.height + t*(b.height-a.height),
	}
}

// project returns a triangle on the screen. The result is false if the rounded triangle has no area
// or lies outside the picture.
func (p *projector) project(c [3]corner, lift float64) (triangle, bool) {
	var t triangle
	for k := range c {
		z := c[k].at.Z
		// Clipping rounds, so a coordinate can exceed the guard slightly.
		x := min(guard, max(-guard, p.camera.Focal*c[k].at.X/z))
		y := min(guard, max(-guard, -p.camera.Focal*c[k].at.Y/z))
		t.x[k] = int32(math.Round((x + p.camera.Middle[0]) * unit))
		t.y[k] = int32(math.Round((y + p.camera.Middle[1]) * unit))
		t.near[k] = float32(lift / z)
		t.height[k] = float32(c[k].height / z)
		n := unitVector(c[k].normal)
		t.normal[k] = [3]float32{float32(n.X), float32(n.Y), float32(n.Z)}
	}
	area := t.edge(0, int64(t.x[0]), int64(t.y[0]))
	if area == 0 || max(t.x[0], t.x[1], t.x[2]) < 0 || max(t.y[0], t.y[1], t.y[2]) < 0 ||
		min(t.x[0], t.x[1], t.x[2]) > int32(p.width*unit) || min(t.y[0], t.y[1], t.y[2]) > int32(p.height*unit) {
		return t, false
	}
	if area < 0 {
		t.x[1], t.x[2] = t.x[2], t.x[1]
		t.y[1], t.y[2] = t.y[2], t.y[1]
		t.near[1], t.near[2] = t.near[2], t.near[1]
		t.height[1], t.height[2] = t.height[2], t.height[1]
		t.normal[1], t.normal[2] = t.normal[2], t.normal[1]
	}
	return t, true
}

// edge returns the edge function of the edge opposite corner k: twice the signed area of the
// triangle of the edge and (x, y). The result is exact.
func (t *triangle) edge(k int, x, y int64) int64 {
	a, b := (k+1)%3, (k+2)%3
	ax, ay := int64(t.x[a]), int64(t.y[a])
	return (int64(t.x[b])-ax)*(y-ay) - (int64(t.y[b])-ay)*(x-ax)
}

func finite(v r3.Vector) bool {
	sum := v.X + v.Y + v.Z
	return sum-sum == 0
}

// unitVector returns v/|v|, or v if |v| is 0 or not finite. Scaling first prevents underflow and
// overflow.
func unitVector(v r3.Vector) r3.Vector {
	m := max(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z))
	if m == 0 || m-m != 0 {
		return v
	}
	return v.Mul(1 / m).Normalize()
}
