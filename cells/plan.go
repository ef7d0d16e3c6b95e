package cells

import "math"

// plan is what the cost model chooses, or what a test forces.
type plan struct {
	edge   float64    // of a cell of the first level
	offset [3]float64 // where the box of the mesh starts in the first cell
	long   int        // longer lists are refined
}

// forced, if not nil, is the plan of every index: for tests.
var forced *plan

// oddOffset is the offset of plans that are not forced: odd numbers, so that the
// faces of meshes with round coordinates do not coincide with those of cells.
var oddOffset = [3]float64{0.3819, 0.2937, 0.4419}

// Limits of plans.
const (
	runs, runLength = 128, 64 // of triangles that stand for all
	long            = 19      // lists of up to three lines
	// Cells of the finest and of the coarsest plan have edges such that a triangle
	// has 1/finest and 1/coarsest crossed cells.
	finest, coarsest = 1.2, 4
	// A triangle meets at most so many cells on average, and there is a brick for
	// at least so many triangles.
	mostLists, perBrick = 6, 4
	leastBricks         = 512
	// unknownPoints is how many points are assumed for each triangle if nothing is
	// known about them.
	unknownPoints = 16
)

// cost holds the times of the model in nanoseconds of one worker; see
// docs/design/005-cells.md, where they are measured.
var cost = struct{ triangle, entry, crossed, point, hit, listed, missed float64 }{
	triangle: 150, // to build, for each triangle
	entry:    35,  // for each triangle listed in a cell
	crossed:  225, // for each crossed cell
	point:    4,   // to answer, for each point
	hit:      70,  // for each point in a crossed cell
	listed:   2,   // for each of the triangles listed there
	missed:   12,  // more, where a line for each triangle is more than cached
}

// cached is how many bytes of lines the caches hold: about half of the last
// level of a common processor.
const cached = 16 << 20

// plan chooses the cells for a number of points, 0 if it is not known.
//
// Let B be the area of the shadows of the triangles on the three coordinate
// planes, E the extents of their boxes along the axes, all summed, n their number
// and h the edge of a cell. A surface crosses B/h² cells; a triangle meets, by the
// mixed volumes of a flat convex body and a cube, 1 + E/nh + B/nh² of them on
// average. So the time to build is n·triangle + (n + E/h + B/h²)·entry +
// (B/h²)·crossed, and the part Bh/V of points in the volume V of the box that is
// in crossed cells takes hit + listed·(entries a cell) more.
func (x *Index) plan(points int64) plan {
	p := plan{offset: oddOffset, long: long}
	n := x.mesh.NumFaces() + len(x.fans)
	size := x.mesh.Box().Size()
	unit := max(size.X, size.Y, size.Z)
	scale := 1 / unit
	if unit == 0 || math.IsInf(scale, 0) {
		p.edge = unit // a point, or nearly
		return p
	}
	// In the unit of the box nothing leaves the range of float64.
	size = size.Mul(scale)
	extents, shadows := x.means(n, scale)
	if points <= 0 {
		points = unknownPoints * int64(n)
	}
	listed := cost.listed
	if n > cached/lineBytes {
		listed += cost.missed
	}
	best := math.Inf(1)
	for a := finest; a <= coarsest; a *= 1.1 {
		h := math.Sqrt(a * shadows)
		entries := 1 + extents/h + 1/a
		volume := (size.X + h) * (size.Y + h) * (size.Z + h)
		hit := min(1, float64(n)/a*h*h*h/volume)
		time := float64(n)*(cost.triangle+cost.entry*entries+cost.crossed/a) +
			float64(points)*(cost.point+hit*(cost.hit+listed*entries*a))
		if time < best {
			best, p.edge = time, h
		}
	}
	// The top of the grid must not outgrow the mesh, nor the lists.
	p.edge = max(p.edge, 0x1p-20)
	for ; ; p.edge *= 1.05 {
		b := p.edge * brickSide
		bricks := (size.X/b + 1) * (size.Y/b + 1) * (size.Z/b + 1)
		if bricks <= max(leastBricks, float64(n)/perBrick) &&
			1+extents/p.edge+shadows/p.edge/p.edge <= mostLists {
			break
		}
	}
	p.edge *= unit
	return p
}

// means returns the mean, over the triangles, of the extents of the boxes and of
// the shadows, in units of 1/scale, from runs of triangles at places that do not
// go along with a pattern of the mesh.
func (x *Index) means(n int, scale float64) (extents, shadows float64) {
	count := min(n, runs*runLength)
	for i := range count {
		f := i
		if n > count {
			f = int(mix(uint64(i/runLength))%uint64(n-runLength)) + i%runLength
		}
		t := x.triangle(int32(f))
		a, b := t[1].Sub(t[0]).Mul(scale), t[2].Sub(t[0]).Mul(scale)
		c := a.Cross(b)
		shadows += (math.Abs(c.X) + math.Abs(c.Y) + math.Abs(c.Z)) / 2
		x0, x1 := bounds(0, a.X, b.X)
		y0, y1 := bounds(0, a.Y, b.Y)
		z0, z1 := bounds(0, a.Z, b.Z)
		extents += x1 - x0 + (y1 - y0) + (z1 - z0)
	}
	return extents / float64(count), shadows / float64(count)
}
