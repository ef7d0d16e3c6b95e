package generate

import (
	"bufio"
	"fmt"
	"io"

	"github.com/golang/geo/r3"
	"github.com/hschendel/stl"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// stlHeader and stlTriangle are the numbers of bytes of the header and of a triangle of binary STL.
const (
	stlHeader   = 84
	stlTriangle = 50
)

// writeSTL writes m as binary STL, like loaders.WriteSTL, which package loaders writes without a library.
// The coordinates are rounded to float32.
func writeSTL(w io.Writer, m *mesh.Mesh) error {
	solid := stl.Solid{Name: "inpoly binary STL", Triangles: make([]stl.Triangle, m.NumFaces())}
	for f := range solid.Triangles {
		c := m.Triangle(int32(f))
		t := &solid.Triangles[f]
		// The edges of a mesh are not so long that their product overflows; see mesh.MaxLength.
		t.Normal = float32s(vec.Unit(c[1].Sub(c[0]).Cross(c[2].Sub(c[0]))))
		for k, v := range c {
			t.Vertices[k] = float32s(v)
		}
	}
	buf := bufio.NewWriterSize(w, 1<<20) // the library writes triangle by triangle
	err := solid.WriteAll(buf)
	if err == nil {
		err = buf.Flush()
	}
	if err != nil {
		return fmt.Errorf("writing STL: %w", err)
	}
	return nil
}

func float32s(v r3.Vector) stl.Vec3 { return stl.Vec3{float32(v.X), float32(v.Y), float32(v.Z)} }
