package nearest

import (
	"math/rand/v2"
	"testing"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// On meshes of long thin faces, the results are those of single searches, and the number of visited boxes grows
// more slowly than the number of faces.
func TestSlivers(t *testing.T) {
	few := testmesh.Slivers(2000)
	for i, many := range testmesh.Slivers(16_000) {
		var boxes [2]float64
		for k, soup := range []mesh.Soup{few[i].Soup, many.Soup} {
			m, err := mesh.New(t.Context(), soup, mesh.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := searcher(t, m, bvh.Options{})
			payForOBBTree(t, s)
			r := rand.New(rand.NewPCG(43, uint64(i)))
			pts := testmesh.Near(m, 300, .1, r)
			var w obbWalk
			var st Scratch
			for _, p := range pts {
				s.obb.Current().closestAlone(s, p, &w, &st)
			}
			boxes[k] = float64(w.ordered.boxes) / float64(len(pts))
			for range 20 {
				pts = append(pts, pointNear(r, m))
			}
			checkBatch(t, many.Name, s, pts[len(pts)-rounds(40, 320):])
		}
		t.Logf("%s: %.1f and %.1f boxes", many.Name, boxes[0], boxes[1])
		if boxes[1] > 5*boxes[0] {
			t.Errorf("%s: eight times as many faces need %.1f instead of %.1f boxes for each point", many.Name, boxes[1], boxes[0])
		}
	}
}
