package mesh

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Triangle is three corners in order; the normal (b−a)×(c−a) points outwards on
// a solid with positive volume.
type Triangle [3]r3.Vector

// Body is a named, contiguous range of faces: an OBJ group or object, an STL
// solid, a glTF node, a 3MF build item.
type Body struct {
	Name         string
	First, Count int32 // Faces[First : First+Count]
}

// Soup is what a loader hands over: corners as stored, one or more bodies.
// Faces index Vertices; nothing is welded yet.
type Soup struct {
	Vertices []r3.Vector
	Faces    [][3]int32
	Bodies   []Body
}

// Edge is a directed edge with its net multiplicity (boundary chain, DESIGN §1):
// Mult copies of A→B remain after opposite copies cancelled; A < B, Mult ≠ 0.
type Edge struct {
	A, B int32
	Mult int32
}

// Mesh is an immutable welded triangle mesh. Vertices are finite and pairwise
// different (−0 = +0); a face keeps its number from the Soup, also when it has
// zero area or lost a corner to welding. The slices must not be modified.
type Mesh struct {
	Vertices []r3.Vector
	Faces    [][3]int32
	Bodies   []Body

	box        bvh.Box
	boundary   []Edge  // net boundary chain, sorted by (A, B)
	evenEdges  bool    // every undirected edge has an even number of faces
	degenerate []int32 // faces of exactly zero area, ascending (collapsed ones included)
}
