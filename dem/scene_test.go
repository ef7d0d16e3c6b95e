package dem

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

type finder[T neighbor.Body] struct {
	name string
	new  func(workers int) neighbor.Method[T]
}

func methods[T neighbor.Body]() []finder[T] {
	return []finder[T]{
		{"brute force", func(int) neighbor.Method[T] { return neighbor.NewBruteForce[T]() }},
		{"Verlet list", func(n int) neighbor.Method[T] { return neighbor.NewVerletList[T](neighbor.VerletOptions{Workers: n}) }},
		{"linked cell", func(n int) neighbor.Method[T] { return neighbor.NewLinkedCell[T](neighbor.CellOptions{Workers: n}) }},
		{"incremental sort", func(n int) neighbor.Method[T] {
			return neighbor.NewIncrementalSort[T](neighbor.SortOptions{Workers: n})
		}},
		{"radial sort", func(n int) neighbor.Method[T] { return neighbor.NewRadialSort[T](neighbor.RadialOptions{Workers: n}) }},
		{"hierarchical grid", func(n int) neighbor.Method[T] {
			return neighbor.NewHierarchicalGrid[T](neighbor.GridOptions{Workers: n})
		}},
		{"auto", func(n int) neighbor.Method[T] { return neighbor.NewAuto[T](neighbor.AutoOptions{Workers: n}) }},
	}
}

func fast[T neighbor.Body](workers int) neighbor.Method[T] {
	return neighbor.NewVerletList[T](neighbor.VerletOptions{Workers: workers})
}

// gas returns n³ balls of radius .5e-3 on a lattice of spacing 1.2e-3 with random velocities, and a
// box around the balls. The experiment is from §3.2 of Muth, Müller, Eberhard, Luding 2007. The
// paper does not state velocities.
func gas(n int, seed uint64) SphereScene {
	const spacing, radius, speed = 1.2e-3, .5e-3, .01
	rng := rand.New(rand.NewPCG(seed, 0))
	var s SphereScene
	side := spacing * float64(n)
	s.Walls = bvh.Box{Max: r3.Vector{X: side, Y: side, Z: side}}
	for i := range n * n * n {
		at := r3.Vector{X: float64(i % n), Y: float64(i / n % n), Z: float64(i / n / n)}
		s.Balls = append(s.Balls, neighbor.Sphere{
			Center: at.Add(r3.Vector{X: .5, Y: .5, Z: .5}).Mul(spacing), Radius: radius})
		s.Velocities = append(s.Velocities,
			r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Mul(speed))
	}
	return s
}

// gasOptions are the options in §3.2 of Muth, Müller, Eberhard, Luding 2007.
var gasOptions = Options{TimeStep: 1e-5, Stiffness: 1e5, Density: 1e10, Workers: 1}

func newSpheres(t testing.TB, s SphereScene, m neighbor.Method[neighbor.Sphere], o Options) *Spheres {
	t.Helper()
	w, err := NewSpheres(t.Context(), s, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

type stepper interface {
	Step(ctx context.Context) error
	Energy() Energy
}

func walk(t testing.TB, w stepper, n int) {
	t.Helper()
	for i := range n {
		if err := w.Step(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
}

func hash(values ...any) uint64 {
	h := fnv.New64a()
	for _, v := range values {
		fmt.Fprintf(h, "%x;", v)
	}
	return h.Sum64()
}

// slope returns the order p of convergence: an error is proportional to the step length to the
// power p. The step length is halved from each error to the next.
func slope(errors []float64) float64 {
	n := len(errors)
	return math.Log2(errors[0]/errors[n-1]) / float64(n-1)
}
