package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// embreeModes are the measured modes of Embree, with packets of 16 rays. The modes "occ16" count
// all hits of a ray in a generic direction (g) or along the z axis (z). The last mode uses the
// orientation of the first face that a ray hits. The table prints the fastest mode.
var embreeModes = [][]string{{"occ16", "g"}, {"occ16", "z"}, {"orient16", "g"}}

type workload struct {
	points string // name of the row
	pts    []r3.Vector
	f64    string     // path of the file that holds pts
	goal   string     // target ratio of the rate of package cells to the rate of a peer
	grid   *side.Grid // grid of pts, or nil; z varies fastest in pts
	number []int      // number[i] is the index of pts[i] in the grid
	on     bool
}

type solid struct {
	name  string
	mesh  *mesh.Mesh
	rays  *raycross.Caster
	cells *cells.Index
}

// cellsTable measures package cells, package raycross and the peers. It also prints the number of
// points where cells and raycross disagree, and the number of points where cells and CGAL disagree.
// Where cells and CGAL disagree, the exact referee decides.
func (b *bench) cellsTable() error {
	header("<mesh", "<points", "cells", "<min–max", "as a grid", "raycross", "CGAL", "Embree", "<mode", "<min–max",
		"cells / fastest peer", "cells / CGAL", "<goal", "differ from raycross", "from CGAL", "<Embree differs (g/z/orient)", "<judged")
	jobs := []struct {
		mesh, points string
		near         bool
	}{{"sphere131072", "sphere", true}, {"sphere2097152", "sphere", false}, {"foam", "foam", true}}
	if b.quick {
		jobs = jobs[:1]
		jobs[0].mesh = "sphere2048"
	}
	for _, j := range jobs {
		m, err := load(b.ctx, b.stl(j.mesh), b.threads)
		if err != nil {
			return err
		}
		s := solid{name: j.mesh, mesh: m}
		if s.rays, err = buildRays(b.ctx, m, b.threads); err != nil {
			return err
		}
		if s.cells, err = buildCells(b.ctx, m, b.threads, 0); err != nil {
			return err
		}
		// Build the rays before the measurement, because cells use rays for points near edges and
		// vertices.
		if err := b.warm(&s); err != nil {
			return err
		}
		if err := b.storedRows(&s, j.points, j.near); err != nil {
			return fmt.Errorf("%s: %w", j.mesh, err)
		}
		if !j.near {
			continue
		}
		if err := b.nearRows(&s); err != nil {
			return fmt.Errorf("%s: %w", j.mesh, err)
		}
	}
	return nil
}

// warm classifies points on the surface, so that the cells build their rays.
func (b *bench) warm(s *solid) error {
	pts, err := onPoints(s.mesh, 1000, 1)
	if err != nil {
		return err
	}
	_, err = s.cells.SidesTo(b.ctx, make([]side.Side, len(pts)), pts, b.threads)
	return err
}

// storedRows measures the points of the data folder: random points, and the same points in Morton
// order. If withGrid is true, it also measures a grid.
func (b *bench) storedRows(s *solid, points string, withGrid bool) error {
	random, sorted, side := points+"_r1e6", points+"_r1e6s", 80
	if b.quick {
		random, sorted, side = points+"_g10", points+"_g20", 40
	}
	for _, w := range []workload{
		{points: random, goal: "10× fastest"},
		{points: sorted, goal: "5× fastest"},
	} {
		var err error
		w.f64 = b.f64(w.points)
		if w.pts, err = readPoints(w.f64); err != nil {
			return err
		}
		if err := b.contest(s, &w); err != nil {
			return fmt.Errorf("%s: %w", w.points, err)
		}
	}
	if !withGrid {
		return nil
	}
	w := workload{points: fmt.Sprintf("%s_g%d", points, side), goal: "5× fastest"}
	stored, err := readPoints(b.f64(w.points))
	if err != nil {
		return err
	}
	g := gridOf(stored[0], stored[len(stored)-1], side)
	w.grid = &g
	pts, number := gridPoints(g)
	w.number = number
	if len(pts) != len(stored) {
		return fmt.Errorf("%s has %d points, expected %d", w.points, len(stored), len(pts))
	}
	if err := b.share(&w, pts); err != nil {
		return err
	}
	return b.contest(s, &w)
}

// nearShares lists distances of points from the surface, divided by the size of the mesh. The
// rounding error of Embree (single precision) is 2⁻²⁴ = 6e-8, which is below 1e-6 and above 1e-10.
// The rounding error in double precision is 2⁻⁵³ = 1.1e-16.
var nearShares = []float64{1e-3, 1e-6, 1e-10, 1e-16}

// nearRows measures points near the surface and exactly on it.
func (b *bench) nearRows(s *solid) error {
	n := 400_000
	if b.quick {
		n = 1000
	}
	for i, share := range nearShares {
		w := workload{points: fmt.Sprintf("%.0e off", share), goal: "5× CGAL"}
		pts, err := nearPoints(s.mesh, n, share, uint64(i+1))
		if err != nil {
			return err
		}
		if err := b.share(&w, pts); err != nil {
			return err
		}
		if err := b.contest(s, &w); err != nil {
			return fmt.Errorf("%s: %w", w.points, err)
		}
	}
	w := workload{points: "exactly on", goal: "5× CGAL", on: true}
	pts, err := onPoints(s.mesh, n, 1)
	if err != nil {
		return err
	}
	if err := b.share(&w, pts); err != nil {
		return err
	}
	return b.contest(s, &w)
}

// share writes pts to the file of w, so that all programs read the same points.
func (b *bench) share(w *workload, pts []r3.Vector) (err error) {
	w.f64 = filepath.Join(b.tmp, "points.f64")
	if err := writePoints(w.f64, pts); err != nil {
		return err
	}
	w.pts, err = readPoints(w.f64)
	return err
}

type result struct {
	cells, grid, rays, cgal rates
	embree                  []rates
	embreeDiffers           []int  // number of points, by mode, where Embree and cells disagree
	fromRays                int    // number of points where raycross and cells disagree, in the last call
	fromCGAL                []int  // indices of the points where CGAL and cells disagree
	answers                 []byte // answers of CGAL
	sides                   []side.Side
}

// contest measures all programs in turn, b.calls times, and prints a row. A call of cells precedes
// each call of CGAL and Embree.
func (b *bench) contest(s *solid, w *workload) error {
	r := result{
		embree: make([]rates, len(embreeModes)), embreeDiffers: make([]int, len(embreeModes)),
		sides: make([]side.Side, len(w.pts)),
	}
	for range b.calls {
		if err := b.ourCells(s, w, &r); err != nil {
			return err
		}
		p, answers, err := b.ask("cgal", b.stl(s.name), w.f64, len(w.pts))
		if err != nil {
			return err
		}
		if p.Faces != s.mesh.NumFaces() {
			return fmt.Errorf("cgal read %d faces, expected %d", p.Faces, s.mesh.NumFaces())
		}
		r.cgal, r.answers, r.fromCGAL = append(r.cgal, p.MQPS), answers, differing(answers, r.sides)
		for i, mode := range embreeModes {
			if err := b.ourCells(s, w, &r); err != nil {
				return err
			}
			p, answers, err := b.ask("embree", b.stl(s.name), w.f64, len(w.pts), mode...)
			if err != nil {
				return err
			}
			r.embree[i], r.embreeDiffers[i] = append(r.embree[i], p.MQPS), len(differing(answers, r.sides))
		}
		if err := b.ourRays(s, w, &r); err != nil {
			return err
		}
	}
	judged := "–"
	if len(r.fromCGAL) > 0 {
		v, err := b.judge(b.stl(s.name), w.f64, r.fromCGAL, r.answers, r.sides)
		if err != nil {
			return err
		}
		judged = v.String()
	}
	r.print(s, w, judged)
	return nil
}

// ourCells measures a call of cells, and also a call for the grid if there is one. It fails if two
// calls return different sides.
func (b *bench) ourCells(s *solid, w *workload, r *result) error {
	got := make([]side.Side, len(w.pts))
	t, err := b.query(s.cells, got, w.pts, b.threads)
	if err != nil {
		return err
	}
	if len(r.cells) > 0 && unequal(got, r.sides) > 0 {
		return fmt.Errorf("cells: two calls returned different sides")
	}
	r.cells, r.sides = append(r.cells, perSecond(len(w.pts), t)), got
	for i, is := range got {
		if w.on && is != side.OnSurface {
			return fmt.Errorf("cells: point %d %v lies on a face, but its side is %v", i, w.pts[i], is)
		}
	}
	if w.grid == nil {
		return nil
	}
	grid := make([]side.Side, len(w.pts))
	t, err = b.call(nothing, func() error {
		_, err := s.cells.SidesGridTo(b.ctx, grid, *w.grid, b.threads)
		return err
	})
	if err != nil {
		return err
	}
	r.grid = append(r.grid, perSecond(len(w.pts), t))
	for i, n := range w.number {
		if grid[n] != got[i] {
			return fmt.Errorf("cells: point %d %v: the batch returns %v, the grid %v", i, w.pts[i], got[i], grid[n])
		}
	}
	return nil
}

func (b *bench) ourRays(s *solid, w *workload, r *result) error {
	got := make([]side.Side, len(w.pts))
	t, err := b.query(s.rays, got, w.pts, b.threads)
	if err != nil {
		return err
	}
	r.rays, r.fromRays = append(r.rays, perSecond(len(w.pts), t)), unequal(got, r.sides)
	return nil
}

func (r *result) print(s *solid, w *workload, judged string) {
	best := fastest(r.embree)
	var differs []string
	for i := range embreeModes {
		differs = append(differs, fmt.Sprint(r.embreeDiffers[i]))
	}
	grid := "–"
	if w.grid != nil {
		grid = fmt.Sprintf("%.1f", r.grid.median())
	}
	ours, cgal, embree := r.cells.median(), r.cgal.median(), r.embree[best].median()
	fmt.Printf("| %s | %s | %.2f | %s | %s | %.2f | %.3g | %.3g | %s | %s | %.2f | %.2f | %s | %d | %d | %s | %s |\n",
		s.name, w.points, ours, r.cells.spread(), grid, r.rays.median(), cgal,
		embree, strings.Join(embreeModes[best], " "), r.embree[best].spread(),
		ours/max(cgal, embree), ours/cgal, w.goal, r.fromRays, len(r.fromCGAL), strings.Join(differs, "/"), judged)
}
