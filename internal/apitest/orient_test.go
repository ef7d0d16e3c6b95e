package apitest

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// arms returns a U-shaped solid: a base of size 9 × 1 × 3, and two arms of size 2 × 5 × 3.
func arms() mesh.Soup {
	outline := [][2]float64{{0, -1}, {9, -1}, {9, 5}, {7, 5}, {7, 0}, {2, 0}, {2, 5}, {0, 5}}
	caps := [][3]int32{{0, 1, 4}, {0, 4, 5}, {1, 2, 3}, {1, 3, 4}, {0, 5, 6}, {0, 6, 7}}
	var s mesh.Soup
	for _, z := range []float64{0, 3} {
		for _, p := range outline {
			s.Vertices = append(s.Vertices, r3.Vector{X: p[0], Y: p[1], Z: z})
		}
	}
	for _, c := range caps {
		s.Faces = append(s.Faces, [3]int32{c[0], c[2], c[1]}, [3]int32{c[0] + 8, c[1] + 8, c[2] + 8})
	}
	for i := range int32(8) {
		j := (i + 1) % 8
		s.Faces = append(s.Faces, [3]int32{i, j, j + 8}, [3]int32{i, j + 8, i + 8})
	}
	return s
}

func TestOrient(t *testing.T) {
	cube := testmesh.UnitCube()
	at := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	center := at(.5, .5, .5)
	small := testmesh.Cube(at(-.5, -.5, -.5), at(.5, .5, .5))
	for _, tc := range []struct {
		name string
		soup mesh.Soup
		want map[r3.Vector]float64
	}{
		{"right already", cube, map[r3.Vector]float64{center: 1}},
		{"inverted", testmesh.Flip(cube), map[r3.Vector]float64{center: 1}},
		{"one face flipped", testmesh.Flip(cube, 3), map[r3.Vector]float64{center: 1}},
		{"most faces flipped", testmesh.Flip(cube, 0, 1, 2, 3, 4, 5, 6, 7), map[r3.Vector]float64{center: 1}},
		{"cavity", testmesh.Nested(true), map[r3.Vector]float64{at(0, 0, 0): 0, at(1.5, 0, 0): 1}},
		{"cavity, all inverted", testmesh.Flip(testmesh.Nested(true)), map[r3.Vector]float64{at(0, 0, 0): 0, at(1.5, 0, 0): 1}},
		{"cavity, some faces flipped", testmesh.Flip(testmesh.Nested(true), 2, 15), map[r3.Vector]float64{at(0, 0, 0): 0, at(1.5, 0, 0): 1}},
		{"solid in a solid", testmesh.Nested(false), map[r3.Vector]float64{at(0, 0, 0): 2, at(1.5, 0, 0): 1}},
		{"solid in a cavity", testmesh.Union(testmesh.Flip(testmesh.Nested(true)), testmesh.Flip(small)),
			map[r3.Vector]float64{at(0, 0, 0): 1, at(.75, 0, 0): 0, at(1.5, 0, 0): 1}},
		{"two bodies, one inverted", testmesh.Union(cube, testmesh.Translate(testmesh.Flip(cube), at(4, 0, 0))),
			map[r3.Vector]float64{center: 1, at(4.5, .5, .5): 1}},
		{"overlapping, both inverted", testmesh.Flip(testmesh.Overlapping()), map[r3.Vector]float64{at(0, 0, 0): 2, at(-1.5, 0, 0): 1}},
		{"tiny, inverted", testmesh.Scale(testmesh.Flip(cube), 0x1p-500), map[r3.Vector]float64{center.Mul(0x1p-500): 1}},
		{"cavity that touches the sides", testmesh.Union(testmesh.Cube(at(-1, -1, -1), at(1, 1, 1)), testmesh.Flip(octahedron(1))),
			map[r3.Vector]float64{at(.1, .2, .3): 0, at(.9, .9, .9): 1}},
		{"bar through the arms of an inverted U", testmesh.Union(testmesh.Flip(arms()), testmesh.Cube(at(1, 3, 1), at(8, 4, 2))),
			map[r3.Vector]float64{at(4, 3.5, 1.5): 1, at(1.5, 3.5, 1.5): 2}},
		{"open bowl, inverted", testmesh.Flip(testmesh.Without(cube, 8, 9)), map[r3.Vector]float64{center: 5. / 6}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			solid := newSolid(t, tc.soup, inpoly.Options{Orient: inpoly.OrientAlways})
			for p, want := range tc.want {
				if w, bound := solid.Winding(p); w < want-bound-1e-12 || w > want+bound+1e-12 {
					t.Errorf("W(%v) = %v ± %g, want %v", p, w, bound, want)
				}
			}
			if rep := solid.Report(); rep.Orientation == nil || !rep.Diagnosis.ConsistentOrientation {
				t.Errorf("report: orientation %+v, consistent %v", rep.Orientation, rep.Diagnosis.ConsistentOrientation)
			}
		})
	}
}

// octahedron returns an octahedron with vertices at ±h on the axes.
func octahedron(h float64) mesh.Soup {
	s := testmesh.Soup(testmesh.Sphere(0))
	return testmesh.Scale(s, h)
}

// turned rotates a mesh by a generic angle. Rounding then makes flat faces slightly uneven.
func turned(s mesh.Soup) mesh.Soup {
	sin, cos := math.Sincos(0.3)
	return testmesh.Move(s, func(p r3.Vector) r3.Vector {
		q := r3.Vector{X: cos*p.X - sin*p.Y, Y: sin*p.X + cos*p.Y, Z: p.Z}
		return r3.Vector{X: q.X, Y: cos*q.Y - sin*q.Z, Z: sin*q.Y + cos*q.Z}
	})
}

// Options.Orient does not change a closed mesh that is not manifold. At an edge with more than two
// faces, the repair cannot know which face is wrong.
func TestOrientKeepsClosedMeshes(t *testing.T) {
	cube := testmesh.UnitCube()
	at := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	for name, soup := range map[string]mesh.Soup{
		"stacked cubes":                 testmesh.Union(cube, testmesh.Translate(cube, at(0, 0, 1))),
		"cubes that share an edge":      testmesh.Union(cube, testmesh.Translate(cube, at(1, 1, 0))),
		"cubes that share a vertex":     testmesh.Union(cube, testmesh.Translate(cube, at(1, 1, 1))),
		"doubled star":                  testmesh.Double(testmesh.Star(2, .5, 1)),
		"cube with an inner wall":       testmesh.Union(cube, mesh.Soup{Vertices: []r3.Vector{at(0, 0, 0), at(1, 0, 0), at(1, 1, 1), at(0, 1, 1)}, Faces: [][3]int32{{0, 1, 2}, {0, 2, 3}, {0, 2, 1}, {0, 3, 2}}}),
		"cavity that touches the sides": testmesh.Union(testmesh.Cube(at(-1, -1, -1), at(1, 1, 1)), testmesh.Flip(octahedron(1))),
		"solid that touches the sides":  testmesh.Union(testmesh.Cube(at(-1, -1, -1), at(1, 1, 1)), octahedron(1)),
		"cube with zero-area faces":     testmesh.WithDegenerate(cube, 20, 3),
		"star and its opposite copies":  testmesh.Union(testmesh.Star(2, .5, 1), testmesh.Double(testmesh.Flip(testmesh.Star(2, .5, 1)), 0)),
	} {
		t.Run(name, func(t *testing.T) {
			soup := turned(soup)
			before, after := newSolid(t, soup, inpoly.Options{}), newSolid(t, soup, inpoly.Options{Orient: inpoly.OrientAlways})
			if before.Mesh().Closed() && !after.Mesh().Closed() {
				t.Fatal("a closed mesh was opened")
			}
			for _, p := range testcorpus.Probes(before.Mesh(), 300, 0, rand.New(rand.NewPCG(5, 5))) {
				w0, _ := before.Winding(p)
				w1, _ := after.Winding(p)
				if before.Mesh().Closed() && w0 != w1 {
					t.Fatalf("W(%v) was %v and became %v", p, w0, w1)
				}
			}
		})
	}
}

// A hole in the outer shell does not change the cavities inside the shell.
func TestOrientKeepsCavityInOpenShell(t *testing.T) {
	outer := testmesh.Without(testmesh.Soup(testmesh.Sphere(3)), 7)
	soup := testmesh.Union(outer, testmesh.Flip(testmesh.Scale(testmesh.Soup(testmesh.Sphere(2)), 0.5)))
	solid := newSolid(t, soup, inpoly.Options{Orient: inpoly.OrientAlways})
	if got := solid.Side(r3.Vector{}); got != inpoly.Outside {
		t.Errorf("in the cavity: %v, want %v", got, inpoly.Outside)
	}
	if got := solid.Side(r3.Vector{X: -.7}); got != inpoly.Inside {
		t.Errorf("in the wall: %v, want %v", got, inpoly.Inside)
	}
}

// Options.Orient does not reverse a flat sheet, because a flat sheet has no inside.
func TestOrientLeavesFlatSheets(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 200 {
		v := func() r3.Vector { return r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()} }
		a, u, w := v(), v(), v()
		soup := mesh.Soup{Vertices: []r3.Vector{a, a.Add(u), a.Add(w), a.Add(u).Add(w)}, Faces: [][3]int32{{0, 1, 2}, {1, 3, 2}}}
		if rep := newSolid(t, soup, inpoly.Options{Orient: inpoly.OrientAlways}).Report().Orientation; rep.Turned != 0 || rep.Inconsistent != 0 {
			t.Fatalf("%v: %+v", soup.Vertices, *rep)
		}
	}
}

// Every closed mesh of the corpus stays closed with Orient.
func TestCorpusOrient(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	for _, row := range rows {
		if row["zero_boundary"] != "yes" {
			continue
		}
		solid, err := inpoly.Open(t.Context(), filepath.Join(dir, row["path"]), inpoly.Options{Orient: inpoly.OrientAlways})
		if refused := (*loaders.Error)(nil); errors.As(err, &refused) {
			continue // the tests of package loaders check which files are refused
		}
		if err != nil {
			t.Fatal(err)
		}
		if !solid.Mesh().Closed() {
			t.Errorf("%s: Orient has opened the mesh: %+v", row["path"], *solid.Report().Orientation)
		}
	}
}

// The repair of thousands of shells must not compare all pairs of shells.
func TestOrientManyShells(t *testing.T) {
	var soups []mesh.Soup
	for i := range 4000 {
		s := testmesh.Translate(testmesh.UnitCube(), r3.Vector{X: 2 * float64(i%20), Y: 2 * float64(i/20%20), Z: 2 * float64(i/400)})
		if i%3 == 0 {
			s = testmesh.Flip(s)
		}
		soups = append(soups, s)
	}
	rep := newSolid(t, testmesh.Union(soups...), inpoly.Options{Orient: inpoly.OrientAlways}).Report().Orientation
	if want := (inpoly.Orientation{Faces: 16008, Components: 1334, Patches: 4000, Shells: 4000, Turned: 1334}); *rep != want {
		t.Errorf("%+v, want %+v", *rep, want)
	}
}

func TestOrientReport(t *testing.T) {
	cube := testmesh.UnitCube()
	for _, tc := range []struct {
		name string
		soup mesh.Soup
		want inpoly.Orientation
	}{
		{"right already", cube, inpoly.Orientation{Patches: 1, Shells: 1}},
		{"inverted", testmesh.Flip(cube), inpoly.Orientation{Faces: 12, Components: 1, Patches: 1, Shells: 1, Turned: 1}},
		{"one face", testmesh.Flip(cube, 3), inpoly.Orientation{Faces: 1, Components: 1, Patches: 1, Shells: 1, Inconsistent: 1}},
		{"Möbius strip", testmesh.Moebius(12), inpoly.Orientation{Patches: 1, NonOrientable: 1}},
		{"nothing", mesh.Soup{}, inpoly.Orientation{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := *newSolid(t, tc.soup, inpoly.Options{Orient: inpoly.OrientAlways}).Report().Orientation; got != tc.want {
				t.Errorf("%+v, want %+v", got, tc.want)
			}
		})
	}
}
