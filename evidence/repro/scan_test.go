package main

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// The scan returns the same sides as package raycross, for random points, lattice points that lie on many
// edges of the sphere, vertices, and points on faces and edges.
func TestScanAgainstTree(t *testing.T) {
	ctx := context.Background()
	foam := testmesh.Foam(mesh.FoamOptions{Resolution: 10, Seed: 3})
	for _, m := range []*mesh.Mesh{testmesh.Sphere(0), testmesh.Sphere(3), foam} {
		random := rand.New(rand.NewPCG(4, 4))
		pts := gridPoints(m.Box(), 9)
		size := m.Box().Size()
		for range 300 {
			pts = append(pts, m.Box().Min.Add(r3.Vector{X: random.Float64() * size.X, Y: random.Float64() * size.Y, Z: random.Float64() * size.Z}))
		}
		for i, v := range m.Vertices {
			if i%7 == 0 {
				pts = append(pts, v, v.Add(m.Vertices[0]).Mul(0.5))
			}
		}
		for _, tri := range trianglesOf(m)[:8] {
			pts = append(pts, tri[0].Add(tri[1]).Mul(0.5), tri[0].Add(tri[1]).Add(tri[2]).Mul(1.0/3))
		}
		got := make([]side.Side, len(pts))
		if err := newScanner(m).sidesTo(ctx, got, pts); err != nil {
			t.Fatal(err)
		}
		caster, err := newCaster(ctx, m, 1)
		if err != nil {
			t.Fatal(err)
		}
		var s raycross.Scratch
		on := 0
		for i, p := range pts {
			want := caster.Side(p, &s)
			if got[i] != want {
				t.Errorf("%d triangles, %v: got %v, want %v", m.NumFaces(), p, got[i], want)
			}
			if want == side.OnSurface {
				on++
			}
		}
		if on == 0 {
			t.Errorf("%d triangles: no point is on the surface", m.NumFaces())
		}
	}
}

func TestScanEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := newScanner(testmesh.Sphere(1)).sidesTo(ctx, make([]side.Side, 1), make([]r3.Vector, 1)); err != context.Canceled {
		t.Errorf("got %v, want the error of the context", err)
	}
}
