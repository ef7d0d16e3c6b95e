package columns

import (
	"math"

	"github.com/inpoly/inpoly/mesh"
)

// tuning
const (
	// There are at most 2^mostColumns columns, and at most max(fewColumns, columnsPerTriangle·n) for n
	// triangles.
	mostColumns, fewColumns, columnsPerTriangle = 24, 1 << 10, 4
	// If the number of points is unknown, the model assumes pointsPerTriangle points for each triangle.
	pointsPerTriangle = 16
	cached            = 25_000  // number of triangles that fit into the second-level cache
	large             = 1 << 18 // number of triangles that do not fit into the last-level cache
)

// cost holds the constants of the cost model, in nanoseconds of one worker. // tuning
var cost = struct{ start, triangle, column, entry, point, listed, tested, miss float64 }{
	start:    10e3, // time to build the index, once
	triangle: 33,   // time to build the index, per triangle
	column:   3,    // time to build the index, per column
	entry:    11,   // time to build the index, per entry
	point:    30,   // time of a query
	listed:   0.6,  // additional time of a query, per entry in the list of the column
	tested:   18,   // additional time of a query, per triangle that the query tests
	miss:     20,   // additional time of a query, per triangle and for each doubling of the mesh beyond the caches
}

// plan is the axis of the rays, log2 of the number of columns, and the predicted times in nanoseconds
// of one worker.
type plan struct {
	axis         uint8
	columns      int
	build, point float64
}

// Cost predicts the time to build an index of a mesh, and the time of a query, in nanoseconds of one
// worker. k describes the mesh. points is the expected number of queries; 0 means many.
func Cost(k mesh.Sizes, points int64) (build, point float64) {
	p := choose(k, points)
	return p.build, p.point
}

// choose returns the plan with the shortest predicted time.
//
// Take a triangle with the extents u and v and the area s in the projection. If columns have the size
// g×h, the triangle intersects about 1 + u/g + v/h + s/(g·h) columns, by the mixed areas of a
// triangle and a rectangle.
func choose(k mesh.Sizes, points int64) (best plan) {
	if points == 0 {
		points = pointsPerTriangle * int64(k.Triangles)
	}
	n, least := float64(k.Triangles), math.Inf(1)
	tested := cost.tested + cost.miss*max(0, math.Log2(n/cached))
	for axis := range 3 {
		i, j := (axis+1)%3, (axis+2)%3
		for c := range mostColumns + 1 {
			bitsX, bitsY := divide(c, k.Box[i], k.Box[j])
			g, h := float64(int(1)<<bitsX), float64(int(1)<<bitsY)
			entries := n * (1 + g*k.Extents[i] + h*k.Extents[j] + g*h*k.Areas[axis])
			if c > 0 && (entries > maxEntries*n || g*h > max(fewColumns, columnsPerTriangle*n)) {
				break
			}
			p := plan{
				axis: uint8(axis), columns: c,
				build: cost.start + cost.triangle*n + cost.column*g*h + cost.entry*entries,
				// A query tests the triangles whose boxes and columns contain the point, and half of the
				// boxes are below the point.
				point: cost.point + cost.listed*entries/(g*h) + tested*min(n*k.Boxes[axis], entries/(g*h))/2,
			}
			if time := p.build + float64(points)*p.point; time < least {
				best, least = p, time
			}
		}
	}
	return best
}

// divide returns log2 of the numbers of columns along two axes of the given lengths, so that there
// are 1<<columns columns, which are nearly square.
func divide(columns int, x, y float64) (bitsX, bitsY uint8) {
	ratio := 0.0
	if x > 0 || y > 0 {
		ratio = max(-unitBits, min(math.Log2(x)-math.Log2(y), unitBits)) // ±Inf if one is 0
	}
	n := int(math.Round((float64(columns) + ratio) / 2))
	n = max(0, columns-unitBits, min(n, columns, unitBits))
	return uint8(n), uint8(columns - n)
}
