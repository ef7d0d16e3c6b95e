package voxels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func options(rule inpoly.Rule) inpoly.Options { return inpoly.Options{Rule: rule} }

// cubeShare returns the exact share of a voxel that lies in the box from lo to hi.
func cubeShare(g Grid, i, j, k int, lo, hi r3.Vector) float64 {
	share := 1.0
	o, h, l, u := components(g.Origin), components(g.Spacing), components(lo), components(hi)
	for axis, n := range [3]int{i, j, k} {
		a := o[axis] + float64(n)*h[axis]
		share *= max(0, min(a+h[axis], u[axis])-max(a, l[axis])) / h[axis]
	}
	return share
}

// cornerShare returns the exact share of a voxel below the plane x+y+z = 1. The coordinates of the
// voxel must be at least 0. The function adds and subtracts the tetrahedra that the plane cuts off
// at the corners of the voxel.
func cornerShare(g Grid, i, j, k int) float64 {
	lo := g.Origin.Add(r3.Vector{X: float64(i) * g.Spacing.X, Y: float64(j) * g.Spacing.Y, Z: float64(k) * g.Spacing.Z})
	sum := 0.0
	for corner := range 8 {
		rest, sign := 1-lo.X-lo.Y-lo.Z, 1.0
		for axis, h := range components(g.Spacing) {
			if corner>>axis&1 == 1 {
				rest, sign = rest-h, -sign
			}
		}
		if rest > 0 {
			sum += sign * rest * rest * rest / 6
		}
	}
	return sum / g.Volume()
}

// For boxes and for the corner of a cube, fractions agree with exact formulas within the error
// bounds. Fractions with the bound 0 are exact.
func TestFractionExact(t *testing.T) {
	lo, hi := r3.Vector{X: 0.1, Y: -0.3, Z: 0.05}, r3.Vector{X: 1.3, Y: 0.9, Z: 1.55}
	inner := [2]r3.Vector{{X: 0.5, Y: 0.1, Z: 0.5}, {X: 0.9, Y: 0.5, Z: 0.9}}
	cavity := testmesh.Union(testmesh.Cube(lo, hi), testmesh.Flip(testmesh.Cube(inner[0], inner[1])))
	for _, c := range []struct {
		name  string
		soup  mesh.Soup
		grid  Grid
		share func(g Grid, i, j, k int) float64
	}{
		{"box", testmesh.Cube(lo, hi), Grid{Origin: r3.Vector{X: -0.2, Y: -0.5}, Spacing: r3.Vector{X: 0.17, Y: 0.23, Z: 0.31}, Counts: [3]int{10, 7, 6}},
			func(g Grid, i, j, k int) float64 { return cubeShare(g, i, j, k, lo, hi) }},
		{"box with a cavity", cavity, Grid{Origin: r3.Vector{X: -0.2, Y: -0.5}, Spacing: r3.Vector{X: 0.17, Y: 0.23, Z: 0.31}, Counts: [3]int{10, 7, 6}},
			func(g Grid, i, j, k int) float64 {
				return cubeShare(g, i, j, k, lo, hi) - cubeShare(g, i, j, k, inner[0], inner[1])
			}},
		{"aligned cube", testmesh.UnitCube(), Grid{Origin: r3.Vector{X: -0.25, Y: -0.25, Z: -0.5}, Spacing: r3.Vector{X: 0.25, Y: 0.125, Z: 0.5}, Counts: [3]int{6, 12, 4}},
			func(g Grid, i, j, k int) float64 {
				return cubeShare(g, i, j, k, r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1})
			}},
		{"corner", testmesh.Tetrahedron(), Grid{Spacing: r3.Vector{X: 0.13, Y: 0.17, Z: 0.11}, Counts: [3]int{9, 7, 10}}, cornerShare},
	} {
		for _, n := range []int{1, 2, 3, 8} {
			for _, wide := range []bool{false, true} {
				s := newSolid(t, testmesh.Mesh(c.soup), inpoly.Options{})
				got, sum := raw(t, s, c.grid, Options{Quantity: Fraction, Samples: n, Error: true, Float64: wide})
				largest, mixed, total := 0.0, int64(0), 0.0
				for i := range c.grid.Len() {
					x, y, z := i%c.grid.Counts[0], i/c.grid.Counts[0]%c.grid.Counts[1], i/c.grid.Counts[0]/c.grid.Counts[1]
					want := c.share(c.grid, x, y, z)
					total += want * c.grid.Volume()
					v, bound := got[2*i], got[2*i+1]
					largest = max(largest, math.Abs(v-want))
					if !(math.Abs(v-want) <= bound+1e-13) {
						t.Errorf("%s, %d samples: voxel %d %d %d has %g ± %g, want %g", c.name, n, x, y, z, v, bound, want)
					}
					if bound > 0 {
						mixed++
					}
				}
				if !(math.Abs(sum.Volume-total) <= sum.VolumeError) || sum.MaxError < largest-1e-13 || sum.Mixed < mixed || sum.Samples != sum.Mixed*int64(n*n*n) {
					t.Errorf("%s, %d samples: %+v, want the volume %g, an error of at least %g, %d mixed voxels", c.name, n, sum, total, largest, mixed)
				}
			}
		}
	}
}

// Fractions agree with the sides of random points in the voxels. Without INPOLY_FULL=1 the test uses
// two rules for each solid.
func TestFractionRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not races: the race detector takes ten times as long")
	}
	for _, c := range solids(t) {
		for _, rule := range []inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.Negative, inpoly.EvenOdd} {
			if !testcorpus.Full() && int(rule)%2 != len(c.name)%2 {
				continue
			}
			s := newSolid(t, c.mesh, options(rule))
			g := around(t, c.mesh, c.spacing)
			got, _ := raw(t, s, g, Options{Quantity: Fraction, Samples: 4, Error: true, Float64: true})
			if certain := checkVoxels(t, fmt.Sprintf("%s, %v", c.name, rule), s, g, got, 200); certain < 20 {
				t.Errorf("%s, %v: only %d voxels are certain", c.name, rule, certain)
			}
		}
	}
}

// checkVoxels compares about the given number of voxels with random points in the voxels. If the
// error bound of a fraction is 0, all points must agree. Otherwise the share of points inside must
// agree within six standard deviations plus the bound. checkVoxels returns the number of voxels
// with the bound 0.
func checkVoxels(t *testing.T, name string, s *inpoly.Solid, g Grid, got []float64, voxels int) (certain int) {
	t.Helper()
	const points = 64
	rng := rand.New(rand.NewPCG(9, 10))
	pts := make([]r3.Vector, points)
	sides := make([]inpoly.Side, points)
	for v := 0; v < g.Len(); v += 1 + rng.IntN(2+g.Len()/voxels) {
		corner := r3.Vector{X: float64(v % g.Counts[0]), Y: float64(v / g.Counts[0] % g.Counts[1]), Z: float64(v / g.Counts[0] / g.Counts[1])}
		for i := range pts {
			pts[i] = r3.Vector{
				X: g.Origin.X + (corner.X+rng.Float64())*g.Spacing.X,
				Y: g.Origin.Y + (corner.Y+rng.Float64())*g.Spacing.Y,
				Z: g.Origin.Z + (corner.Z+rng.Float64())*g.Spacing.Z}
		}
		if err := s.SidesTo(t.Context(), sides, pts); err != nil {
			t.Fatal(err)
		}
		in := 0.0
		for _, side := range sides {
			if side == inpoly.Inside || side == inpoly.OnSurface {
				in++
			}
		}
		share, x, bound := in/points, got[2*v], got[2*v+1]
		if bound == 0 {
			certain++
			if share != x {
				t.Errorf("%s: voxel %d is %g for certain, and %g of %d points", name, v, x, in, points)
			}
			continue
		}
		// The standard deviation is largest for a share of 1/2.
		if chance := 6 * 0.5 / math.Sqrt(points); math.Abs(share-x) > bound+chance {
			t.Errorf("%s: voxel %d is %g ± %g, %g of %d points", name, v, x, bound, in, points)
		}
	}
	return certain
}

// The volume from fractions agrees with the volume of the mesh within the error bound. For n
// samples per axis, the bound decreases as 1/n. The actual error decreases faster. The errors are
// averages over shifted grids.
func TestFractionConverges(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not races: the race detector takes ten times as long")
	}
	const grids = 3
	for _, c := range []struct {
		name    string
		mesh    *mesh.Mesh
		spacing r3.Vector
	}{
		{"sphere", testmesh.Sphere(4), r3.Vector{X: 0.31, Y: 0.37, Z: 0.29}},
		{"torus", testmesh.Mesh(testmesh.Torus(2, 0.5, 24, 12)), r3.Vector{X: 0.4, Y: 0.3, Z: 0.2}},
		{"foam", foam(t, 12), r3.Vector{X: 0.11, Y: 0.13, Z: 0.17}},
	} {
		s := newSolid(t, c.mesh, inpoly.Options{Method: inpoly.Cells})
		volume := s.Report().Diagnosis.Volume
		counts := []int{1, 2, 4, 8, 16}
		squares, bounds := make([]float64, len(counts)), make([]float64, len(counts))
		rng := rand.New(rand.NewPCG(11, 12))
		for range grids {
			g := around(t, c.mesh, c.spacing)
			// The margin of one voxel permits a shift by less than one voxel.
			g.Origin = g.Origin.Add(r3.Vector{X: rng.Float64() * g.Spacing.X, Y: rng.Float64() * g.Spacing.Y, Z: rng.Float64() * g.Spacing.Z}.Mul(0.9))
			for i, n := range counts {
				_, sum := raw(t, s, g, Options{Quantity: Fraction, Samples: n})
				off := sum.Volume - volume
				squares[i] += off * off
				bounds[i] += sum.VolumeError
				if !(math.Abs(off) <= sum.VolumeError) {
					t.Errorf("%s, %d samples: volume %g ± %g, the mesh has %g", c.name, n, sum.Volume, sum.VolumeError, volume)
				}
			}
		}
		// The slope uses the bounds for 4 and 16 samples per axis. Fewer samples do not resolve the
		// surface.
		if slope := math.Log2(bounds[2]/bounds[4]) / 2; slope < 0.85 || slope > 1.25 {
			t.Errorf("%s: bounds %v fall as n^-%.2f, want n^-1", c.name, bounds, slope)
		}
		// Faces intersect about n² of the n³ parts. The errors of these parts are random, so the
		// sum of the errors is about n parts.
		if slope := math.Log2(squares[0]/squares[4]) / 2 / 4; slope < 1.3 {
			t.Errorf("%s: squared errors %v fall as n^-%.2f, want n^-1.3 or faster", c.name, squares, 2*slope)
		}
	}
}

// Scaling the mesh and the grid by a power of two changes no fraction and no error bound.
func TestFractionScaled(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not races: the race detector takes ten times as long")
	}
	for _, soup := range []mesh.Soup{testmesh.Torus(2, 0.5, 12, 8), testmesh.Hemisphere(1)} {
		var want []float64
		for _, scale := range []float64{1, 0x1p400, 0x1p900, 0x1p-900} {
			m := testmesh.Mesh(testmesh.Scale(soup, scale))
			s := newSolid(t, m, inpoly.Options{Method: inpoly.Cells})
			g := Grid{Origin: r3.Vector{X: -2.7, Y: -2.6, Z: -1.1}.Mul(scale), Spacing: r3.Vector{X: 0.41, Y: 0.43, Z: 0.37}.Mul(scale), Counts: [3]int{13, 12, 6}}
			got, _ := raw(t, s, g, Options{Quantity: Fraction, Samples: 3, Error: true})
			if want == nil {
				want = got
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("scaled by %g: number %d of voxel %d is %g, want %g", scale, i%2, i/2, got[i], want[i])
				}
			}
		}
	}
}

// If the winding number of an open mesh crosses the threshold within a voxel, the voxel is mixed.
// This is true even if no face intersects the voxel.
func TestFractionThreshold(t *testing.T) {
	m := testmesh.Mesh(testmesh.Hemisphere(3))
	s := newSolid(t, m, inpoly.Options{})
	// The winding number is 1/2 just below the center of the opening.
	g := Grid{Origin: r3.Vector{X: -0.1, Y: -0.1, Z: -0.3}, Spacing: r3.Vector{X: 0.2, Y: 0.2, Z: 0.6}, Counts: [3]int{1, 1, 1}}
	got, sum := raw(t, s, g, Options{Quantity: Fraction, Samples: 8, Error: true})
	if sum.Mixed != 1 || !(got[0] > 0.2 && got[0] < 0.8) || !(got[1] > 0 && got[1] < 0.5) {
		t.Errorf("fraction %g ± %g, %+v: want a mixed voxel", got[0], got[1], sum)
	}
}
