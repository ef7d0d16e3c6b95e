package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/mesh"
)

// tetGLB returns the JSON document of the tetrahedron for GLB. Its buffer has no URI, because the
// content is in the BIN chunk.
func tetGLB() string {
	return strings.Replace(tetText(tetScene), `,"uri":"`+tetBufferURI()+`"`, "", 1)
}

func TestGLBRead(t *testing.T) {
	text := tetGLB()
	whole := glbFile(text, tetBuffer)
	unknown := string(bytesOf(uint32(4), uint32(0x3344), uint32(7)))
	withLength := func(s string, n int) string { return s[:8] + string(bytesOf(uint32(n))) + s[12:] }
	for _, a := range []acceptance{
		{name: "two chunks", file: "a.glb", data: whole, vertices: 4, triangles: 4, bodies: "node 0"},
		{name: "no suffix", file: "a", data: whole, vertices: 4, triangles: 4, bodies: "node 0"},
		{name: "BIN longer than the buffer", file: "a.glb", data: glbFile(text, append(tetBuffer[:72:72], 1, 2, 3)), vertices: 4, triangles: 4, bodies: "node 0"},
		{name: "data URI, no BIN", file: "a.glb", data: glbFile(tetText(tetScene), nil), vertices: 4, triangles: 4, bodies: "node 0"},
		{name: "unknown chunk", file: "a.glb", data: withLength(whole+unknown, len(whole+unknown)), vertices: 4, triangles: 4, bodies: "node 0",
			notes: "ignored a chunk of type 0x3344"},
		{name: "bytes after the end", file: "a.glb", data: whole + "tail", vertices: 4, triangles: 4, bodies: "node 0",
			notes: "ignored 4 bytes after the end of the GLB container"},
	} {
		a.run(t)
	}
	chunkAt := 20 + (len(text)+3)/4*4 // position of the header of the BIN chunk
	patch := func(at int, values ...any) string {
		b := []byte(whole)
		copy(b[at:], bytesOf(values...))
		return string(b)
	}
	for _, r := range []refusal{
		{"only the magic", "a.glb", "glTF", ErrTruncated, "byte 4: "},
		{"version 1", "a.glb", patch(4, uint32(1)), ErrUnsupported, "byte 4: not supported: the GLB container has version 1, must have version 2"},
		{"length beyond the file", "a.glb", patch(8, uint32(len(whole)+1)), ErrTruncated, "byte 8: "},
		{"truncated file", "a.glb", whole[:len(whole)-1], ErrTruncated, "byte 8: "},
		{"length too small", "a.glb", patch(8, uint32(19)), ErrSyntax, "byte 8: "},
		{"JSON chunk beyond the file", "a.glb", patch(12, uint32(math.MaxUint32)), ErrTruncated, "byte 12: truncated: a chunk declares 4294967295 bytes, but only 484 are left"},
		{"BIN chunk beyond the file", "a.glb", patch(chunkAt, uint32(math.MaxInt32)), ErrTruncated, fmt.Sprintf("byte %d: ", chunkAt)},
		{"first chunk is BIN", "a.glb", patch(16, uint32(0x004e4942)), ErrSyntax, "byte 16: "},
		{"two JSON chunks", "a.glb", patch(chunkAt+4, uint32(0x4e4f534a)), ErrSyntax, fmt.Sprintf("byte %d: ", chunkAt+4)},
		{"half a chunk header", "a.glb", withLength(whole+"1234", len(whole)+4), ErrTruncated, fmt.Sprintf("byte %d: ", len(whole))},
		{"JSON error", "a.glb", glbFile(`{"asset":}`, nil), ErrSyntax, "byte 29: "},
		{"no BIN chunk", "a.glb", glbFile(text, nil), ErrTruncated, "/buffers/0: truncated: the file has no BIN chunk"},
		{"short BIN chunk", "a.glb", glbFile(text, tetBuffer[:68]), ErrTruncated, "/buffers/0: truncated: the content has 68 bytes, but byteLength is 72"},
		{"no magic", "a.glb", "glTX" + whole[4:], ErrSyntax, "byte 0: "},
	} {
		r.run(t)
	}
}

func mustMesh(tb failer, s *mesh.Soup) *mesh.Mesh {
	tb.Helper()
	m, err := mesh.New(context.Background(), *s, mesh.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// cornersOf returns the corners of all faces, three for each face.
func cornersOf(m *mesh.Mesh) []r3.Vector {
	var c []r3.Vector
	for _, f := range m.Faces {
		for _, i := range f {
			c = append(c, m.Vertices[i])
		}
	}
	return c
}

// TestWriteGLBExact writes random meshes of float32 numbers with random bodies. Reading must return
// the same corners and bodies.
func TestWriteGLBExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		soup := randomSoup(t, rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.Float32().Draw(t, "x")) }))
		want := mustMesh(t, soup)
		var file bytes.Buffer
		if err := WriteGLB(&file, want); err != nil {
			t.Fatal(err)
		}
		back, info, err := Read(t.Context(), "a.glb", &file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkSoup(t, back)
		bodies := fmt.Sprint(slices.DeleteFunc(slices.Clone(want.Bodies), func(b mesh.Body) bool { return b.Count == 0 }))
		if fmt.Sprint(back.Bodies) != bodies || len(info.Notes) > 0 {
			t.Fatalf("bodies %v, notes %q, want %v and none", back.Bodies, info.Notes, bodies)
		}
		got := mustMesh(t, back)
		a, b := cornersOf(got), cornersOf(want)
		for i := range b {
			if a[i] != b[i] {
				t.Fatalf("corner %d is %v, want %v", i, a[i], b[i])
			}
		}
	})
}

// randomSoup draws a few vertices, faces between them, and bodies. The bodies cover all faces.
func randomSoup(t *rapid.T, coordinate *rapid.Generator[float64]) *mesh.Soup {
	s := &mesh.Soup{}
	for range rapid.IntRange(3, 12).Draw(t, "vertices") {
		s.Vertices = append(s.Vertices, r3.Vector{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y"), Z: coordinate.Draw(t, "z")})
	}
	corner := rapid.Int32Range(0, int32(len(s.Vertices)-1))
	for range rapid.IntRange(1, 20).Draw(t, "faces") {
		s.Faces = append(s.Faces, [3]int32{corner.Draw(t, "a"), corner.Draw(t, "b"), corner.Draw(t, "c")})
	}
	for first := int32(0); first < int32(len(s.Faces)); {
		n := rapid.Int32Range(1, int32(len(s.Faces))-first).Draw(t, "body")
		s.Bodies = append(s.Bodies, mesh.Body{Name: fmt.Sprintf("body %d", len(s.Bodies)), First: first, Count: n})
		first += n
	}
	return s
}

// TestWriteGLBRounded writes float64 meshes far from the origin and reads them. Each corner must be
// within the bound in the documentation of WriteGLB.
func TestWriteGLBRounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offset := rapid.Float64Range(-1e6, 1e6).Draw(t, "offset")
		size := math.Ldexp(1, rapid.IntRange(-20, 10).Draw(t, "size"))
		want := mustMesh(t, randomSoup(t, rapid.Custom(func(t *rapid.T) float64 {
			return offset + size*rapid.Float64Range(0, 1).Draw(t, "x")
		})))
		var file bytes.Buffer
		if err := WriteGLB(&file, want); err != nil {
			t.Fatal(err)
		}
		back, _, err := Read(t.Context(), "a.glb", &file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		box := want.Box().Size()
		// The first term bounds the rounding of stored coordinates to float32. Their magnitude is
		// at most half the longest box edge. The second term bounds three float64 roundings of
		// numbers up to 2e6.
		bound := 0x1p-24*max(box.X, box.Y, box.Z)/2 + 3*0x1p-53*2e6
		for f, face := range back.Faces {
			for k, i := range face {
				d := back.Vertices[i].Sub(want.Vertices[want.Faces[f][k]])
				if max(math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z)) > bound {
					t.Fatalf("corner %d of face %d is off by %v, want at most %g", k, f, d, bound)
				}
			}
		}
	})
}

func TestWriteGLBLimits(t *testing.T) {
	var file bytes.Buffer
	empty := mustMesh(t, &mesh.Soup{})
	if err := WriteGLB(&file, empty); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(t.Context(), "a.glb", &file, Options{}); !errors.Is(err, ErrNoTriangles) {
		t.Errorf("a mesh without faces: got %v, want %v", err, ErrNoTriangles)
	}
	far := &mesh.Soup{Vertices: []r3.Vector{{X: 1e300}, {X: -1e300}, {Y: 1}}, Faces: [][3]int32{{0, 1, 2}}}
	if err := WriteGLB(&file, mustMesh(t, far)); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "vertex 0 ") {
		t.Errorf("coordinates beyond float32: got %v, want %v", err, ErrNotFinite)
	}
	if err := WriteGLB(failingWriter{}, mustMesh(t, unitTetrahedron())); !errors.Is(err, errFull) {
		t.Errorf("a writer that fails: got %v, want %v", err, errFull)
	}
}

var errFull = errors.New("disk full")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

// TestWriteGLBIndexWidth writes two meshes. One has the largest number of vertices that 16-bit
// indices allow. The other has one vertex more.
func TestWriteGLBIndexWidth(t *testing.T) {
	for _, n := range []int{65535, 65536} {
		s := &mesh.Soup{}
		for i := range n {
			s.Vertices = append(s.Vertices, r3.Vector{X: float64(i)})
			if i >= 2 {
				s.Faces = append(s.Faces, [3]int32{int32(i - 2), int32(i - 1), int32(i)})
			}
		}
		var file bytes.Buffer
		want := mustMesh(t, s)
		if err := WriteGLB(&file, want); err != nil {
			t.Fatal(err)
		}
		size := file.Len()
		back, _, err := Read(t.Context(), "a.glb", &file, Options{})
		if err != nil {
			t.Fatalf("%d vertices: %v", n, err)
		}
		if last := back.Vertices[back.Faces[len(back.Faces)-1][2]]; last.X != float64(n-1) {
			t.Errorf("%d vertices: last corner is %v", n, last)
		}
		if wide := size > 12*n+9*len(back.Faces); wide != (n > 65535) {
			t.Errorf("%d vertices in %d bytes: 32-bit indices are %t, want %t", n, size, wide, n > 65535)
		}
	}
}
