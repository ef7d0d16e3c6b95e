package voxels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

func exactVolume(g Grid, count, parts int64) *big.Rat {
	v := big.NewRat(count, parts)
	for _, h := range components(g.Spacing) {
		v.Mul(v, new(big.Rat).SetFloat64(h))
	}
	return v
}

// Each computed volume agrees with the exact volume within its error bound. The volumes have all
// magnitudes, including overflow and underflow.
func TestTallyVolume(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	under, over := 0, 0
	for range 20000 {
		samples := 1 + rng.IntN(100)
		all := int64(samples * samples * samples)
		exponent := []int{0, -365, -345, 330}[rng.IntN(4)]
		spacing := func() float64 { return math.Ldexp(1+rng.Float64(), exponent+rng.IntN(20)-10) }
		g := Grid{Spacing: r3.Vector{X: spacing(), Y: spacing(), Z: spacing()}}
		most := int64(1) << (1 + rng.IntN(55))
		n := tally{whole: rng.Int64N(most), parts: rng.Int64N(most), uncertain: rng.Int64N(most)}
		if rng.IntN(3) == 0 {
			n.uncertain = 0
		}
		volume, off := n.volume(g, samples)
		want := exactVolume(g, n.whole, 1)
		want.Add(want, exactVolume(g, n.parts, all))
		doubt := exactVolume(g, n.uncertain, all)
		switch {
		case math.IsInf(volume, 1):
			if f, _ := want.Float64(); f < math.MaxFloat64/2 || !math.IsInf(off, 1) {
				t.Fatalf("%+v of %v: volume %g ± %g, want %g", n, g.Spacing, volume, off, f)
			}
			over++
		case math.IsInf(off, 1):
		default:
			if volume < 0x1p-1022 && want.Sign() > 0 {
				under++
			}
			wrong := new(big.Rat).SetFloat64(volume)
			wrong.Sub(wrong, want).Abs(wrong).Add(wrong, doubt)
			if bound := new(big.Rat).SetFloat64(off); wrong.Cmp(bound) > 0 {
				t.Fatalf("%+v of %v: volume %g ± %g does not cover an error of %d parts", n, g.Spacing, volume, off, n.uncertain)
			}
			if n.uncertain == 0 && off > 20*ulp*volume+math.SmallestNonzeroFloat64 {
				t.Fatalf("%+v of %v: volume %g ± %g, want the bound 0", n, g.Spacing, volume, off)
			}
		}
	}
	if under < 100 || over < 100 {
		t.Errorf("%d volumes underflow, %d overflow: too few", under, over)
	}
	var none tally
	if v, off := none.volume(Grid{Spacing: r3.Vector{X: 1e300, Y: 1e300, Z: 1e300}}, 1); v != 0 || off != 0 {
		t.Errorf("no voxel: volume %g ± %g", v, off)
	}
}

// The error bound is valid for a cube whose volume is out of the range of float64.
func TestVolumeOutOfRange(t *testing.T) {
	for _, c := range []struct {
		scale, volume, off float64
	}{
		{1e-110, 0, math.SmallestNonzeroFloat64},
		{1e-105, 1e-315, math.SmallestNonzeroFloat64},
		{1e300, math.Inf(1), math.Inf(1)},
	} {
		s := newSolid(t, testmesh.Mesh(testmesh.Scale(testmesh.UnitCube(), c.scale)), inpoly.Options{Method: inpoly.Cells})
		h := c.scale / 3
		g := Grid{Origin: r3.Vector{X: -h, Y: -h, Z: -h}, Spacing: r3.Vector{X: h, Y: h, Z: h}, Counts: [3]int{5, 5, 5}}
		for _, opt := range []Options{{}, {Quantity: Winding}, {Quantity: Fraction, Samples: 1}, {Quantity: Fraction, Samples: 3}} {
			_, sum := raw(t, s, g, opt)
			if !(sum.Volume >= c.volume*0.999 && sum.Volume <= c.volume*1.001) {
				t.Errorf("%v of a cube of %g: volume %g", opt.Quantity, c.scale, sum.Volume)
			}
			if want := c.off; (opt.Quantity == Fraction) != (sum.VolumeError >= want) || math.IsNaN(sum.VolumeError) {
				t.Errorf("%v of a cube of %g: error %g, want at least %g", opt.Quantity, c.scale, sum.VolumeError, want)
			}
		}
		// No voxel of the shifted grid is inside.
		g.Origin.X += 100 * h
		if _, sum := raw(t, s, g, Options{Quantity: Fraction, Samples: 2}); sum.Volume != 0 || sum.VolumeError != 0 {
			t.Errorf("beside a cube of %g: volume %g ± %g", c.scale, sum.Volume, sum.VolumeError)
		}
	}
	if v := (Grid{Spacing: r3.Vector{X: 0x1p-600, Y: 0x1p-600, Z: 0x1p900}}).Volume(); v != 0x1p-300 {
		t.Errorf("volume of a voxel %g, want 2^-300", v)
	}
}
