// Package inpoly tells which points lie inside a triangle mesh, exactly, and
// how sure the answer is.
//
// A Solid is built once from a file or a mesh and is then immutable and safe for
// concurrent use. For the float64 coordinates as given its sides are exact:
// signs of volumes come from predicates with an exact last stage, OnSurface
// means exactly on a closed triangle (or within Options.Tolerance), and every
// method gives the same sides. Closed meshes may be nested, overlapping,
// duplicated, inverted or self-crossing: the winding number decides, under the
// rule of Options.Rule. For open meshes it is a real number, computed as the
// crossings of one ray plus a sum over the boundary edges, with an error bound;
// where that cannot decide, arbitrary precision does, and where even that
// cannot, the side is Unknown.
//
// Sides come from crossings counted along random rays through a tree
// (RayCrossing) or along short segments in the cells of a grid (Cells), or from
// the sum of all solid angles, term by term (Direct) or by multipoles with a certified
// bound (FMM). Auto takes what is estimated to be done first, for the mesh and the
// number of points: to sum needs no index and is best for a few, cells are for many,
// and multipoles for many and a mesh with a large boundary.
//
// The methods are those of Muth, Of, Eberhard, Steinbach, "Collision Detection
// for Complicated Polyhedra Using the Fast Multipole Method or Ray Crossing"
// (2006), and what follows from them.
//
//	solid, err := inpoly.Open(ctx, "part.stl", inpoly.Options{})
//	if err != nil {
//		return err
//	}
//	if solid.Side(r3.Vector{X: 1, Y: 2, Z: 3}) == inpoly.Inside {
//		fmt.Println("inside")
//	}
//	sides := make([]inpoly.Side, len(points))
//	err = solid.SidesTo(ctx, sides, points) // all cores
package inpoly

import (
	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/side"
)

// Side tells where a point lies relative to a solid; see package side.
type Side = side.Side

// The sides. The zero Side is Unknown.
const (
	Unknown   = side.Unknown
	Outside   = side.Outside
	OnSurface = side.OnSurface
	Inside    = side.Inside
)

// Rule turns a winding number into a side; see package side.
type Rule = side.Rule

// The inside rules. The zero Rule is NonZero.
const (
	NonZero  = side.NonZero
	Positive = side.Positive
	Negative = side.Negative
	EvenOdd  = side.EvenOdd
)

// Grid is a regular grid of points; see package side.
type Grid = side.Grid

// CellsShape tells the size of the index of the method Cells; see package cells.
type CellsShape = cells.Shape

// Stats counts the work of queries; see package side.
type Stats = side.Stats

// ParseRule returns the rule of that name: nonzero, positive, negative or
// evenodd.
func ParseRule(name string) (Rule, error) { return side.ParseRule(name) }
