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
		if !vec.Finite(toR3(toVec3(v))) {
			return fmt.Errorf("vertex %d (%v, %v, %v) as float32: %w", i, v.X, v.Y, v.Z, soup.ErrNotFinite)
		}
	}
	solid := stl.Solid{
		Name:      "inpoly binary STL", // must not begin with "solid"
		Triangles: make([]stl.Triangle, len(m.Faces)),
	}
	for f, face := range m.Faces {
		t := &solid.Triangles[f]
		for k, i := range face {
			t.Vertices[k] = toVec3(m.Vertices[i])
		}
		t.Normal = toVec3(unitNormal(m.Vertices[face[0]], m.Vertices[face[1]], m.Vertices[face[2]]))
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

func toVec3(v r3.Vector) stl.Vec3 { return stl.Vec3{float32(v.X), float32(v.Y), float32(v.Z)} }

func toR3(p stl.Vec3) r3.Vector {
	return r3.Vector{X: float64(p[0]), Y: float64(p[1]), Z: float64(p[2])}
}

// unitNormal returns the unit normal of the triangle a, b, c, or zero if the triangle has no area.
// It scales the edges by a power of two so that their product stays in range.
func unitNormal(a, b, c r3.Vector) r3.Vector {
	u, v := b.Sub(a), c.Sub(a)
	size := max(math.Abs(u.X), math.Abs(u.Y), math.Abs(u.Z), math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z))
	_, exp := math.Frexp(size)
	scale := func(e r3.Vector) r3.Vector {
		return r3.Vector{X: math.Ldexp(e.X, -exp), Y: math.Ldexp(e.Y, -exp), Z: math.Ldexp(e.Z, -exp)}
	}
	n := scale(u).Cross(scale(v)).Normalize()
	if !vec.Finite(n) {
		return r3.Vector{}
	}
	return n
}
