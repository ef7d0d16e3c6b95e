package loaders_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/intersect"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// boxWithCorners returns a box whose edges have further corners. Each further corner is shared by
// the two polygons at its edge, and up to offset away from the edge. Each polygon begins at a random
// corner.
func boxWithCorners(r *rand.Rand, offset float64) (vertices []r3.Vector, polygons [][]int) {
	for i := range 8 {
		vertices = append(vertices, r3.Vector{X: float64(i & 1), Y: float64(i >> 1 & 1), Z: float64(i >> 2)})
	}
	further := map[[2]int][]int{} // further corners from the smaller to the larger corner
	side := func(a, b int) (list []int) {
		lo, hi := min(a, b), max(a, b)
		corners, known := further[[2]int{lo, hi}]
		if !known {
			n := r.IntN(4)
			for k := range n {
				s := (float64(k) + 1) / float64(n+1)
				p := vertices[lo].Mul(1 - s).Add(vertices[hi].Mul(s))
				p = p.Add(r3.Vector{X: r.Float64() - .5, Y: r.Float64() - .5, Z: r.Float64() - .5}.Mul(2 * offset))
				corners = append(corners, len(vertices))
				vertices = append(vertices, p)
			}
			further[[2]int{lo, hi}] = corners
		}
		list = append(list, a)
		for k := range corners {
			if a > b {
				k = len(corners) - 1 - k
			}
			list = append(list, corners[k])
		}
		return list
	}
	for _, square := range [][4]int{{0, 1, 5, 4}, {1, 0, 2, 3}, {4, 5, 7, 6}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		var polygon []int
		for k, a := range square {
			polygon = append(polygon, side(a, square[(k+1)%4])...)
		}
		first := r.IntN(len(polygon))
		polygons = append(polygons, append(append([]int{}, polygon[first:]...), polygon[:first]...))
	}
	return vertices, polygons
}

// written returns a mesh in text formats.
func written(vertices []r3.Vector, polygons [][]int) map[string]string {
	var obj, off, ply strings.Builder
	fmt.Fprintf(&off, "OFF\n%d %d 0\n", len(vertices), len(polygons))
	fmt.Fprintf(&ply, "ply\nformat ascii 1.0\nelement vertex %d\nproperty double x\nproperty double y\nproperty double z\n"+
		"element face %d\nproperty list uchar int vertex_indices\nend_header\n", len(vertices), len(polygons))
	for _, v := range vertices {
		row := fmt.Sprintln(v.X, v.Y, v.Z)
		obj.WriteString("v " + row)
		off.WriteString(row)
		ply.WriteString(row)
	}
	for _, p := range polygons {
		obj.WriteString("f")
		for _, c := range p {
			fmt.Fprintf(&obj, " %d", c+1)
		}
		obj.WriteString("\n")
		row := strings.Trim(fmt.Sprint(p), "[]") + "\n"
		fmt.Fprintf(&off, "%d %s", len(p), row)
		fmt.Fprintf(&ply, "%d %s", len(p), row)
	}
	return map[string]string{"a.obj": obj.String(), "a.off": off.String(), "a.ply": ply.String()}
}

// A closed solid of polygons stays watertight, also if corners of its polygons are on a line or
// almost on a line. The triangles of a polygon are no defects of the mesh.
func TestPolygonsStayWatertight(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 7))
		offset := []float64{0, 1e-300, 1e-16, 1e-12, 1e-6, 1e-3, .02}[seed%7]
		vertices, polygons := boxWithCorners(r, offset)
		for name, text := range written(vertices, polygons) {
			soup, _, err := loaders.Read(ctx, name, strings.NewReader(text), loaders.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := mesh.NewOwned(ctx, *soup, mesh.Options{})
			if err != nil {
				t.Fatal(err)
			}
			d, err := m.Diagnose(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if !d.Watertight || d.NonManifoldEdges+d.DuplicateFaces+d.ZeroArea+d.Collapsed != 0 {
				t.Fatalf("seed %d, %s: offset %g, watertight %v, %d non-manifold, %d duplicate, %d of zero area, %d collapsed",
					seed, name, offset, d.Watertight, d.NonManifoldEdges, d.DuplicateFaces, d.ZeroArea, d.Collapsed)
			}
			if offset > 1e-300 {
				continue // rounded corners can make the faces cross in fact
			}
			if len(m.Degenerate()) > 0 {
				t.Errorf("seed %d, %s: faces %v have no area, although other triangles exist", seed, name, m.Degenerate())
			}
			found, err := intersect.Find(ctx, m, intersect.Options{Limit: 3})
			if err != nil || found.Total() > 0 {
				t.Errorf("seed %d, %s: %s, error %v", seed, name, found.Counts(), err)
			}
		}
	}
}
