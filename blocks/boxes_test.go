package blocks

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// TestBoxes compares the shares of boxes with those of the blocks of a frame, in both modes.
func TestBoxes(t *testing.T) {
	solids := []*inpoly.Solid{
		solidOf(t, testmesh.Sphere(3), inpoly.Options{}),
		solidOf(t, testmesh.Mesh(testmesh.Cube(r3.Vector{X: -0.2}, r3.Vector{X: 2, Y: 2, Z: 2})), inpoly.Options{}),
	}
	q, err := Rotation(25, 10, -40)
	if err != nil {
		t.Fatal(err)
	}
	f := Frame{Origin: r3.Vector{X: -1.21, Y: -1.37, Z: -1.11}, Size: r3.Vector{X: 0.31, Y: 0.27, Z: 0.4}, Counts: [3]int{9, 10, 8}}
	for _, opt := range []Options{{Levels: 2}, {Levels: 2, Overlap: true}} {
		for _, turned := range []bool{false, true} {
			g := f
			if turned {
				g.Rotation = q
			}
			want := modelOf(t, g, opt, solids...)
			p := g.Pose()
			if turned {
				p.Translation = r3.Vector{X: 0.1, Y: 0.2, Z: 0.3} // a table has another origin
			}
			m, err := New(t.Context(), solids, p, opt)
			if err != nil {
				t.Fatal(err)
			}
			var got Rows
			for i := range want.Rows {
				c := want.Rows[i].Center()
				if turned {
					c = g.Pose().Apply(c)
				}
				row, ok := m.Around(c, f.Size)
				if !ok {
					t.Fatal("a row is refused")
				}
				got.Rows = append(got.Rows, row)
			}
			if err := m.Worker(t.Context()).Boxes(&got); err != nil {
				t.Fatal(err)
			}
			for i := range got.Rows {
				for s := range solids {
					x, e, y, d := got.Shares[s][i], got.Bounds[s][i], want.Shares[s][i], want.Bounds[s][i]
					if !(math.Abs(x-y) <= e+d+1e-14) || e > d+1e-9 { // the centers are rounded
						t.Fatalf("turned %v, row %d, solid %d: share %g ± %g, want %g ± %g", turned, i, s, x, e, y, d)
					}
				}
			}
		}
	}
}

// TestAround checks that the sides of a row are within its slack of the exact sides, for blocks of any size and
// place, and that the bounds of shares of a cube include the slack. It checks which blocks are refused.
func TestAround(t *testing.T) {
	cube := solidOf(t, testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	m, err := New(t.Context(), []*inpoly.Solid{cube}, (&Frame{}).Pose(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	exact := func(c, half float64) *big.Float {
		return new(big.Float).SetPrec(2200).Add(new(big.Float).SetPrec(2200).SetFloat64(c), new(big.Float).SetFloat64(half))
	}
	r := rand.New(rand.NewPCG(3, 14))
	w := m.Worker(t.Context())
	for range 2000 {
		c, h := r3.Vector{}, r3.Vector{}
		for _, x := range []*float64{&c.X, &c.Y, &c.Z} {
			*x = 1.2 * r.Float64()
		}
		for _, x := range []*float64{&h.X, &h.Y, &h.Z} {
			*x = math.Ldexp(1+r.Float64(), -r.IntN(50))
		}
		row, ok := m.Around(c, h)
		if !ok {
			t.Fatalf("center %v, size %v: refused", c, h)
		}
		want := 1.0
		for k, x := range components(c) {
			lo, hi, s := components(row.Box.Min)[k], components(row.Box.Max)[k], components(row.slack)[k]
			for _, side := range [2][2]float64{{lo, -components(h)[k] / 2}, {hi, components(h)[k] / 2}} {
				d, _ := new(big.Float).Sub(exact(x, side[1]), new(big.Float).SetFloat64(side[0])).Float64()
				if math.Abs(d) > s {
					t.Fatalf("center %v, size %v: the exact side is %g from %g, slack %g", c, h, d, side[0], s)
				}
			}
			a, b := exact(x, -components(h)[k]/2), exact(x, components(h)[k]/2) // exact share of the unit cube
			if a.Sign() < 0 {
				a.SetInt64(0)
			}
			if b.Cmp(big.NewFloat(1)) > 0 {
				b.SetInt64(1)
			}
			part, _ := new(big.Float).Sub(b, a).Float64()
			want *= max(0, part) / components(h)[k]
		}
		rows := Rows{Rows: []Row{row}}
		if err := w.Boxes(&rows); err != nil {
			t.Fatal(err)
		}
		if x, e := rows.Shares[0][0], rows.Bounds[0][0]; !(math.Abs(x-want) <= e+8*u) {
			t.Fatalf("center %v, size %v: share %g ± %g, want %g", c, h, x, e, want)
		}
	}
	one, nan, inf := r3.Vector{X: 1, Y: 1, Z: 1}, math.NaN(), math.Inf(1)
	for _, c := range [][2]r3.Vector{
		{{X: nan}, one}, {{Y: inf}, one}, {{}, {X: 1, Y: nan, Z: 1}}, {{}, {X: 1, Y: 0, Z: 1}}, {{}, {X: 1, Y: 1, Z: -1}}, {{}, {X: inf, Y: 1, Z: 1}},
		{{X: 1e20}, one}, {{}, {X: 5e-324, Y: 1, Z: 1}}, {{X: -math.MaxFloat64}, {X: math.MaxFloat64, Y: 1, Z: 1}},
	} {
		if row, ok := m.Around(c[0], c[1]); ok {
			t.Errorf("center %v, size %v: accepted as %+v", c[0], c[1], row)
		}
	}
}
