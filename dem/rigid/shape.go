package rigid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem/internal/layer"
	"github.com/inpoly/inpoly/measure"
	"github.com/inpoly/inpoly/mesh"
)

// ErrShape is the error for a radius or a mesh that is not the shape of a body.
var ErrShape = errors.New("bad shape")

// Shape is the shape of bodies. It is immutable. Any number of bodies and worlds can share a Shape.
// The zero Shape is invalid.
type Shape struct {
	radius float64 // radius of a ball; 0 for a polyhedron
	*surface
	layered *layered // of a polyhedron
	volume  float64
	center  r3.Vector // center of mass in the frame of the shape
	unit    inertia   // inertia tensor for a density of 1
	reach   float64   // largest distance of a point of the shape from center
}

// surface is the mesh of a polyhedron or a wall.
type surface struct {
	solid *inpoly.Solid
	mesh  *mesh.Mesh
	area  []float64 // a third of the area of the faces at each vertex
	patch float64   // largest element of area
	// Side 3f+k leads from corner k of face f to the next corner. across[s] is the side of the
	// other face at the edge of side s, in the opposite direction. It is −1 if there is none.
	across []int32
}

// NewBall returns the shape of a ball around the origin of its frame.
//
// Errors: ErrShape if the radius is not a positive number, or if the volume is not.
func NewBall(radius float64) (*Shape, error) {
	s := &Shape{radius: radius, volume: 4 * math.Pi / 3 * radius * radius * radius, reach: radius}
	moment := .4 * s.volume * radius * radius
	s.unit = inertia{matrix{{X: 1}, {Y: 1}, {Z: 1}}, [3]float64{moment, moment, moment}}
	if !(radius > 0) || !positive(s.volume) || !positive(moment) {
		return nil, fmt.Errorf("rigid: %w: radius %v: the radius, the volume and the moment of inertia must be positive numbers", ErrShape, radius)
	}
	return s, nil
}

// NewPolyhedron returns the shape of a solid. Its mesh must be closed, with faces that face
// outward. The solid can have any number of parts and cavities, and need not be convex.
//
// NewPolyhedron takes O(n log n) time for n faces, and O(n²) time for a convex mesh without faces
// in a common plane.
//
// Errors: ErrShape if the mesh is open, or if its volume or its moments of inertia are not positive
// numbers; the error of ctx. NewPolyhedron panics if solid is nil.
func NewPolyhedron(ctx context.Context, solid *inpoly.Solid) (*Shape, error) {
	f, err := newSurface(ctx, solid)
	if err != nil {
		return nil, err
	}
	if !f.mesh.Closed() {
		return nil, fmt.Errorf("rigid: %w: the mesh is open, so it has no volume; an open mesh can be a wall", ErrShape)
	}
	p, err := measure.Whole(ctx, solid, measure.Options{})
	if err != nil {
		return nil, fmt.Errorf("rigid: %w", err)
	}
	switch {
	case p.Reason != "":
		return nil, fmt.Errorf("rigid: %w: %s", ErrShape, p.Reason)
	case p.Volume < 0:
		return nil, fmt.Errorf("rigid: %w: the volume is %.6g: the faces of the mesh face inward (see inpoly.OrientAlways)", ErrShape, p.Volume)
	}
	s := &Shape{surface: f, volume: p.Volume, center: p.Centroid, unit: inertia{matrix(p.Axes), p.Moments}}
	for _, x := range p.Moments {
		if !positive(x) {
			return nil, fmt.Errorf("rigid: %w: the moment of inertia %v is not a positive number", ErrShape, x)
		}
	}
	for _, v := range f.mesh.Vertices {
		s.reach = max(s.reach, length(v.Sub(s.center))*(1+0x1p-40))
	}
	if s.layered, err = newLayered(ctx, f, s.center); err != nil {
		return nil, err
	}
	return s, nil
}

// NewCompound returns the shape of a solid that consists of convex parts, such as an L of two
// boxes. The mass of whole is the mass of the shape, and whole touches balls and sheets. The parts
// touch polyhedra and other walls, so they should fill whole. Parts can touch or overlap, which
// makes contacts stiffer there. All solids have the same frame.
//
// Errors: the errors of NewPolyhedron for whole; ErrShape if there are no parts, or if a part is
// not closed, not convex, or does not face outward; the error of ctx. NewCompound panics if a solid
// is nil.
func NewCompound(ctx context.Context, whole *inpoly.Solid, parts ...*inpoly.Solid) (*Shape, error) {
	s, err := NewPolyhedron(ctx, whole)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("rigid: %w: a compound needs at least one convex part", ErrShape)
	}
	s.layered = &layered{origin: s.center, box: bvh.EmptyBox()}
	for i, solid := range parts {
		p, err := NewPolyhedron(ctx, solid)
		switch {
		case errors.Is(err, ErrShape):
			return nil, fmt.Errorf("rigid: part %d: %w", i, err)
		case err != nil:
			return nil, err
		case !p.layered.isConvex():
			return nil, fmt.Errorf("rigid: %w: part %d is not convex", ErrShape, i)
		}
		c, err := layer.NewConvex(ctx, p.mesh, p.across, s.center)
		if err != nil {
			return nil, fmt.Errorf("rigid: %w", err)
		}
		s.layered.add(c)
		s.layered.box = s.layered.box.Union(relative(p.mesh.Box(), s.center))
		s.reach = max(s.reach, c.Radius())
	}
	return s, nil
}

// Parts returns the number of convex parts of a polyhedron: 1 if it is convex, 0 if it is not or if the
// shape is a ball.
func (s *Shape) Parts() int {
	if s.layered == nil {
		return 0
	}
	return len(s.layered.parts)
}

func newSurface(ctx context.Context, solid *inpoly.Solid) (*surface, error) {
	f := &surface{solid: solid, mesh: solid.Mesh()}
	f.area = make([]float64, len(f.mesh.Vertices))
	for i, face := range f.mesh.Faces {
		t := f.mesh.Triangle(int32(i))
		third := length(t[1].Sub(t[0]).Cross(t[2].Sub(t[0]))) / 6
		for _, v := range face {
			f.area[v] += third
		}
	}
	for _, x := range f.area {
		f.patch = max(f.patch, x)
	}
	f.across = sidesAcross(f.mesh.Faces)
	return f, nil
}

// sidesAcross returns surface.across for the faces, in O(n log n) time. If an edge has more than
// two sides, it pairs opposite sides in the order of the faces.
func sidesAcross(faces [][3]int32) []int32 {
	type side struct {
		lo, hi, number int32
		backward       bool
	}
	across, sides := make([]int32, 3*len(faces)), make([]side, 0, 3*len(faces))
	for i := range across {
		across[i] = -1
		f := &faces[i/3]
		if v, w := f[i%3], f[(i+1)%3]; v != w {
			sides = append(sides, side{min(v, w), max(v, w), int32(i), v > w})
		}
	}
	slices.SortFunc(sides, func(x, y side) int {
		return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(x.hi, y.hi), cmp.Compare(x.number, y.number))
	})
	for len(sides) > 0 {
		n := 1
		for n < len(sides) && sides[n].lo == sides[0].lo && sides[n].hi == sides[0].hi {
			n++
		}
		group := sides[:n]
		sides = sides[n:]
		for f, b := 0, 0; ; f, b = f+1, b+1 {
			for f < n && group[f].backward {
				f++
			}
			for b < n && !group[b].backward {
				b++
			}
			if f == n || b == n {
				break
			}
			across[group[f].number], across[group[b].number] = group[b].number, group[f].number
		}
	}
	return across
}

// Radius returns the radius of a ball, or 0 for a polyhedron.
func (s *Shape) Radius() float64 { return s.radius }

// Solid returns the solid of a polyhedron, or nil for a ball.
func (s *Shape) Solid() *inpoly.Solid {
	if s.surface == nil {
		return nil
	}
	return s.solid
}

// Volume returns the volume of the shape, in the unit of length of its mesh cubed.
func (s *Shape) Volume() float64 { return s.volume }

// Center returns the center of mass in the frame of the shape.
func (s *Shape) Center() r3.Vector { return s.center }
