package inpoly_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/nearest"
)

// NearestTo has the distances and faces of DistancesTo, and the points of package nearest.
func TestNearestTo(t *testing.T) {
	open := testmesh.Mesh(testmesh.Hemisphere(2))
	for name, m := range map[string]*mesh.Mesh{"sphere": testmesh.Sphere(3), "cube": testmesh.Mesh(testmesh.UnitCube()), "open": open} {
		r := rand.New(rand.NewPCG(71, uint64(len(name))))
		pts := []r3.Vector{{X: math.NaN()}, {Y: math.Inf(1)}, {}, m.Vertices[0], {X: .5, Y: .5}}
		for range 2000 {
			pts = append(pts, r3.Vector{X: 3*r.Float64() - 1.5, Y: 3*r.Float64() - 1.5, Z: 3*r.Float64() - 1.5})
		}
		for _, opt := range []inpoly.Options{{}, {Method: inpoly.RayCrossing, Workers: 1}, {Method: inpoly.Cells, Workers: 3, Tolerance: .1}} {
			s, err := inpoly.New(t.Context(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			d, face := make([]float64, len(pts)), make([]int32, len(pts))
			alone, near := make([]inpoly.Nearest, len(pts)), make([]inpoly.Nearest, len(pts))
			if err := errors.Join(s.DistancesTo(t.Context(), d, face, pts), s.NearestTo(t.Context(), alone, pts)); err != nil {
				t.Fatal(err)
			}
			both := inpoly.Answers{Distance: make([]float64, len(pts)), Face: make([]int32, len(pts)), Nearest: near}
			if _, err := s.LocateTo(t.Context(), both, pts); err != nil {
				t.Fatal(err)
			}
			searcher, err := nearest.Of(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			var st nearest.Scratch
			bits := math.Float64bits
			for i, p := range pts {
				want := searcher.Project(p, &st)
				want.Distance = d[i]
				if fmt.Sprint(near[i]) != fmt.Sprint(want) || fmt.Sprint(alone[i]) != fmt.Sprint(want) {
					t.Fatalf("%s, %+v, %v: %+v, want %+v", name, opt, p, near[i], want)
				}
				if near[i].Face != face[i] || bits(both.Distance[i]) != bits(d[i]) || both.Face[i] != face[i] {
					t.Fatalf("%s, %+v, %v: %+v, want face %d at %g", name, opt, p, near[i], face[i], d[i])
				}
			}
		}
	}
}

func TestNearestToCanceled(t *testing.T) {
	s, err := inpoly.New(t.Context(), testmesh.Sphere(2), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dst := make([]inpoly.Nearest, 3)
	if err := s.NearestTo(ctx, dst, make([]r3.Vector, 3)); !errors.Is(err, context.Canceled) || dst[2].Face != -1 || !math.IsNaN(dst[0].Distance) {
		t.Errorf("%v, %+v", err, dst)
	}
}

func ExampleSolid_NearestTo() {
	s, err := inpoly.New(context.Background(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pts := []r3.Vector{{X: .5, Y: .25, Z: .875}, {X: 2, Y: .25, Z: 2}, {X: 2, Y: 2, Z: 2}}
	near := make([]inpoly.Nearest, len(pts))
	if err := s.NearestTo(context.Background(), near, pts); err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range near {
		fmt.Printf("%v at (%g, %g, %g), distance %.4g, normal (%.3g, %.3g, %.3g)\n",
			n.Feature, n.Point.X, n.Point.Y, n.Point.Z, n.Distance, n.Normal.X, n.Normal.Y, n.Normal.Z)
	}
	// Output:
	// face at (0.5, 0.25, 1), distance -0.125, normal (0, 0, 1)
	// edge at (1, 0.25, 1), distance 1.414, normal (0.707, 0, 0.707)
	// vertex at (1, 1, 1), distance 1.732, normal (0.577, 0.577, 0.577)
}
