package inpoly

import (
	"context"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/side"
)

// Nearest describes the closest point of the surface: the point with a bound of its rounding, the face,
// the barycentric coordinates, the feature (vertex, edge or face), and the normal. Its Distance is that of
// Solid.Distance: negative inside, and NaN if the side is Unknown. DistanceBound bounds its error.
type Nearest = side.Projection

// Feature is the part of a face that contains a closest point in its interior.
type Feature = side.Feature

// These are the features.
const (
	FeatureVertex = side.FeatureVertex
	FeatureEdge   = side.FeatureEdge
	FeatureFace   = side.FeatureFace
)

// NearestTo writes the closest points of the surface for pts to dst; see LocateTo. The Distance and the
// Face equal those of DistancesTo, bit for bit. If several faces are at exactly the same distance, the
// Face is the one with the smallest index, and Point, Barycentric and Feature belong to it. If a point is
// not finite or the mesh has no faces, the Face is −1, and the numbers are NaN.
//
// The first call prepares the normals in O(n) time for n faces. They stay in memory and take about 62
// bytes per face. AppendNearest finds the k nearest faces of a point, and AppendWithin all faces within a
// radius.
func (s *Solid) NearestTo(ctx context.Context, dst []Nearest, pts []r3.Vector) error {
	answers.Projections.Check(dst, len(pts))
	_, err := s.LocateTo(ctx, Answers{Nearest: dst}, pts)
	return err
}

// nearestMemories holds values of type *nearestMemory.
var nearestMemories = sync.Pool{New: func() any { return new(nearestMemory) }}

// nearestMemory is the working memory of a search for one point.
type nearestMemory struct {
	scratch nearest.Scratch
	results []nearest.Result
}

// Project returns the closest point of the surface for p, as NearestTo does, but its Distance has no sign. So it
// needs no side. If p is not finite or the mesh has no faces, the Face is −1.
func (s *Solid) Project(p r3.Vector) Nearest {
	m := nearestMemories.Get().(*nearestMemory)
	defer nearestMemories.Put(m)
	return s.set.Surface.MustIndex().Nearest.Project(p, &m.scratch)
}

// Within reports whether the exact distance from p to the surface is at most radius. It is false if p is not
// finite or the radius is NaN.
func (s *Solid) Within(p r3.Vector, radius float64) bool {
	m := nearestMemories.Get().(*nearestMemory)
	defer nearestMemories.Put(m)
	return s.set.Surface.MustIndex().Nearest.Within(p, radius, &m.scratch)
}

// FaceDistance is a face with its distance from a point.
type FaceDistance struct {
	Face     int32
	Distance float64   // the exact distance, rounded up; see DistanceBound
	Point    r3.Vector // closest point of the face, rounded
}

// AppendNearest appends the k faces nearest to p to dst and returns the extended slice. The faces are in the
// exact order of their distances. Faces at exactly the same distance are in ascending order of their numbers,
// and if not all of them fit, those with the smallest numbers remain. There are fewer faces if the mesh has
// fewer, and none if k ≤ 0 or p is not finite. AppendNearest usually takes O(log n + k log k) time for n faces.
func (s *Solid) AppendNearest(dst []FaceDistance, p r3.Vector, k int) []FaceDistance {
	m := nearestMemories.Get().(*nearestMemory)
	defer nearestMemories.Put(m)
	m.results = s.set.Surface.MustIndex().Nearest.AppendNearest(m.results[:0], p, k, &m.scratch)
	return m.appendTo(dst)
}

// AppendWithin appends the faces whose exact distance from p is at most radius to dst, in the order of
// AppendNearest, and returns the extended slice. There are none if radius is negative or NaN, or p is not
// finite. With radius 0, these are the faces that contain p.
func (s *Solid) AppendWithin(dst []FaceDistance, p r3.Vector, radius float64) []FaceDistance {
	m := nearestMemories.Get().(*nearestMemory)
	defer nearestMemories.Put(m)
	m.results = s.set.Surface.MustIndex().Nearest.AppendWithin(m.results[:0], p, radius, &m.scratch)
	return m.appendTo(dst)
}

// appendTo appends the results to dst.
func (m *nearestMemory) appendTo(dst []FaceDistance) []FaceDistance {
	for _, r := range m.results {
		dst = append(dst, FaceDistance{Face: r.Face, Distance: r.Distance, Point: r.Point})
	}
	return dst
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
