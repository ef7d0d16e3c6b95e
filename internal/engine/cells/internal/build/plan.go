package build

import (
	"math"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/mesh"
)

// Plan holds the position of the grid and the size of its cells.
type Plan struct {
	Edge     float64    // edge of a level-0 cell
	Offset   [3]float64 // lower corner of the mesh box, relative to the grid, in units of Edge
	LongList int        // longest list of a cell that is not refined
	Tables   bool       // whether cells with few triangles get tables

	mostEntries float64 // largest number of list entries that the model allows
}

// oddOffset is the usual value of Plan.Offset. Mesh faces with round coordinates then do not lie in
// faces of cells. // tuning
var oddOffset = [3]float64{0.3819, 0.2937, 0.4419}

// tuning
const (
	longList = 19 // a list of this length fits in three records
	// If the mean list has this length, the triangles are so long and thin that refinement does not shorten the lists.
	crowded = 100
	// The cost model considers plans with 0.01 to 4 triangles per crossed cell.
	finest, coarsest = 0.01, 4
	// A triangle is in at most maxEntries lists on average. A grid for n triangles has at most
	// max(leastBricks, n/trianglesPerBrick) brick positions.
	maxEntries, trianglesPerBrick = 6, 4
	leastBricks                   = 512
	// Many points allow more memory: a brick position for pointsPerBrick points, but at most
	// bricksForPoints, and a list entry for pointsPerEntry points, but at most entriesForPoints.
	pointsPerBrick, bricksForPoints  = 16, 1 << 17
	pointsPerEntry, entriesForPoints = 8, 1 << 20
	// Tables pay if a crossed cell gets more than pointsPerTable points.
	pointsPerTable = 16
	// If the number of points is unknown, the model assumes pointsPerTriangle points for each
	// triangle.
	pointsPerTriangle = 16
	// cacheBytes is about half of the last-level cache of a common processor.
	cacheBytes = 16 << 20
)

// cost holds the constants of the cost model, in nanoseconds of one worker.
// docs/design/005-cells.md describes the measurement. // tuning
var cost = struct{ start, triangle, entry, crossed, crowded, point, hit, listed, missed float64 }{
	start:    60e3, // time to build the index, once
	triangle: 200,  // time to build the index, per triangle
	entry:    50,   // time to build the index, per triangle in the list of a cell
	crossed:  350,  // time to build the index, per crossed cell
	crowded:  7e3,  // time to build the index, per triangle, if crossed cells are crowded
	point:    5,    // time of a query in any cell
	hit:      30,   // additional time of a query in a crossed cell
	listed:   17,   // additional time of a query in a crossed cell, per triangle in the list
	missed:   10,   // additional time per triangle in the list, if the records exceed cacheBytes
}

// plan returns Options.Plan if it is not nil. Otherwise it returns the plan with the shortest
// estimated time for Options.ExpectedPoints points.
//
// Let n be the number of triangles and h the edge of a cell. Project each triangle on the three
// coordinate planes, and let B be the sum of all these areas. Take the three edge lengths of the
// bounding box of each triangle, and let E be the sum of all these lengths.
//   - The surface crosses about B/h² cells.
//   - A triangle intersects 1 + E/(nh) + B/(nh²) cells on average, by the mixed volumes of a flat
//     convex body and a cube.
//   - Building the index takes n·cost.triangle + (n + E/h + B/h²)·cost.entry + (B/h²)·cost.crossed.
//   - Let V be the volume of the mesh box. The fraction Bh/V of the points lies in crossed cells.
//     Queries of these points take longer, by cost.hit + cost.listed·(length of the list).
//   - If triangles are long and thin, the mean list can have thousands of triangles. Building then takes
//     n·cost.crowded longer. Queries cast rays, which Cost does not know: it returns the time to test the list.
func (b *builder) plan() Plan {
	if b.opt.Plan != nil {
		return *b.opt.Plan
	}
	at := func(i int) mesh.Triangle { return b.Triangle(int32(i)) }
	n := b.Mesh.NumFaces() + len(b.Caps)
	if b.unlisted != nil {
		listed := make([]int32, 0, n)
		for f := range int32(n) {
			if !b.isUnlisted(f) {
				listed = append(listed, f)
			}
		}
		n, at = len(listed), func(i int) mesh.Triangle { return b.Triangle(listed[i]) }
	}
	k := mesh.SizesOf(n, b.Mesh.Box(), at)
	p, _, _ := choose(k, b.opt.ExpectedPoints, 1.1)
	return p
}

// Cost predicts the time to build a grid, and the time of a query, in nanoseconds of one worker. k
// describes the mesh. points is the expected number of queries; 0 means many.
func Cost(k mesh.Sizes, points int64) (build, point float64) {
	_, build, point = choose(k, points, 1.6)
	return build, point
}

// choose returns the plan with the shortest estimated time, and its estimates. It tries plans in a
// series: from one plan to the next, the number of triangles per crossed cell changes by the factor
// step.
func choose(k mesh.Sizes, points int64, step float64) (p Plan, build, point float64) {
	p = Plan{Offset: oddOffset, LongList: longList, Tables: true}
	n := float64(k.Triangles)
	if points == 0 {
		points = pointsPerTriangle * int64(k.Triangles)
	}
	count := float64(points)
	unit := max(k.Box[0], k.Box[1], k.Box[2])
	if inv := 1 / unit; unit == 0 || math.IsInf(inv, 0) {
		p.Edge = unit // the mesh is a point, or nearly a point
		return p, cost.start + n*cost.triangle, cost.point + cost.hit + n*cost.listed
	}
	// Divide all lengths by the longest edge of the mesh box. Then no number overflows.
	size := [3]float64{k.Box[0] / unit, k.Box[1] / unit, k.Box[2] / unit}
	extents := k.Extents[0]*size[0] + k.Extents[1]*size[1] + k.Extents[2]*size[2]
	projected := k.Areas[0]*size[1]*size[2] + k.Areas[1]*size[2]*size[0] + k.Areas[2]*size[0]*size[1]
	listed := cost.listed
	if n > cacheBytes/layout.RecordBytes {
		listed += cost.missed
	}
	volume := func(h float64) float64 { return (size[0] + h) * (size[1] + h) * (size[2] + h) }
	estimate := func(h float64) (build, point float64) {
		crossed := projected / (h * h) // cells per triangle
		entries := 1 + extents/h + crossed
		hit := min(1, n*crossed*h*h*h/volume(h))
		return cost.start + n*(cost.triangle+cost.entry*entries+cost.crossed*crossed), cost.point + hit*(cost.hit+listed*entries/max(crossed, 1/n))
	}
	best := math.Inf(1)
	for a := finest; a <= coarsest; a *= step {
		h := math.Sqrt(a * projected)
		build, point := estimate(h)
		if time := build + count*point; time < best {
			best, p.Edge = time, h
		}
	}
	// The memory of the grid and the lists must be of the order of the mesh, or of half the points.
	mostBricks := max(leastBricks, n/trianglesPerBrick, min(count/pointsPerBrick, bricksForPoints))
	p.mostEntries = max(maxEntries*n, min(count/pointsPerEntry, entriesForPoints))
	p.Edge = max(p.Edge, 0x1p-20)
	for ; ; p.Edge *= 1.05 {
		h := p.Edge
		if volume(h*layout.BrickSide) <= mostBricks*math.Pow(h*layout.BrickSide, 3) &&
			n*(1+extents/h+projected/h/h) <= p.mostEntries {
			break
		}
	}
	build, point = estimate(p.Edge)
	if projected == 0 || (1+extents/p.Edge)*p.Edge*p.Edge/projected+1 < crowded {
		// Cells with long lists are refined. Their queries take about a third of the time. // tuning
		point = min(point, cost.point+cost.hit+listed*longList/3)
	} else {
		// Smaller cells would not separate the triangles without far more entries.
		build += cost.crowded * n
	}
	// Each crossed cell gets about count·h³/volume points.
	p.Tables = count*math.Pow(p.Edge, 3) > pointsPerTable*volume(p.Edge)
	p.Edge *= unit
	return p, build, point
}

// expectedPoints returns the expected number of points, or an assumption if the number is unknown.
func (b *builder) expectedPoints() int64 {
	if b.opt.ExpectedPoints > 0 {
		return b.opt.ExpectedPoints
	}
	return pointsPerTriangle * int64(b.Mesh.NumFaces()+len(b.Caps))
}
