package inpoly

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/locate"
	"github.com/inpoly/inpoly/nearest"
	"github.com/inpoly/inpoly/side"
)

// Nearest describes the closest point of the surface: the point with a bound of its rounding, the face,
// the barycentric coordinates, the feature (vertex, edge or face), and the normal. Its Distance is that of
// Solid.Distance: negative inside, and NaN if the side is Unknown. DistanceBound bounds its error.
type Nearest = nearest.Projection

// Feature is the part of a face that contains a closest point in its interior.
type Feature = nearest.Feature

// These are the features.
const (
	FeatureVertex = nearest.Vertex
	FeatureEdge   = nearest.Edge
	FeatureFace   = nearest.Face
)

// NearestTo writes the closest points of the surface for pts to dst; see LocateTo. The Distance and the
// Face equal those of DistancesTo, bit for bit. If several faces are at exactly the same distance, the
// Face is the one with the smallest index, and Point, Barycentric and Feature belong to it. If a point is
// not finite or the mesh has no faces, the Face is −1, and the numbers are NaN.
//
// The first call prepares the normals in O(n) time for n faces. They stay in memory and take about 62
// bytes per face. Package nearest finds the k nearest faces of a point, and all faces within a radius;
// its function Of returns the Searcher of a Solid.
func (s *Solid) NearestTo(ctx context.Context, dst []Nearest, pts []r3.Vector) error {
	mustMatch(len(dst), len(pts))
	_, err := s.LocateTo(ctx, Answers{Nearest: dst}, pts)
	return err
}

// projectTo writes the closest points to dst.Nearest, with signs for the given sides. If dst has
// distances, it writes the unsigned distances and the faces.
func projectTo(ctx context.Context, s *nearest.Searcher, dst Answers, sides []side.Side, pts []r3.Vector, workers int) error {
	return s.ProjectTo(ctx, dst.Nearest, pts, workers, func(i int, n *Nearest) {
		if dst.Distance != nil {
			dst.Distance[i], dst.Face[i] = n.Distance, n.Face
		}
		n.Distance = locate.Signed(n.Distance, sides[i])
	})
}
