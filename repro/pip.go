package main

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// These are the point-in-polyhedron methods, with their names in the figures.
const (
	methodRC     = "RC"            // ray crossing with a box test for every face
	methodWC     = "FMM WC"        // well chosen: the best fixed depth
	methodPC     = "FMM PC"        // pre-chosen: the depth depends on the number of triangles
	methodWCCost = "FMM WC (ours)" // cost model that knows the number of points
	methodPCCost = "FMM PC (ours)" // cost model that does not know the number of points
	methodRays   = "RC tree (ours)"
	methodCells  = "cells (ours)"
)

var methods = []string{methodRC, methodWC, methodPC, methodWCCost, methodPCCost, methodRays, methodCells}

// epsilon is the allowed error of the winding number J. Any error below ½ decides the sides of a
// closed surface.
const epsilon = 0.49

// timed holds the times of one method for one body and one grid.
type timed struct {
	method            string
	triangles, points int
	setUp, evaluation float64 // seconds
	depth             int     // fixed depth of the evaluation tree; 0 if the depth is not fixed
	share             float64 // number of points divided by number of measured points
	wrong             int     // number of points whose side differs from the result of package cells
}

func (t timed) total() float64 { return t.setUp + t.evaluation }

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

// newContest returns a comparison of methods for the mesh m and a grid of n³ points. Package cells
// computes the sides that every method must find.
func newContest(ctx context.Context, r *Run, m *mesh.Mesh, n int) (*contest, error) {
	pts := gridPoints(m.Box(), n)
	c := &contest{r: r, m: m, tris: trianglesOf(m), pts: pts,
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
func (c *contest) time(ctx context.Context, method string) (timed, error) {
	clear(c.got)
	t, err := c.timeMethod(ctx, method)
	t.method, t.triangles, t.points = method, c.m.NumFaces(), len(c.pts)
	return t, err
}

func (c *contest) timeMethod(ctx context.Context, method string) (timed, error) {
	switch method {
	case methodRC:
		return c.scan(ctx)
	case methodRays:
		return c.rays(ctx)
	case methodCells:
		return c.cells(ctx)
	case methodWC:
		return c.bestDepth(ctx)
	case methodPC:
		depth := preChosen(c.m.NumFaces())
		return c.multipoles(ctx, fmm.Options{Depth: depth})
	case methodWCCost:
		return c.multipoles(ctx, fmm.Options{Points: c.pts})
	case methodPCCost:
		return c.multipoles(ctx, fmm.Options{})
	}
	panic("no method " + method)
}

// scanLimit is the largest product of triangles and points for which scan measures all points. For
// larger products, scan measures a sample.
func (r *Run) scanLimit() float64 { return pick(r.Size, 1e6, 3e8, 7e10) }

// scanSample is the number of triangles times the number of points in a sample of scan.
func (r *Run) scanSample() float64 { return pick(r.Size, 1e6, 1e8, 2e10) }

// scan measures ray crossing without a tree.
func (c *contest) scan(ctx context.Context) (timed, error) {
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
		return timed{}, err
	}
	wrong := 0
	for k, i := range index {
		if got[k] != c.want[i] {
			wrong++
		}
	}
	return timed{setUp: s2[0], evaluation: s2[1] * share, share: share, wrong: wrong}, nil
}

// rays measures ray crossing through the tree.
func (c *contest) rays(ctx context.Context) (timed, error) {
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

func (c *contest) cells(ctx context.Context) (timed, error) {
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

// preChosen returns the depth of §2.1.3 of the paper, which depends only on the number N of
// triangles. The depth is the first level at which a leaf on the surface has at most log₂² N
// triangles. A surface has about 4^L leaves at level L.
func preChosen(triangles int) int {
	l := math.Log2(float64(triangles))
	depth := 1
	for float64(triangles)/math.Pow(4, float64(depth)) > l*l {
		depth++
	}
	return depth
}

// bestDepth measures fixed depths. It starts at the pre-chosen depth and moves in both directions while
// the time decreases.
func (c *contest) bestDepth(ctx context.Context) (timed, error) {
	first := preChosen(len(c.tris))
	try := func(depth int) (timed, error) {
		t, err := c.multipoles(ctx, fmm.Options{Points: c.pts, Depth: depth})
		t.depth = depth
		return t, err
	}
	best, err := try(first)
	if err != nil {
		return best, err
	}
	for _, step := range []int{-1, +1} {
		for depth := first + step; depth >= 1; depth += step {
			t, err := try(depth)
			if err != nil {
				return best, err
			}
			if t.total() >= best.total() {
				break
			}
			best = t
		}
		if best.depth < first {
			break
		}
	}
	return best, nil
}

// multipoles measures an fmm.Plan.
func (c *contest) multipoles(ctx context.Context, opt fmm.Options) (timed, error) {
	opt.Workers, opt.Epsilon = c.r.Threads, epsilon
	var p *fmm.Plan
	s, err := c.r.phases(ctx, func() (err error) {
		p, err = fmm.New(ctx, c.tris, opt)
		return err
	}, func() error { return p.WindingsTo(ctx, c.w, c.bound, c.on, c.pts, c.r.Threads) })
	if err != nil {
		return timed{}, err
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
	t, err := c.compared(s, nil)
	t.depth = opt.Depth
	return t, err
}

// compared returns the given times, and the number of sides that differ from the reference sides.
func (c *contest) compared(s []float64, err error) (timed, error) {
	if err != nil {
		return timed{}, err
	}
	t := timed{setUp: s[0], evaluation: s[1], share: 1}
	for i := range c.got {
		if c.got[i] != c.want[i] {
			t.wrong++
		}
	}
	return t, nil
}

// contestAll measures all methods for all bodies and grids.
func (r *Run) contestAll(ctx context.Context, bodies []func() *mesh.Mesh, grids []int, methods []string) ([]timed, error) {
	r.progress.plan(len(bodies) * len(grids) * len(methods))
	var all []timed
	for _, body := range bodies {
		m := body()
		for _, n := range grids {
			c, err := newContest(ctx, r, m, n)
			if err != nil {
				return nil, err
			}
			for _, method := range methods {
				t, err := c.time(ctx, method)
				if err != nil {
					return nil, fmt.Errorf("%s, %d triangles, %d³ points: %w", method, m.NumFaces(), n, err)
				}
				if t.wrong > 0 {
					return nil, fmt.Errorf("%s, %d triangles, %d³ points: %d sides differ from the results of package cells", method, m.NumFaces(), n, t.wrong)
				}
				all = append(all, t)
				r.progress.step(fmt.Sprintf("%s %d × %d³", method, m.NumFaces(), n))
			}
		}
	}
	return all, nil
}

// series returns the times of a method for a grid as a function of the number of triangles.
func series(all []timed, method string, grid int, name string) Series {
	s := Series{Name: name}
	for _, t := range all {
		if t.method == method && t.points == grid*grid*grid {
			s.Add(float64(t.triangles), t.total())
		}
	}
	return s
}

// overPoints returns the evaluation times of a method for a body as a function of the number of
// points.
func overPoints(all []timed, method string, triangles int) Series {
	s := Series{Name: method}
	for _, t := range all {
		if t.method == method && t.triangles == triangles {
			s.Add(float64(t.points), t.evaluation)
		}
	}
	return s
}

func timesTable(name, title string, all []timed) Table {
	t := Table{Name: name, Title: title, Long: true, Columns: []string{"method", "triangles", "points", "set-up s", "evaluation s", "total s", "depth", "points a point asked"}}
	for _, x := range all {
		t.Add(x.method, x.triangles, x.points, x.setUp, x.evaluation, x.total(), x.depth, x.share)
	}
	return t
}
