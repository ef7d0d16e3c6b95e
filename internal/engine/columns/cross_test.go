package columns

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
)

// within compares points with a box as plain comparisons do.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	unit := func() uint64 {
		return []uint64{rng.Uint64N(4), rng.Uint64N(mostUnit + 1), mostUnit - rng.Uint64N(4)}[rng.IntN(3)]
	}
	random := func() (p [3]uint64) { return [3]uint64{unit(), unit(), unit()} }
	pack := func(p [3]uint64) uint64 { return p[0] | p[1]<<16 | p[2]<<32 }
	found := 0
	for n := range 65 {
		for range 50 {
			lo, hi := random(), random()
			for k := range lo {
				lo[k], hi[k] = min(lo[k], hi[k]), max(lo[k], hi[k])
			}
			e := newEntry(pack(lo), pack(hi), 0)
			points, want := make([]uint64, n, n+crossBeyond), uint64(0)
			for i := range points {
				p := random()
				points[i] = pack(p)
				if p[0] >= lo[0] && p[0] <= hi[0] && p[1] >= lo[1] && p[1] <= hi[1] && p[2] <= hi[2] {
					want |= 1 << i
					found++
				}
			}
			if got, generic := e.within(points), e.withinGeneric(points); got != want || generic != want {
				t.Fatalf("%d points, box %v to %v: %b and %b, want %b", n, lo, hi, got, generic, want)
			}
		}
	}
	if found < 5000 {
		t.Errorf("only %d points are in a box", found)
	}
}

// The kernel changes the same windings as the Go version, and leaves the elements beyond its points.
// Every certain sign is exact.
func TestCross(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	certain, doubts, crossings := 0, 0, 0
	for round := range 20_000 {
		scale := math.Ldexp(1, []int{0, 0, 0, 100, 999, -999, -1070}[rng.IntN(7)])
		coordinate := func() float64 {
			switch c := float64(rng.IntN(9) - 4); rng.IntN(4) {
			case 0:
				return c * scale
			case 1:
				return math.Nextafter(c*scale, math.Inf(1))
			default:
				return (2*rng.Float64() - 1) * 4 * scale
			}
		}
		var triangle [9]float64
		for k := range triangle {
			triangle[k] = coordinate()
		}
		n := 1 + round%64
		var p [3][]float64
		for k := range p {
			for range n + crossBeyond {
				p[k] = append(p[k], coordinate())
			}
		}
		windings := make([]int64, n+crossBeyond)
		for i := range windings {
			windings[i] = int64(rng.IntN(5))
		}
		got := slices.Clone(windings)
		doubt := crossGeneric(&triangle, p[0][:n], p[1][:n], p[2][:n], got[:n])
		if hasAVX2 {
			again := slices.Clone(windings)
			if d := crossAVX2(&triangle, &p[0][0], &p[1][0], &p[2][0], &again[0], n); d != doubt || !slices.Equal(again, got) {
				t.Fatalf("%d points: doubts %b, want %b; windings %v, want %v", n, d, doubt, again, got)
			}
		}
		for i := range n {
			q := r3.Vector{X: p[0][i], Y: p[1][i], Z: p[2][i]}
			corner := func(k int) r3.Vector { return r3.Vector{X: triangle[k], Y: triangle[k+1], Z: triangle[k+2]} }
			sign, on := crossing(q, corner(0), corner(3), corner(6), false, new(predicates.Counter))
			if s, o := crossingOf(q, &triangle, new(predicates.Counter)); s != sign && !on || o != on {
				t.Fatalf("%v, %v: sign %d, on the surface %v; want %d, %v", triangle, q, s, o, sign, on)
			}
			if doubt>>i&1 == 1 {
				doubts++
				sign, on = 0, false
			} else {
				certain++
			}
			if on || got[i]-windings[i] != int64(sign) {
				t.Fatalf("%v, %v: sign %d, want %d, on the surface %v", triangle, q, got[i]-windings[i], sign, on)
			}
			crossings += sign * sign
		}
	}
	if certain < 100_000 || doubts < 10_000 || crossings < 10_000 {
		t.Errorf("%d certain signs, %d doubts, %d crossings: the test covers too little", certain, doubts, crossings)
	}
}
