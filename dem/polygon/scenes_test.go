package polygon

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"
)

// scenes lists the kinds of test cases. Each kind makes two random bodies.
var scenes = []struct {
	name string
	make func(t testing.TB, rng *rand.Rand) (a, b Body)
}{
	{"anywhere", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		return anywhere(t, rng, 1, 1, 3)
	}},
	{"overlapping", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		return anywhere(t, rng, 1, 1, 0.5)
	}},
	{"sizes", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		r := math.Pow(10, 6*rng.Float64())
		return anywhere(t, rng, r, 1, 1.2*r)
	}},
	{"sizes far apart", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		a, b = anywhere(t, rng, math.Exp2(200*rng.Float64()-100), math.Exp2(200*rng.Float64()-100), 0)
		b.at = a.World(a.shape.Corner(0).Mul(2 * rng.Float64()))
		if rng.IntN(2) == 0 {
			// Move b near corner 0 of a.
			b.at = a.World(a.shape.Corner(0)).Add(b.shape.Corner(0).Mul(rng.Float64()))
		}
		if rng.IntN(2) == 0 {
			a, b = b, a
		}
		return a, b
	}},
	{"nested", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		a, b = anywhere(t, rng, 100, 0.1+rng.Float64(), 0)
		if rng.IntN(2) == 0 {
			a, b = b, a
		}
		return a, b
	}},
	{"far from the origin", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		a, b = anywhere(t, rng, 0.01, 0.01, 0.03)
		far := r2.Point{X: 1e6 * rng.Float64(), Y: -1e7 * rng.Float64()}
		a.at, b.at = a.at.Add(far), b.at.Add(far)
		return a, b
	}},
	{"nearly touching", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		a, b = anywhere(t, rng, 1, 1, 3)
		// Move b along the normal. A positive gap becomes the distance of the bodies. If the gap is
		// negative, −gap becomes the depth of their overlap.
		gap := math.Pow(10, -17*rng.Float64())
		if rng.IntN(2) == 0 {
			gap = -gap
		}
		var p Pair
		d := p.Distance(&a, &b)
		b.at = b.at.Add(d.Normal.Mul(gap - d.Distance))
		return a, b
	}},
	{"many corners", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		a = Body{shape: random(t, rng, 17+rng.IntN(16), 1), cos: 1}
		b = must[Body](t)(Place(random(t, rng, 17+rng.IntN(16), 1), Pose{Angle: rng.NormFloat64(), At: r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()}}))
		return a, b
	}},
	{"lattice", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		at := r2.Point{X: float64(rng.IntN(15) - 7), Y: float64(rng.IntN(15) - 7)}
		return Body{shape: lattice(t, rng), cos: 1}, Body{shape: lattice(t, rng), cos: 1, at: at}
	}},
	{"lattice, turned", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		// Both bodies have the same rounded rotation, so parallel edges stay parallel.
		sin, cos := math.Sincos(rng.Float64())
		at := r2.Point{X: cos * float64(rng.IntN(15)-7), Y: sin * float64(rng.IntN(15)-7)}
		return Body{shape: lattice(t, rng), cos: cos, sin: sin}, Body{shape: lattice(t, rng), cos: cos, sin: sin, at: at}
	}},
	{"twins", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		s := random(t, rng, 3+rng.IntN(6), 1)
		a = Body{shape: s, cos: 1}
		b = a
		if rng.IntN(2) == 0 {
			b.at = r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()}
		}
		return a, b
	}},
	{"parallel edges", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		n := 2 * (2 + rng.IntN(5))
		s := regular(t, n, 1, 0)
		a = Body{shape: s, cos: 1}
		b = a
		b.at = s.Corner(0).Add(s.Corner(1)).Mul(0.5 + rng.Float64())
		if rng.IntN(2) == 0 {
			b.at = b.at.Add(s.Corner(1).Sub(s.Corner(0)).Mul(rng.NormFloat64()))
		}
		return a, b
	}},
	{"needles", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		thin := math.Pow(10, -12*rng.Float64())
		s := must[*Shape](t)(New([]r2.Point{{X: -1, Y: 0}, {X: 1, Y: -thin}, {X: 1, Y: thin}}))
		a, b = Body{shape: s, cos: 1}, Body{shape: s}
		b.sin, b.cos = math.Sincos(2 * math.Pi * rng.Float64() * thin)
		b.at = r2.Point{X: rng.NormFloat64(), Y: 2 * thin * rng.NormFloat64()}
		return a, b
	}},
	{"crossed bars", func(t testing.TB, rng *rand.Rand) (a, b Body) {
		w := math.Pow(10, -3*rng.Float64())
		s := must[*Shape](t)(New([]r2.Point{{X: -1, Y: -w}, {X: 1, Y: -w}, {X: 1, Y: w}, {X: -1, Y: w}}))
		a, b = Body{shape: s, cos: 1}, Body{shape: s}
		b.sin, b.cos = math.Sincos(math.Pi * rng.Float64())
		b.at = r2.Point{X: rng.NormFloat64() / 2, Y: rng.NormFloat64() / 2}
		return a, b
	}},
}

func anywhere(t testing.TB, rng *rand.Rand, sizeA, sizeB, apart float64) (a, b Body) {
	place := func(size, apart float64) Body {
		at := r2.Point{X: apart * (2*rng.Float64() - 1), Y: apart * (2*rng.Float64() - 1)}
		s := random(t, rng, 3+rng.IntN(8), size)
		return must[Body](t)(Place(s, Pose{At: at, Angle: 10 * rng.NormFloat64()}))
	}
	return place(sizeA, 0), place(sizeB, apart)
}

// eachScene calls check with about n random pairs of bodies. Each scene provides the same number.
func eachScene(t *testing.T, seed uint64, n int, check func(t *testing.T, a, b *Body)) {
	for _, scene := range scenes {
		t.Run(scene.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			for trial := range (n + len(scenes) - 1) / len(scenes) {
				a, b := scene.make(t, rng)
				check(t, &a, &b)
				if t.Failed() {
					t.Fatalf("seed %d, trial %d:\n%v at %v, cos %v, sin %v\n%v at %v, cos %v, sin %v", seed, trial,
						a.shape.corners, a.at, a.cos, a.sin, b.shape.corners, b.at, b.cos, b.sin)
				}
			}
		})
	}
}
