package collide

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/internal/motion"
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
		fa, fb := motion.NewFrame(motion.Pose(a)), motion.NewFrame(motion.Pose(b))
		f, origins := motion.Relative(&fa, &fb)
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

func TestExactTurn(t *testing.T) {
	got := exactTurn(vectorOf(r3.Vector{X: 1, Y: 2, Z: 3}), quat.Number{Real: 1, Kmag: 1})
	for k, want := range []float64{-2, 1, 3} {
		if got[k].Cmp(big.NewFloat(want)) != 0 {
			t.Errorf("component %d: %v, want %g", k, got[k], want)
		}
	}
}
