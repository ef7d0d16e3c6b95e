package rigid

import (
	"fmt"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem/internal/gain"
	"github.com/inpoly/inpoly/mesh"
)

// heap returns bodies of 200 triangles, of the shape with given semiaxes, that lie on each other in a box. Their
// solids have the given number of workers.
func heap(b testing.TB, side, layers, workers int, body func(x, y, z float64) mesh.Soup) Scene {
	var pebbles []*Shape
	for _, axes := range [][3]float64{{.5, .45, .4}, {.45, .45, .45}, {.5, .5, .35}, {.4, .45, .5}} {
		shape, err := NewPolyhedron(b.Context(), solidFor(b, body(axes[0], axes[1], axes[2]), workers))
		if err != nil {
			b.Fatal(err)
		}
		pebbles = append(pebbles, shape)
	}
	half := float64(side) * .45
	s := Scene{Gravity: r3.Vector{Z: -9.81}}
	wall := func(size, at r3.Vector) {
		s.Walls = append(s.Walls, Wall{Solid: solidFor(b, placed(box(size, 1), at), workers)})
	}
	wall(r3.Vector{X: 4 * half, Y: 4 * half, Z: 1}, r3.Vector{Z: -.5})
	for _, sign := range []float64{-1, 1} {
		wall(r3.Vector{X: 1, Y: 4 * half, Z: 40}, r3.Vector{X: sign * (half + .5)})
		wall(r3.Vector{X: 4 * half, Y: 1, Z: 40}, r3.Vector{Y: sign * (half + .5)})
	}
	for i := range side * side * layers {
		x, y, z := float64(i%side), float64(i/side%side), float64(i/side/side)
		s.Bodies = append(s.Bodies, Body{Shape: pebbles[i%len(pebbles)], Density: 1000,
			Pose: turned(b, r3.Vector{X: x + 1, Y: y - 2, Z: 1}, float64(i%7), r3.Vector{X: (x+.5)*.9 - half, Y: (y+.5)*.9 - half, Z: .45 + .85*z})})
	}
	return s
}

// heaps are the kinds of bodies and contacts of the benchmarks.
var heaps = []struct {
	name     string
	body     func(x, y, z float64) mesh.Soup
	contacts Contacts
}{
	{"convex/layers", stone, Layers}, {"convex/nodes", stone, Nodes}, {"pebbles/nodes", pebble, Nodes},
}

// BenchmarkPolyhedra measures steps of polyhedra of 200 triangles. The pebbles are not convex.
func BenchmarkPolyhedra(b *testing.B) {
	for _, kind := range heaps {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/bodies=2000/workers=%d", kind.name, workers), func(b *testing.B) {
				w := newWorld(b, heap(b, 10, 20, workers, kind.body), Options{TimeStep: 2e-4, Law: gritLaw, Workers: workers, Contacts: kind.contacts})
				walk(b, w, 100)
				for b.Loop() {
					walk(b, w, 1)
				}
				b.ReportMetric(float64(len(w.Contacts())), "contacts")
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
			})
		}
	}
}

// BenchmarkSecondWorker measures what a second worker gains for the polyhedra of BenchmarkPolyhedra.
func BenchmarkSecondWorker(b *testing.B) {
	for _, kind := range heaps {
		steps := func(workers int) func() {
			w := newWorld(b, heap(b, 10, 20, workers, kind.body), Options{TimeStep: 2e-4, Law: gritLaw, Workers: workers, Contacts: kind.contacts})
			walk(b, w, 50)
			return func() { walk(b, w, 2) }
		}
		b.Run(kind.name+"/bodies=2000", func(b *testing.B) { gain.Measure(b, steps(1), steps(1), steps(2)) })
	}
}

// BenchmarkBalls measures steps of balls on a lattice that touch their neighbors and the ground.
func BenchmarkBalls(b *testing.B) {
	const side = 28
	shape := ball(b, .5)
	s := Scene{Gravity: r3.Vector{Z: -9.81}, Walls: []Wall{{Solid: solidOf(b, placed(box(r3.Vector{X: 2 * side, Y: 2 * side, Z: 2}, 8), r3.Vector{X: side / 2, Y: side / 2, Z: -1}))}}}
	for i := range side * side * side {
		at := r3.Vector{X: float64(i % side), Y: float64(i / side % side), Z: float64(i/side/side) + .5}.Mul(.98)
		s.Bodies = append(s.Bodies, Body{Shape: shape, Density: 1000, Pose: turned(b, r3.Vector{Z: 1}, 0, at)})
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("bodies=%d/workers=%d", len(s.Bodies), workers), func(b *testing.B) {
			w := newWorld(b, s, Options{TimeStep: 1e-4, Law: gritLaw, Workers: workers})
			walk(b, w, 3)
			for b.Loop() {
				walk(b, w, 1)
			}
			b.ReportMetric(float64(len(s.Bodies))*float64(b.N)/b.Elapsed().Seconds(), "bodies/s")
		})
	}
}
