package nearest

import (
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// Near the center of a sphere, very many faces are almost equally near. After one group of single searches, most groups there
// must be searched together, with the results of single searches. Far from the center, w.wide must become 0 again.
func TestWideGroups(t *testing.T) {
	s := searcher(t, testmesh.Sphere(6), bvh.Options{})
	payForOBBTree(t, s)
	r := rand.New(rand.NewPCG(44, 1))
	var w obbWalk
	var st Scratch
	var pts [groupSize]r3.Vector
	var found [groupSize]Result
	alone := 0
	for group := range 60 {
		center, radius := cube(r).Normalize().Mul(0.06), 0.002
		if group >= 40 {
			center = center.Normalize()
		}
		for i := range pts {
			pts[i] = center.Add(cube(r).Mul(radius))
		}
		boxes := w.ordered.boxes
		s.obb.Current().closestTo(s, found[:], pts[:], &w, true, &st)
		if w.ordered.boxes > boxes {
			alone++
		}
		for i, p := range pts {
			if want := s.Closest(p, &st); !same(found[i], want) {
				t.Fatalf("group %d, %v: got %+v, want %+v", group, p, found[i], want)
			}
		}
	}
	if alone < 1 || alone > 10 {
		t.Errorf("%d of 40 groups near the center are searched alone, want a few", alone)
	}
	if w.wide != 0 {
		t.Errorf("wide is %d after groups with few blocks", w.wide)
	}
}
