package loaders

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// torus returns a closed torus. It has 2·n·m triangles.
func torus(n, m int) *mesh.Soup {
	s := &mesh.Soup{}
	for i := range n {
		su, cu := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		for k := range m {
			sv, cv := math.Sincos(2 * math.Pi * float64(k) / float64(m))
			s.Vertices = append(s.Vertices, r3.Vector{X: (2 + cv) * cu, Y: (2 + cv) * su, Z: sv})
			at := func(i, k int) int32 { return int32(i%n*m + k%m) }
			a, b, c, d := at(i, k), at(i+1, k), at(i+1, k+1), at(i, k+1)
			s.Faces = append(s.Faces, [3]int32{a, b, c}, [3]int32{a, c, d})
		}
	}
	return s
}

// number7 appends x with 7 significant digits, because most programs write this precision.
func number7(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'g', 7, 64) }

func asciiSTL(s *mesh.Soup) []byte {
	text := []byte("solid bench\n")
	for _, f := range s.Faces {
		text = append(text, "  facet normal 0.577350 0.577350 0.577350\n    outer loop\n"...)
		for _, i := range f {
			v := s.Vertices[i]
			text = append(text, "      vertex "...)
			text = append(number7(text, v.X), ' ')
			text = append(number7(text, v.Y), ' ')
			text = append(number7(text, v.Z), '\n')
		}
		text = append(text, "    endloop\n  endfacet\n"...)
	}
	return append(text, "endsolid bench\n"...)
}

func objText(s *mesh.Soup) []byte {
	text := []byte("# bench\no torus\n")
	for _, v := range s.Vertices {
		text = append(text, "v "...)
		text = append(number7(text, v.X), ' ')
		text = append(number7(text, v.Y), ' ')
		text = append(number7(text, v.Z), '\n')
	}
	for _, f := range s.Faces {
		text = fmt.Appendf(text, "f %d %d %d\n", f[0]+1, f[1]+1, f[2]+1)
	}
	return text
}

func asciiPLY(s *mesh.Soup) []byte {
	text := fmt.Appendf(nil, "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n", len(s.Vertices), len(s.Faces))
	for _, v := range s.Vertices {
		text = append(number7(text, v.X), ' ')
		text = append(number7(text, v.Y), ' ')
		text = append(number7(text, v.Z), '\n')
	}
	for _, f := range s.Faces {
		text = fmt.Appendf(text, "3 %d %d %d\n", f[0], f[1], f[2])
	}
	return text
}

func offText2(s *mesh.Soup) []byte {
	text := fmt.Appendf(nil, "OFF\n%d %d 0\n", len(s.Vertices), len(s.Faces))
	for _, v := range s.Vertices {
		text = append(number7(text, v.X), ' ')
		text = append(number7(text, v.Y), ' ')
		text = append(number7(text, v.Z), '\n')
	}
	for _, f := range s.Faces {
		text = fmt.Appendf(text, "3 %d %d %d\n", f[0], f[1], f[2])
	}
	return text
}

// binaryFile returns the bytes that the given function writes for s.
func binaryFile(tb testing.TB, s *mesh.Soup, write func(*bytes.Buffer, *mesh.Mesh) error) []byte {
	tb.Helper()
	m, err := mesh.New(context.Background(), mesh.Soup{Vertices: bytesClone(s.Vertices), Faces: bytesClone(s.Faces)}, mesh.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	var buf bytes.Buffer
	if err := write(&buf, m); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

func bytesClone[T any](s []T) []T { return append([]T(nil), s...) }

// BenchmarkLoad reads a torus of 1,000,000 triangles from memory. BenchmarkLoadWeld also welds the
// torus.
func BenchmarkLoad(b *testing.B)     { benchmarkLoad(b, false) }
func BenchmarkLoadWeld(b *testing.B) { benchmarkLoad(b, true) }

func benchmarkLoad(b *testing.B, weld bool) {
	soup := torus(1000, 500)
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"binary.stl", binaryFile(b, soup, func(w *bytes.Buffer, m *mesh.Mesh) error { return WriteSTL(w, m) })},
		{"ascii.stl", asciiSTL(soup)},
		{"text.obj", objText(soup)},
		{"ascii.ply", asciiPLY(soup)},
		{"binary.ply", binaryFile(b, soup, func(w *bytes.Buffer, m *mesh.Mesh) error { return WritePLY(w, m) })},
		{"text.off", offText2(soup)},
	} {
		b.Run("file="+f.name, func(b *testing.B) {
			b.SetBytes(int64(len(f.data)))
			b.ReportAllocs()
			for b.Loop() {
				s, _, err := Read(context.Background(), f.name, bytes.NewReader(f.data), Options{})
				if err != nil {
					b.Fatal(err)
				}
				if weld {
					if _, err := mesh.New(b.Context(), *s, mesh.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(len(soup.Faces))*float64(b.N)/b.Elapsed().Seconds(), "triangles/s")
		})
	}
}
