package motion

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"
)

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
		if _, err := Turned(axis, 1, r3.Vector{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("axis %v: error %v", axis, err)
		}
	}
	if _, err := Turned(r3.Vector{X: 1}, nan, r3.Vector{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("angle NaN: error %v", err)
	}
}

// TestFromMatrix converts quaternions to matrices and back, near every branch of the conversion.
func TestFromMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for i := range 2000 {
		p := randomPose(r)
		p.Rotation = unit(p.Rotation)
		if i%2 == 0 { // three of the four components of the quaternion nearly vanish
			q := [4]float64{1e-9 * r.NormFloat64(), 1e-9 * r.NormFloat64(), 1e-9 * r.NormFloat64(), 1e-9 * r.NormFloat64()}
			q[i/2%4] = 1
			v := quat.Number{Real: q[0], Imag: q[1], Jmag: q[2], Kmag: q[3]}
			p.Rotation = quat.Scale(1/quat.Abs(v), v)
		}
		f := NewFrame(p)
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
		if _, err := FromMatrix(m, r3.Vector{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
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
