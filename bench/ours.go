package main

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// load reads and welds a mesh.
func load(ctx context.Context, path string, threads int) (*mesh.Mesh, error) {
	soup, _, err := loaders.Load(ctx, path, loaders.Options{})
	if err != nil {
		return nil, err
	}
	return mesh.NewOwned(ctx, *soup, mesh.Options{Workers: threads})
}

// buildRays builds the tree over m and the Caster.
func buildRays(ctx context.Context, m *mesh.Mesh, threads int) (*raycross.Caster, error) {
	x, err := m.Index(ctx, bvh.Options{Workers: threads})
	if err != nil {
		return nil, err
	}
	return raycross.New(x, raycross.Options{})
}

// buildCells builds the cells of m, with rays only if the cells ask for them:
// the time of that is part of the build, or of the query that needs them.
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

// seconds returns how long work takes.
func seconds(work func() error) (float64, error) {
	start := time.Now()
	err := work()
	return time.Since(start).Seconds(), err
}

// repetitions of one call, as peers' programs do.
const repetitions = 3

// call returns the median seconds of the repetitions of work, which is what one
// call of a peer measures. clean runs before each of them.
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

// nothing needs no cleaning.
func nothing() {}

// answerer is what both methods have.
type answerer interface {
	SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error)
}

// query is one call that answers all points. Garbage of whatever ran before is
// collected first.
func (b *bench) query(a answerer, dst []side.Side, pts []r3.Vector, threads int) (float64, error) {
	runtime.GC()
	return b.call(nothing, func() error {
		_, err := a.SidesTo(b.ctx, dst, pts, threads)
		return err
	})
}

// unequal counts the places where a and b differ.
func unequal(a, b []side.Side) int {
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
