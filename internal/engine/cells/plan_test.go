package cells_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// plans returns plans that the cost model does not choose. Some plans place corners, edges and
// faces of cells on solids that have dyadic coordinates. Some plans have cells that are far too
// large or far too small. The lists fill one record or many records.
func plans() []plan {
	var out []plan
	zero, usual := [3]float64{}, [3]float64{0.3819, 0.2937, 0.4419}
	for k := range 6 {
		share := 1 / float64(int(1)<<k)
		out = append(out, plan{share, 20, zero}, plan{share, 60, [3]float64{.5, .5, .5}}, plan{share, 1, [3]float64{.25, 0, .75}})
	}
	for _, longList := range []int{1, 2, 5, 6, 7, 8, 12, 13, 14, 30, 59, 60} {
		out = append(out, plan{2, longList, zero}, plan{.3, longList, usual})
	}
	// The distance between the surface and the faces of cells is less or more than Slack, which is
	// 2^−18 of an edge.
	for _, miss := range []float64{0x1p-20, 0x1p-17} {
		out = append(out, plan{.25, 20, [3]float64{miss, miss, miss}}, plan{.125, 1, [3]float64{1 - miss, 1 - miss, 1 - miss}}, plan{.5, 60, [3]float64{miss, 1 - miss, .5}})
	}
	return append(out, plan{0x1p40, 8, zero}, plan{1e300, 8, usual}, plan{.01, 1, usual})
}

// plan describes a grid. Cells with lists longer than longList are refined.
type plan struct {
	share    float64 // edge of a cell, divided by the longest edge of the box of the mesh
	longList int
	offset   [3]float64 // place of the box in the first cell, in units of the edge of a cell
}

func (p plan) options(m *mesh.Mesh, opt cells.Options) cells.Options {
	return opt.WithPlan(p.share*vec.MaxAbs(m.Box().Size()), p.longList, p.offset)
}

// planned returns small meshes of all kinds.
func planned() map[string]mesh.Soup {
	star := testmesh.Star(3, .6, 5)
	return map[string]mesh.Soup{
		"cube":            box(0, 1),
		"many cubes":      testmesh.Union(box(0, 1), testmesh.Translate(box(0, 1), at(1, 0, 0)), testmesh.Flip(box(.25, .75)), box(.5, 1)),
		"copies":          testmesh.Copies(box(0, 1), 5),
		"tetrahedron":     testmesh.Tetrahedron(),
		"octahedron":      testmesh.Soup(testmesh.Sphere(0)),
		"sphere":          testmesh.Soup(testmesh.Sphere(3)),
		"star":            star,
		"tiny star":       testmesh.Scale(star, 0x1p-30),
		"far star":        testmesh.Translate(star, at(1e9, -1e9, 1e9)),
		"open star":       testmesh.Without(star, 7, 8, 100, 300),
		"open copies":     testmesh.Copies(testmesh.Hemisphere(1), 15),
		"flipped star":    testmesh.Flip(testmesh.WithDegenerate(star, 20, 3), 5, 50),
		"cone":            testmesh.DoubleCone(40, 1),
		"sheets":          testmesh.Union(testmesh.Sheet(8), testmesh.Flip(testmesh.Sheet(8))),
		"sheet":           testmesh.Sheet(4),
		"rounded":         roundedBox(at(1, 1, 1), .125, 3),
		"nested spheres":  testmesh.Union(testmesh.Soup(testmesh.Sphere(2)), testmesh.Scale(testmesh.Soup(testmesh.Sphere(2)), .96875)),
		"tangle":          testmesh.Tangle(12, 60, 6),
		"drilled":         drilledPlate(at(1, 1, .25), .125, 24),
		"crossing prisms": testmesh.Union(prism(mesh.Triangle{at(0, 0, 0), at(0, 1, 0), at(0, 0, 1)}, at(8, 8, 8)), prism(mesh.Triangle{at(0, 8, 0), at(0, 9, 0), at(0, 8, 1)}, at(8, -8, 8))),
	}
}

// If the segment between two corners meets an edge, both references of a cell are the first corner with its W.
func TestReferencesWithoutSegment(t *testing.T) {
	m := testmesh.Mesh(planned()["many cubes"])
	p := plan{share: .25, longList: 1, offset: [3]float64{.25, 0, .75}}
	x, err := cells.New(t.Context(), m, p.options(m, cells.Options{Workers: 1, Rays: func(ctx context.Context) (*raycross.Caster, error) {
		casters, err := newCasters(ctx, m, side.NonZero)
		if err != nil {
			return nil, err
		}
		return casters[0], nil
	}}))
	if err == nil {
		err = x.ValidateAll(t.Context())
	}
	if err != nil {
		t.Error(err)
	}
}

// Under every plan, cells and rays give the same sides.
func TestPlans(t *testing.T) {
	depth, longest, rayOnly := 0, 0, 0
	meshes := planned()
	for i, name := range slices.Sorted(maps.Keys(meshes)) {
		m := testmesh.Mesh(meshes[name])
		for k, p := range plans() {
			if !full() && (i+k)%16 > 0 || testing.Short() && k%4 > 0 {
				continue
			}
			name := fmt.Sprintf("%s, plan %+v", name, p)
			w := newLargeTwin(t.Context(), t, name, m, p.options(m, cells.Options{Workers: 1 + k%2}), rules[k%4])
			n := rounds(50, 5000)
			if !m.Closed() {
				n = rounds(25, 1000)
			}
			spots := w.spots(n, uint64(k))
			r := newRand(uint64(k))
			for range n {
				spots = append(spots, spot{latticePoint(r, m, 1, 0), "on the lattice of the solid"})
			}
			w.check(t.Context(), t, spots, 1)
			w.judge(t, spots, rounds(2, 50))
			shape := w.index[0].Shape()
			depth, rayOnly = max(depth, shape.Depth), rayOnly+shape.RayOnly
			if shape.Crossed > 0 {
				longest = max(longest, shape.Entries/shape.Crossed)
			}
		}
	}
	if depth < 3 || longest < 30 || rayOnly == 0 {
		t.Errorf("depth up to %d, means of lists up to %d, %d cells answered by rays: the plans do not try enough", depth, longest, rayOnly)
	}
}

// Corners, edges and faces of cells coincide with vertices, edges and faces of the mesh.
func TestPlansCoincide(t *testing.T) {
	m := testmesh.Mesh(box(0, 1))
	w := newTwin(t.Context(), t, "cube", m, plan{share: .25, longList: 20}.options(m, cells.Options{}), side.NonZero)
	if h := w.index[0].Shape().Cell; h != .25 {
		t.Fatalf("cells of %g, want 1/4", h)
	}
	vertices := 0
	for _, c := range w.index[0].CellCorners(1000, 1) {
		for _, v := range m.Vertices {
			if c == v {
				vertices++
			}
		}
		for _, x := range []float64{c.X, c.Y, c.Z} {
			if x*4 != float64(int(x*4)) {
				t.Fatalf("corner %v is off the lattice", c)
			}
		}
	}
	if vertices == 0 {
		t.Error("no corner of a cell is a vertex")
	}
}

// Some cells have few faces but winding numbers that do not fit in 16 bits. Queries in these cells
// need rays. The mesh is a cube inside 32,768 equal tetrahedra. Without INPOLY_FULL=1 there are at
// most 100 tetrahedra, because 32,768 take half a minute.
func TestPlansLargeW(t *testing.T) {
	copies := rounds(50, 1<<15)
	m := testmesh.Mesh(testmesh.Union(testmesh.Copies(testmesh.Tetrahedron(), copies), box(.15, .2)))
	w := newLargeTwin(t.Context(), t, "cube in tetrahedra", m, cells.Options{}.WithPlan(.125, 20, [3]float64{}), side.Positive)
	var spots []spot
	for _, x := range []float64{.13, .15, .16, .2, .21, .24} {
		spots = append(spots, spot{at(x, .14, .17), "around the cube"}, spot{at(.18, x, .16), "in the cube"})
	}
	w.check(t.Context(), t, spots, 1)
}
