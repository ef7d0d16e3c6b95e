package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// autoRow holds the total times of all methods for one mesh and number of points.
type autoRow struct {
	name             string
	triangles, edges int
	points           int
	chosen           string
	seconds          map[inpoly.Method]float64 // New and SidesTo together; +Inf if the time limit ended a call
	best             inpoly.Method             // the fastest method except Auto
}

// ratio returns the time of Auto, relative to the best method.
func (r *autoRow) ratio() float64 { return r.seconds[inpoly.Auto] / r.seconds[r.best] }

// autoTable compares Auto with every method, on real meshes and for random points in the box. A time
// includes the choice, the index and all points, but no diagnosis, which Solid.Report makes.
func (b *bench) autoTable() error {
	if b.corpus == "" {
		log.Print("auto: skipped, because INPOLY_CORPUS is not set")
		return nil
	}
	names, err := manifest(b.corpus)
	if err != nil {
		return err
	}
	header("<mesh", "triangles", "boundary edges", "points", "<auto", "ms", "<best", "ms", "auto / best")
	var rows []autoRow
	for i, name := range names {
		if b.quick && len(rows) >= 4 {
			break
		}
		m, err := load(b.ctx, filepath.Join(b.corpus, name), b.threads)
		if err != nil || m.NumFaces() == 0 || i%b.every != 0 {
			continue // the corpus contains broken files on purpose
		}
		for _, n := range []int{100, 10_000, 1_000_000} {
			if n > b.most || b.quick && n > 10_000 {
				break
			}
			r := autoRow{name: name, triangles: m.NumFaces(), edges: len(m.Boundary()), points: n}
			if err := b.autoRow(m, &r); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Printf("| %s | %d | %d | %d | %s | %.3g | %s | %.3g | %.2f |\n", r.name, r.triangles, r.edges, n,
				r.chosen, 1e3*r.seconds[inpoly.Auto], r.best, 1e3*r.seconds[r.best], r.ratio())
			rows = append(rows, r)
		}
	}
	header("points", "number", "at most 1.2", "geometric mean", "median", "<five largest")
	for _, n := range []int{100, 10_000, 1_000_000} {
		var some []autoRow
		sum, good := 0.0, 0
		for _, r := range rows {
			if r.points == n {
				some = append(some, r)
				sum += math.Log(r.ratio())
				if r.ratio() <= 1.2 {
					good++
				}
			}
		}
		if len(some) == 0 {
			continue
		}
		slices.SortFunc(some, func(a, b autoRow) int { return cmp.Compare(b.ratio(), a.ratio()) })
		worst := ""
		for _, r := range some[:min(5, len(some))] {
			worst += fmt.Sprintf("%s %.2f (%s, %s) ", filepath.Base(r.name), r.ratio(), r.chosen, r.best)
		}
		fmt.Printf("| %d | %d | %d | %.2f | %.2f | %s |\n", n, len(some), good, math.Exp(sum/float64(len(some))), some[len(some)/2].ratio(), worst)
	}
	return nil
}

// autoRow measures all methods in turn, several times. A call is stopped if it takes ten times as long
// as the best call.
func (b *bench) autoRow(m *mesh.Mesh, r *autoRow) error {
	pts, sides := inBox(m, r.points), make([]side.Side, r.points)
	r.seconds = map[inpoly.Method]float64{}
	best := math.Inf(1)
	start := time.Now()
	for rep := 0; rep < b.reps || rep < 20 && time.Since(start) < 50*time.Millisecond; rep++ {
		methods := inpoly.Methods()
		for k := range methods {
			method := methods[(k+rep)%len(methods)] // the garbage of a call can slow down the next call, so the order changes
			if math.IsInf(r.seconds[method], 1) {
				continue
			}
			t, chosen, err := b.timeAll(m, method, pts, sides, min(60, max(0.2, 10*best)))
			if err != nil {
				return err
			}
			best = min(best, t)
			if old, ok := r.seconds[method]; !ok || t < old || math.IsInf(t, 1) {
				r.seconds[method] = t
			}
			if method == inpoly.Auto {
				r.chosen = chosen
			}
		}
		if best > 0.3 {
			break // one call is precise enough
		}
	}
	r.best = inpoly.Methods()[1]
	for _, method := range inpoly.Methods()[1:] {
		if r.seconds[method] < r.seconds[r.best] {
			r.best = method
		}
	}
	return nil
}

// timeAll returns the seconds that it takes to make a Solid and to find the sides of all points. The
// result is +Inf if this takes longer than the limit.
func (b *bench) timeAll(m *mesh.Mesh, method inpoly.Method, pts []r3.Vector, sides []side.Side, limit float64) (t float64, chosen string, err error) {
	ctx, cancel := context.WithTimeout(b.ctx, time.Duration(limit*float64(time.Second)))
	defer cancel()
	var s *inpoly.Solid
	t, err = seconds(func() (err error) {
		s, err = inpoly.New(ctx, m, inpoly.Options{Workers: b.threads, ExpectedPoints: int64(len(pts)), Method: method})
		if err != nil {
			return err
		}
		return s.SidesTo(ctx, sides, pts)
	})
	if s != nil {
		chosen = string(s.Report().Method)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return math.Inf(1), chosen, nil
	}
	return t, chosen, err
}
