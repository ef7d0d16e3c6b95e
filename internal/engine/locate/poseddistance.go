package locate

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/side"
)

// PosedDistance returns the signed distance from p to the mesh at its pose, and the nearest face;
// see inpoly.Posed.Distance. The set must have a pose.
func (s *Set) PosedDistance(p r3.Vector) (d float64, face int32) {
	if d, face = s.PosedNearest(p); face < 0 {
		return d, face
	}
	return Signed(d, s.Exact.Side(p)), face
}

// PosedNearest is PosedDistance with an unsigned distance. If face is −1, d is NaN.
func (s *Set) PosedNearest(p r3.Vector) (d float64, face int32) {
	near, _ := s.Place.Position(p)
	d, face = s.Surface.MustIndex().Nearest.Distance(near)
	if face < 0 {
		return math.NaN(), -1
	}
	m := posedMemories.Get().(*posedMemory)
	defer posedMemories.Put(m)
	return s.corrected(p, d, face, m)
}

// corrected returns the unsigned distance of p and the nearest face. d and face are the results for
// the rounded position of p. The distance is 0 if and only if a face contains p exactly.
func (s *Set) corrected(p r3.Vector, d float64, face int32, m *posedMemory) (float64, int32) {
	l, x := s.Exact, &m.point
	if _, radius := s.Place.Position(p); d > 2*radius {
		return d, face
	}
	s.Place.Exact(x, p)
	if on, _ := l.local(x, m); !on {
		return max(d, math.SmallestNonzeroFloat64), face
	}
	order := s.Surface.MustIndex().Tree.Tree().Index()
	face = math.MaxInt32
	for _, i := range m.on {
		face = min(face, order[i])
	}
	return 0, face
}

// FacesAt returns the faces that contain p exactly, ascending. The set must have a pose.
func (s *Set) FacesAt(p r3.Vector) (faces []int32) {
	m := posedMemories.Get().(*posedMemory)
	defer posedMemories.Put(m)
	s.Place.Exact(&m.point, p)
	if on, _ := s.Exact.local(&m.point, m); !on {
		return nil
	}
	order := s.Surface.MustIndex().Tree.Tree().Index()
	for _, i := range m.on {
		faces = append(faces, order[i])
	}
	slices.Sort(faces)
	return faces
}

// distanceChunk is the number of positions that PosedDistancesTo stores at a time. They take 25 MB
// (tuning).
const distanceChunk = 1 << 20

// PosedDistancesTo writes the results of PosedDistance for pts to d and face, bit for bit. It needs
// constant memory. If ctx ends first, it returns the error of ctx, and points without an answer have the
// distance NaN and the face −1.
func (s *Set) PosedDistancesTo(ctx context.Context, d []float64, face []int32, pts []r3.Vector, workers int) error {
	for i := range d {
		d[i], face[i] = math.NaN(), -1
	}
	index, err := s.Surface.Index(ctx)
	if err != nil {
		return err
	}
	sides, positions := make([]side.Side, min(len(pts), distanceChunk)), make([]r3.Vector, min(len(pts), distanceChunk))
	for lo := 0; lo < len(pts); lo += distanceChunk {
		hi := min(len(pts), lo+distanceChunk)
		pts, d, face := pts[lo:hi], d[lo:hi], face[lo:hi]
		exact, near := sides[:len(pts)], positions[:len(pts)]
		if _, err = s.Exact.LocateTo(ctx, side.Answers{Sides: exact}, pts, workers); err == nil {
			s.Place.PositionsTo(near, pts)
			if err = index.Nearest.DistancesTo(ctx, d, face, near, workers); err == nil {
				err = s.signAll(ctx, d, face, exact, pts, workers)
			}
		}
		if err != nil {
			for i := range d {
				d[i], face[i] = math.NaN(), -1
			}
			return err
		}
	}
	return ctx.Err()
}

// signAll turns the distances and faces of rounded positions into the results of PosedDistance for
// pts.
func (s *Set) signAll(ctx context.Context, d []float64, face []int32, exact []side.Side, pts []r3.Vector, workers int) error {
	const block = 1 << 12 // tuning
	return par.Blocks(ctx, len(pts), block, workers, func(_, lo, hi int) {
		m := posedMemories.Get().(*posedMemory)
		defer posedMemories.Put(m)
		for i := lo; i < hi; i++ {
			if face[i] >= 0 {
				d[i], face[i] = s.corrected(pts[i], d[i], face[i], m)
				d[i] = Signed(d[i], exact[i])
			}
		}
	})
}

// DistanceBound bounds the error of the signed distance d that PosedDistance has returned for p.
//
// Let D be the exact distance, N the distance of the rounded position from the surface, r the
// PositionBound of p, and e the bound of the rounding of d. Then N is in (|d| − e, |d|]. The
// distance from a set changes by at most as much as the point moves, so |D − N| ≤ r. Hence |D −
// |d|| ≤ r + e. The sum is rounded up. If d is 0, a face contains the exact position. If N is 0 and
// no face contains the exact position, d is the smallest positive float64, and the bound holds as
// well.
func (s *Set) DistanceBound(p r3.Vector, d float64) float64 {
	return AddBounds(nearest.ErrorBound(d), s.PositionBound(p))
}

// AddBounds returns the sum of the error bound of a distance and the error bound of a position,
// rounded up. If the distance has the bound 0, it is exact, and AddBounds returns 0. If the
// distance has no bound, AddBounds returns NaN.
func AddBounds(distance, position float64) float64 {
	if distance == 0 || position == 0 || math.IsNaN(distance) {
		return distance
	}
	return math.Nextafter(distance+position, math.Inf(1))
}

// PositionBound bounds the distance between the computed and the exact position of p in the frame
// of the mesh. It is +Inf if p is not finite.
func (s *Set) PositionBound(p r3.Vector) float64 {
	if s.Place == nil {
		return 0
	}
	_, radius := s.Place.Position(p)
	if math.IsNaN(radius) {
		return math.Inf(1)
	}
	return radius
}
