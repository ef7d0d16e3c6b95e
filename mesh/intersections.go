package mesh

import (
	"fmt"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/side"
)

// IntersectionKind tells how two faces meet.
type IntersectionKind uint8

// These are the kinds of pairs. A pair has the first kind that applies.
const (
	// DuplicateFaces have the same three vertices, in any order.
	DuplicateFaces IntersectionKind = iota + 1
	// OverlappingFaces are coplanar and have an area in common.
	OverlappingFaces
	// CrossingFaces are not coplanar, and interior points of both faces coincide.
	CrossingFaces
	// TouchingFaces share a point or a segment on the boundary of one of the faces. It is not a
	// common vertex or edge. An example is a vertex that lies on another face.
	TouchingFaces
)

// intersectionNames holds the names of the kinds.
var intersectionNames = [...]string{"none", DuplicateFaces: "duplicate", OverlappingFaces: "overlapping", CrossingFaces: "crossing", TouchingFaces: "touching"}

// String returns the name of k in lower case, such as "crossing".
func (k IntersectionKind) String() string {
	if int(k) >= len(intersectionNames) {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return intersectionNames[k]
}

// MarshalText returns the name of k.
func (k IntersectionKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText sets k to the kind with the given name.
func (k *IntersectionKind) UnmarshalText(name []byte) error {
	i := slices.Index(intersectionNames[1:], string(name))
	if i < 0 {
		return fmt.Errorf("unknown kind of intersection %q", name)
	}
	*k = IntersectionKind(i + 1)
	return nil
}

// Intersection is a pair of faces, with A < B.
type Intersection struct {
	A, B int32
	Kind IntersectionKind
	// From and To are the ends of the segment that the faces share. They are equal if the faces
	// share one point. For faces with a common area, both are a point of this area. Coordinates are
	// rounded.
	From, To r3.Vector
}

// Intersections counts the pairs of faces of each kind that share more than their common vertices and edges,
// and lists the first pairs.
type Intersections struct {
	Duplicate, Overlapping, Crossing, Touching int64
	// Pairs lists the pairs in ascending order of Kind, A and B. If a kind has more pairs than
	// the limit of the search, Pairs has its first pairs.
	Pairs []Intersection
	// Faces lists all faces that cross or overlap another face, in ascending order, if the
	// search was asked for them. The limit does not apply.
	Faces []int32 `json:",omitempty"`
	// Incomplete is true if the search ended early because it found too many pairs. Then the counts are lower
	// bounds, and the lists are incomplete. The result depends on the number of workers.
	Incomplete bool
}

// Count returns the number of pairs of a kind. It panics if k is not one of the four kinds.
func (r *Intersections) Count(k IntersectionKind) int64 {
	return [...]int64{r.Duplicate, r.Overlapping, r.Crossing, r.Touching}[k-1]
}

// Total returns the number of pairs of all kinds.
func (r *Intersections) Total() int64 { return r.Duplicate + r.Overlapping + r.Crossing + r.Touching }

// Warnings returns one sentence about crossing faces and one about overlapping faces, if the mesh
// has any. Each sentence states the effect under the rule. Other kinds need no warning: touching
// faces do not affect points off the surface, and Diagnosis counts duplicate faces.
func (r *Intersections) Warnings(rule side.Rule) []string {
	var out []string
	if n := r.Crossing; n > 0 {
		out = append(out, fmt.Sprintf("%s: the surface passes through itself; %s", pairCount(n, "pair of faces crosses", "pairs of faces cross"), overlapMeaning(rule)))
	}
	if n := r.Overlapping; n > 0 {
		out = append(out, fmt.Sprintf("%s in a plane: points on a common area are on the surface; %s",
			pairCount(n, "pair of faces overlaps", "pairs of faces overlap"), "the sides of other points are not affected"))
	}
	return out
}

func pairCount(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// overlapMeaning describes the sides of points in a part of space that two closed parts of a mesh share.
func overlapMeaning(rule side.Rule) string {
	switch rule {
	case side.EvenOdd:
		return "under the rule evenodd, parts that overlap cancel, so a point in two parts is outside"
	case side.Positive:
		return "under the rule positive, parts that face outward form their union, and a part that faces inward is subtracted"
	case side.Negative:
		return "under the rule negative, parts that face inward form their union, and a part that faces outward is subtracted"
	}
	return "under the rule nonzero, parts that overlap form their union, but a part that faces inward cancels a part that faces outward"
}

// Counts returns the counts of all kinds in one phrase.
func (r *Intersections) Counts() string {
	least := ""
	if r.Incomplete {
		least = "at least "
	}
	return least + fmt.Sprintf("%s, %d overlapping, %d duplicate, %d touching",
		plural.Count(r.Crossing, "crossing pair"), r.Overlapping, r.Duplicate, r.Touching)
}
