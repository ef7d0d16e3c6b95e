package layer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// prismSoup returns a prism with n sides. lift moves the vertices of the top upward.
func prismSoup(n int, radius, height float64, lift func(p r3.Vector) float64) (s mesh.Soup) {
	at := func(k int, z float64) r3.Vector {
		a := 2 * math.Pi * float64(k) / float64(n)
		return r3.Vector{X: radius * math.Cos(a), Y: radius * math.Sin(a), Z: z}
	}
	for k := range n {
		s.Vertices = append(s.Vertices, at(k, -height/2), at(k, height/2))
	}
	for k := 1; k < 2*n; k += 2 {
		s.Vertices[k].Z += lift(s.Vertices[k])
	}
	for k := range n {
		a, b := int32(2*k), int32(2*((k+1)%n))
		s.Faces = append(s.Faces, [3]int32{a, b, b + 1}, [3]int32{a, b + 1, a + 1})
	}
	for k := 1; k < n-1; k++ {
		a, b := int32(2*k), int32(2*k+2)
		s.Faces = append(s.Faces, [3]int32{0, b, a}, [3]int32{1, a + 1, b + 1})
	}
	return s
}

// TestFacesWithNoise checks thin overlaps of faces whose vertices are not exactly in a plane. The planes are above
// some vertices, so the overlap can be deeper below them than the slab is thick.
func TestFacesWithNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s, all := &Scratch{}, &Scratch{everything: true}
	const noise = 0x1p-23
	lift := func(r3.Vector) float64 { return noise * (2*rng.Float64() - 1) }
	touched := 0
	for range 300 {
		a := convexOf(t, prismSoup(30, .1, 1, lift))
		b := convexOf(t, prismSoup(30, 1, 1, lift))
		p := Place{Rotation: rotation(r3.Vector{X: 1}, 0)}
		p.Shift.Z = 1 + noise*(2*rng.Float64()-1)
		x, y := pairTotal(s, a, b, p), pairTotal(all, a, b, p)
		if y.size > 0 {
			touched++
		}
		if off := x.force.Sub(y.force).Norm(); off > 1e-12*.03*noise {
			t.Fatalf("the force is %v, with all planes it is %v", x.force, y.force)
		}
	}
	if touched < 50 {
		t.Errorf("%d pairs touch", touched)
	}
}
