//go:build js && wasm

package main

import (
	"context"
	"fmt"
	"syscall/js"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/section"
)

func init() {
	methods["sections"] = sections
	methods["measure"] = measureSolid
	methods["at"] = at
	methods["refit"] = refit
}

// sections returns the sections with planes as text: a point of each plane in params.starts, and its
// normal in params.vectors.
func sections(ctx context.Context, params js.Value, progress progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	l, err := linesOf(params)
	if err != nil {
		return nil, err
	}
	if len(l.Starts) != len(l.Vectors) {
		return nil, fmt.Errorf("%w: %d origins and %d normals", binding.ErrArgument, len(l.Starts), len(l.Vectors))
	}
	planes := make([]section.Plane, len(l.Starts))
	for i := range planes {
		planes[i] = section.Plane{Origin: l.Starts[i], Normal: l.Vectors[i]}
	}
	return s.Sections(ctx, wholeNumber(params.Get("index")), planes, params.Get("format").String(), params.Get("unit").String(), reporter(progress, "section"))
}

// measureSolid returns the properties of the solid number params.index, or of its parts, as JSON.
func measureSolid(ctx context.Context, params js.Value, _ progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	return s.Measure(ctx, wholeNumber(params.Get("index")), params.Get("by").String(), params.Get("density").Float())
}

// at opens the solids at the poses in params.poses, a Float64Array with 13 numbers for each pose; see
// poses.js. It returns {solid, info}.
func at(ctx context.Context, params js.Value, _ progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	const length = 13
	array := params.Get("poses")
	if kind(array) != "Float64Array" || array.Get("length").Int()%length != 0 {
		return nil, fmt.Errorf("%w: the poses are not a Float64Array of %d numbers each", binding.ErrArgument, length)
	}
	numbers := slice[float64](array)
	poses := make([]pose.Pose, len(numbers)/length)
	for i := range poses {
		if poses[i], err = newPose(numbers[length*i : length*(i+1)]); err != nil {
			return nil, fmt.Errorf("%w: pose %d: %w", binding.ErrArgument, i, err)
		}
	}
	posed, err := s.At(poses)
	return opened(ctx, posed, err)
}

// refit opens the solids with the vertices params.vertices of all meshes. It returns {solid, info}.
func refit(ctx context.Context, params js.Value, _ progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	vertices, err := vectors(params.Get("vertices"), "the vertices")
	if err != nil {
		return nil, err
	}
	moved, err := s.Refit(ctx, vertices)
	return opened(ctx, moved, err)
}

// newPose returns the pose that 13 numbers describe. If n[0] is 0, a quaternion (w, x, y, z) and the
// translation follow, and the last five numbers are not used. If n[0] is 1, the three rows of a
// rotation matrix and the translation follow.
func newPose(n []float64) (pose.Pose, error) {
	if n[0] == 0 {
		return pose.Pose{
			Rotation:    quat.Number{Real: n[1], Imag: n[2], Jmag: n[3], Kmag: n[4]},
			Translation: r3.Vector{X: n[5], Y: n[6], Z: n[7]},
		}, nil
	}
	m := [3][3]float64{{n[1], n[2], n[3]}, {n[4], n[5], n[6]}, {n[7], n[8], n[9]}}
	return pose.FromMatrix(m, r3.Vector{X: n[10], Y: n[11], Z: n[12]})
}
