package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/testrace"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

func newSolid(t testing.TB, s mesh.Soup, opt inpoly.Options) *inpoly.Solid {
	t.Helper()
	solid, err := inpoly.New(t.Context(), testmesh.Mesh(s), opt)
	if err != nil {
		t.Fatal(err)
	}
	return solid
}

var allMethods = inpoly.Methods()

// The sides do not depend on the method, the seed or the number of workers.
func TestMethodsAgree(t *testing.T) {
	soups := map[string]mesh.Soup{
		"star":         testmesh.Star(3, 0.5, 1),
		"hemisphere":   testmesh.Hemisphere(3),
		"tangle":       testmesh.Tangle(10, 120, 2),
		"soup":         testmesh.Triangles(80, 3),
		"flipped star": testmesh.Flip(testmesh.Star(3, 0.5, 5), 1, 17, 100),
		"doubled":      testmesh.Double(testmesh.Star(2, 0.5, 6), 1, 2, 3),
	}
	for name, soup := range soups {
		for _, rule := range []inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.Negative, inpoly.EvenOdd} {
			t.Run(name+"/"+rule.String(), func(t *testing.T) {
				m := testmesh.Mesh(soup)
				pts := testcorpus.Probes(m, 300, 40, rand.New(rand.NewPCG(1, 1)))
				// Two points are far beyond all coordinates. The loop adds points on edges and points
				// very close to edges.
				pts = append(pts, r3.Vector{X: 1e302}, r3.Vector{X: math.MaxFloat64, Y: -math.MaxFloat64, Z: 1})
				for f := range int32(10) {
					tri := m.Triangle(f)
					p := tri[0].Add(tri[1]).Mul(.5)
					pts = append(pts, p, p.Add(r3.Vector{X: 1e-200, Y: 1e-250}), r3.Vector{X: math.Nextafter(p.X, 9), Y: p.Y, Z: p.Z})
				}
				var want []inpoly.Side
				for _, opt := range []inpoly.Options{
					{Method: inpoly.Direct, Workers: 1}, {Method: inpoly.Direct, Workers: 7},
					{Method: inpoly.RayCrossing, Workers: 1}, {Method: inpoly.RayCrossing, Seed: 9, Workers: 2},
					{Method: inpoly.Cells, Workers: 1}, {Method: inpoly.Cells, Seed: 9, Workers: 2}, {Method: inpoly.Cells, ExpectedPoints: 10, Workers: 7},
					{Method: inpoly.FMM, Workers: 1}, {Method: inpoly.FMM, Epsilon: 1e-6, Workers: 7}, {Method: inpoly.FMM, Epsilon: 0.4, ExpectedPoints: 1_000_000},
					{Method: inpoly.Auto, Seed: 1 << 60, Workers: 7}, {Method: inpoly.Auto, ExpectedPoints: 10, Workers: 2}, {Method: inpoly.Auto, ExpectedPoints: 1000},
				} {
					opt.Rule = rule
					solid := newSolid(t, soup, opt)
					got := make([]inpoly.Side, len(pts))
					if err := solid.SidesTo(t.Context(), got, pts); err != nil {
						t.Fatal(err)
					}
					if want == nil {
						want = got
					}
					for i := range got {
						if got[i] != want[i] {
							t.Fatalf("%+v at %v: %v, want %v", opt, pts[i], got[i], want[i])
						}
					}
				}
			})
		}
	}
}

// An exact rotation of the mesh and the points leaves the sides unchanged. So does scaling by a
// power of two, or adding a distant body. Flipping all faces swaps the rules positive and negative.
func TestInvariances(t *testing.T) {
	soup := testmesh.Star(3, 0.5, 1)
	for i := range soup.Vertices {
		v := &soup.Vertices[i]
		round := func(x float64) float64 { return math.Round(x*(1<<20)) / (1 << 20) }
		*v = r3.Vector{X: round(v.X), Y: round(v.Y), Z: round(v.Z)}
	}
	pts := testcorpus.Probes(testmesh.Mesh(soup), 200, 50, rand.New(rand.NewPCG(2, 2)))
	for _, method := range []inpoly.Method{inpoly.RayCrossing, inpoly.Cells} {
		t.Run(method.String(), func(t *testing.T) { checkInvariances(t, soup, pts, method) })
	}
}

func checkInvariances(t *testing.T, soup mesh.Soup, pts []r3.Vector, method inpoly.Method) {
	sides := func(s mesh.Soup, rule inpoly.Rule, move func(r3.Vector) r3.Vector) []inpoly.Side {
		out := make([]inpoly.Side, len(pts))
		moved := make([]r3.Vector, len(pts))
		for i, p := range pts {
			moved[i] = move(p)
		}
		if err := newSolid(t, s, inpoly.Options{Method: method, Rule: rule}).SidesTo(t.Context(), out, moved); err != nil {
			t.Fatal(err)
		}
		return out
	}
	still := func(p r3.Vector) r3.Vector { return p }
	for _, rule := range []inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.Negative, inpoly.EvenOdd} {
		want := sides(soup, rule, still)
		for i, r := range testmesh.Rotations() {
			if !slices.Equal(sides(testmesh.Move(soup, r), rule, r), want) {
				t.Errorf("%v: rotation %d changes sides", rule, i)
			}
		}
		for _, k := range []float64{0x1p-200, 0x1p-20, 0x1p30, 0x1p300} {
			if !slices.Equal(sides(testmesh.Scale(soup, k), rule, func(p r3.Vector) r3.Vector { return p.Mul(k) }), want) {
				t.Errorf("%v: scaling by %g changes sides", rule, k)
			}
		}
		far := testmesh.Translate(testmesh.UnitCube(), r3.Vector{X: 64, Y: 3})
		if !slices.Equal(sides(testmesh.Union(soup, far), rule, still), want) {
			t.Errorf("%v: a disjoint body changes sides", rule)
		}
	}
	if !slices.Equal(sides(testmesh.Flip(soup), inpoly.Negative, still), sides(soup, inpoly.Positive, still)) {
		t.Error("negative on the flipped mesh differs from positive on the mesh")
	}
}

func TestTolerance(t *testing.T) {
	for _, method := range allMethods {
		t.Run(method.String(), func(t *testing.T) { checkTolerance(t, method) })
	}
}

func checkTolerance(t *testing.T, method inpoly.Method) {
	solid := newSolid(t, testmesh.UnitCube(), inpoly.Options{Method: method, Tolerance: 0.125})
	for _, tc := range []struct {
		x    float64
		want inpoly.Side
	}{
		{-0.126, inpoly.Outside}, {-0.125, inpoly.OnSurface}, {-0.01, inpoly.OnSurface}, {0, inpoly.OnSurface},
		{0.125, inpoly.OnSurface}, {0.126, inpoly.Inside}, {math.NaN(), inpoly.Unknown}, {math.Inf(-1), inpoly.Unknown},
	} {
		if got := solid.Side(r3.Vector{X: tc.x, Y: 0.5, Z: 0.5}); got != tc.want {
			t.Errorf("tolerance 0.125, x = %v: %v, want %v", tc.x, got, tc.want)
		}
	}
	// A point within the tolerance is on the surface, even if its winding number does not decide
	// the side.
	open := newSolid(t, testmesh.Without(testmesh.UnitCube(), 0, 1), inpoly.Options{Method: method, Tolerance: 0.25})
	if got := open.Side(r3.Vector{Y: 0.5, Z: 0.125}); got != inpoly.OnSurface {
		t.Errorf("in the hole, near its rim: %v, want %v", got, inpoly.OnSurface)
	}
	if got := open.Side(r3.Vector{Y: 0.5, Z: 0.5}); got != inpoly.Unknown {
		t.Errorf("in the middle of the hole: %v, want %v", got, inpoly.Unknown)
	}
}

func TestDistance(t *testing.T) {
	for _, method := range allMethods {
		t.Run(method.String(), func(t *testing.T) { checkDistance(t, inpoly.Options{Method: method}) })
	}
}

func checkDistance(t *testing.T, opt inpoly.Options) {
	solid := newSolid(t, testmesh.UnitCube(), opt)
	for _, tc := range []struct {
		p    r3.Vector
		want float64
	}{
		{r3.Vector{X: -2, Y: .5, Z: .5}, 2}, {r3.Vector{X: .25, Y: .5, Z: .5}, -.25}, {r3.Vector{X: 1, Y: .3, Z: .4}, 0},
		{r3.Vector{X: 4, Y: 5, Z: 1}, 5}, {r3.Vector{X: .5, Y: .5, Z: .875}, -.125},
	} {
		d, face := solid.Distance(tc.p)
		if d != tc.want || face < 0 || face > 11 {
			t.Errorf("distance of %v: %v, face %d, want %v", tc.p, d, face, tc.want)
		}
	}
	if d, face := solid.Distance(r3.Vector{X: math.NaN()}); !math.IsNaN(d) || face != -1 {
		t.Errorf("distance of NaN: %v, face %d, want NaN, -1", d, face)
	}
	hole := newSolid(t, testmesh.Without(testmesh.UnitCube(), 0, 1), opt)
	if d, face := hole.Distance(r3.Vector{Y: .5, Z: .5}); !math.IsNaN(d) || face < 0 {
		t.Errorf("distance where the side is unknown: %v, face %d, want NaN and a face", d, face)
	}
	empty := newSolid(t, mesh.Soup{}, opt)
	if d, face := empty.Distance(r3.Vector{}); !math.IsNaN(d) || face != -1 {
		t.Errorf("distance to nothing: %v, face %d, want NaN, -1", d, face)
	}
	ds, faces := make([]float64, 1000), make([]int32, 1000)
	pts := testcorpus.Probes(testmesh.Mesh(testmesh.UnitCube()), 1000, 0, rand.New(rand.NewPCG(3, 3)))
	if err := solid.DistancesTo(t.Context(), ds, faces, pts); err != nil {
		t.Fatal(err)
	}
	for i, p := range pts {
		if d, face := solid.Distance(p); d != ds[i] || face != faces[i] {
			t.Fatalf("batch distance of %v: %v, %d, want %v, %d", p, ds[i], faces[i], d, face)
		}
	}
}

func TestFacadeDoesNotAllocate(t *testing.T) {
	if testrace.Enabled {
		t.Skip("the race detector makes sync.Pool allocate")
	}
	star, open := testmesh.Star(3, 0.5, 1), testmesh.Hemisphere(3)
	for _, tc := range []struct {
		name string
		soup mesh.Soup
		opt  inpoly.Options
	}{
		{"closed", star, inpoly.Options{}}, {"open", open, inpoly.Options{}},
		{"closed, tolerance", star, inpoly.Options{Tolerance: 0.01}}, {"open, tolerance", open, inpoly.Options{Tolerance: 0.01}},
		{"open, evenodd", open, inpoly.Options{Rule: inpoly.EvenOdd}},
	} {
		for _, method := range allMethods {
			t.Run(tc.name+", "+method.String(), func(t *testing.T) {
				opt := tc.opt
				opt.Method, opt.Workers = method, 1
				solid := newSolid(t, tc.soup, opt)
				pts := testcorpus.Probes(solid.Mesh(), 500, 0, rand.New(rand.NewPCG(4, 4)))
				dst := make([]inpoly.Side, len(pts))
				ctx := context.Background()
				most := 0.0
				if m := solid.Report().Method; m == inpoly.FMM || m == inpoly.Columns {
					most = 40 // allocations of a batch; a query for a single point must not allocate memory
				}
				if n := testing.AllocsPerRun(3, func() { _ = solid.SidesTo(ctx, dst, pts) }); n > most {
					t.Errorf("SidesTo: %v allocations, want %v", n, most)
				}
				i := 0
				next := func() r3.Vector { i++; return pts[i%len(pts)] }
				for name, query := range map[string]func(){
					"Side": func() { solid.Side(next()) }, "Winding": func() { solid.Winding(next()) }, "Distance": func() { solid.Distance(next()) },
				} {
					if n := testing.AllocsPerRun(300, query); n != 0 {
						t.Errorf("%s: %v allocations, want 0", name, n)
					}
				}
			})
		}
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := testmesh.Sphere(4)
	if _, err := inpoly.New(ctx, m, inpoly.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("NewSolid: %v, want %v", err, context.Canceled)
	}
	pts := make([]r3.Vector, 5000)
	grid := inpoly.Grid{Spacing: r3.Vector{X: 0.1, Y: 0.1, Z: 0.1}, Counts: [3]int{20, 25, 10}}
	for _, method := range allMethods {
		for _, opt := range []inpoly.Options{{}, {Workers: 1}, {Tolerance: 0.1}, {Tolerance: 0.1, Workers: 1}} {
			opt.Method = method
			sides, w, bound, faces := make([]inpoly.Side, len(pts)), make([]float64, len(pts)), make([]float64, len(pts)), make([]int32, len(pts))
			for name, call := range map[string]struct {
				ask   func(s *inpoly.Solid) error
				empty func(i int) bool // reports whether element i has no answer
			}{
				"SidesTo":     {func(s *inpoly.Solid) error { return s.SidesTo(ctx, sides, pts) }, func(i int) bool { return sides[i] == inpoly.Unknown }},
				"SidesGridTo": {func(s *inpoly.Solid) error { return s.SidesGridTo(ctx, sides, grid) }, func(i int) bool { return sides[i] == inpoly.Unknown }},
				"WindingsTo":  {func(s *inpoly.Solid) error { return s.WindingsTo(ctx, w, bound, pts) }, func(i int) bool { return math.IsNaN(w[i]) && math.IsInf(bound[i], 1) }},
				"DistancesTo": {func(s *inpoly.Solid) error { return s.DistancesTo(ctx, w, faces, pts) }, func(i int) bool { return math.IsNaN(w[i]) && faces[i] == -1 }},
			} {
				// Each call gets a new solid, because queries build some indexes of a solid.
				solid, err := inpoly.New(t.Context(), m, opt)
				if err != nil {
					t.Fatal(err)
				}
				for i := range pts {
					sides[i], w[i], bound[i], faces[i] = inpoly.Inside, 1, 0, 7
				}
				if err := call.ask(solid); !errors.Is(err, context.Canceled) {
					t.Errorf("%+v, %s: %v, want %v", opt, name, err, context.Canceled)
				}
				for i := range pts {
					if !call.empty(i) {
						t.Fatalf("%+v, %s: element %d has an answer although the context had ended", opt, name, i)
					}
				}
				// A canceled call does not affect later calls.
				if d, face := solid.Distance(r3.Vector{X: 3}); math.Abs(d-2) > 1e-12 || face < 0 {
					t.Errorf("%+v, after %s: distance %v, face %d, want 2 and a face", opt, name, d, face)
				}
			}
		}
	}
}

func TestOptionsChecked(t *testing.T) {
	m := testmesh.Mesh(testmesh.UnitCube())
	for name, opt := range map[string]inpoly.Options{
		"negative tolerance": {Tolerance: -1}, "NaN tolerance": {Tolerance: math.NaN()}, "infinite tolerance": {Tolerance: math.Inf(1)},
		"method": {Method: "magic"}, "negative epsilon": {Epsilon: -1}, "NaN epsilon": {Epsilon: math.NaN()}, "infinite epsilon": {Epsilon: math.Inf(1)}, "negative workers": {Workers: -1}, "too many workers": {Workers: 1 << 40}, "rule": {Rule: 99}, "memory": {MaxMemory: -1}, "expected points": {ExpectedPoints: -1},
	} {
		if _, err := inpoly.New(t.Context(), m, opt); !errors.Is(err, inpoly.ErrOption) {
			t.Errorf("%s: error %v, want %v", name, err, inpoly.ErrOption)
		}
	}
}

func TestOpen(t *testing.T) {
	solid, err := inpoly.Open(t.Context(), "../../testdata/knot.stl", inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := solid.Report().Diagnosis
	if d.Triangles != 5184 || !d.Watertight || d.Volume <= 0 {
		t.Errorf("knot: %d triangles, watertight %v, volume %v; want 5184, true, > 0", d.Triangles, d.Watertight, d.Volume)
	}
	if w := solid.Report().Warnings(); len(w) != 0 || solid.Report().Defects() {
		t.Errorf("knot: warnings %q, want none", w)
	}
	b, err := os.ReadFile("../../testdata/knot.stl")
	if err != nil {
		t.Fatal(err)
	}
	streamed, err := inpoly.Read(t.Context(), "stream", bytes.NewReader(b), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(streamed.Mesh().Vertices, solid.Mesh().Vertices) {
		t.Error("the mesh of the stream differs from the mesh of the file")
	}
	missing := filepath.Join(t.TempDir(), "missing.stl")
	if _, err := inpoly.Open(t.Context(), missing, inpoly.Options{}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "missing.stl") {
		t.Errorf("missing file: %v", err)
	}
	var refused *loaders.Error
	if _, err := inpoly.Read(t.Context(), "x", strings.NewReader("what is this"), inpoly.Options{}); !errors.As(err, &refused) {
		t.Errorf("unknown format: %v, want a *loaders.Error", err)
	}
}

func TestWarnings(t *testing.T) {
	cube := testmesh.UnitCube()
	for _, tc := range []struct {
		name string
		soup mesh.Soup
		want string // text in one of the warnings; empty means no warning
	}{
		{"cube", cube, ""},
		{"inverted", testmesh.Flip(cube), ""},
		{"hole", testmesh.Without(cube, 0), "3 open edges"},
		{"flipped", testmesh.Flip(cube, 0), "1 face in 1 component was turned over"},
		{"Möbius strip", testmesh.Moebius(9), "1 edge joins faces of opposite orientation"},
		{"Klein bottle", klein(12, 7), "the rule is evenodd"},
		{"duplicate", testmesh.Double(cube, 0), "1 duplicate face:"},
		{"cavity", testmesh.Nested(true), "1 of 2 components faces inward"},
		{"zero area", testmesh.WithDegenerate(cube, 1, 1), "no area"},
		{"empty", mesh.Soup{}, "no triangles"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newSolid(t, tc.soup, inpoly.Options{}).Report().Warnings()
			if all := strings.Join(w, "\n"); tc.want == "" && len(w) > 0 || !strings.Contains(all, tc.want) {
				t.Errorf("warnings %q, want a warning with %q", w, tc.want)
			}
		})
	}
}

// Warnings returns a warning if no component has the sign that the rule requires.
func TestWarningsOfSignedRules(t *testing.T) {
	cube := testmesh.UnitCube()
	for _, tc := range []struct {
		soup mesh.Soup
		rule inpoly.Rule
		want bool
	}{
		{cube, inpoly.Positive, false}, {cube, inpoly.Negative, true},
		{testmesh.Flip(cube), inpoly.Positive, true}, {testmesh.Flip(cube), inpoly.Negative, false},
	} {
		w := newSolid(t, tc.soup, inpoly.Options{Rule: tc.rule}).Report().Warnings()
		if (len(w) > 0) != tc.want {
			t.Errorf("%v: warnings %q, want any: %v", tc.rule, w, tc.want)
		}
	}
}

func TestProgress(t *testing.T) {
	var stages []string
	opt := inpoly.Options{Orient: inpoly.OrientAlways, Progress: func(stage string, _, _ int64) {
		if len(stages) == 0 || stages[len(stages)-1] != stage {
			stages = append(stages, stage)
		}
	}}
	solid, err := inpoly.Open(t.Context(), "../../testdata/knot.stl", opt)
	if err != nil {
		t.Fatal(err)
	}
	solid.Report()
	if want := []string{"load", "weld", "orient", "build", "diagnose"}; !slices.Equal(stages, want) {
		t.Errorf("stages %v, want %v", stages, want)
	}
	stages = nil
	for n, want := range map[int][]string{10: nil, 300_000: {"locate"}} {
		pts := make([]r3.Vector, n)
		if err := solid.SidesTo(t.Context(), make([]inpoly.Side, len(pts)), pts); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(stages, want) {
			t.Errorf("%d points: stages %v, want %v", n, stages, want)
		}
		stages = nil
	}
}

// Progress counts every point of a large batch, and does not change the answers.
func TestLocateProgress(t *testing.T) {
	m := testmesh.Mesh(testmesh.Hemisphere(3))
	pts := make([]r3.Vector, 600_000)
	for i := range pts {
		x, y := math.Sincos(float64(i))
		pts[i] = r3.Vector{X: 1.2 * x, Y: 1.2 * y, Z: math.Sin(float64(i) / 1000)}
	}
	want := make([]inpoly.Side, len(pts))
	if err := newSolid(t, testmesh.Hemisphere(3), inpoly.Options{}).SidesTo(t.Context(), want, pts); err != nil {
		t.Fatal(err)
	}
	var done []int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	solid, err := inpoly.New(t.Context(), m, inpoly.Options{Progress: func(stage string, n, total int64) {
		if stage == "locate" {
			done = append(done, n)
			if total != int64(len(pts)) {
				t.Errorf("total %d, want %d", total, len(pts))
			}
			if len(done) == 5 { // cancels in the second chunk of the second call
				cancel()
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]inpoly.Side, len(pts))
	if err := solid.SidesTo(ctx, got, pts); err != nil || !slices.Equal(got, want) {
		t.Errorf("error %v, same sides: %v", err, slices.Equal(got, want))
	}
	if !slices.IsSorted(done) || len(done) != 3 || done[2] != int64(len(pts)) {
		t.Errorf("progress %v", done)
	}
	if err := solid.SidesTo(ctx, got, pts); !errors.Is(err, context.Canceled) || got[len(got)-1] != inpoly.Unknown || got[0] != want[0] {
		t.Errorf("canceled: error %v, first side %v, last %v", err, got[0], got[len(got)-1])
	}
}

func TestContains(t *testing.T) {
	s := newSolid(t, testmesh.UnitCube(), inpoly.Options{})
	for p, want := range map[r3.Vector]bool{
		{X: .5, Y: .5, Z: .5}: true, {X: 1, Y: .5, Z: .5}: true, {X: 2}: false, {X: math.NaN()}: false,
	} {
		if got := s.Contains(p); got != want {
			t.Errorf("Contains(%v) = %v", p, got)
		}
	}
}

// Errors wrap the documented error values.
func TestTypedErrors(t *testing.T) {
	if _, err := inpoly.New(t.Context(), nil, inpoly.Options{}); !errors.Is(err, mesh.ErrNil) {
		t.Errorf("nil mesh: error %v, want %v", err, mesh.ErrNil)
	}
	far := testmesh.Scale(testmesh.UnitCube(), 0x1p1010)
	if _, err := mesh.New(t.Context(), far, mesh.Options{}); !errors.Is(err, mesh.ErrTooLarge) {
		t.Errorf("coordinates beyond 2^1000: error %v, want %v", err, mesh.ErrTooLarge)
	}
}

// A report marshals as JSON, even for an empty mesh.
func TestReportJSON(t *testing.T) {
	for name, soup := range map[string]mesh.Soup{"cube": testmesh.UnitCube(), "empty": {}, "open": testmesh.Hemisphere(2)} {
		for _, method := range inpoly.Methods() {
			r := newSolid(t, soup, inpoly.Options{Method: method, Orient: inpoly.OrientAlways}).Report()
			text, err := json.Marshal(r)
			if err != nil || !json.Valid(text) || !strings.Contains(string(text), `"Rule":"nonzero"`) ||
				!strings.Contains(string(text), `"Method":"`+r.Method.String()+`"`) {
				t.Errorf("%s, %v: %s, error %v", name, method, text, err)
			}
		}
	}
}

func TestMethodInAnyCase(t *testing.T) {
	for _, name := range []inpoly.Method{"FMM", "Cells", "AUTO", "rayCross", ""} {
		s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{Method: name})
		if err != nil || s.Side(r3.Vector{X: .5, Y: .5, Z: .5}) != inpoly.Inside {
			t.Errorf("%q: error %v", string(name), err)
		}
	}
}
