package nearest

import (
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
)

// Searches on each loadable mesh of the corpus return the results of brute force, bit for bit. Both
// use the same kernel. The error of each distance is at most the Bound of its result.
func TestCorpusDistances(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	meshes, points, trees := 0, 0, 0
	for _, row := range rows {
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
		for range rounds(6, 60) {
			checkAnswer(t, path, m, s, pointNear(r, m), &st)
			points++
		}
		if m.NumFaces() > 0 {
			pts := make([]r3.Vector, rounds(100, 2000))
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
	// The exact distance is computed for all faces that can be nearest. For any other face, the
	// computed distance minus its error bound exceeds the upper bound of the result.
	var signs predicates.Counter
	var exact *big.Rat
	for f := range int32(m.NumFaces()) {
		tri := m.Triangle(f)
		_, d := closest(p, &tri, &signs)
		size := norm1(tri[0].Sub(p)) + norm1(tri[1].Sub(p)) + norm1(tri[2].Sub(p))
		if d-kernelError*size > got.Distance+got.Bound {
			continue
		}
		if e := exactDistance2(p, tri); exact == nil || e.Cmp(exact) < 0 {
			exact = e
		}
	}
	off, _ := offBy(got.Distance, root(exact)).Float64()
	if off > got.Bound || math.IsNaN(got.Bound) {
		t.Fatalf("%s: %v: distance %g off by %g, more than %g", path, p, got.Distance, off, got.Bound)
	}
}
