package raytree

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// meetsBox reports whether the points o + t·d with 0 ≤ t ≤ limit meet a box, in rational numbers.
func meetsBox(o, d r3.Vector, limit float64, b bvh.Box) bool {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	from, to := new(big.Rat), (*big.Rat)(nil)
	if !math.IsInf(limit, 1) {
		to = rat(limit)
	}
	for k := range 3 {
		pick := func(v r3.Vector) *big.Rat { return rat([3]float64{v.X, v.Y, v.Z}[k]) }
		at, speed, low, high := pick(o), pick(d), pick(b.Min), pick(b.Max)
		if speed.Sign() == 0 {
			if at.Cmp(low) < 0 || at.Cmp(high) > 0 {
				return false
			}
			continue
		}
		enter := new(big.Rat).Quo(new(big.Rat).Sub(low, at), speed)
		leave := new(big.Rat).Quo(new(big.Rat).Sub(high, at), speed)
		if speed.Sign() < 0 {
			enter, leave = leave, enter
		}
		if enter.Cmp(from) > 0 {
			from = enter
		}
		if to == nil || leave.Cmp(to) < 0 {
			to = leave
		}
	}
	return to == nil || from.Cmp(to) <= 0
}

// Misses is right about the exact ray, and reports rays that pass an ordinary mesh at a small distance.
func TestMisses(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, s := range scenes() {
		root, ok := s.x.Tree().Root()
		if !ok {
			if s.tree.Misses(r3.Vector{}, r3.Vector{X: 1}, 1) {
				t.Errorf("%s: a mesh without faces has a box", s.name)
			}
			continue
		}
		box := root.Box()
		size := box.Size()
		longest := max(size.X, size.Y, size.Z)
		ordinary := longest > 0x1p-100 && longest < 0x1p100 && s.tree.reach > 0
		missed, reported := 0, 0
		for _, ray := range append(s.aims(rng, 300), beside(rng, box, 300)...) {
			o, d := ray[0], ray[1]
			for _, limit := range []float64{1, math.Inf(1)} {
				got := s.tree.Misses(o, d, limit)
				if got && meetsBox(o, d, limit, box) {
					t.Fatalf("%s: the ray %v, %v meets the box up to t = %v", s.name, o, d, limit)
				}
				around := bvh.Box{Min: box.Min, Max: box.Max}
				pad := r3.Vector{X: 1, Y: 1, Z: 1}.Mul(longest * 4 * outerPad)
				around.Min, around.Max = around.Min.Sub(pad), around.Max.Add(pad)
				if ordinary && o.Sub(box.Min).Norm() < longest*outerReach/4 && least(d) > 0x1p-200 && !meetsBox(o, d, limit, around) {
					missed++
					if got {
						reported++
					}
				}
			}
		}
		if reported < missed*99/100 || ordinary && missed == 0 {
			t.Errorf("%s: %d of %d rays that miss the box are reported", s.name, reported, missed)
		}
	}
}

// least returns the smallest magnitude of the components of d that are not 0.
func least(d r3.Vector) float64 {
	x := math.Inf(1)
	for _, c := range []float64{d.X, d.Y, d.Z} {
		if c != 0 {
			x = min(x, math.Abs(c))
		}
	}
	return x
}

// beside returns rays from near and far, many of which touch the box or pass it closely.
func beside(rng *rand.Rand, b bvh.Box, n int) (rays [][2]r3.Vector) {
	size := b.Size()
	longest := max(size.X, size.Y, size.Z)
	near := func(lo, hi float64) float64 {
		switch rng.IntN(4) {
		case 0:
			return lo
		case 1:
			return hi
		case 2:
			return math.Nextafter(hi, math.Inf(1))
		}
		return lo + (hi-lo)*(2*rng.Float64()-.5)
	}
	for range n {
		to := r3.Vector{X: near(b.Min.X, b.Max.X), Y: near(b.Min.Y, b.Max.Y), Z: near(b.Min.Z, b.Max.Z)}
		far := longest * math.Ldexp(1, rng.IntN(24))
		from := to.Add(r3.Vector{X: rng.NormFloat64() * far, Y: rng.NormFloat64() * far, Z: rng.NormFloat64() * far})
		d := to.Sub(from)
		switch rng.IntN(4) {
		case 0:
			d.X = 0
		case 1:
			d.Y, d.Z = 0, 0
		}
		if d != (r3.Vector{}) && finite(from) && finite(d) {
			rays = append(rays, [2]r3.Vector{from, d})
		}
	}
	return rays
}
