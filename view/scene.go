package view

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// Options of a Scene. The zero value is good.
type Options struct {
	// Name is what the mesh is called in the pictures, PointsName the points.
	Name, PointsName string
	// Plane is that of the slice; nil is the one through the middle of the box
	// across its shortest side.
	Plane *Plane
	// Pixels is the number of pixels of the slice along its longer side; 0 means 512.
	Pixels int
	// Triangles is the largest number of triangles that is drawn; of a larger mesh a
	// coarser one is shown, and the pictures say so. 0 means MaxTriangles.
	Triangles int
}

// MaxPixels is the largest value of Options.Pixels: an image of 64 MB.
const MaxPixels = 4096

// Scene is what the pictures of one solid show. It is immutable and safe for
// concurrent use.
type Scene struct {
	opt    Options
	solid  *inpoly.Solid
	report inpoly.Report
	frame  frame

	surface surface
	layers  []*layer
	flipped int // faces that disagree with their neighbours
	slice   *slice

	cloud  *Cloud
	points []sampled
	far    int // points of the sample that are too far away to be drawn
}

// New collects what there is to show of a solid and a cloud, which may be nil and must
// not grow any more. It diagnoses nothing anew but where the defects are, and computes
// Options.Pixels² winding numbers at most. Options out of range are errors, and so is
// the end of ctx.
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

// shown returns how many points are drawn, by side.
func (s *Scene) shown() (n [4]int) {
	for _, p := range s.points {
		n[p.side&3]++
	}
	return n
}

// sampled returns how many points the sample has, those too far away included, how many
// there are, and whether any was left out of the sample that might be drawn.
func (s *Scene) sampled() (sample, total int64, thinned bool) {
	for _, n := range s.cloud.Counts() {
		total += n
	}
	sample = int64(len(s.points) + s.far)
	return sample, total, sample < total-s.cloud.nonFinite
}

// sliceInSpace returns the slice, or nil where there is none or it is too far from the
// mesh to be drawn in space.
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
