package apitest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// Distances of batches equal distances of single points bit for bit, with every method and number
// of workers. The signs of distances agree with the sides.
func TestDistancesToEqualsDistance(t *testing.T) {
	open := testmesh.Sphere(3)
	open.Faces = open.Faces[:len(open.Faces)-9]
	holed, err := mesh.New(t.Context(), mesh.Soup{Vertices: open.Vertices, Faces: open.Faces}, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*mesh.Mesh{"sphere": testmesh.Sphere(4), "cube": testmesh.Mesh(testmesh.UnitCube()), "open": holed} {
		r := rand.New(rand.NewPCG(uint64(len(name)), 21))
		pts := []r3.Vector{{X: math.NaN()}, {X: math.Inf(1)}, {X: 1e200}, {}, m.Vertices[0], {X: 1}}
		for range 3000 {
			pts = append(pts, r3.Vector{X: 3*r.Float64() - 1.5, Y: 3*r.Float64() - 1.5, Z: 3*r.Float64() - 1.5})
		}
		for range 300 {
			f := m.Triangle(r.Int32N(int32(m.NumFaces())))
			pts = append(pts, f[r.IntN(3)], f[0].Mul(0.5).Add(f[1].Mul(0.5)), f[0].Add(f[1]).Add(f[2]).Mul(1.0/3))
		}
		for _, opt := range []inpoly.Options{
			{}, {Method: inpoly.RayCrossing, Workers: 1}, {Method: inpoly.Cells, Workers: 3}, {Method: inpoly.FMM}, {Method: inpoly.Direct},
			{Tolerance: 0.1}, {Tolerance: 0.1, Method: inpoly.Cells}, {Rule: inpoly.EvenOdd},
		} {
			some := pts
			if opt.Method == inpoly.Direct {
				some = pts[:200]
			}
			s, err := inpoly.New(t.Context(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			exact := opt
			exact.Tolerance = 0
			sides, err := inpoly.New(t.Context(), m, exact)
			if err != nil {
				t.Fatal(err)
			}
			d, face := make([]float64, len(some)), make([]int32, len(some))
			if err := s.DistancesTo(t.Context(), d, face, some); err != nil {
				t.Fatal(err)
			}
			for i, p := range some {
				wantD, wantFace := s.Distance(p)
				if math.Float64bits(d[i]) != math.Float64bits(wantD) || face[i] != wantFace {
					t.Fatalf("%s, %+v: %v: %g to face %d, as a single point %g to face %d", name, opt, p, d[i], face[i], wantD, wantFace)
				}
				is := inpoly.Outside
				switch {
				case math.IsNaN(d[i]):
					is = inpoly.Unknown
				case d[i] < 0:
					is = inpoly.Inside
				case d[i] == 0:
					is = inpoly.OnSurface
				}
				if want := sides.Side(p); is != want {
					t.Fatalf("%s, %+v: %v: distance %g, side %v", name, opt, p, d[i], want)
				}
			}
		}
	}
}
