package inpoly_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
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
		{"large soup", scattered(6000), 2e-11, 200, []inpoly.Method{inpoly.RayCrossing, inpoly.FMM}},
		{"soup", scattered(300), smallest, 100, inpoly.Methods()},
		{"hemisphere", testmesh.Mesh(testmesh.Hemisphere(3)), 2e-14, 200, inpoly.Methods()},
		{"hemisphere", testmesh.Mesh(testmesh.Hemisphere(3)), smallest, 200, inpoly.Methods()},
		{"cube", testmesh.Mesh(testmesh.UnitCube()), smallest, 200, inpoly.Methods()},
	} {
		m := c.mesh
		pts := []r3.Vector{m.Vertices[0], m.Triangle(0)[0].Add(m.Triangle(0)[1]).Mul(.5)}
		for range c.points {
			pts = append(pts, r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1})
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
					if v, b := s.Winding(p); !(b <= opt.Epsilon) || !(v-w[i] <= b+bound[i] && w[i]-v <= b+bound[i]) {
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
