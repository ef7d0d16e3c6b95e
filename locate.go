package inpoly

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/side"
)

// Answers holds the slices that LocateTo writes to, with one element for each point; see package side.
type Answers = side.AllAnswers

// These values of Answers.Body are neither the index of a solid nor a number of solids; see package side.
const (
	NoBody        = side.NoBody
	UncertainBody = side.UncertainBody
)

// Sets holds the set of solids that contain each point of a batch; see package side.
type Sets = side.Sets

// progressChunk is the number of points between two calls of Options.Progress. A batch of fewer
// points does not call Progress (tuning).
const progressChunk = 1 << 18

// LocateTo computes the answers for pts and writes them to the slices of dst. It uses
// Options.Workers goroutines. The Stats count the work for sides. LocateTo panics if a slice of dst
// is not nil and its length differs from the length of pts. If ctx ends first, LocateTo returns the
// error of ctx. An answer that is not computed is the side Unknown, the winding number NaN with the
// bound +Inf, the distance NaN with the face −1, NoBody for NearestBody, UncertainBody for Body, or a
// set that is empty and not certain. Each body is 0, because there is one solid.
//
// The answers depend neither on the order of points nor on the number of workers. But the winding
// numbers of an open mesh can depend on the number of queries: FMM uses multipoles, and Auto can
// use them after many queries. With multipoles, the winding numbers change within their bounds if
// many more points than expected are queried.
//
// Each worker needs 1 MB of working memory, or 4 MB with cells, or 18 MB with multipoles, and 1 MB for distances. Later
// calls reuse this memory. Distances need 17 more bytes per point, and at most 18 MB. When the
// number of points reaches a quarter of the number of faces, distances also need a second index.
// The second index stays in memory and needs about 130 bytes per face. Bodies and sets without sides
// need 1 more byte per point.
func (s *Solid) LocateTo(ctx context.Context, dst Answers, pts []r3.Vector) (Stats, error) {
	prepare(&dst, len(pts))
	stats, err := s.chunksTo(ctx, &dst, pts)
	setBodies(&dst, len(pts))
	return stats, err
}

// prepare panics if a slice of dst has a wrong length. It adds sides to dst if the bodies need them.
func prepare(dst *Answers, n int) {
	answers.CheckAll(dst, n)
	if dst.Sides == nil && (dst.Body != nil || dst.Sets != nil) {
		dst.Sides = make([]Side, n)
	}
}

// bodyOf has the only solid if it contains points with a side.
var bodyOf = [...]int32{Unknown: UncertainBody, Outside: NoBody, OnSurface: 0, Inside: 0}

// setBodies writes the bodies to dst, which has all other answers.
func setBodies(dst *Answers, n int) {
	for i := range dst.NearestBody {
		var face int32
		if dst.Face != nil {
			face = dst.Face[i]
		} else {
			face = dst.Nearest[i].Face
		}
		dst.NearestBody[i] = min(face, 0) // NoBody without a face
	}
	for i := range dst.Body {
		dst.Body[i] = bodyOf[dst.Sides[i]]
	}
	if dst.Sets == nil {
		return
	}
	answers.ResetSets(dst.Sets, n)
	for i, s := range dst.Sides {
		if s.Contains() {
			dst.Sets.Bodies = append(dst.Sets.Bodies, 0)
		}
		dst.Sets.Ends[i], dst.Sets.Unknown[i] = len(dst.Sets.Bodies), s == Unknown
	}
}

// reports reports whether a batch of n points calls Options.Progress.
func (s *Solid) reports(n int) bool { return s.progress != nil && n > progressChunk }

// chunksTo writes all answers except the bodies. It calls Options.Progress.
func (s *Solid) chunksTo(ctx context.Context, dst *Answers, pts []r3.Vector) (Stats, error) {
	if !s.reports(len(pts)) {
		return s.locateTo(ctx, dst, pts)
	}
	var stats Stats
	for lo := 0; lo < len(pts); lo += progressChunk {
		hi := min(len(pts), lo+progressChunk)
		part := answers.SliceAll(dst, lo, hi)
		more, err := s.locateTo(ctx, &part, pts[lo:hi])
		stats.Add(more)
		if err != nil {
			rest := answers.SliceAll(dst, hi, len(pts))
			answers.ClearAll(&rest)
			return stats, err
		}
		s.progress("locate", int64(hi), int64(len(pts)))
	}
	return stats, nil
}

// locateTo does the work of LocateTo without calling Options.Progress.
func (s *Solid) locateTo(ctx context.Context, dst *Answers, pts []r3.Vector) (Stats, error) {
	stats, err := s.set.LocateTo(ctx, dst.Answers, pts, s.set.Workers)
	if dst.Distance == nil && dst.Nearest == nil {
		return stats, err
	}
	n := 0
	if err == nil {
		n, err = s.distancesTo(ctx, dst, pts)
	}
	if dst.Nearest != nil {
		answers.Projections.Clear(dst.Nearest[n:])
	}
	if dst.Distance != nil {
		answers.Distances.Clear(dst.Distance[n:])
		answers.Faces.Clear(dst.Face[n:])
	}
	for i := range dst.DistanceBound {
		dst.DistanceBound[i] = DistanceBound(dst.Distance[i])
	}
	return stats, err
}

// SidesTo writes the sides of pts to dst; see LocateTo.
func (s *Solid) SidesTo(ctx context.Context, dst []Side, pts []r3.Vector) error {
	answers.Sides.Check(dst, len(pts))
	if len(pts) == 0 || s.reports(len(pts)) {
		_, err := s.LocateTo(ctx, Answers{Answers: side.Answers{Sides: dst}}, pts)
		return err
	}
	_, err := s.set.Sides.LocateTo(ctx, side.Answers{Sides: dst}, pts, s.set.Workers) // directly: often for one point
	return err
}

// WindingsTo writes only the winding numbers of pts and their bounds; see LocateTo.
func (s *Solid) WindingsTo(ctx context.Context, w, bound []float64, pts []r3.Vector) error {
	answers.Windings.Check(w, len(pts))
	_, err := s.LocateTo(ctx, Answers{Answers: side.Answers{Winding: w, Bound: bound}}, pts)
	return err
}

// DistancesTo writes only the distances and nearest faces of pts; see LocateTo. The answers equal
// the answers of Distance, bit for bit.
func (s *Solid) DistancesTo(ctx context.Context, d []float64, face []int32, pts []r3.Vector) error {
	answers.Distances.Check(d, len(pts))
	_, err := s.LocateTo(ctx, Answers{Distance: d, Face: face}, pts)
	return err
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
// whose elements of dst it has written.
func (s *Solid) distancesTo(ctx context.Context, dst *Answers, pts []r3.Vector) (n int, err error) {
	index, err := s.set.Surface.Index(ctx)
	if err != nil {
		return 0, err
	}
	for lo := 0; lo < len(pts); lo += distanceChunk {
		hi := min(len(pts), lo+distanceChunk)
		part := answers.SliceAll(dst, lo, hi)
		exact := part.Sides
		if exact == nil || s.opt.Tolerance > 0 {
			exact = make([]Side, hi-lo)
			if _, err := s.set.Exact.LocateTo(ctx, side.Answers{Sides: exact}, pts[lo:hi], s.set.Workers); err != nil {
				return lo, err
			}
		}
		if part.Nearest != nil {
			answers.Distances.Clear(part.Distance)
			answers.Faces.Clear(part.Face)
			err = projectTo(ctx, index.Nearest, part, exact, pts[lo:hi], s.set.Workers)
		} else {
			err = index.Nearest.DistancesTo(ctx, part.Distance, part.Face, pts[lo:hi], s.set.Workers)
		}
		locate.SetSigns(part.Distance, part.Face, exact, s.set.Workers)
		if err != nil {
			return hi, err
		}
	}
	return len(pts), nil
}
