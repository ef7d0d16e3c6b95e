package bem

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// globe returns a closed sphere with outward normals. It has 2·n·(n−1) triangles of nonzero area.
// Another 2·n triangles at the poles are collapsed to edges.
func globe(n int) mesh.Soup {
	var s mesh.Soup
	for i := range n + 1 {
		for j := range n {
			sin, z := math.Sincos(math.Pi * float64(i) / float64(n))
			y, x := math.Sincos(2 * math.Pi * float64(j) / float64(n))
			switch i {
			case 0:
				sin, z = 0, 1
			case n:
				sin, z = 0, -1
			}
			s.Vertices = append(s.Vertices, r3.Vector{X: sin * x, Y: sin * y, Z: z})
		}
	}
	id := func(i, j int) int32 { return int32(i*n + j%n) }
	for i := range n {
		for j := range n {
			s.Faces = append(s.Faces,
				[3]int32{id(i, j), id(i+1, j), id(i+1, j+1)},
				[3]int32{id(i, j), id(i+1, j+1), id(i, j+1)})
		}
	}
	return s
}

func TestDirectClosedIsInteger(t *testing.T) {
	m := mustMesh(globe(40))
	if !m.Closed() {
		t.Fatal("the test mesh is not closed")
	}
	d := NewDirect(m, 1)
	rng := newRand(20)
	for trial := range 2000 {
		f := m.Triangle(rng.Int32N(int32(m.NumFaces())))
		x := hard(rng, f, worlds[0])
		w, bound, on := d.Winding(x)
		if on || bound > 0.25 {
			continue
		}
		if math.Abs(w-math.Round(w)) > bound || w < -0.5 || w > 1.5 {
			t.Fatalf("trial %d: x %v: w %v, want 0 or 1 within %g", trial, x, w, bound)
		}
		if r := x.Norm(); r < 0.99 && math.Round(w) != 1 || r > 1.00001 && math.Round(w) != 0 {
			t.Fatalf("trial %d: x %v at radius %v: w %v on the wrong side", trial, x, r, w)
		}
	}
}

// Winding agrees with a simple reference, which adds one arc tangent for each triangle.
func TestDirectAgainstNaive(t *testing.T) {
	rng := newRand(21)
	for trial := range 300 {
		m := mustMesh(soup(rng, 1+rng.IntN(900), 30, func() r3.Vector { return randomVector(rng) }))
		x := randomVector(rng)
		naive := 0.0
		for _, f := range triangles(m) {
			a, b, c := f[0].Sub(x), f[1].Sub(x), f[2].Sub(x)
			den := a.Norm()*b.Norm()*c.Norm() + a.Dot(b)*c.Norm() + b.Dot(c)*a.Norm() + c.Dot(a)*b.Norm()
			naive += 2 * math.Atan2(a.Dot(b.Cross(c)), den) / (4 * math.Pi)
		}
		w, bound, on := NewDirect(m, 1).Winding(x)
		if on || math.Abs(w-naive) > 2*bound {
			t.Fatalf("trial %d: w %v, naive %v, bound %g, on %v", trial, w, naive, bound, on)
		}
	}
}

// Flipping a mesh negates W, and doubling a mesh doubles W. The W of several disjoint parts is the
// sum of the W of each part.
func TestDirectLinear(t *testing.T) {
	rng := newRand(22)
	for trial := range 300 {
		w := worlds[trial%len(worlds)]
		s := soup(rng, 2+rng.IntN(20), 10, func() r3.Vector { return w.vertex(rng) })
		winding := func(faces [][3]int32, x r3.Vector) (float64, float64) {
			m := mustMesh(mesh.Soup{Vertices: append([]r3.Vector(nil), s.Vertices...), Faces: append([][3]int32(nil), faces...)})
			w, bound, _ := NewDirect(m, 1).Winding(x)
			return w, bound
		}
		var flipped, doubled [][3]int32
		for _, f := range s.Faces {
			flipped = append(flipped, [3]int32{f[0], f[2], f[1]})
			doubled = append(doubled, f, f)
		}
		cut := rng.IntN(len(s.Faces))
		f := s.Faces[cut]
		x := hard(rng, mesh.Triangle{s.Vertices[f[0]], s.Vertices[f[1]], s.Vertices[f[2]]}, w)
		all, b := winding(s.Faces, x)
		minus, bm := winding(flipped, x)
		twice, bt := winding(doubled, x)
		left, bl := winding(s.Faces[:cut], x)
		right, br := winding(s.Faces[cut:], x)
		if math.Abs(all+minus) > b+bm || math.Abs(2*all-twice) > 2*b+bt || math.Abs(all-left-right) > b+bl+br {
			t.Fatalf("trial %d, %s: w %v ± %g is inconsistent with flipped %v, doubled %v, parts %v and %v", trial, w.name, all, b, minus, twice, left, right)
		}
	}
}

// Winding reports points that lie exactly on faces, edges and vertices.
func TestDirectOnSurface(t *testing.T) {
	tetra := mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 4}, {Y: 4}, {Z: 4}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
	}
	d := NewDirect(mustMesh(tetra), 1)
	for _, c := range []struct {
		name string
		x    r3.Vector
		w    float64
		on   bool
	}{
		{"inside", r3.Vector{X: 1, Y: 1, Z: 1}, 1, false},
		{"outside", r3.Vector{X: -1, Y: 1, Z: 1}, 0, false},
		{"in a face plane, outside", r3.Vector{X: -1, Y: 1}, 0, false},
		{"on an edge line, outside", r3.Vector{X: -1}, 0, false},
		{"on a face", r3.Vector{X: 1, Y: 1}, 0.5, true},
		{"on a right-angled edge", r3.Vector{X: 2}, 0.25, true},
		{"on the corner", r3.Vector{}, 0.125, true},
		{"not finite", r3.Vector{X: math.NaN()}, math.NaN(), false},
		{"infinite", r3.Vector{Y: math.Inf(-1)}, math.NaN(), false},
	} {
		w, bound, on := d.Winding(c.x)
		switch {
		case on != c.on:
			t.Errorf("%s: on %v, want %v", c.name, on, c.on)
		case math.IsNaN(c.w):
			if !math.IsNaN(w) || !math.IsInf(bound, 1) {
				t.Errorf("%s: %v ± %v, want NaN ± Inf", c.name, w, bound)
			}
		case math.Abs(w-c.w) > bound || bound > 1e-13:
			t.Errorf("%s: w %v ± %g, want %v", c.name, w, bound, c.w)
		}
	}
}

func TestDirectEmpty(t *testing.T) {
	w, bound, on := NewDirect(mustMesh(mesh.Soup{}), 0).Winding(r3.Vector{X: 1})
	if w != 0 || bound > 1e-14 || on {
		t.Errorf("empty mesh: %v ± %v, on %v", w, bound, on)
	}
}

// WindingsTo returns the same bits as Winding for any number of workers.
func TestWindingsToDeterministic(t *testing.T) {
	rng := newRand(23)
	m := mustMesh(globe(25)) // 1250 faces: the last block is not full
	pts := make([]r3.Vector, 203)
	for i := range pts {
		pts[i] = hard(rng, m.Triangle(rng.Int32N(int32(m.NumFaces()))), worlds[0])
	}
	pts[17].X = math.NaN()
	for _, workers := range []int{1, 2, 7} {
		d := NewDirect(m, workers)
		w, bound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
		if err := d.WindingsTo(t.Context(), w, bound, on, pts); err != nil {
			t.Fatal(err)
		}
		for i, x := range pts {
			ww, bb, oo := d.Winding(x)
			if math.Float64bits(ww) != math.Float64bits(w[i]) || bb != bound[i] || oo != on[i] {
				t.Fatalf("%d workers, point %d: %v ± %v %v, single %v ± %v %v", workers, i, w[i], bound[i], on[i], ww, bb, oo)
			}
		}
	}
}

func TestWindingsToCancelledAndLengths(t *testing.T) {
	d := NewDirect(mustMesh(globe(5)), 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pts := make([]r3.Vector, 100)
	w, bound, on := make([]float64, 100), make([]float64, 100), make([]bool, 100)
	if err := d.WindingsTo(ctx, w, bound, on, pts); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	for i := range w {
		if !math.IsNaN(w[i]) || !math.IsInf(bound[i], 1) {
			t.Fatalf("point %d of a canceled call: %v ± %v", i, w[i], bound[i])
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("got no panic for different lengths, want one")
		}
	}()
	_ = d.WindingsTo(t.Context(), w[:1], bound, on, pts)
}

func TestQueriesDoNotAllocate(t *testing.T) {
	m := mustMesh(globe(20))
	d := NewDirect(m, 1)
	open := globe(20)
	open.Faces = open.Faces[100:]
	b := NewBoundary(mustMesh(open))
	var sc Scratch
	x, r := r3.Vector{X: 0.1, Y: 0.2, Z: 0.3}, r3.Vector{X: 10, Y: 11, Z: 12}
	if n := testing.AllocsPerRun(20, func() { d.Winding(x) }); n != 0 {
		t.Errorf("Winding allocates %v times, want 0", n)
	}
	if n := testing.AllocsPerRun(20, func() { b.Sum(x, r, &sc) }); n != 0 {
		t.Errorf("Sum allocates %v times, want 0", n)
	}
}
