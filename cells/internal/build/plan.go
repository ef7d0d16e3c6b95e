package build

import (
	"math"

	"github.com/inpoly/inpoly/cells/internal/layout"
)

// Plan holds the position of the grid and the size of its cells.
type Plan struct {
	Edge     float64    // of a level-0 cell
	Offset   [3]float64 // position of the lower corner of the mesh box within the first cell
	LongList int        // cells with longer lists are refined
}

// oddOffset is the usual offset. Odd numbers keep the faces of meshes with round
// coordinates off the faces of cells. // tuning
var oddOffset = [3]float64{0.3819, 0.2937, 0.4419}

// tuning
const (
	runs, runLength = 128, 64 // of the triangles that are measured instead of all
	longList        = 19      // three records
	// A triangle has 1/finest crossed cells in the finest plan considered and
	// 1/coarsest in the coarsest.
	finest, coarsest = 1.2, 4
	// A triangle meets at most maxEntries cells on average. There are at most
	// leastBricks brick positions, or one for each trianglesPerBrick triangles.
	maxEntries, trianglesPerBrick = 6, 4
	leastBricks                   = 512
	// pointsPerTriangle are assumed if the number of points is not known.
	pointsPerTriangle = 16
	// cacheBytes is the part of the caches that holds records: about half of the last
	// level of a common processor.
	cacheBytes = 16 << 20
)

// cost is the model: nanoseconds of one worker, measured as
// docs/design/005-cells.md says. // tuning
var cost = struct{ triangle, entry, crossed, point, hit, listed, missed float64 }{
	triangle: 150, // to build, for each triangle
	entry:    35,  // to build, for each triangle in each list
	crossed:  225, // to build, for each crossed cell
	point:    4,   // to answer, for each point
	hit:      70,  // to answer, for each point in a crossed cell
	listed:   2,   // to answer, for each triangle listed there
	missed:   12,  // the same in addition, if the records outgrow the caches
}

// plan chooses the cells for a number of points, 0 if it is not known.
//
// Let n be the number of triangles and h the edge of a cell. Let B be the sum, over
// all triangles, of the areas of their projections on the three coordinate planes,
// and E the sum of the extents of their boxes along the axes. The surface crosses
// B/h² cells. By the mixed volumes of a flat convex body and a cube, a triangle meets
// 1 + E/nh + B/nh² cells on average. So building takes n·triangle + (n + E/h +
// B/h²)·entry + (B/h²)·crossed. A share Bh/V of the points in the volume V of the box
// lies in crossed cells and takes hit + listed·(entries a cell) more.
func (b *builder) plan(points int64) Plan {
	p := Plan{Offset: oddOffset, LongList: longList}
	n := b.Mesh.NumFaces() + len(b.Caps)
	size := b.Mesh.Box().Size()
	unit := max(size.X, size.Y, size.Z)
	scale := 1 / unit
	if unit == 0 || math.IsInf(scale, 0) {
		p.Edge = unit // a point, or nearly
		return p
	}
	// In the unit of the box no number leaves the range of float64.
	size = size.Mul(scale)
	extents, projected := b.sampleTriangles(n, scale)
	if points <= 0 {
		points = pointsPerTriangle * int64(n)
	}
	listed := cost.listed
	if n > cacheBytes/layout.RecordBytes {
		listed += cost.missed
	}
	best := math.Inf(1)
	for a := finest; a <= coarsest; a *= 1.1 {
		h := math.Sqrt(a * projected)
		entries := 1 + extents/h + 1/a
		volume := (size.X + h) * (size.Y + h) * (size.Z + h)
		hit := min(1, float64(n)/a*h*h*h/volume)
		time := float64(n)*(cost.triangle+cost.entry*entries+cost.crossed/a) +
			float64(points)*(cost.point+hit*(cost.hit+listed*entries*a))
		if time < best {
			best, p.Edge = time, h
		}
	}
	// Neither Top nor the lists may outgrow the mesh.
	p.Edge = max(p.Edge, 0x1p-20)
	for ; ; p.Edge *= 1.05 {
		b := p.Edge * layout.BrickSide
		bricks := (size.X/b + 1) * (size.Y/b + 1) * (size.Z/b + 1)
		if bricks <= max(leastBricks, float64(n)/trianglesPerBrick) &&
			1+extents/p.Edge+projected/p.Edge/p.Edge <= maxEntries {
			break
		}
	}
	p.Edge *= unit
	return p
}

// sampleTriangles returns means over the triangles, in units of 1/scale: of the sum
// of the extents of the box, and of the sum of the projected areas. Runs of triangles
// stand for all. They start at places that follow no pattern of the mesh.
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
