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
	"github.com/inpoly/inpoly/rays"
	"github.com/inpoly/inpoly/section"
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
	fmt.Println("| mesh | points | query | ns | at a pose | ratio |")
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
			const parts = 8
			times, err := interleaved(parts, func(k, part int) error {
				lo, hi := part*n/parts, (part+1)*n/parts
				target, asked := inpoly.Target(s), pts
				if k == 1 {
					target, asked = at, world
				}
				_, err := target.LocateTo(ctx, answers.SliceAll(&q.dst, lo, hi), asked[lo:hi])
				return err
			})
			if err != nil {
				return err
			}
			row(name, kind, q.name, times, n)
		}
	}
	return lines(ctx, name, s, at, r)
}

// interleaved runs work(0, part) and work(1, part) in turn for each part, and returns the sums of the least times. The
// least time is taken for each part separately, so that other programs disturb the times less.
func interleaved(parts int, work func(k, part int) error) (sum [2]time.Duration, err error) {
	for part := range parts {
		best := [2]time.Duration{1 << 60, 1 << 60}
		for round := range rounds + 1 {
			for k := range best {
				begin := time.Now()
				if err := work(k, part); err != nil {
					return sum, err
				}
				if t := time.Since(begin); round > 0 { // the first round builds trees
					best[k] = min(best[k], t)
				}
			}
		}
		sum[0], sum[1] = sum[0]+best[0], sum[1]+best[1]
	}
	return sum, nil
}

// row prints the times for n queries.
func row(mesh, kind, query string, times [2]time.Duration, n int) {
	ns := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(n) }
	fmt.Printf("| %s | %s | %s | %.1f | %.1f | %.2f |\n", mesh, kind, query, ns(times[0]), ns(times[1]), ns(times[1])/ns(times[0]))
}

// lines prints the times of rays and of sections.
func lines(ctx context.Context, name string, s *inpoly.Solid, at *inpoly.Posed, r *rand.Rand) error {
	p := at.Pose()
	vector := func() r3.Vector { return r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1} }
	turned := pose.Pose{Rotation: p.Rotation}
	const n, parts = 1 << 15, 8
	var cast [2][]rays.Ray
	var planes [2][]section.Plane
	for range n {
		o, d := vector(), vector()
		cast[0] = append(cast[0], rays.Ray{Origin: o, Direction: d})
		cast[1] = append(cast[1], rays.Ray{Origin: p.Apply(o), Direction: turned.Apply(d)})
	}
	for range 64 {
		o, d := vector(), vector()
		planes[0] = append(planes[0], section.Plane{Origin: o, Normal: d})
		planes[1] = append(planes[1], section.Plane{Origin: p.Apply(o), Normal: turned.Apply(d)})
	}
	var casters [2]*rays.Caster
	var err error
	for k, t := range []inpoly.Target{s, at} {
		if casters[k], err = rays.New(ctx, t); err != nil {
			return err
		}
	}
	hits := make([]rays.Hit, n)
	times, err := interleaved(parts, func(k, part int) error {
		lo, hi := part*n/parts, (part+1)*n/parts
		return rays.FirstTo(ctx, casters[k], hits[lo:hi], cast[k][lo:hi])
	})
	if err != nil {
		return err
	}
	row(name, "from the box", "first hits", times, n)
	times, err = interleaved(parts, func(k, part int) error {
		for _, plane := range planes[k][part*8 : part*8+8] {
			if _, err := section.Cut(ctx, []inpoly.Target{s, at}[k], plane); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	row(name, "planes in the box", "sections", times, 64)
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
