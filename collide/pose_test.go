package collide

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/internal/pose"
	"github.com/inpoly/inpoly/internal/vec"
	"gonum.org/v1/gonum/num/quat"
)

// TestNodeBound compares computed positions in the frame of another body with positions computed
// with 400 bits. The difference must be within the bound.
func TestNodeBound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	worst := 0.0
	for i := range 5000 {
		a, b := randomPose(r, 1), randomPose(r, 1)
		// The error of the quaternion's length is within the allowed limit. The sizes of translations
		// cover the whole range.
		a.Rotation = quat.Scale(1+1e-6*(r.Float64()-0.5), a.Rotation)
		v := r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}
		sa, sb, sv := math.Pow(10, r.Float64()*8-4), math.Pow(10, r.Float64()*8-4), math.Pow(10, r.Float64()*8-4)
		if i%10 == 0 {
			sa, sb, sv = sa*1e-300, sb*1e-300, sv*1e-300
		}
		a.Translation, b.Translation, v = a.Translation.Mul(sa), b.Translation.Mul(sb), v.Mul(sv)
		if i%7 == 0 {
			b.Translation = a.Translation.Add(v.Mul(1e-9))
		}
		fa, fb := pose.NewFrame(a), pose.NewFrame(b)
		f, origins := pose.Relative(&fa, &fb)
		p := f.Apply(v)
		want := exactPlace(v, a, b)
		sum := bigFloat(0)
		for k, x := range []float64{p.X, p.Y, p.Z} {
			d := bigFloat(0).Sub(bigFloat(x), want[k])
			sum.Add(sum, d.Mul(d, d))
		}
		got, _ := sum.Sqrt(sum).Float64()
		bound := nodeBound(vec.Norm(v), origins)
		if !(got <= bound) {
			t.Fatalf("case %d: off by %g, bound %g: %v %v %v", i, got, bound, v, a, b)
		}
		if bound > 1e-300 {
			worst = max(worst, got/bound)
		}
	}
	if worst < 0.001 {
		t.Errorf("the bound was used up to %g: it says little", worst)
	}
	t.Logf("at most %.3f of the bound was used", worst)
}

func TestTurned(t *testing.T) {
	for _, axis := range []r3.Vector{{Z: 1}, {Z: 5e-324}, {Z: 1e308}} {
		p, err := Turned(axis, math.Pi/2, r3.Vector{X: 10})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := p.Apply(r3.Vector{X: 1}), (r3.Vector{X: 10, Y: 1}); got.Sub(want).Norm() > 1e-15 {
			t.Errorf("axis %v: %v, want %v", axis, got, want)
		}
	}
	nan := math.NaN()
	for _, axis := range []r3.Vector{{}, {X: nan, Y: 1}, {Y: math.Inf(-1)}} {
		if _, err := Turned(axis, 1, r3.Vector{}); !errors.Is(err, ErrPose) {
			t.Errorf("axis %v: error %v", axis, err)
		}
	}
	if _, err := Turned(r3.Vector{X: 1}, nan, r3.Vector{}); !errors.Is(err, ErrPose) {
		t.Errorf("angle NaN: error %v", err)
	}
}

// TestFromMatrix converts quaternions to matrices and back, near every branch of the conversion.
func TestFromMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for i := range 2000 {
		p := randomPose(r, 1)
		if i%2 == 0 { // three of the four components of the quaternion nearly vanish
			q := [4]float64{1e-9 * r.NormFloat64(), 1e-9 * r.NormFloat64(), 1e-9 * r.NormFloat64(), 1e-9 * r.NormFloat64()}
			q[i/2%4] = 1
			v := quat.Number{Real: q[0], Imag: q[1], Jmag: q[2], Kmag: q[3]}
			p.Rotation = quat.Scale(1/quat.Abs(v), v)
		}
		f := pose.NewFrame(p)
		var m [3][3]float64
		for k, row := range f.R {
			m[k] = [3]float64{row.X, row.Y, row.Z}
		}
		back, err := FromMatrix(m, p.Translation)
		if err != nil {
			t.Fatal(err)
		}
		// The quaternions q and −q describe the same rotation.
		off := min(quat.Abs(quat.Sub(back.Rotation, p.Rotation)), quat.Abs(quat.Add(back.Rotation, p.Rotation)))
		if off > 1e-14 || back.Translation != p.Translation {
			t.Fatalf("%v became %v", p, back)
		}
	}
	for name, m := range map[string][3][3]float64{
		"zero":         {},
		"scaled":       {{2, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"sheared":      {{1, 1e-3, 0}, {0, 1, 0}, {0, 0, 1}},
		"reflected":    {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"not a number": {{math.NaN(), 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"infinite":     {{1, 0, 0}, {0, math.Inf(1), 0}, {0, 0, 1}},
	} {
		if _, err := FromMatrix(m, r3.Vector{}); !errors.Is(err, ErrPose) {
			t.Errorf("%s: error %v, want ErrPose", name, err)
		}
	}
	// A matrix and a quaternion with six decimals are accurate enough.
	s := 0.707107
	if _, err := FromMatrix([3][3]float64{{s, -s, 0}, {s, s, 0}, {0, 0, 1}}, r3.Vector{}); err != nil {
		t.Error(err)
	}
	if err := (Pose{Rotation: quat.Number{Real: s, Kmag: s}}).Check(); err != nil {
		t.Error(err)
	}
}

func TestExactTurn(t *testing.T) {
	got := exactTurn(vectorOf(r3.Vector{X: 1, Y: 2, Z: 3}), quat.Number{Real: 1, Kmag: 1})
	for k, want := range []float64{-2, 1, 3} {
		if got[k].Cmp(big.NewFloat(want)) != 0 {
			t.Errorf("component %d: %v, want %g", k, got[k], want)
		}
	}
}
