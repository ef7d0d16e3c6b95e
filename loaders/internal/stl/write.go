package stl

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"github.com/golang/geo/r3"
	"github.com/hschendel/stl"

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
	solid := stl.Solid{
		Name:      "inpoly binary STL", // must not begin with "solid"
		Triangles: make([]stl.Triangle, len(m.Faces)),
	}
	for f, face := range m.Faces {
		t := &solid.Triangles[f]
		for k, i := range face {
			t.Vertices[k] = soup.Float32s(m.Vertices[i])
		}
		t.Normal = soup.Float32s(unitNormal(m.Vertices[face[0]], m.Vertices[face[1]], m.Vertices[face[2]]))
	}
	buf := bufio.NewWriterSize(w, 1<<20)
	err := solid.WriteAll(buf)
	if err == nil {
		err = buf.Flush()
	}
	if err != nil {
		return fmt.Errorf("writing STL: %w", err)
	}
	return nil
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
