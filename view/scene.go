package view

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

// Options of a Scene. The zero value is good.
type Options struct {
	// Name is the name of the mesh in the pictures, and PointsName is the name of the points.
	Name, PointsName string
	// Plane is the plane of the slice; nil means the plane through the middle of the box,
	// perpendicular to its shortest side.
	Plane *Plane
	// Pixels is the number of pixels of the slice along its longer side; 0 means 512.
	Pixels int
	// Triangles is the largest number of triangles that are drawn. A larger mesh is simplified, and
	// the pictures say so. 0 means MaxTriangles.
	Triangles int
}

// MaxPixels is the largest value of Options.Pixels. The image then takes 64 MB.
const MaxPixels = 4096

// Scene is the content of the pictures of one solid. It is immutable and safe for concurrent use.
type Scene struct {
	opt    Options
	solid  *inpoly.Solid
	report inpoly.Report
	frame  frame

	surface surface
	layers  []*layer
	flipped int // faces that disagree with their neighbors
	slice   *slice

	cloud  *Cloud
	points []samplePoint
	far    int // points of the sample that are too far from the mesh to be drawn
}

// New returns the scene of a solid and of a cloud. The cloud may be nil; nothing may be added to it
// afterward. New uses the Report of the solid, locates the defects that it counts, and computes at
// most Options.Pixels² winding numbers.
//
// Errors: options out of range; the error of ctx.
func New(ctx context.Context, solid *inpoly.Solid, cloud *Cloud, opt Options) (*Scene, error) {
	if opt.Pixels == 0 {
		opt.Pixels = 512
	}
	if opt.Triangles == 0 {
		opt.Triangles = MaxTriangles
	}
	switch {
	case opt.Pixels < 1 || opt.Pixels > MaxPixels:
		return nil, fmt.Errorf("view: %d pixels: want 1 to %d", opt.Pixels, MaxPixels)
	case opt.Triangles < 1:
		return nil, fmt.Errorf("view: %d triangles: want 1 or more", opt.Triangles)
	case opt.Plane != nil && (opt.Plane.Axis < 0 || opt.Plane.Axis > 2 || opt.Plane.Value-opt.Plane.Value != 0):
		return nil, fmt.Errorf("view: plane %d=%g: want axis 0, 1 or 2 and a finite value", opt.Plane.Axis, opt.Plane.Value)
	}
	m := solid.Mesh()
	s := &Scene{opt: opt, solid: solid, report: solid.Report(), cloud: cloud}
	box := m.Box()
	if box.Empty() && cloud != nil {
		box = cloud.box
	}
	s.frame = newFrame(box)
	if cloud != nil {
		for _, p := range cloud.sample() {
			if s.frame.near(p.p) {
				s.points = append(s.points, p)
			} else {
				s.far++
			}
		}
	}
	var err error
	if s.layers, s.flipped, err = findDefects(ctx, solid); err != nil {
		return nil, err
	}
	if s.surface, err = newSurface(ctx, m, s.frame, opt.Triangles); err != nil {
		return nil, err
	}
	if m.Box().Empty() {
		return s, ctx.Err()
	}
	plane := middlePlane(m.Box())
	if opt.Plane != nil {
		plane = *opt.Plane
	}
	if s.slice, err = newSlice(ctx, solid, plane, opt.Pixels, s.up()); err != nil {
		return nil, err
	}
	return s, nil
}

// shown returns the number of points that are drawn, by side.
func (s *Scene) shown() (n [4]int) {
	for _, p := range s.points {
		n[p.side&3]++
	}
	return n
}

// sampled returns the size of the sample, including points too far away to be drawn, the number of
// all points, and whether the sample lacks any finite point.
func (s *Scene) sampled() (sample, total int64, thinned bool) {
	for _, n := range s.cloud.Counts() {
		total += n
	}
	sample = int64(len(s.points) + s.far)
	return sample, total, sample < total-s.cloud.nonFinite
}

// sliceInSpace returns the slice, or nil if there is none or if it is too far from the mesh to be
// drawn in space.
func (s *Scene) sliceInSpace() *slice {
	if s.slice == nil || !s.frame.near(s.slice.corner(0, 0)) {
		return nil
	}
	return s.slice
}

// corners returns the ends of the edges, or the corners of the faces, of a layer.
func (s *Scene) corners(l *layer) []r3.Vector {
	m := s.solid.Mesh()
	out := make([]r3.Vector, 0, 2*len(l.edges)+3*len(l.faces))
	for _, e := range l.edges {
		out = append(out, m.Vertices[e[0]], m.Vertices[e[1]])
	}
	for _, f := range l.faces {
		for _, v := range m.Faces[f] {
			out = append(out, m.Vertices[v])
		}
	}
	return out
}

// maxDistance is the largest distance of a drawn point from the middle of the box, in half sizes of
// the box. With a point at that distance in view, the box is a thousandth of a pixel large.
const maxDistance = 1 << 20 // tuning

// frame maps coordinates to the coordinates of pictures: the middle of the box becomes the origin,
// and half the longest side of the box a number in (1/2, 1].
type frame struct {
	center r3.Vector
	scale  float64 // a power of two: scaling is exact
}

// newFrame returns the frame of a box. The scale of an empty box, and of a single point, is 1.
func newFrame(b bvh.Box) frame {
	if b.Empty() {
		return frame{scale: 1}
	}
	// Coordinates are halved first because sums and differences may overflow.
	lo, hi := b.Min.Mul(0.5), b.Max.Mul(0.5)
	half := longest(hi.Sub(lo))
	f := frame{center: lo.Add(hi), scale: 1}
	if half > 0 {
		m, e := math.Frexp(half) // half = m·2^e with m in [1/2, 1)
		if m == 0.5 {
			e--
		}
		f.scale = math.Ldexp(1, e)
	}
	return f
}

// local returns p in the frame.
func (f frame) local(p r3.Vector) [3]float32 {
	d := p.Sub(f.center)
	return [3]float32{float32(d.X / f.scale), float32(d.Y / f.scale), float32(d.Z / f.scale)}
}

// near reports whether p is near enough to be drawn. It is false if p is not finite.
func (f frame) near(p r3.Vector) bool {
	limit := maxDistance * f.scale
	d := p.Sub(f.center)
	return math.Abs(d.X) <= limit && math.Abs(d.Y) <= limit && math.Abs(d.Z) <= limit
}

func longest(v r3.Vector) float64 { return max(v.X, v.Y, v.Z) }

// axis returns the coordinate k of v: 0 is x, 1 is y, 2 is z.
func axis(v r3.Vector, k int) float64 { return [3]float64{v.X, v.Y, v.Z}[k] }
