package loaders

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// sameContent fails the test unless the stream gives the same mesh, Info and error through Read and
// ReadContent. If dir is not empty, a file in it must give the same through Load and LoadContent.
func sameContent(tb failer, dir, name, data string, opt Options) {
	tb.Helper()
	want, wantInfo, wantErr := Read(context.Background(), name, strings.NewReader(data), opt)
	got, info, err := ReadContent(context.Background(), name, strings.NewReader(data), opt)
	sameMesh(tb, "stream", want, got, wantInfo, info, wantErr, err)
	if dir == "" {
		return
	}
	path := filepath.Join(dir, filepath.Base(name))
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		tb.Fatal(err)
	}
	loaded, loadedInfo, loadedErr := Load(context.Background(), path, opt)
	if (wantErr == nil) != (loadedErr == nil) {
		tb.Fatalf("error of Load: %v, of Read: %v", loadedErr, wantErr)
	}
	got, info, err = LoadContent(context.Background(), path, opt)
	sameMesh(tb, "file", loaded, got, loadedInfo, info, loadedErr, err)
	if loadedErr == nil {
		sameMesh(tb, "soup of the file", want, &Content{soup: loaded}, wantInfo, loadedInfo, nil, nil)
	}
}

func sameMesh(tb failer, what string, want *mesh.Soup, got *Content, wantInfo, info Info, wantErr, err error) {
	tb.Helper()
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		tb.Fatalf("%s: error %v, want %v", what, err, wantErr)
	}
	if !reflect.DeepEqual(info, wantInfo) {
		tb.Fatalf("%s: got %+v, want %+v", what, info, wantInfo)
	}
	if wantErr != nil {
		return
	}
	a, err := got.Mesh(context.Background(), mesh.Options{})
	b, wantErr := mesh.New(context.Background(), *want, mesh.Options{})
	if err != nil || wantErr != nil {
		tb.Fatalf("%s: %v, %v", what, err, wantErr)
	}
	sameBits := func(p, q r3.Vector) bool {
		return p == q && math.Signbit(p.X) == math.Signbit(q.X) && math.Signbit(p.Y) == math.Signbit(q.Y) && math.Signbit(p.Z) == math.Signbit(q.Z)
	}
	if !slices.EqualFunc(a.Vertices, b.Vertices, sameBits) || !slices.Equal(a.Faces, b.Faces) || !slices.Equal(a.Bodies, b.Bodies) {
		tb.Fatalf("%s: got %d vertices and faces that differ from the expected %d", what, len(a.Vertices), len(b.Vertices))
	}
	if !reflect.DeepEqual(a.Boundary(), b.Boundary()) || a.Box() != b.Box() || !reflect.DeepEqual(a.Degenerate(), b.Degenerate()) {
		tb.Fatalf("%s: the boundaries or the faces of zero area differ", what)
	}
}

// TestContent compares ReadContent and LoadContent with Read and Load, for files of several chunks.
func TestContent(t *testing.T) {
	s := torus(60, 45)
	for i := range s.Vertices[:50] {
		s.Vertices[i].Z = math.Copysign(0, float64(i%2)-.5)
	}
	ascii := string(asciiSTL(s))
	ascii += strings.Replace(ascii, "bench", "second", 1) + "solid empty\nendsolid\n" + ascii[:len(ascii)/2]
	ascii = ascii[:strings.LastIndex(ascii, "endfacet")+len("endfacet")]
	binaryFile := binarySTL("name", 12_000, 12_000)
	broken := []byte(binaryFile)
	for _, corner := range []int{3*11_000 + 1, 3*7_000 + 2} {
		binary.LittleEndian.PutUint32(broken[84+50*(corner/3)+12*(1+corner%3)+4:], math.Float32bits(float32(math.Inf(-1))))
	}
	for _, c := range []struct{ name, data string }{
		{"ascii.stl", ascii},
		{"broken ascii.stl", ascii[:len(ascii)/2] + "x" + ascii[len(ascii)/2:]},
		{"binary.stl", binaryFile},
		{"binary with trailing bytes.stl", binaryFile + "12345"},
		{"short binary.stl", binaryFile[:len(binaryFile)-7]},
		{"infinite binary.stl", string(broken)},
		{"without suffix", binaryFile},
		{"wrong suffix.obj", binaryFile},
		{"packed binary.stl.gz", gzipped(binaryFile)},
		{"text.obj", string(objText(s))},
	} {
		for _, limit := range []int64{0, 1 << 20, 4 << 20} {
			if limit == 0 || strings.HasPrefix(c.name, "binary") {
				t.Run(fmt.Sprintf("%s/limit=%d", c.name, limit), func(t *testing.T) {
					if limit == 0 {
						sameContent(t, t.TempDir(), c.name, c.data, Options{})
						return
					}
					_, _, err := ReadContent(t.Context(), c.name, strings.NewReader(c.data), Options{MaxMemory: limit})
					if refused := errors.Is(err, ErrTooLarge); refused != (limit < 2<<20) {
						t.Errorf("error %v", err)
					}
				})
			}
		}
	}
}
