package main

// #include "export.h"
import "C"

import (
	"context"
	"encoding/json"
	"strings"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/mesh"
)

// findMesh returns the mesh of one of the solids of a handle, without its pose.
func findMesh(solid C.inpoly_solid, index C.int64_t) (*binding.Solid, *mesh.Mesh, error) {
	s, err := find(solid)
	if err != nil {
		return nil, nil, err
	}
	if index < 0 || int64(index) >= int64(s.Len()) {
		return nil, nil, argument("index is %d, but the number of solids is %d", index, s.Len())
	}
	return s, s.Solid(int(index)).Mesh(), nil
}

//export inpolyDescribe
func inpolyDescribe(solid C.inpoly_solid, index C.int64_t, info *C.inpoly_info) C.inpoly_status {
	return status(func() error {
		s, m, err := findMesh(solid, index)
		if err != nil {
			return err
		}
		if err := checkStruct("info", info); err != nil {
			return err
		}
		box := s.Box(int(index))
		out := C.inpoly_info{
			solids:   C.int64_t(s.Len()),
			vertices: C.int64_t(len(m.Vertices)), faces: C.int64_t(m.NumFaces()),
			box_min: [3]C.double{C.double(box.Min.X), C.double(box.Min.Y), C.double(box.Min.Z)},
			box_max: [3]C.double{C.double(box.Max.X), C.double(box.Max.Y), C.double(box.Max.Z)},
		}
		if m.Closed() {
			out.closed = 1
		}
		writeStruct(info, out)
		return nil
	})
}

//export inpolyMeshCopy
func inpolyMeshCopy(solid C.inpoly_solid, index C.int64_t, vertices *C.double, faces *C.int32_t) C.inpoly_status {
	return status(func() error {
		s, m, err := findMesh(solid, index)
		if err != nil {
			return err
		}
		if vertices != nil {
			if m, err = s.Mesh(int(index)); err != nil {
				return err
			}
		}
		v, err := array[r3.Vector]("vertices", unsafe.Pointer(vertices), int64(len(m.Vertices)), true)
		if err != nil {
			return err
		}
		f, err := array[[3]int32]("faces", unsafe.Pointer(faces), int64(len(m.Faces)), true)
		if err != nil {
			return err
		}
		copy(v, m.Vertices)
		copy(f, m.Faces)
		return nil
	})
}

// writeJSON stores the text of value in dst.
func writeJSON(dst **C.char, value any) error {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // W > 1/2 stays readable
	if err := e.Encode(value); err != nil {
		return err
	}
	*dst = C.CString(strings.TrimSuffix(text.String(), "\n"))
	return nil
}

//export inpolyReport
func inpolyReport(solid C.inpoly_solid, dst **C.char, progress C.inpoly_progress, user unsafe.Pointer) C.inpoly_status {
	return status(func() error {
		s, err := find(solid)
		if err != nil {
			return err
		}
		if _, err := array[*C.char]("json", unsafe.Pointer(dst), 1, false); err != nil {
			return err
		}
		var r *binding.Report
		err = callback{progress, user}.run(func(ctx context.Context, report func(string, int64, int64)) (err error) {
			r, err = s.ReportWith(ctx, report)
			return err
		})
		if err != nil {
			return err
		}
		return writeJSON(dst, r)
	})
}

//export inpolyExplain
func inpolyExplain(solid C.inpoly_solid, x, y, z C.double, dst **C.char) C.inpoly_status {
	return status(func() error {
		s, err := find(solid)
		if err != nil {
			return err
		}
		if _, err := array[*C.char]("json", unsafe.Pointer(dst), 1, false); err != nil {
			return err
		}
		return writeJSON(dst, s.Explain(r3.Vector{X: float64(x), Y: float64(y), Z: float64(z)}))
	})
}
