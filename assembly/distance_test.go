package assembly_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// The magnitude of the distance is the smallest distance to any solid, bit for bit. The sign
// follows the side relative to the union. Without INPOLY_FULL=1 the test uses one or two of the
// options for each scene.
func TestDistances(t *testing.T) {
	for name, soups := range scenes() {
		pts := scenePoints(soups, 5)
		for k, opt := range []inpoly.Options{{}, {Rule: inpoly.EvenOdd, Method: inpoly.Cells}, {Tolerance: 0.1}} {
			if !testcorpus.Full() && (k+len(name))%2 != 0 {
				continue
			}
			exact := opt
			exact.Tolerance = 0
			want := newTruth(t, exact, soups, pts)
			for _, workers := range []int{1, 3} {
				opt.Workers = workers
				a := newAssembly(t, opt, partsOf(soups...))
				d, body, face := make([]float64, len(pts)), make([]int32, len(pts)), make([]int32, len(pts))
				if err := distancesTo(a, t.Context(), d, body, face, pts); err != nil {
					t.Fatal(err)
				}
				for i, p := range pts {
					wantD, wantBody, wantFace := want.distance(i)
					if vec.MaxAbs(p) > 1e15 && body[i] >= 0 && math.Abs(wantD) == unsigned(want.solids[body[i]].Mesh(), p) {
						// The rounded distances of several solids can be equal.
						_, f := want.solids[body[i]].Distance(p)
						wantBody, wantFace = body[i], f
					}
					if !sameBits(d[i], wantD) || body[i] != wantBody || face[i] != wantFace {
						t.Fatalf("%s, %+v at %v: %g to face %d of %d, want %g to face %d of %d", name, opt, p, d[i], face[i], body[i], wantD, wantFace, wantBody)
					}
					if x, b, f := a.Distance(p); !sameBits(x, d[i]) || b != body[i] || f != face[i] {
						t.Fatalf("%s, %+v at %v: as a single point %g to face %d of %d, want %g to face %d of %d", name, opt, p, x, f, b, d[i], face[i], body[i])
					}
				}
			}
		}
	}
}

// distance returns the expected answer for point i, from the distances of all solids.
func (w *truth) distance(i int) (d float64, body, face int32) {
	d, body, face = math.NaN(), -1, -1
	for k, s := range w.solids {
		x, f := s.Distance(w.pts[i])
		if f < 0 {
			continue
		}
		if math.IsNaN(x) { // the sign is not known
			x = unsigned(s.Mesh(), w.pts[i])
		}
		if x = math.Abs(x); body < 0 || x < d {
			d, body, face = x, int32(k), f
		}
	}
	switch {
	case body < 0:
	case w.side(i) == inpoly.Unknown:
		d = math.NaN()
	case w.side(i) == inpoly.Inside && d > 0:
		d = -d
	}
	return d, body, face
}

func unsigned(m *mesh.Mesh, p r3.Vector) float64 {
	x, err := m.Index(context.Background(), bvh.Options{})
	if err != nil {
		panic(err)
	}
	return nearest.New(x).Closest(p, new(nearest.Scratch)).Distance
}

// The sum of the winding numbers of all solids equals the winding number of one mesh with all
// faces.
func TestWindings(t *testing.T) {
	for name, soups := range scenes() {
		pts := scenePoints(soups, 6)
		all := testmesh.Mesh(testmesh.Union(soups...))
		for k, method := range []inpoly.Method{inpoly.Auto, inpoly.RayCrossing, inpoly.FMM} {
			if !testcorpus.Full() && k != len(name)%3 {
				continue
			}
			whole := newSolid(t, testmesh.Union(soups...), inpoly.Options{Method: inpoly.RayCrossing})
			var before []float64
			for _, workers := range []int{1, 3} {
				a := newAssembly(t, inpoly.Options{Method: method, Workers: workers}, partsOf(soups...))
				w, bound := make([]float64, len(pts)), make([]float64, len(pts))
				if err := windingsTo(a, t.Context(), w, bound, pts); err != nil {
					t.Fatal(err)
				}
				for i, p := range pts {
					want, wantBound := whole.Winding(p)
					if !finitePoint(p) {
						if !math.IsNaN(w[i]) || !math.IsInf(bound[i], 1) {
							t.Fatalf("%s at %v: W = %g ± %g", name, p, w[i], bound[i])
						}
						continue
					}
					if !(math.Abs(w[i]-want) <= bound[i]+wantBound) {
						t.Fatalf("%s, %v at %v: W = %g ± %g, of all faces %g ± %g", name, method, p, w[i], bound[i], want, wantBound)
					}
					if all.Closed() && whole.Side(p) != inpoly.OnSurface && bound[i] != 0 {
						t.Fatalf("%s, %v at %v: W = %g ± %g of closed meshes", name, method, p, w[i], bound[i])
					}
					if x, b := a.Winding(p); !sameBits(x, w[i]) || !sameBits(b, bound[i]) {
						t.Fatalf("%s, %v at %v: W = %g ± %g, as a single point %g ± %g", name, method, p, w[i], bound[i], x, b)
					}
					if before != nil && !sameBits(before[i], w[i]) {
						t.Fatalf("%s, %v at %v: W = %g with %d workers, %g with one", name, method, p, w[i], workers, before[i])
					}
				}
				before = w
			}
		}
	}
}

// An assembly of the parts of a mesh has the winding numbers and distances of the mesh. FileFace
// returns the face index in the mesh.
func TestSplitAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for round := range 6 {
		var soups []mesh.Soup
		for i := range 3 + round {
			at := r3.Vector{X: 6 * rng.Float64(), Y: 3 * rng.Float64(), Z: rng.Float64()}
			soups = append(soups, testmesh.Translate(testmesh.Star(1, 0.5, uint64(round*10+i)), at))
		}
		whole := testmesh.Union(soups...)
		whole.Bodies = whole.Bodies[1:] // the first faces then belong to no body
		m := testmesh.Mesh(whole)
		parts, err := assembly.Split(t.Context(), "file", m)
		if err != nil || len(parts) != len(soups) || parts[len(parts)-1].Name != "file/rest" {
			t.Fatalf("%d parts of %d, error %v", len(parts), len(soups), err)
		}
		a := newAssembly(t, inpoly.Options{}, parts)
		solid := newSolid(t, whole, inpoly.Options{})
		for k := range a.Len() {
			part := a.Solid(k).Mesh()
			for f := range int32(part.NumFaces()) {
				if part.Triangle(f) != m.Triangle(a.FileFace(k, f)) {
					t.Fatalf("face %d of %s is not face %d of the file", f, a.Name(k), a.FileFace(k, f))
				}
			}
		}
		for _, p := range scenePoints(soups, 7) {
			d, body, face := a.Distance(p)
			wantD, _ := solid.Distance(p)
			if !sameBits(d, wantD) {
				t.Fatalf("%v: distance %g, want %g", p, d, wantD)
			}
			if body >= 0 { // the faces can differ if several faces are at the same distance
				found, err := m.Extract(t.Context(), []int32{a.FileFace(int(body), face)})
				if err != nil {
					t.Fatal(err)
				}
				if x := unsigned(found, p); x != math.Abs(d) {
					t.Fatalf("%v: face %d is at %g, want %g", p, a.FileFace(int(body), face), x, d)
				}
			}
			if face < 0 && a.FileFace(0, face) != -1 {
				t.Fatal("FileFace of −1 is not −1")
			}
			w, _ := a.Winding(p)
			want, bound := solid.Winding(p)
			if math.Abs(w-want) > bound+1e-12 {
				t.Fatalf("%v: W = %g, want %g", p, w, want)
			}
		}
	}
}

// The union of overlapping, touching and nested solids has the documented sides and distances.
func TestUnion(t *testing.T) {
	a := newAssembly(t, inpoly.Options{}, partsOf(box(0, 0, 0, 2), box(1, 0, 0, 2), box(3, 0, 0, 2), testmesh.Flip(box(0.5, 0.5, 0.5, 0.25))))
	for _, c := range []struct {
		p     r3.Vector
		side  inpoly.Side
		d     float64
		body  int32
		count int32
	}{
		{r3.Vector{X: 1, Y: 1, Z: 1}, inpoly.Inside, 0, 1, 2},            // inside one solid, on the surface of another
		{r3.Vector{X: 1.75, Y: 1, Z: 1}, inpoly.Inside, -0.25, 0, 2},     // the nearest face is inside the union
		{r3.Vector{X: 3, Y: 1, Z: 1}, inpoly.OnSurface, 0, 1, 2},         // between two solids that touch
		{r3.Vector{X: 6, Y: 1, Z: 1}, inpoly.Outside, 1, 2, 0},           //
		{r3.Vector{X: 0.6, Y: 0.6, Z: 0.625}, inpoly.Inside, -0.1, 3, 2}, // in a cavity that is a separate solid
	} {
		d, body, face := a.Distance(c.p)
		if a.Side(c.p) != c.side || math.Abs(d-c.d) > 1e-15 || math.Signbit(d) != (c.d < 0) || body != c.body || face < 0 || a.Body(c.p, assembly.Count) != c.count {
			t.Errorf("%v: %v of %d, %s; want %v of %d, %g to %d", c.p, a.Side(c.p), a.Body(c.p, assembly.Count), fmt.Sprint(d, " to ", body), c.side, c.count, c.d, c.body)
		}
	}
}
