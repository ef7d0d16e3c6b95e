package assembly_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// A refitted assembly has the answers of a new one with the same meshes, with and without poses.
func TestRefit(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	parts := []assembly.Part{
		{Name: "a", Mesh: testmesh.Sphere(3)},
		{Name: "b", Mesh: testmesh.Mesh(testmesh.Translate(testmesh.UnitCube(), r3.Vector{X: 0.5, Y: -0.25, Z: 0.125}))},
		{Name: "c", Mesh: testmesh.Mesh(testmesh.Hemisphere(2))},
	}
	for _, opt := range []assembly.Options{{}, {Options: inpoly.Options{Method: inpoly.Cells, Epsilon: 1e-6}}} {
		a, err := assembly.New(t.Context(), parts, opt)
		if err != nil {
			t.Fatal(err)
		}
		vertices, moved := make([][]r3.Vector, len(parts)), slices.Clone(parts)
		for i := range parts {
			vertices[i] = slices.Clone(a.Solid(i).Mesh().Vertices)
			for k := range vertices[i] {
				if i != 1 && r.IntN(3) == 0 {
					vertices[i][k] = vertices[i][k].Mul(1 + 0.1*r.Float64())
				}
			}
			m := a.Solid(i).Mesh()
			moved[i].Mesh = testmesh.Mesh(mesh.Soup{Vertices: slices.Clone(vertices[i]), Faces: slices.Clone(m.Faces)})
		}
		b, done, err := a.Refit(t.Context(), vertices)
		if err != nil {
			t.Fatal(err)
		}
		want, err := assembly.New(t.Context(), moved, opt)
		if err != nil {
			t.Fatal(err)
		}
		if done[0].Vertices == 0 || done[1].Vertices != 0 || b.Solid(1) != a.Solid(1) {
			t.Errorf("%+v: Refit did %+v", opt, done)
		}
		at := []pose.Pose{pose.At(r3.Vector{X: 4}), pose.At(r3.Vector{X: 4}), pose.At(r3.Vector{X: 4})}
		posed, err := a.At(at)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := posed.Refit(t.Context(), vertices)
		if err != nil {
			t.Fatal(err)
		}
		sides := 0
		for range 2000 {
			p := r3.Vector{X: 3*r.Float64() - 1.5, Y: 3*r.Float64() - 1.5, Z: 3*r.Float64() - 1.5}
			got, body := b.Side(p), b.Body(p, assembly.Innermost)
			if got != want.Side(p) || body != want.Body(p, assembly.Innermost) {
				t.Fatalf("%+v: the side of %v is %v in body %d, want %v in %d", opt, p, got, body, want.Side(p), want.Body(p, assembly.Innermost))
			}
			q := p.Add(r3.Vector{X: 4})
			if back := q.Sub(r3.Vector{X: 4}); back == p && again.Side(q) != got {
				t.Fatalf("%+v: at the pose, the side of %v is %v, want %v", opt, p, again.Side(q), got)
			}
			w, bound := b.Winding(p)
			x, other := want.Winding(p)
			if math.Abs(w-x) > bound+other {
				t.Fatalf("%+v: the winding number of %v is %g ± %g, want %g ± %g", opt, p, w, bound, x, other)
			}
			d, near, face := b.Distance(p)
			e, wantNear, wantFace := want.Distance(p)
			if (d != e && !(math.IsNaN(d) && math.IsNaN(e))) || near != wantNear || face != wantFace {
				t.Fatalf("%+v: the distance of %v is %g to face %d, want %g to %d", opt, p, d, face, e, wantFace)
			}
			if got != a.Side(p) {
				sides++
			}
		}
		if sides == 0 {
			t.Errorf("%+v: no side has changed: the test covers too little", opt)
		}
		if _, _, err := a.Refit(t.Context(), vertices[:2]); !errors.Is(err, mesh.ErrCount) {
			t.Errorf("two lists for three solids: %v", err)
		}
		vertices[2] = vertices[2][:3]
		if _, _, err := a.Refit(t.Context(), vertices); !errors.Is(err, mesh.ErrCount) {
			t.Errorf("three vertices: %v", err)
		}
	}
}
