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
// to face[i], using Options.Workers goroutines. It panics if the lengths
// differ. When ctx ends first its error is returned, and d holds NaN and face −1
// where no answer was found.
func (s *Solid) DistancesTo(ctx context.Context, d []float64, face []int32, pts []r3.Vector) error {
	if len(d) != len(pts) || len(face) != len(pts) {
		panic("inpoly: d, face and pts differ in length")
	}
	for i := range d {
		d[i], face[i] = math.NaN(), -1
	}
	if err := s.needTree(ctx); err != nil {
		return err
	}
	_, err := s.forEach(ctx, len(pts), func(i int, sc *scratch) {
		if x, f := s.distance(pts[i], sc); ctx.Err() == nil { // else it may have been interrupted
			d[i], face[i] = x, f
		}
	})
	return err
}

func (s *Solid) distance(p r3.Vector, sc *scratch) (d float64, face int32) {
	r := s.searched().near.Closest(p, &sc.near)
	if r.Face < 0 {
		return math.NaN(), -1
	}
	switch s.exactSide(p, sc, s.useDirect(1)) {
	case Unknown:
		return math.NaN(), r.Face
	case Inside:
		return -r.Distance, r.Face
	case OnSurface:
		return 0, r.Face
	}
	return r.Distance, r.Face
}
