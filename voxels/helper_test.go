package voxels

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func newSolid(t testing.TB, m *mesh.Mesh, opt inpoly.Options) *inpoly.Solid {
	t.Helper()
	s, err := inpoly.New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func foam(t testing.TB, resolution int) *mesh.Mesh {
	t.Helper()
	return testmesh.Foam(mesh.FoamOptions{Resolution: resolution, Cells: 8, Seed: 1})
}

// solids returns the meshes of most tests, each with a spacing that differs between the axes.
func solids(t testing.TB) []struct {
	name    string
	mesh    *mesh.Mesh
	spacing r3.Vector
	closed  bool
} {
	return []struct {
		name    string
		mesh    *mesh.Mesh
		spacing r3.Vector
		closed  bool
	}{
		{"sphere", testmesh.Sphere(3), r3.Vector{X: 0.13, Y: 0.17, Z: 0.21}, true},
		{"cube", testmesh.Mesh(testmesh.UnitCube()), r3.Vector{X: 0.125, Y: 0.25, Z: 0.1}, true},
		{"foam", foam(t, 12), r3.Vector{X: 0.06, Y: 0.07, Z: 0.11}, true},
		{"torus", testmesh.Mesh(testmesh.Torus(2, 0.5, 24, 12)), r3.Vector{X: 0.3, Y: 0.2, Z: 0.1}, true},
		{"nested", testmesh.Mesh(testmesh.Nested(false)), r3.Vector{X: 0.4, Y: 0.5, Z: 0.3}, true},
		{"cavity", testmesh.Mesh(testmesh.Nested(true)), r3.Vector{X: 0.4, Y: 0.5, Z: 0.3}, true},
		{"overlapping", testmesh.Mesh(testmesh.Overlapping()), r3.Vector{X: 0.4, Y: 0.5, Z: 0.3}, true},
		{"hemisphere", testmesh.Mesh(testmesh.Hemisphere(2)), r3.Vector{X: 0.13, Y: 0.17, Z: 0.11}, false},
		{"cube without a face", testmesh.Mesh(testmesh.Without(testmesh.UnitCube(), 0)), r3.Vector{X: 0.125, Y: 0.25, Z: 0.1}, false},
		{"Möbius strip", testmesh.Mesh(testmesh.Moebius(12)), r3.Vector{X: 0.3, Y: 0.3, Z: 0.2}, false},
	}
}

// around returns a grid over the mesh with a margin of at least one voxel.
func around(t testing.TB, m *mesh.Mesh, spacing r3.Vector) Grid {
	t.Helper()
	box, err := Margin(m.Box(), max(spacing.X, spacing.Y, spacing.Z))
	if err != nil {
		t.Fatal(err)
	}
	g, err := FitSpacing(box, spacing)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// raw writes the voxels without a header and returns the components as float64. The components of a
// voxel are adjacent.
func raw(t testing.TB, s inpoly.Target, g Grid, opt Options) ([]float64, Summary) {
	t.Helper()
	opt.Format = Raw
	var b bytes.Buffer
	sum, err := Write(t.Context(), &b, s, g, opt)
	if err != nil {
		t.Fatal(err)
	}
	if want := g.Len() * opt.cell().bytes(); b.Len() != want {
		t.Fatalf("%d bytes, want %d", b.Len(), want)
	}
	return numbersOf(b.Bytes(), opt.cell().item), sum
}

func numbersOf(b []byte, item int) []float64 {
	var out []float64
	for ; len(b) > 0; b = b[item:] {
		switch item {
		case 1:
			out = append(out, float64(b[0]))
		case 4:
			out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		default:
			out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	}
	return out
}

func centers(g Grid) []r3.Vector {
	var pts []r3.Vector
	for k := range g.Counts[2] {
		for j := range g.Counts[1] {
			for i := range g.Counts[0] {
				pts = append(pts, g.Center(i, j, k))
			}
		}
	}
	return pts
}
