package apitest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/pose"
)

// Explanations at poses have the exact sides, the nearest faces of Distance, and crossings with the posed surface.
// Points on faces and vertices have the faces that contain them exactly.
func TestPosedExplain(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 1))
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if len(m.Faces) > 500 || len(m.Faces) == 0 {
			continue
		}
		s, err := inpoly.New(t.Context(), m, inpoly.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := math.Sqrt(0.5)
		for _, at := range []pose.Pose{pose.At(r3.Vector{X: 2, Y: -1}), {Rotation: quat.Number{Real: h, Jmag: h}, Translation: r3.Vector{Z: 4}}, {Rotation: quat.Number{Real: 0.8, Imag: 0.6}, Translation: r3.Vector{X: 0.3}}} {
			posed, err := s.At(at)
			if err != nil {
				t.Fatal(err)
			}
			box := m.Box()
			size := box.Size()
			for k := range 12 {
				x := box.Min.Add(r3.Vector{X: size.X * r.Float64(), Y: size.Y * r.Float64(), Z: size.Z * r.Float64()})
				if k%3 == 0 {
					x = m.Vertices[r.IntN(len(m.Vertices))]
				}
				p := at.Apply(x)
				e := posed.Explain(p)
				if e.Point != p || e.Side != posed.Side(p) {
					t.Fatalf("%s: %v is %v, explained as %v", c.Name, p, posed.Side(p), e.Side)
				}
				if (len(e.On) > 0) != (e.Side == inpoly.OnSurface) {
					t.Errorf("%s: %v is %v, on %d faces", c.Name, p, e.Side, len(e.On))
				}
				if d, face := posed.Distance(p); face != e.Nearest.Face || d != e.Nearest.Distance && !math.IsNaN(d) {
					t.Errorf("%s: %v: nearest face %d at %v, want %d at %v", c.Name, p, e.Nearest.Face, e.Nearest.Distance, face, d)
				}
				if e.Because() == "" {
					t.Errorf("%s: %v: no reason", c.Name, p)
				}
				if e.Side != inpoly.OnSurface {
					checkPosedRay(t, c.Name, posed, &e)
				}
			}
		}
	}
	checkFarAndEmpty(t)
}

// checkPosedRay checks that the crossings lie on the posed surface, and that the winding number by the ray is that of
// the method.
func checkPosedRay(t *testing.T, name string, s *inpoly.Posed, e *inpoly.Explanation) {
	t.Helper()
	near := 1e-12 * (1 + e.Point.Norm() + s.Mesh().Box().Size().Norm())
	if math.IsInf(e.Ray.Bound, 1) {
		if len(e.Ray.Crossings) > 0 || e.Nearest.Unsigned > near {
			t.Errorf("%s: no ray from %v at the distance %g", name, e.Point, e.Nearest.Unsigned)
		}
		return
	}
	signs := int64(0)
	for _, c := range e.Ray.Crossings {
		signs += int64(c.Sign)
		if d, _ := s.Distance(c.Point); math.Abs(d) > near {
			t.Errorf("%s: %v: the crossing %+v is %g off the surface", name, e.Point, c, d)
		}
	}
	if signs != e.Ray.Crossed || math.Abs(e.Ray.Winding-e.Winding) > e.Ray.Bound+e.Bound {
		t.Errorf("%s: %v: %d crossings of sum %d, W = %v ± %v by the ray, %v ± %v", name, e.Point, len(e.Ray.Crossings), e.Ray.Crossed, e.Ray.Winding, e.Ray.Bound, e.Winding, e.Bound)
	}
}

// checkFarAndEmpty explains points that are not finite, and points of a mesh without faces.
func checkFarAndEmpty(t *testing.T) {
	t.Helper()
	empty, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.Without(testmesh.Tetrahedron(), 0, 1, 2, 3)), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cube, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*inpoly.Solid{empty, cube} {
		posed, err := s.At(pose.Pose{Rotation: quat.Number{Real: 0.8, Imag: 0.6}})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []r3.Vector{{X: math.NaN()}, {Y: math.Inf(1)}, {X: 3}} {
			e, want := posed.Explain(p), s.Explain(p)
			if e.Side != want.Side || e.Nearest.Face != want.Nearest.Face || e.Because() != want.Because() {
				t.Errorf("%v: %v, %q, face %d, want %v, %q, face %d", p, e.Side, e.Because(), e.Nearest.Face, want.Side, want.Because(), want.Nearest.Face)
			}
		}
	}
}
