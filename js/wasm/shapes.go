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

// at opens the solids at the poses in params.poses, a Float64Array with 7 numbers for each pose: the
// quaternion w, x, y, z and the translation. It returns {solid, info}.
func at(ctx context.Context, params js.Value, _ progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	array := params.Get("poses")
	if kind(array) != "Float64Array" || array.Get("length").Int()%7 != 0 {
		return nil, fmt.Errorf("%w: the poses are not a Float64Array of 7 numbers each", binding.ErrArgument)
	}
	numbers := slice[float64](array)
	poses := make([]pose.Pose, len(numbers)/7)
	for i := range poses {
		p := numbers[7*i : 7*i+7]
		poses[i] = pose.Pose{Rotation: quat.Number{Real: p[0], Imag: p[1], Jmag: p[2], Kmag: p[3]}, Translation: r3.Vector{X: p[4], Y: p[5], Z: p[6]}}
	}
	posed, err := s.At(poses)
	return opened(ctx, posed, err)
}
