package build

import (
	"math"

	"github.com/inpoly/inpoly/cells/internal/layout"
)

// Plan holds the position of the grid and the size of its cells.
type Plan struct {
	Edge     float64    // edge of a level-0 cell
	Offset   [3]float64 // lower corner of the mesh box, relative to the grid, in units of Edge
	LongList int        // longest list of a cell that is not refined
	Tables   bool       // whether cells with few triangles get tables

	mostEntries float64 // largest number of list entries that the model allows
}

// oddOffset is the usual value of Plan.Offset. It keeps mesh faces with round coordinates out of
// the faces of cells. // tuning
var oddOffset = [3]float64{0.3819, 0.2937, 0.4419}

// tuning
const (
	runs, runLength = 128, 64 // number of runs in the sample, and number of triangles in each run
	longList        = 19      // a list of this length fits in three records
	// The cost model considers plans with 0.01 to 4 triangles per crossed cell.
	finest, coarsest = 0.01, 4
	// A triangle is in at most maxEntries lists on average. A grid for n triangles has at most
	// max(leastBricks, n/trianglesPerBrick) brick positions.
	maxEntries, trianglesPerBrick = 6, 4
	leastBricks                   = 512
	// More memory is allowed if there are many points: a brick position for pointsPerBrick points,
	// and a list entry for pointsPerEntry points.
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
var cost = struct{ triangle, entry, crossed, point, hit, listed, missed float64 }{
	triangle: 200, // time to build the index, per triangle
	entry:    50,  // time to build the index, per triangle in the list of a cell
	crossed:  350, // time to build the index, per crossed cell
	point:    5,   // time of a query in any cell
	hit:      30,  // additional time of a query in a crossed cell
	listed:   17,  // additional time of a query in a crossed cell, per triangle in the list
	missed:   10,  // additional time per triangle in the list, if the records exceed cacheBytes
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
//     Their queries take longer, by cost.hit + cost.listed·(length of the list).
func (b *builder) plan() Plan {
	if b.opt.Plan != nil {
		return *b.opt.Plan
	}
	p := Plan{Offset: oddOffset, LongList: longList, Tables: true}
	n := b.Mesh.NumFaces() + len(b.Caps)
	size := b.Mesh.Box().Size()
	unit := max(size.X, size.Y, size.Z)
	scale := 1 / unit
	if unit == 0 || math.IsInf(scale, 0) {
		p.Edge = unit // the mesh is a point, or nearly a point
		return p
	}
	// Divide all lengths by the longest edge of the mesh box. Then no number overflows.
	size = size.Mul(scale)
	extents, projected := b.sampleTriangles(n, scale)
	points := b.expectedPoints()
	listed := cost.listed
	if n > cacheBytes/layout.RecordBytes {
		listed += cost.missed
	}
	best := math.Inf(1)
	for a := finest; a <= coarsest; a *= 1.1 {
		h := math.Sqrt(a * projected)
		entries := 1 + extents/h + 1/a
		hit := min(1, float64(n)/a*h*h*h/((size.X+h)*(size.Y+h)*(size.Z+h)))
		time := float64(n)*(cost.triangle+cost.entry*entries+cost.crossed/a) +
			float64(points)*(cost.point+hit*(cost.hit+listed*entries*a))
		if time < best {
			best, p.Edge = time, h
		}
	}
	// The grid and the lists must not take much more memory than the mesh, or than half the points.
	count := float64(points)
	mostBricks := max(leastBricks, float64(n)/trianglesPerBrick, min(count/pointsPerBrick, bricksForPoints))
	p.mostEntries = max(maxEntries*float64(n), min(count/pointsPerEntry, entriesForPoints))
	volume := func(h float64) float64 { return (size.X + h) * (size.Y + h) * (size.Z + h) }
	p.Edge = max(p.Edge, 0x1p-20)
	for ; ; p.Edge *= 1.05 {
		h := p.Edge
		if volume(h*layout.BrickSide) <= mostBricks*math.Pow(h*layout.BrickSide, 3) &&
			float64(n)*(1+extents/h+projected/h/h) <= p.mostEntries {
			break
		}
	}
	// Each crossed cell gets about count·h³/volume points.
	p.Tables = count*math.Pow(p.Edge, 3) > pointsPerTable*volume(p.Edge)
	p.Edge *= unit
	return p
}

// expectedPoints returns the expected number of points, or an assumption if the number is unknown.
func (b *builder) expectedPoints() int64 {
	if b.opt.ExpectedPoints > 0 {
		return b.opt.ExpectedPoints
	}
	return pointsPerTriangle * int64(b.Mesh.NumFaces()+len(b.Caps))
}

// sampleTriangles estimates two means over all triangles, after scaling: the sum of the three edge
// lengths of the triangle's box, and the sum of the triangle's three projected areas.
func (b *builder) sampleTriangles(n int, scale float64) (extents, projected float64) {
	count := min(n, runs*runLength)
	for i := range count {
		f := i
		if n > count {
			f = int(layout.Mix(uint64(i/runLength))%uint64(n-runLength)) + i%runLength
		}
		t := b.Triangle(int32(f))
		a, b := t[1].Sub(t[0]).Mul(scale), t[2].Sub(t[0]).Mul(scale)
		c := a.Cross(b)
		projected += (math.Abs(c.X) + math.Abs(c.Y) + math.Abs(c.Z)) / 2
		x0, x1 := bounds(0, a.X, b.X)
		y0, y1 := bounds(0, a.Y, b.Y)
		z0, z1 := bounds(0, a.Z, b.Z)
		extents += x1 - x0 + (y1 - y0) + (z1 - z0)
	}
	return extents / float64(count), projected / float64(count)
}
