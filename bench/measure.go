package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
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

// buildCells builds the cells of m. It builds rays only if the cells ask for them; the build, or the
// query that needs them, includes that time.
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

// repetitions is the number of repetitions in one call, the same as in the peers' programs.
const repetitions = 3

// call returns the median seconds of the repetitions of work, like one call of a peer. clean runs
// before each repetition.
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

// nothing is the clean function of work that needs none.
func nothing() {}

// answerer is the common method of raycross.Caster and cells.Index.
type answerer interface {
	SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error)
}

// query is one call that answers all points, after a garbage collection.
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

// median returns the middle element of sorted x, the upper one of two.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}

// rates are the rates of several calls, in million points a second.
type rates []float64

func (r rates) median() float64 { return median(r) }

// spread returns the smallest and the largest rate.
func (r rates) spread() string {
	return fmt.Sprintf("%.3g–%.3g", slices.Min(r), slices.Max(r))
}

// perSecond returns n points in the given seconds as a rate.
func perSecond(n int, seconds float64) float64 { return float64(n) / seconds / 1e6 }

// resetPeak resets the peak of the resident memory of this process, and returns the present size
// in bytes. ok is false without the /proc of Linux.
func resetPeak() (bytes int64, ok bool) {
	// 5 resets the peak, see proc(5).
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return 0, false
	}
	return peakMemory()
}

// peakMemory returns the peak of the resident memory since resetPeak, in bytes.
func peakMemory() (bytes int64, ok bool) { return peakOf("/proc/self/status") }

// peakOf reads the peak of the resident memory from the status of a process.
func peakOf(path string) (bytes int64, ok bool) {
	status, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		var kB int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kB); n == 1 {
			return kB << 10, true
		}
	}
	return 0, false
}
