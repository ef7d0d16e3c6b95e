package locate

import (
	"math"
	"runtime"
	"slices"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/engine/columns"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Workload is the input of the cost model: the options of a caller and the properties of a mesh.
type Workload struct {
	Rule      side.Rule
	Points    int64   // expected number of points; 0 means unknown, which is treated as a large number
	Epsilon   float64 // requested error of winding numbers; 0 lets the package choose the error
	Tolerance float64 // requested tolerance of sides
	Workers   int     // number of goroutines; NewWorkload limits it to GOMAXPROCS

	Triangles     int
	BoundaryEdges int        // number of edges of the boundary chain
	BoundarySum   bool       // whether points in the box need a sum over the boundary
	Parity        bool       // whether the parity of crossings decides sides; see the function Parity
	Sizes         mesh.Sizes // sizes of the triangles
	Half          float64    // result of halfShare; 0 if it is not known
}

// NewWorkload returns the Workload for queries of a mesh with the given options.
func NewWorkload(m *mesh.Mesh, options Workload) Workload {
	w := options
	w.Workers = min(par.Workers(w.Workers), runtime.GOMAXPROCS(0))
	w.Triangles = m.NumFaces()
	w.BoundaryEdges = len(m.Boundary())
	w.Parity = Parity(m, w.Rule)
	w.BoundarySum = !m.Closed() && !w.Parity
	w.Sizes = m.Sizes()
	if w.BoundarySum && w.assumedPoints() >= halfPoints {
		w.Half = halfShare(m)
	}
	return w
}

// manyPoints is the number of points that the cost model assumes if the number is unknown. // tuning
const manyPoints = 1_000_000

// assumedPoints returns the expected number of points, or manyPoints if it is unknown.
func (w *Workload) assumedPoints() int64 {
	if w.Points == 0 {
		return manyPoints
	}
	return w.Points
}

// Cost holds estimated times in seconds. Build is the time to build the index. Point is the time
// for each answer of a batch.
type Cost struct{ Build, Point float64 }

// total returns the seconds for building the index and for all points of w. If the number of points
// is unknown, it returns the seconds per answer.
func (c Cost) total(w Workload) float64 {
	if w.Points == 0 {
		return c.Point
	}
	return c.Build + float64(w.Points)*c.Point
}

const nanosecond = 1e-9 // in seconds

// costs holds the constants of the cost model, in nanoseconds on one worker. Let N be the number of
// triangles of the mesh. With rays, a query takes
//
//	point + level·log2 N + miss·max(0, log2 N − cached)
//
// With the direct sum, a query takes point + term·N.
type costs struct {
	// columns and cells return the times to build an index of a closed mesh, and of a query.
	columns, cells func(w Workload) (build, point float64)
	rays, direct   indexCosts
	multipoles     multipoleCosts
	cached         float64 // log2 of the number of triangles that fit into the caches
	term           float64 // time for one point and one triangle in the direct sum
	edge           float64 // time for one point and one boundary edge in the boundary sum
	search         float64 // time to compare the distance of one point with the tolerance
	slivers        sliverCosts
	open           openCosts
	efficiency     float64 // speed that each additional worker adds, relative to one worker
}

// indexCosts holds the constants of one index. Building the index takes start + triangle·N. See
// costs for N and the other fields.
type indexCosts struct{ start, triangle, point, level, miss float64 }

// sliverCosts holds the constants of meshes of N long thin faces whose boxes overlap. A ray tests the faces whose boxes it
// meets, which takes test for each face beyond usual faces. Package raycross builds a tree of oriented boxes, which takes
// triangle·N, when the tests have taken as long. A ray then takes point + level·log2 N.
type sliverCosts struct{ usual, test, triangle, point, level float64 }

// openCosts holds the constants of meshes with E boundary edges. For columns and cells, caps close
// the mesh; tree and multipoles are the costs of their potential.
//
// For cells, the share of points in open cells is at least share·√E and at most 1. It is the result of halfShare, or,
// if this is not known, shape·min(E, few)·x², where x is the largest mean extent of a triangle along an axis, relative
// to the box. Finding the open cells of a mesh of N triangles takes start + triangle·N + edges·√E. With
// fewer than openPoints points, start + triangle·N decreases proportionally. With fewer than points
// points, edges·√E decreases proportionally, at most to the factor least. A query in an open cell
// takes point, plus the time of the potential.
//
// A ray takes level·log2 N longer on an open mesh of N triangles. If the mesh is flat, most points
// in its box lie on its triangles. An estimate at such a point needs a ray. At such a point,
// columns take flat longer, and a direct sum takes the time of flatRay rays longer.
type openCosts struct {
	tree, multipoles               capCosts
	share, shape, few              float64
	start, triangle, edges, points float64
	least, point                   float64
	level, flat, flatRay           float64
}

// capCosts holds the constants of caps for E boundary edges. Making the caps and an index of them takes start + edge·E. The
// potential of the caps at a point takes point + min(far·log2 E, near·E).
type capCosts struct{ start, edge, point, near, far float64 }

// build estimates the nanoseconds for making the caps and their index.
func (k *capCosts) build(edges int) float64 { return k.start + k.edge*float64(edges) }

// query estimates the nanoseconds for the potential at one point.
func (k *capCosts) query(edges int) float64 {
	e := float64(edges)
	return k.point + min(k.far*math.Log2(max(2, e)), k.near*e)
}

// multipoleCosts holds the constants of multipoles. n is the number of triangles, and digits is the
// number of decimal digits of the error. Making a plan takes
//
//	start + triangle·n·(1 + digits)
//
// A query takes
//
//	direct + min(level·log2 n·e^(growth·digits), near·n)
type multipoleCosts struct {
	start, triangle float64
	level, growth   float64
	direct, near    float64
	cap             float64 // time per face of the mesh for closing the mesh with caps
	// Caps lie closer together than the triangles of a sphere. A plan for caps takes 1 + capPlan
	// times as long as a plan for other triangles, and a query takes 1 + capQuery times as long.
	capPlan, capQuery float64
}

// measured holds the constants that the module bench measured on an AMD EPYC (Zen 4), with one and
// with two workers. The meshes are spheres of 32 to 2,097,152 triangles, with random points in
// their boxes. The constants of multipoles are about right for spheres of 2,048 and 131,072
// triangles, errors from 0.45 to 1e-8, and 13 to 1,268 caps. The constants of open cells and of caps
// are fitted to real meshes with 3 to 13,308 boundary edges, on an Intel Xeon and an AMD EPYC.
var measured = costs{
	columns: columnCost,
	cells:   func(w Workload) (build, point float64) { return cells.Cost(w.Sizes, w.assumedPoints()) },
	rays:    indexCosts{start: 50e3, triangle: 450, point: 230, level: 5, miss: 65},
	direct:  indexCosts{start: 5e3, triangle: 8, point: 240},
	cached:  15, term: 7.3, edge: 8, search: 600, efficiency: 0.85,
	slivers: sliverCosts{usual: 48, test: 20, triangle: 2000, point: 900, level: 60},
	open: openCosts{
		tree:       capCosts{start: 12e3, edge: 1e3, point: 100, near: 1.2, far: 200},
		multipoles: capCosts{start: 110e3, edge: 8e3, point: 130, near: 1.2, far: 60},
		share:      0.0009, shape: 0.05, few: 64,
		start: 400e3, triangle: 1e3, edges: 4e6, points: 1e6, least: 0.4, point: 200,
		level: 20, flat: 600, flatRay: 1.2,
	},
	multipoles: multipoleCosts{
		start: 80e3, triangle: 3000, level: 19, growth: 0.3, direct: 120, near: 2.7, cap: 60, capPlan: 0.5, capQuery: 1.5,
	},
}

// Auto considers a sweep for at most mostSweptTriangles triangles, and for at most mostSweptPoints
// expected points or as many points as triangles. A sweep for a single point tests all triangles
// and cannot be interrupted; see longestSum. // tuning
const (
	mostSweptTriangles = 4 << 20
	mostSweptPoints    = 1 << 16
)

// sweepCost returns the nanoseconds of one worker for a sweep over the triangles for all expected
// points. It is +Inf if the mesh is open, if the number of points is unknown, or if mostSweptPoints
// or mostSweptTriangles exclude a sweep.
func sweepCost(w Workload) float64 {
	if w.Points == 0 || w.Points > max(mostSweptPoints, int64(w.Triangles)) || w.Triangles > mostSweptTriangles || w.BoundaryEdges > 0 {
		return math.Inf(1)
	}
	return columns.SweepCost(w.Sizes, w.Points)
}

// columnCost returns the times of an index of columns. If one sweep for all points is faster, the
// build time is the time of the sweep, and the time of a query is 0.
func columnCost(w Workload) (build, point float64) {
	build, point = columns.Cost(w.Sizes, w.assumedPoints())
	if sweep := sweepCost(w); sweep < build+float64(w.Points)*point {
		return sweep, 0
	}
	return build, point
}

func (c *costs) speedup(workers int) float64 { return 1 + c.efficiency*float64(max(1, workers)-1) }

// index estimates the nanoseconds for building an index.
func (c *costs) index(k *indexCosts, triangles, workers int) float64 {
	return k.start + k.triangle*float64(triangles)/c.speedup(workers)
}

// ray estimates the nanoseconds for one point by rays.
func (c *costs) ray(w Workload) float64 {
	levels := math.Log2(float64(max(1, w.Triangles)))
	ns := c.rays.point + c.rays.level*levels + c.rays.miss*max(0, levels-c.cached)
	if tests := w.rayOverlap() - c.slivers.usual; tests > 0 {
		oriented := c.slivers.point + c.slivers.level*levels
		if w.Points > 0 {
			oriented += 2 * c.slivers.triangle * float64(w.Triangles) / float64(w.Points)
		}
		ns = min(ns+c.slivers.test*tests, oriented)
	}
	if w.BoundarySum {
		ns += c.open.level*levels + c.edge*float64(w.BoundaryEdges)
	}
	return ns
}

// overlap estimates the number of faces whose boxes a ray along the axis meets although it is far from the faces. The box of
// an ordinary triangle has up to four times its area.
func (w *Workload) overlap(axis int) float64 {
	beyond := max(0, w.Sizes.Boxes[axis]-4*w.Sizes.Areas[axis])
	return 0.5 * float64(w.Triangles) * beyond // half of the boxes are behind the start of the ray
}

// rayOverlap returns the mean of overlap. Rays leave the box of the mesh through the nearest side, so most rays are
// parallel to the shortest edges of the box.
func (w *Workload) rayOverlap() float64 {
	longest := max(w.Sizes.Box[0], w.Sizes.Box[1], w.Sizes.Box[2])
	sum, weights := 0.0, 0.0
	for axis, length := range w.Sizes.Box {
		if weight := longest / length; weight <= math.MaxFloat64 {
			sum += weight * w.overlap(axis)
			weights += weight
		}
	}
	return sum / max(weights, 1)
}

// grid estimates the nanoseconds to build cells of a closed mesh, and of a query. Where lists of triangles are
// long, queries cast rays.
func (c *costs) grid(w Workload) (build, point float64) {
	w.BoundarySum = false
	build, point = c.cells(w)
	return build, min(point, c.ray(w))
}

// sum estimates the nanoseconds for one point by the direct sum.
func (c *costs) sum(w Workload) float64 { return c.direct.point + c.term*float64(w.Triangles) }

// batch converts the nanoseconds for one point on one worker to seconds per answer of a batch.
func (c *costs) batch(w Workload, ns float64) float64 {
	workers := w.Workers
	if w.Points > 0 && w.Points < int64(workers) {
		workers = int(w.Points) // at most one worker for each point
	}
	return nanosecond * ns / c.speedup(workers)
}

// sides adds the costs that all methods for sides share: the cost of the tree if tree is true, and
// the cost of finding the points within the tolerance.
func (c *costs) sides(w Workload, cost Cost, tree bool) Cost {
	if tree || w.Tolerance > 0 {
		cost.Build += nanosecond * c.index(&c.rays, w.Triangles, w.Workers)
	}
	if w.Tolerance > 0 {
		cost.Point += c.batch(w, c.search)
	}
	return cost
}

func (c *costs) raySides(w Workload) Cost {
	return c.sides(w, Cost{Point: c.batch(w, c.ray(w))}, true)
}

// columnSides returns the cost of columns. Columns of an open mesh close the boundary with about one
// cap for each edge, and compute the potential of the caps by a tree for each point.
func (c *costs) columnSides(w Workload) Cost {
	build, point := c.columns(w)
	cost := Cost{Build: nanosecond * build / c.speedup(w.Workers)}
	if w.BoundarySum {
		point += c.open.tree.query(w.BoundaryEdges)
		if on := c.coplanar(w, w.Triangles+w.BoundaryEdges); on > 0 { // caps lie in the plane, too
			point += on * (c.open.flat + c.ray(w))
		}
		cost.Build += nanosecond*c.multipoles.cap*float64(w.Triangles) + nanosecond*c.open.tree.build(w.BoundaryEdges)/c.speedup(w.Workers)
	}
	cost.Point = c.batch(w, point)
	return c.sides(w, cost, false)
}

// cellSides returns the cost of cells. Cells of an open mesh close the boundary with about one cap
// for each edge. In the open cells, a query computes the potential of the caps by multipoles.
func (c *costs) cellSides(w Workload) Cost {
	build, point := c.grid(w)
	cost := Cost{Build: nanosecond * build / c.speedup(w.Workers)}
	if w.BoundarySum {
		edges, extent := float64(w.BoundaryEdges), max(w.Sizes.Extents[0], w.Sizes.Extents[1], w.Sizes.Extents[2])
		near := w.Half
		if near == 0 {
			near = c.open.shape * min(edges, c.open.few) * extent * extent
		}
		share := max(c.open.share*math.Sqrt(edges), near)
		point += min(1, share) * (c.open.point + c.open.multipoles.query(w.BoundaryEdges))
		start := c.open.start + c.open.triangle*float64(min(w.Triangles, openTriangles))
		find := c.open.edges * math.Sqrt(edges)
		if w.Points > 0 {
			part := min(1, float64(w.Points)/c.open.points)
			start, find = start*min(1, float64(w.Points)/openPoints), find*max(c.open.least, part)
		}
		cost.Build += nanosecond * (c.open.multipoles.build(w.BoundaryEdges) + start + find) / c.speedup(w.Workers)
	}
	cost.Point = c.batch(w, point)
	return c.sides(w, cost, false)
}

// tuning
const (
	openPoints    = 1e4  // number of points from which open cells take the whole time openCosts.start
	openTriangles = 4000 // number of triangles above which the time to find open cells does not increase
)

// coplanar estimates the share of points that lie in the plane of a triangle and above or on it, for the given number of
// triangles. It is 0 unless the box of the mesh is flat.
func (c *costs) coplanar(w Workload, triangles int) float64 {
	share := 0.0
	for axis, length := range w.Sizes.Box {
		if length == 0 {
			share = max(share, min(1, float64(triangles)*w.Sizes.Areas[axis]))
		}
	}
	return share
}

func (c *costs) directSides(w Workload) Cost {
	build := c.index(&c.direct, w.Triangles, 1)
	sum := c.sum(w)
	if on := c.coplanar(w, w.Triangles); on > 0 {
		sum += c.open.flatRay * on * c.ray(w)
	}
	return c.sides(w, Cost{Build: nanosecond * build, Point: c.batch(w, sum)}, false)
}

// multipoleSides returns the cost of finding sides with the cheapest method for winding numbers.
// Let ε be w.Epsilon. On an open mesh, a point needs a ray if its winding number is within ε of the
// threshold. multipoleSides assumes that winding numbers are uniform on [0, 1], so a share 2ε of
// the points needs a ray. The assumed share is too large for small holes and about right for soups.
func (c *costs) multipoleSides(w Workload) Cost { return c.multipoleSidesWith(w, c.closedCells(w)) }

// multipoleSidesWith does the work of multipoleSides. closed is the result of closedCells.
func (c *costs) multipoleSidesWith(w Workload, closed Cost) Cost {
	cost, estimates := c.cheapestWindings(w, closed)
	switch {
	case !estimates:
		cost.Build = 0 // c.sides adds the cost of the tree
	case w.BoundaryEdges > 0:
		cost.Point += min(1, 2*w.Epsilon+c.coplanar(w, w.Triangles)) * c.rayWindings(w).Point
	}
	// If parity decides sides, every method needs the tree, so the comparison leaves out its cost.
	return c.sides(w, cost, w.BoundarySum)
}

// cheapestWindings returns the cost of the cheapest of windingMethods, and whether the method
// estimates winding numbers. closed is the result of closedCells.
func (c *costs) cheapestWindings(w Workload, closed Cost) (best Cost, estimates bool) {
	if w.BoundaryEdges == 0 {
		return c.multipoleWindings(w), true
	}
	best = c.rayWindings(w)
	for _, cost := range [...]Cost{c.cappedWith(w, closed), c.multipoleWindings(w)} {
		if cost.total(w) < best.total(w) {
			best, estimates = cost, true
		}
	}
	return best, estimates
}

// sideEpsilons lists the errors that sideEpsilon chooses from (tuning).
var sideEpsilons = [...]float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}

// sideEpsilon returns the requested error of winding numbers with which the sides of an open mesh
// take the least time. A smaller error makes each estimate slower, but fewer points need a ray.
// Among errors that take at most a tenth longer than the best one, sideEpsilon returns the largest.
func (c *costs) sideEpsilon(w Workload) float64 {
	var totals [len(sideEpsilons)]float64
	best, closed := 0, c.closedCells(w)
	for i := range totals {
		w.Epsilon = sideEpsilons[i]
		if totals[i] = c.multipoleSidesWith(w, closed).total(w); totals[i] < totals[best] {
			best = i
		}
	}
	w.Epsilon = sideEpsilons[best]
	if cheapest(w, c.windingMethods(w)).Estimates {
		limit := 1.1 * totals[best] // tuning
		best = slices.IndexFunc(totals[:], func(t float64) bool { return t <= limit })
	}
	return sideEpsilons[best]
}

// rayWindings returns the cost of winding numbers that combine a ray with the sum over the
// boundary.
func (c *costs) rayWindings(w Workload) Cost {
	return Cost{
		Build: nanosecond * c.index(&c.rays, w.Triangles, w.Workers),
		Point: c.batch(w, c.ray(w)),
	}
}

// cappedWindings returns the cost of winding numbers on an open mesh that is closed with caps.
// Cells evaluate the closed mesh, and multipoles evaluate the caps.
func (c *costs) cappedWindings(w Workload) Cost { return c.cappedWith(w, c.closedCells(w)) }

// closedCells returns the times of cells of an open mesh that is closed with caps, in nanoseconds
// of one worker. They do not depend on w.Epsilon.
func (c *costs) closedCells(w Workload) Cost {
	if w.BoundaryEdges == 0 {
		return Cost{}
	}
	w.Triangles += w.BoundaryEdges
	w.Sizes.Triangles += w.BoundaryEdges
	build, point := c.grid(w)
	return Cost{Build: build, Point: point}
}

// cappedWith does the work of cappedWindings. closed is the result of closedCells.
func (c *costs) cappedWith(w Workload, closed Cost) Cost {
	build := c.multipoles.cap*float64(w.Triangles) + closed.Build/c.speedup(w.Workers)
	return Cost{
		Build: nanosecond*build + c.planCaps(w.BoundaryEdges, w.Epsilon, w.Workers),
		Point: c.batch(w, closed.Point+c.evaluateCaps(w.BoundaryEdges, w.Epsilon)),
	}
}

func (c *costs) multipoleWindings(w Workload) Cost {
	return Cost{
		Build: c.plan(w.Triangles, w.Epsilon, w.Workers),
		Point: c.batch(w, c.evaluate(w.Triangles, w.Epsilon)),
	}
}

func (c *costs) directWindings(w Workload) Cost { return Cost{Point: c.batch(w, c.sum(w))} }

// plan estimates the seconds for making a plan for n triangles.
func (c *costs) plan(n int, epsilon float64, workers int) float64 {
	k := &c.multipoles
	return nanosecond * (k.start + k.triangle*float64(n)*(1+digits(epsilon))/c.speedup(workers))
}

// evaluate estimates the nanoseconds for one point in a plan for n triangles.
func (c *costs) evaluate(n int, epsilon float64) float64 {
	return c.multipoles.direct + min(c.far(n, epsilon), c.multipoles.near*float64(n))
}

// far estimates the nanoseconds for the expansions at one point in a plan for n triangles.
func (c *costs) far(n int, epsilon float64) float64 {
	k := &c.multipoles
	return k.level * math.Log2(float64(max(2, n))) * math.Exp(k.growth*digits(epsilon))
}

// planCaps estimates the seconds for making a plan for n caps.
func (c *costs) planCaps(n int, epsilon float64, workers int) float64 {
	return (1 + c.multipoles.capPlan) * c.plan(n, epsilon, workers)
}

// evaluateCaps estimates the nanoseconds for one point in a plan for n caps.
func (c *costs) evaluateCaps(n int, epsilon float64) float64 {
	k := &c.multipoles
	return k.direct + min((1+k.capQuery)*c.far(n, epsilon), k.near*float64(n))
}

// digits returns the number of decimal digits of an error.
func digits(epsilon float64) float64 { return max(0, -math.Log10(epsilon)) }

// directBudget returns the number of points for which Auto uses the direct sum before it builds the
// tree. −1 means no limit: a direct sum is then at least as fast as a ray.
func (c *costs) directBudget(w Workload) int64 {
	w.Tolerance, w.Workers = 0, 1
	sum, ray := c.directSides(w), c.raySides(w)
	if sum.Point <= ray.Point {
		return -1
	}
	return max(w.Points, int64(ray.Build/sum.Point))
}
