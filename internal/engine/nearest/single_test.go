package nearest

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/testrace"
)

// Distance returns the distance and the face of Closest, before and after it builds the OBB tree, and
// from several goroutines.
func TestDistance(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, soup := range kinds() {
		t.Run(name, func(t *testing.T) {
			m := testmesh.Mesh(soup)
			s := searcher(t, m, bvh.Options{})
			pts := []r3.Vector{{X: nan}, {Y: inf}, {X: 1e300}, {}}
			r := rand.New(rand.NewPCG(uint64(len(name)), 21))
			for m.NumFaces() > 0 && len(pts) < rounds(100, 5000) {
				pts = append(pts, pointNear(r, m))
			}
			var st Scratch
			want := make([]Result, len(pts))
			for i, p := range pts {
				want[i] = s.Closest(p, &st)
			}
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					for i, p := range pts {
						if d, face := s.Distance(p); math.Float64bits(d) != math.Float64bits(want[i].Distance) || face != want[i].Face {
							t.Errorf("%v: got %g at face %d, want %+v", p, d, face, want[i])
							return
						}
					}
				})
			}
			wg.Wait()
			if s.obbFits() && m.NumFaces() > 0 && len(pts) > countSingles+m.NumFaces() && s.obb.Current() == nil && !testrace.Enabled {
				t.Errorf("no OBB tree after %d points, %d faces", 2*len(pts), m.NumFaces())
			}
		})
	}
}

func TestDistanceDoesNotAllocate(t *testing.T) {
	if testrace.Enabled {
		t.Skip("the race detector makes sync.Pool drop values")
	}
	s := searcher(t, testmesh.Sphere(4), bvh.Options{})
	payForOBBTree(t, s)
	r := rand.New(rand.NewPCG(2, 9))
	if n := testing.AllocsPerRun(500, func() { s.Distance(cube(r)) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
