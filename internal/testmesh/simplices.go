package testmesh

import (
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// SimplicesModes is the number of modes of Simplices.
const SimplicesModes = 7

// tangled returns a random number from a small set. In such sets, numbers often coincide, differ in
// the last place, or are subnormal.
func tangled(r *rand.Rand, mode int) float64 {
	x := float64(r.IntN(4))
	switch {
	case mode == 1:
		x += float64(r.IntN(3)-1) * 0x1p-52
	case mode == 2:
		x *= 0x1p-1074
	case mode == 3 && r.IntN(3) == 0:
		x = math.Ldexp(x, -60*r.IntN(6))
	case mode == 4 && r.IntN(4) == 0:
		x = 4 * r.Float64()
	case mode == 5:
		x = math.Ldexp(x+1, 480-120*r.IntN(9)) - 1
	}
	return x
}

// Simplices returns the boundaries of random tetrahedra: with copies, turned copies, tetrahedra
// without volume, and corners at few places. mode selects the coordinates: small integers, small
// integers with changed last places, subnormal numbers, numbers of different sizes, or axes of
// different sizes.
func Simplices(r *rand.Rand, mode int) mesh.Soup {
	var corners []r3.Vector
	var scale [3]float64
	for k := range scale {
		scale[k] = 1
		if mode == 6 {
			scale[k] = math.Ldexp(1, []int{-1000, -300, -30, 0, 30, 300}[r.IntN(6)])
		}
	}
	for range 4 + r.IntN(6) {
		corners = append(corners, r3.Vector{X: scale[0] * tangled(r, mode), Y: scale[1] * tangled(r, mode), Z: scale[2] * tangled(r, mode)})
	}
	p := func() r3.Vector { return corners[r.IntN(len(corners))] }
	var soups []mesh.Soup
	for range 1 + r.IntN(4) {
		s := Simplex(p(), p(), p(), p())
		switch r.IntN(5) {
		case 0:
			s = Union(s, s)
		case 1:
			s = Union(s, Flip(s))
		case 2:
			s = Flip(s)
		}
		soups = append(soups, s)
	}
	return Union(soups...)
}
