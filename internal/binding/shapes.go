package binding

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/measure"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/section"
)

// Sections cuts solid number index with planes and returns the sections as text. The format is "json"
// (an array with the fields of section.Section), "geojson" or "svg"; see package section. unit is
// the unit of a picture, see section.SVGOptions. Sections calls progress, unless it is nil, after
// each plane.
//
// Errors: ErrArgument if an argument is out of range; the error of ctx.
func (s *Solid) Sections(ctx context.Context, index int, planes []section.Plane, format, unit string, progress func(done, total int64)) (string, error) {
	if err := s.checkIndex(index); err != nil {
		return "", err
	}
	for i, p := range planes {
		if err := p.Check(); err != nil {
			return "", fmt.Errorf("%w: plane %d: %w", ErrArgument, i, err)
		}
	}
	var text strings.Builder
	var list []*section.Section
	geo := section.NewGeoJSON(&text)
	err := section.Stack(ctx, s.Target(index), planes, func(i int, c *section.Section) error {
		if progress != nil {
			progress(int64(i)+1, int64(len(planes)))
		}
		if format == "geojson" {
			return geo.Add(c)
		}
		list = append(list, c)
		return nil
	})
	if err != nil {
		return "", err
	}
	switch format {
	case "geojson":
		err = geo.Close()
	case "svg":
		err = section.WriteSVG(&text, list, section.SVGOptions{Unit: unit})
	case "json":
		var b []byte
		if b, err = appendJSON(nil, reflect.ValueOf(list)); err == nil {
			return string(b), nil
		}
	default:
		return "", fmt.Errorf("%w: unknown format of sections %q: expected json, geojson or svg", ErrArgument, format)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrArgument, err)
	}
	return text.String(), nil
}

// Measure returns the properties of solid number index as a JSON array with the fields of
// measure.Properties. by is "whole" (one element), "body" or "component". Numbers that are not
// determined are null, also their bounds.
//
// Errors: ErrArgument if an argument is out of range; the error of ctx.
func (s *Solid) Measure(ctx context.Context, index int, by string, density float64) (string, error) {
	if err := s.checkIndex(index); err != nil {
		return "", err
	}
	if !(density > 0) || density-density != 0 {
		return "", fmt.Errorf("%w: the density is %g: it must be finite and positive", ErrArgument, density)
	}
	var parts []measure.Properties
	var err error
	solid, opt := s.Target(index), measure.Options{Density: density}
	switch by {
	case "whole":
		parts = make([]measure.Properties, 1)
		parts[0], err = measure.Whole(ctx, solid, opt)
	case "body":
		parts, err = measure.Bodies(ctx, solid, opt)
	case "component":
		parts, err = measure.Components(ctx, solid, opt)
	default:
		err = fmt.Errorf("%w: unknown parts %q: expected whole, body or component", ErrArgument, by)
	}
	if err != nil {
		return "", err
	}
	b, err := appendJSON(nil, reflect.ValueOf(parts))
	return string(b), err
}

// At returns the solids at poses; see assembly.Assembly.At. If the solids have poses, the new ones move
// them from there. One pose is for all solids.
//
// Errors: ErrArgument if a pose is not valid, or if there are neither one pose nor as many as solids.
func (s *Solid) At(poses []pose.Pose) (*Solid, error) {
	if len(poses) == 1 {
		one := poses[0]
		poses = make([]pose.Pose, s.Len())
		for i := range poses {
			poses[i] = one
		}
	}
	if len(poses) != s.Len() {
		return nil, fmt.Errorf("%w: %d poses for %d solids", ErrArgument, len(poses), s.Len())
	}
	a, err := s.Assembly.At(poses)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArgument, err)
	}
	return newSolid(a, s.workers), nil
}

// Unposed returns the same solids without poses.
func (s *Solid) Unposed() *Solid { return newSolid(s.Assembly.Unposed(), s.workers) }

// Refit returns the solids with other vertices; see assembly.Assembly.Refit. vertices has the vertices of all meshes in
// the order of the solids.
//
// Errors: ErrArgument if the number of vertices is not that of all meshes; those of inpoly.Solid.Refit.
func (s *Solid) Refit(ctx context.Context, vertices []r3.Vector) (*Solid, error) {
	parts, from := make([][]r3.Vector, s.Len()), 0
	for i := range parts {
		n := len(s.Solid(i).Mesh().Vertices)
		if from+n > len(vertices) {
			from = -1
			break
		}
		parts[i], from = vertices[from:from+n], from+n
	}
	if from != len(vertices) {
		n := 0
		for i := range s.Len() {
			n += len(s.Solid(i).Mesh().Vertices)
		}
		return nil, fmt.Errorf("%w: %d vertices, but the meshes have %d", ErrArgument, len(vertices), n)
	}
	a, _, err := s.Assembly.Refit(ctx, parts)
	if err != nil {
		return nil, err
	}
	return newSolid(a, s.workers), nil
}

// Poses returns the poses of the solids, or nil if they have none. All answers are exact for these poses.
func (s *Solid) Poses() []pose.Pose {
	if s.Posed(0) == nil {
		return nil
	}
	poses := make([]pose.Pose, s.Len())
	for i := range poses {
		poses[i] = s.Posed(i).Pose()
	}
	return poses
}

// Mesh returns the welded mesh of solid number index.
//
// Errors: ErrArgument if there is no such solid or if the solids have poses. The vertices of a mesh at a
// pose are not float64 numbers in general, and the vertices without the pose are those of another solid.
func (s *Solid) Mesh(index int) (*mesh.Mesh, error) {
	if err := s.checkIndex(index); err != nil {
		return nil, err
	}
	if s.Posed(0) != nil {
		return nil, fmt.Errorf("%w: vertices of solids at poses are not supported: take the mesh of the solid without poses; a solid that is made of this mesh can then be given the pose", ErrArgument)
	}
	return s.Solid(index).Mesh(), nil
}

// Box returns a box that contains solid number index, which must exist, at its pose. It is the smallest box
// if there is no pose, or if the pose exchanges axes and moves the box of the mesh without rounding.
// Otherwise it surrounds the moved box of the mesh.
func (s *Solid) Box(index int) bvh.Box { return s.Target(index).Box() }
