package mesh

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
)

// TestSurelyArea tests the filter surelyArea. The corners are exactly on a line, one unit in the
// last place off the line, or a millionth off the line. Scales and lengths vary so much that
// differences of coordinates are rounded. The filter must never report an area for a triangle
// without area. It must report the areas of ordinary triangles.
func TestSurelyArea(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	flat, passed := 0, 0
	for range 60_000 {
		// A component of the vector d has 40 bits, and its factor has 8 bits. Their product fits in
		// 53 bits.
		component := func() float64 { return float64(rng.Int64N(1<<41) - 1<<40) }
		d := r3.Vector{X: component(), Y: component(), Z: component()}
		scale := rng.IntN(1900) - 1074
		corner := func() r3.Vector { return d.Mul(math.Ldexp(float64(rng.IntN(511)-255), scale+rng.IntN(40))) }
		a, b, c := corner(), corner(), corner()
		switch rng.IntN(4) {
		case 0:
			c.Y = math.Nextafter(c.Y, math.Inf(1-2*rng.IntN(2)))
		case 1:
			c.Z *= 1 + 0x1p-20
		}
		if !vec.Finite(a) || !vec.Finite(b) || !vec.Finite(c) {
			continue
		}
		sure := surelyArea(&a, &b, &c)
		zero := predicates.ZeroArea(a, b, c)
		if sure && zero {
			t.Fatalf("%v %v %v has no area, but the filter is sure of one", a, b, c)
		}
		if zero {
			flat++
		}
		if sure {
			passed++
		}
	}
	if flat < 5_000 || passed < 5_000 {
		t.Errorf("only %d flat triangles and %d sure areas: the test has lost its teeth", flat, passed)
	}
	for range 1000 {
		v := func() r3.Vector { return r3.Vector{X: rng.Float64(), Y: rng.Float64(), Z: rng.Float64()} }
		if c := (Triangle{v(), v(), v()}); !surelyArea(&c[0], &c[1], &c[2]) {
			t.Errorf("the filter does not see the area of %v", c)
		}
	}
}
