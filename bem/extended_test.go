package bem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// checkCompare calls Compare with the true value as threshold, and with the float64 numbers next to
// the true value. It returns the number of decided comparisons.
func checkCompare(t *testing.T, where string, b *Boundary, x, target r3.Vector, chi int64, want *big.Float) (decided int) {
	t.Helper()
	near, _ := want.Float64()
	for _, threshold := range []float64{0.5, -0.5, near, math.Nextafter(near, 1), math.Nextafter(near, -1)} {
		d := bigf().Sub(want, big.NewFloat(threshold))
		sign, ok := b.Compare(x, target, chi, threshold, nil)
		if !ok {
			continue
		}
		decided++
		if sign != d.Sign() {
			t.Fatalf("%s: Compare with %v gives %d, want %d", where, threshold, sign, d.Sign())
		}
	}
	return decided
}

func TestCompare(t *testing.T) {
	// For a cube without its lid, W is exactly ½ at the center of the lid, but not at points next to
	// the center.
	cube := mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 2}, {X: 2, Y: 2}, {Y: 2}, {Z: 2}, {X: 2, Z: 2}, {X: 2, Y: 2, Z: 2}, {Y: 2, Z: 2}},
		Faces: [][3]int32{
			{0, 2, 1}, {0, 3, 2},
			{0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7},
		},
	}
	b := NewBoundary(mustMesh(cube))
	if b.Len() != 4 {
		t.Fatalf("the boundary has %d edges, want 4", b.Len())
	}
	far := r3.Vector{X: 20, Y: 30, Z: 40}
	var sc Scratch
	for _, c := range []struct {
		name string
		z, t float64
		sign int
		ok   bool
	}{
		{"center of the lid", 2, 0.5, 0, false},
		{"a rounding below", math.Nextafter(2, 0), 0.5, 1, true},
		{"a rounding above", math.Nextafter(2, 3), 0.5, -1, true},
		{"center, threshold a rounding below", 2, math.Nextafter(0.5, 0), 1, true},
		{"center, threshold a rounding above", 2, math.Nextafter(0.5, 1), -1, true},
		{"outside", 2.5, 0.5, -1, true},
		{"NaN", math.NaN(), 0.5, 0, false},
		{"NaN threshold", 1, math.NaN(), 0, false},
	} {
		x := r3.Vector{X: 1, Y: 1, Z: c.z}
		if sign, ok := b.Compare(x, far, 0, c.t, nil); sign != c.sign || ok != c.ok {
			t.Errorf("%s: sign %d, ok %v, want %d, %v", c.name, sign, ok, c.sign, c.ok)
		}
		w, bound, _ := b.Sum(x, far, &sc)
		if c.z-2 < 1e-10 && 2-c.z < 1e-10 && math.Abs(w-0.5) > bound {
			t.Errorf("%s: Sum %v ± %g decides without Compare", c.name, w, bound)
		}
	}
}

// The test uses points at many distances from an edge, down to the smallest float64. The bound of
// ExtendedSum is small enough for the given precision. Compare decides correctly next to an edge of
// multiplicity 2.
func TestExtendedSumNextToAnEdge(t *testing.T) {
	a, b, c := r3.Vector{Y: 256}, r3.Vector{}, r3.Vector{Y: 9}
	far := []r3.Vector{{X: -7}, {Z: 2}, {X: -96, Y: 40, Z: 112}}
	chain := NewChain([][2]r3.Vector{{a, b}, {b, c}, {c, a}, {far[0], far[1]}, {far[1], far[2]}, {far[2], far[0]}}, []int32{2, 2, 2, 1, 1, 1})
	for e := 0; e >= -1074; e -= 7 {
		for _, z := range []float64{math.Ldexp(1, e), -math.Ldexp(1, e)} {
			x := r3.Vector{Y: 0x1.9551230429941p+07, Z: z}
			target := r3.Vector{X: 400, Y: 100, Z: 30}
			finest, _, ok := chain.ExtendedSum(x, target, 1000, nil)
			if !ok {
				t.Fatalf("z = %g: Sum reports that the ray meets an edge", z)
			}
			for _, prec := range []uint{64, 128, 256, 1000} {
				w, bound, ok := chain.ExtendedSum(x, target, prec, nil)
				if limit := math.Ldexp(1, -int(prec)/2+8); !ok || bound.Cmp(big.NewFloat(limit)) > 0 {
					t.Errorf("z = %g, %d bits: bound %g, %v", z, prec, bound, ok)
				} else if d := bigf().Sub(w, finest); d.Abs(d).Cmp(bound) > 0 {
					t.Errorf("z = %g, %d bits: off by %g, bound %g", z, prec, d, bound)
				}
			}
			if sign, ok := chain.Compare(x, target, 0, 0.5, nil); !ok || sign != -1 {
				t.Errorf("z = %g: Compare returns sign %d, ok %v", z, sign, ok)
			}
		}
	}
}

// A point in the plane of a boundary has a winding number that is a multiple of ½. The next points
// off the plane have not, and Coplanar must tell them apart.
func TestCoplanar(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	in := func(u r3.Vector, v r3.Vector, s, t float64) r3.Vector { return u.Mul(s).Add(v.Mul(t)) }
	whole := func(n int) float64 { return float64(rng.IntN(2*n+1) - n) }
	half := 0
	for range 1500 {
		// The integer coordinates are small, so every point of the plane is exact.
		u, v := r3.Vector{X: whole(9), Y: whole(9), Z: whole(9)}, r3.Vector{X: whole(9), Y: whole(9), Z: whole(9)}
		normal := u.Cross(v)
		if normal == (r3.Vector{}) {
			continue
		}
		var edges [][2]r3.Vector
		var mult []int32
		for range 1 + rng.IntN(3) {
			loop := make([]r3.Vector, 3+rng.IntN(4))
			for i := range loop {
				loop[i] = in(u, v, whole(20), whole(20))
			}
			m := int32(1 + rng.IntN(2))
			for i, a := range loop {
				edges, mult = append(edges, [2]r3.Vector{a, loop[(i+1)%len(loop)]}), append(mult, m)
			}
		}
		b := NewChain(edges, mult)
		x := in(u, v, whole(20)+0.5, whole(20)+0.5)
		if !b.Coplanar(x, new(predicates.Counter)) {
			t.Fatalf("%v is not coplanar with its plane", x)
		}
		target := x.Add(normal.Mul(1 << 20)).Add(u.Mul(1000 * rng.Float64()))
		var sc Scratch
		w, bound, ok := b.Sum(x, target, &sc)
		if !ok || bound > 0.1 { // x is on an edge, or on its line
			continue
		}
		near := math.Round(2*w) / 2
		if math.Abs(w-near) > bound {
			t.Fatalf("W = %v ± %v at %v in the plane of the boundary is no multiple of 1/2", w, bound, x)
		}
		if sign, ok := b.Compare(x, target, 0, near, nil); ok {
			t.Fatalf("Compare separates W = %v at %v from %v: sign %d", w, x, near, sign)
		}
		if near == math.Round(near) { // the boundary may be empty or lie on a line
			continue
		}
		half++
		off := x
		off.Z = math.Nextafter(off.Z, math.Inf(1))
		if want := normal.Z == 0; b.Coplanar(off, new(predicates.Counter)) != want {
			t.Fatalf("Coplanar(%v) = %v, want %v", off, !want, want)
		}
	}
	if half < 100 {
		t.Errorf("only %d points in a hole", half)
	}
	if !(&Boundary{}).Coplanar(r3.Vector{}, new(predicates.Counter)) {
		t.Error("a boundary without edges is not coplanar")
	}
}
