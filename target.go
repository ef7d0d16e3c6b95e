package inpoly

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// Target is what queries ask: a Solid, or a Solid at a pose. Points and directions are those of the world, in
// which a Solid without a pose has the coordinates of its mesh. Only this package implements Target.
type Target interface {
	Side(p r3.Vector) Side
	Contains(p r3.Vector) bool
	Winding(p r3.Vector) (w, bound float64)
	Distance(p r3.Vector) (d float64, face int32)
	DistanceBound(p r3.Vector, d float64) float64
	PositionBound(p r3.Vector) float64
	LocateTo(ctx context.Context, dst Answers, pts []r3.Vector) (Stats, error)
	SidesTo(ctx context.Context, dst []Side, pts []r3.Vector) error
	NearestTo(ctx context.Context, dst []Nearest, pts []r3.Vector) error
	Explain(p r3.Vector) Explanation

	// Pose maps the frame of the mesh to the world. At moves the target further.
	Pose() pose.Pose
	At(p pose.Pose) (*Posed, error)

	// Box returns a box of the world that contains the target.
	Box() bvh.Box

	// Mesh and Report describe the mesh without the pose.
	Mesh() *mesh.Mesh
	Report() Report

	located() *locate.Set
}

func init() {
	locate.Provide(func(target any) *locate.Set { return target.(Target).located() })
	locate.ProvideParts(func(options any, parts locate.Parts) { options.(*Options).parts = parts })
}

func (s *Solid) located() *locate.Set { return s.set }
func (s *Posed) located() *locate.Set { return s.set }

// Pose returns the identity, because the points of s are in the frame of its mesh.
func (s *Solid) Pose() pose.Pose { return pose.At(r3.Vector{}) }

// Box returns the box of the mesh, which is empty if the mesh has no faces.
func (s *Solid) Box() bvh.Box { return s.Mesh().Box() }

// Box returns a box that contains the solid at its pose. The box is empty if the mesh has no faces. It is the smallest
// box with float64 numbers if the rotation exchanges axes. Otherwise it surrounds the moved box of the mesh, and has a
// margin for rounding. A pose near the limits of float64 can give an infinite box.
func (s *Posed) Box() bvh.Box {
	box := s.Mesh().Box()
	if !box.Empty() {
		box.Min, box.Max = s.set.Place.Image(box.Min, box.Max)
	}
	return box
}

// Mesh returns the mesh of Solid, in its own frame. The caller must not modify the mesh.
func (s *Posed) Mesh() *mesh.Mesh { return s.solid.Mesh() }

// Report returns the report of Solid.
func (s *Posed) Report() Report { return s.solid.Report() }

// PositionBound returns 0, because nothing is rounded; see Posed.PositionBound.
func (s *Solid) PositionBound(r3.Vector) float64 { return 0 }

// DistanceBound returns the bound of the error of the distance d of p; see the function DistanceBound.
func (s *Solid) DistanceBound(_ r3.Vector, d float64) float64 { return DistanceBound(d) }
