package generate

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// bodies are a sphere and a foam, of ordinary and of extreme sizes.
func bodies(t *testing.T) (list []*mesh.Mesh) {
	t.Helper()
	for _, size := range []float64{1, 25.4, mesh.MinLength, mesh.MaxLength} {
		s, err := mesh.Sphere(t.Context(), mesh.SphereOptions{Refine: 4, Radius: size})
		if err != nil {
			t.Fatal(err)
		}
		f, err := mesh.Foam(t.Context(), mesh.FoamOptions{Cells: 11, Resolution: 14, Seed: 5, Size: size})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s, f)
	}
	return list
}

// write writes m in a format.
func write(t *testing.T, name string, m *mesh.Mesh) []byte {
	t.Helper()
	format, compressed, err := parseFormat(name, "")
	if err != nil {
		t.Fatal(err)
	}
	p := &plan{format: format, compressed: compressed}
	var b bytes.Buffer
	last := int64(0)
	err = p.write(&b, m, func(done int64) error {
		if done < last {
			t.Errorf("%s: progress %d after %d", name, done, last)
		}
		last = done
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b.Bytes()
}

// Each file gives back the mesh: the same faces and the same vertices, which STL rounds to float32.
func TestRoundTrip(t *testing.T) {
	for i, m := range bodies(t) {
		for _, name := range []string{"a.ply", "a.obj", "a.stl", "a.ply.gz", "a.obj.gz", "a.stl.gz"} {
			soup, info, err := loaders.Read(t.Context(), name, bytes.NewReader(write(t, name, m)), loaders.Options{})
			if err != nil {
				t.Fatalf("body %d, %s: %v", i, name, err)
			}
			if len(info.Notes) > 0 {
				t.Errorf("body %d, %s: notes %v", i, name, info.Notes)
			}
			got, err := mesh.New(t.Context(), *soup, mesh.Options{})
			if err != nil {
				t.Fatalf("body %d, %s: %v", i, name, err)
			}
			want, faces := m.Vertices, m.Faces
			if strings.HasPrefix(name, "a.stl") {
				want, faces = firstUse(m)
			}
			if !slices.Equal(got.Vertices, want) || !slices.Equal(got.Faces, faces) || !got.Closed() || len(got.Degenerate()) > 0 {
				t.Errorf("body %d, %s: %d vertices and %d faces, closed %v, %d without area; want %d and %d",
					i, name, len(got.Vertices), len(got.Faces), got.Closed(), len(got.Degenerate()), len(want), len(faces))
			}
		}
	}
}

// firstUse returns the vertices of m, rounded to float32, in the order in which the faces use them, and the
// faces with these numbers. A reader of STL gets them.
func firstUse(m *mesh.Mesh) (vertices []r3.Vector, faces [][3]int32) {
	number := make([]int32, len(m.Vertices)) // 0, or 1 + the new number
	for _, f := range m.Faces {
		var g [3]int32
		for k, v := range f {
			if number[v] == 0 {
				p := m.Vertices[v]
				vertices = append(vertices, r3.Vector{X: float64(float32(p.X)), Y: float64(float32(p.Y)), Z: float64(float32(p.Z))})
				number[v] = int32(len(vertices))
			}
			g[k] = number[v] - 1
		}
		faces = append(faces, g)
	}
	return vertices, faces
}

// The command and loaders.WriteSTL write the same bytes.
func TestSTLTwin(t *testing.T) {
	for i, m := range bodies(t) {
		var want bytes.Buffer
		if err := loaders.WriteSTL(&want, m); err != nil {
			t.Fatal(err)
		}
		got := write(t, "a.stl", m)
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("body %d: the files differ", i)
		}
		if p := (&plan{format: "stl"}); p.bytes(m) != int64(len(got)) {
			t.Errorf("body %d: %d bytes, expected %d", i, len(got), p.bytes(m))
		}
	}
}

// A write stops at the first error of the output, and when the run is interrupted.
func TestWriteErrors(t *testing.T) {
	broken := errors.New("broken")
	m := bodies(t)[0]
	for _, name := range []string{"a.ply", "a.obj", "a.stl", "a.ply.gz", "a.obj.gz", "a.stl.gz"} {
		format, compressed, err := parseFormat(name, "")
		if err != nil {
			t.Fatal(err)
		}
		p := &plan{format: format, compressed: compressed}
		if err := p.write(io.Discard, m, func(int64) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("%s: error %v, want %v", name, err, broken)
		}
		if err := p.write(fullWriter{}, m, func(int64) error { return nil }); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: error %v, want %v", name, err, io.ErrShortWrite)
		}
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// The last writes to a file can fail too. Then no file appears.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.stl")
	term := &term.Terminal{Out: io.Discard, Err: io.Discard}
	m := bodies(t)[0]
	for _, left := range []int{0, 1, 80, 10_000} {
		_, err := term.WriteOutput(path, func(w io.Writer) error {
			return (&plan{format: "stl"}).write(&limited{w, left}, m, func(int64) error { return nil })
		})
		if list, _ := filepath.Glob(filepath.Dir(path) + "/*"); !errors.Is(err, io.ErrShortWrite) || len(list) > 0 {
			t.Errorf("%d bytes: error %v, files %v", left, err, list)
		}
	}
}

// limited is a writer with room for left bytes.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		n, err := l.w.Write(p[:l.left])
		l.left -= n
		return n, errors.Join(err, io.ErrShortWrite)
	}
	l.left -= len(p)
	return l.w.Write(p)
}
