package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// depthTable measures plans of fixed depth and the depth that the cost model chooses, with known
// points (WC) and unknown points (PC), for spheres of 8·4^k triangles and regular grids (Muth, Of,
// Eberhard, Steinbach 2006, §3.1).
func (b *bench) depthTable() error {
	header("triangles", "points", "best depth", "best s", "model (WC) s", "WC / best", "PC s", "PC / best")
	levels, sides := []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{10, 20, 40, 80}
	if b.quick {
		levels, sides = levels[:3], sides[:1]
	}
	worst := 0.0
	for _, level := range levels {
		tris := trianglesOf(testmesh.Sphere(level))
		for _, side := range sides {
			ratio, err := b.depthRow(tris, side)
			if err != nil {
				return err
			}
			worst = max(worst, ratio)
		}
	}
	fmt.Printf("\nLargest WC / best: %.2f\n", worst)
	return b.linearTable()
}

// linearTable measures the total time as triangles and points grow together, up to more than two
// million triangles and ten million random points.
func (b *bench) linearTable() error {
	fmt.Printf("\nTriangles and random points growing together; linear is a constant last column:\n\n")
	header("triangles", "points", "set-up s", "evaluation s", "ns a triangle and point")
	levels := []int{5, 6, 7, 8, 9}
	if b.quick {
		levels = levels[:2]
	}
	for _, level := range levels {
		tris := trianglesOf(testmesh.Sphere(level))
		pts := cube(10_000_000*len(tris)/2_097_152, 1, uint64(level))
		w, bound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
		var setUp, evaluation []float64
		for round, start := 0, time.Now(); b.another(round, time.Since(start)); round++ {
			var p *fmm.Plan
			runtime.GC()
			s, err := seconds(func() (err error) {
				p, err = fmm.New(b.ctx, tris, fmm.Options{Epsilon: 0.49, ExpectedPoints: int64(len(pts)), Workers: b.threads})
				return err
			})
			if err != nil {
				return err
			}
			e, err := seconds(func() error { return p.WindingsTo(b.ctx, w, bound, on, pts, b.threads) })
			if err != nil {
				return err
			}
			setUp, evaluation = append(setUp, s), append(evaluation, e)
		}
		s, e := median(setUp), median(evaluation)
		fmt.Printf("| %d | %d | %.3g | %.3g | %.0f |\n", len(tris), len(pts), s, e, 1e9*(s+e)/float64(len(tris)+len(pts)))
	}
	return nil
}

// trianglesOf returns the triangles of m.
func trianglesOf(m *mesh.Mesh) []mesh.Triangle {
	tris := make([]mesh.Triangle, m.NumFaces())
	for f := range tris {
		tris[f] = m.Triangle(int32(f))
	}
	return tris
}

// depthRow prints one pair of mesh and grid. It finds the best depth first, then measures that depth
// again beside the model, because the smallest of many noisy medians is biased downward.
func (b *bench) depthRow(tris []mesh.Triangle, side int) (ratio float64, err error) {
	g := gridOf(r3.Vector{X: -1, Y: -1, Z: -1}, r3.Vector{X: 1, Y: 1, Z: 1}, side)
	pts, _ := gridPoints(g)
	n := len(pts)
	w, bound, on := make([]float64, n), make([]float64, n), make([]bool, n)
	total := func(opt fmm.Options) (float64, error) {
		opt.Workers, opt.Epsilon = b.threads, 0.49
		return seconds(func() error {
			p, err := fmm.New(b.ctx, tris, opt)
			if err != nil {
				return err
			}
			return p.WindingsTo(b.ctx, w, bound, on, pts, b.threads)
		})
	}
	var depths []fmm.Options
	for d := 1; d <= int(math.Ceil(math.Log2(float64(side))))+1; d++ {
		depths = append(depths, fmm.Options{Points: pts, Depth: d})
	}
	times, err := b.rotating(total, depths, len(depths))
	if err != nil {
		return 0, err
	}
	best := 0
	for i := range times {
		if times[i] < times[best] {
			best = i
		}
	}
	const rounds = 6 // each order once
	times, err = b.rotating(total, []fmm.Options{{Points: pts}, {}, depths[best]}, rounds)
	if err != nil {
		return 0, err
	}
	wc, pc, least := times[0], times[1], times[2]
	fmt.Printf("| %d | %d | %d | %.3g | %.3g | %.2f | %.3g | %.2f |\n", len(tris), n, best+1, least, wc, wc/least, pc, pc/least)
	return wc / least, nil
}

// hopeless is the ratio to the smallest time from which on a variant is not measured again.
const hopeless = 4

// rotating returns the median seconds of each variant from at least the given number of rounds, each
// of which measures all variants. The order changes from round to round and is reversed in every
// second round: a variant that follows one that used much memory finds it mapped.
func (b *bench) rotating(total func(fmm.Options) (float64, error), variants []fmm.Options, rounds int) ([]float64, error) {
	times := make([][]float64, len(variants))
	least := math.Inf(1)
	if b.quick {
		rounds = 1
	}
	for round, start := 0, time.Now(); round < rounds || b.another(round/rounds, time.Since(start)); round++ {
		for k := range variants {
			i := (k + round/2) % len(variants)
			if round%2 == 1 {
				i = len(variants) - 1 - i
			}
			if t := times[i]; len(t) > 0 && slices.Min(t) > hopeless*least {
				continue
			}
			runtime.GC()
			t, err := total(variants[i])
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], t)
			least = min(least, t)
		}
	}
	medians := make([]float64, len(variants))
	for i, t := range times {
		medians[i] = median(t)
	}
	return medians, nil
}
