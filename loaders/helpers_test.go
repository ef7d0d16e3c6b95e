package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// readString reads a file with the given name and content.
func readString(name, data string) (*mesh.Soup, Info, error) {
	return Read(context.Background(), name, strings.NewReader(data), Options{})
}

// checkSoup fails the test unless s has the properties that Load documents.
func checkSoup(tb failer, s *mesh.Soup) {
	tb.Helper()
	if len(s.Faces) == 0 {
		tb.Fatal("a soup without faces")
	}
	for f, c := range s.Faces {
		for _, i := range c {
			if i < 0 || int(i) >= len(s.Vertices) {
				tb.Fatalf("face %d refers to vertex %d of %d", f, i, len(s.Vertices))
			}
		}
	}
	for i, v := range s.Vertices {
		if !vec.Finite(v) {
			tb.Fatalf("vertex %d is %v", i, v)
		}
	}
	next := int32(0)
	for _, body := range s.Bodies {
		if body.First != next || body.Count <= 0 {
			tb.Fatalf("body %q has faces %d+%d, want it to begin at %d", body.Name, body.First, body.Count, next)
		}
		next += body.Count
	}
	if int(next) != len(s.Faces) {
		tb.Fatalf("bodies hold %d of %d faces", next, len(s.Faces))
	}
}

// describe returns the faces of a soup with their coordinates, and the bodies of the soup.
func describe(s *mesh.Soup) string {
	var t strings.Builder
	for _, f := range s.Faces {
		for _, i := range f {
			v := s.Vertices[i]
			fmt.Fprintf(&t, "%g,%g,%g ", v.X, v.Y, v.Z)
		}
		t.WriteString("\n")
	}
	for _, b := range s.Bodies {
		fmt.Fprintf(&t, "%q %d\n", b.Name, b.Count)
	}
	return t.String()
}

// readPieces reads data in chunks of about chunkBytes bytes.
func readPieces(data []byte, format Format, chunkBytes int) (*mesh.Soup, Info, error) {
	info := Info{Format: format}
	src := soup.NewSource(context.Background(), soup.Options{Size: int64(len(data)), ChunkSize: chunkBytes})
	if err := src.Open(bytes.NewReader(data)); err != nil {
		return nil, info, placed(err, "", format)
	}
	b := soup.NewBuilder(src)
	soup, err := build(src, b, formats[format].Read)
	info.Bytes, info.Polygons, info.StoredVertices, info.Notes = src.Bytes, b.Polygons, b.StoredVertices, b.Notes
	return soup, info, placed(err, "", format)
}

// sameReading fails the test unless readPieces returns the same result for all chunk sizes.
func sameReading(tb failer, data []byte, format Format, sizes ...int) {
	tb.Helper()
	want, info, wantErr := readPieces(data, format, len(data)+1)
	for _, size := range sizes {
		got, gotInfo, gotErr := readPieces(data, format, size)
		if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			tb.Fatalf("pieces of %d bytes: error %v, in one go %v; input %q", size, gotErr, wantErr, data)
		}
		if wantErr != nil {
			continue
		}
		if describe(got) != describe(want) || len(got.Vertices) != len(want.Vertices) {
			tb.Fatalf("pieces of %d bytes:\n%s\nin one go:\n%s\ninput %q", size, describe(got), describe(want), data)
		}
		if format != PLY && fmt.Sprint(gotInfo) != fmt.Sprint(info) {
			tb.Fatalf("pieces of %d bytes: info %v, in one go %v; input %q", size, gotInfo, info, data)
		}
	}
}

// refusal is a file that Read must refuse.
type refusal struct {
	name string
	file string // name of the file, with its suffix
	data string
	kind error
	want string // text that the message must contain
}

// run fails the test unless Read refuses the file with the expected reason and text.
func (r refusal) run(t *testing.T) {
	t.Helper()
	t.Run(r.name, func(t *testing.T) {
		sameContent(t, t.TempDir(), r.file, r.data, Options{})
		soup, _, err := readString(r.file, r.data)
		if soup != nil || err == nil {
			t.Fatalf("got soup %v, error %v, want a refusal; input %q", soup, err, r.data)
		}
		var e *Error
		if !errors.As(err, &e) || e.File != r.file {
			t.Fatalf("got %#v, want an *Error for %s", err, r.file)
		}
		if !errors.Is(err, r.kind) {
			t.Errorf("got %v, want it to be %q", err, r.kind)
		}
		if !strings.Contains(err.Error(), r.want) {
			t.Errorf("got %q, want %q in it", err, r.want)
		}
	})
}

// acceptance is a file that Read must accept.
type acceptance struct {
	name      string
	file      string
	data      string
	vertices  int    // number of vertices before welding
	triangles int    // number of triangles after triangulation
	bodies    string // names of the bodies, joined by |
	notes     string // notes, joined by |
}

func (a acceptance) run(t *testing.T) {
	t.Helper()
	t.Run(a.name, func(t *testing.T) {
		sameContent(t, t.TempDir(), a.file, a.data, Options{})
		soup, info, err := readString(a.file, a.data)
		if err != nil {
			t.Fatalf("got %v for %q", err, a.data)
		}
		checkSoup(t, soup)
		var names []string
		for _, b := range soup.Bodies {
			names = append(names, b.Name)
		}
		got := fmt.Sprintf("%d vertices, %d triangles, bodies %s, notes %s",
			len(soup.Vertices), len(soup.Faces), strings.Join(names, "|"), strings.Join(info.Notes, "|"))
		want := fmt.Sprintf("%d vertices, %d triangles, bodies %s, notes %s", a.vertices, a.triangles, a.bodies, a.notes)
		if got != want {
			t.Errorf("got %s, want %s; input %q", got, want, a.data)
		}
	})
}

// unitTetrahedron returns a closed soup with outward normals.
func unitTetrahedron() *mesh.Soup {
	return &mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}, {Z: 1}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
	}
}

// failer has the methods of testing.TB and rapid.T that the tests use.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}
