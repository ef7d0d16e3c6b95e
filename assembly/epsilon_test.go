package assembly_test

import (
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/side"
)

// The sum of the winding numbers of several solids has a bound of at most Epsilon.
func TestEpsilonOfSum(t *testing.T) {
	bowl := testmesh.Hemisphere(3)
	var parts []assembly.Part
	for i := range 5 {
		moved := testmesh.Move(bowl, func(v r3.Vector) r3.Vector { return v.Add(r3.Vector{X: .1 * float64(i)}) })
		parts = append(parts, assembly.Part{Mesh: testmesh.Mesh(moved)}, assembly.Part{Mesh: testmesh.Mesh(testmesh.UnitCube())})
	}
	pts := []r3.Vector{{X: 1, Y: .5, Z: .5}, {}, {X: 2}}
	for i := range 200 {
		pts = append(pts, r3.Vector{X: .013 * float64(i%50), Y: .3 - .002*float64(i), Z: .1 + .001*float64(i)})
	}
	for _, epsilon := range []float64{1e-13, 1e-9} {
		for _, method := range inpoly.Methods() {
			a := newAssembly(t, inpoly.Options{Epsilon: epsilon, Method: method}, parts)
			w, bound := make([]float64, len(pts)), make([]float64, len(pts))
			if _, err := a.LocateTo(t.Context(), assembly.Query{}, inpoly.Answers{Answers: side.Answers{Winding: w, Bound: bound}}, pts); err != nil {
				t.Fatal(err)
			}
			for i, p := range pts {
				v, b := a.Winding(p)
				if !(bound[i] <= epsilon) || !(b <= epsilon) || !(v-w[i] <= b+bound[i] && w[i]-v <= b+bound[i]) {
					t.Fatalf("%v, epsilon %g, at %v: %v ± %g in a batch, %v ± %g alone", method, epsilon, p, w[i], bound[i], v, b)
				}
			}
		}
	}
}

// The winding numbers of a batch have the same bits for any number of workers, even if the batch pays
// for better indexes.
func TestWindingsOfBatch(t *testing.T) {
	bowl := testmesh.Hemisphere(4)
	var parts []assembly.Part
	for i := range 3 {
		moved := testmesh.Move(bowl, func(v r3.Vector) r3.Vector { return v.Add(r3.Vector{X: .1 * float64(i)}) })
		parts = append(parts, assembly.Part{Mesh: testmesh.Mesh(moved)})
	}
	r := rand.New(rand.NewPCG(3, 0))
	pts := make([]r3.Vector, 30_000)
	for i := range pts {
		pts[i] = r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()}
	}
	for _, opt := range []inpoly.Options{{ExpectedPoints: 10}, {Method: inpoly.FMM, Epsilon: 1e-4, ExpectedPoints: 10}} {
		var want []float64
		for _, opt.Workers = range []int{1, 3} {
			a := newAssembly(t, opt, parts)
			w, bound := make([]float64, len(pts)), make([]float64, len(pts))
			if _, err := a.LocateTo(t.Context(), assembly.Query{}, inpoly.Answers{Answers: side.Answers{Winding: w, Bound: bound}}, pts); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = w
			}
			for i := range w {
				if w[i] != want[i] {
					t.Fatalf("%v, %d workers, at %v: %v, want %v", opt.Method, opt.Workers, pts[i], w[i], want[i])
				}
			}
		}
	}
}
