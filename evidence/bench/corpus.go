package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// leastTriangles is the size of the smallest mesh in the table corpus.
const leastTriangles = 500

// corpusRow holds the measurements of one mesh and number of points.
type corpusRow struct {
	name                      string
	triangles, edges, points  int
	method                    string
	build, first, query       float64 // our seconds; the first call of the queries, and the median of three calls
	cpu, report               float64 // our CPU seconds for the queries, and seconds for the report
	embree                    peer
	mode                      string
	embreeDiffers, cgalDiffer int
	cgal                      float64 // million points per second, or 0 if CGAL fails
}

// withReport returns how many times faster we are than Embree with the build, the queries and our
// report, which diagnoses the mesh.
func (r *corpusRow) withReport() float64 {
	return (float64(r.points)/r.embree.MQPS/1e6 + r.embree.Build) / (r.build + r.first + r.report)
}

// ratio returns how many times faster our queries are than Embree's queries. withBuild includes the
// time to build the index on both sides, and the time of our first call. The first call can
// allocate memory.
func (r *corpusRow) ratio(withBuild bool) float64 {
	ours, theirs := r.query, float64(r.points)/r.embree.MQPS/1e6
	if withBuild {
		ours, theirs = r.build+r.first, theirs+r.embree.Build
	}
	return theirs / ours
}

// corpusTable measures the meshes of a folder of real meshes, for random points in the box of each
// mesh. All programs read the mesh as binary STL. Ours is a Solid with the method that Auto selects.
// On an open mesh, Embree and CGAL compute no winding numbers, so only their time is comparable.
func (b *bench) corpusTable() error {
	if b.corpus == "" {
		log.Print("corpus: skipped, because INPOLY_CORPUS is not set")
		return nil
	}
	names, err := manifest(b.corpus)
	if err != nil {
		return err
	}
	header("<mesh", "triangles", "boundary edges", "points", "<method", "build ms", "M points/s", "CPU ns/point", "Embree build ms", "Embree M points/s", "<mode",
		"ours / Embree", "with build", "CGAL M points/s", "Embree differs", "CGAL differs")
	var rows []corpusRow
	for _, name := range names {
		if b.quick && len(rows) >= 4 {
			break
		}
		found, err := b.corpusRows(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for i := range found {
			found[i].print()
		}
		rows = append(rows, found...)
	}
	printHeadlines(rows)
	return nil
}

// manifest returns the paths in the first column of MANIFEST.tsv in a folder.
func manifest(folder string) (names []string, err error) {
	f, err := os.Open(filepath.Join(folder, "MANIFEST.tsv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, _, _ := strings.Cut(lines.Text(), "\t"); name != "path" {
			names = append(names, name)
		}
	}
	return names, lines.Err()
}

// corpusRows measures one mesh. The result is empty if the mesh is too small or cannot be read.
func (b *bench) corpusRows(name string) ([]corpusRow, error) {
	m, err := load(b.ctx, filepath.Join(b.corpus, name), b.threads)
	if err != nil || m.NumFaces() < leastTriangles {
		return nil, nil // the corpus contains broken files on purpose
	}
	stl := filepath.Join(b.tmp, "corpus.stl")
	if err := writeSTL(stl, m); err != nil {
		return nil, err
	}
	if m, err = load(b.ctx, stl, b.threads); err != nil {
		return nil, err
	}
	var rows []corpusRow
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		if n > b.most || b.quick && len(rows) > 0 {
			break
		}
		modes := embreeModes
		if n > 1_000_000 { // the fastest mode hardly depends on the number of points
			modes = [][]string{strings.Fields(rows[len(rows)-1].mode)}
		}
		row, err := b.corpusRow(name, stl, m, n, modes)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// corpusRow measures one mesh and n points. Of the given modes of Embree, the fastest counts.
func (b *bench) corpusRow(name, stl string, m *mesh.Mesh, n int, embree [][]string) (corpusRow, error) {
	r := corpusRow{name: name, triangles: m.NumFaces(), edges: len(m.Boundary()), points: n}
	pts := inBox(m, n)
	f64 := filepath.Join(b.tmp, "corpus.f64")
	if err := writePoints(f64, pts); err != nil {
		return r, err
	}
	sides := make([]side.Side, n)
	var builds, firsts, queries, cpus, reports []float64
	ours := func() error {
		var s *inpoly.Solid
		t, err := seconds(func() (err error) {
			s, err = inpoly.New(b.ctx, m, inpoly.Options{Workers: b.threads, ExpectedPoints: int64(n)})
			return err
		})
		if err != nil {
			return err
		}
		start, err := cpuSeconds()
		if err != nil {
			return err
		}
		var calls []float64
		q, err := b.call(nothing, func() error {
			t, err := seconds(func() error { return s.SidesTo(b.ctx, sides, pts) })
			calls = append(calls, t)
			return err
		})
		if err != nil {
			return err
		}
		end, err := cpuSeconds()
		builds, firsts, queries, cpus = append(builds, t), append(firsts, calls[0]), append(queries, q), append(cpus, (end-start)/float64(len(calls)))
		begin := time.Now()
		r.method = string(s.Report().Method)
		reports = append(reports, time.Since(begin).Seconds())
		return err
	}
	modes, answers, differ := make([]rates, len(embree)), make([]peer, len(embree)), make([]int, len(embree))
	for range b.calls {
		for i, mode := range embree {
			if err := ours(); err != nil {
				return r, err
			}
			p, bytes, err := b.ask("embree", stl, f64, n, mode...)
			if err != nil {
				return r, err
			}
			modes[i], answers[i], differ[i] = append(modes[i], p.MQPS), p, len(differing(bytes, sides))
		}
	}
	best := fastest(modes)
	r.build, r.first, r.query, r.cpu, r.report = median(builds), median(firsts), median(queries), median(cpus), median(reports)
	r.embree, r.mode, r.embreeDiffers = answers[best], strings.Join(embree[best], " "), differ[best]
	r.embree.MQPS = modes[best].median()
	if m.Closed() && n <= 1_000_000 {
		if p, bytes, err := b.ask("cgal", stl, f64, n); err == nil {
			r.cgal, r.cgalDiffer = p.MQPS, len(differing(bytes, sides))
		} else if !errors.Is(err, os.ErrNotExist) {
			log.Printf("corpus: %s: CGAL: %v", name, err)
		}
	}
	return r, nil
}

// fastest returns the index of the mode with the largest median rate.
func fastest(modes []rates) (best int) {
	for i := range modes {
		if modes[i].median() > modes[best].median() {
			best = i
		}
	}
	return best
}

// inBox returns n random points in the box of m.
func inBox(m *mesh.Mesh, n int) []r3.Vector {
	rng := newRand(uint64(n))
	box := m.Box()
	size := box.Size()
	pts := make([]r3.Vector, n)
	for i := range pts {
		pts[i] = r3.Vector{
			X: box.Min.X + rng.Float64()*size.X, Y: box.Min.Y + rng.Float64()*size.Y, Z: box.Min.Z + rng.Float64()*size.Z,
		}
	}
	return pts
}

func (r *corpusRow) print() {
	cgal := "– | –"
	if r.cgal > 0 {
		cgal = fmt.Sprintf("%.3g | %d", r.cgal, r.cgalDiffer)
	}
	rate, differ, _ := strings.Cut(cgal, " | ")
	fmt.Printf("| %s | %d | %d | %d | %s | %.3g | %.3g | %.3g | %.3g | %.3g | %s | %.2f | %.2f | %s | %d | %s |\n",
		r.name, r.triangles, r.edges, r.points, r.method, 1e3*r.build, perSecond(r.points, r.query), 1e9*r.cpu/float64(r.points), 1e3*r.embree.Build, r.embree.MQPS, r.mode,
		r.ratio(false), r.ratio(true), rate, r.embreeDiffers, differ)
}

// printHeadlines prints means, medians and the worst meshes of closed and of open meshes, for each
// number of points.
func printHeadlines(rows []corpusRow) {
	header("<meshes", "points", "number", "geometric mean", "median", "geometric mean with build", "median with build", "geometric mean with report", "<five least ratios", "<five least with build")
	for _, open := range []bool{false, true} {
		kind := "closed"
		if open {
			kind = "open"
		}
		counts := map[int][]corpusRow{}
		for _, r := range rows {
			if r.edges > 0 == open {
				counts[r.points] = append(counts[r.points], r)
			}
		}
		var points []int
		for n := range counts {
			points = append(points, n)
		}
		slices.Sort(points)
		for _, n := range points {
			some := counts[n]
			queries, total := summary(some, false), summary(some, true)
			report := 0.0
			for i := range some {
				report += math.Log(some[i].withReport())
			}
			fmt.Printf("| %s | %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %s | %s |\n", kind, n, len(some), queries.mean,
				queries.median, total.mean, total.median, math.Exp(report/float64(len(some))), queries.worst, total.worst)
		}
	}
}

type headline struct {
	mean, median float64
	worst        string
}

// summary sorts the rows by ratio and returns their headline.
func summary(rows []corpusRow, withBuild bool) (h headline) {
	slices.SortFunc(rows, func(a, b corpusRow) int { return cmp.Compare(a.ratio(withBuild), b.ratio(withBuild)) })
	sum := 0.0
	var worst []string
	for i := range rows {
		ratio := rows[i].ratio(withBuild)
		sum += math.Log(ratio)
		if i < 5 {
			worst = append(worst, fmt.Sprintf("%s %.2f", filepath.Base(rows[i].name), ratio))
		}
	}
	return headline{math.Exp(sum / float64(len(rows))), rows[len(rows)/2].ratio(withBuild), strings.Join(worst, ", ")}
}
