package testmesh

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Klein returns a Klein bottle of nu × nv squares, where nv is odd. A figure eight sweeps the
// surface: it makes half a turn while it goes around the z axis. Every edge has two faces. No
// orientation is consistent. The middle of the figure eight is at the distance 3 from the axis.
func Klein(nu, nv int) mesh.Soup {
	var s mesh.Soup
	for i := range nu {
		u := 2 * math.Pi * float64(i) / float64(nu)
		su, cu := math.Sincos(u)
		sh, ch := math.Sincos(u / 2)
		for j := range nv {
			sv, cv := math.Sincos(2 * math.Pi * float64(j) / float64(nv))
			x, z := sv, 2*sv*cv // a figure eight
			r := 3 + x*ch - z*sh
			s.Vertices = append(s.Vertices, r3.Vector{X: r * cu, Y: r * su, Z: x*sh + z*ch})
		}
	}
	at := func(i, j int) int32 {
		if i == nu { // after half a turn, the figure eight runs backward
			i, j = 0, 2*nv-j
		}
		return int32(i*nv + j%nv)
	}
	for i := range nu {
		for j := range nv {
			a, b, c, d := at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)
			s.Faces = append(s.Faces, [3]int32{a, b, c}, [3]int32{a, c, d})
		}
	}
	return s
}
