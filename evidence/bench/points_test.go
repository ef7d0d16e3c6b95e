package main

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

func single(t *testing.T, level int) *mesh.Mesh {
	t.Helper()
	sphere := testmesh.Sphere(level)
	s := mesh.Soup{Faces: sphere.Faces}
	for _, v := range sphere.Vertices {
		s.Vertices = append(s.Vertices, r3.Vector{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))})
	}
	m, err := mesh.New(t.Context(), s, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func onMesh(m *mesh.Mesh, p r3.Vector) bool {
	for f := range m.Faces {
		if t := m.Triangle(int32(f)); predicates.OnTriangle(p, t[0], t[1], t[2]) {
			return true
		}
	}
	return false
}

func TestOnPointsAreOnFaces(t *testing.T) {
	m := single(t, 2)
	pts, err := onPoints(m, 300, 1)
	if err != nil {
		t.Fatal(err)
	}
	vertices := map[r3.Vector]bool{}
	for _, v := range m.Vertices {
		vertices[v] = true
	}
	n := 0
	for i, p := range pts {
		if !onMesh(m, p) {
			t.Errorf("point %d %v is on no face", i, p)
		}
		if vertices[p] {
			n++
		}
	}
	if n != 100 {
		t.Errorf("%d vertices among 300 points, want 100", n)
	}
}

// If coordinates have 53 significant bits, almost all combinations of corners are rounded.
func TestOnPointsRefusesLongCoordinates(t *testing.T) {
	x := math.Nextafter(1, 2)
	m, err := mesh.New(t.Context(), mesh.Soup{
		Vertices: []r3.Vector{{X: x, Y: math.Pi, Z: math.E}, {X: -math.Sqrt2 / 1e9, Y: x, Z: 1e-3}, {X: 1e9 * math.Pi, Y: -1e-5, Z: math.Ln2}},
		Faces:    [][3]int32{{0, 1, 2}},
	}, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if pts, err := onPoints(m, 30, 1); err == nil {
		t.Errorf("got %v, want an error", pts)
	}
}

func TestNearPointsDistance(t *testing.T) {
	m := single(t, 2)
	tree := searcher(t, m)
	for _, share := range []float64{1e-3, 1e-6, 1e-10} {
		pts, err := nearPoints(m, 200, share, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := 2 * share // the edges of the bounding box of the unit sphere have length 2
		for i, p := range pts {
			var sc nearest.Scratch
			d := tree.Closest(p, &sc).Distance
			// A point inside the sphere can be nearer to a neighboring face than to its own face.
			if d > want+1e-15 || i%2 == 0 && d < want*(1-1e-5) {
				t.Errorf("share %g: point %d %v at distance %g, want %g", share, i, p, d, want)
			}
		}
	}
}

func TestNearPointsBothSides(t *testing.T) {
	m := single(t, 3)
	rays, err := buildRays(t.Context(), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	pts, err := nearPoints(m, 1000, 1e-6, 1)
	if err != nil {
		t.Fatal(err)
	}
	sides := make([]side.Side, len(pts))
	if _, err := rays.SidesTo(t.Context(), sides, pts, 1); err != nil {
		t.Fatal(err)
	}
	for i, got := range sides {
		want := side.Outside
		if i%2 == 1 {
			want = side.Inside
		}
		if got != want {
			t.Errorf("point %d %v: %v, want %v", i, pts[i], got, want)
		}
	}
}

func TestNearPointsRepeat(t *testing.T) {
	m := single(t, 2)
	a, _ := nearPoints(m, 50, 1e-6, 3)
	b, _ := nearPoints(m, 50, 1e-6, 3)
	c, _ := nearPoints(m, 50, 1e-6, 4)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the seed does not decide the points")
	}
}

func TestNearPointsWithoutArea(t *testing.T) {
	m, err := mesh.New(t.Context(), mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 1}, {X: 2}},
		Faces:    [][3]int32{{0, 1, 2}},
	}, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nearPoints(m, 1, 1e-3, 1); err == nil {
		t.Error("got no error")
	}
}

func TestPointsFile(t *testing.T) {
	want := append(cube(1000, 1.05, 7), r3.Vector{X: math.Copysign(0, -1), Y: math.Inf(1), Z: 5e-324})
	name := filepath.Join(t.TempDir(), "p.f64")
	if err := writePoints(name, want); err != nil {
		t.Fatal(err)
	}
	got, err := readPoints(name)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) || !math.Signbit(got[1000].X) {
		t.Errorf("points changed: last %v, want %v", got[len(got)-1], want[1000])
	}
}

// Up to rounding, gridOf restores a grid from its corner points. gridPoints returns the index of
// each point in the grid.
func TestGridOf(t *testing.T) {
	const n = 20
	lo, hi := r3.Vector{X: -1, Y: 0.1, Z: 3}, r3.Vector{X: 1.3, Y: 0.7, Z: 3.9}
	var stored []r3.Vector
	at := func(a, b float64, i int) float64 { return a + (b-a)*(float64(i)+0.5)/n }
	for i := range n {
		for j := range n {
			for k := range n {
				stored = append(stored, r3.Vector{X: at(lo.X, hi.X, i), Y: at(lo.Y, hi.Y, j), Z: at(lo.Z, hi.Z, k)})
			}
		}
	}
	g := gridOf(stored[0], stored[len(stored)-1], n)
	pts, number := gridPoints(g)
	seen := map[int]bool{}
	for i, p := range pts {
		if p.Sub(stored[i]).Norm() > 1e-14 {
			t.Fatalf("point %d is %v, want %v", i, p, stored[i])
		}
		q := number[i]
		if g.Point(q%n, q/n%n, q/n/n) != p || seen[q] {
			t.Fatalf("point %d has number %d", i, q)
		}
		seen[q] = true
	}
	if len(pts) != n*n*n {
		t.Errorf("%d points", len(pts))
	}
}
