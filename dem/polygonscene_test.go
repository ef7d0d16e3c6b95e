package dem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

func bruteRects() neighbor.Method[neighbor.Rect] { return neighbor.NewBruteForce[neighbor.Rect]() }

func shape(t testing.TB, corners ...r2.Point) *polygon.Shape {
	t.Helper()
	s, err := polygon.New(corners)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rectangle returns a rectangle whose lower left corner is the origin of its frame.
func rectangle(t testing.TB, width, height float64) *polygon.Shape {
	return shape(t, r2.Point{}, r2.Point{X: width}, r2.Point{X: width, Y: height}, r2.Point{Y: height})
}

func regular(t testing.TB, n int, radius float64) *polygon.Shape {
	var c []r2.Point
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		c = append(c, r2.Point{X: cos, Y: sin}.Mul(radius))
	}
	return shape(t, c...)
}

// random returns a polygon with n random corners on an ellipse whose center is not the origin.
func random(t testing.TB, rng *rand.Rand, n int, radius float64) *polygon.Shape {
	angles := make([]float64, n)
	for i := range angles {
		// Each of n equal sectors has one corner, so the shape is not too small.
		angles[i] = 2 * math.Pi * (float64(i) + .9*rng.Float64()) / float64(n)
	}
	stretch := .6 + .4*rng.Float64()
	var c []r2.Point
	for _, a := range angles {
		sin, cos := math.Sincos(a)
		c = append(c, r2.Point{X: radius * (cos + .3), Y: radius * stretch * (sin - .2)})
	}
	return shape(t, c...)
}

// rubble returns n² random polygons on a lattice with spacing 2, between walls. Their velocities
// and spins are random. With size .8, no polygons overlap. With size 1, most polygons overlap.
func rubble(t testing.TB, n int, size float64, seed uint64) PolygonScene {
	rng := rand.New(rand.NewPCG(seed, 2))
	s := PolygonScene{Walls: neighbor.Rect{Max: r2.Point{X: 2 * float64(n), Y: 2 * float64(n)}}}
	for i := range n * n {
		sh := random(t, rng, 3+rng.IntN(8), size+.3*rng.Float64())
		c := sh.Centroid()
		at := r2.Point{X: 2*float64(i%n) + 1, Y: 2*float64(i/n) + 1}
		angle := 2 * math.Pi * rng.Float64()
		sin, cos := math.Sincos(angle)
		s.Polygons = append(s.Polygons, Polygon{
			Shape:    sh,
			Pose:     polygon.Pose{At: at.Sub(r2.Point{X: cos*c.X - sin*c.Y, Y: sin*c.X + cos*c.Y}), Angle: angle},
			Velocity: r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()},
			Spin:     rng.NormFloat64(),
		})
	}
	return s
}

var rubbleOptions = Options{TimeStep: 1e-3, Stiffness: 5e3, Workers: 1}

func newPolygons(t testing.TB, s PolygonScene, m neighbor.Method[neighbor.Rect], o Options) *Polygons {
	t.Helper()
	w, err := NewPolygons(t.Context(), s, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func polygonHash(w *Polygons) uint64 {
	var all []any
	for i := range w.Len() {
		v, spin := w.Velocity(i)
		all = append(all, w.Pose(i), w.Center(i), v, spin)
	}
	return hash(append(all, w.Contacts(), w.Steps(), w.Energy())...)
}
