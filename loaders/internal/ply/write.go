package ply

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/inpoly/inpoly/mesh"
)

// Write writes m as binary little-endian PLY: coordinates as float where that
// is exact for all of them, else as double, so that reading gives back the very
// same mesh. Bodies are lost.
func Write(w io.Writer, m *mesh.Mesh) error {
	kind, size := "float", 4
	for _, v := range m.Vertices {
		if float64(float32(v.X)) != v.X || float64(float32(v.Y)) != v.Y || float64(float32(v.Z)) != v.Z {
			kind, size = "double", 8
			break
		}
	}
	buf := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintf(buf, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", len(m.Vertices))
	fmt.Fprintf(buf, "property %[1]s x\nproperty %[1]s y\nproperty %[1]s z\n", kind)
	fmt.Fprintf(buf, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", len(m.Faces))
	for _, v := range m.Vertices {
		var row [24]byte
		for k, x := range [3]float64{v.X, v.Y, v.Z} {
			if size == 8 {
				binary.LittleEndian.PutUint64(row[8*k:], math.Float64bits(x))
			} else {
				binary.LittleEndian.PutUint32(row[4*k:], math.Float32bits(float32(x)))
			}
		}
		// A bufio.Writer keeps its first error for Flush.
		buf.Write(row[:3*size])
	}
	for _, f := range m.Faces {
		row := [13]byte{3}
		for k, i := range f {
			binary.LittleEndian.PutUint32(row[1+4*k:], uint32(i))
		}
		buf.Write(row[:])
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("writing PLY: %w", err)
	}
	return nil
}
