package bem

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/angle"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// twinBits is the precision of the twin functions. In these tests |den + i·det|² can be as small as
// (10^−170)^4 = 2^−2260 of its typical size, which leaves 100 bits.
const twinBits = 2400

func bigf() *big.Float { return new(big.Float).SetPrec(twinBits) }

// piDigits returns π to 100 decimals (OEIS A000796).
func piDigits() *big.Float {
	const digits = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"
	f, _, err := big.ParseFloat(digits, 10, twinBits, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return f
}

type bigVec [3]*big.Float

func bigSub(p, x r3.Vector) bigVec {
	d := func(a, b float64) *big.Float { return bigf().Sub(big.NewFloat(a), big.NewFloat(b)) }
	return bigVec{d(p.X, x.X), d(p.Y, x.Y), d(p.Z, x.Z)}
}

func (a bigVec) dot(b bigVec) *big.Float {
	s := bigf()
	for k := range a {
		s.Add(s, bigf().Mul(a[k], b[k]))
	}
	return s
}

func (a bigVec) cross(b bigVec) bigVec {
	var c bigVec
	for i := range a {
		j, k := (i+1)%3, (i+2)%3
		c[i] = bigf().Sub(bigf().Mul(a[j], b[k]), bigf().Mul(a[k], b[j]))
	}
	return c
}

func (a bigVec) norm() *big.Float { return bigf().Sqrt(a.dot(a)) }

// meets tells whether a point lies on a triangle, or whether a ray meets an edge.
type meets int

const (
	never  meets = iota
	nearly       // det = 0 and den > 0, but float64 cannot resolve the sign of den
	always       // det = 0 and den ≤ 0: the angle can be half a turn of either sign
)

// twinTurns returns half the solid angle of a triangle in turns, by the formula of van Oosterom and
// Strackee. The corners are relative to the point. If det is exactly 0, the angle is 0.
func twinTurns(a, b, c bigVec) (turns *big.Float, m meets) {
	la, lb, lc := a.norm(), b.norm(), c.norm()
	s := bigf().Mul(bigf().Mul(la, lb), lc)
	den := bigf().Add(s, bigf().Mul(a.dot(b), lc))
	den.Add(den, bigf().Mul(b.dot(c), la))
	den.Add(den, bigf().Mul(c.dot(a), lb))
	det := a.dot(b.cross(c))
	switch {
	case det.Sign() != 0:
		turns = angle.Of(det, den, 300)
		return turns.Quo(turns, bigf().SetMantExp(piDigits(), 1)), never
	case den.Cmp(bigf().SetMantExp(s, 20-twinBits)) <= 0: // generous bound for the rounding error of den
		return bigf(), always
	case den.Cmp(bigf().Mul(s, big.NewFloat(2*errorZ*roundoff))) <= 0:
		return bigf(), nearly
	}
	return bigf(), never
}

func twinWinding(tris []mesh.Triangle, x r3.Vector) *big.Float {
	w := bigf()
	for _, t := range tris {
		turns, _ := twinTurns(bigSub(t[0], x), bigSub(t[1], x), bigSub(t[2], x))
		w.Add(w, turns)
	}
	return w
}

// twinSum computes Boundary.Sum with twinTurns. It also tells whether the ray meets an edge.
func twinSum(b *Boundary, x, target r3.Vector) (w *big.Float, m meets) {
	w = bigf()
	one := func(e edge, mult uint32) {
		turns, how := twinTurns(bigSub(e.a, x), bigSub(e.b, x), bigSub(x, target))
		w.Add(w, turns.Mul(turns, bigf().SetInt64(int64(mult))))
		m = max(m, how)
	}
	for _, e := range b.single {
		one(e, 1)
	}
	for i, e := range b.multiple {
		one(e, b.mult[i])
	}
	return w, m
}

// off returns |got − want| and reports whether this difference is within the bound. A margin covers
// the error of want, which is computed with 100 decimals of π.
func off(got float64, want *big.Float, bound float64) (diff float64, ok bool) {
	if math.IsNaN(got) || math.IsNaN(bound) {
		return math.NaN(), false
	}
	d := bigf().Sub(big.NewFloat(got), want)
	d.Abs(d)
	diff, _ = d.Float64()
	return diff, math.IsInf(bound, 1) || d.Cmp(bigf().Add(big.NewFloat(bound), big.NewFloat(0x1p-250))) <= 0
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) }

func randomVector(rng *rand.Rand) r3.Vector {
	return r3.Vector{X: 2*rng.Float64() - 1, Y: 2*rng.Float64() - 1, Z: 2*rng.Float64() - 1}
}

// soup returns n random triangles on few vertices. So many edges are shared, repeated, opposite or
// collapsed.
func soup(rng *rand.Rand, n, vertices int, vertex func() r3.Vector) mesh.Soup {
	var s mesh.Soup
	for range vertices {
		s.Vertices = append(s.Vertices, vertex())
	}
	for range n {
		s.Faces = append(s.Faces, [3]int32{
			rng.Int32N(int32(vertices)), rng.Int32N(int32(vertices)), rng.Int32N(int32(vertices)),
		})
	}
	return s
}

func mustMesh(s mesh.Soup) *mesh.Mesh {
	m, err := mesh.New(context.Background(), s, mesh.Options{})
	if err != nil {
		panic(err)
	}
	return m
}

func triangles(m *mesh.Mesh) []mesh.Triangle {
	t := make([]mesh.Triangle, m.NumFaces())
	for f := range t {
		t[f] = m.Triangle(int32(f))
	}
	return t
}

// A world is a distribution of vertices.
type world struct {
	name   string
	vertex func(rng *rand.Rand) r3.Vector
}

var worlds = []world{
	{"unit", randomVector},
	{"grid", func(rng *rand.Rand) r3.Vector {
		return r3.Vector{X: float64(rng.IntN(4)), Y: float64(rng.IntN(4)), Z: float64(rng.IntN(4))}
	}},
	{"1e-120", func(rng *rand.Rand) r3.Vector { return randomVector(rng).Mul(1e-120) }},
	{"1e120", func(rng *rand.Rand) r3.Vector { return randomVector(rng).Mul(1e120) }},
	// Products of three lengths reach either end of the range of float64.
	{"1e-108 to 1e-98", func(rng *rand.Rand) r3.Vector {
		return randomVector(rng).Mul(math.Pow(10, -98-10*rng.Float64()))
	}},
	{"1e102 to 1e103", func(rng *rand.Rand) r3.Vector {
		return randomVector(rng).Mul(math.Pow(10, 102+rng.Float64()))
	}},
	{"1e-310", func(rng *rand.Rand) r3.Vector { return randomVector(rng).Mul(1e-310) }},
	{"1e300", func(rng *rand.Rand) r3.Vector { return randomVector(rng).Mul(1e300) }},
	{"1 with 1e-170", func(rng *rand.Rand) r3.Vector {
		tiny := func(v float64) float64 {
			if rng.IntN(2) == 0 {
				return v * 1e-170
			}
			return v
		}
		v := randomVector(rng)
		return r3.Vector{X: tiny(v.X), Y: tiny(v.Y), Z: tiny(v.Z)}
	}},
	{"offset 1e6", func(rng *rand.Rand) r3.Vector {
		return randomVector(rng).Mul(0.01).Add(r3.Vector{X: 1e6, Y: -1e6, Z: 1e6})
	}},
	{"needles", func(rng *rand.Rand) r3.Vector {
		v := randomVector(rng)
		return r3.Vector{X: v.X, Y: 1e-9 * v.Y, Z: 1e-13 * v.Z}
	}},
}

// nudge moves each coordinate by at most a few units in the last place. It leaves some coordinates
// unchanged.
func nudge(rng *rand.Rand, v r3.Vector) r3.Vector {
	f := func(c float64) float64 {
		for n := rng.IntN(4); n > 0; n-- {
			c = math.Nextafter(c, math.Inf(2*rng.IntN(2)-1))
		}
		return c
	}
	return r3.Vector{X: f(v.X), Y: f(v.Y), Z: f(v.Z)}
}

// aim returns the end of a random ray from x. The ray is longer than the given size. Up to
// rounding, two out of three rays go through p.
func aim(rng *rand.Rand, x, p r3.Vector, size float64) r3.Vector {
	d := randomVector(rng)
	if q := p.Sub(x); rng.IntN(3) > 0 && vec.MaxAbs(q) > 0 {
		d = q
	}
	// The vector is scaled in two steps because the first factor can be close to overflow.
	d = d.Mul(1 / vec.MaxAbs(d) / 2).Mul(2)
	if math.IsInf(vec.MaxAbs(d), 0) || math.IsNaN(vec.MaxAbs(d)) {
		d = randomVector(rng)
	}
	return x.Add(d.Mul((8 + 8*rng.Float64()) * size / vec.MaxAbs(d)))
}

// hard returns a point on or near the triangle t: at a corner, an edge, the extension of an edge,
// or in the plane. hard moves some of these points by a few ulps or by a random distance.
func hard(rng *rand.Rand, t mesh.Triangle, w world) r3.Vector {
	a, b, c := t[0], t[1], t[2]
	mix := func(s, u float64) r3.Vector {
		// Each product is subtracted before the sum, which avoids an overflow near the largest
		// float64.
		return a.Add(b.Mul(s).Sub(a.Mul(s))).Add(c.Mul(u).Sub(a.Mul(u)))
	}
	var x r3.Vector
	switch rng.IntN(6) {
	case 0:
		return w.vertex(rng)
	case 1:
		x = a
	case 2:
		x = mix(rng.Float64(), 0)
	case 3:
		x = mix(4*rng.Float64()-2, 0)
	case 4:
		x = mix(rng.Float64()/2, rng.Float64()/2)
	case 5:
		x = mix(4*rng.Float64()-2, 4*rng.Float64()-2)
	}
	switch rng.IntN(3) {
	case 0:
		x = nudge(rng, x)
	case 1:
		size := b.Sub(a).Norm()
		if math.IsInf(size, 0) || size == 0 {
			size = vec.MaxAbs(a)
		}
		x = x.Add(randomVector(rng).Mul(size * math.Pow(10, -16*rng.Float64())))
	}
	return x
}
