package nearest

import (
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// Searches on each loadable mesh of the corpus return the results of brute force, bit for bit.
// Without INPOLY_FULL=1 the test leaves out some large meshes.
func TestCorpusDistances(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	meshes, points, trees := 0, 0, 0
	for i, row := range rows {
		if testcorpus.LeaveOut(row, i, 0) {
			continue
		}
		path := row["path"]
		soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, path), loaders.Options{})
		if err != nil {
			continue // the tests of package loaders check which files can be loaded
		}
		m, err := mesh.New(t.Context(), *soup, mesh.Options{})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		h := fnv.New64a()
		h.Write([]byte(path))
		r := rand.New(rand.NewPCG(h.Sum64(), 6))
		s := searcher(t, m, bvh.Options{})
		var st Scratch
		for range rounds(3, 60) {
			checkAnswer(t, path, m, s, pointNear(r, m), &st)
			points++
		}
		if m.NumFaces() > 0 {
			pts := make([]r3.Vector, rounds(50, 2000))
			for i := range pts {
				pts[i] = pointNear(r, m)
			}
			payForOBBTree(t, s)
			checkBatch(t, path, s, pts)
			if s.obb.Current() != nil {
				trees++
			}
		}
		meshes++
	}
	t.Logf("%d meshes, %d of them with an OBB tree, %d points", meshes, trees, points)
	if meshes == 0 || trees == 0 {
		t.Error("no mesh was loaded: the test checks nothing")
	}
}

func checkAnswer(t *testing.T, path string, m *mesh.Mesh, s *Searcher, p r3.Vector, st *Scratch) {
	t.Helper()
	got := s.Closest(p, st)
	if want := brute(m, p); !same(got, want) {
		t.Fatalf("%s: %v: got %+v, brute force %+v", path, p, got, want)
	}
}
