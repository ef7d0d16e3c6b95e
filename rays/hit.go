package rays

import (
	"cmp"
	"math"
)

// Hit is a face that a line meets.
type Hit struct {
	// Face is the number of the face in Solid.Mesh, or −1 if the line meets no face.
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
	// and Bound is +Inf. If the line meets no face, T is +Inf.
	T, Bound float64
}

// hit is a Hit during a search.
type hit struct {
	at         parameter
	face       int32
	equal      bool // whether the parameter equals the parameter of the hit before
	sign, jump int8
	flat       bool      // whether the line meets the face in a segment
	end        parameter // if flat is true, the end of this segment
}

func (h *hit) public() Hit {
	return Hit{Face: h.face, Sign: h.sign, Jump: h.jump, T: h.at.t, Bound: h.at.bound}
}

func noHit() Hit { return Hit{Face: -1, T: math.Inf(1)} }

// before reports whether the hit g comes before the hit h in the order by parameter and face. It can
// improve the fields t and bound of both.
func (c *Caster) before(l *line, g, h *hit) bool {
	return cmp.Or(c.compare(l, &g.at, &h.at), cmp.Compare(g.face, h.face)) < 0
}
