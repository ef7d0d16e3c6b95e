package rigid

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

var full = os.Getenv("INPOLY_FULL") == "1"

func solidOf(t testing.TB, s mesh.Soup) *inpoly.Solid {
	t.Helper()
	return solidFor(t, s, 0)
}

// solidFor returns a solid with the given number of workers.
func solidFor(t testing.TB, s mesh.Soup, workers int) *inpoly.Solid {
	t.Helper()
	m, err := mesh.New(t.Context(), s, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	solid, err := inpoly.New(t.Context(), m, inpoly.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return solid
}

func polyhedron(t testing.TB, s mesh.Soup) *Shape {
	t.Helper()
	shape, err := NewPolyhedron(t.Context(), solidOf(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return shape
}

func ball(t testing.TB, radius float64) *Shape {
	t.Helper()
	shape, err := NewBall(radius)
	if err != nil {
		t.Fatal(err)
	}
	return shape
}

// grid returns a rectangle of n×m cells of two triangles. The corner at places the parameters u and
// v from 0 to 1.
func grid(n, m int, at func(u, v float64) r3.Vector) mesh.Soup {
	var s mesh.Soup
	for j := range m + 1 {
		for i := range n + 1 {
			s.Vertices = append(s.Vertices, at(float64(i)/float64(n), float64(j)/float64(m)))
		}
	}
	for j := range m {
		for i := range n {
			a := int32(j*(n+1) + i)
			b, c, d := a+1, a+int32(n)+1, a+int32(n)+2
			s.Faces = append(s.Faces, [3]int32{a, b, d}, [3]int32{a, d, c})
		}
	}
	return s
}

func join(parts ...mesh.Soup) (s mesh.Soup) {
	for _, p := range parts {
		first := int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, p.Vertices...)
		for _, f := range p.Faces {
			s.Faces = append(s.Faces, [3]int32{f[0] + first, f[1] + first, f[2] + first})
		}
	}
	return s
}

// box returns a box around the origin whose sides are divided into n×n cells.
func box(size r3.Vector, n int) mesh.Soup {
	side := func(o, u, v r3.Vector) mesh.Soup {
		return grid(n, n, func(a, b float64) r3.Vector {
			p := o.Add(u.Mul(a)).Add(v.Mul(b))
			return r3.Vector{X: p.X * size.X, Y: p.Y * size.Y, Z: p.Z * size.Z}
		})
	}
	x, y, z := r3.Vector{X: 1}, r3.Vector{Y: 1}, r3.Vector{Z: 1}
	lo, hi := r3.Vector{X: -.5, Y: -.5, Z: -.5}, r3.Vector{X: .5, Y: .5, Z: .5}
	neg := func(v r3.Vector) r3.Vector { return v.Mul(-1) }
	return join(side(lo, y, x), side(lo, x, z), side(lo, z, y),
		side(hi, neg(x), neg(y)), side(hi, neg(z), neg(x)), side(hi, neg(y), neg(z)))
}

// pebble returns an ellipsoid of 200 triangles.
func pebble(a, b, c float64) mesh.Soup { return ellipsoid(a, b, c, 10, 11) }

// stone returns a convex polyhedron of 200 triangles: the hull of 102 points on an ellipsoid.
func stone(a, b, c float64) (s mesh.Soup) {
	const n = 102
	for i := range n { // a spiral from pole to pole
		z := 1 - (2*float64(i)+1)/n
		r, azimuth := math.Sqrt(1-z*z), float64(i)*math.Pi*(3-math.Sqrt(5))
		s.Vertices = append(s.Vertices, r3.Vector{X: r * math.Cos(azimuth), Y: r * math.Sin(azimuth), Z: z})
	}
	side := func(i, j, k int) bool { // all points are below the plane of the three
		p := s.Vertices[i]
		normal := s.Vertices[j].Sub(p).Cross(s.Vertices[k].Sub(p))
		for l, q := range s.Vertices {
			if l != i && l != j && l != k && normal.Dot(q.Sub(p)) > 0 {
				return false
			}
		}
		return true
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			for k := j + 1; k < n; k++ {
				if side(i, j, k) {
					s.Faces = append(s.Faces, [3]int32{int32(i), int32(j), int32(k)})
				} else if side(i, k, j) {
					s.Faces = append(s.Faces, [3]int32{int32(i), int32(k), int32(j)})
				}
			}
		}
	}
	for i, v := range s.Vertices {
		s.Vertices[i] = r3.Vector{X: a * v.X, Y: b * v.Y, Z: c * v.Z}
	}
	return s
}

// ellipsoid returns an ellipsoid of 2·meridians·(bands−1) triangles.
func ellipsoid(a, b, c float64, meridians, bands int) mesh.Soup {
	var s mesh.Soup
	put := func(polar, azimuth float64) {
		s.Vertices = append(s.Vertices, r3.Vector{
			X: a * math.Sin(polar) * math.Cos(azimuth), Y: b * math.Sin(polar) * math.Sin(azimuth), Z: c * math.Cos(polar)})
	}
	put(0, 0)
	for j := 1; j < bands; j++ {
		for i := range meridians {
			put(math.Pi*float64(j)/float64(bands), 2*math.Pi*(float64(i)+.5*float64(j%2))/float64(meridians))
		}
	}
	put(math.Pi, 0)
	last := int32(len(s.Vertices) - 1)
	ring := func(j, i int) int32 { return int32(1 + (j-1)*meridians + i%meridians) }
	for i := range meridians {
		s.Faces = append(s.Faces, [3]int32{0, ring(1, i), ring(1, i+1)}, [3]int32{last, ring(bands-1, i+1), ring(bands-1, i)})
		for j := 1; j < bands-1; j++ {
			k := i + j%2 // the ring j+1 is turned by half a cell
			s.Faces = append(s.Faces, [3]int32{ring(j, i), ring(j+1, k), ring(j, i+1)}, [3]int32{ring(j, i+1), ring(j+1, k), ring(j+1, k+1)})
		}
	}
	return s
}

func turned(t testing.TB, axis r3.Vector, angle float64, at r3.Vector) pose.Pose {
	t.Helper()
	p, err := pose.Turned(axis, angle, at)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pile returns layers of pebbles and balls above a basin of triangles.
func pile(t testing.TB, n int, seed uint64) Scene {
	shapes := []*Shape{polyhedron(t, pebble(.5, .45, .4)), ball(t, .45), polyhedron(t, pebble(.4, .4, .5)), polyhedron(t, box(r3.Vector{X: .7, Y: .6, Z: .5}, 2))}
	rng := rand.New(rand.NewPCG(seed, 0))
	side := max(2, int(math.Cbrt(float64(n)/2)))
	half := float64(side)*.55 + .5
	basin := join(
		grid(16, 16, func(u, v float64) r3.Vector {
			x, y := (2*u-1)*half, (2*v-1)*half
			return r3.Vector{X: x, Y: y, Z: .1 * (x*x + y*y) / half}
		}),
	)
	s := Scene{Gravity: r3.Vector{Z: -9.81}, Walls: []Wall{
		{Solid: solidOf(t, basin), Thickness: .4},
		{Solid: solidOf(t, placed(box(r3.Vector{X: 1, Y: 4 * half, Z: 40}, 1), r3.Vector{X: half + .5, Z: 10}))},
		{Solid: solidOf(t, placed(box(r3.Vector{X: 1, Y: 4 * half, Z: 40}, 1), r3.Vector{X: -half - .5, Z: 10}))},
		{Solid: solidOf(t, placed(box(r3.Vector{X: 4 * half, Y: 1, Z: 40}, 1), r3.Vector{Y: half + .5, Z: 10}))},
		{Solid: solidOf(t, placed(box(r3.Vector{X: 4 * half, Y: 1, Z: 40}, 1), r3.Vector{Y: -half - .5, Z: 10}))},
	}}
	for i := range n {
		at := r3.Vector{X: float64(i%side) - float64(side-1)/2, Y: float64(i/side%side) - float64(side-1)/2, Z: float64(i / side / side)}.Mul(1.05)
		at.Z += 1 + .2*half
		s.Bodies = append(s.Bodies, Body{
			Shape: shapes[i%len(shapes)], Density: 1000,
			Pose:     turned(t, r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}, 6*rng.Float64(), at),
			Velocity: r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: -2},
			Spin:     r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()},
		})
	}
	return s
}

func placed(s mesh.Soup, at r3.Vector) mesh.Soup {
	for i, v := range s.Vertices {
		s.Vertices[i] = v.Add(at)
	}
	return s
}

// gritLaw is a law for the bodies of pile.
var gritLaw = Linear{Ball: Spring{3e6, 1500}, Surface: Spring{4e7, 4e4}, Friction: .4}

func newWorld(t testing.TB, s Scene, o Options) *World {
	t.Helper()
	w, err := New(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func walk(t testing.TB, w *World, n int) {
	t.Helper()
	for i := range n {
		if err := w.Step(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
}

// hashOf returns a hash of the whole state.
func hashOf(w *World) uint64 {
	h := fnv.New64a()
	for i := range w.now.motions {
		m := &w.now.motions[i]
		fmt.Fprintln(h, m.pose, m.center.X, m.velocity, m.momentum, m.spin, m.force, m.torque, m.removed)
	}
	for _, c := range w.now.contacts {
		fmt.Fprintln(h, c.A, c.B, c.Feature, c.Point.X, c.Depth, c.Force.X, c.Spring.X)
	}
	return h.Sum64()
}

func checkError(t *testing.T, name string, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), text) {
		t.Errorf("%s: error %v, want %q about %q", name, err, want, text)
	}
}

// doneAfter is a context that is canceled after its method Err has been called a number of times.
type doneAfter struct {
	context.Context
	calls atomic.Int64
}

func (d *doneAfter) Err() error {
	if d.calls.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func slope(errs []float64) float64 {
	n := len(errs)
	return math.Log2(errs[0]/errs[n-1]) / float64(n-1)
}
