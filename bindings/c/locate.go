package main

// #include "export.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/side"
)

//export inpolySide
func inpolySide(solid C.inpoly_solid, x, y, z C.double) (result C.int32_t) {
	s := solids.get(uint64(solid))
	if s == nil {
		return -C.int32_t(status(func() error { return binding.ErrHandle }))
	}
	defer func() {
		if r := recover(); r != nil {
			result = -C.int32_t(status(func() error { panic(r) }))
		}
	}()
	return C.int32_t(s.Side(r3.Vector{X: float64(x), Y: float64(y), Z: float64(z)}))
}

//export inpolySideOf
func inpolySideOf(query *C.inpoly_query) C.int32_t {
	if query == nil {
		return -C.int32_t(status(func() error { return argument("query is NULL") }))
	}
	return inpolySide(query.solid, query.x, query.y, query.z)
}

// fewSides is the largest number of points that inpolySides passes on without the overhead of batch (tuning).
const fewSides = 1 << 14

//export inpolySides
func inpolySides(solid C.inpoly_solid, points *C.double, n C.int64_t, sides *C.int8_t) C.inpoly_status {
	if n > fewSides {
		return batch(solid, points, n, func(a *arrays) {
			a.Sides = output[side.Side](a, "sides", unsafe.Pointer(sides), false)
		})
	}
	return status(func() error {
		s, in, err := packed(solid, points, n)
		if err != nil {
			return err
		}
		dst, err := array[side.Side]("sides", unsafe.Pointer(sides), int64(n), false)
		if err != nil {
			return err
		}
		pts, _ := in.packed()
		return s.SidesTo(context.Background(), dst, pts)
	})
}

//export inpolyWindings
func inpolyWindings(solid C.inpoly_solid, points *C.double, n C.int64_t, winding, bound *C.double) C.inpoly_status {
	return batch(solid, points, n, func(a *arrays) {
		a.Winding = output[float64](a, "winding", unsafe.Pointer(winding), false)
		a.Bound = output[float64](a, "bound", unsafe.Pointer(bound), true)
	})
}

//export inpolyDistances
func inpolyDistances(solid C.inpoly_solid, points *C.double, n C.int64_t, distance, bound *C.double) C.inpoly_status {
	return batch(solid, points, n, func(a *arrays) {
		a.Distance = output[float64](a, "distance", unsafe.Pointer(distance), false)
		a.DistanceBound = output[float64](a, "bound", unsafe.Pointer(bound), true)
	})
}

//export inpolyNearest
func inpolyNearest(solid C.inpoly_solid, points *C.double, n C.int64_t, nearest *C.double, face, body *C.int32_t) C.inpoly_status {
	return batch(solid, points, n, func(a *arrays) {
		a.Nearest = output[r3.Vector](a, "nearest", unsafe.Pointer(nearest), true)
		a.Face = output[int32](a, "face", unsafe.Pointer(face), true)
		a.NearestBody = output[int32](a, "body", unsafe.Pointer(body), true)
	})
}

//export inpolyLocate
func inpolyLocate(solid C.inpoly_solid, points *C.inpoly_points, answers *C.inpoly_answers, progress C.inpoly_progress, user unsafe.Pointer) C.inpoly_status {
	return status(func() error {
		s, err := find(solid)
		if err != nil {
			return err
		}
		p, err := readStruct("points", points)
		if err != nil {
			return err
		}
		in, err := newVectors("points.data", unsafe.Pointer(p.data), int64(p.count), int64(p.stride), p._type)
		if err != nil {
			return err
		}
		c, err := readStruct("answers", answers)
		if err != nil {
			return err
		}
		for name, value := range map[string]C.int32_t{"points": p.reserved, "answers": c.reserved} {
			if value != 0 {
				return argument("the field reserved of %s is %d: it must be 0", name, value)
			}
		}
		a := arrays{n: int64(in.n)}
		a.setAll(&c)
		return a.locate(s, &in, callback{progress, user})
	})
}

// arrays are the arrays of a caller for the answers.
type arrays struct {
	binding.Answers
	n   int64
	err error // the first error of output
}

// output returns an array of the caller with an element for each point. Without such an array, it
// stores the error in a.
func output[T any](a *arrays, name string, p unsafe.Pointer, optional bool) []T {
	s, err := array[T](name, p, a.n, optional)
	if err != nil && a.err == nil {
		a.err = err
	}
	return s
}

func (a *arrays) setAll(c *C.inpoly_answers) {
	a.Sides = output[side.Side](a, "answers.side", unsafe.Pointer(c.side), true)
	a.Winding = output[float64](a, "answers.winding", unsafe.Pointer(c.winding), true)
	a.Bound = output[float64](a, "answers.winding_bound", unsafe.Pointer(c.winding_bound), true)
	a.Distance = output[float64](a, "answers.distance", unsafe.Pointer(c.distance), true)
	a.DistanceBound = output[float64](a, "answers.distance_bound", unsafe.Pointer(c.distance_bound), true)
	a.Nearest = output[r3.Vector](a, "answers.nearest", unsafe.Pointer(c.nearest), true)
	a.Face = output[int32](a, "answers.face", unsafe.Pointer(c.face), true)
	a.NearestBody = output[int32](a, "answers.nearest_body", unsafe.Pointer(c.nearest_body), true)
	a.Body = output[int32](a, "answers.body", unsafe.Pointer(c.body), true)
	a.NearestBound = output[float64](a, "answers.nearest_bound", unsafe.Pointer(c.nearest_bound), true)
	a.Barycentric = output[[3]float64](a, "answers.barycentric", unsafe.Pointer(c.barycentric), true)
	a.Normal = output[r3.Vector](a, "answers.normal", unsafe.Pointer(c.normal), true)
	a.Feature = output[inpoly.Feature](a, "answers.feature", unsafe.Pointer(c.feature), true)
	if c.body_choice < C.INPOLY_BODY_FIRST || c.body_choice > C.INPOLY_BODY_COUNT {
		if a.err == nil {
			a.err = argument("the field body_choice of answers is %d", c.body_choice)
		}
		return
	}
	a.Choice = assembly.Choice(c.body_choice)
}

// packed returns the solid, and n packed points of the caller.
func packed(solid C.inpoly_solid, points *C.double, n C.int64_t) (s *binding.Solid, in vectors, err error) {
	if s, err = find(solid); err == nil {
		in, err = newVectors("points", unsafe.Pointer(points), int64(n), 0, C.INPOLY_TYPE_FLOAT64)
	}
	return s, in, err
}

// batch computes answers for n packed points. The function set sets the arrays.
func batch(solid C.inpoly_solid, points *C.double, n C.int64_t, set func(a *arrays)) C.inpoly_status {
	return status(func() error {
		s, in, err := packed(solid, points, n)
		if err != nil {
			return err
		}
		a := arrays{n: int64(n)}
		set(&a)
		return a.locate(s, &in, callback{})
	})
}

func (a *arrays) locate(s *binding.Solid, in *vectors, c callback) error {
	if a.err != nil {
		return a.err
	}
	return c.run(func(ctx context.Context, progress func(stage string, done, total int64)) error {
		var report func(done, total int64)
		if progress != nil {
			report = func(done, total int64) { progress("locate", done, total) }
			report(0, a.n)
		}
		if pts, ok := in.packed(); ok {
			return s.LocateTo(ctx, a.Answers, pts, report)
		}
		return s.LocateFuncTo(ctx, a.Answers, in.n, in.copyTo, report)
	})
}
