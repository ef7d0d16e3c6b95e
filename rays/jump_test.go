package rays

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// gridSoup returns closed solids whose vertices have few coordinates, so that faces, edges and vertices
// often coincide. Some solids are inverted, and some faces have zero area.
func gridSoup(r *rand.Rand) mesh.Soup {
	c := func() float64 { return float64(r.IntN(4)) }
	v := func() r3.Vector { return r3.Vector{X: c(), Y: c(), Z: c()} }
	var soups []mesh.Soup
	for range 1 + r.IntN(4) {
		var s mesh.Soup
		if lo := v(); r.IntN(2) == 0 {
			s = testmesh.Cube(lo, lo.Add(r3.Vector{X: 1, Y: 1, Z: 2}))
		} else {
			s = testmesh.Simplex(v(), v(), v(), v())
		}
		switch r.IntN(6) {
		case 0:
			s = testmesh.Flip(s)
		case 1:
			s = testmesh.Double(s)
		case 2:
			s = testmesh.WithDegenerate(s, 2, r.Uint64())
		}
		soups = append(soups, s)
	}
	return testmesh.Union(soups...)
}

func gridLines(n int, r *rand.Rand) (rs []Ray, segments []Segment) {
	c := func() float64 { return float64(r.IntN(9))/2 - 0.5 }
	v := func() r3.Vector { return r3.Vector{X: c(), Y: c(), Z: c()} }
	for range n {
		a, b := v(), v()
		segments = append(segments, Segment{a, b})
		if d := b.Sub(a); d != (r3.Vector{}) {
			rs = append(rs, Ray{a, d.Mul(math.Ldexp(1, r.IntN(800)-400))})
		}
	}
	return rs, segments
}

// All answers equal those of the twin for solids whose faces coincide.
func TestGridSolidsEqualTwin(t *testing.T) {
	rounds := 40
	if testcorpus.Full() {
		rounds = 6000
	}
	r := rand.New(rand.NewPCG(21, 2))
	found, ties := 0, 0
	for i := range rounds {
		c := caster(t, testmesh.Mesh(gridSoup(r)), inpoly.Options{Rule: rules[i%4], Orient: inpoly.OrientNever})
		rs, segments := gridLines(6, r)
		f, e := checkLines(t, c, rs, r)
		g, h := checkLines(t, c, segments, r)
		found, ties = found+f+g, ties+e+h
		checkIntervals(t, c, segments, r)
	}
	t.Logf("%d hits, %d events with several hits", found, ties)
	if found < 500 || ties < 100 {
		t.Error("the test covers too little")
	}
}

// The Jump of a hit tells whether the line crosses the face after a displacement by (ε, ε², ε³) for a
// small ε.
func TestJumpsOfTheDisplacedLine(t *testing.T) {
	rounds := 60
	if testcorpus.Full() {
		rounds = 10_000
	}
	const e = 0x1p-20
	r := rand.New(rand.NewPCG(21, 3))
	jumps, zero := 0, 0
	for range rounds {
		c := caster(t, testmesh.Mesh(gridSoup(r)), inpoly.Options{Orient: inpoly.OrientNever})
		_, segments := gridLines(8, r)
		var all Hits
		if err := AllTo(context.Background(), c, &all, segments); err != nil {
			t.Fatal(err)
		}
		for i, s := range segments {
			for _, h := range all.Of(i) {
				want := displacedJump(c.mesh.Triangle(h.Face), s, e)
				if s.A == s.B {
					want = 0
				}
				if int(h.Jump) != want || h.Jump != 0 && h.Jump != -h.Sign {
					t.Fatalf("%v: %+v, want the jump %d", s, h, want)
				}
				if h.Jump == 0 {
					zero++
				} else {
					jumps++
				}
			}
		}
	}
	t.Logf("%d jumps, %d hits without a jump", jumps, zero)
	if min(jumps, zero) < 100 {
		t.Error("the test covers too little")
	}
}

// displacedJump returns the change of W where the line of s, displaced by (e, e², e³), crosses t.
func displacedJump(t mesh.Triangle, s Segment, e float64) int {
	a, d := ratVecOf(s.A), ratVecOf(s.B).sub(ratVecOf(s.A))
	for k := range 3 {
		a[k] = new(big.Rat).Add(a[k], ratOf(math.Pow(e, float64(k+1))))
	}
	q := [3]ratVec{ratVecOf(t[0]).sub(a), ratVecOf(t[1]).sub(a), ratVecOf(t[2]).sub(a)}
	var n [3]int
	for j := range 3 {
		n[j] = d.dot(q[j].cross(q[(j+1)%3])).Sign()
	}
	if n[0] == n[1] && n[1] == n[2] {
		return -n[0]
	}
	return 0
}

// All answers equal those of the twin for coordinates of very different magnitudes.
func TestMixedMagnitudesEqualTwin(t *testing.T) {
	rounds := 10
	if testcorpus.Full() {
		rounds = 2000
	}
	r := rand.New(rand.NewPCG(21, 9))
	numbers := []float64{
		0, 0, 0, 1, -1, 2, 0.5, 1.0 / 3, 1 + 0x1p-52, 1e-170, -1e-170, 1e100,
		0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1p999, -0x1p999, 0x1p1000,
	}
	c := func() float64 { return numbers[r.IntN(len(numbers))] }
	v := func() r3.Vector { return r3.Vector{X: c(), Y: c(), Z: c()} }
	found := 0
	for i := range rounds {
		s := testmesh.Union(testmesh.Simplex(v(), v(), v(), v()), testmesh.Simplex(v(), v(), v(), v()))
		c := caster(t, testmesh.Mesh(s), inpoly.Options{Rule: rules[i%4], Orient: inpoly.OrientNever})
		var rs []Ray
		var segments []Segment
		for range 5 {
			segments = append(segments, Segment{v(), v()})
			if d := v(); d != (r3.Vector{}) {
				rs = append(rs, Ray{v(), d})
			}
		}
		f, _ := checkLines(t, c, rs, r)
		g, _ := checkLines(t, c, segments, r)
		found += f + g
		checkIntervals(t, c, segments, r)
	}
	t.Logf("%d hits", found)
	if found < 2*rounds {
		t.Error("the test covers too little")
	}
}
