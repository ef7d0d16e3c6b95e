package apitest

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// documented returns the meshes of docs/cases.md. The keys of the map are their names.
func documented() map[string]mesh.Soup {
	cube := testmesh.UnitCube()
	box := func(lo, hi float64) mesh.Soup {
		return testmesh.Cube(r3.Vector{X: lo, Y: lo, Z: lo}, r3.Vector{X: hi, Y: hi, Z: hi})
	}
	whisker := func(a, b, c float64) mesh.Soup {
		at := func(t float64) r3.Vector { return r3.Vector{X: t, Y: t, Z: t} }
		return testmesh.Union(cube, mesh.Soup{Vertices: []r3.Vector{at(a), at(b), at(c)}, Faces: [][3]int32{{0, 1, 2}}})
	}
	return map[string]mesh.Soup{
		"cube":                   cube,
		"inverted":               testmesh.Flip(cube),
		"side missing":           testmesh.Without(cube, 0, 1),
		"face missing":           testmesh.Without(cube, 0),
		"side flipped":           testmesh.Flip(cube, 0, 1),
		"side duplicated":        testmesh.Double(cube, 0, 1),
		"all duplicated":         testmesh.Double(cube),
		"overlapping":            testmesh.Overlapping(),
		"nested":                 testmesh.Nested(false),
		"cavity":                 testmesh.Nested(true),
		"opposite copies":        testmesh.Union(cube, testmesh.Flip(cube)),
		"opposite overlap":       testmesh.Union(cube, testmesh.Flip(box(.5, 1.5))),
		"degenerate added":       testmesh.WithDegenerate(cube, 20, 1),
		"zero-area whisker":      whisker(1, 2, 1.75),
		"doubled-corner whisker": whisker(1, 2, 2),
		"T-junction":             testmesh.TJunction(),
		"scale 1e-18":            box(0, 1e-18),
		"scale 1e18":             box(0, 1e18),
		"scale 1e-120":           box(0, 1e-120),
		"plate 1e-170":           testmesh.Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1e-170}),
		"offset 1e6":             box(1e6, 1e6+0.01),
		"Möbius strip":           testmesh.Moebius(12),
		"flipped and clean":      testmesh.Union(testmesh.Flip(cube, 0, 1), testmesh.Flip(box(2, 3))),
		"flipped cavity":         testmesh.Flip(testmesh.Nested(true), 0, 1, 12, 13),
		"Klein bottle":           klein(12, 7),
		"Klein bottle and cubes": testmesh.Union(klein(12, 7), testmesh.Translate(testmesh.Overlapping(), r3.Vector{X: 20})),
	}
}

// solids builds a solid for each method. For rays and cells, it builds a solid for each of several
// seeds.
func solids(t *testing.T, s mesh.Soup, rule inpoly.Rule, orient inpoly.Orient) map[string]*inpoly.Solid {
	t.Helper()
	out := map[string]*inpoly.Solid{}
	add := func(name string, opt inpoly.Options) {
		opt.Rule, opt.Orient = rule, orient
		solid, err := inpoly.New(t.Context(), testmesh.Mesh(s), opt)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = solid
	}
	for seed := range uint64(5) {
		add(fmt.Sprintf("raycross seed %d", seed), inpoly.Options{Method: inpoly.RayCrossing, Seed: seed})
	}
	for seed := range uint64(2) {
		add(fmt.Sprintf("cells seed %d", seed), inpoly.Options{Method: inpoly.Cells, Seed: seed})
	}
	add("cells for few points", inpoly.Options{Method: inpoly.Cells, ExpectedPoints: 1, Workers: 1})
	add("direct", inpoly.Options{Method: inpoly.Direct})
	add("fmm", inpoly.Options{Method: inpoly.FMM})
	add("fmm to 1e-9", inpoly.Options{Method: inpoly.FMM, Epsilon: 1e-9})
	return out
}

func TestCasesDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/cases.md")
	if err != nil {
		t.Fatal(err)
	}
	soups := documented()
	seen := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 10 || strings.Contains(line, "---") || strings.TrimSpace(cells[1]) == "case" {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		name := cells[1]
		orient := inpoly.OrientAuto
		if before, found := strings.CutSuffix(name, ", as it is"); found {
			name, orient = before, inpoly.OrientNever
		}
		soup, ok := soups[name]
		if !ok {
			t.Errorf("the table has a case %q that the test does not build", name)
			continue
		}
		seen[name] = true
		t.Run(cells[1]+" at "+cells[2], func(t *testing.T) { checkCase(t, soup, orient, cells[2], cells[3], cells[4:8]) })
	}
	for name := range soups {
		if !seen[name] {
			t.Errorf("case %q is not in the table", name)
		}
	}
}

func checkCase(t *testing.T, soup mesh.Soup, orient inpoly.Orient, point, winding string, sides []string) {
	var c [3]float64
	for i, s := range strings.Fields(point) {
		var err error
		if c[i], err = strconv.ParseFloat(s, 64); err != nil {
			t.Fatal(err)
		}
	}
	p := r3.Vector{X: c[0], Y: c[1], Z: c[2]}
	for i, rule := range []inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.Negative, inpoly.EvenOdd} {
		for name, solid := range solids(t, soup, rule, orient) {
			if got := solid.Side(p).String(); got != sides[i] {
				t.Errorf("%s, %s: side %s, want %s", rule, name, got, sides[i])
			}
			if winding == "on" {
				continue
			}
			want, err := strconv.ParseFloat(winding, 64)
			if err != nil {
				t.Fatal(err)
			}
			if w, bound := solid.Winding(p); math.Abs(w-want) > 0.0005+bound {
				t.Errorf("%s, %s: W = %v ± %g, want %v", rule, name, w, bound, want)
			}
		}
	}
}

// Every method finds the documented side for every case and rule.
func TestCatalog(t *testing.T) {
	for _, tc := range testmesh.Catalog() {
		t.Run(tc.Name, func(t *testing.T) {
			for _, rule := range []inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.Negative, inpoly.EvenOdd} {
				for name, solid := range solids(t, tc.Soup, rule, inpoly.OrientAuto) {
					for _, p := range tc.Probes {
						want := rule.Apply(int64(p.W), uint64(p.W&1))
						if p.On {
							want = inpoly.OnSurface
						}
						if got := solid.Side(p.Point); got != want {
							t.Errorf("%s, %s at %v: %v, want %v", rule, name, p.Point, got, want)
						}
						one := make([]inpoly.Side, 1)
						if err := solid.SidesTo(t.Context(), one, []r3.Vector{p.Point}); err != nil || one[0] != want {
							t.Errorf("%s, %s at %v: SidesTo %v, %v, want %v", rule, name, p.Point, one[0], err, want)
						}
					}
				}
			}
		})
	}
}

// Every method finds the known sides of grid points that are aligned with a cube.
func TestAlignedGrid(t *testing.T) {
	s := testmesh.Cube(r3.Vector{X: -1, Y: -1, Z: -1}, r3.Vector{X: 1, Y: 1, Z: 1})
	for name, solid := range solids(t, s, inpoly.NonZero, inpoly.OrientAuto) {
		for i := range 13 {
			for j := range 13 {
				for k := range 13 {
					p := r3.Vector{X: float64(i-6) / 4, Y: float64(j-6) / 4, Z: float64(k-6) / 4}
					want := inpoly.Outside
					switch m := max(math.Abs(p.X), math.Abs(p.Y), math.Abs(p.Z)); {
					case m == 1:
						want = inpoly.OnSurface
					case m < 1:
						want = inpoly.Inside
					}
					if got := solid.Side(p); got != want {
						t.Fatalf("%s at %v: %v, want %v", name, p, got, want)
					}
				}
			}
		}
	}
}
