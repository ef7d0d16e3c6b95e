package motion

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"
)

// A batch has the positions of single points, bit for bit.
func TestPositionsTo(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 5e-324, 1e-310}
	number := func() float64 {
		if r.IntN(4) == 0 {
			return special[r.IntN(len(special))]
		}
		return math.Ldexp(r.NormFloat64(), r.IntN(200)-100)
	}
	vector := func() r3.Vector { return r3.Vector{X: number(), Y: number(), Z: number()} }
	for range 200 {
		q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
		p := Pose{Rotation: quat.Scale(1/quat.Abs(q), q), Translation: r3.Vector{X: r.NormFloat64(), Y: 1e-300, Z: 1e300}}
		pl, err := Place(p)
		if err != nil {
			t.Fatal(err)
		}
		pts := make([]r3.Vector, r.IntN(20))
		for i := range pts {
			pts[i] = vector()
		}
		const guard = 42
		got := make([]r3.Vector, len(pts)+1)
		got[len(pts)].X = guard
		pl.PositionsTo(got, pts)
		for i, x := range pts {
			if want, _ := pl.Position(x); !sameBits(got[i], want) {
				t.Fatalf("%d of %d: position %v of %v at %v, want %v", i, len(pts), got[i], x, p, want)
			}
		}
		if got[len(pts)].X != guard {
			t.Fatalf("%d points: another element was written", len(pts))
		}
	}
}

// sameBits compares the bits of all numbers; NaN equals NaN.
func sameBits(a, b r3.Vector) bool {
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
	return same(a.X, b.X) && same(a.Y, b.Y) && same(a.Z, b.Z)
}

func BenchmarkPositionsTo(b *testing.B) {
	pl, err := Place(Pose{Rotation: quat.Number{Real: 0.6, Kmag: 0.8}, Translation: r3.Vector{X: 1, Y: 2, Z: 3}})
	if err != nil {
		b.Fatal(err)
	}
	pts, dst := make([]r3.Vector, 1<<12), make([]r3.Vector, 1<<12)
	for i := range pts {
		pts[i] = r3.Vector{X: rand.Float64(), Y: rand.Float64(), Z: rand.Float64()}
	}
	for _, c := range []struct {
		name string
		do   func(dst, pts []r3.Vector)
	}{{"batch", pl.PositionsTo}, {"generic", pl.positionsGeneric}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.do(dst, pts)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(pts)), "ns/point")
		})
	}
}
