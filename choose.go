package inpoly

import (
	"fmt"
	"math"
	"runtime"
	"strconv"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// costs are the constants of the cost model, in nanoseconds of one worker. A
// point in a mesh of N triangles takes
//
//	point + level·log2 N + miss·max(0, log2 N − cached)
//
// and, with cells, in addition crossed where it falls into a crossed cell.
type costs struct {
	rays, cells methodCosts
	cached      float64 // log2 of the triangles that fit into the caches
	crossed     float64 // a point in a crossed cell, beyond that of an empty one
	edge        float64 // a point and an edge of the boundary, either method
	search      float64 // a point whose distance to the surface is compared with the tolerance
	efficiency  float64 // what each worker but the first adds, as a share of it
}

// methodCosts are those of one method.
type methodCosts struct{ start, triangle, point, level, miss float64 }

// measured by bench: spheres of 32 to 2,097,152 triangles and random points in
// their box, one worker and two, AMD EPYC (Zen 4).
var measured = costs{
	rays:       methodCosts{start: 80e3, triangle: 510, point: 230, level: 5, miss: 65},
	cells:      methodCosts{start: 100e3, triangle: 350, point: 15, level: 0, miss: 3},
	cached:     15,
	crossed:    300,
	edge:       8,
	search:     600,
	efficiency: 0.85,
}

// largestBoundary is the largest part that the edges of the boundary chain may
// be of the triangles for Auto to choose Cells: each is closed by a virtual
// triangle, about as dear as a real one, and they all meet in one point. A choice.
const largestBoundary = 1.0 / 8

// task is what Auto looks at.
type task struct {
	triangles int     // faces
	boundary  int     // edges of the boundary chain
	sum       bool    // points of the box need a sum over the boundary
	crossed   float64 // estimated share of the box that crossed cells fill
	points    int64   // expected; 0 = not known
	tree      bool    // the tree is needed whatever the method is: there is a tolerance
	workers   int     // that run at the same time
}

// newTask returns the task of answering for m under opt.
func newTask(m *mesh.Mesh, d *mesh.Diagnosis, opt *Options) task {
	return task{
		triangles: m.NumFaces(),
		boundary:  len(m.Boundary()),
		sum:       !m.Closed() && !(opt.Rule == EvenOdd && m.EvenEdges()),
		crossed:   crossedShare(d),
		points:    opt.ExpectedPoints,
		tree:      opt.Tolerance > 0,
		workers:   min(par.Workers(opt.Workers), runtime.GOMAXPROCS(0)),
	}
}

// crossedShare estimates which share of the box lies in cells that the surface
// crosses: a layer as thick as a triangle is wide, on either side of the surface.
// It is 1 where the box has no volume.
func crossedShare(d *mesh.Diagnosis) float64 {
	size := d.Box.Size()
	width := math.Sqrt(d.Area / float64(max(1, d.Triangles)))
	share := 2 * width / size.X * (d.Area / (size.Y * size.Z))
	if !(share > 0 && share < 1) { // nothing is known where numbers over- or underflow
		return 1
	}
	return share
}

// choose returns the method that the cost model prefers for t, and why.
func choose(t task, c *costs) (Method, string) {
	over := "many points assumed"
	if t.points > 0 {
		over = plural(t.points, "point") + " expected"
	}
	over += " over " + plural(int64(t.triangles), "triangle")
	switch {
	case t.triangles == 0:
		return RayCrossing, "there are no triangles"
	case float64(t.boundary) > largestBoundary*float64(t.triangles):
		return RayCrossing, fmt.Sprintf("%s: %v, as %s would have to be closed", over, RayCrossing, plural(int64(t.boundary), "boundary edge"))
	}
	best, other := Cells, RayCrossing
	if t.points == 0 {
		return best, fmt.Sprintf("%s: %v about %s a point, %v %s", over,
			best, duration(c.point(t, best)), other, duration(c.point(t, other)))
	}
	if c.total(t, RayCrossing) < c.total(t, Cells) {
		best, other = other, best
	}
	return best, fmt.Sprintf("%s: %v about %s, %v %s", over,
		best, duration(c.total(t, best)), other, duration(c.total(t, other)))
}

// total estimates the seconds that building and answering all points take.
func (c *costs) total(t task, m Method) float64 {
	return c.build(t, m) + float64(t.points)*c.point(t, m)
}

// build estimates the seconds that building takes.
func (c *costs) build(t task, m Method) float64 {
	one := func(k *methodCosts) float64 {
		return k.start + k.triangle*float64(t.triangles)/c.speedup(t.workers)
	}
	switch {
	case m != Cells:
		return 1e-9 * one(&c.rays)
	case t.tree:
		return 1e-9 * (one(&c.cells) + one(&c.rays))
	}
	return 1e-9 * one(&c.cells)
}

// point estimates the seconds between two answers of a large batch.
func (c *costs) point(t task, m Method) float64 {
	k := &c.rays
	ns := 0.0
	if m == Cells {
		k = &c.cells
		ns = t.crossed * c.crossed
	}
	levels := math.Log2(float64(max(1, t.triangles)))
	ns += k.point + k.level*levels + k.miss*max(0, levels-c.cached)
	if t.sum {
		ns += c.edge * float64(t.boundary)
	}
	if t.tree {
		ns += c.search
	}
	return 1e-9 * ns / c.speedup(t.workers)
}

func (c *costs) speedup(workers int) float64 { return 1 + c.efficiency*float64(max(1, workers)-1) }

// plural writes n ≥ 0 with a noun: 1 point, 1,234,567 points.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s + " " + noun + "s"
}

// duration writes seconds with two digits and a unit: 0.25 ns, 12 µs, 340 ms.
func duration(seconds float64) string {
	unit, x := "s", seconds
	for _, u := range []string{"ms", "µs", "ns"} {
		if x >= 0.995 { // 1.0 when rounded
			break
		}
		unit, x = u, x*1000
	}
	digits := 0
	switch {
	case x < 0.995:
		digits = 2
	case x < 9.95:
		digits = 1
	default:
		step := math.Pow(10, math.Floor(math.Log10(x))-1)
		x = math.Round(x/step) * step
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + " " + unit
}
