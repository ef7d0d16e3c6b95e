package mesh

import (
	"fmt"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
)

// BenchmarkNew welds a height field of a million triangles in two forms: as a soup of three million
// corners, and as an indexed mesh.
func BenchmarkNew(b *testing.B) {
	const n = 708
	indexed := heightField(n, n)
	soup := Soup{}
	for _, t := range indexed.Faces {
		k := int32(len(soup.Vertices))
		soup.Vertices = append(soup.Vertices, indexed.Vertices[t[0]], indexed.Vertices[t[1]], indexed.Vertices[t[2]])
		soup.Faces = append(soup.Faces, [3]int32{k, k + 1, k + 2})
	}
	for _, row := range []struct {
		name string
		soup Soup
	}{{"soup", soup}, {"indexed", indexed}} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("mesh=%s/faces=%d/workers=%d", row.name, len(row.soup.Faces), workers), func(b *testing.B) {
				s := Soup{Vertices: slices.Clone(row.soup.Vertices), Faces: slices.Clone(row.soup.Faces)}
				for b.Loop() {
					b.StopTimer()
					copy(s.Vertices, row.soup.Vertices)
					copy(s.Faces, row.soup.Faces)
					b.StartTimer()
					if _, err := NewOwned(b.Context(), s, Options{Workers: workers}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(len(s.Faces))*float64(b.N)/b.Elapsed().Seconds(), "faces/s")
			})
		}
	}
}

// heightField returns the surface z = xy/7 over a grid of n×m squares.
func heightField(n, m int32) Soup {
	var s Soup
	for i := range n + 1 {
		for j := range m + 1 {
			s.Vertices = append(s.Vertices, r3.Vector{X: float64(i), Y: float64(j), Z: float64(i*j) / 7})
		}
	}
	for i := range n {
		for j := range m {
			a, b := i*(m+1)+j, (i+1)*(m+1)+j
			s.Faces = append(s.Faces, [3]int32{a, b, b + 1}, [3]int32{a, b + 1, a + 1})
		}
	}
	return s
}
