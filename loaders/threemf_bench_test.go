package loaders

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/inpoly/inpoly/mesh"
)

func xmlModel(s *mesh.Soup) []byte {
	text := []byte(modelHead + "<resources><object id=\"1\"><mesh>\n<vertices>\n")
	for _, v := range s.Vertices {
		text = append(number7(append(text, `<vertex x="`...), v.X), `" y="`...)
		text = append(number7(text, v.Y), `" z="`...)
		text = append(number7(text, v.Z), "\"/>\n"...)
	}
	text = append(text, "</vertices>\n<triangles>\n"...)
	for _, f := range s.Faces {
		text = fmt.Appendf(text, "<triangle v1=\"%d\" v2=\"%d\" v3=\"%d\"/>\n", f[0], f[1], f[2])
	}
	return append(text, "</triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>"...)
}

// BenchmarkReadPackages reads container formats. The throughput refers to unpacked content.
func BenchmarkReadPackages(b *testing.B) {
	soup := torus(500, 400)
	m := mustMesh(b, torus(500, 400))
	var glb bytes.Buffer
	if err := WriteGLB(&glb, m); err != nil {
		b.Fatal(err)
	}
	model := xmlModel(soup)
	for _, c := range []struct {
		format  string
		data    []byte
		content int
	}{
		{"glb", glb.Bytes(), glb.Len()},
		{"3mf", []byte(package3MF(string(model))), len(model)},
	} {
		b.Run(fmt.Sprintf("format=%s/triangles=%d", c.format, len(soup.Faces)), func(b *testing.B) {
			b.SetBytes(int64(c.content))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Read(context.Background(), "bench", bytes.NewReader(c.data), Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
