package mesh_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// torn returns s with its own corners for each triangle. Each corner moves by at most width along each
// axis.
func torn(s mesh.Soup, width float64) mesh.Soup {
	out := testmesh.Corners(s)
	r := rand.New(rand.NewPCG(1, 2))
	d := func() float64 { return width * (2*r.Float64() - 1) }
	out.Vertices = slices.Clone(out.Vertices)
	for i, v := range out.Vertices {
		out.Vertices[i] = v.Add(r3.Vector{X: d(), Y: d(), Z: d()})
	}
	return out
}

// The sum of the loops is the boundary chain, for narrow gaps of all widths.
func TestBoundaryLoops(t *testing.T) {
	star := testmesh.Star(3, .5, 1)
	cases := map[string]mesh.Soup{
		"copies":     testmesh.Copies(testmesh.Hemisphere(2), 5),
		"one face":   {Vertices: star.Vertices, Faces: star.Faces[:1]},
		"hemisphere": testmesh.Hemisphere(4),
		"torn twice": testmesh.Copies(torn(star, 1e-7), 2),
		"tiny":       testmesh.Scale(torn(star, 1e-7), 0x1p-1000),
		"huge":       testmesh.Scale(torn(star, 1e-7), 0x1p990),
	}
	for name, width := range map[string]float64{"1e-7": 1e-7, "1e-5": 1e-5, "1e-3": 1e-3, "1e-2": 1e-2, "0.1": 0.1} {
		cases["torn by "+name] = torn(star, width)
	}
	for name, s := range cases {
		m := testmesh.Mesh(s)
		loops, times, err := m.BoundaryLoops(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sum := map[[2]int32]int32{}
		add := func(a, b, n int32) {
			if a > b {
				a, b, n = b, a, -n
			}
			sum[[2]int32{a, b}] += n
		}
		for _, l := range loops {
			if unique := slices.Compact(slices.Sorted(slices.Values(l))); len(unique) != len(l) {
				t.Errorf("%s: loop %v repeats a vertex", name, l)
			}
			for i, v := range l {
				add(v, l[(i+1)%len(l)], int32(times))
			}
		}
		for _, e := range m.Boundary() {
			add(e.A, e.B, -e.Mult)
		}
		for e, n := range sum {
			if n != 0 {
				t.Errorf("%s: edge %v remains %d times", name, e, n)
			}
		}
		if name == "copies" && times != 5 {
			t.Errorf("%s: each loop is taken %d times", name, times)
		}
	}
}

// The caps of narrow gaps have a small area.
func TestCappedSeams(t *testing.T) {
	area := func(tris []mesh.Triangle) (sum float64) {
		for _, c := range tris {
			sum += c[1].Sub(c[0]).Cross(c[2].Sub(c[0])).Norm() / 2
		}
		return sum
	}
	for _, width := range []float64{1e-7, 1e-5, 1e-4} {
		m := testmesh.Mesh(torn(testmesh.Star(3, .5, 1), width))
		closed, caps, err := m.Capped(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if !closed.Closed() || len(caps) > 2*len(m.Boundary()) || area(caps) > 1000*width {
			t.Errorf("gaps of %g: closed %v, %d caps of area %g for %d edges", width, closed.Closed(), len(caps), area(caps), len(m.Boundary()))
		}
	}
}
