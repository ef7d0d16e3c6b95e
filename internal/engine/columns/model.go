package columns

import (
	"math"
	"math/bits"

	"github.com/inpoly/inpoly/mesh"
)

// tuning
const (
	// For n triangles, there are at most max(fewColumns, columnsPerTriangle·n) columns, and never
	// more than 2^mostColumns.
	mostColumns, fewColumns, columnsPerTriangle = 24, 1 << 10, 4
	// If the number of points is unknown, the model assumes pointsPerTriangle points for each
	// triangle.
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

// plan is one choice for an index: the axis of the rays and log2 of the number of columns, with the
// predicted times in nanoseconds of one worker.
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
// A projected triangle has the extents u and v along the two axes, and the area s. A column is a
// rectangle of size g×h. Then the triangle intersects about 1 + u/g + v/h + s/(g·h) columns, by the
// mixed areas of a triangle and a rectangle.
func choose(k mesh.Sizes, points int64) (best plan) {
	if points == 0 {
		points = pointsPerTriangle * int64(k.Triangles)
	}
	n, least := float64(k.Triangles), math.Inf(1)
	tested := cost.tested + cost.miss*max(0, math.Log2(n/cached))
	for axis := range 3 {
		i, j := (axis+1)%3, (axis+2)%3
		ratio := logRatio(k.Box[i], k.Box[j])
		for c := range mostColumns + 1 {
			bitsX, bitsY := divideBits(c, ratio)
			g, h := float64(int(1)<<bitsX), float64(int(1)<<bitsY)
			entries := n * (1 + g*k.Extents[i] + h*k.Extents[j] + g*h*k.Areas[axis])
			if c > 0 && (entries > maxEntries*n || g*h > max(fewColumns, columnsPerTriangle*n)) {
				break
			}
			p := plan{
				axis: uint8(axis), columns: c,
				build: cost.start + cost.triangle*n + cost.column*g*h + cost.entry*entries,
				// A query tests the triangles of its column whose boxes contain the point in the
				// projection. Half of these boxes are below the point, and the query skips them.
				point: cost.point + cost.listed*entries/(g*h) + tested*min(n*k.Boxes[axis], entries/(g*h))/2,
			}
			if time := p.build + float64(points)*p.point; time < least {
				best, least = p, time
			}
		}
	}
	return best
}

// divide divides a rectangle of size x×y into 1<<columns nearly square columns. It returns log2 of
// the number of columns along each axis.
func divide(columns int, x, y float64) (bitsX, bitsY uint8) {
	return divideBits(columns, logRatio(x, y))
}

// logRatio returns log2(x/y), limited to [−unitBits, unitBits].
func logRatio(x, y float64) float64 {
	if x > 0 || y > 0 {
		return max(-unitBits, min(math.Log2(x)-math.Log2(y), unitBits)) // ±Inf if one is 0
	}
	return 0
}

// divideBits does the work of divide.
func divideBits(columns int, ratio float64) (bitsX, bitsY uint8) {
	n := int(math.Round((float64(columns) + ratio) / 2))
	n = max(0, columns-unitBits, min(n, columns, unitBits))
	return uint8(n), uint8(columns - n)
}

// sweepCost holds the constants of the cost model of a Sweep, in nanoseconds of one worker. // tuning
var sweepCost = struct{ start, point, face, column, row, listed, boxed, tested float64 }{
	start:  500, // time of a batch, once
	point:  16,  // time of a batch, per point
	face:   10,  // time of a batch, per triangle
	column: 2,   // time of a batch, per column
	row:    14,  // additional time, per triangle and row of its columns, if the row has points
	listed: 0.7, // additional time, per triangle and point in its columns
	boxed:  3,   // additional time, per triangle and point in its box
	tested: 1.5, // additional time, per triangle and point in its box but far from it
}

const mostSweptBits = 15 // log2 of the largest number of columns of a Sweep; tuning

// sweepModel describes a mesh for the cost model of a Sweep.
type sweepModel struct {
	axis              uint8   // axis of the mesh along which the fewest boxes of triangles overlap
	faces             float64 // number of triangles
	boxes, wide, high float64 // means of Sizes.Boxes and Sizes.Extents in the projection
	empty             float64 // mean of the parts of Sizes.Boxes that are far from the triangles
}

func newSweepModel(k *mesh.Sizes) sweepModel {
	axis := 0
	for a := range k.Boxes {
		if k.Boxes[a] < k.Boxes[axis] {
			axis = a
		}
	}
	return sweepModel{
		axis: uint8(axis), faces: float64(k.Triangles),
		boxes: k.Boxes[axis], wide: k.Extents[(axis+1)%3], high: k.Extents[(axis+2)%3],
		empty: max(0, k.Boxes[axis]-4*k.Areas[axis]), // the box of an ordinary triangle has up to four times its area
	}
}

// SweepCost predicts the time of a Sweep for a batch of points, in nanoseconds of one worker. k
// describes the mesh.
func SweepCost(k mesh.Sizes, points int64) float64 {
	m := newSweepModel(&k)
	_, _, time := m.plan(points)
	return time
}

// plan returns log2 of the number of columns along each axis of the projection, and the predicted
// time of a batch in nanoseconds of one worker.
//
// Let the batch have N points, in g×h columns. The box of a triangle meets about 1 + h·high rows,
// and its columns contain about N·(1/g + wide)·(1/h + high) points. The points of a row are
// consecutive in memory, so long rows are best.
func (m *sweepModel) plan(points int64) (bitsX, bitsY uint8, time float64) {
	n := float64(points)
	most := min(mostSweptBits, bits.Len64(uint64(min(m.faces*n, 1<<40))>>4)/2) // few triangles and points need few columns
	time = math.Inf(1)
	for sum := range most + 1 {
		for x := sum / 2; x <= sum; x++ {
			g, h := float64(int(1)<<x), float64(int(1)<<(sum-x))
			listed := n * (m.boxes + m.wide/h + m.high/g + 1/(g*h))
			rows := 1 + h*m.high
			t := sweepCost.column*g*h + m.faces*(sweepCost.row*min(rows, listed)+sweepCost.listed*listed)
			if t < time {
				time, bitsX, bitsY = t, uint8(x), uint8(sum-x)
			}
		}
	}
	return bitsX, bitsY, sweepCost.start + sweepCost.point*n + m.faces*(sweepCost.face+n*(sweepCost.boxed*m.boxes+sweepCost.tested*m.empty)) + time
}
