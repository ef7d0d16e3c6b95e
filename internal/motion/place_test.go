package motion

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/internal/vec"
)

// The functions below compute with 600 bits. They share no code with the package.

type vector [3]*big.Float

func float(x float64) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(x) }

func vectorOf(v r3.Vector) vector { return vector{float(v.X), float(v.Y), float(v.Z)} }

func (a vector) plus(b vector, sign float64) (c vector) {
	for k := range c {
		c[k] = float(0).Add(a[k], float(0).Mul(b[k], float(sign)))
	}
	return c
}

func (a vector) cross(b vector) (c vector) {
	for i := range c {
		j, k := (i+1)%3, (i+2)%3
		c[i] = float(0).Sub(float(0).Mul(a[j], b[k]), float(0).Mul(a[k], b[j]))
	}
	return c
}

// turned returns q·x·q⁻¹ = x + 2(w·(v×x) + v×(v×x))/|q|², where w is the real part of q and v the vector
// part.
func turned(x vector, q quat.Number) vector {
	v := vectorOf(r3.Vector{X: q.Imag, Y: q.Jmag, Z: q.Kmag})
	norm := float(0).Mul(float(q.Real), float(q.Real))
	for _, c := range v {
		norm.Add(norm, float(0).Mul(c, c))
	}
	once := v.cross(x)
	twice := v.cross(once)
	for k := range x {
		s := float(0).Add(float(0).Mul(float(q.Real), once[k]), twice[k])
		x[k] = float(0).Add(x[k], s.Quo(s.Mul(s, float(2)), norm))
	}
	return x
}

func applied(p Pose, x vector) vector {
	return turned(x, p.Rotation).plus(vectorOf(p.Translation), 1)
}

func length(v vector) float64 {
	s := float(0)
	for _, c := range v {
		s.Add(s, float(0).Mul(c, c))
	}
	l, _ := s.Sqrt(s).Float64()
	return l
}

func randomVector(r *rand.Rand) r3.Vector {
	s := math.Pow(10, 8*r.Float64()-4)
	if r.IntN(10) == 0 {
		s *= 1e-300
	}
	return r3.Vector{X: s * r.NormFloat64(), Y: s * r.NormFloat64(), Z: s * r.NormFloat64()}
}

func randomPose(r *rand.Rand) Pose {
	q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
	if r.IntN(4) == 0 {
		q.Jmag *= 1e-9
		q.Kmag *= 1e-200
	}
	return Pose{Rotation: quat.Scale((1+1e-6*(r.Float64()-0.5))/quat.Abs(q), q), Translation: randomVector(r)}
}

// TestBounds compares rounded positions, inverses and products with 600 bits.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 28))
	var worst [3]float64
	for i := range 4000 {
		p, o, x := randomPose(r), randomPose(r), randomVector(r)
		if i%5 == 0 {
			x = p.Translation.Add(x.Mul(1e-9))
		}
		pl, err := Place(p)
		if err != nil {
			t.Fatal(err)
		}
		check := func(k int, got, want vector, bound float64) {
			t.Helper()
			off := length(got.plus(want, -1))
			if !(off <= bound) {
				t.Fatalf("case %d: off by %g, bound %g: %v %v %v", i, off, bound, p, o, x)
			}
			if bound > 1e-290 {
				worst[k] = max(worst[k], off/bound)
			}
		}
		near, radius := pl.Position(x)
		exact := turned(vectorOf(x).plus(vectorOf(p.Translation), -1), quat.Conj(p.Rotation))
		check(0, vectorOf(near), exact, radius)
		var all [1]r3.Vector
		if pl.PositionsTo(all[:], []r3.Vector{x}); all[0] != near {
			t.Fatalf("case %d: position %v, in a batch %v", i, near, all[0])
		}
		var point Point
		pl.Exact(&point, x)
		point.prepare()
		for k := range exact {
			c := new(big.Rat).SetFrac(&point.x[k], &pl.bottom)
			f := float(0).SetRat(c)
			f.SetMantExp(f, point.exp)
			if d := length(vector{float(0).Sub(f, exact[k]), float(0), float(0)}); d > 1e-150*(1+length(exact)) {
				t.Fatalf("case %d: coordinate %d of the exact position is off by %g", i, k, d)
			}
		}
		abs := p.Translation.Abs()
		inverse := p.Inverse()
		if err := inverse.Check(); err != nil {
			t.Fatal(err)
		}
		zero := applied(inverse, vectorOf(r3.Vector{}))
		check(1, zero, turned(vectorOf(p.Translation.Mul(-1)), quat.Conj(p.Rotation)), 0x1p-53*10*(abs.X+abs.Y+abs.Z)+0x1p-1060)
		both := p.Mul(o)
		if err := both.Check(); err != nil {
			t.Fatal(err)
		}
		bound := 0x1p-52*(vec.Norm(x)+vec.Norm(both.Translation)) + 0x1p-1070
		check(2, applied(both, vectorOf(x)), applied(p, applied(o, vectorOf(x))), bound)
		low := r3.Vector{X: min(x.X, o.Translation.X), Y: min(x.Y, o.Translation.Y), Z: min(x.Z, o.Translation.Z)}
		high := r3.Vector{X: max(x.X, o.Translation.X), Y: max(x.Y, o.Translation.Y), Z: max(x.Z, o.Translation.Z)}
		checkImage(t, pl, low, high)
	}
	for k, w := range worst {
		if w < 0.05 {
			t.Errorf("bound %d was used up to %g: it says little", k, w)
		}
	}
	t.Logf("at most %.2f of the bounds was used", worst)
}

// checkImage checks that the corners of a box move into its image.
func checkImage(t *testing.T, pl *Placement, low, high r3.Vector) {
	t.Helper()
	a, b := pl.Image(low, high)
	min, max := vectorOf(a), vectorOf(b)
	for i := range 8 {
		c := low
		if i&1 != 0 {
			c.X = high.X
		}
		if i&2 != 0 {
			c.Y = high.Y
		}
		if i&4 != 0 {
			c.Z = high.Z
		}
		at := applied(pl.Pose(), vectorOf(c))
		for k := range at {
			if at[k].Cmp(min[k]) < 0 || at[k].Cmp(max[k]) > 0 {
				t.Fatalf("%v: corner %v moves to %v, outside of %v to %v", pl.Pose(), c, at, a, b)
			}
		}
	}
}

// Rotations that exchange axes round nothing, whichever way their quaternion was rounded.
func TestExactRotations(t *testing.T) {
	h := math.Sqrt(0.5)
	for _, q := range []quat.Number{
		{Real: 1}, {Imag: -1}, {Real: h, Kmag: h}, {Jmag: h, Kmag: -h}, {Real: 0.5, Imag: 0.5, Jmag: -0.5, Kmag: 0.5}, {Real: 0.707107, Imag: 0.707107},
	} {
		pl, err := Place(Pose{Rotation: q, Translation: r3.Vector{X: 1, Y: 2, Z: 3}})
		if err != nil {
			t.Fatal(err)
		}
		if near, radius := pl.Position(r3.Vector{X: 1.5, Y: 2.25, Z: -7}); radius != 0 || near.Norm2() != 0.25+0.0625+100 {
			t.Errorf("%v: %v, radius %g", q, near, radius)
		}
		if _, radius := pl.Position(r3.Vector{X: 0.1}); radius == 0 {
			t.Errorf("%v: the difference 0.1 − 1 is rounded, but the radius is 0", q)
		}
	}
	almost, err := Place(Pose{Rotation: quat.Number{Real: h, Kmag: math.Nextafter(h, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, radius := almost.Position(r3.Vector{X: 1}); radius == 0 {
		t.Error("a quaternion that is off by a unit has the radius 0")
	}
}
