package inpoly

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// nanosecond in seconds.
const nanosecond = 1e-9

// costs are the constants of the cost model, in nanoseconds of one worker. A
// point in a mesh of N triangles takes, by rays or cells,
//
//	point + level·log2 N + miss·max(0, log2 N − cached)
//
// and, with cells, in addition crossed where it falls into a crossed cell. By
// the direct sum it takes point + term·N, and nothing but a copy of the faces is
// built for that, by one worker.
type costs struct {
	rays, cells, direct methodCosts
	multipoles          multipoleCosts
	cached              float64 // log2 of the triangles that fit into the caches
	crossed             float64 // a point in a crossed cell, beyond that of an empty one
	term                float64 // a point and a triangle, by the direct sum
	edge                float64 // a point and an edge of the boundary, by rays or cells
	search              float64 // a point whose distance to the surface is compared with the tolerance
	handed              float64 // share of the points of an open mesh whose boundary sum cells need
	efficiency          float64 // what each worker but the first adds, as a share of it
}

// methodCosts are those of one method.
type methodCosts struct{ start, triangle, point, level, miss float64 }

// measured by bench: spheres of 32 to 2,097,152 triangles and random points in
// their box, one worker and two, AMD EPYC (Zen 4). Those of multipoles
// are about right for spheres of 2,048 and 131,072 triangles with errors from 0.45 to
// 1e-8, and for 13 to 1,268 caps.
var measured = costs{
	rays:       methodCosts{start: 80e3, triangle: 510, point: 230, level: 5, miss: 65},
	cells:      methodCosts{start: 40e3, triangle: 400, point: 5, level: 0, miss: 1},
	direct:     methodCosts{start: 1e3, triangle: 8, point: 300},
	cached:     15,
	crossed:    90,
	term:       10,
	edge:       8,
	search:     600,
	efficiency: 0.85,
	handed:     0.25,
	multipoles: multipoleCosts{
		start: 500e3, triangle: 4000, level: 19, growth: 0.3, direct: 100, near: 2.7, cap: 100,
	},
}

// largestBoundary is the largest part that the edges of the boundary chain may
// be of the triangles for Auto to choose Cells: each is closed by a virtual
// triangle, about as dear as a real one, and they all meet in one point. A choice.
const largestBoundary = 1.0 / 8

// longestSum is the largest number of seconds that a direct sum may take for Auto
// to choose Direct: nothing can interrupt the sum of one point, and who cancels
// should not notice. A choice.
const longestSum = 0.05

// task is what Auto looks at.
type task struct {
	triangles int     // faces
	boundary  int     // edges of the boundary chain
	sum       bool    // points of the box need a sum over the boundary
	parity    bool    // crossings are counted, not W: the direct sum cannot tell
	crossed   float64 // estimated share of the box that crossed cells fill
	points    int64   // expected; 0 = not known
	epsilon   float64 // wanted error of winding numbers; 0 = whatever decides sides soonest
	tree      bool    // the tree is needed whatever the method is: there is a tolerance
	workers   int     // that run at the same time
}

// newTask returns the task of answering for m under opt.
func newTask(m *mesh.Mesh, d *mesh.Diagnosis, opt *Options) task {
	return task{
		triangles: m.NumFaces(),
		boundary:  len(m.Boundary()),
		sum:       !m.Closed() && !countsParity(m, opt.Rule),
		parity:    countsParity(m, opt.Rule),
		crossed:   crossedShare(d),
		points:    opt.ExpectedPoints,
		epsilon:   opt.Epsilon,
		tree:      opt.Tolerance > 0,
		workers:   min(par.Workers(opt.Workers), runtime.GOMAXPROCS(0)),
	}
}

// countsParity reports whether sides of m are the parity of crossings under rule:
// where it counts crossings, the winding number of an open mesh does not tell them.
func countsParity(m *mesh.Mesh, rule Rule) bool {
	return rule == EvenOdd && m.EvenEdges() && !m.Closed()
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
	if t.triangles == 0 {
		return RayCrossing, "there are no triangles"
	}
	if t.sum && t.epsilon == 0 {
		t.epsilon = c.sideEpsilon(t)
	}
	over, unit, cost := "many points assumed", " a point", c.point
	if t.points > 0 {
		over, unit, cost = plural(t.points, "point")+" expected", "", c.total
	}
	methods := c.candidates(t)
	slices.SortStableFunc(methods, func(a, b Method) int { return cmp.Compare(cost(t, a), cost(t, b)) })
	reason := fmt.Sprintf("%s over %s: ", over, plural(int64(t.triangles), "triangle"))
	for i, m := range methods {
		if i == 0 {
			reason += fmt.Sprintf("%v about %s%s", m, duration(cost(t, m)), unit)
		} else {
			reason += fmt.Sprintf(", %v %s", m, duration(cost(t, m)))
		}
	}
	if !slices.Contains(methods, Cells) {
		reason += fmt.Sprintf("; not %v, which would have to close %s", Cells, plural(int64(t.boundary), "boundary edge"))
	}
	return methods[0], reason
}

// candidates returns the methods that Auto may choose for t, the simplest first.
func (c *costs) candidates(t task) []Method {
	var methods []Method
	if one := nanosecond * c.sum(t); one <= longestSum && !t.parity {
		methods = append(methods, Direct)
	}
	methods = append(methods, RayCrossing)
	if float64(t.boundary) <= largestBoundary*float64(t.triangles) {
		methods = append(methods, Cells)
	}
	if t.sum { // multipoles of a closed mesh are slower than cells
		methods = append(methods, FMM)
	}
	return methods
}

// total estimates the seconds that building and answering all points take.
func (c *costs) total(t task, m Method) float64 {
	return c.build(t, m) + float64(t.points)*c.point(t, m)
}

// build estimates the seconds that building takes, with the tree if t needs it.
func (c *costs) build(t task, m Method) float64 {
	one := func(k *methodCosts, workers int) float64 {
		return k.start + k.triangle*float64(t.triangles)/c.speedup(workers)
	}
	ns := 0.0
	switch m {
	case Cells:
		ns = one(&c.cells, t.workers)
	case Direct:
		ns = one(&c.direct, 1)
	case FMM:
		if w := c.bestWay(t); w != byRay {
			ns = c.wayBuild(t, w) / nanosecond
		}
	}
	// Cells and multipoles of an open mesh leave points to rays, and have the tree built.
	if t.tree || m == RayCrossing || (m == Cells || m == FMM) && t.sum {
		ns += one(&c.rays, t.workers)
	}
	return nanosecond * ns
}

// point estimates the seconds between two answers of a batch of t.points, or of
// many if that is 0.
func (c *costs) point(t task, m Method) float64 {
	ns := 0.0
	switch m {
	case Cells:
		closed := t
		closed.sum = false
		ns = c.local(closed, &c.cells) + t.crossed*c.crossed
		if t.sum {
			ns += c.handed * c.edge * float64(t.boundary)
		}
	case Direct:
		ns = c.sum(t)
	case FMM:
		ns = c.sideAlone(t)
	default:
		ns = c.local(t, &c.rays)
	}
	if t.tree {
		ns += c.search
	}
	return c.batch(t, ns)
}

// batch turns the nanoseconds of one point of one worker into the seconds between two
// answers of a batch of t.points, or of many if that is 0.
func (c *costs) batch(t task, ns float64) float64 {
	workers := t.workers
	if t.points > 0 && t.points < int64(workers) {
		workers = int(t.points) // each point is one worker's
	}
	return nanosecond * ns / c.speedup(workers)
}

// local estimates the nanoseconds of one point by rays or cells.
func (c *costs) local(t task, k *methodCosts) float64 {
	levels := math.Log2(float64(max(1, t.triangles)))
	ns := k.point + k.level*levels + k.miss*max(0, levels-c.cached)
	if t.sum {
		ns += c.edge * float64(t.boundary)
	}
	return ns
}

// sum estimates the nanoseconds of one point by the direct sum.
func (c *costs) sum(t task) float64 { return c.direct.point + c.term*float64(t.triangles) }

func (c *costs) speedup(workers int) float64 { return 1 + c.efficiency*float64(max(1, workers)-1) }

// sums returns for how many points at least the direct sum is worthwhile when
// Auto has chosen it: those that were expected, and as many as take as long as
// building the tree, so that a wrong expectation never costs much more than what
// was saved. It is −1, for all, where rays would not be faster even then.
func (c *costs) sums(t task) int64 {
	t.tree, t.workers = false, 1
	if c.point(t, Direct) <= c.point(t, RayCrossing) {
		return -1
	}
	return max(t.points, int64(c.build(t, RayCrossing)/c.point(t, Direct)))
}

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
