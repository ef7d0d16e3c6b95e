package msh

import (
	"github.com/inpoly/inpoly/loaders/internal/skin"
)

// kind holds the properties of an element type that this package uses.
type kind struct {
	dim     int       // dimension of the element, 0 to 3
	nodes   int       // number of its nodes in the file
	corners int       // number of its corners, which are the first nodes
	cell    skin.Kind // kind of cell if dim is 3
}

// kinds maps the number of an element type in the file to its description. The types and their
// numbers of nodes come from the reference manual of Gmsh 4.13 (chapter "MSH file format") and from
// its header GmshDefines.h. The first nodes of an element are its corners, in an order that package
// skin accepts.
var kinds = makeKinds()

func makeKinds() map[int]kind {
	m := map[int]kind{15: {dim: 0, nodes: 1, corners: 1}}
	add := func(k kind, first int, nodes ...int) {
		for i, n := range nodes {
			k.nodes = n
			m[first+i] = k
		}
	}
	line := kind{dim: 1, corners: 2}
	add(line, 1, 2)
	add(line, 8, 3)
	add(line, 26, 4, 5, 6)
	add(line, 62, 7, 8, 9, 10, 11)
	triangle := kind{dim: 2, corners: 3}
	add(triangle, 2, 3)
	add(triangle, 9, 6)
	add(triangle, 20, 9, 10, 12, 15, 15, 21)
	add(triangle, 42, 28, 36, 45, 55, 66)
	add(triangle, 52, 18, 21, 24, 27, 30)
	quad := kind{dim: 2, corners: 4}
	add(quad, 3, 4)
	add(quad, 10, 9)
	add(quad, 16, 8)
	add(quad, 36, 16, 25, 36, 12, 16, 20)
	add(quad, 47, 49, 64, 81, 100, 121)
	add(quad, 57, 24, 28, 32, 36, 40)
	tetrahedron := kind{dim: 3, corners: 4, cell: skin.Tetrahedron}
	add(tetrahedron, 4, 4)
	add(tetrahedron, 11, 10)
	add(tetrahedron, 29, 20, 35, 56, 22, 28)
	add(tetrahedron, 71, 84, 120, 165, 220, 286)
	hexahedron := kind{dim: 3, corners: 8, cell: skin.Hexahedron}
	add(hexahedron, 5, 8)
	add(hexahedron, 12, 27)
	add(hexahedron, 17, 20)
	add(hexahedron, 92, 64, 125, 216, 343, 512, 729, 1000)
	prism := kind{dim: 3, corners: 6, cell: skin.Wedge}
	add(prism, 6, 6)
	add(prism, 13, 18)
	add(prism, 18, 15)
	add(prism, 90, 40, 75)
	add(prism, 106, 126, 196, 288, 405, 550)
	pyramid := kind{dim: 3, corners: 5, cell: skin.Pyramid}
	add(pyramid, 7, 5)
	add(pyramid, 14, 14)
	add(pyramid, 19, 13)
	add(pyramid, 118, 30, 55, 91, 140, 204, 285, 385)
	return m
}
