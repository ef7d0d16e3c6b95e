package polygon

import "strconv"

// Feature is a corner or an edge of a shape. Edge i goes from corner i to corner i+1, the
// last one to corner 0.
type Feature struct {
	Index int32
	Edge  bool
}

// String returns "corner 3" or "edge 3".
func (v Feature) String() string {
	if v.Edge {
		return "edge " + strconv.Itoa(int(v.Index))
	}
	return "corner " + strconv.Itoa(int(v.Index))
}

func cornerFeature(i int) Feature { return Feature{Index: int32(i)} }
func edgeFeature(i int) Feature   { return Feature{Index: int32(i), Edge: true} }

// next and previous return corner i±1 of body k.
func (f *frame) next(k, i int) int     { return f.body[k].shape.next(i) }
func (f *frame) previous(k, i int) int { return f.body[k].shape.previous(i) }

// Relation says how two bodies lie to each other, exactly.
type Relation int8

// The relations. The zero Relation is none of them.
const (
	Separated   Relation = iota + 1 // no point in common
	Touching                        // points of boundaries in common, but no area
	Overlapping                     // an area in common
)

// String returns the name.
func (r Relation) String() string {
	switch r {
	case Separated:
		return "separated"
	case Touching:
		return "touching"
	case Overlapping:
		return "overlapping"
	}
	return "unknown"
}
