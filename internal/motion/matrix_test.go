package motion

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/num/quat"
)

// TestNearlyOrthonormal checks how far the rotation of FromMatrix is from matrices that are nearly
// orthonormal, up to the largest accepted error, against the bound of its comment.
func TestNearlyOrthonormal(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 11))
	used, refused := 0.0, 0
	for i := range 20000 {
		q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
		if i%3 == 0 { // components of equal magnitude, where the largest one is not clear
			sign := func() float64 { return float64(2*r.IntN(2) - 1) }
			q = quat.Number{Real: sign(), Imag: sign(), Jmag: sign() * float64(r.IntN(2)), Kmag: sign() * float64(r.IntN(2))}
		}
		f := NewFrame(Pose{Rotation: quat.Scale(1/quat.Abs(q), q)})
		m := [3][3]float64{}
		size := 4 * slack * math.Pow(2, -40*r.Float64())
		if i%4 == 1 { // only rounded to six decimals
			size = 0
		}
		for i, row := range f.R {
			for j, x := range [3]float64{row.X, row.Y, row.Z} {
				m[i][j] = x + size*(r.Float64()-0.5)
			}
		}
		if i%4 == 1 {
			for i := range m {
				for j := range m[i] {
					m[i][j] = math.Round(1e6*m[i][j]) / 1e6
				}
			}
		}
		p, err := FromMatrix(m, r3.Vector{})
		if err != nil {
			if i%4 == 1 {
				t.Fatalf("six decimals are refused: %v: %v", m, err)
			}
			refused++
			continue
		}
		exact := NewFrame(p)
		a, b := mat.NewDense(3, 3, nil), mat.NewDense(3, 3, nil)
		for i, row := range exact.R {
			for j, x := range [3]float64{row.X, row.Y, row.Z} {
				a.Set(i, j, m[i][j])
				b.Set(i, j, x-m[i][j])
			}
		}
		var product mat.Dense
		product.Mul(a.T(), a)
		for i := range 3 {
			product.Set(i, i, product.At(i, i)-1)
		}
		delta, off := spectral(&product), spectral(b)
		if off > 2.1*delta+0x1p-48 {
			t.Fatalf("%v: |mᵀm − I| = %g, but the rotation is off by %g", m, delta, off)
		}
		if delta > 1e-9 {
			used = max(used, off/(2.1*delta))
		}
	}
	if used < 0.3 || refused < 100 {
		t.Errorf("at most %.2f of the bound was used, and %d matrices are refused: the test says little", used, refused)
	}
	t.Logf("at most %.2f of the bound was used", used)
}

// spectral returns the largest singular value of a.
func spectral(a *mat.Dense) float64 {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDNone) {
		panic("no singular values")
	}
	return svd.Values(nil)[0]
}

// A matrix that exchanges axes and changes signs is the rotation of its pose, exactly.
func TestExactMatrices(t *testing.T) {
	n := 0
	for _, order := range [][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}} {
		for signs := range 8 {
			var m [3][3]float64
			for i, j := range order {
				m[i][j] = float64(1 - 2*(signs>>i&1))
			}
			p, err := FromMatrix(m, r3.Vector{})
			if err != nil {
				continue // a reflection
			}
			n++
			pl, err := Place(p)
			if err != nil || !pl.permutes {
				t.Fatalf("%v: quaternion %v, error %v", m, p.Rotation, err)
			}
			for j, row := range pl.rows {
				if (r3.Vector{X: m[0][j], Y: m[1][j], Z: m[2][j]}) != row {
					t.Errorf("%v: column %d is %v", m, j, row)
				}
			}
		}
	}
	if n != 24 {
		t.Errorf("%d rotations, want 24", n)
	}
}

// The image of a box under a rotation that exchanges axes is the smallest box of float64 numbers.
func TestExactImages(t *testing.T) {
	h := math.Sqrt(0.5)
	low, high := r3.Vector{X: -1, Y: 2, Z: 3}, r3.Vector{X: 1, Y: 5, Z: 9}
	for _, c := range []struct {
		p         Pose
		low, high r3.Vector
	}{
		{At(r3.Vector{X: 10}), r3.Vector{X: 9, Y: 2, Z: 3}, r3.Vector{X: 11, Y: 5, Z: 9}},
		{Pose{Rotation: quat.Number{Real: h, Kmag: h}}, r3.Vector{X: -5, Y: -1, Z: 3}, r3.Vector{X: -2, Y: 1, Z: 9}},
		{Pose{Rotation: quat.Number{Imag: 1}, Translation: r3.Vector{Z: 1}}, r3.Vector{X: -1, Y: -5, Z: -8}, r3.Vector{X: 1, Y: -2, Z: -2}},
		{At(r3.Vector{X: 0x1p60}), r3.Vector{X: math.Nextafter(0x1p60, 0), Y: 2, Z: 3}, r3.Vector{X: math.Nextafter(0x1p60, 0x1p61), Y: 5, Z: 9}},
	} {
		pl, err := Place(c.p)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := pl.Image(low, high); a != c.low || b != c.high {
			t.Errorf("%v: the image is from %v to %v, want %v to %v", c.p, a, b, c.low, c.high)
		}
	}
}
