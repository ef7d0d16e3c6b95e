package inpoly

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/side"
)

// Posed is a Solid at a pose. Its points are points of the world, and its answers are those of a Solid
// whose mesh is moved by the exact pose, without rounding its vertices. It shares the mesh and all
// indexes with the Solid, and takes about two kilobytes. It is immutable and safe for concurrent use.
//
// A query rounds the position of the point in the frame of the mesh. PositionBound bounds the error. If
// a face is within this bound of the rounded position, rational arithmetic decides. So sides, and
// winding numbers of closed meshes, do not depend on the rounding.
type Posed struct {
	solid *Solid
	set   *locate.Set
}

// At returns s at the pose p. The cost does not depend on the mesh.
//
// Errors: an error that wraps pose.ErrInvalid if p is not valid.
func (s *Solid) At(p pose.Pose) (*Posed, error) {
	set, err := s.set.At(motion.Pose(p))
	if err != nil {
		return nil, err
	}
	return &Posed{solid: s, set: set}, nil
}

// At returns the solid at the pose x ↦ p(q(x)), where q is the pose of s. This pose is computed exactly
// and rounded once, as pose.Pose.Mul describes; Pose returns it. All answers refer to the rounded pose.
//
// Errors: an error that wraps pose.ErrInvalid if p or the rounded pose is not valid.
func (s *Posed) At(p pose.Pose) (*Posed, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	return s.solid.At(p.Mul(s.Pose()))
}

// Solid returns the Solid without the pose.
func (s *Posed) Solid() *Solid { return s.solid }

// Pose returns the pose.
func (s *Posed) Pose() pose.Pose { return pose.Pose(s.set.Place.Pose()) }

// Side returns the exact side of p relative to the posed mesh; see Solid.Side. A point within
// PositionBound of a face takes some microseconds for each face nearby, and allocates memory. If the
// mesh is open, it also takes some microseconds for each boundary edge.
func (s *Posed) Side(p r3.Vector) Side { return s.set.Sides.Side(p) }

// Contains reports whether p is Inside or OnSurface. It is false if Side is Unknown.
func (s *Posed) Contains(p r3.Vector) bool { return s.Side(p).Contains() }

// Winding returns the winding number w of p relative to the posed mesh, and a certified bound of its
// error; see Solid.Winding. On a closed mesh w is exact, with bound 0, unless p is on the surface. On an
// open mesh the bound includes the rounding of the position.
func (s *Posed) Winding(p r3.Vector) (w, bound float64) { return s.set.Winding.Winding(p) }

// Distance returns the signed distance d from p to the posed surface, and a nearest face. d is negative
// if and only if p is Inside, and 0 if and only if p lies exactly on a face; the face is then the
// smallest index of these faces. Otherwise |d| differs from the exact distance by at most
// DistanceBound(p, d), which includes the rounding of the position. The distance to the face exceeds the
// distance to the surface by at most 2·PositionBound(p). Options.Tolerance has no effect. If the side of p is Unknown, d is NaN. If
// p is not finite or the mesh has no faces, d is NaN and face is −1.
func (s *Posed) Distance(p r3.Vector) (d float64, face int32) { return s.set.PosedDistance(p) }

// PositionBound bounds the distance between the exact position of p in the frame of the mesh and the
// computed position. It is about 10·2⁻⁵³ times the distance of p from the origin of the mesh, and 0 if
// nothing is rounded, for example if the pose is a translation and its difference from p is exact.
func (s *Posed) PositionBound(p r3.Vector) float64 { return s.set.PositionBound(p) }

// DistanceBound returns the bound of the error of the distance d that Distance has returned for p. It is
// DistanceBound(d) of the package plus PositionBound(p), rounded up. It is 0 if d is 0, and NaN if d is
// NaN. If nothing was rounded, the exact distance is at most |d|. Otherwise it can exceed |d|.
func (s *Posed) DistanceBound(p r3.Vector, d float64) float64 { return s.set.DistanceBound(p, d) }

// LocateTo computes the answers for pts and writes them to the slices of dst. It follows
// Solid.LocateTo, but does not call Options.Progress. It needs at most 9 MB of
// memory in addition, or 30 MB for distances and closest points.
func (s *Posed) LocateTo(ctx context.Context, dst Answers, pts []r3.Vector) (Stats, error) {
	prepare(&dst, len(pts))
	stats, err := s.set.LocateTo(ctx, dst.Answers, pts, s.set.Workers)
	switch {
	case err != nil:
		answers.Distances.Clear(dst.Distance)
		answers.Faces.Clear(dst.Face)
		answers.Projections.Clear(dst.Nearest)
	case dst.Nearest != nil:
		err = s.set.PosedProjectTo(ctx, dst.Nearest, dst.Distance, dst.Face, pts, s.set.Workers)
	case dst.Distance != nil:
		err = s.set.PosedDistancesTo(ctx, dst.Distance, dst.Face, pts, s.set.Workers)
	}
	for i := range dst.DistanceBound {
		dst.DistanceBound[i] = s.set.DistanceBound(pts[i], dst.Distance[i])
	}
	setBodies(&dst, len(pts))
	return stats, err
}

// NearestTo writes the closest points of the posed surface for pts to dst; see LocateTo and
// Solid.NearestTo. Points and normals are those of the world. The Distance and the Face equal those of
// Distance, bit for bit. The Feature and the barycentric coordinates are those of the rounded position of
// the point, which differs from the exact position by at most PositionBound. PointBound includes this
// difference and the rounding of the motion: it bounds the distance of Point from the exact closest point
// of the face Face. So Point is exact at a vertex only if nothing is rounded. If another face is nearer by less than
// 2·PositionBound, Point belongs to Face nevertheless. DistanceBound bounds the error of the Distance.
func (s *Posed) NearestTo(ctx context.Context, dst []Nearest, pts []r3.Vector) error {
	answers.Projections.Check(dst, len(pts))
	_, err := s.LocateTo(ctx, Answers{Nearest: dst}, pts)
	return err
}

// SidesTo writes the sides of pts to dst; see LocateTo.
func (s *Posed) SidesTo(ctx context.Context, dst []Side, pts []r3.Vector) error {
	answers.Sides.Check(dst, len(pts))
	_, err := s.LocateTo(ctx, Answers{Answers: side.Answers{Sides: dst}}, pts)
	return err
}
