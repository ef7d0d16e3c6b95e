package apitest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func sameWinding(w1, bound1, w2, bound2 float64) bool {
	return math.Float64bits(w1) == math.Float64bits(w2) && math.Float64bits(bound1) == math.Float64bits(bound2)
}

// For every mesh of the catalog and every rule, Side, SidesTo and SidesGridTo return the same sides
// with all methods. Winding numbers and bounds by rays and by cells are equal. Winding numbers by
// the direct sum agree within the bounds.
func TestMethodsAgreeOnCatalog(t *testing.T) {
	for n, tc := range testmesh.Catalog() {
		t.Run(tc.Name, func(t *testing.T) {
			m := testmesh.Mesh(tc.Soup)
			pts := []r3.Vector{{}, {X: math.NaN()}, {Y: math.Inf(-1)}, {X: 1e300}}
			for _, p := range tc.Probes {
				pts = append(pts, p.Point)
			}
			if m.NumFaces() > 0 {
				pts = append(pts, testcorpus.Probes(m, 60, 20, rand.New(rand.NewPCG(uint64(n), 11)))...)
			}
			for _, rule := range []inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.Negative, inpoly.EvenOdd} {
				checkAgree(t, m, rule, pts)
			}
		})
	}
}

func checkAgree(t *testing.T, m *mesh.Mesh, rule inpoly.Rule, pts []r3.Vector) {
	t.Helper()
	solids := map[inpoly.Method]*inpoly.Solid{}
	sides := map[inpoly.Method][]inpoly.Side{}
	for _, method := range allMethods {
		solid, err := inpoly.New(t.Context(), m, inpoly.Options{Method: method, Rule: rule})
		if err != nil {
			t.Fatal(err)
		}
		solids[method], sides[method] = solid, make([]inpoly.Side, len(pts))
		if err := solid.SidesTo(t.Context(), sides[method], pts); err != nil {
			t.Fatal(err)
		}
	}
	want := sides[inpoly.RayCrossing]
	for i, p := range pts {
		w, bound := solids[inpoly.RayCrossing].Winding(p)
		for method, solid := range solids {
			if got := sides[method][i]; got != want[i] {
				t.Errorf("%v, %v at %v: %v, raycross %v", rule, method, p, got, want[i])
			}
			if got := solid.Side(p); got != want[i] {
				t.Errorf("%v, %v at %v: Side %v, raycross %v", rule, method, p, got, want[i])
			}
			gotW, gotBound := solid.Winding(p)
			exact := method == inpoly.RayCrossing || method == inpoly.Cells || m.Closed() && want[i] != inpoly.OnSurface
			if exact && !sameWinding(gotW, gotBound, w, bound) || math.Abs(gotW-w) > gotBound+bound {
				t.Errorf("%v, %v at %v: W = %v ± %g, raycross %v ± %g", rule, method, p, gotW, gotBound, w, bound)
			}
		}
	}
}

func TestWindingsTo(t *testing.T) {
	for name, soup := range map[string]mesh.Soup{"closed": testmesh.Star(3, 0.5, 1), "open": testmesh.Hemisphere(3)} {
		for _, method := range allMethods {
			for _, workers := range []int{1, 3} {
				solid := newSolid(t, soup, inpoly.Options{Method: method, Workers: workers})
				pts := append(testcorpus.Probes(solid.Mesh(), 100, 20, rand.New(rand.NewPCG(5, 5))), r3.Vector{X: math.NaN()})
				w, bound := make([]float64, len(pts)), make([]float64, len(pts))
				if err := solid.WindingsTo(t.Context(), w, bound, pts); err != nil {
					t.Fatal(err)
				}
				for i, p := range pts {
					x, b := solid.Winding(p)
					if !sameWinding(w[i], bound[i], x, b) {
						t.Errorf("%s, %v at %v: WindingsTo %v ± %g, Winding %v ± %g", name, method, p, w[i], bound[i], x, b)
					}
				}
			}
		}
	}
}

// With every method, SidesGridTo finds the sides of the grid points. Some grids are small, one is
// aligned with the faces, and one has several blocks.
func TestSidesGridTo(t *testing.T) {
	star := testmesh.Star(3, 0.5, 1)
	aligned := testmesh.Cube(r3.Vector{X: -1, Y: -1, Z: -1}, r3.Vector{X: 1, Y: 1, Z: 1})
	spacing := r3.Vector{X: 0.25, Y: 0.25, Z: 0.25}
	corner := r3.Vector{X: -1.5, Y: -1.5, Z: -1.5}
	for _, tc := range []struct {
		name string
		soup mesh.Soup
		grid inpoly.Grid
	}{
		{"aligned", aligned, inpoly.Grid{Origin: corner, Spacing: spacing, Counts: [3]int{13, 13, 13}}},
		{"backwards", star, inpoly.Grid{Origin: corner.Mul(-1), Spacing: spacing.Mul(-0.7), Counts: [3]int{17, 19, 11}}},
		{"open", testmesh.Hemisphere(3), inpoly.Grid{Origin: corner, Spacing: spacing.Mul(0.9), Counts: [3]int{13, 15, 17}}},
		{"one row", star, inpoly.Grid{Origin: r3.Vector{X: -2, Y: 0.01}, Spacing: r3.Vector{X: 0.003}, Counts: [3]int{1301, 1, 1}}},
		{"one point", star, inpoly.Grid{Counts: [3]int{1, 1, 1}}},
		{"no spacing", star, inpoly.Grid{Origin: r3.Vector{X: 0.1}, Counts: [3]int{3, 2, 2}}},
		{"not finite", star, inpoly.Grid{Spacing: r3.Vector{X: 1e308, Y: math.NaN()}, Counts: [3]int{3, 2, 2}}},
		{"nothing inside", mesh.Soup{}, inpoly.Grid{Spacing: spacing, Counts: [3]int{3, 2, 2}}},
		{"no points", star, inpoly.Grid{Spacing: spacing, Counts: [3]int{0, 1 << 30, 1 << 30}}},
		{"blocks", testmesh.UnitCube(), inpoly.Grid{Origin: corner, Spacing: spacing.Mul(0.25), Counts: [3]int{61, 59, 83}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n, err := tc.grid.Len()
			if err != nil {
				t.Fatal(err)
			}
			pts := make([]r3.Vector, 0, n)
			for number := range n {
				c := tc.grid.Counts
				pts = append(pts, tc.grid.Point(number%c[0], number/c[0]%c[1], number/c[0]/c[1]))
			}
			want := make([]inpoly.Side, n)
			if err := newSolid(t, tc.soup, inpoly.Options{Method: inpoly.RayCrossing}).SidesTo(t.Context(), want, pts); err != nil {
				t.Fatal(err)
			}
			got := make([]inpoly.Side, n)
			for _, method := range allMethods {
				for i := range got {
					got[i] = 99
				}
				if err := newSolid(t, tc.soup, inpoly.Options{Method: method, Workers: 2}).SidesGridTo(t.Context(), got, tc.grid); err != nil {
					t.Fatal(err)
				}
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%v, point %d %v: %v, want %v", method, i, pts[i], got[i], want[i])
					}
				}
			}
		})
	}
}

func TestSidesGridToRefuses(t *testing.T) {
	for _, method := range allMethods {
		solid := newSolid(t, testmesh.UnitCube(), inpoly.Options{Method: method})
		for _, counts := range [][3]int{{-1, 1, 1}, {1 << 30, 1 << 30, 1 << 30}} {
			if err := solid.SidesGridTo(t.Context(), nil, inpoly.Grid{Counts: counts}); err == nil || !strings.Contains(err.Error(), "grid of") {
				t.Errorf("%v, %v points: error %v, want an error about the grid", method, counts, err)
			}
		}
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(r.(string), "inpoly: ") {
					t.Errorf("%v, wrong length: panic %v, want a panic of this package", method, r)
				}
			}()
			_ = solid.SidesGridTo(t.Context(), make([]inpoly.Side, 7), inpoly.Grid{Counts: [3]int{2, 2, 2}})
		}()
	}
}

func TestSidesGridToTolerance(t *testing.T) {
	for _, method := range allMethods {
		solid := newSolid(t, testmesh.UnitCube(), inpoly.Options{Method: method, Tolerance: 0.125})
		got := make([]inpoly.Side, 5)
		grid := inpoly.Grid{Origin: r3.Vector{X: -0.25, Y: 0.5, Z: 0.5}, Spacing: r3.Vector{X: 0.125}, Counts: [3]int{5, 1, 1}}
		if err := solid.SidesGridTo(t.Context(), got, grid); err != nil {
			t.Fatal(err)
		}
		for i, want := range []inpoly.Side{inpoly.Outside, inpoly.OnSurface, inpoly.OnSurface, inpoly.OnSurface, inpoly.Inside} {
			if got[i] != want {
				t.Errorf("%v, point %d: %v, want %v", method, i, got[i], want)
			}
		}
	}
}

// Package mesh refuses coordinates beyond 2^1000, and accepts coordinates of exactly 2^1000.
func TestLargeCoordinates(t *testing.T) {
	for _, method := range allMethods {
		for _, scale := range []float64{0x1.8p1000, 0x1p1023, -0x1.8p1000} {
			s := testmesh.Scale(testmesh.Tetrahedron(), scale)
			if _, err := mesh.New(t.Context(), s, mesh.Options{}); !errors.Is(err, mesh.ErrTooLarge) || !strings.Contains(err.Error(), "scale the mesh down") {
				t.Errorf("coordinates of %g: error %v, want %v", scale, err, mesh.ErrTooLarge)
			}
		}
		solid := newSolid(t, testmesh.Scale(testmesh.Tetrahedron(), 0x1p1000), inpoly.Options{Method: method})
		for x, want := range map[float64]inpoly.Side{0x1p997: inpoly.Inside, 0x1p999: inpoly.Outside, -0x1p900: inpoly.Outside, 0: inpoly.OnSurface} {
			if got := solid.Side(r3.Vector{X: x, Y: x, Z: x}); got != want {
				t.Errorf("%v, largest coordinates, %g: %v, want %v", method, x, got, want)
			}
		}
	}
}

func TestMethodNames(t *testing.T) {
	for _, method := range allMethods {
		if got, err := inpoly.ParseMethod(strings.ToUpper(method.String())); got != method || err != nil {
			t.Errorf("ParseMethod of %v: %v, %v", method, got, err)
		}
	}
	if _, err := inpoly.ParseMethod("magic"); err == nil || !strings.Contains(err.Error(), "auto, raycross, columns, cells, direct, fmm") {
		t.Errorf("ParseMethod of magic: error %v, want a list of the methods", err)
	}
	if got := inpoly.Method("").String(); got != "auto" {
		t.Errorf("String of the zero value: %q", got)
	}
	var built []string
	for _, m := range locate.Methods() {
		built = append(built, m.Name)
	}
	for _, m := range inpoly.Methods()[1:] {
		if i := slices.Index(built, string(m)); i < 0 {
			t.Errorf("no strategy has the name %v", m)
		} else {
			built = slices.Delete(built, i, i+1)
		}
	}
	if len(built) > 0 {
		t.Errorf("strategies without a constant: %v", built)
	}
}

// Several goroutines can query a solid at the same time before its index is built.
func TestFirstNeedAtOnce(t *testing.T) {
	soup := testmesh.Star(4, 0.5, 1)
	want := newSolid(t, soup, inpoly.Options{Method: inpoly.RayCrossing})
	pts := testcorpus.Probes(want.Mesh(), 20, 4, rand.New(rand.NewPCG(6, 6)))
	for _, opt := range []inpoly.Options{{Method: inpoly.Cells}, {Method: inpoly.Cells, Workers: 1, Tolerance: 1e-300}, {Method: inpoly.FMM}, {Method: inpoly.FMM, Tolerance: 1e-300}} {
		solid := newSolid(t, soup, opt)
		var wg sync.WaitGroup
		for i, p := range pts {
			wg.Go(func() {
				switch i % 3 {
				case 0:
					d, face := solid.Distance(p)
					if wantD, wantFace := want.Distance(p); d != wantD || face != wantFace {
						t.Errorf("%+v: distance of %v: %v, face %d, want %v, %d", opt, p, d, face, wantD, wantFace)
					}
				case 1:
					if got := solid.Side(p); got != want.Side(p) {
						t.Errorf("%+v: %v is %v, want %v", opt, p, got, want.Side(p))
					}
				default:
					w, bound := solid.Winding(p)
					if wantW, wantBound := want.Winding(p); !sameWinding(w, bound, wantW, wantBound) {
						t.Errorf("%+v: W of %v = %v ± %g, want %v ± %g", opt, p, w, bound, wantW, wantBound)
					}
				}
			})
		}
		wg.Wait()
	}
}

// Report.Method is never Auto. Report.Cells is set if and only if the method is Cells.
func TestMethodTold(t *testing.T) {
	for _, method := range allMethods {
		solid := newSolid(t, testmesh.Star(3, 0.5, 1), inpoly.Options{Method: method})
		got, reason := solid.Report().Method, solid.Report().MethodReason
		if got == inpoly.Auto || method != inpoly.Auto && (got != method || reason != "asked for") || reason == "" {
			t.Errorf("%v: Method %v, %q", method, got, reason)
		}
		if ok := solid.Report().Cells != nil; ok != (got == inpoly.Cells) {
			t.Errorf("%v: cells %v for %v", method, ok, got)
		}
	}
}
