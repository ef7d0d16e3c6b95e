package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// many is a number of points for which the cost of the evaluation tree does not matter.
const many = 30_000_000

// multipolesTable measures winding numbers by multipoles at ε = 4e-3: closed meshes
// beside CGAL, which finds their sides, and a soup. The plan is told that many
// points will come, or nothing.
func (b *bench) multipolesTable() error {
	header("<surface", "<told", "set-up s", "M points/s", "<min–max", "largest bound", "largest error", "points compared", "handed over",
		"CGAL", "ours / CGAL", "<goal")
	jobs := []struct{ mesh, points, goal string }{{"sphere131072", "sphere", "5.1× CGAL, set-up 0.15 s told nothing"}, {"foam", "foam", "9.3× CGAL"}}
	if b.quick {
		jobs = jobs[:1]
		jobs[0].mesh = "sphere2048"
	}
	for _, j := range jobs {
		m, err := load(b.ctx, b.stl(j.mesh), b.threads)
		if err != nil {
			return err
		}
		for _, told := range []int64{0, 1_000_000, many} {
			if err := b.closedRow(m, j.mesh, b.points(j.points), told, j.goal); err != nil {
				return fmt.Errorf("%s: %w", j.mesh, err)
			}
		}
	}
	soup, err := b.soup()
	if err != nil {
		return err
	}
	pts := b.points("foam")
	if b.quick {
		pts = b.points("sphere")
	}
	for _, told := range []int64{0, 1_000_000, many} {
		if err := b.soupRow(soup, pts, told); err != nil {
			return err
		}
	}
	return nil
}

// points is the name of the random points that belong to a mesh.
func (b *bench) points(name string) string {
	if b.quick {
		return name + "_g10"
	}
	return name + "_r1e6"
}

// soup returns 500,000 random triangles of the foam.
func (b *bench) soup() ([]mesh.Triangle, error) {
	name, count := "foam", 500_000
	if b.quick {
		name, count = "sphere2048", 1000
	}
	m, err := load(b.ctx, b.stl(name), b.threads)
	if err != nil {
		return nil, err
	}
	tris := make([]mesh.Triangle, count)
	for i, f := range newRand(7).Perm(m.NumFaces())[:count] {
		tris[i] = m.Triangle(int32(f))
	}
	return tris, nil
}

func toldName(n int64) string {
	if n == 0 {
		return "nothing"
	}
	return strconv.FormatInt(n, 10) + " points"
}

// closedRow measures the facade with the method FMM forced. W of a closed mesh is an
// exact integer: it is compared with cells.
func (b *bench) closedRow(m *mesh.Mesh, name, points string, told int64, goal string) error {
	pts, err := readPoints(b.f64(points))
	if err != nil {
		return err
	}
	w, bound := make([]float64, len(pts)), make([]float64, len(pts))
	var setups []float64
	var rate, cgal rates
	var stats inpoly.Stats
	for range b.calls {
		var s *inpoly.Solid
		for range repetitions {
			if s, err = inpoly.New(b.ctx, m, inpoly.Options{Method: inpoly.FMM, Workers: b.threads, ExpectedPoints: told}); err != nil {
				return err
			}
			setups = append(setups, s.Report().Timings.Build.Seconds())
		}
		t, err := b.call(nothing, func() error { return s.WindingsTo(b.ctx, w, bound, pts) })
		if err != nil {
			return err
		}
		rate = append(rate, perSecond(len(pts), t))
		if stats, err = s.LocateTo(b.ctx, inpoly.Answers{Answers: side.Answers{Sides: make([]inpoly.Side, len(pts))}}, pts); err != nil {
			return err
		}
		p, _, err := b.ask("cgal", b.stl(name), b.f64(points), len(pts))
		if err != nil {
			return err
		}
		cgal = append(cgal, p.MQPS)
	}
	exact, err := inpoly.New(b.ctx, m, inpoly.Options{Method: inpoly.Cells, Workers: b.threads})
	if err != nil {
		return err
	}
	want, none := make([]float64, len(pts)), make([]float64, len(pts))
	if err := exact.WindingsTo(b.ctx, want, none, pts); err != nil {
		return err
	}
	largest, worst := 0.0, 0.0
	for i := range pts {
		largest, worst = max(largest, bound[i]), max(worst, math.Abs(w[i]-want[i]))
	}
	fmt.Printf("| %s | %s | %.3f | %.2f | %s | %.2g | %.2g | %d | %d | %.3g | %.2f | %s |\n", name, toldName(told), median(setups),
		rate.median(), rate.spread(), largest, worst, len(pts), stats.Fallback, cgal.median(), rate.median()/cgal.median(), goal)
	return nil
}

func (b *bench) soupRow(soup []mesh.Triangle, points string, told int64) error {
	pts, err := readPoints(b.f64(points))
	if err != nil {
		return err
	}
	var setups []float64
	var rate rates
	var p *fmm.Plan
	w, bound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
	for range min(b.calls, 2) {
		t, err := seconds(func() error {
			p, err = fmm.New(b.ctx, soup, fmm.Options{Epsilon: 4e-3, ExpectedPoints: told, Workers: b.threads})
			return err
		})
		if err != nil {
			return err
		}
		setups = append(setups, t)
		if t, err = b.call(nothing, func() error { return p.WindingsTo(b.ctx, w, bound, on, pts, b.threads) }); err != nil {
			return err
		}
		rate = append(rate, perSecond(len(pts), t))
	}
	c, err := b.compare(soup, pts, w, bound)
	if err != nil {
		return err
	}
	fmt.Printf("| soup of %d | %s | %.3f | %.2f | %s | %.2g | %.2g | %d | – | – | – | 5 M points/s |\n", len(soup), toldName(told), median(setups),
		rate.median(), rate.spread(), c.largest, c.worst, c.points)
	return nil
}

// comparison is the result of a comparison with the direct sum.
type comparison struct {
	points         int
	largest, worst float64 // bound of all points; error of those that were compared
	ratio          float64 // largest error in units of its bound
}

// compared is the number of points that are compared with the direct sum.
const compared = 500

// compare compares the first points with the direct sum. It fails if one is outside of
// its bound.
func (b *bench) compare(tris []mesh.Triangle, pts []r3.Vector, w, bound []float64) (c comparison, err error) {
	for _, e := range bound {
		c.largest = max(c.largest, e)
	}
	soup := mesh.Soup{Faces: make([][3]int32, len(tris))}
	for i, t := range tris {
		n := int32(3 * i)
		soup.Vertices, soup.Faces[i] = append(soup.Vertices, t[:]...), [3]int32{n, n + 1, n + 2}
	}
	m, err := mesh.NewOwned(b.ctx, soup, mesh.Options{Workers: b.threads})
	if err != nil {
		return c, err
	}
	c.points = min(compared, len(pts))
	want, limit, on := make([]float64, c.points), make([]float64, c.points), make([]bool, c.points)
	if err := bem.NewDirect(m, b.threads).WindingsTo(b.ctx, want, limit, on, pts[:c.points]); err != nil {
		return c, err
	}
	for i := range want {
		e := math.Abs(w[i] - want[i])
		if e > bound[i]+limit[i] {
			return c, fmt.Errorf("point %v: %v ± %g, the direct sum gives %v ± %g", pts[i], w[i], bound[i], want[i], limit[i])
		}
		c.worst, c.ratio = max(c.worst, e), max(c.ratio, e/(bound[i]+limit[i]))
	}
	return c, nil
}

// Errors below slowEpsilon, which parts the last ε of the table from the one before, are asked for
// slowPoints points only: rates are below half a million points a second, down to 60,000.
const (
	slowEpsilon = 1e-8
	slowPoints  = 100_000
)

// potentialTable measures the potential itself, not rounded to integers where the
// surface is closed, at several errors.
func (b *bench) potentialTable() error {
	header("<surface", "ε", "points", "expected", "set-up s", "M points/s", "M points/s a thread", "largest bound", "largest error", "largest error / bound", "points compared")
	// ε from just below ½, which is enough to round to the integers of closed surfaces, by way of
	// the default of package fmm (4e-3) and the error that Auto allows (1e-6), to far below what
	// coordinates in single precision tell (2⁻²⁴, 6e-8). As many points are to come as are
	// asked, or many.
	const million = 1_000_000
	jobs := []struct {
		epsilon  float64
		expected int64
	}{{0.49, million}, {0.49, many}, {4e-3, million}, {4e-3, many}, {1e-4, million}, {1e-6, million}, {1e-10, million}}
	names := []string{"sphere131072", "foam", "soup"}
	if b.quick {
		names, jobs = []string{"sphere2048"}, jobs[:3]
	}
	for _, name := range names {
		tris, points := []mesh.Triangle(nil), b.points("foam")
		if name == "soup" {
			var err error
			if tris, err = b.soup(); err != nil {
				return err
			}
		} else {
			m, err := load(b.ctx, b.stl(name), b.threads)
			if err != nil {
				return err
			}
			tris = trianglesOf(m)
			if name != "foam" {
				points = b.points("sphere")
			}
		}
		pts, err := readPoints(b.f64(points))
		if err != nil {
			return err
		}
		for _, j := range jobs {
			some := pts
			if j.epsilon < slowEpsilon {
				some = pts[:min(len(pts), slowPoints)]
			}
			if err := b.potentialRow(name, tris, some, j.epsilon, j.expected); err != nil {
				return fmt.Errorf("%s, ε = %g: %w", name, j.epsilon, err)
			}
		}
	}
	return nil
}

func (b *bench) potentialRow(name string, tris []mesh.Triangle, pts []r3.Vector, eps float64, expected int64) error {
	w, bound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
	var p *fmm.Plan
	setup, err := seconds(func() (err error) {
		p, err = fmm.New(b.ctx, tris, fmm.Options{Epsilon: eps, ExpectedPoints: expected, Workers: b.threads})
		return err
	})
	if err != nil {
		return err
	}
	t, err := b.call(nothing, func() error { return p.WindingsTo(b.ctx, w, bound, on, pts, b.threads) })
	if err != nil {
		return err
	}
	c, err := b.compare(tris, pts, w, bound)
	if err != nil {
		return err
	}
	rate := perSecond(len(pts), t)
	fmt.Printf("| %s | %.0e | %d | %d | %.2f | %.3g | %.3g | %.3g | %.2g | %.2g | %d |\n", name, eps, len(pts), expected, setup, rate, rate/float64(b.threads), c.largest, c.worst, c.ratio, c.points)
	return nil
}
