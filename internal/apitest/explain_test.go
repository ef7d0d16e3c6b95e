package apitest

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// An explanation agrees with the answers of Side, Winding and Distance, with every method and rule.
// Each sum in the explanation equals the sum of its terms.
func TestExplain(t *testing.T) {
	crossings, on := 0, 0
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		for _, method := range []inpoly.Method{inpoly.RayCrossing, inpoly.Cells, inpoly.Direct, inpoly.FMM} {
			for rule := inpoly.NonZero; rule <= inpoly.EvenOdd; rule++ {
				s, err := inpoly.New(t.Context(), m, inpoly.Options{Method: method, Rule: rule})
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range explainedPoints(m, c.Probes) {
					e := s.Explain(p)
					checkExplanation(t, fmt.Sprintf("%s by %v, rule %v", c.Name, method, rule), s, &e)
					crossings += len(e.Ray.Crossings)
					on += len(e.On)
				}
			}
		}
	}
	if crossings == 0 || on == 0 {
		t.Errorf("%d crossings, %d points on faces, want more than 0", crossings, on)
	}
}

// explainedPoints returns the probes, corners of random faces, and random points in the box.
func explainedPoints(m *mesh.Mesh, probes []testmesh.Probe) []r3.Vector {
	var pts []r3.Vector
	for _, p := range probes {
		pts = append(pts, p.Point)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	if m.NumFaces() > 0 {
		size := m.Box().Size()
		for range 4 {
			f := m.Triangle(int32(rng.IntN(m.NumFaces())))
			pts = append(pts, f[0], m.Box().Min.Add(r3.Vector{X: size.X * rng.Float64(), Y: size.Y * rng.Float64(), Z: size.Z * rng.Float64()}))
		}
	}
	return pts
}

func checkExplanation(t *testing.T, name string, s *inpoly.Solid, e *inpoly.Explanation) {
	t.Helper()
	m, p := s.Mesh(), e.Point
	w, bound := s.Winding(p)
	d, face := s.Distance(p)
	method, reason := s.Report().Method, s.Report().MethodReason
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	if e.Side != s.Side(p) || !same(e.Winding, w) || e.Bound != bound || e.Nearest.Face != face || !same(e.Nearest.Distance, d) ||
		e.Method != method || e.MethodReason != reason || e.Rule != s.Report().Rule {
		t.Fatalf("%s, %v: %+v; want side %v, W %g ± %g, distance %g of face %d", name, p, e, s.Side(p), w, bound, d, face)
	}
	if off := math.Abs(e.Ray.Winding - e.Winding); off > e.Ray.Bound+e.Bound {
		t.Fatalf("%s, %v: W %g ± %g, by the ray %g ± %g", name, p, e.Winding, e.Bound, e.Ray.Winding, e.Ray.Bound)
	}
	sum := int64(0)
	for _, x := range e.Ray.Crossings {
		sum += int64(x.Sign)
		c := m.Triangle(x.Face)
		if predicates.Orient3D(c[0], c[1], c[2], p) != x.Sign {
			t.Fatalf("%s, %v: %+v has the wrong sign", name, p, x)
		}
	}
	if sum != e.Ray.Crossed || math.Abs(float64(sum)+e.Ray.Boundary-e.Ray.Winding) > 1e-14*(1+math.Abs(e.Ray.Winding)) {
		t.Fatalf("%s, %v: crossings %d, %d; boundary %g, W %g", name, p, sum, e.Ray.Crossed, e.Ray.Boundary, e.Ray.Winding)
	}
	if m.Closed() && len(e.On) == 0 && (e.Ray.Edges != 0 || e.Ray.Boundary != 0 || e.Ray.Winding != float64(sum)) {
		t.Fatalf("%s, %v: boundary of %d edges with the sum %g, want none", name, p, e.Ray.Edges, e.Ray.Boundary)
	}
	// e.On lists exactly the faces that contain the point.
	for f := range m.NumFaces() {
		c := m.Triangle(int32(f))
		is := slices.ContainsFunc(e.On, func(id inpoly.FaceID) bool { return id.Face == int32(f) })
		if is != predicates.OnTriangle(p, c[0], c[1], c[2]) {
			t.Fatalf("%s, %v: on %v, wrong about face %d", name, p, e.On, f)
		}
	}
	if (e.Side == inpoly.OnSurface) != (len(e.On) > 0) {
		t.Fatalf("%s, %v: %v, on %v", name, p, e.Side, e.On)
	}
	checkBecause(t, name, e)
}

// checkBecause parses the sentence of Because. The sentence must be true and must imply the side.
func checkBecause(t *testing.T, name string, e *inpoly.Explanation) {
	t.Helper()
	text := e.Because()
	in := false
	switch {
	case e.Side == inpoly.OnSurface && strings.Contains(text, "lies exactly on"), e.Side == inpoly.Unknown && strings.Contains(text, "cannot be told"):
		return
	case text == "the mesh has no faces":
	case strings.Contains(text, "number of") || strings.Contains(text, "crosses"):
		in = len(e.Ray.Crossings)%2 == 1
		if !strings.HasSuffix(text, map[bool]string{true: "an odd number", false: "an even number"}[in]) {
			t.Fatalf("%s, %v: %q for %d crossings", name, e.Point, text, len(e.Ray.Crossings))
		}
	case strings.HasSuffix(text, "has |W| > 1/2"), strings.HasSuffix(text, "is > 1/2"), strings.HasSuffix(text, "is < -1/2"), strings.HasSuffix(text, "is odd"):
		in = true
	case strings.HasSuffix(text, "has |W| < 1/2"), strings.HasSuffix(text, "is < 1/2"), strings.HasSuffix(text, "is > -1/2"), strings.HasSuffix(text, "is even"):
	default:
		t.Fatalf("%s, %v: %q", name, e.Point, text)
	}
	if (e.Side == inpoly.Inside) != in {
		t.Fatalf("%s, %v is %v: %q", name, e.Point, e.Side, text)
	}
	if e.Rule == inpoly.NonZero && strings.Contains(text, "|W|") && (math.Abs(e.Ray.Winding) > 0.5) != in {
		t.Fatalf("%s, %v: %q", name, e.Point, text)
	}
}

// The explanation names the body of the nearest face. If the tolerance or a non-finite coordinate
// decides the side, the sentence of Because states this reason.
func TestExplainSpecial(t *testing.T) {
	soup := testmesh.Union(testmesh.UnitCube(), testmesh.Translate(testmesh.UnitCube(), r3.Vector{X: 3}))
	soup.Bodies = []mesh.Body{{Name: "left", First: 0, Count: 12}, {Name: "right", First: 12, Count: 12}}
	s, err := inpoly.New(t.Context(), testmesh.Mesh(soup), inpoly.Options{Tolerance: 0.125})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		point   r3.Vector
		side    inpoly.Side
		body    string
		because string
	}{
		{r3.Vector{X: 0.5, Y: 0.5, Z: 0.25}, inpoly.Inside, "left", "the winding number W = 1 has |W| > 1/2"},
		{r3.Vector{X: 3.5, Y: 0.5, Z: 0.25}, inpoly.Inside, "right", "the winding number W = 1 has |W| > 1/2"},
		{r3.Vector{X: 1.0625, Y: 0.5, Z: 0.25}, inpoly.OnSurface, "left", "its distance from the surface, 0.0625, is at most the tolerance 0.125"},
		{r3.Vector{X: 3, Y: 0.5, Z: 0.25}, inpoly.OnSurface, "right", "it lies exactly on face 13"},
		{r3.Vector{X: 3}, inpoly.OnSurface, "right", "it lies exactly on 6 faces"},
		{r3.Vector{X: math.NaN()}, inpoly.Unknown, "", "a coordinate is not finite"},
		{r3.Vector{Y: math.Inf(-1)}, inpoly.Unknown, "", "a coordinate is not finite"},
		{r3.Vector{X: 1e308, Y: -1e308}, inpoly.Outside, "right", "the winding number W = 0 has |W| < 1/2"},
	} {
		e := s.Explain(c.point)
		if e.Side != c.side || e.Nearest.BodyName != c.body || e.Because() != c.because || e.Tolerance != 0.125 {
			t.Errorf("%v: %v, nearest %+v, %q; want %v, %q, %q", c.point, e.Side, e.Nearest, e.Because(), c.side, c.body, c.because)
		}
		for _, x := range e.Ray.Crossings {
			if want := map[bool]int{true: 1, false: 0}[x.Face >= 12]; x.Body != want {
				t.Errorf("%v: face %d belongs to body %d, want %d", c.point, x.Face, x.Body, want)
			}
		}
	}
}

// BodyName is the name that assembly.Split gives the part with the face, even if no body contains
// the face.
func TestExplainNames(t *testing.T) {
	soup := testmesh.UnitCube()
	for i := range 3 {
		soup = testmesh.Union(soup, testmesh.Translate(testmesh.UnitCube(), r3.Vector{X: 3 * float64(i+1)}))
	}
	soup.Bodies = []mesh.Body{{First: 0, Count: 12}, {Name: "rest", First: 12, Count: 12}, {First: 24, Count: 12}}
	m := testmesh.Mesh(soup)
	parts, err := assembly.Split(t.Context(), "", m)
	if err != nil || len(parts) != 4 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	s, err := inpoly.New(t.Context(), m, inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range parts {
		e := s.Explain(r3.Vector{X: 3*float64(i) + 0.5, Y: 0.5, Z: 0.25})
		if e.Nearest.BodyName != part.Name || e.Nearest.Body != []int{0, 1, 2, -1}[i] {
			t.Errorf("the nearest face is %+v, want one of %q", e.Nearest.FaceID, part.Name)
		}
	}
}

// Near the threshold, the sentence of Because states how far the winding number is from the
// threshold. If the side is Unknown, the explanation still has the unsigned distance.
func TestExplainNearThreshold(t *testing.T) {
	soup := testmesh.UnitCube()
	var lid []int
	for f, v := range soup.Faces {
		if soup.Vertices[v[0]].Z == 1 && soup.Vertices[v[1]].Z == 1 && soup.Vertices[v[2]].Z == 1 {
			lid = append(lid, f)
		}
	}
	for _, flip := range []bool{false, true} {
		open := testmesh.Without(soup, lid...)
		if flip {
			open = testmesh.Flip(open)
		}
		for rule := inpoly.NonZero; rule <= inpoly.EvenOdd; rule++ {
			s, err := inpoly.New(t.Context(), testmesh.Mesh(open), inpoly.Options{Rule: rule})
			if err != nil {
				t.Fatal(err)
			}
			for k := -60; k <= 60; k++ {
				z := 1 + float64(k)*0x1p-52
				e := s.Explain(r3.Vector{X: 0.5, Y: 0.5, Z: z})
				if e.Side == inpoly.Unknown {
					if want := "is exactly " + map[bool]string{false: "0.5", true: "-0.5"}[e.Winding < 0]; !strings.Contains(e.Because(), want) || k != 0 {
						t.Errorf("z = %v: %q does not say that W %s", z, e.Because(), want)
					}
				} else {
					checkInterval(t, &e)
				}
				if !(math.Abs(e.Nearest.Unsigned-0.5) <= e.Nearest.Bound) || math.IsNaN(e.Nearest.Distance) != (e.Side == inpoly.Unknown) ||
					e.Side != inpoly.Unknown && math.Abs(e.Nearest.Distance) != e.Nearest.Unsigned {
					t.Errorf("z = %v is %v: %+v", z, e.Side, e.Nearest)
				}
			}
		}
	}
}

// checkInterval parses the interval in the sentence. The interval must enclose W. If float64
// arithmetic decides the side, the interval must not contain the threshold.
func checkInterval(t *testing.T, e *inpoly.Explanation) {
	t.Helper()
	text := e.Because()
	found := regexp.MustCompile(`W = (-?1/2 [+-] )?(\S+) ± ([^ ,]+)`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("%v: no interval in %q", e.Point, text)
	}
	x, ok1 := new(big.Rat).SetString(found[2])
	bound, ok2 := new(big.Rat).SetString(found[3])
	if !ok1 || !ok2 {
		t.Fatalf("%v: no numbers in %q", e.Point, text)
	}
	if half := found[1]; half != "" {
		if strings.HasSuffix(half, "- ") {
			x.Neg(x)
		}
		x.Add(x, big.NewRat(map[bool]int64{true: -1, false: 1}[half[0] == '-'], 2))
	}
	off := new(big.Rat).Sub(x, new(big.Rat).SetFloat64(e.Ray.Winding))
	if off.Add(off.Abs(off), new(big.Rat).SetFloat64(e.Ray.Bound)).Cmp(bound) > 0 {
		t.Errorf("%v: %q does not enclose %v ± %v", e.Point, text, e.Ray.Winding, e.Ray.Bound)
	}
	switch e.Rule {
	case inpoly.Positive:
	case inpoly.Negative:
		x.Neg(x)
	default:
		x.Abs(x)
	}
	from := new(big.Rat).Sub(x, big.NewRat(1, 2))
	within := from.Abs(from).Cmp(bound) <= 0
	if more := e.Side == inpoly.Unknown || strings.Contains(text, "more precisely"); within && !more {
		t.Errorf("%v is %v, and %q does not imply it", e.Point, e.Side, text)
	}
}

func ExampleSolid_Explain() {
	solid, err := inpoly.New(context.Background(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	if err != nil {
		panic(err)
	}
	e := solid.Explain(r3.Vector{X: 0.25, Y: 0.5, Z: 0.625})
	fmt.Printf("%v: %s\n", e.Side, e.Because())
	fmt.Println("nearest face", e.Nearest.Face, "at", e.Nearest.Distance)
	for _, x := range e.Ray.Crossings {
		fmt.Printf("%+d at face %d\n", x.Sign, x.Face)
	}
	// Output:
	// in: the winding number W = 1 has |W| > 1/2
	// nearest face 0 at -0.25
	// +1 at face 0
}
