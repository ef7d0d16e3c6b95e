package fmm

import (
	"hash/fnv"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

func corpusPoints() int { return rounds(200, 10_000) }

// corpusWork limits the number of solid angles that a direct sum computes for a mesh. The reference
// for points beyond this limit is ray crossing.
func corpusWork() int64 { return 100_000 * int64(rounds(40, 40_000)) }

// corpusTriangles is the largest number of triangles of a mesh that is tested without
// INPOLY_FULL=1.
const corpusTriangles = 100_000

type tally struct {
	sync.Mutex
	meshes, points, closed int
	cast                   int     // number of points at which the bound allows two integers, on closed meshes
	worst                  float64 // largest ratio of an error to its bound
	where                  string
	refused                int // number of plans that cannot reach the epsilon of the test
}

// On every mesh of the corpus, no error exceeds its bound. If the bound allows only one integer on
// a closed mesh, this integer agrees with ray crossing. Without INPOLY_FULL=1 the test uses fewer
// points, and one epsilon for each mesh. It leaves out some large meshes.
func TestCorpus(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	var sum tally
	t.Run("mesh", func(t *testing.T) { // this subtest ends after the parallel subtests in it
		for i, row := range rows {
			if testcorpus.LeaveOut(row, i, 2) {
				continue
			}
			path := row["path"]
			h := fnv.New64a()
			h.Write([]byte(path))
			seed := h.Sum64()
			if testing.Short() && seed%10 != 0 {
				continue
			}
			t.Run(path, func(t *testing.T) {
				t.Parallel()
				soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, path), loaders.Options{})
				if err != nil {
					return // package loaders tests which files load
				}
				m := testmesh.Mesh(*soup)
				if m.NumFaces() > corpusTriangles && !full() {
					return // this mesh is tested only with INPOLY_FULL=1
				}
				checkCorpus(t, m, seed, &sum)
			})
		}
	})
	t.Logf("%d meshes, %d points; errors up to %.3g of their bounds (%s); an epsilon was out of reach %d times; rounding leaves %d of %d points of closed meshes to rays, %.3g %%",
		sum.meshes, sum.points, sum.worst, sum.where, sum.refused, sum.cast, sum.closed, 100*float64(sum.cast)/float64(max(1, sum.closed)))
	if sum.meshes == 0 {
		t.Error("no mesh was loaded: the test checks nothing")
	}
}

func checkCorpus(t *testing.T, m *mesh.Mesh, seed uint64, sum *tally) {
	if m.NumFaces() == 0 {
		return
	}
	n := corpusPoints()
	pts := spots(m, n, seed)
	want := newAnswers(n)
	direct, c := bem.NewDirect(m, 1), caster(t, m)
	var rays raycross.Scratch
	k := int(max(1, min(int64(n), corpusWork()/int64(m.NumFaces()))))
	if err := direct.WindingsTo(t.Context(), want.w[:k], want.bound[:k], want.on[:k], pts[:k]); err != nil {
		t.Fatal(err)
	}
	want.direct = slices.Clone(want.bound)
	for i := k; i < n; i++ {
		if vec.Finite(pts[i]) {
			want.w[i], want.bound[i] = c.Winding(pts[i], &rays)
			want.on[i] = c.Count(pts[i], &rays).OnSurface
		}
	}
	for e, epsilon := range []float64{0.45, 4e-3, 1e-6} {
		if !full() && seed>>8%3 != uint64(e) {
			continue
		}
		// The expected number of points determines the depth of the trees. Without INPOLY_FULL=1,
		// the seed selects this number.
		opt := Options{Epsilon: epsilon, Workers: 1}
		if !full() {
			opt.ExpectedPoints = [...]int64{1, 1000, 30_000}[seed>>16%3]
		}
		p, reached := reachable(t, "corpus", corners(m), opt)
		if p == nil {
			continue
		}
		got := windings(t, p, pts, 1)
		for i := k; i < n; i++ {
			if got.bound[i] > reached && vec.Finite(pts[i]) {
				_, want.direct[i], _ = direct.Winding(pts[i])
			}
		}
		w := check(t, optionText(Options{Epsilon: reached}), reached, got, want, pts)
		closed, cast := 0, 0
		if m.Closed() {
			for i, x := range pts {
				if !vec.Finite(x) {
					continue
				}
				if got.on[i] {
					continue // the function check has already tested whether x is on the surface
				}
				closed++
				nearest := math.Round(got.w[i])
				if math.Abs(got.w[i]-nearest)+got.bound[i] >= 0.5 {
					cast++
					continue
				}
				s := side.Outside
				if nearest != 0 {
					s = side.Inside
				}
				if exact := c.Side(x, &rays); s != exact {
					t.Errorf("ε=%g, at %#v: %v ± %v rounds to %v, rays say %v", reached, x, got.w[i], got.bound[i], s, exact)
				}
			}
		}
		sum.Lock()
		sum.points += n
		sum.closed += closed
		sum.cast += cast
		if reached != epsilon {
			sum.refused++
		}
		if w.error > sum.worst {
			sum.worst, sum.where = w.error, t.Name()
		}
		sum.Unlock()
	}
	sum.Lock()
	sum.meshes++
	sum.Unlock()
}
