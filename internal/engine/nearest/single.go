package nearest

import (
	"context"

	"github.com/golang/geo/r3"
)

// distanceMemory is the memory of Searcher.Distance.
type distanceMemory struct {
	scratch Scratch
	walk    obbWalk
	pts     [1]r3.Vector
	found   [1]Result
	waiting int64 // number of points that are not yet counted in Searcher.obb
}

// Distance counts countSingles points at a time, because counting takes about a tenth of the time
// of a search.
const countSingles = 64 // tuning

// Distance returns the Distance and the Face of Closest(p), bit for bit. It is faster than Closest if
// the OBB tree has been built. Like ClosestTo, it counts its points, and builds the tree when the
// count reaches a quarter of the number of faces. Distance is safe for concurrent use. Successive
// calls reuse their memory.
func (s *Searcher) Distance(p r3.Vector) (d float64, face int32) {
	x := s.singles.Get().(*distanceMemory)
	t := s.obb.Current()
	if t == nil && !s.obb.Final() {
		if x.waiting++; x.waiting == countSingles {
			x.waiting = 0
			t, _ = s.obb.For(context.Background(), countSingles, 0) // this context never ends
		}
	}
	if x.pts[0] = p; t != nil {
		t.closestTo(s, x.found[:], x.pts[:], &x.walk, false, &x.scratch)
	} else {
		x.found[0] = s.Closest(p, &x.scratch)
	}
	d, face = x.found[0].Distance, x.found[0].Face
	s.singles.Put(x)
	return d, face
}
