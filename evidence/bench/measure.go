package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

func load(ctx context.Context, path string, threads int) (*mesh.Mesh, error) {
	content, _, err := loaders.LoadContent(ctx, path, loaders.Options{})
	if err != nil {
		return nil, err
	}
	return content.Mesh(ctx, mesh.Options{Workers: threads})
}

func buildRays(ctx context.Context, m *mesh.Mesh, threads int) (*raycross.Caster, error) {
	x, err := m.Index(ctx, bvh.Options{Workers: threads})
	if err != nil {
		return nil, err
	}
	return raycross.New(x, raycross.Options{})
}

// buildCells builds the cells of m. A later query can build their rays.
func buildCells(ctx context.Context, m *mesh.Mesh, threads int, expected int64) (*cells.Index, error) {
	var mu sync.Mutex
	var rays *raycross.Caster
	return cells.New(ctx, m, cells.Options{
		Workers: threads, ExpectedPoints: expected,
		Rays: func(ctx context.Context) (*raycross.Caster, error) {
			mu.Lock()
			defer mu.Unlock()
			if rays != nil {
				return rays, nil
			}
			var err error
			rays, err = buildRays(ctx, m, threads)
			return rays, err
		},
	})
}

func seconds(work func() error) (float64, error) {
	start := time.Now()
	err := work()
	return time.Since(start).Seconds(), err
}

// repetitions is the number of runs in a call. A call of a peer has the same number.
const repetitions = 3

// call returns the median seconds of work over the repetitions. With b.quick, there is only one.
func (b *bench) call(clean func(), work func() error) (float64, error) {
	n := repetitions
	if b.quick {
		n = 1
	}
	var all []float64
	for range n {
		clean()
		s, err := seconds(work)
		if err != nil {
			return 0, err
		}
		all = append(all, s)
	}
	return median(all), nil
}

// nothing is an empty cleanup function.
func nothing() {}

type answerer interface {
	SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error)
}

// query returns the seconds of a call that classifies all points. It collects garbage before the
// call.
func (b *bench) query(a answerer, dst []side.Side, pts []r3.Vector, threads int) (float64, error) {
	runtime.GC()
	return b.call(nothing, func() error {
		_, err := a.SidesTo(b.ctx, dst, pts, threads)
		return err
	})
}

func unequal(a, b []side.Side) int {
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// median returns the median of x, or the larger of the two middle elements. It does not reorder x.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}

// rates are the rates of several calls, in million points per second.
type rates []float64

func (r rates) median() float64 { return median(r) }

func (r rates) spread() string {
	return fmt.Sprintf("%.3g–%.3g", slices.Min(r), slices.Max(r))
}

func perSecond(n int, seconds float64) float64 { return float64(n) / seconds / 1e6 }
