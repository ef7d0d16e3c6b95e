package blocks

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/measure"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/voxels"
)

func solidOf(t testing.TB, m *mesh.Mesh, opt inpoly.Options) *inpoly.Solid {
	t.Helper()
	s, err := inpoly.New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// modelOf computes all rows of a frame, in pieces.
func modelOf(t testing.TB, f Frame, opt Options, solids ...*inpoly.Solid) (all Rows) {
	t.Helper()
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	m, err := New(t.Context(), solids, f.Pose(), opt)
	if err != nil {
		t.Fatal(err)
	}
	w := m.Worker(t.Context())
	all.resize(len(solids))
	next := f.Grid().Pieces(500, 2)
	var part Rows
	for lo, hi, ok := next(); ok; lo, hi, ok = next() {
		if err := w.Grid(&part, &f, lo, hi); err != nil {
			t.Fatal(err)
		}
		all.Rows = append(all.Rows, part.Rows...)
		for s := range solids {
			all.Shares[s] = append(all.Shares[s], part.Shares[s]...)
			all.Bounds[s] = append(all.Bounds[s], part.Bounds[s]...)
		}
	}
	return all
}

// around returns a frame with blocks of odd sizes around a box.
func around(b bvh.Box, n int) Frame {
	size := b.Size()
	return Frame{
		Origin: b.Min.Sub(size.Mul(0.0713)),
		Size:   r3.Vector{X: size.X * 1.17 / float64(n), Y: size.Y * 1.19 / float64(n+1), Z: size.Z * 1.23 / float64(n+2)},
		Counts: [3]int{n, n + 1, n + 2},
	}
}

// total returns the volume of the rows in solid s, and the sum of the bounds.
func total(r *Rows, s int) (v, e float64) {
	for i := range r.Rows {
		volume := ratio(r.Rows[i].Box.Size(), r3.Vector{X: 1, Y: 1, Z: 1})
		v += volume * r.Shares[s][i]
		e += volume * r.Bounds[s][i]
	}
	return v, e * (1 + 1e-9)
}

// TestVolumes compares the volume of all blocks with the volume of the mesh, which package measure computes
// in another way. The bounds of meshes without defects must be tiny.
func TestVolumes(t *testing.T) {
	torus := testmesh.Mesh(testmesh.Torus(3, 1, 48, 24))
	for name, m := range map[string]*mesh.Mesh{
		"sphere": testmesh.Sphere(4), "torus": torus, "cube": testmesh.Mesh(testmesh.UnitCube()),
		"far":   testmesh.Mesh(testmesh.Translate(testmesh.Torus(3, 1, 48, 24), r3.Vector{X: 512345.6, Y: 7654321.1, Z: -812})),
		"star":  testmesh.Mesh(testmesh.Star(3, 0.4, 7)),
		"inner": testmesh.Mesh(testmesh.Nested(true)),
	} {
		s := solidOf(t, m, inpoly.Options{})
		p, err := measure.Whole(t.Context(), s, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 3, 9} {
			for _, rotated := range []bool{false, true} {
				f := around(m.Box(), n)
				if rotated {
					if f.Rotation, err = Rotation(33, -20, 11); err != nil {
						t.Fatal(err)
					}
					side := m.Box().Size().Norm() * 2
					f.Size = r3.Vector{X: side / float64(n), Y: side / float64(n+1), Z: side / float64(n+2)}
					local := f.Pose()
					local.Translation = r3.Vector{}
					f.Origin = m.Box().Min.Mul(0.5).Add(m.Box().Max.Mul(0.5)).Sub(local.Apply(r3.Vector{X: side / 2, Y: side / 2, Z: side / 2}))
				}
				rows := modelOf(t, f, Options{Levels: 1}, s)
				v, e := total(&rows, 0)
				worst := slices.Max(rows.Bounds[0])
				if math.Abs(v-p.Volume) > e+p.VolumeBound+1e-13*p.Volume {
					t.Errorf("%s, %d blocks, rotated %v: volume %.17g ± %g, want %.17g", name, n, rotated, v, e, p.Volume)
				}
				if limit := 1e-9; name != "far" && worst > limit || worst > 1e-4 {
					t.Errorf("%s, %d blocks, rotated %v: bound %g", name, n, rotated, worst)
				}
			}
		}
	}
}

// TestCubes compares the shares of overlapping boxes with shares that follow from the coordinates: all
// coordinates divide space into boxes, each of which has one owner.
func TestCubes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 12))
	for range 40 {
		n := 1 + r.IntN(4)
		grain := 0.0 // coordinates that coincide with those of blocks and other cubes
		if r.IntN(2) == 0 {
			grain = 0.5
		}
		random := func() float64 {
			if grain > 0 {
				return grain * float64(r.IntN(8))
			}
			return 4 * r.Float64()
		}
		var cubes []bvh.Box
		var solids []*inpoly.Solid
		for len(cubes) < n {
			a, b := r3.Vector{X: random(), Y: random(), Z: random()}, r3.Vector{X: random(), Y: random(), Z: random()}
			lo := r3.Vector{X: min(a.X, b.X), Y: min(a.Y, b.Y), Z: min(a.Z, b.Z)}
			hi := r3.Vector{X: max(a.X, b.X), Y: max(a.Y, b.Y), Z: max(a.Z, b.Z)}
			if lo.X == hi.X || lo.Y == hi.Y || lo.Z == hi.Z {
				continue
			}
			cubes = append(cubes, bvh.Box{Min: lo, Max: hi})
			solids = append(solids, solidOf(t, testmesh.Mesh(testmesh.Cube(lo, hi)), inpoly.Options{}))
		}
		f := Frame{Size: r3.Vector{X: 1, Y: 1, Z: 0.5}, Counts: [3]int{4, 5, 9}, Origin: r3.Vector{X: -0.5, Y: -0.5, Z: -0.25}}
		for _, overlap := range []bool{false, true} {
			rows := modelOf(t, f, Options{Levels: 3, Overlap: overlap, SubLevels: r.IntN(2)}, solids...)
			for i := range rows.Rows {
				want := ownShares(cubes, rows.Rows[i].Box, overlap)
				sum := 0.0
				for s := range solids {
					x, e := rows.Shares[s][i], rows.Bounds[s][i]
					if sum += x; !(math.Abs(x-want[s]) <= e+1e-14) || e > 0.6 || x < 0 || x > 1 {
						t.Fatalf("overlap %v, row %+v, solid %d of %v: share %g ± %g, want %g", overlap, rows.Rows[i], s, cubes, x, e, want[s])
					}
					if n == 1 && e > 1e-10 {
						t.Fatalf("bound %g of a single cube", e)
					}
				}
				if !overlap && sum > 1 {
					t.Fatalf("row %+v: shares add up to %.17g", rows.Rows[i], sum)
				}
			}
		}
	}
}

// TestPlane compares the shares of blocks that one plane cuts with the volume of the part of a box below a plane:
// the alternating sum of max(0, d − Σ n·length)³ over the corners, divided by 6·n.x·n.y·n.z.
func TestPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n := [3]float64{0.05 + r.Float64(), 0.05 + r.Float64(), 0.05 + r.Float64()}
		// The plane n·x = 1 and the three planes of the axes, moved far away.
		far := -50.0
		corner := r3.Vector{X: far, Y: far, Z: far}
		reach := 1 - far*(n[0]+n[1]+n[2])
		s := solidOf(t, testmesh.Mesh(testmesh.Simplex(corner, corner.Add(r3.Vector{X: reach / n[0]}), corner.Add(r3.Vector{Y: reach / n[1]}), corner.Add(r3.Vector{Z: reach / n[2]}))), inpoly.Options{Rule: inpoly.NonZero})
		f := Frame{Origin: r3.Vector{X: -0.3, Y: -0.2, Z: -0.1}, Size: r3.Vector{X: 0.3 + r.Float64(), Y: 0.3 + r.Float64(), Z: 0.3 + r.Float64()}, Counts: [3]int{3, 3, 3}}
		rows := modelOf(t, f, Options{}, s)
		for i := range rows.Rows {
			lo, h := components(rows.Rows[i].Box.Min), components(rows.Rows[i].Box.Size())
			want, volume := 0.0, 6.0
			for k := range 8 {
				d, sign := 1.0, 1.0
				for axis := range 3 {
					d -= n[axis] * lo[axis]
					if k>>axis&1 != 0 {
						d -= n[axis] * h[axis]
						sign = -sign
					}
				}
				want += sign * math.Pow(max(0, d), 3)
			}
			for axis := range 3 {
				volume *= n[axis] * h[axis]
			}
			want /= volume
			// The vertices and the formula are rounded.
			if x, e := rows.Shares[0][i], rows.Bounds[0][i]; math.Abs(x-want) > e+1e-10/volume || e > 1e-9 {
				t.Fatalf("row %+v, normal %v: share %.17g ± %g, want %.17g", rows.Rows[i], n, x, e, want)
			}
		}
	}
}

// ownShares returns the shares of a box by dividing it at all coordinates of the cubes.
func ownShares(cubes []bvh.Box, b bvh.Box, overlap bool) []float64 {
	var cuts [3][]float64
	lo, hi := components(b.Min), components(b.Max)
	for k := range cuts {
		cuts[k] = []float64{lo[k], hi[k]}
		for _, c := range cubes {
			for _, x := range []float64{components(c.Min)[k], components(c.Max)[k]} {
				if lo[k] < x && x < hi[k] {
					cuts[k] = append(cuts[k], x)
				}
			}
		}
		slices.Sort(cuts[k])
	}
	out := make([]float64, len(cubes))
	for i := range len(cuts[0]) - 1 {
		for j := range len(cuts[1]) - 1 {
			for k := range len(cuts[2]) - 1 {
				p := bvh.Box{Min: r3.Vector{X: cuts[0][i], Y: cuts[1][j], Z: cuts[2][k]}, Max: r3.Vector{X: cuts[0][i+1], Y: cuts[1][j+1], Z: cuts[2][k+1]}}
				for s, c := range cubes {
					if c.Contains(center(&p)) {
						out[s] += ratio(p.Size(), b.Size())
						if !overlap {
							break
						}
					}
				}
			}
		}
	}
	return out
}

// TestCatalog compares shares of all kinds of meshes, also open and crossing ones, with the certified
// fractions of package voxels, and positions with BoxesTo.
func TestCatalog(t *testing.T) {
	for i, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if os.Getenv("INPOLY_FULL") == "" && i%5 != 0 {
			continue
		}
		if m.Box().Empty() {
			continue
		}
		for _, rule := range []inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.EvenOdd} {
			s := solidOf(t, m, inpoly.Options{Rule: rule, Orient: inpoly.OrientNever})
			f := around(m.Box(), 4)
			if f.Check() != nil {
				continue // flat meshes
			}
			rows := modelOf(t, f, Options{Levels: 2}, s)
			var out volumeWriter
			if _, err := voxels.Write(t.Context(), &out, s, f.Grid(), voxels.Options{Quantity: voxels.Fraction, Samples: 5, Error: true, Float64: true, Format: voxels.Raw}); err != nil {
				t.Fatal(err)
			}
			at := make([]voxels.Position, len(rows.Rows))
			boxes := make([]bvh.Box, len(rows.Rows))
			for i := range rows.Rows {
				boxes[i] = rows.Rows[i].Box
				x, e := rows.Shares[0][i], rows.Bounds[0][i]
				y, d := out.number(2*i), out.number(2*i+1)
				if !(math.Abs(x-y) <= e+d+1e-9) {
					t.Errorf("%s, %v, row %+v: share %g ± %g, but package voxels has %g ± %g", c.Name, rule, rows.Rows[i], x, e, y, d)
				}
			}
			if err := voxels.BoxesTo(t.Context(), s, at, boxes); err != nil {
				t.Fatal(err)
			}
			for i, p := range at {
				if got := rows.Rows[i].Position(); got != p && !(p == voxels.Unknown && got == voxels.Straddling) {
					t.Errorf("%s, %v, row %+v: %v, want %v", c.Name, rule, rows.Rows[i], got, p)
				}
			}
		}
	}
}

type volumeWriter []byte

func (w *volumeWriter) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }

func (w volumeWriter) number(i int) float64 {
	bits := uint64(0)
	for k := range 8 {
		bits |= uint64(w[8*i+k]) << (8 * k)
	}
	return math.Float64frombits(bits)
}

// TestFrame checks refusals, and that turns by 90° are exact.
func TestFrame(t *testing.T) {
	good := Frame{Size: r3.Vector{X: 1, Y: 1, Z: 1}, Counts: [3]int{1, 1, 1}}
	nan := math.NaN()
	for name, change := range map[string]func(*Frame){
		"zero size": func(f *Frame) { f.Size.Y = 0 }, "negative size": func(f *Frame) { f.Size.Z = -1 },
		"NaN size": func(f *Frame) { f.Size.X = nan }, "NaN origin": func(f *Frame) { f.Origin.Z = nan },
		"no blocks": func(f *Frame) { f.Counts[0] = 0 }, "too many": func(f *Frame) { f.Counts = [3]int{1 << 30, 1 << 30, 1 << 30} },
		"rotation": func(f *Frame) { f.Rotation.Real = 0.5 }, "resolution": func(f *Frame) { f.Origin.X = 1e20 },
	} {
		f := good
		if change(&f); f.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	if _, err := Rotation(nan, 0, 0); err == nil {
		t.Error("a NaN angle is accepted")
	}
	q, err := Rotation(90, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := Frame{Rotation: q}
	if p := f.Pose().Apply(r3.Vector{Y: 3}); p.Sub(r3.Vector{X: 3}).Norm() > 1e-14 {
		t.Errorf("azimuth 90 moves the y axis to %v", p)
	}
	q, _ = Rotation(0, 90, 0)
	f = Frame{Rotation: q}
	if p := f.Pose().Apply(r3.Vector{Y: 3}); p.Sub(r3.Vector{Z: -3}).Norm() > 1e-14 {
		t.Errorf("dip 90 moves the y axis to %v", p)
	}
	q, _ = Rotation(0, 0, 90)
	f = Frame{Rotation: q}
	if p := f.Pose().Apply(r3.Vector{X: 3}); p.Sub(r3.Vector{Z: -3}).Norm() > 1e-14 {
		t.Errorf("plunge 90 moves the x axis to %v", p)
	}
}
