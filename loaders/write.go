package loaders

import (
	"io"

	"github.com/inpoly/inpoly/loaders/internal/gltf"
	"github.com/inpoly/inpoly/loaders/internal/ply"
	"github.com/inpoly/inpoly/loaders/internal/stl"
	"github.com/inpoly/inpoly/mesh"
)

// WriteSTL writes m as binary STL. Coordinates are rounded to float32, the only type of the
// format. Bodies and shared corners are lost. Degenerate faces get a zero normal. It
// allocates 52 bytes a triangle.
//
// Errors: ErrNotFinite if a vertex is beyond float32, with its number; an error of w.
func WriteSTL(w io.Writer, m *mesh.Mesh) error { return stl.Write(w, m) }

// WritePLY writes m as binary little-endian PLY. Coordinates are floats if that is exact
// for all of them, and doubles if not, so reading the file gives back the same mesh. Bodies
// are lost.
//
// Errors: an error of w.
func WritePLY(w io.Writer, m *mesh.Mesh) error { return ply.Write(w, m) }

// WriteGLB writes m as GLB, the binary form of glTF 2.0, with one node and mesh for each
// body, on shared vertices. Faces outside all bodies go to nodes without a name. Bodies that
// overlap are written as one.
//
// Coordinates are float32, the only type of unscaled positions in glTF. If all coordinates
// are float32 numbers already, reading the file gives back the same mesh. If not, they are
// stored relative to the middle of the box, which becomes the translation of the nodes.
// Each then moves by up to 2⁻²⁴ of half the longest edge of the box, and near vertices may
// coincide. WriteGLB allocates 12 bytes a vertex and 6 or 12 a face.
//
// Errors: ErrNotFinite if a vertex is beyond float32, with its number; ErrTooLarge if the
// file is beyond 4 GB; an error of w.
func WriteGLB(w io.Writer, m *mesh.Mesh) error { return gltf.WriteBinary(w, m) }
