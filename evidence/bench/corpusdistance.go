package main

import (
	"cmp"
	"fmt"
	"log"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// leastDistanceTriangles is the size of the smallest mesh in the table corpusdistance.
// corpusDistances is the number of points for each mesh.
const (
	leastDistanceTriangles = 1000
	corpusDistances        = 100_000
)

// distanceTimes are the medians for one mesh, in seconds for all points.
type distanceTimes struct {
	name             string
	signed, unsigned float64
	sides, single    float64
	setup            float64 // the Solid, its trees and the first call, without the query
	embree           float64
	embreeBuild      float64
}

// ratio returns how many times faster our signed distances are than Embree's distances, which have
// no sign. withBuild includes the time to build the index on both sides.
func (r *distanceTimes) ratio(withBuild bool) float64 {
	if withBuild {
		return (r.embree + r.embreeBuild) / (r.signed + r.setup)
	}
	return r.embree / r.signed
}

// corpusDistanceTable measures signed distances on a folder of real meshes, for random points in
// the box of each mesh, against Embree's point queries. All programs read the mesh as binary STL.
func (b *bench) corpusDistanceTable() error {
	if b.corpus == "" {
		log.Print("corpusdistance: skipped, because INPOLY_CORPUS is not set")
		return nil
	}
	names, err := manifest(b.corpus)
	if err != nil {
		return err
	}
	header("<mesh", "triangles", "boundary edges", "set-up ms", "signed", "unsigned", "sides", "single", "Embree build ms", "Embree",
		"signed / Embree", "with build", "batch / single", "Embree differs")
	var rows []distanceTimes
	for _, name := range names {
		if b.quick && len(rows) >= 4 {
			break
		}
		if !strings.Contains(name, b.match) {
			continue
		}
		m, err := load(b.ctx, filepath.Join(b.corpus, name), b.threads)
		if err != nil || m.NumFaces() < leastDistanceTriangles {
			continue // the corpus contains broken files on purpose
		}
		row, err := b.corpusDistanceRow(name, m)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, row)
	}
	header("<ratio", "meshes", "geometric mean", "least", "<five least")
	for _, withBuild := range []bool{false, true} {
		slices.SortFunc(rows, func(a, b distanceTimes) int { return cmp.Compare(a.ratio(withBuild), b.ratio(withBuild)) })
		sum := 0.0
		var worst []string
		for i := range rows {
			sum += math.Log(rows[i].ratio(withBuild))
			if i < 5 {
				worst = append(worst, fmt.Sprintf("%s %.2f", filepath.Base(rows[i].name), rows[i].ratio(withBuild)))
			}
		}
		if len(rows) > 0 {
			fmt.Printf("| with build: %v | %d | %.2f | %.2f | %s |\n", withBuild, len(rows), math.Exp(sum/float64(len(rows))),
				rows[0].ratio(withBuild), strings.Join(worst, ", "))
		}
	}
	return nil
}

func (b *bench) corpusDistanceRow(name string, m *mesh.Mesh) (r distanceTimes, err error) {
	r.name = name
	stl := filepath.Join(b.tmp, "distance.stl")
	if err := writeSTL(stl, m); err != nil {
		return r, err
	}
	if m, err = load(b.ctx, stl, b.threads); err != nil {
		return r, err
	}
	pts := inBox(m, corpusDistances)
	f64 := filepath.Join(b.tmp, "distance.f64")
	if err := writePoints(f64, pts); err != nil {
		return r, err
	}
	d, face, sides := make([]float64, len(pts)), make([]int32, len(pts)), make([]side.Side, len(pts))
	var all [7][]float64
	var peer distances
	for range b.calls {
		if peer, err = b.askDistancesOf("embree_distance", stl, f64, len(pts)); err != nil {
			return r, err
		}
		runtime.GC()
		var s *inpoly.Solid
		first, err := seconds(func() (err error) {
			s, err = inpoly.New(b.ctx, m, inpoly.Options{Workers: b.threads, ExpectedPoints: int64(len(pts))})
			if err != nil {
				return err
			}
			return s.DistancesTo(b.ctx, d, face, pts)
		})
		if err != nil {
			return r, err
		}
		signed, err := b.call(nothing, func() error { return s.DistancesTo(b.ctx, d, face, pts) })
		if err != nil {
			return r, err
		}
		sideTime, err := b.call(nothing, func() error { return s.SidesTo(b.ctx, sides, pts) })
		if err != nil {
			return r, err
		}
		near, err := buildSearcher(b.ctx, m, b.threads)
		if err != nil {
			return r, err
		}
		if err := near.DistancesTo(b.ctx, d, face, pts, b.threads); err != nil {
			return r, err
		}
		unsigned, err := b.call(nothing, func() error { return near.DistancesTo(b.ctx, d, face, pts, b.threads) })
		if err != nil {
			return r, err
		}
		const every = 10
		single, err := seconds(func() error {
			for i := 0; i < len(pts); i += every {
				s.Distance(pts[i])
			}
			return nil
		})
		if err != nil {
			return r, err
		}
		for i, t := range []float64{
			signed, unsigned, sideTime, single * every, first - signed, float64(len(pts)) / peer.MQPS / 1e6, peer.Build,
		} {
			all[i] = append(all[i], t)
		}
	}
	for i, to := range []*float64{&r.signed, &r.unsigned, &r.sides, &r.single, &r.setup, &r.embree, &r.embreeBuild} {
		*to = median(all[i])
	}
	size := m.Box().Size()
	rate := func(t float64) float64 { return perSecond(len(pts), t) }
	// A single search runs on one thread.
	fmt.Printf("| %s | %d | %d | %.2f | %.3g | %.3g | %.3g | %.3g | %.2f | %.3g | %.2f | %.2f | %.2f | %d |\n",
		name, m.NumFaces(), len(m.Boundary()), 1e3*r.setup, rate(r.signed), rate(r.unsigned), rate(r.sides), rate(r.single),
		1e3*r.embreeBuild, rate(r.embree), r.ratio(false), r.ratio(true), r.single/r.signed/float64(b.threads),
		peer.differing(d, singleTolerance*max(size.X, size.Y, size.Z, r3.Vector(m.Box().Max).Norm(), m.Box().Min.Norm())))
	return r, nil
}
