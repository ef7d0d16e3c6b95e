package inpoly

import (
	"context"
	"math"

	"github.com/golang/geo/r3"
)

// Distance returns the signed distance from p to the surface in the mesh's
// unit, negative inside, and the number of the nearest face (the smallest of
// several at the same distance). The distance is 0 where p lies exactly on a
// face; Options.Tolerance plays no part. Where the side of p is Unknown the
// distance is NaN, for its sign is; where p is not finite or the mesh has no
// faces, face is −1 too.
func (s *Solid) Distance(p r3.Vector) (d float64, face int32) {
	var sc scratch
	return s.distance(p, &sc)
}

// DistancesTo writes the signed distance of pts[i] to d[i] and the nearest face
// to face[i], using Options.Workers goroutines: the answers of Distance, bit for bit.
// It panics if the lengths differ. When ctx ends first its error is returned, and d
// holds NaN and face −1 where no answer was found. Besides the working memory of
// SidesTo it takes 17 bytes a point, for a million of them at a time, and once there
// have been a quarter as many points as there are faces, some 90 bytes a face, which
// are kept.
func (s *Solid) DistancesTo(ctx context.Context, d []float64, face []int32, pts []r3.Vector) error {
	if len(d) != len(pts) || len(face) != len(pts) {
		panic("inpoly: d, face and pts differ in length")
	}
	for i := range d {
		d[i], face[i] = math.NaN(), -1
	}
	t, err := s.tree.get(ctx)
	if err != nil {
		return err
	}
	sides := make([]Side, min(len(pts), distanceChunk))
	for lo := 0; lo < len(pts); lo += distanceChunk {
		hi := min(len(pts), lo+distanceChunk)
		if err := s.distancesTo(ctx, t, d[lo:hi], face[lo:hi], sides[:hi-lo], pts[lo:hi]); err != nil {
			return err
		}
	}
	return nil
}

// distanceChunk is how many sides are kept at a time.
const distanceChunk = 1 << 20

// distancesTo is DistancesTo for one chunk; sides is working memory.
func (s *Solid) distancesTo(ctx context.Context, t *tree, d []float64, face []int32, sides []Side, pts []r3.Vector) error {
	if err := s.exactSidesTo(ctx, sides, pts); err != nil {
		return err
	}
	err := t.near.DistancesTo(ctx, d, face, pts, s.opt.Workers)
	for i, f := range face {
		if f >= 0 { // else there is no answer
			d[i] = signed(d[i], sides[i])
		}
	}
	return err
}

// exactSidesTo writes the sides of pts without the tolerance.
func (s *Solid) exactSidesTo(ctx context.Context, sides []Side, pts []r3.Vector) error {
	if s.opt.Tolerance == 0 {
		return s.SidesTo(ctx, sides, pts)
	}
	if s.cells != nil {
		_, err := s.cells.SidesTo(ctx, sides, pts, s.opt.Workers)
		return err
	}
	clear(sides)
	direct := s.useDirect(len(pts))
	_, err := s.forEach(ctx, len(pts), func(i int, sc *scratch) {
		if got := s.exactSide(pts[i], sc, direct); ctx.Err() == nil { // else it may have been interrupted
			sides[i] = got
		}
	})
	return err
}

func (s *Solid) distance(p r3.Vector, sc *scratch) (d float64, face int32) {
	r := s.searched().near.Closest(p, &sc.near)
	if r.Face < 0 {
		return math.NaN(), -1
	}
	return signed(r.Distance, s.exactSide(p, sc, s.useDirect(1))), r.Face
}
