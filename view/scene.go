package view

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

// Options of a Scene. All fields are optional.
type Options struct {
	// Name and PointsName are the names of the mesh and of the points in the pictures.
	Name, PointsName string
	// Plane is the plane of the slice. nil selects the plane through the middle of the box that is
	// perpendicular to the shortest side.
	Plane *Plane
	// Pixels is the number of pixels of the slice along its longer side; 0 means 512.
	Pixels int
	// Triangles is the largest number of triangles to draw; 0 means MaxTriangles. A larger mesh is
	// simplified, and the pictures state that.
	Triangles int
}

// MaxPixels is the largest value of Options.Pixels. The image then needs 64 MB.
const MaxPixels = 4096

// Scene is the content of the pictures of one solid. It is immutable and safe for concurrent use.
type Scene struct {
	opt    Options
	solid  *inpoly.Solid
	report inpoly.Report
	frame  frame

	surface surface
	layers  []*layer
	flipped int // number of faces that disagree with their neighbors
	slice   *slice

	cloud  *Cloud
	points []samplePoint
	far    int // number of sample points that are too far from the mesh to be drawn
}

// New returns the scene of a solid and a cloud. cloud can be nil. The caller must not add points to
// the cloud afterward. New locates the defects that the Report of the solid counts, and computes at
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
		return nil, fmt.Errorf("view: %d pixels: must be from 1 to %d", opt.Pixels, MaxPixels)
	case opt.Triangles < 1:
		return nil, fmt.Errorf("view: %d triangles: must be at least 1", opt.Triangles)
	case opt.Plane != nil && (opt.Plane.Axis < 0 || opt.Plane.Axis > 2 || opt.Plane.Value-opt.Plane.Value != 0):
		return nil, fmt.Errorf("view: plane with axis %d and value %g: expected axis 0, 1 or 2 and a finite value", opt.Plane.Axis, opt.Plane.Value)
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

// shown returns the number of drawn points, indexed by side.
func (s *Scene) shown() (n [4]int) {
	for _, p := range s.points {
		n[p.side&3]++
	}
	return n
}

// sampled returns the size of the sample, the number of all points, and whether the sample lacks
// any finite point. The sample includes points that are too far away to be drawn.
func (s *Scene) sampled() (sample, total int64, thinned bool) {
	for _, n := range s.cloud.Counts() {
		total += n
	}
	sample = int64(len(s.points) + s.far)
	return sample, total, sample < total-s.cloud.nonFinite
}

// sliceInSpace returns the slice for 3D pictures. It is nil if the slice is too far from the mesh.
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

// maxDistance limits the distance of drawn points from the middle of the box, in half sizes of the
// box. If a picture shows a point at this distance, the box has a thousandth of a pixel.
const maxDistance = 1 << 20 // tuning

// frame maps positions to coordinates of pictures. The middle of the box becomes the origin. Half
// the longest side of the box becomes a length in (1/2, 1].
type frame struct {
	center r3.Vector
	scale  float64 // a power of two, so that scaling is exact
}

// newFrame returns the frame of a box. The scale is 1 for an empty box and for a single point.
func newFrame(b bvh.Box) frame {
	if b.Empty() {
		return frame{scale: 1}
	}
	// Halving the coordinates first prevents overflow.
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

// local returns the coordinates of p in the frame.
func (f frame) local(p r3.Vector) [3]float32 {
	d := p.Sub(f.center)
	return [3]float32{float32(d.X / f.scale), float32(d.Y / f.scale), float32(d.Z / f.scale)}
}

// near reports whether p is finite and near enough to be drawn.
func (f frame) near(p r3.Vector) bool {
	limit := maxDistance * f.scale
	d := p.Sub(f.center)
	return math.Abs(d.X) <= limit && math.Abs(d.Y) <= limit && math.Abs(d.Z) <= limit
}

func longest(v r3.Vector) float64 { return max(v.X, v.Y, v.Z) }

// axis returns coordinate k of v: 0 is x, 1 is y, 2 is z.
func axis(v r3.Vector, k int) float64 { return [3]float64{v.X, v.Y, v.Z}[k] }
