package testmesh

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Strata divides a box into layers with wavy walls between them. Two neighboring layers have the
// same triangles at their common wall, with opposite orientation. Each wall has 2n² triangles.
// Layer k is near k < z < k+1, and all layers have 0 < x, y < 3. gap is the distance between
// neighboring layers.
func Strata(n, layers int, gap float64) (list []mesh.Soup) {
	height := func(i, j, wall int) r3.Vector {
		x, y := 3*float64(i)/float64(n), 3*float64(j)/float64(n)
		return r3.Vector{X: x, Y: y, Z: float64(wall) + 0.2*math.Sin(2*x+float64(wall))*math.Cos(3*y)}
	}
	for k := range layers {
		var s mesh.Soup
		at := func(i, j, side int) int32 { return int32(((i*(n+1) + j) * 2) + side) }
		for i := range n + 1 {
			for j := range n + 1 {
				for side := range 2 {
					s.Vertices = append(s.Vertices, height(i, j, k+side).Add(r3.Vector{Z: gap * float64(k)}))
				}
			}
		}
		quad := func(a, b, c, d int32) { s.Faces = append(s.Faces, [3]int32{a, b, c}, [3]int32{a, c, d}) }
		for i := range n {
			for j := range n {
				quad(at(i, j, 1), at(i+1, j, 1), at(i+1, j+1, 1), at(i, j+1, 1))
				a, b, c, d := at(i, j, 0), at(i+1, j, 0), at(i+1, j+1, 0), at(i, j+1, 0)
				s.Faces = append(s.Faces, [3]int32{a, c, b}, [3]int32{a, d, c})
			}
			quad(at(i, 0, 0), at(i+1, 0, 0), at(i+1, 0, 1), at(i, 0, 1))
			quad(at(i+1, n, 0), at(i, n, 0), at(i, n, 1), at(i+1, n, 1))
			quad(at(0, i+1, 0), at(0, i, 0), at(0, i, 1), at(0, i+1, 1))
			quad(at(n, i, 0), at(n, i+1, 0), at(n, i+1, 1), at(n, i, 1))
		}
		list = append(list, s)
	}
	return list
}
