package nearest

import (
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// The pseudonormal of an edge is the sum over all faces at the edge, however many faces its vertices have.
// The faces can be collapsed or equal.
func TestEdgeNormals(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for trial := range 400 {
		m := &mesh.Mesh{}
		for range 3 + rng.IntN(8) {
			m.Vertices = append(m.Vertices, r3.Vector{X: float64(rng.IntN(3)), Y: float64(rng.IntN(3)), Z: rng.Float64()})
		}
		number := func() int32 { return int32(rng.IntN(len(m.Vertices))) }
		for range 1 + rng.IntN(25) {
			m.Faces = append(m.Faces, [3]int32{number(), number(), number()})
		}
		if trial%100 == 0 { // two vertices with many faces
			for range 2 * maxFan {
				m.Faces = append(m.Faces, [3]int32{0, 2, number()}, [3]int32{1, number(), 2})
			}
		}
		n, err := newNormals(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		twins := make(map[[2]int32]r3.Vector)
		for i, f := range m.Faces {
			for k := range 3 {
				v, w := f[k], f[(k+1)%3]
				if v == w {
					continue
				}
				edge := [2]int32{min(v, w), max(v, w)}
				if _, ok := twins[edge]; !ok {
					twins[edge] = twinNormal(m, v, w, 500)
				}
				got, want := n.ofEdge(m, int32(i), k), twins[edge]
				if (got == (r3.Vector{})) != (want == (r3.Vector{})) || got.Sub(want).Norm() > 5e-6 {
					t.Fatalf("edge %d of face %d: %v, not %v", k, i, got, want)
				}
			}
		}
	}
}
