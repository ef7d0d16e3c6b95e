package skin

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
)

// Kind is a kind of cell with a fixed number of corners.
type Kind uint8

// These are the kinds of cells. The corners are in the order of VTK ("The VTK User's Guide", figure
// of linear cell types), in which the first face of prisms and pyramids is their base. The direction
// of the base does not matter.
const (
	Tetrahedron     Kind = iota // three corners of the base and the apex
	Pyramid                     // four corners of the base and the apex
	Wedge                       // three corners of the base, and the corners above them
	Hexahedron                  // four corners of the base, and the corners above them
	PentagonalPrism             // five corners of the base, and the corners above them
	HexagonalPrism              // six corners of the base, and the corners above them
	numKinds
)

// shape describes a kind of cell.
type shape struct {
	corners int
	// faces lists the positions of the corners of each face. The faces are oriented outward if the
	// base is counterclockwise as seen from the apex or from the opposite side.
	faces [][]uint8
}

var shapes = [numKinds]shape{
	Tetrahedron:     {4, cone(3)},
	Pyramid:         {5, cone(4)},
	Wedge:           {6, prism(3)},
	Hexahedron:      {8, prism(4)},
	PentagonalPrism: {10, prism(5)},
	HexagonalPrism:  {12, prism(6)},
}

// base returns the corners 0 … n−1 in reverse order, so that the face is oriented downward.
func base(n int) (face []uint8) {
	for k := range n {
		face = append(face, uint8((n-k)%n))
	}
	return face
}

// cone returns the faces of a cell whose base has n corners and whose apex is corner n.
func cone(n int) [][]uint8 {
	faces := [][]uint8{base(n)}
	for k := range n {
		faces = append(faces, []uint8{uint8(k), uint8((k + 1) % n), uint8(n)})
	}
	return faces
}

// prism returns the faces of a cell whose base has n corners, with corner k+n above corner k.
func prism(n int) [][]uint8 {
	top := make([]uint8, n)
	for k := range top {
		top[k] = uint8(n + k)
	}
	faces := [][]uint8{base(n), top}
	for k := range n {
		next := (k + 1) % n
		faces = append(faces, []uint8{uint8(k), uint8(next), uint8(n + next), uint8(n + k)})
	}
	return faces
}

// Corners returns the number of corners of a cell.
func (k Kind) Corners() int { return shapes[k].corners }

// Faces returns the positions of the corners of each face. The faces are oriented outward if the base is
// counterclockwise as seen from the apex or from the opposite side. The caller must not change the result.
func (k Kind) Faces() [][]uint8 { return shapes[k].faces }

// volumeSign returns the sign of the volume of a cell. For a tetrahedron the sign is exact. For other
// cells it is 0 if rounding errors could change the sign.
func (s *Skin) volumeSign(kind Kind, corners []int32) int {
	at := s.b.Vertices
	if kind == Tetrahedron {
		return s.signs.Orient3D(at[corners[1]], at[corners[0]], at[corners[2]], at[corners[3]])
	}
	v := s.volume(corners)
	for _, face := range shapes[kind].faces {
		s.cycle = s.cycle[:0]
		for _, k := range face {
			s.cycle = append(s.cycle, corners[k])
		}
		v.add(s.cycle)
	}
	return v.sign()
}

// volume sums the volume below the faces of a cell. A face that is not planar counts as the triangles
// around the mean of its corners, so the volume does not depend on the first corner.
type volume struct {
	at       []r3.Vector
	origin   r3.Vector // a corner of the cell
	scale    float64   // a power of two; the coordinates are multiplied by it
	sum, abs float64   // sum of the terms, and of their magnitudes
}

// volume returns an empty sum for a cell with the given corners.
func (s *Skin) volume(corners []int32) volume {
	v := volume{at: s.b.Vertices, origin: s.b.Vertices[corners[0]], scale: 1}
	size := 0.0
	for _, c := range corners {
		d := v.at[c].Sub(v.origin) // at most 2^1001
		size = max(size, math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z))
	}
	// Products of three differences could overflow or underflow beyond these sizes.
	const small, large = 0x1p-200, 0x1p+200
	if size > 0 && (size < small || size > large) {
		_, exp := math.Frexp(size)
		v.scale = math.Ldexp(1, max(-1000, min(-exp, 1000)))
	}
	return v
}

// local returns vertex c relative to the origin.
func (v *volume) local(c int32) r3.Vector { return v.at[c].Sub(v.origin).Mul(v.scale) }

// add adds six times the volume of the cone from the origin to a face.
func (v *volume) add(face []int32) {
	var mean, area r3.Vector
	last := v.local(face[len(face)-1])
	abs := 0.0
	for _, c := range face {
		p := v.local(c)
		mean = mean.Add(p)
		area = area.Add(last.Cross(p))
		abs += last.Norm() * p.Norm()
		last = p
	}
	n := float64(len(face))
	mean = mean.Mul(1 / n)
	v.sum += mean.Dot(area)
	v.abs += mean.Norm() * abs
}

// sign returns the sign of the volume, or 0 if it is uncertain.
//
// A sum of k terms has a rounding error of at most k·2^−53 times the sum of the magnitudes, to first
// order. Each term goes through fewer than 16 operations, and a face of n corners through fewer than
// 4·n additions. The bound 2^−40 holds for faces of up to 2^10 corners. Larger faces only affect the
// note, because their sign can be wrong only if the cell is extremely flat.
func (v *volume) sign() int {
	const bound = 0x1p-40
	switch {
	case v.sum > bound*v.abs:
		return 1
	case v.sum < -bound*v.abs:
		return -1
	}
	return 0
}

// counter counts the signs that predicates decide.
type counter = predicates.Counter
