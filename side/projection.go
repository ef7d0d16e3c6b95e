package side

import (
	"fmt"

	"github.com/golang/geo/r3"
)

// Feature is the part of a face that contains a closest point in its interior.
type Feature uint8

// These are the features. The zero Feature means that there is no closest point.
const (
	FeatureVertex Feature = iota + 1
	FeatureEdge
	FeatureFace
)

var featureNames = [...]string{"none", "vertex", "edge", "face"}

// String returns "none", "vertex", "edge" or "face".
func (f Feature) String() string {
	if int(f) < len(featureNames) {
		return featureNames[f]
	}
	return fmt.Sprintf("Feature(%d)", uint8(f))
}

// Projection describes the point of a mesh that is closest to a point p.
type Projection struct {
	// Point is the closest point of Face, rounded. PointBound bounds its distance from the exact closest
	// point of Face. If Distance is 0, Point is exactly p. At a vertex, Point is exact.
	Point      r3.Vector
	PointBound float64
	// Distance is the exact distance, rounded up. The Distance of an inpoly.Solid is signed.
	Distance float64
	// Normal is the unit normal of Face if Feature is FeatureFace. On an edge or a vertex, it is the
	// angle-weighted pseudonormal, a sum over all faces that have the edge or the vertex (Bærentzen,
	// Aanæs, "Signed distance computation using the angle weighted pseudonormal", 2005). It has at least
	// five correct digits, also if the normals nearly cancel. It is zero only if the exact sum is zero,
	// or if the faces have no area.
	Normal r3.Vector
	// Barycentric holds the coordinates of the closest point relative to the corners of Face, rounded. They
	// are between 0 and 1. Their sum is 1 up to the rounding that PointBound includes.
	// Coordinates of corners that do not belong to the feature are exactly 0. The distance of the point
	// with these coordinates from the exact closest point is at most PointBound, unless Distance is 0.
	Barycentric [3]float64
	// Face is the nearest face. If several are at exactly the same distance, it is the one with the smallest number. It is −1 if there is no result.
	Face int32
	// Feature is exact: it is the vertex of Face that is the closest point, or else the edge of Face with
	// the closest point between its ends, or else Face. Corner is the vertex, or the first corner of the
	// edge, from 0 to 2; the edge goes on to the next corner. For FeatureFace, Corner is 0.
	Feature Feature
	Corner  uint8
}
