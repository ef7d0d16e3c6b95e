package section_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/section"
)

// TestExtreme cuts a cube whose coordinates, distances from the plane or areas are close to the limits
// of float64. The section has the same shape, its points are on the plane within the bound, and its
// areas are right within their bounds or not determined.
func TestExtreme(t *testing.T) {
	normals := []r3.Vector{vector(0, 0, 1), vector(0, -1, 0), vector(1, 2, 3), vector(-3, 1, 0)}
	for _, normal := range normals {
		want := cut(t, solid(t, testmesh.Mesh(testmesh.Cube(vector(-1, -1, -1), vector(3, 3, 3))), inpoly.Options{}), section.Plane{Normal: normal})
		for _, scale := range []float64{0x1p-1074, 0x1p-1073, 0x1p-1020, 0x1p-540, 1, 0x1p500, 0x1p511, 0x1p998} {
			s := solid(t, testmesh.Mesh(testmesh.Cube(vector(-1, -1, -1).Mul(scale), vector(3, 3, 3).Mul(scale))), inpoly.Options{})
			for _, length := range []float64{0x1p-498, 1, 0x1p498} {
				p := section.Plane{Normal: normal.Mul(length)}
				err := section.Stack(t.Context(), s, []section.Plane{p, p}, func(_ int, c *section.Section) error {
					checkExtreme(t, c, want, scale)
					return nil
				})
				checkExtreme(t, cut(t, s, p), want, scale)
				if err != nil || t.Failed() {
					t.Fatalf("normal %v, scale %g: error %v", p.Normal, scale, err)
				}
			}
		}
	}
}

func checkExtreme(t *testing.T, got, want *section.Section, scale float64) {
	t.Helper()
	if len(got.Polygons) != 1 || len(got.Contours) != 1 || got.Crossings != 0 || len(got.Contours[0].Points) != len(want.Contours[0].Points) {
		t.Fatalf("%d polygons, %d contours, %d crossings", len(got.Polygons), len(got.Contours), got.Crossings)
	}
	for _, p := range got.Contours[0].Points {
		checkOnPlane(t, got, p)
	}
	area := want.Area * scale * scale
	for _, a := range [][2]float64{{got.Area, got.AreaBound}, {got.WindingArea, got.WindingAreaBound}, {got.Polygons[0].Outer.Area, got.Polygons[0].Outer.AreaBound}} {
		switch {
		case scale > 0x1p510:
			if !math.IsNaN(a[0]) || !math.IsInf(a[1], 1) {
				t.Errorf("area %g ± %g, want NaN and +Inf", a[0], a[1])
			}
		case !(math.Abs(a[0]-area) <= a[1]+want.AreaBound*scale*scale) || !(a[1] <= 1e-13*area+0x1p-1060):
			t.Errorf("area %g ± %g, want %g", a[0], a[1], area)
		}
	}
}

// checkOnPlane checks that moving p by the bound of c reaches the plane.
func checkOnPlane(t *testing.T, c *section.Section, p r3.Vector) {
	t.Helper()
	h := predicates.ExactPlaneHeight(p, c.Plane.Origin, c.Plane.Normal)
	reach := predicates.ExactPlaneHeight(vector(c.Bound, c.Bound, c.Bound), r3.Vector{}, c.Plane.Normal.Abs())
	if h.Abs(h).Cmp(reach) > 0 {
		t.Errorf("point %v is not on the plane within %g", p, c.Bound)
	}
}

// TestSteep cuts edges whose ends have distances from the plane of different magnitudes.
func TestSteep(t *testing.T) {
	for _, low := range []float64{5e-324, 0x1p-1060, 0x1p-1000, 1} {
		for _, high := range []float64{5e-324, 0x1p-500, 4, 0x1p1000} {
			m := testmesh.Mesh(testmesh.Simplex(vector(0, 0, low), vector(0x1p1000, 0, -high), vector(0, 1, -high), vector(0, -1, -high)))
			c := cut(t, solid(t, m, inpoly.Options{}), section.AxisPlane(2, 0))
			// x = 2^1000·low/(low+high)
			x, sum := new(big.Rat).SetFloat64(low), new(big.Rat).SetFloat64(high)
			x.Quo(x, sum.Add(sum, x)).Mul(x, new(big.Rat).SetFloat64(0x1p1000))
			most := 0.0
			for _, p := range c.Contours[0].Points {
				most = max(most, p.X)
			}
			if x.Sub(x, new(big.Rat).SetFloat64(most)).Abs(x).Cmp(new(big.Rat).SetFloat64(c.Bound)) > 0 {
				t.Errorf("heights %g and %g: x is %g, outside of the bound %g", low, high, most, c.Bound)
			}
		}
	}
	if err := (section.Plane{Origin: vector(0, 0, 1e302), Normal: vector(0, 0, 1)}).Check(); !errors.Is(err, section.ErrPlane) {
		t.Errorf("origin beyond 2^1000: error %v", err)
	}
}
