package apitest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// scattered returns random triangles of size 0.05 around random centers.
func scattered(n int) *mesh.Mesh {
	r := rand.New(rand.NewPCG(1, 0))
	gauss := func(k float64) r3.Vector {
		return r3.Vector{X: k * r.NormFloat64(), Y: k * r.NormFloat64(), Z: k * r.NormFloat64()}
	}
	var s mesh.Soup
	for i := range int32(n) {
		center := gauss(1)
		s.Vertices = append(s.Vertices, center.Add(gauss(.05)), center.Add(gauss(.05)), center.Add(gauss(.05)))
		s.Faces = append(s.Faces, [3]int32{3 * i, 3*i + 1, 3*i + 2})
	}
	return testmesh.Mesh(s)
}

func caster(t *testing.T, m *mesh.Mesh) *raycross.Caster {
	t.Helper()
	x, err := m.Index(t.Context(), bvh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := raycross.New(x, raycross.Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A winding number has a bound of at most Epsilon, for every method, for a batch and for a single
// point, or New refuses Epsilon and names the smallest value. New accepts this value.
func TestEpsilonIsKept(t *testing.T) {
	const smallest = 0
	r := rand.New(rand.NewPCG(2, 0))
	for _, c := range []struct {
		name    string
		mesh    *mesh.Mesh
		epsilon float64
		points  int
		methods []inpoly.Method
	}{
		{"large soup", scattered(6000), 2e-11, 80, []inpoly.Method{inpoly.RayCrossing, inpoly.FMM}},
		{"soup", scattered(300), smallest, 100, inpoly.Methods()},
		{"hemisphere", testmesh.Mesh(testmesh.Hemisphere(3)), 2e-14, 200, inpoly.Methods()},
		{"hemisphere", testmesh.Mesh(testmesh.Hemisphere(3)), smallest, 200, inpoly.Methods()},
		{"cube", testmesh.Mesh(testmesh.UnitCube()), smallest, 200, inpoly.Methods()},
		{"triangle", scattered(1), smallest, 200, inpoly.Methods()},
	} {
		m := c.mesh
		pts := []r3.Vector{m.Vertices[0], m.Triangle(0)[0].Add(m.Triangle(0)[1]).Mul(.5)}
		if os.Getenv("INPOLY_FULL") == "1" {
			c.points *= 10
		}
		for i := range c.points {
			p := r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1}
			if i%4 == 0 { // next to an edge or a vertex
				tri := m.Triangle(r.Int32N(int32(m.NumFaces())))
				p = tri[0].Add(tri[1].Sub(tri[0]).Mul(float64(r.IntN(5)) / 4)).Add(p.Mul(math.Exp2(-54 * r.Float64())))
			}
			pts = append(pts, p)
		}
		rays := caster(t, m)
		exact := func(p r3.Vector) float64 { // the largest error is 2^-53 for |W| < 2
			w, _ := rays.PreciseWinding(p, 0x1p-58, new(raycross.Scratch))
			v, _ := w.Float64()
			return v
		}
		for _, method := range c.methods {
			opt := inpoly.Options{Method: method, Epsilon: c.epsilon, ExpectedPoints: 2000}
			if c.epsilon == smallest {
				opt.Epsilon = 1e-30
				_, err := inpoly.New(t.Context(), m, opt)
				if _, scan := fmt.Sscanf(fmt.Sprint(err), "build index: epsilon is too small: 1e-30; the smallest value that can be reached is about %g", &opt.Epsilon); scan != nil || !errors.Is(err, fmm.ErrEpsilon) {
					t.Fatalf("%s, %v: error %v, want one with the smallest epsilon", c.name, method, err)
				}
			}
			s, err := inpoly.New(t.Context(), m, opt)
			if err != nil {
				t.Errorf("%s, %v: %v", c.name, method, err)
				continue
			}
			w, bound := make([]float64, len(pts)), make([]float64, len(pts))
			if _, err := s.LocateTo(t.Context(), inpoly.Answers{Answers: side.Answers{Winding: w, Bound: bound}}, pts); err != nil {
				t.Fatal(err)
			}
			bad, alone := 0, 0
			for i, p := range pts {
				if !(bound[i] <= opt.Epsilon) {
					bad++
				}
				if i%10 == 0 {
					v, b := s.Winding(p)
					if x := exact(p); !(b <= opt.Epsilon) || math.Abs(v-x) > b+0x1p-52 || math.Abs(w[i]-x) > bound[i]+0x1p-52 {
						alone++
					}
				}
			}
			if bad+alone > 0 {
				t.Errorf("%s, %v: of %d points, %d bounds exceed epsilon %.2g in a batch, and %d single points fail", c.name, method, len(pts), bad, opt.Epsilon, alone)
			}
		}
	}
}
