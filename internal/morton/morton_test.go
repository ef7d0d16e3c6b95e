package morton

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

var unit = bvh.Box{Max: r3.Vector{X: 1, Y: 1, Z: 1}}

// code interleaves the bits of the cell indexes one by one.
func code(p r3.Vector) (c uint64) {
	for b := range 8 {
		for axis, x := range [3]float64{p.X, p.Y, p.Z} {
			cell := min(255, max(0, int(math.Floor(x*256))))
			c |= uint64(cell>>b&1) << (3*b + axis)
		}
	}
	return c
}

func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 1000, Block} {
		pts := make([]r3.Vector, n)
		for i := range pts {
			pts[i] = r3.Vector{X: 1.2*r.Float64() - .1, Y: r.Float64(), Z: r.Float64()}
		}
		var s Sorter
		order := s.Order(pts, unit)
		want := make([]uint64, n)
		for i := range want {
			want[i] = uint64(i)
		}
		slices.SortStableFunc(want, func(a, b uint64) int { return int(code(pts[a])) - int(code(pts[b])) })
		if !slices.Equal(order, want) {
			t.Fatalf("%d points: not the stable order of the codes", n)
		}
	}
}

func TestOrderOfOddPoints(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	pts := []r3.Vector{{X: nan, Y: inf, Z: -inf}, {X: inf, Y: nan}, {X: 1e300, Y: -1e300}, {}}
	for _, box := range []bvh.Box{unit, {}, bvh.EmptyBox(), {Max: r3.Vector{X: 5e-324}}, {Min: r3.Vector{X: -1e308}, Max: r3.Vector{X: 1.7e308, Y: 1}}} {
		var s Sorter
		order := slices.Clone(s.Order(pts, box))
		slices.Sort(order)
		if !slices.Equal(order, []uint64{0, 1, 2, 3}) {
			t.Errorf("box %v: %v is not a permutation", box, order)
		}
	}
}
