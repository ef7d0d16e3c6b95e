package inpoly

import (
	"context"
	"fmt"

	"github.com/inpoly/inpoly/internal/intersect"
)

// Intersections counts the pairs of faces that share more than their common vertices and edges, and
// lists the first pairs. It marshals as JSON.
type Intersections = intersect.Report

// Intersection is one of these pairs, with its faces and its place.
type Intersection = intersect.Pair

// IntersectionKind tells how two faces meet.
type IntersectionKind = intersect.Kind

// These are the kinds of intersections. A pair has the first kind that applies. DuplicateFaces have
// the same three vertices. OverlappingFaces are coplanar and have an area in common. CrossingFaces
// are not coplanar, and interior points of both faces coincide. TouchingFaces share a point or a
// segment on the boundary of one of them, which is not a common vertex or edge.
const (
	DuplicateFaces   = intersect.Duplicate
	OverlappingFaces = intersect.Overlapping
	CrossingFaces    = intersect.Crossing
	TouchingFaces    = intersect.Touching
)

// Intersections finds all pairs of faces of the mesh that cross, overlap or touch each other. The
// result is exact. It lists at most limit pairs of each kind. The numbers of faces are those of the
// file. A face without area is in no pair, and Options.Orient does not affect the pairs.
//
// The search takes O(n log n + p) time, where n is the number of faces and p is the number of pairs
// of faces whose bounding boxes share a point. Two million faces of a regular mesh take about three
// seconds of processor time, which the workers share. p is up to n²/2 for a soup of large random
// triangles and for faces that all share a vertex. So a soup of 500,000 large triangles takes hours,
// and a fan of 20,000 faces takes a minute. Give ctx a deadline if the mesh can be one of these.
//
// Errors: the error of ctx if ctx ends first.
func (s *Solid) Intersections(ctx context.Context, limit int) (Intersections, error) {
	index, err := s.set.Surface.Index(ctx)
	if err != nil {
		return Intersections{}, fmt.Errorf("intersections: %w", err)
	}
	r, err := intersect.FindIndexed(ctx, index.Tree, intersect.Options{
		Limit: limit, Workers: s.opt.Workers,
		Progress: func(done, total int64) { s.progress.Report("intersect", done, total) },
	})
	if err != nil {
		return Intersections{}, fmt.Errorf("intersections: %w", err)
	}
	return r, nil
}
