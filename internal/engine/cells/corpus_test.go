package cells_test

import (
	"hash/fnv"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// corpusPoints returns the number of points for a mesh of the corpus. Each variant of the mesh gets
// a tenth of this number.
func corpusPoints() int { return rounds(100, 100_000) }

// variants lists the changes that make the variants of a mesh. Far from the origin, coordinates are
// coarse, so some faces collapse.
var variants = []struct {
	name string
	make func(s mesh.Soup, size float64, seed uint64) mesh.Soup
}{
	{"rotated", func(s mesh.Soup, _ float64, seed uint64) mesh.Soup {
		all := testmesh.Rotations()
		return testmesh.Move(s, all[1+seed%uint64(len(all)-1)])
	}},
	{"times 2^30", func(s mesh.Soup, _ float64, _ uint64) mesh.Soup { return testmesh.Scale(s, 0x1p30) }},
	{"times 2^-30", func(s mesh.Soup, _ float64, _ uint64) mesh.Soup { return testmesh.Scale(s, 0x1p-30) }},
	{"times 2^300", func(s mesh.Soup, _ float64, _ uint64) mesh.Soup { return testmesh.Scale(s, 0x1p300) }},
	{"times 2^-300", func(s mesh.Soup, _ float64, _ uint64) mesh.Soup { return testmesh.Scale(s, 0x1p-300) }},
	{"mirrored", func(s mesh.Soup, _ float64, _ uint64) mesh.Soup {
		return testmesh.Move(s, func(p r3.Vector) r3.Vector { return r3.Vector{X: p.X, Y: -p.Y, Z: p.Z} })
	}},
	{"inverted", func(s mesh.Soup, _ float64, _ uint64) mesh.Soup { return testmesh.Flip(s) }},
	{"offset by 1e6 sizes", func(s mesh.Soup, size float64, _ uint64) mesh.Soup {
		d := 1e6 * size
		return testmesh.Translate(s, r3.Vector{X: d, Y: -d, Z: d})
	}},
}

// For every corpus mesh that loads, and for its variants, cells and rays give the same sides and
// winding numbers. Without INPOLY_FULL=1 the test uses fewer points and one variant of each mesh, and
// leaves out some large meshes. It then checks a large mesh either as it is or as a variant.
func TestCorpus(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	var meshes, points atomic.Int64
	t.Run("mesh", func(t *testing.T) { // this t.Run waits for its parallel subtests
		for i, row := range rows {
			if testcorpus.LeaveOut(row, i, 3) {
				continue
			}
			path := row["path"]
			if !full() && i%4 == 1 { // LeaveOut keeps meshes with odd numbers
				continue
			}
			t.Run(path, func(t *testing.T) {
				t.Parallel()
				soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, path), loaders.Options{})
				if err != nil {
					return // the tests of package loaders check which files load
				}
				h := fnv.New64a()
				h.Write([]byte(path))
				points.Add(int64(checkCorpus(t, *soup, h.Sum64())))
				meshes.Add(1)
			})
		}
	})
	t.Logf("%d meshes, %d points", meshes.Load(), points.Load())
	if meshes.Load() == 0 {
		t.Error("no mesh was loaded, so nothing was tested")
	}
}

// checkCorpus checks a mesh and its variants. It returns the number of points.
func checkCorpus(t *testing.T, s mesh.Soup, seed uint64) (points int) {
	m := testmesh.Mesh(s)
	size := m.Box().Size()
	once := m.NumFaces() > 2000 && !full()
	if !once || seed>>32%2 == 0 {
		points = checkOne(t, "as it is", m, seed, 1)
	}
	if once && points > 0 {
		return points
	}
	for k, v := range variants {
		if full() || seed>>8%uint64(len(variants)) == uint64(k) {
			v := testmesh.Mesh(v.make(s, max(size.X, size.Y, size.Z), seed))
			points += checkOne(t, variants[k].name, v, seed+uint64(k), 10)
		}
	}
	return points
}

// checkOne checks a mesh with corpusPoints()/share points. A mesh of the corpus is checked under
// all rules, and a variant under two. Without INPOLY_FULL=1, a mesh is checked under two rules, and a
// variant under one. The seed selects the rules.
func checkOne(t *testing.T, name string, m *mesh.Mesh, seed uint64, share int) (points int) {
	n := max(len(kinds), corpusPoints()/share)
	under := rules
	if edges := len(m.Boundary()); edges > 0 && !full() {
		// Use fewer points, because the time of a boundary sum is proportional to the number of
		// edges. In arbitrary precision, the sum takes a thousand times as long.
		n = max(len(kinds), min(n/3, 30_000/edges))
	}
	switch {
	case share > 1 && full():
		under = []side.Rule{side.NonZero, rules[1+seed%3]}
	case share > 1:
		under = []side.Rule{rules[seed%4]}
	case !full():
		under = []side.Rule{rules[seed%4], rules[(seed+1+seed>>2%3)%4]}
	}
	// The expected number of points can change the cells, but not the side of a point.
	expected := [...]int64{0, 1, 1000, 1e6, 1e12}[seed>>16%5]
	if expected > 1e5 && seed>>24%4 != 0 && !full() {
		expected = 1e5 // large grids take long to build
	}
	w := newTwin(t.Context(), t, name, m, cells.Options{Workers: 1, ExpectedPoints: expected}, under...)
	if m.NumFaces() > 0 && w.index[0].Shape().Cell == 0 {
		n = min(n, 1000) // every query needs a ray, which is slow
	}
	spots := w.spots(n, seed)
	w.few = full()
	w.check(t.Context(), t, spots, 1)
	if m.NumFaces() <= 1000 {
		w.judge(t, spots, rounds(2, 100))
	}
	return len(spots)
}
