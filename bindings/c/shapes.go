package main

// #include "export.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/section"
)

//export inpolySections
func inpolySections(solid C.inpoly_solid, index C.int64_t, planes *C.double, count C.int64_t, format, unit *C.char, dst **C.char, progress C.inpoly_progress, user unsafe.Pointer) C.inpoly_status {
	return status(func() error {
		list, err := array[section.Plane]("planes", unsafe.Pointer(planes), int64(count), false)
		if err != nil {
			return err
		}
		name, err := text("format", format)
		if err != nil {
			return err
		}
		unitName := ""
		if unit != nil {
			unitName = C.GoString(unit)
		}
		return writeText(solid, "section", dst, progress, user, func(ctx context.Context, s *binding.Solid, report func(done, total int64)) (string, error) {
			return s.Sections(ctx, int(index), list, name, unitName, report)
		})
	})
}

//export inpolyMeasure
func inpolyMeasure(solid C.inpoly_solid, index C.int64_t, by *C.char, density C.double, dst **C.char, progress C.inpoly_progress, user unsafe.Pointer) C.inpoly_status {
	return status(func() error {
		parts, err := text("by", by)
		if err != nil {
			return err
		}
		return writeText(solid, "measure", dst, progress, user, func(ctx context.Context, s *binding.Solid, _ func(done, total int64)) (string, error) {
			return s.Measure(ctx, int(index), parts, float64(density))
		})
	})
}

// writeText stores the text that the function compute returns in dst.
func writeText(solid C.inpoly_solid, stage string, dst **C.char, progress C.inpoly_progress, user unsafe.Pointer, compute func(ctx context.Context, s *binding.Solid, report func(done, total int64)) (string, error)) error {
	if _, err := array[*C.char]("text", unsafe.Pointer(dst), 1, false); err != nil {
		return err
	}
	var out string
	err := runLines(solid, stage, progress, user, func(ctx context.Context, s *binding.Solid, report func(done, total int64)) (err error) {
		out, err = compute(ctx, s, report)
		return err
	})
	if err == nil {
		*dst = C.CString(out)
	}
	return err
}

//export inpolyPoseFromMatrix
func inpolyPoseFromMatrix(m, t *C.double, dst *C.inpoly_pose) C.inpoly_status {
	return status(func() error {
		rows, err := array[[3][3]float64]("m", unsafe.Pointer(m), 1, false)
		if err != nil {
			return err
		}
		translation, err := array[r3.Vector]("t", unsafe.Pointer(t), 1, false)
		if err != nil {
			return err
		}
		out, err := array[C.inpoly_pose]("pose", unsafe.Pointer(dst), 1, false)
		if err != nil {
			return err
		}
		p, err := pose.FromMatrix(rows[0], translation[0])
		if err != nil {
			return argument("%w", err)
		}
		out[0] = newPose(p)
		return nil
	})
}

func newPose(p pose.Pose) (c C.inpoly_pose) {
	q, v := p.Rotation, p.Translation
	c.rotation = [4]C.double{C.double(q.Real), C.double(q.Imag), C.double(q.Jmag), C.double(q.Kmag)}
	c.translation = [3]C.double{C.double(v.X), C.double(v.Y), C.double(v.Z)}
	return c
}

//export inpolyPoses
func inpolyPoses(solid C.inpoly_solid, poses *C.inpoly_pose, count C.int64_t) C.inpoly_status {
	return status(func() error {
		s, err := find(solid)
		if err != nil {
			return err
		}
		out, err := array[C.inpoly_pose]("poses", unsafe.Pointer(poses), int64(count), false)
		if err != nil {
			return err
		}
		list := s.Poses()
		if list == nil {
			return argument("the solids have no poses: inpoly_at gives them poses")
		}
		if len(out) != len(list) {
			return argument("count is %d, but the number of solids is %d", count, len(list))
		}
		for i, p := range list {
			out[i] = newPose(p)
		}
		return nil
	})
}

//export inpolyAt
func inpolyAt(solid C.inpoly_solid, poses *C.inpoly_pose, count C.int64_t, posed *C.inpoly_solid) C.inpoly_status {
	return status(func() error {
		s, err := find(solid)
		if err != nil {
			return err
		}
		if _, err := array[C.inpoly_solid]("posed", unsafe.Pointer(posed), 1, false); err != nil {
			return err
		}
		in, err := array[[7]float64]("poses", unsafe.Pointer(poses), int64(count), false)
		if err != nil {
			return err
		}
		list := make([]pose.Pose, len(in))
		for i, p := range in {
			list[i] = pose.Pose{Rotation: quat.Number{Real: p[0], Imag: p[1], Jmag: p[2], Kmag: p[3]}, Translation: r3.Vector{X: p[4], Y: p[5], Z: p[6]}}
		}
		out, err := s.At(list)
		if err != nil {
			return err
		}
		return store(posed, out)
	})
}

//export inpolyUnposed
func inpolyUnposed(solid C.inpoly_solid, unposed *C.inpoly_solid) C.inpoly_status {
	return status(func() error {
		s, err := find(solid)
		if err != nil {
			return err
		}
		if _, err := array[C.inpoly_solid]("unposed", unsafe.Pointer(unposed), 1, false); err != nil {
			return err
		}
		return store(unposed, s.Unposed())
	})
}

//export inpolyRefit
func inpolyRefit(solid C.inpoly_solid, vertices *C.double, count C.int64_t, progress C.inpoly_progress, user unsafe.Pointer, refitted *C.inpoly_solid) C.inpoly_status {
	return status(func() error {
		if _, err := array[C.inpoly_solid]("refitted", unsafe.Pointer(refitted), 1, false); err != nil {
			return err
		}
		in, err := array[[3]float64]("vertices", unsafe.Pointer(vertices), int64(count), count == 0)
		if err != nil {
			return err
		}
		list := make([]r3.Vector, len(in))
		for i, v := range in {
			list[i] = r3.Vector{X: v[0], Y: v[1], Z: v[2]}
		}
		var out *binding.Solid
		err = runLines(solid, "build", progress, user, func(ctx context.Context, s *binding.Solid, _ func(done, total int64)) (err error) {
			out, err = s.Refit(ctx, list)
			return err
		})
		if err != nil {
			return err
		}
		return store(refitted, out)
	})
}
