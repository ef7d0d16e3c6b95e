package stl

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// Write writes m as binary STL; see loaders.WriteSTL.
func Write(w io.Writer, m *mesh.Mesh) error {
	for i, v := range m.Vertices {
		if err := soup.CheckFloat32(i, v, soup.Float32s(v)); err != nil {
			return err
		}
	}
	buf := bufio.NewWriterSize(w, 1<<20)
	buf.Write(header(len(m.Faces)))
	record := make([]byte, recordSize) // the last two bytes, the attributes, are 0
	for _, face := range m.Faces {
		a, b, c := m.Vertices[face[0]], m.Vertices[face[1]], m.Vertices[face[2]]
		at := 0
		for _, v := range [...]r3.Vector{unitNormal(a, b, c), a, b, c} {
			for _, x := range soup.Float32s(v) {
				binary.LittleEndian.PutUint32(record[at:], math.Float32bits(x))
				at += 4
			}
		}
		buf.Write(record)
	}
	if err := buf.Flush(); err != nil { // the first error of all writes
		return fmt.Errorf("writing STL: %w", err)
	}
	return nil
}

// header returns the header of a file of n triangles.
func header(n int) []byte {
	h := make([]byte, headerSize)
	copy(h, "inpoly binary STL") // must not begin with "solid"
	binary.LittleEndian.PutUint32(h[countAt:], uint32(n))
	return h
}

// unitNormal returns the unit normal of the triangle a, b, c. It returns zero if the triangle has
// no area. It scales the edges by a power of two, so that their cross product stays in range.
func unitNormal(a, b, c r3.Vector) r3.Vector {
	u, v := b.Sub(a), c.Sub(a)
	_, exp := math.Frexp(max(vec.MaxAbs(u), vec.MaxAbs(v)))
	scale := func(e r3.Vector) r3.Vector {
		return r3.Vector{X: math.Ldexp(e.X, -exp), Y: math.Ldexp(e.Y, -exp), Z: math.Ldexp(e.Z, -exp)}
	}
	n := scale(u).Cross(scale(v)).Normalize()
	if !vec.Finite(n) {
		return r3.Vector{}
	}
	return n
}
