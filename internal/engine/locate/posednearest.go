package locate

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// PosedProjection returns the closest point of the mesh at its pose, with an unsigned distance; see
// inpoly.Posed.NearestTo. Its Distance and Face are the results of PosedNearest.
func (s *Set) PosedProjection(p r3.Vector) side.Projection {
	m := posedMemories.Get().(*posedMemory)
	defer posedMemories.Put(m)
	near, _ := s.Place.Position(p)
	n := s.Surface.MustIndex().Nearest.Project(near, &m.nearest)
	s.moveBack(&n, p, m)
	return n
}

// moveBack turns a projection in the frame of the mesh into a projection in the world. n is the
// projection of the rounded position of p.
//
// If a point moves, its closest point on a triangle moves by at most as much. So the PointBound of
// the result is the sum of the radius of the position, the bound of n and the error of the motion.
func (s *Set) moveBack(n *side.Projection, p r3.Vector, m *posedMemory) {
	if n.Face < 0 {
		return
	}
	near, radius := s.Place.Position(p)
	d, face := s.corrected(p, n.Distance, n.Face, m)
	if face != n.Face {
		*n = s.Surface.MustIndex().Nearest.ProjectOn(near, face, &m.nearest)
	}
	n.Distance = d
	n.Normal = s.Place.Turn(n.Normal)
	if n.Distance == 0 {
		n.Point, n.PointBound = p, 0
		return
	}
	point, bound := s.Place.Back(n.Point)
	if !vec.Finite(point) {
		bound = math.Inf(1)
	}
	if n.Point = point; radius+bound > 0 {
		n.PointBound = (n.PointBound + radius + bound) * (1 + 0x1p-50)
	}
}

// PosedProjectTo writes the results of PosedProjection for pts to dst, bit for bit, but with signed
// distances. If d is not nil, it also writes the distances and the faces to d and face.
// PosedProjectTo needs constant memory. If ctx ends first, it returns the error of ctx, and points
// without an answer have the face −1.
func (s *Set) PosedProjectTo(ctx context.Context, dst []side.Projection, d []float64, face []int32, pts []r3.Vector, workers int) error {
	done := 0
	sides, positions := make([]side.Side, min(len(pts), distanceChunk)), make([]r3.Vector, min(len(pts), distanceChunk))
	index, err := s.Surface.Index(ctx)
	for err == nil && done < len(pts) {
		lo, hi := done, min(len(pts), done+distanceChunk)
		exact, near := sides[:hi-lo], positions[:hi-lo]
		if _, err = s.Exact.LocateTo(ctx, side.Answers{Sides: exact}, pts[lo:hi], workers); err != nil {
			break
		}
		s.Place.PositionsTo(near, pts[lo:hi])
		err = index.Nearest.ProjectTo(ctx, dst[lo:hi], near, workers, func(i int, n *side.Projection) {
			m := posedMemories.Get().(*posedMemory)
			s.moveBack(n, pts[lo+i], m)
			posedMemories.Put(m)
			n.Distance = Signed(n.Distance, exact[i])
		})
		done = hi
	}
	answers.Projections.Clear(dst[done:])
	for i := range d {
		d[i], face[i] = dst[i].Distance, dst[i].Face
	}
	return err
}
