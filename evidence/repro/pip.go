package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// These are the point-in-polyhedron methods, with their names in the figures.
const (
	methodRC     = "RC"            // ray crossing with a box test for every face
	methodWC     = "FMM WC"        // the printed method with the depth that needs the fewest operations
	methodPC     = "FMM PC"        // the printed method with a depth that does not depend on the points
	methodWCCost = "FMM WC (ours)" // cost model that knows the number of points
	methodPCCost = "FMM PC (ours)" // cost model that does not know the number of points
	methodRays   = "RC tree (ours)"
	methodCells  = "cells (ours)"
)

// printedMethods are the methods of the paper.
var printedMethods = []string{methodRC, methodWC, methodPC}

var methods = []string{methodRC, methodWC, methodPC, methodWCCost, methodPCCost, methodRays, methodCells}

// epsilon is the allowed error of the winding number J of our multipole method. Any error below ½
// decides the sides of a closed surface.
const epsilon = 0.49

// timedPair holds the measurements of one method for one body and one grid.
type timedPair struct {
	method            string
	triangles, points int
	setUp, evaluation float64 // seconds
	depth             int     // depth of the trees of the printed method, else 0
	share             float64 // number of points divided by number of measured points
	wrong             int     // number of points whose side differs from the result of package cells
	setUpOps          float64 // floating-point operations, or NaN for our methods
	evaluationOps     float64
	near              float64   // solid angles
	tested            float64   // boxes of faces that rays were tested against
	totals            []float64 // seconds of all processes, this one first
	plain             float64   // seconds without assembly, or NaN
}

func (t timedPair) total() float64 { return t.setUp + t.evaluation }
func (t timedPair) ops() float64   { return t.setUpOps + t.evaluationOps }

// contest is a body and its points, with the sides that package cells finds.
type contest struct {
	r    *Run
	m    *mesh.Mesh
	tris []mesh.Triangle
	pts  []r3.Vector
	want []side.Side
	got  []side.Side

	w, bound []float64
	on       []bool
	made     *printedPlans
}

// printedPlans holds the printed trees of a body, which all grids share.
type printedPlans struct {
	tris     []mesh.Triangle
	box      bvh.Box
	first    int              // the pre-chosen depth
	counted  map[int]*printed // trees without pairs, by depth
	expanded map[int]*printed // trees with expansions, by depth
	seconds  map[int]float64  // seconds of the set-up, by depth
}

func newPrintedPlans(m *mesh.Mesh) *printedPlans {
	t := &printedPlans{tris: trianglesOf(m), box: m.Box(), counted: map[int]*printed{}, expanded: map[int]*printed{}, seconds: map[int]float64{}}
	t.first = preChosen(len(t.tris))
	return t
}

// count returns the trees of a depth without pairs of clusters. They suffice for counting
// operations.
func (t *printedPlans) count(depth int) *printed {
	if t.counted[depth] == nil {
		t.counted[depth] = newPrinted(t.tris, t.box, depth, admissible2006, false)
	}
	return t.counted[depth]
}

// wellChosen returns the depth with the fewest operations for the points.
func (t *printedPlans) wellChosen(pts []r3.Vector) int {
	best, least := 1, math.Inf(1)
	for depth := 1; depth <= t.first+3; depth++ {
		f := t.count(depth)
		if f.setUpOps() > least { // deeper trees only have larger set-ups
			break
		}
		ops, _ := f.evaluationOps(pts)
		if ops += f.setUpOps(); ops < least {
			best, least = depth, ops
		}
	}
	return best
}

// expand returns the expansions of a depth and the seconds that they took.
func (t *printedPlans) expand(ctx context.Context, r *Run, depth int) (*printed, float64, error) {
	if t.expanded[depth] == nil {
		var f *printed
		s, err := r.phases(ctx, func() error {
			f = newPrinted(t.tris, t.box, depth, admissible2006, true)
			return f.expand(ctx)
		})
		if err != nil {
			return nil, 0, err
		}
		for h := range f.levels {
			f.levels[h].pairs = nil // the pairs need much memory
		}
		t.expanded[depth], t.seconds[depth] = f, s[0]
	}
	return t.expanded[depth], t.seconds[depth], nil
}

// gridPoints returns the regular grid of n³ points in box, including its corners.
func gridPoints(box bvh.Box, n int) []r3.Vector {
	size := box.Size().Mul(1 / float64(n-1))
	g := side.Grid{Origin: box.Min, Spacing: size, Counts: [3]int{n, n, n}}
	pts := make([]r3.Vector, 0, n*n*n)
	for k := range n {
		for j := range n {
			for i := range n {
				pts = append(pts, g.Point(i, j, k))
			}
		}
	}
	return pts
}

// nearSample is the largest number of solid angles in a measurement. If all points need more, it
// measures a sample.
func (r *Run) nearSample() float64 { return pick(r.Size, 3e5, 1e7, 1e7) }

// printed measures the printed multipole method.
func (c *contest) printed(ctx context.Context, depth int) (timedPair, error) {
	f, setUp, err := c.made.expand(ctx, c.r, depth)
	if err != nil {
		return timedPair{}, err
	}
	ops, near := f.evaluationOps(c.pts)
	t := timedPair{setUp: setUp, depth: depth, setUpOps: f.setUpOps(), evaluationOps: ops, near: near}
	pts, index, share := sampled(c.pts, int(near/float64(len(c.pts)))+1, c.r.nearSample())
	got := c.got[:len(pts)]
	s, err := c.r.phases(ctx, func() error { return f.sidesTo(ctx, got, pts) })
	if err != nil {
		return t, err
	}
	t.evaluation, t.share = s[0]*share, share
	for k, i := range index {
		// J between 0 and 1 has no sharp limit on the surface.
		if got[k] != c.want[i] && c.want[i] != side.OnSurface {
			t.wrong++
		}
	}
	return t, nil
}

// newContest returns a comparison of methods for the mesh m and a grid of n³ points. Package cells
// computes the sides that every method must find.
func newContest(ctx context.Context, r *Run, m *mesh.Mesh, made *printedPlans, n int) (*contest, error) {
	pts := gridPoints(m.Box(), n)
	c := &contest{r: r, m: m, made: made, tris: made.tris, pts: pts,
		want: make([]side.Side, len(pts)), got: make([]side.Side, len(pts)),
		w: make([]float64, len(pts)), bound: make([]float64, len(pts)), on: make([]bool, len(pts))}
	x, err := newCells(ctx, m, r.Threads)
	if err != nil {
		return nil, err
	}
	_, err = x.SidesTo(ctx, c.want, pts, r.Threads)
	return c, err
}

// time measures one method.
func (c *contest) time(ctx context.Context, method string) (timedPair, error) {
	clear(c.got)
	t, err := c.timeMethod(ctx, method)
	t.method, t.triangles, t.points = method, c.m.NumFaces(), len(c.pts)
	if err == nil {
		key := fmt.Sprintf("%s %d %d", method, t.triangles, t.points)
		t.totals, t.plain = c.r.record(key, t.total()), c.r.plainTime(key)
	}
	return t, err
}

func (c *contest) timeMethod(ctx context.Context, method string) (timedPair, error) {
	switch method {
	case methodRC:
		return c.scan(ctx)
	case methodRays:
		return c.rays(ctx)
	case methodCells:
		return c.cells(ctx)
	case methodWC:
		return c.printed(ctx, c.made.wellChosen(c.pts))
	case methodPC:
		return c.printed(ctx, c.made.first)
	case methodWCCost:
		return c.multipoles(ctx, fmm.Options{Points: c.pts})
	case methodPCCost:
		return c.multipoles(ctx, fmm.Options{})
	}
	panic("no method " + method)
}

// scanLimit is the largest product of triangles and points for which scan measures all points.
// Above this limit, scan measures a sample.
func (r *Run) scanLimit() float64 { return pick(r.Size, 1e6, 5e7, 1e8) }

// scanSample is the number of triangles times the number of points in a sample of scan.
func (r *Run) scanSample() float64 { return pick(r.Size, 1e6, 5e7, 1e8) }

// scan measures ray crossing without a tree.
func (c *contest) scan(ctx context.Context) (timedPair, error) {
	limit := math.Inf(1)
	if float64(len(c.tris))*float64(len(c.pts)) > c.r.scanLimit() {
		limit = c.r.scanSample()
	}
	pts, index, share := sampled(c.pts, len(c.tris), limit)
	var s *scanner
	got := c.got[:len(pts)]
	s2, err := c.r.phases(ctx, func() error {
		s = newScanner(c.m)
		return nil
	}, func() error { return s.sidesTo(ctx, got, pts) })
	if err != nil {
		return timedPair{}, err
	}
	wrong := 0
	for k, i := range index {
		if got[k] != c.want[i] {
			wrong++
		}
	}
	rounds := float64(s.rounds) // phases can repeat the scan
	return timedPair{setUp: s2[0], evaluation: s2[1] * share, share: share, wrong: wrong, tested: float64(s.tested) * share / rounds,
		evaluationOps: (boxFlops*float64(s.tested) + faceFlops*float64(s.signed)) * share / rounds}, nil
}

// rays measures ray crossing through the tree.
func (c *contest) rays(ctx context.Context) (timedPair, error) {
	var caster *raycross.Caster
	s, err := c.r.phases(ctx, func() (err error) {
		caster, err = newCaster(ctx, c.m, c.r.Threads)
		return err
	}, func() error {
		_, err := caster.SidesTo(ctx, c.got, c.pts, c.r.Threads)
		return err
	})
	return c.compared(s, err)
}

func newCaster(ctx context.Context, m *mesh.Mesh, threads int) (*raycross.Caster, error) {
	x, err := m.Index(ctx, bvh.Options{Workers: threads})
	if err != nil {
		return nil, err
	}
	return raycross.New(x, raycross.Options{})
}

func (c *contest) cells(ctx context.Context) (timedPair, error) {
	var x *cells.Index
	s, err := c.r.phases(ctx, func() (err error) {
		x, err = newCells(ctx, c.m, c.r.Threads)
		return err
	}, func() error {
		_, err := x.SidesTo(ctx, c.got, c.pts, c.r.Threads)
		return err
	})
	return c.compared(s, err)
}

func newCells(ctx context.Context, m *mesh.Mesh, threads int) (*cells.Index, error) {
	return cells.New(ctx, m, cells.Options{Workers: threads, Rays: func(ctx context.Context) (*raycross.Caster, error) {
		return newCaster(ctx, m, threads)
	}})
}

// multipoles measures an fmm.Plan.
func (c *contest) multipoles(ctx context.Context, opt fmm.Options) (timedPair, error) {
	opt.Workers, opt.Epsilon = c.r.Threads, epsilon
	var p *fmm.Plan
	s, err := c.r.phases(ctx, func() (err error) {
		p, err = fmm.New(ctx, c.tris, opt)
		return err
	}, func() error { return p.WindingsTo(ctx, c.w, c.bound, c.on, c.pts, c.r.Threads) })
	if err != nil {
		return timedPair{}, err
	}
	for i, w := range c.w {
		switch {
		case c.on[i]:
			c.got[i] = side.OnSurface
		case math.Abs(w-math.Round(w))+c.bound[i] >= 1 || c.bound[i] >= 0.5:
			c.got[i] = side.Unknown
		case math.Round(w) != 0:
			c.got[i] = side.Inside
		default:
			c.got[i] = side.Outside
		}
	}
	return c.compared(s, nil)
}

// compared returns the given times, and the number of sides that differ from the reference sides.
func (c *contest) compared(s []float64, err error) (timedPair, error) {
	if err != nil {
		return timedPair{}, err
	}
	t := timedPair{setUp: s[0], evaluation: s[1], share: 1, setUpOps: math.NaN(), evaluationOps: math.NaN()}
	for i := range c.got {
		if c.got[i] != c.want[i] {
			t.wrong++
		}
	}
	return t, nil
}

// contestAll measures all methods for all bodies and grids. A process that only measures times uses the
// smallest and the largest grid, unless r.AllMethods is set. A wrong side by one of our methods is an
// error. Wrong sides by the paper's methods are counted.
func (r *Run) contestAll(ctx context.Context, bodies []func() *mesh.Mesh, grids []int, methods []string) ([]timedPair, error) {
	if r.TimesOnly && !r.AllMethods && len(grids) > 2 {
		grids = []int{grids[0], grids[len(grids)-1]}
	}
	r.progress.plan(len(bodies) * len(grids) * len(methods))
	var all []timedPair
	for _, body := range bodies {
		m := body()
		made := newPrintedPlans(m)
		for _, n := range grids {
			c, err := newContest(ctx, r, m, made, n)
			if err != nil {
				return nil, err
			}
			for _, method := range methods {
				t, err := c.time(ctx, method)
				if err != nil {
					return nil, fmt.Errorf("%s, %d triangles, %d³ points: %w", method, m.NumFaces(), n, err)
				}
				if t.wrong > 0 && !slices.Contains(printedMethods, method) {
					return nil, fmt.Errorf("%s, %d triangles, %d³ points: %d sides differ from the results of package cells", method, m.NumFaces(), n, t.wrong)
				}
				all = append(all, t)
				r.progress.step(fmt.Sprintf("%s %d × %d³", method, m.NumFaces(), n))
			}
		}
	}
	return all, nil
}

// series returns a value of a method for a grid as a function of the number of triangles.
func series(all []timedPair, method string, grid int, value func(timedPair) float64) Series {
	s := Series{Name: fmt.Sprintf("%s, %d³", method, grid)}
	for _, t := range all {
		if t.method == method && t.points == grid*grid*grid {
			s.Add(float64(t.triangles), value(t))
		}
	}
	return s
}

// overPoints returns a value of a method for a body as a function of the number of points.
func overPoints(all []timedPair, method string, triangles int, value func(timedPair) float64) Series {
	s := Series{Name: method}
	for _, t := range all {
		if t.method == method && t.triangles == triangles {
			s.Add(float64(t.points), value(t))
		}
	}
	return s
}

func operations(t timedPair) float64     { return t.ops() }
func evaluationOnly(t timedPair) float64 { return t.evaluationOps }
func totalSeconds(t timedPair) float64   { return newInterval(t.totals).Median }

// timesTable returns all measurements, for the CSV file.
func timesTable(name string, all []timedPair) Table {
	t := Table{Name: name, Title: "All measurements", Long: true, Columns: []string{"method", "triangles", "points", "set-up s", "evaluation s", "total s, median", "smallest", "largest", "processes", "without assembly s", "depth", "points a point asked", "set-up operations", "evaluation operations"}}
	for _, x := range all {
		i := newInterval(x.totals)
		t.Add(x.method, x.triangles, x.points, x.setUp, x.evaluation, i.Median, i.Low, i.High, i.N, x.plain, x.depth, x.share, x.setUpOps, x.evaluationOps)
	}
	return t
}
