package voxels

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/pose"
)

// posedGrid returns a grid around the box of a solid at a pose.
func posedGrid(t *testing.T, s *inpoly.Posed, spacing r3.Vector) Grid {
	t.Helper()
	g, err := FitSpacing(s.Box(), spacing)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Values of voxels at any pose are those of the centers at this pose.
func TestPosedCenters(t *testing.T) {
	p := pose.Pose{Rotation: quat.Number{Real: 0.9, Imag: 0.1, Jmag: 0.3, Kmag: math.Sqrt(1 - 0.81 - 0.01 - 0.09)}, Translation: r3.Vector{X: 10, Y: -7, Z: 0.3}}
	for _, c := range solids(t) {
		for _, opt := range []inpoly.Options{{}, {Rule: inpoly.EvenOdd}, {Method: inpoly.RayCrossing}, {Method: inpoly.Cells}, {Tolerance: 0.05}} {
			s := newSolid(t, c.mesh, opt)
			at, err := s.At(p)
			if err != nil {
				t.Fatal(err)
			}
			g := posedGrid(t, at, c.spacing)
			occupancy, _ := raw(t, at, g, Options{})
			windings, _ := raw(t, at, g, Options{Quantity: Winding, Error: true, Float64: true})
			distances, _ := raw(t, at, g, Options{Quantity: Distance, Error: true, Float64: true})
			for i, x := range centers(g) {
				if want := float64(occupancyLabels[at.Side(x)]); occupancy[i] != want {
					t.Errorf("%s, %+v: voxel %d is %g, want %g", c.name, opt, i, occupancy[i], want)
				}
				w, bound := at.Winding(x)
				if e := math.Abs(windings[2*i] - w); !(e <= windings[2*i+1]+bound) {
					t.Errorf("%s, %+v: voxel %d has the winding number %g ± %g, want %g ± %g", c.name, opt, i, windings[2*i], windings[2*i+1], w, bound)
				}
				d, _ := at.Distance(x)
				if distances[2*i] != d && !math.IsNaN(d) || !math.IsNaN(d) && distances[2*i+1] != at.DistanceBound(x, d) {
					t.Errorf("%s, %+v: voxel %d has the distance %g ± %g, want %g ± %g", c.name, opt, i, distances[2*i], distances[2*i+1], d, at.DistanceBound(x, d))
				}
			}
		}
	}
}

// Fractions at a pose with few and with many samples agree within their bounds. The volume of a closed mesh is within the
// bound of the sum.
func TestPosedFractions(t *testing.T) {
	for _, p := range []pose.Pose{
		{Rotation: quat.Number{Real: 0.9, Imag: 0.1, Jmag: 0.3, Kmag: math.Sqrt(1 - 0.81 - 0.01 - 0.09)}, Translation: r3.Vector{X: 10, Y: -7, Z: 0.3}},
		{Rotation: quat.Number{Real: 0.6, Kmag: 0.8}, Translation: r3.Vector{X: 1e9, Y: 3e9, Z: -1e9 / 3}},
	} {
		for _, c := range solids(t) {
			s := newSolid(t, c.mesh, inpoly.Options{})
			at, err := s.At(p)
			if err != nil {
				t.Fatal(err)
			}
			g := posedGrid(t, at, c.spacing.Mul(2))
			few, sum := raw(t, at, g, Options{Quantity: Fraction, Samples: 2, Error: true, Float64: true})
			many, fine := raw(t, at, g, Options{Quantity: Fraction, Samples: 7, Error: true, Float64: true})
			for i := 0; i < len(few); i += 2 {
				if !(math.Abs(few[i]-many[i]) <= few[i+1]+many[i+1]) {
					t.Errorf("%s: voxel %d has the fractions %g ± %g and %g ± %g", c.name, i/2, few[i], few[i+1], many[i], many[i+1])
				}
			}
			if !(fine.VolumeError < sum.VolumeError) || fine.Mixed == 0 || fine.Mixed == int64(g.Len()) {
				t.Errorf("%s: volume errors %g and %g, %d of %d voxels are mixed", c.name, sum.VolumeError, fine.VolumeError, fine.Mixed, g.Len())
			}
			plain, err := FitSpacing(c.mesh.Box(), c.spacing)
			if err != nil {
				t.Fatal(err)
			}
			if _, want := raw(t, s, plain, Options{Quantity: Fraction, Samples: 7}); c.closed && !(math.Abs(fine.Volume-want.Volume) <= fine.VolumeError+want.VolumeError) {
				t.Errorf("%s: volume %g ± %g, without the pose %g ± %g", c.name, fine.Volume, fine.VolumeError, want.Volume, want.VolumeError)
			}
		}
	}
}

// At a pose that exchanges axes and moves by whole numbers, nothing is rounded: the file is that of the moved mesh.
func TestPosedExchange(t *testing.T) {
	p := pose.Pose{Rotation: quat.Number{Real: 0.5, Imag: 0.5, Jmag: 0.5, Kmag: 0.5}, Translation: r3.Vector{X: 3, Y: -2, Z: 5}} // x, y, z becomes z, x, y
	for _, c := range solids(t) {
		onGrid := func(v r3.Vector) r3.Vector { // so that the sums with the translation are exact
			return r3.Vector{X: math.Round(v.X * 4096), Y: math.Round(v.Y * 4096), Z: math.Round(v.Z * 4096)}.Mul(1.0 / 4096)
		}
		soup := testmesh.Move(testmesh.Soup(c.mesh), onGrid)
		moved := newSolid(t, testmesh.Mesh(testmesh.Move(soup, func(v r3.Vector) r3.Vector { return r3.Vector{X: v.Z, Y: v.X, Z: v.Y}.Add(p.Translation) })), inpoly.Options{})
		at, err := newSolid(t, testmesh.Mesh(soup), inpoly.Options{}).At(p)
		if err != nil {
			t.Fatal(err)
		}
		g := posedGrid(t, at, c.spacing)
		for _, opt := range []Options{{}, {Quantity: Fraction, Samples: 3, Error: true}} {
			var a, b bytes.Buffer
			if _, err := Write(t.Context(), &a, moved, g, opt); err != nil {
				t.Fatal(err)
			}
			if _, err := Write(t.Context(), &b, at, g, opt); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s: the %s of the solid at a pose differs from that of the moved mesh", c.name, opt.Quantity)
			}
		}
	}
}

// Boxes at the limits of float64 are compared without overflow.
func TestPosedFarBoxes(t *testing.T) {
	for _, p := range testPoses() {
		s := newSolid(t, solids(t)[1].mesh, inpoly.Options{})
		at, err := s.At(p)
		if err != nil {
			t.Fatal(err)
		}
		const most = math.MaxFloat64
		all := r3.Vector{X: most, Y: most, Z: most}
		boxes := []bvh.Box{{Min: all.Mul(-1), Max: all}, {Min: all, Max: all}, {Min: r3.Vector{X: most / 2, Y: -most, Z: -most}, Max: all}, bvh.EmptyBox()}
		got := make([]Position, len(boxes))
		if err := BoxesTo(t.Context(), at, got, boxes); err != nil {
			t.Fatal(err)
		}
		if want := []Position{Straddling, Outside, Outside, Unknown}; !slices.Equal(got, want) {
			t.Errorf("%v: positions %v, want %v", p, got, want)
		}
	}
}
