package soup

import (
	"cmp"
	"math"
)

// Extent counts what a node of a scene, with everything below it, adds to the soup. A scene can
// have exponentially many paths to a node, so a reader counts before it appends anything. Counts
// stop at maxExtent.
type Extent struct {
	Triangles, Vertices, Bodies int64
	Visits                      int64 // number of visits to nodes and to parts of nodes
}

// maxExtent is larger than any count that fits in memory. Sums and products with sizes of elements
// do not overflow.
const maxExtent = 1 << 50

// visitBytes is the memory that the budget counts for each repeated visit. A repeated visit needs
// less memory, but this size also bounds the work (tuning).
const visitBytes = 128

// Add adds f to e.
func (e *Extent) Add(f Extent) {
	e.Triangles = min(e.Triangles+f.Triangles, maxExtent)
	e.Vertices = min(e.Vertices+f.Vertices, maxExtent)
	e.Bodies = min(e.Bodies+f.Bodies, maxExtent)
	e.Visits = min(e.Visits+f.Visits, maxExtent)
}

// Multiply multiplies e by n, which must not be negative.
func (e *Extent) Multiply(n int64) {
	for _, x := range []*int64{&e.Triangles, &e.Vertices, &e.Bodies, &e.Visits} {
		if n > 0 && *x > maxExtent/n {
			*x = maxExtent
		} else {
			*x *= n
		}
	}
}

// Expect makes room for a scene of the given extent. The first stored visits are free, because each
// of them has text of its own in the file. Errors: ErrTooLarge.
func (b *Builder) Expect(e Extent, stored int64) error {
	need := FaceBytes*e.Triangles + VertexBytes*e.Vertices + bodyBytes*e.Bodies + visitBytes*max(e.Visits-stored, 0)
	room := b.Budget.left()
	if e.Triangles > math.MaxInt32 || need > room {
		more := ""
		if e.Triangles == maxExtent || e.Vertices == maxExtent || e.Visits == maxExtent {
			more = "at least "
		}
		return AtPath("", ErrTooLarge, "the scene has %s%d triangles in %d visits of nodes, which need %d MB; the memory limit leaves %d MB",
			more, e.Triangles, e.Visits, need>>20, room>>20).
			WithHint("raise the memory limit if the file can be trusted")
	}
	err := cmp.Or(b.GrowVertices(int(e.Vertices)), Grow(b.Budget, &b.bodies, int(e.Bodies), bodyBytes))
	return cmp.Or(err, b.ExpectTriangles(int(e.Triangles)))
}
