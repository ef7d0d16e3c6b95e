//go:build unix

package binding

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// BenchmarkPauses reports how long the garbage collector would wait until all goroutines have stopped, while two
// goroutines for each processor make calls: the median, the 99th percentile and the maximum in
// microseconds. It stops them with runtime.ReadMemStats, and counts the CPU time of the process until
// then, which other processes do not change. With two processors, one of them works meanwhile. Without
// asynchronous preemption, as in the C library, a goroutine stops only at calls of functions:
//
//	GODEBUG=asyncpreemptoff=1 go test -run '^$' -bench Pauses -cpu 2 -benchtime 5x ./internal/binding
func BenchmarkPauses(b *testing.B) {
	ctx := b.Context()
	soup := testmesh.Soup(testmesh.Sphere(6)) // 32,768 faces
	open := mesh.Soup{Vertices: soup.Vertices, Faces: soup.Faces[:len(soup.Faces)-1000]}
	large := testmesh.Soup(testmesh.Sphere(8)) // 524,288 faces
	newSolid := func(s mesh.Soup, method string) *Solid {
		solid, err := New(ctx, []Mesh{{Soup: mesh.Soup{Vertices: slices.Clone(s.Vertices), Faces: slices.Clone(s.Faces)}}}, Options{Method: method, ExpectedPoints: 1e6})
		if err != nil {
			b.Fatal(err)
		}
		return solid
	}
	const n = 1 << 16
	rng := rand.New(rand.NewPCG(1, 2))
	points := make([]r3.Vector, n)
	for i := range points {
		points[i] = r3.Vector{X: rng.Float64()*2 - 1, Y: rng.Float64()*2 - 1, Z: rng.Float64()*2 - 1}
	}
	var file bytes.Buffer
	if err := loaders.WriteSTL(&file, testmesh.Sphere(8)); err != nil {
		b.Fatal(err)
	}
	locate := func(s mesh.Soup, method string, n int, set func(a *Answers)) func() func() error {
		return func() func() error {
			solid := newSolid(s, method)
			return func() error {
				var a Answers
				set(&a)
				return solid.LocateTo(ctx, a, points[:n], nil)
			}
		}
	}
	sides := func(n int) func(a *Answers) { return func(a *Answers) { a.Sides = make([]side.Side, n) } }
	windings := func(n int) func(a *Answers) {
		return func(a *Answers) { a.Winding, a.Bound = make([]float64, n), make([]float64, n) }
	}
	distances := func(n int) func(a *Answers) { return func(a *Answers) { a.Distance = make([]float64, n) } }
	lines := func(call func(s *Solid, l Lines) error) func() func() error {
		return func() func() error {
			solid := newSolid(soup, "")
			l := Lines{Starts: points[:n/16], Vectors: points[n/2 : n/2+n/16], Segments: true}
			return func() error { return call(solid, l) }
		}
	}
	for _, c := range []struct {
		name  string
		setUp func() func() error
	}{
		{"sides/columns", locate(soup, "", n, sides(n))},
		{"sides/raycross", locate(soup, "raycross", n/4, sides(n/4))},
		{"sides/cells", locate(soup, "cells", n, sides(n))},
		{"sides/direct", locate(open, "direct", 256, sides(256))},
		{"sides/fmm", locate(open, "fmm", n/16, sides(n/16))},
		{"windings/open", locate(open, "", n/16, windings(n/16))},
		{"distances", locate(soup, "", n/4, distances(n/4))},
		{"first_hits", lines(func(s *Solid, l Lines) error {
			return s.FirstHitsTo(ctx, Hits{T: make([]float64, len(l.Starts))}, l, nil)
		})},
		{"intervals", lines(func(s *Solid, l Lines) error { _, err := s.Intervals(ctx, 0, l, 0, nil); return err })},
		{"measure", func() func() error {
			solid := newSolid(soup, "")
			return func() error { _, err := solid.Measure(ctx, 0, "component", 1); return err }
		}},
		{"report", func() func() error {
			return func() error { newSolid(soup, "").Report(); return nil }
		}},
		{"new", func() func() error {
			return func() error { newSolid(large, ""); return nil }
		}},
		{"read", func() func() error {
			return func() error { _, err := Read(ctx, "large.stl", file.Bytes(), Options{}); return err }
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			call := c.setUp()
			stopped, cancel := context.WithCancel(ctx)
			var pauses []time.Duration
			var wg sync.WaitGroup
			wg.Go(func() {
				var stats runtime.MemStats
				for stopped.Err() == nil {
					start := cpuTime()
					runtime.ReadMemStats(&stats)
					pauses = append(pauses, cpuTime()-start)
					time.Sleep(200 * time.Microsecond)
				}
			})
			for b.Loop() {
				var calls sync.WaitGroup
				for range 2 * runtime.GOMAXPROCS(0) {
					calls.Go(func() {
						if err := call(); err != nil {
							b.Error(err)
						}
					})
				}
				calls.Wait()
			}
			cancel()
			wg.Wait()
			slices.Sort(pauses)
			last := len(pauses) - 1
			b.ReportMetric(float64(pauses[last/2].Microseconds()), "µs/median")
			b.ReportMetric(float64(pauses[last*99/100].Microseconds()), "µs/99%")
			b.ReportMetric(float64(pauses[last].Microseconds()), "µs/max")
			b.ReportMetric(float64(len(pauses)), "pauses")
		})
	}
}

// cpuTime returns the CPU time of the process.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
