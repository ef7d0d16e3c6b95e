package apitest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
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
			bits := math.Float64bits
			for i, p := range pts {
				want := s.Project(p)
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

// TestAppendFaces compares the lists of faces with each other and with Distance: all faces in the order of their
// distances, and the faces within each of these distances.
func TestAppendFaces(t *testing.T) {
	m := testmesh.Sphere(1)
	s, err := inpoly.New(t.Context(), m, inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		p := r3.Vector{X: 3*r.Float64() - 1.5, Y: 3*r.Float64() - 1.5, Z: 3*r.Float64() - 1.5}
		all := s.AppendNearest(nil, p, m.NumFaces()+1)
		seen := map[int32]bool{}
		for i, x := range all {
			if seen[x.Face] = true; i > 0 && x.Distance < all[i-1].Distance {
				t.Fatalf("%v: face %d at %g comes after a face at %g", p, x.Face, x.Distance, all[i-1].Distance)
			}
			// At this distance, faces at exactly the same distance are within reach, too.
			within := s.AppendWithin(nil, p, x.Distance)
			if len(within) <= i || !slices.Equal(within, all[:len(within)]) || len(within) < len(all) && all[len(within)].Distance <= x.Distance {
				t.Fatalf("%v: %d faces within %g, want the first %d or more", p, len(within), x.Distance, i+1)
			}
		}
		if len(seen) != m.NumFaces() || len(all) != m.NumFaces() {
			t.Fatalf("%v: %d faces, %d of them different, want %d", p, len(all), len(seen), m.NumFaces())
		}
		d, face := s.Distance(p)
		near := s.Project(p)
		if all[0].Face != face || all[0].Distance != math.Abs(d) || near.Face != face || near.Distance != math.Abs(d) {
			t.Fatalf("%v: face %d at %g, projection %+v, want face %d at %g", p, all[0].Face, all[0].Distance, near, face, math.Abs(d))
		}
		if below := math.Nextafter(all[0].Distance, 0); !s.Within(p, all[0].Distance) || s.Within(p, below) || len(s.AppendWithin(nil, p, below)) > 0 {
			t.Fatalf("%v: wrong faces near the distance %g", p, all[0].Distance)
		}
	}
	for _, p := range []r3.Vector{{X: math.NaN()}, {Y: math.Inf(1)}} {
		if n := s.Project(p); n.Face != -1 || s.Within(p, math.Inf(1)) || len(s.AppendNearest(nil, p, 3)) > 0 || len(s.AppendWithin(nil, p, math.Inf(1))) > 0 {
			t.Errorf("%v: a point that is not finite has faces: %+v", p, n)
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
