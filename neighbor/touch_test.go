package neighbor

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// TestNegativeZeros checks rectangles and boxes that end at 0 or −0. The two zeros are equal.
func TestNegativeZeros(t *testing.T) {
	values := []float64{-1, math.Copysign(0, -1), 0, 1}
	var rects []Rect
	var boxes []bvh.Box
	for _, x0 := range values {
		for _, x1 := range values {
			if x0 > x1 {
				continue
			}
			for _, y := range values {
				rects = append(rects, Rect{Min: r2.Point{X: x0, Y: y}, Max: r2.Point{X: x1, Y: y}})
				rects = append(rects, Rect{Min: r2.Point{X: y, Y: x0}, Max: r2.Point{X: y, Y: x1}})
				boxes = append(boxes, bvh.Box{Min: r3.Vector{X: x0, Y: y, Z: -y}, Max: r3.Vector{X: x1, Y: y, Z: -y}})
				boxes = append(boxes, bvh.Box{Min: r3.Vector{X: y, Y: -y, Z: x0}, Max: r3.Vector{X: y, Y: -y, Z: x1}})
			}
		}
	}
	compareOnce(t, rects)
	compareOnce(t, boxes)
}

// compareOnce compares the pairs of all methods with those of brute force. Each method makes two
// steps with the same bodies.
func compareOnce[T Body](t *testing.T, bodies []T) {
	t.Helper()
	brute := NewBruteForce[T]()
	if err := brute.Update(t.Context(), bodies); err != nil {
		t.Fatal(err)
	}
	if len(brute.Pairs()) == 0 {
		t.Fatal("no pairs")
	}
	for _, m := range methods[T]() {
		method := m.make(2)
		for range 2 {
			if err := method.Update(t.Context(), bodies); err != nil {
				t.Fatalf("%s: %v", m.name, err)
			}
			if got := method.Pairs(); !slices.Equal(got, brute.Pairs()) {
				t.Errorf("%s: %s", m.name, differ(got, brute.Pairs(), bodies))
			}
		}
	}
}

// TestTouchBound checks the bound in the comment of touchDisks. The distance of the balls is the
// sum of their radii, plus or minus some ulps. The bounds of balls that touch must overlap.
func TestTouchBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	accepted, refused, beyond := 0, 0, 0
	for range scaled(20_000, 1_000_000) {
		scale := math.Ldexp(1, rng.IntN(900)-450)
		a := Sphere{Radius: scale * math.Exp2(-40*rng.Float64())}
		b := Sphere{Radius: scale * math.Exp2(-40*rng.Float64())}
		far := math.Exp2(60 * rng.Float64())
		a.Center = r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Mul(scale * far)
		d := r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
		switch rng.IntN(4) {
		case 0:
			a.Center, d = r3.Vector{}, r3.Vector{X: 1}
		case 1:
			a.Center = r3.Vector{}
		case 2:
			d.Z = 0
		}
		reach := (a.Radius + b.Radius) * (1 + float64(rng.IntN(21)-10)*0x1p-53)
		b.Center = a.Center.Add(d.Mul(reach / d.Norm()))
		if checkSphere(a) || checkSphere(b) {
			continue
		}
		if !touchSpheres(&a, &b) {
			refused++
			continue
		}
		accepted++
		// This check is exact. 1+6u is the next float64 above the factor 1+5u in touchDisks.
		exact := func(x float64) *big.Float { return new(big.Float).SetPrec(2400).SetFloat64(x) }
		square := new(big.Float).SetPrec(2400)
		for _, c := range [][2]float64{{a.Center.X, b.Center.X}, {a.Center.Y, b.Center.Y}, {a.Center.Z, b.Center.Z}} {
			x := exact(c[0])
			x.Sub(x, exact(c[1]))
			square.Add(square, x.Mul(x, x))
		}
		sum := exact(a.Radius)
		sum.Add(sum, exact(b.Radius))
		if square.Cmp(new(big.Float).Mul(sum, sum)) > 0 {
			beyond++
		}
		sum.Mul(sum, exact(1+6*0x1p-53))
		if square.Cmp(sum.Mul(sum, sum)) > 0 {
			t.Fatalf("%v and %v touch beyond the bound", a, b)
		}
		var boxA, boxB bvh.Box
		sphereBounds(&boxA, &a)
		sphereBounds(&boxB, &b)
		if !boxA.Overlaps(boxB) {
			t.Fatalf("%v and %v touch, their bounds %v and %v do not", a, b, boxA, boxB)
		}
	}
	if accepted == 0 || refused == 0 || beyond == 0 {
		t.Errorf("%d accepted, %d of them too far by rounding, %d refused: want some of each", accepted, beyond, refused)
	}
}

// checkSphere reports whether check rejects a sphere.
func checkSphere(s Sphere) bool { return check([]Sphere{s}) != nil }
