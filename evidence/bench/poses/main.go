// Command poses compares the time of queries of a posed solid with the time of the same queries of the
// solid, in one run and on one thread. Its output is Markdown.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/side"
)

const (
	points = 1 << 19
	rounds = 9
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	runtime.GOMAXPROCS(1)
	fmt.Println("| mesh | points | query | ns/point | at a pose | ratio |")
	fmt.Println("| --- | --- | --- | --- | --- | --- |")
	turned, err := pose.Turned(r3.Vector{X: 1, Y: 2, Z: 3}, 1, r3.Vector{X: 10, Y: -5, Z: 3})
	if err != nil {
		return err
	}
	sphere, hemisphere := testmesh.Sphere(7), testmesh.Mesh(testmesh.Hemisphere(7))
	for _, c := range []struct {
		name string
		m    *mesh.Mesh
	}{{"sphere, 131,072 faces", sphere}, {"hemisphere, 65,536 faces, open", hemisphere}} {
		if err := compare(c.name, c.m, turned); err != nil {
			return err
		}
	}
	return moves(sphere)
}

// compare prints the times for one mesh.
func compare(name string, m *mesh.Mesh, p pose.Pose) error {
	ctx := context.Background()
	s, err := inpoly.New(ctx, m, inpoly.Options{Method: inpoly.Cells, Workers: 1})
	if err != nil {
		return err
	}
	at, err := s.At(p)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []string{"in the box", "on the surface"} {
		pts, world := make([]r3.Vector, points), make([]r3.Vector, points)
		for i := range pts {
			pts[i] = r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1}
			if kind == "on the surface" {
				t := m.Triangle(int32(r.IntN(m.NumFaces())))
				pts[i] = t[0].Mul(0.3).Add(t[1].Mul(0.3)).Add(t[2].Mul(0.4))
			}
			world[i] = p.Apply(pts[i])
		}
		sides := make([]side.Side, points)
		d, face := make([]float64, points), make([]int32, points)
		w, bound := make([]float64, points), make([]float64, points)
		n := points
		if kind == "on the surface" {
			n = points / 32
		}
		for _, q := range []struct {
			name string
			dst  inpoly.Answers
		}{
			{"sides", inpoly.Answers{Answers: side.Answers{Sides: sides[:n]}}},
			{"winding numbers", inpoly.Answers{Answers: side.Answers{Winding: w[:n], Bound: bound[:n]}}},
			{"distances", inpoly.Answers{Distance: d[:n], Face: face[:n]}},
		} {
			if !m.Closed() && (q.name == "winding numbers" || kind == "on the surface") {
				continue // these take microseconds for each boundary edge
			}
			// The least time is taken for each part of the points separately, so that other
			// programs disturb the times less.
			var sum [2]time.Duration
			const parts = 8
			for part := range parts {
				lo, hi := part*n/parts, (part+1)*n/parts
				dst := answers.SliceAll(&q.dst, lo, hi)
				best := [2]time.Duration{1 << 60, 1 << 60}
				for round := range rounds + 1 {
					for k, f := range []func() error{
						func() error { _, err := s.LocateTo(ctx, dst, pts[lo:hi]); return err },
						func() error { _, err := at.LocateTo(ctx, dst, world[lo:hi]); return err },
					} {
						begin := time.Now()
						if err := f(); err != nil {
							return err
						}
						if t := time.Since(begin); round > 0 { // the first round builds trees
							best[k] = min(best[k], t)
						}
					}
				}
				sum[0], sum[1] = sum[0]+best[0], sum[1]+best[1]
			}
			ns := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(n) }
			fmt.Printf("| %s | %s | %s | %.1f | %.1f | %.2f |\n", name, kind, q.name, ns(sum[0]), ns(sum[1]), ns(sum[1])/ns(sum[0]))
		}
	}
	return nil
}

// moves prints the time of At.
func moves(m *mesh.Mesh) error {
	s, err := inpoly.New(context.Background(), m, inpoly.Options{})
	if err != nil {
		return err
	}
	const n = 20_000
	r := rand.New(rand.NewPCG(3, 4))
	begin := time.Now()
	for range n {
		p, err := pose.Turned(r3.Vector{X: 1, Y: r.Float64()}, r.Float64(), r3.Vector{})
		if err != nil {
			return err
		}
		if _, err := s.At(p); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(os.Stdout, "\nAt takes %.1f µs.\n", float64(time.Since(begin).Microseconds())/n)
	return err
}
