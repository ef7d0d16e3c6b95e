package rays

import (
	"cmp"
	"math"
)

// Hit is a face that a line meets.
type Hit struct {
	// Face is the number of the face in Solid.Mesh, or −1 if the line meets no face or is not valid.
	Face int32
	// Sign is +1 if the line passes through the plane of the face along the normal of the face, and −1
	// if it passes in the opposite direction. Sign is 0 if the line lies in the plane of the face, if
	// the face has zero area, or if the line is a point.
	Sign int8
	// Jump is the change of W where the displaced line crosses the face: −Sign, or 0 if the displaced
	// line misses the face. It is −Sign if the line meets neither an edge nor a vertex of the face.
	Jump int8
	// T is the parameter of the first point of the line on the face, and |T − t| ≤ Bound for the exact
	// parameter t. Bound is 0 if T is exact. If t exceeds the range of float64, T is math.MaxFloat64
	// and Bound is +Inf. If the line meets no face, T is +Inf and Bound is 0. If the line is not valid,
	// T is NaN and Bound is +Inf.
	T, Bound float64
}

// hit is a Hit during a search. It can also stand for the end of a Hit; see on.
type hit struct {
	at         parameter
	end        parameter // if on is +1, where the line leaves the face
	face       int32
	sign, jump int8
	// on is +1 if the line lies in the face along a segment that is longer than a point. A list of
	// hits can contain the end of this segment as another element, whose on is −1. Otherwise on is
	// 0.
	on    int8
	equal bool // in an ordered list, whether the parameter equals the parameter of the hit before
}

func (h *hit) public() Hit {
	return Hit{Face: h.face, Sign: h.sign, Jump: h.jump, T: h.at.t, Bound: h.at.bound}
}

// noAnswer returns the single hit of a line that is not valid.
func noAnswer() hit {
	return hit{face: -1, at: parameter{t: math.NaN(), bound: math.Inf(1)}}
}

func noHit() Hit { return Hit{Face: -1, T: math.Inf(1)} }

// order returns a negative number if the hit g comes before the hit h. Hits are ordered by their
// parameters, then by their faces. order can improve the fields t and bound of both hits.
func (c *Caster) order(l *line, g, h *hit) int {
	if n := c.compare(l, &g.at, &h.at); n != 0 {
		return n
	}
	return cmp.Or(cmp.Compare(g.face, h.face), cmp.Compare(h.on, g.on))
}
