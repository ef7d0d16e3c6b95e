package loaders

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/inpoly/inpoly/mesh"
)

// TestWriteRead writes meshes and reads them again. The result must be the same mesh if the format
// can store the coordinates exactly.
func TestWriteRead(t *testing.T) {
	large := torus(20, 10)
	third := unitTetrahedron()
	third.Vertices[1].X = 1.0 / 3
	for _, c := range []struct {
		name string
		soup *mesh.Soup
		stl  bool // all coordinates are float32 numbers, so STL keeps them
	}{
		{"tetrahedron", unitTetrahedron(), true},
		{"tetrahedron with a third", third, false},
		{"torus", large, false},
	} {
		want := describe(c.soup)
		for _, f := range []struct {
			name  string
			write func(io.Writer, *mesh.Mesh) error
		}{{"a.ply", WritePLY}, {"a.obj", WriteOBJ}, {"a.stl", WriteSTL}} {
			data := binaryFile(t, c.soup, func(w *bytes.Buffer, m *mesh.Mesh) error { return f.write(w, m) })
			got, _, err := Read(context.Background(), f.name, bytes.NewReader(data), Options{})
			if err != nil {
				t.Fatalf("%s as %s: %v", c.name, f.name, err)
			}
			checkSoup(t, got)
			got.Bodies = nil
			if f.name != "a.stl" || c.stl {
				if text := describe(got); text != want {
					t.Errorf("%s as %s: got\n%s\nwant\n%s", c.name, f.name, text, want)
				}
			}
			if len(got.Faces) != len(c.soup.Faces) {
				t.Errorf("%s as %s: got %d faces, want %d", c.name, f.name, len(got.Faces), len(c.soup.Faces))
			}
		}
	}
}

func TestWriteErrors(t *testing.T) {
	soup := unitTetrahedron()
	soup.Vertices[1].X = 1e39
	m, err := mesh.New(t.Context(), *soup, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteSTL(io.Discard, m); !errors.Is(err, ErrNotFinite) {
		t.Errorf("got %v, want ErrNotFinite", err)
	}
	if m, err = mesh.New(t.Context(), *unitTetrahedron(), mesh.Options{}); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer, *mesh.Mesh) error{"STL": WriteSTL, "PLY": WritePLY, "OBJ": WriteOBJ} {
		if err := write(fullWriter{}, m); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: got %v, want io.ErrShortWrite", name, err)
		}
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
