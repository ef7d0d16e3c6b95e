package stl

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"github.com/hschendel/stl"

	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// TestWriteTwin compares Write with the writer of another package.
func TestWriteTwin(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 20 {
		m := &mesh.Mesh{}
		want := stl.Solid{Name: "inpoly binary STL", Triangles: make([]stl.Triangle, n)}
		for f := range n {
			size := math.Ldexp(1, random.IntN(60)-30)
			var corners [3]r3.Vector
			for k := range corners {
				corners[k] = r3.Vector{X: size * random.NormFloat64(), Y: random.NormFloat64(), Z: size}
				want.Triangles[f].Vertices[k] = soup.Float32s(corners[k])
			}
			want.Triangles[f].Normal = soup.Float32s(unitNormal(corners[0], corners[1], corners[2]))
			first := int32(len(m.Vertices))
			m.Vertices = append(m.Vertices, corners[:]...)
			m.Faces = append(m.Faces, [3]int32{first, first + 1, first + 2})
		}
		var got, twin bytes.Buffer
		if err := Write(&got, m); err != nil {
			t.Fatal(err)
		}
		if err := want.WriteAll(&twin); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), twin.Bytes()) {
			t.Errorf("%d triangles: the files differ", n)
		}
	}
}

func TestUnitNormal(t *testing.T) {
	for _, size := range []float64{0x1p-1000, 1, 0x1p+1000} {
		if got, want := unitNormal(r3.Vector{}, r3.Vector{X: size}, r3.Vector{Y: size}), (r3.Vector{Z: 1}); got != want {
			t.Errorf("size %g: got %v, want %v", size, got, want)
		}
	}
	if got := unitNormal(r3.Vector{X: 1}, r3.Vector{X: 2}, r3.Vector{X: 3}); got != (r3.Vector{}) {
		t.Errorf("no area: got %v, want zero", got)
	}
}
