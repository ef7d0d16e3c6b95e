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

// Factors on the negative real axis can have imaginary parts that underflow. Their signs select the arguments π or −π.
func TestDoubleSumUnderflow(t *testing.T) {
	rng := newRand(77)
	compared := 0
	for trial := range trials(4000, 100_000) {
		flat := func() r3.Vector { return r3.Vector{Y: float64(rng.IntN(4)), Z: float64(rng.IntN(4))} }
		b := &Boundary{}
		for range 1 + rng.IntN(3) {
			v := []r3.Vector{flat(), flat(), flat()}
			if rng.IntN(3) == 0 {
				v[rng.IntN(3)].X = 1
			}
			for k := range v {
				if v[k] != v[(k+1)%3] {
					b.single = append(b.single, edge{v[k], v[(k+1)%3]})
				}
			}
		}
		if len(b.single) == 0 {
			continue
		}
		rng.Shuffle(len(b.single), func(i, j int) { b.single[i], b.single[j] = b.single[j], b.single[i] })
		tiny := math.Copysign(math.Ldexp(1, -1074+rng.IntN(3)), rng.Float64()-0.5)
		x := r3.Vector{X: tiny, Y: 3 * rng.Float64(), Z: 3 * rng.Float64()}
		if rng.IntN(2) == 0 { // beside an edge
			e := b.single[rng.IntN(len(b.single))]
			x = e.a.Mul(0.5).Add(e.b.Mul(0.5))
			x.X += tiny
		}
		target := r3.Vector{X: math.Copysign(float64(rng.IntN(40))*tiny, rng.Float64()-0.5), Y: 9 * rng.NormFloat64(), Z: 9 * rng.NormFloat64()}
		w, bound, ok := b.doubleSum(x, target, nil)
		want, wantBound, wantOK := b.ExtendedSum(x, target, 512, nil)
		if !ok || !wantOK {
			continue
		}
		compared++
		d := bigf().Sub(w, want)
		if d.Abs(d).Cmp(bigf().Add(bound, wantBound)) > 0 {
			t.Fatalf("trial %d: edges %v, x %g, target %g: sum %.20g, want %.20g, bound %g", trial, b.single, x, target, w, want, bound)
		}
	}
	if compared < 1000 {
		t.Errorf("%d sums are compared", compared)
	}
}

// The real part of the factor of the fifth edge is negative and underflows to −0.
func TestDoubleSumNegativeZero(t *testing.T) {
	v := func(y, z float64) r3.Vector { return r3.Vector{Y: y, Z: z} }
	b := &Boundary{single: []edge{
		{v(2, 2), v(3, 2)}, {v(3, 0), v(2, 2)}, {v(3, 2), v(3, 0)},
		{v(2, 3), v(2, 1)}, {v(2, 1), v(3, 1)}, {v(3, 1), v(2, 3)},
	}}
	x := r3.Vector{X: -0x1p-1074, Y: 2.5, Z: 1}
	target := r3.Vector{X: 24 * 0x1p-1074, Y: 12.109430541866232, Z: 7.458179828979196}
	w, bound, ok := b.doubleSum(x, target, nil)
	want, _, wantOK := b.ExtendedSum(x, target, 512, nil)
	if !ok || !wantOK {
		t.Fatalf("the sums have ok %v and %v", ok, wantOK)
	}
	if d := bigf().Sub(w, want); d.Abs(d).Cmp(bigf().Add(bound, bound)) > 0 {
		t.Errorf("sum %v, want %v, bound %g", w, want, bound)
	}
}

// A double that is −0 stays −0.
func TestDoubleSetTo(t *testing.T) {
	var f big.Float
	for _, x := range []double{{math.Copysign(0, -1), 0}, {-1, 0x1p-60}, {0, 0}, {1, -0x1p-60}} {
		x.setTo(&f)
		if hi, _ := f.Float64(); hi != x.hi || f.Signbit() != math.Signbit(x.hi) {
			t.Errorf("%v becomes %v", x, &f)
		}
	}
}
