package blocks

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func coverage(t *testing.T, f *Frame, opt Options, i int, solids ...*inpoly.Solid) Coverage {
	t.Helper()
	frame := f
	if frame == nil {
		frame = &Frame{}
	}
	m, err := New(t.Context(), solids, frame.Pose(), opt)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Coverage(t.Context(), f, i)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func isNear(x, bound, want float64) bool { return math.Abs(x-want) <= bound+1e-15*math.Abs(want) }

// The volume of a whole solid and its share outside a frame depend neither on priorities nor on other solids.
func TestCoverage(t *testing.T) {
	v := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	cube := testmesh.UnitCube()
	crossing := testmesh.Union(cube, testmesh.Cube(v(0.5, 0.5, 0.5), v(1.5, 1.25, 1.125)))
	copies := testmesh.Copies(cube, 2)
	for _, x := range []struct {
		name    string
		soup    mesh.Soup
		rule    inpoly.Rule
		frame   *Frame
		whole   float64
		outside float64
		loose   float64 // the largest bound of Outside, and of Whole relative to the volume
	}{
		{"all", cube, inpoly.NonZero, &Frame{Origin: v(-1, -1, -1), Size: v(1, 1, 1), Counts: [3]int{3, 3, 3}}, 1, 0, 1e-11},
		{"exactly all", cube, inpoly.NonZero, &Frame{Size: v(0.5, 0.5, 0.25), Counts: [3]int{2, 2, 4}}, 1, 0, 1e-11},
		{"quarter", cube, inpoly.NonZero, &Frame{Origin: v(-1, -1, -1), Size: v(0.25, 1, 1), Counts: [3]int{5, 3, 3}}, 1, 0.75, 1e-11},
		{"none", cube, inpoly.NonZero, &Frame{Origin: v(2, 2, 2), Size: v(1, 1, 1), Counts: [3]int{3, 3, 3}}, 1, 1, 1e-11},
		{"beside", cube, inpoly.NonZero, &Frame{Origin: v(1, 0, 0), Size: v(1, 1, 1), Counts: [3]int{1, 1, 1}}, 1, 1, 1e-11},
		{"no frame", cube, inpoly.NonZero, nil, 1, math.NaN(), 1e-11},
		{"rotated", cube, inpoly.NonZero, &Frame{Origin: v(1, 0, 0), Size: v(1, 1, 1), Counts: [3]int{2, 1, 1}, Rotation: rotationOf(t, -45)}, 1, 2 - math.Sqrt2, 1e-11},
		{"two copies", copies, inpoly.NonZero, &Frame{Size: v(0.5, 1, 1), Counts: [3]int{1, 1, 1}}, 1, 0.5, 1e-11},
		{"two copies, parity", copies, inpoly.EvenOdd, &Frame{Size: v(0.5, 1, 1), Counts: [3]int{1, 1, 1}}, 0, 0, 1},
		{"crossing", crossing, inpoly.NonZero, &Frame{Size: v(0.125, 0.125, 0.125), Counts: [3]int{8, 8, 8}}, 1.34375, 1 - 1/1.34375, 0.2},
		{"crossing, parity", crossing, inpoly.EvenOdd, &Frame{Size: v(0.125, 0.125, 0.125), Counts: [3]int{8, 8, 8}}, 1.21875, 1 - 0.875/1.21875, 0.2},
		{"empty", mesh.Soup{}, inpoly.NonZero, &Frame{Size: v(1, 1, 1), Counts: [3]int{1, 1, 1}}, 0, 0, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := solidOf(t, testmesh.Mesh(x.soup), inpoly.Options{Rule: x.rule, Orient: inpoly.OrientNever})
			first := solidOf(t, testmesh.Mesh(testmesh.Cube(v(-1, -1, -1), v(0.5, 2, 2))), inpoly.Options{})
			for i, solids := range [][]*inpoly.Solid{{s}, {first, s}} {
				if x.frame != nil {
					m, err := New(t.Context(), solids, x.frame.Pose(), Options{})
					if err != nil {
						t.Fatal(err)
					}
					if in, err := m.Contains(t.Context(), x.frame, i); err != nil || in != (x.name == "all" || x.name == "exactly all" || x.name == "empty") {
						t.Errorf("contained: %v, %v", in, err)
					}
				}
				for _, overlap := range []bool{false, true} {
					c := coverage(t, x.frame, Options{Levels: 3, Overlap: overlap}, i, solids...)
					if !isNear(c.Whole, c.WholeBound, x.whole) || c.WholeBound > x.loose {
						t.Errorf("volume %g ± %g, want %g", c.Whole, c.WholeBound, x.whole)
					}
					switch {
					case x.frame == nil:
						if c.Outside == c.Outside || c.OutsideBound == c.OutsideBound {
							t.Errorf("no frame: %+v", c)
						}
					case !isNear(c.Outside, c.OutsideBound, x.outside) || c.OutsideBound > x.loose:
						t.Errorf("outside %g ± %g, want %g", c.Outside, c.OutsideBound, x.outside)
					}
				}
			}
		})
	}
}

func rotationOf(t *testing.T, azimuth float64) quat.Number {
	t.Helper()
	q, err := Rotation(azimuth, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// The coverage of an open mesh agrees with random points, also where the solid is outside the box of its faces.
func TestCoverageOfOpenMesh(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 5))
	for name, soup := range map[string]mesh.Soup{
		"hemisphere": testmesh.Hemisphere(2), "copies": testmesh.Copies(testmesh.Hemisphere(1), 5), "star": testmesh.Without(testmesh.Star(2, .5, 1), 0, 1, 2, 40),
	} {
		s := solidOf(t, testmesh.Mesh(soup), inpoly.Options{})
		box := s.Mesh().Box()
		f := Frame{Origin: box.Min, Size: box.Size().Mul(1.0 / 16), Counts: [3]int{8, 16, 16}}
		c := coverage(t, &f, Options{Levels: 3}, 0, s)
		wide := box
		side := 2 * box.Size().Norm()
		wide.Min, wide.Max = wide.Min.Sub(r3.Vector{X: side, Y: side, Z: side}), wide.Max.Add(r3.Vector{X: side, Y: side, Z: side})
		const n = 100_000
		points := make([]r3.Vector, n)
		for i := range points {
			d := wide.Size()
			points[i] = wide.Min.Add(r3.Vector{X: r.Float64() * d.X, Y: r.Float64() * d.Y, Z: r.Float64() * d.Z})
		}
		sides := make([]inpoly.Side, n)
		if err := s.SidesTo(t.Context(), sides, points); err != nil {
			t.Fatal(err)
		}
		in, out := 0.0, 0.0
		part := f.planes([3]int{}, f.Counts)
		for i, p := range points {
			if sides[i] == inpoly.Inside {
				in++
				if !part.Contains(p) {
					out++
				}
			}
		}
		volume := in / n * ratio(wide.Size(), r3.Vector{X: 1, Y: 1, Z: 1})
		noise := 5 / math.Sqrt(in)
		t.Logf("%s: %.4g ± %.2g, sampled %.4g; outside %.4g ± %.2g, sampled %.4g ± %.2g", name, c.Whole, c.WholeBound, volume, c.Outside, c.OutsideBound, out/in, noise)
		if math.Abs(c.Whole-volume) > c.WholeBound+noise*volume || math.Abs(c.Outside-out/in) > c.OutsideBound+noise || c.WholeBound > c.Whole {
			t.Errorf("%s: %+v, sampled %g and %g", name, c, volume, out/in)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := solidOf(t, testmesh.Mesh(testmesh.Hemisphere(2)), inpoly.Options{})
	m, err := New(ctx, []*inpoly.Solid{s}, (&Frame{}).Pose(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := m.Coverage(ctx, nil, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// On an open mesh, the side can also change in a block that no face meets. Then the bound of the share covers
// the part that is not decided.
func TestSharesOffTheFaces(t *testing.T) {
	open := mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}, {Z: 1}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}},
	}
	r := rand.New(rand.NewPCG(38, 6))
	changing := 0
	for name, soup := range map[string]mesh.Soup{"tetrahedron": open, "hemisphere": testmesh.Hemisphere(2), "copies": testmesh.Copies(open, 7)} {
		s := solidOf(t, testmesh.Mesh(soup), inpoly.Options{})
		f := around(s.Mesh().Box(), 5)
		f.Origin, f.Counts = f.Origin.Sub(f.Size), [3]int{7, 8, 9}
		rows := modelOf(t, f, Options{Levels: 1}, s)
		for k := range rows.Rows {
			b := rows.Rows[k].Box
			const n = 400
			points := make([]r3.Vector, n)
			for i := range points {
				d := b.Size()
				points[i] = b.Min.Add(r3.Vector{X: r.Float64() * d.X, Y: r.Float64() * d.Y, Z: r.Float64() * d.Z})
			}
			sides := make([]inpoly.Side, n)
			if err := s.SidesTo(t.Context(), sides, points); err != nil {
				t.Fatal(err)
			}
			in := 0.0
			for _, d := range sides {
				if d == inpoly.Inside {
					in++
				}
			}
			x, e := rows.Shares[0][k], rows.Bounds[0][k]
			if in > 0 && in < n {
				changing++
				if e == 0 {
					t.Fatalf("%s: the share of %v is %g ± 0, but %g of %d points are inside", name, b, x, in, n)
				}
			}
			if math.Abs(x-in/n) > e+5*math.Sqrt(x*(1-x)/n)+5.0/n {
				t.Fatalf("%s: the share of %v is %g ± %g, but %g of %d points are inside", name, b, x, e, in, n)
			}
		}
	}
	if changing < 50 {
		t.Errorf("%d blocks with both sides: the test covers too little", changing)
	}
}
