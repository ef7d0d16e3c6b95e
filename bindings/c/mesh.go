package main

// #include "export.h"
import "C"

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

//export inpolyNew
func inpolyNew(meshes *C.inpoly_mesh, count C.int64_t, o *C.inpoly_options, solid *C.inpoly_solid) C.inpoly_status {
	return status(func() error {
		copies, err := copyMeshes(meshes, int64(count))
		if err != nil {
			return err
		}
		return open(solid, o, func(ctx context.Context, o binding.Options) (*binding.Solid, error) {
			return binding.New(ctx, copies, o)
		})
	})
}

// copyMeshes copies n meshes. All have the size of the first, also if it is a newer version.
func copyMeshes(first *C.inpoly_mesh, n int64) ([]binding.Mesh, error) {
	if n == 0 {
		return nil, nil
	}
	if err := checkStruct("meshes", first); err != nil {
		return nil, err
	}
	size := int64(first.size)
	if err := check("meshes", unsafe.Pointer(first), n, size, size, unsafe.Alignof(*first)); err != nil {
		return nil, err
	}
	var out []binding.Mesh
	for i := range n {
		name := fmt.Sprintf("meshes[%d]", i)
		p := (*C.inpoly_mesh)(unsafe.Add(unsafe.Pointer(first), i*size))
		if int64(p.size) != size {
			return nil, argument("the field size of %s is %d, but that of meshes[0] is %d", name, p.size, size)
		}
		m, err := readStruct(name, p)
		if err != nil {
			return nil, err
		}
		c, err := copyMesh(name, &m)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// copyMesh copies the arrays of a mesh. Messages contain the given name.
func copyMesh(name string, m *C.inpoly_mesh) (out binding.Mesh, err error) {
	if m.name != nil {
		out.Name = C.GoString((*C.char)(m.name))
	}
	v, err := newVectors(name+".vertices", unsafe.Pointer(m.vertices), int64(m.vertex_count), int64(m.vertex_stride), m.vertex_type)
	if err != nil {
		return out, err
	}
	if v.n > math.MaxInt32 {
		return out, fmt.Errorf("%w: %s has %d vertices, and the limit is %d", mesh.ErrTooLarge, name, v.n, math.MaxInt32)
	}
	faces, err := copyFaces(name, m)
	if err != nil {
		return out, err
	}
	out.Faces = faces
	out.Vertices = make([]r3.Vector, v.n)
	forEachBlock(v.n, func(lo, hi int) { v.copyTo(out.Vertices[lo:hi], lo) })
	return out, nil
}

// forEachBlock calls f in parallel for blocks of [0, n).
func forEachBlock(n int, f func(lo, hi int)) {
	// The background context never ends, so there is no error.
	_ = par.Blocks(context.Background(), n, 1<<16, 0, func(_, lo, hi int) { f(lo, hi) })
}

func copyFaces(name string, m *C.inpoly_mesh) ([][3]int32, error) {
	vertices, n := int64(m.vertex_count), int64(m.face_count)
	if m.faces == nil && n == 0 {
		if vertices%3 != 0 {
			return nil, fmt.Errorf("%w: %s has no faces and %d vertices, which is not a multiple of 3", mesh.ErrLength, name, vertices)
		}
		faces := make([][3]int32, vertices/3)
		for i := range faces {
			faces[i] = [3]int32{3 * int32(i), 3*int32(i) + 1, 3*int32(i) + 2}
		}
		return faces, nil
	}
	p, name := unsafe.Pointer(m.faces), name+".faces"
	switch m.face_type {
	case C.INPOLY_TYPE_INT32:
		return convertFaces[int32](name, p, n, vertices)
	case C.INPOLY_TYPE_UINT32:
		return convertFaces[uint32](name, p, n, vertices)
	case C.INPOLY_TYPE_INT64:
		return convertFaces[int64](name, p, n, vertices)
	case C.INPOLY_TYPE_UINT64:
		return convertFaces[uint64](name, p, n, vertices)
	case C.INPOLY_TYPE_UINT16:
		return convertFaces[uint16](name, p, n, vertices)
	}
	return nil, argument("%s: the face_type %d is not a type of integers", name, m.face_type)
}

// convertFaces copies n faces. It returns mesh.ErrIndex if an index is not less than the number of
// vertices.
func convertFaces[T int32 | uint32 | int64 | uint64 | uint16](name string, p unsafe.Pointer, n, vertices int64) ([][3]int32, error) {
	faces, err := array[[3]T](name, p, n, false)
	if err != nil {
		return nil, err
	}
	if len(faces) > mesh.MaxFaces {
		return nil, fmt.Errorf("%w: %s has %d faces, and the limit is %d", mesh.ErrTooLarge, name, n, mesh.MaxFaces)
	}
	out := make([][3]int32, len(faces))
	var bad atomic.Int64 // first bad face
	bad.Store(n)
	forEachBlock(len(faces), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for k, v := range faces[i] {
				if v < 0 || uint64(v) >= uint64(vertices) {
					for b := bad.Load(); int64(i) < b && !bad.CompareAndSwap(b, int64(i)); b = bad.Load() {
					}
					return
				}
				out[i][k] = int32(v)
			}
		}
	})
	if b := bad.Load(); b < n {
		return nil, fmt.Errorf("%w: %s: face %d has the vertices %v, but there are %d vertices", mesh.ErrIndex, name, b, faces[b], vertices)
	}
	return out, nil
}
