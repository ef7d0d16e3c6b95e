package inpoly

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/side"
)

// Answers holds the slices that LocateTo writes to, with one element for each point. LocateTo does
// not compute answers whose slice is nil.
type Answers struct {
	side.Answers
	// Distance holds the signed distances to the surface, and Face holds the indexes of the nearest
	// faces; see Solid.Distance. Face is nil if and only if Distance is nil.
	Distance []float64
	Face     []int32
	// DistanceBound holds the bounds of the errors of the distances; see the function DistanceBound and
	// Posed.DistanceBound. It can be nil. It must be nil if Distance is nil.
	DistanceBound []float64
	// Nearest holds the closest points of the surface; see Solid.NearestTo.
	Nearest []Nearest
}

func (a Answers) check(n int) {
	a.Answers.Check(n)
	if a.Nearest != nil {
		mustMatch(len(a.Nearest), n)
	}
	if (a.Distance != nil || a.Face != nil) && (len(a.Distance) != n || len(a.Face) != n) ||
		a.DistanceBound != nil && (len(a.DistanceBound) != n || len(a.Distance) != n) {
		panic("inpoly: the slices of answers and points differ in length")
	}
}

func (a Answers) slice(lo, hi int) Answers {
	a.Answers = a.Answers.Slice(lo, hi)
	if a.Distance != nil {
		a.Distance, a.Face = a.Distance[lo:hi], a.Face[lo:hi]
	}
	if a.DistanceBound != nil {
		a.DistanceBound = a.DistanceBound[lo:hi]
	}
	if a.Nearest != nil {
		a.Nearest = a.Nearest[lo:hi]
	}
	return a
}

// clear marks all elements as not computed.
func (a Answers) clear() {
	a.Answers.Clear()
	for i := range a.Distance {
		a.Distance[i], a.Face[i] = math.NaN(), -1
	}
	for i := range a.DistanceBound {
		a.DistanceBound[i] = math.NaN()
	}
	nearest.Clear(a.Nearest)
}

// progressChunk is the number of points between two calls of Options.Progress. A batch of fewer
// points does not call Progress (tuning).
const progressChunk = 1 << 18

// LocateTo computes the answers for pts and writes them to the slices of dst. It uses
// Options.Workers goroutines. The Stats count the work for sides. LocateTo panics if a slice of dst
// is not nil and its length differs from the length of pts. If ctx ends first, LocateTo returns the
// error of ctx. An answer that is not computed is the side Unknown, the winding number NaN with the
// bound +Inf, or the distance NaN with the face −1.
//
// The answers depend neither on the order of points nor on the number of workers. But the winding
// numbers of an open mesh can depend on the number of queries: FMM uses multipoles, and Auto can
// use them after many queries. With multipoles, the winding numbers change within their bounds if
// many more points than expected are queried.
//
// Each worker needs 1 MB of working memory, or 4 MB with cells, or 18 MB with multipoles. Later
// calls reuse this memory. Distances need 17 more bytes per point, and at most 18 MB. When the
// number of points reaches a quarter of the number of faces, distances also need a second index.
// The second index stays in memory and needs about 130 bytes per face.
func (s *Solid) LocateTo(ctx context.Context, dst Answers, pts []r3.Vector) (Stats, error) {
	dst.check(len(pts))
	if s.progress == nil || len(pts) <= progressChunk {
		return s.locateTo(ctx, dst, pts)
	}
	var stats Stats
	for lo := 0; lo < len(pts); lo += progressChunk {
		hi := min(len(pts), lo+progressChunk)
		more, err := s.locateTo(ctx, dst.slice(lo, hi), pts[lo:hi])
		stats.Add(more)
		if err != nil {
			dst.slice(hi, len(pts)).clear()
			return stats, err
		}
		s.progress("locate", int64(hi), int64(len(pts)))
	}
	return stats, nil
}

// locateTo does the work of LocateTo without calling Options.Progress.
func (s *Solid) locateTo(ctx context.Context, dst Answers, pts []r3.Vector) (Stats, error) {
	stats, err := s.set.LocateTo(ctx, dst.Answers, pts, s.set.Workers)
	if dst.Distance == nil && dst.Nearest == nil {
		return stats, err
	}
	Answers{Distance: dst.Distance, Face: dst.Face}.clear()
	n := 0 // number of points with elements of dst.Nearest, which are large
	if err == nil {
		n, err = s.distancesTo(ctx, dst, pts)
	}
	if dst.Nearest != nil {
		nearest.Clear(dst.Nearest[n:])
	}
	for i := range dst.DistanceBound {
		dst.DistanceBound[i] = DistanceBound(dst.Distance[i])
	}
	return stats, err
}

// SidesTo writes the sides of pts to dst; see LocateTo.
func (s *Solid) SidesTo(ctx context.Context, dst []Side, pts []r3.Vector) error {
	mustMatch(len(dst), len(pts))
	_, err := s.LocateTo(ctx, Answers{Answers: side.Answers{Sides: dst}}, pts)
	return err
}

// WindingsTo writes only the winding numbers of pts and their bounds; see LocateTo.
func (s *Solid) WindingsTo(ctx context.Context, w, bound []float64, pts []r3.Vector) error {
	mustMatch(len(w), len(pts))
	_, err := s.LocateTo(ctx, Answers{Answers: side.Answers{Winding: w, Bound: bound}}, pts)
	return err
}

// DistancesTo writes only the distances and nearest faces of pts; see LocateTo. The answers equal
// the answers of Distance, bit for bit.
func (s *Solid) DistancesTo(ctx context.Context, d []float64, face []int32, pts []r3.Vector) error {
	mustMatch(len(d), len(pts))
	_, err := s.LocateTo(ctx, Answers{Distance: d, Face: face}, pts)
	return err
}

func mustMatch(n, points int) {
	if n != points {
		panic("inpoly: the slices of answers and points differ in length")
	}
}

// SidesGridTo writes the side of every point of g to dst, in the order in which Grid numbers the
// points. The sides equal the sides of SidesTo for the same points. SidesGridTo needs only constant
// memory. SidesGridTo panics if len(dst) is not the number of points. It returns an error if the
// number of points overflows. If ctx ends first, SidesGridTo returns the error of ctx, and elements
// without an answer are Unknown.
func (s *Solid) SidesGridTo(ctx context.Context, dst []Side, g Grid) error {
	n, err := g.Len()
	if err != nil {
		return err
	}
	if n != len(dst) {
		panic(fmt.Sprintf("inpoly: dst has length %d, but the grid has %d points", len(dst), n))
	}
	if n == 0 {
		return ctx.Err()
	}
	return s.set.Sides.GridTo(ctx, dst, g, s.set.Workers)
}

// Distance returns the signed distance d from p to the surface, in the unit of the mesh, and the
// index of the nearest face. |d| is the exact distance for the given coordinates, rounded up to a
// float64; DistanceBound(d) bounds the error. So |d| ≤ x if and only if the exact distance is at
// most x. d is negative if p is Inside, and 0 if and only if p lies exactly on a face.
// Options.Tolerance has no effect. The face is exactly the nearest one. If several faces are at
// exactly the same distance, Distance returns the smallest index. If the side of p is Unknown, d is
// NaN. If p is not finite or the mesh has no faces, d is NaN and face is −1.
func (s *Solid) Distance(p r3.Vector) (d float64, face int32) {
	d, face = s.set.Surface.MustIndex().Nearest.Distance(p)
	if face < 0 {
		return math.NaN(), -1
	}
	return locate.Signed(d, s.set.Exact.Side(p)), face
}

// DistanceBound returns the bound of the error of a signed distance d: the difference between |d|
// and the next smaller float64, or 0 if d is 0, or NaN if d is NaN. The exact distance is at most
// |d|, and greater than |d| − DistanceBound(d) unless d is 0.
func DistanceBound(d float64) float64 { return nearest.ErrorBound(d) }

// distanceChunk is the number of sides that distancesTo stores at a time (tuning).
const distanceChunk = 1 << 20

// distancesTo writes the distances, faces and closest points to dst. It returns the number of points
// whose elements of dst.Nearest it has written. The caller has cleared the distances and faces.
func (s *Solid) distancesTo(ctx context.Context, dst Answers, pts []r3.Vector) (n int, err error) {
	index, err := s.set.Surface.Index(ctx)
	if err != nil {
		return 0, err
	}
	for lo := 0; lo < len(pts); lo += distanceChunk {
		hi := min(len(pts), lo+distanceChunk)
		part := dst.slice(lo, hi)
		exact := part.Sides
		if exact == nil || s.opt.Tolerance > 0 {
			exact = make([]Side, hi-lo)
			if _, err := s.set.Exact.LocateTo(ctx, side.Answers{Sides: exact}, pts[lo:hi], s.set.Workers); err != nil {
				return lo, err
			}
		}
		if part.Nearest != nil {
			err = projectTo(ctx, index.Nearest, part, exact, pts[lo:hi], s.set.Workers)
		} else {
			err = index.Nearest.DistancesTo(ctx, part.Distance, part.Face, pts[lo:hi], s.set.Workers)
		}
		for i, f := range part.Face {
			if f >= 0 { // a negative f means that there is no answer
				part.Distance[i] = locate.Signed(part.Distance[i], exact[i])
			}
		}
		if err != nil {
			return hi, err
		}
	}
	return len(pts), nil
}
