package bem

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/golang/geo/r3"
)

// doubleSum agrees with 256 bits within its bound, and its bound is below 2^−55.
func TestDoubleSum(t *testing.T) {
	rng := rand.New(rand.NewSource(31))
	point := func() r3.Vector { return r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()} }
	decided, worst := 0, 0.0
	for round := range 400 {
		var edges [][2]r3.Vector
		var mult []int32
		for range 1 + rng.Intn(40) {
			a := point().Mul(math.Exp2(float64(rng.Intn(20) - 10)))
			edges = append(edges, [2]r3.Vector{a, a.Add(point().Mul(math.Exp2(float64(rng.Intn(30) - 25))))})
			mult = append(mult, int32(rng.Intn(9)-4))
		}
		b := NewChain(edges, mult)
		x, target := point(), point().Mul(100)
		switch e := edges[rng.Intn(len(edges))]; round % 4 {
		case 0: // near an edge
			x = e[0].Add(e[1].Sub(e[0]).Mul(rng.Float64())).Add(point().Mul(math.Exp2(-50 * rng.Float64())))
		case 1: // the ray passes near an edge
			target = x.Add(e[0].Add(point().Mul(1e-6)).Sub(x).Mul(50))
		}
		got, bound, ok := b.doubleSum(x, target, nil)
		want, off, exact := b.ExtendedSum(x, target, finalBits, nil)
		if !ok || !exact {
			t.Errorf("round %d: the ray meets an edge", round)
			continue
		}
		decided++
		diff := new(big.Float).Sub(got, want)
		if diff.Abs(diff).Cmp(new(big.Float).Add(bound, off)) > 0 {
			t.Errorf("round %d: %g, want %g, bound %g", round, got, want, bound)
		}
		d, _ := diff.Float64()
		e, _ := bound.Float64()
		worst = max(worst, d/e)
		if !(e <= 0x1p-55) {
			t.Errorf("round %d: the bound is %g", round, e)
		}
	}
	t.Logf("%d sums, errors up to %.2g of the bound", decided, worst)
}

func BenchmarkDoubleSum(b *testing.B) {
	rng := rand.New(rand.NewSource(1))
	point := func() r3.Vector { return r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()} }
	var edges [][2]r3.Vector
	var mult []int32
	for range 1000 {
		edges, mult = append(edges, [2]r3.Vector{point(), point()}), append(mult, 1)
	}
	chain, x, target := NewChain(edges, mult), point(), point().Mul(20)
	for b.Loop() {
		if _, _, ok := chain.doubleSum(x, target, nil); !ok {
			b.Fatal("not computed")
		}
	}
}
