// Package inpoly decides exactly which points lie inside a triangle mesh, and reports how certain
// each answer is.
//
// Most callers need only Open, and then Solid.Side for one point or Solid.SidesTo for many points.
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
//
// # Exactness
//
// A Solid is immutable and safe for concurrent use. The sides are exact for the float64 coordinates
// of the mesh and the points, because they follow from the exact signs of tetrahedron volumes. A
// point is OnSurface if it is exactly on a triangle, or within Options.Tolerance of one. All
// methods find the same sides.
//
// Flipped faces would falsify winding numbers. Therefore Options.Orient makes the orientation of
// parts with flipped faces consistent, unless it is OrientNever.
//
// The winding number W of a point decides its side, under Options.Rule. The parts of a closed mesh
// can be nested, overlapping, duplicated, inverted or self-crossing. W is an exact integer for
// every closed mesh. For an open mesh, W is a real number. It is the number of crossings of one ray
// plus a sum over the boundary edges, and its error has a certified bound. If this bound does not
// decide the side, 256-bit arithmetic decides it. If even 256-bit arithmetic does not decide it,
// the side is Unknown.
//
// # Methods
//
// Auto picks the method with the least estimated time for the mesh and the number of points. Direct
// needs no index and suits a few points. Cells suits many points. FMM suits many points and a mesh
// with a large boundary. RayCrossing is the fallback of the other methods.
//
// The methods come from Muth, Of, Eberhard, Steinbach, "Collision Detection for Complicated
// Polyhedra Using the Fast Multipole Method or Ray Crossing" (2006). This package develops them
// further.
//
// Packages bvh, raycross, bem, fmm, harmonics and neighbor have the methods of the papers, for authors of
// algorithms. Their API can change in minor versions.
package inpoly

import (
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Side is the position of a point relative to a solid; see package side.
type Side = side.Side

// These are the values of Side. The zero Side is Unknown.
const (
	Unknown   = side.Unknown
	Outside   = side.Outside
	OnSurface = side.OnSurface
	Inside    = side.Inside
)

// Rule turns a winding number into a side; see package side.
type Rule = side.Rule

// These are the values of Rule. The zero Rule is NonZero.
const (
	NonZero  = side.NonZero
	Positive = side.Positive
	Negative = side.Negative
	EvenOdd  = side.EvenOdd
)

// Grid is a regular grid of points; see package side.
type Grid = side.Grid

// CellsShape describes the size of the index that the method Cells builds. It is zero if the mesh has no faces or if
// every query needs a ray.
type CellsShape struct {
	Cell    float64 // edge of a level-0 cell, in the unit of the mesh
	Bricks  int     // number of bricks of 8×8×8 cells that the surface crosses
	Crossed int     // number of crossed cells of all levels
	Entries int     // total number of triangles in the lists of the crossed cells
	Depth   int     // number of levels of refinement below level 0
	RayOnly int     // number of cells in which queries need rays
	Open    int     // number of level-0 cells in which queries compute the potential of the caps
	Caps    int     // number of triangles that close the boundary
	Bytes   int64   // memory of the index in bytes, without the mesh
}

// Stats counts the work of queries; see package side.
type Stats = side.Stats

// Orient selects the parts of a mesh whose faces are turned over before the mesh is diagnosed.
type Orient = mesh.Orient

// These are the values of Orient. The zero Orient is OrientAuto.
const (
	OrientAuto   = mesh.OrientAuto   // parts with misoriented edges, and no other parts
	OrientNever  = mesh.OrientNever  // nothing
	OrientAlways = mesh.OrientAlways // also shells without misoriented edges that face inward
)

// ParseOrient returns the value with the given name: auto, never or always.
func ParseOrient(name string) (Orient, error) { return mesh.ParseOrient(name) }

// ParseRule returns the rule with the given name: nonzero, positive, negative or evenodd.
func ParseRule(name string) (Rule, error) { return side.ParseRule(name) }
