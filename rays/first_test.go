package rays

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func caster(t *testing.T, m *mesh.Mesh, opt inpoly.Options) *Caster {
	t.Helper()
	solid, err := inpoly.New(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(context.Background(), solid)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFirstHitsOfACube(t *testing.T) {
	c := caster(t, testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	v := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	lines := []Ray{
		{v(0.25, 0.5, 0.5), v(1, 0, 0)},
		{v(-1, 0.5, 0.25), v(2, 0, 0)},
		{v(-1, -1, -1), v(1, 1, 1)},
		{v(-1, 1, 0.25), v(1, 0, 0)}, // in the plane y = 1
		{v(2, 0.5, 0.5), v(1, 0, 0)},
		{v(0.5, 0.5, 1), v(0, 0, 1)}, // starts on the surface
		{v(0.5, 0.25, 4), v(0, 0, -0x1p-1074)},
	}
	want := []float64{0.75, 0.5, 1, 1, math.Inf(1), 0, math.MaxFloat64}
	got := make([]Hit, len(lines))
	if err := FirstTo(context.Background(), c, got, lines); err != nil {
		t.Fatal(err)
	}
	met := make([]bool, len(lines))
	if err := AnyTo(context.Background(), c, met, lines); err != nil {
		t.Fatal(err)
	}
	for i, h := range got {
		if !(math.Abs(h.T-want[i]) <= h.Bound || h.T == want[i]) || met[i] != (h.Face >= 0) {
			t.Errorf("%v: %+v, met %v, want T = %g", lines[i], h, met[i], want[i])
		}
	}
	var all Hits
	if err := AllTo(context.Background(), c, &all, lines); err != nil {
		t.Fatal(err)
	}
	for i, h := range got {
		if of := all.Of(i); h.Face >= 0 && of[0].Face != h.Face || h.Face < 0 && len(of) != 0 {
			t.Errorf("%v: first %+v, all %+v", lines[i], h, of)
		}
	}
}

// No ray from inside a closed mesh passes between its faces: pbrt-v4 calls this test watertight. Some
// rays aim at vertices and edges.
func TestWatertight(t *testing.T) {
	n := 4000
	if testcorpus.Full() {
		n = 10_000_000
	}
	m := testmesh.Mesh(testmesh.Star(4, 0.75, 1))
	c := caster(t, m, inpoly.Options{})
	r := rand.New(rand.NewPCG(21, 8))
	lines := make([]Ray, n)
	for i := range lines {
		lines[i].Direction = r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}
		if i%4 == 0 {
			lines[i].Direction = pick(m, r)
		}
	}
	hits := make([]Hit, n)
	if err := FirstTo(context.Background(), c, hits, lines); err != nil {
		t.Fatal(err)
	}
	for i, h := range hits {
		if h.Face < 0 || h.Jump > 0 {
			t.Fatalf("the ray along %v leaves: %+v", lines[i].Direction, h)
		}
	}
}
