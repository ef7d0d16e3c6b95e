package predicates

import "github.com/golang/geo/r3"

// TrianglesTouch reports whether two closed triangles share a point. A triangle without area is the
// segment or the point that its corners span. The result does not depend on the order of the
// triangles or of their corners.
//
// Two triangles share a point if and only if an edge of one triangle shares a point with the other
// triangle. Proof: if the planes cross, the ends of the common segment are on edges. If the triangles
// are coplanar and their edges do not meet, one triangle contains the other triangle with its edges.
// A triangle without area is the union of its edges.
func (k *Counter) TrianglesTouch(t, u *[3]r3.Vector) bool {
	if !overlap(t, u) {
		return false
	}
	onT, ok := k.planeSigns(t, u)
	if !ok {
		return false
	}
	onU, ok := k.planeSigns(u, t)
	if !ok {
		return false
	}
	for i := range 3 {
		j := (i + 1) % 3
		if k.edgeTouches(u[i], u[j], onT[i], onT[j], t) || k.edgeTouches(t[i], t[j], onU[i], onU[j], u) {
			return true
		}
	}
	return false
}

func overlap(t, u *[3]r3.Vector) bool {
	return min(t[0].X, t[1].X, t[2].X) <= max(u[0].X, u[1].X, u[2].X) && min(u[0].X, u[1].X, u[2].X) <= max(t[0].X, t[1].X, t[2].X) &&
		min(t[0].Y, t[1].Y, t[2].Y) <= max(u[0].Y, u[1].Y, u[2].Y) && min(u[0].Y, u[1].Y, u[2].Y) <= max(t[0].Y, t[1].Y, t[2].Y) &&
		min(t[0].Z, t[1].Z, t[2].Z) <= max(u[0].Z, u[1].Z, u[2].Z) && min(u[0].Z, u[1].Z, u[2].Z) <= max(t[0].Z, t[1].Z, t[2].Z)
}

// planeSigns returns the sign of each corner of u relative to the plane of t. All signs are 0 if t
// has no area. ok is false if all corners are strictly on one side of the plane.
func (k *Counter) planeSigns(t, u *[3]r3.Vector) (s [3]int, ok bool) {
	for i := range u {
		s[i] = k.Orient3D(t[0], t[1], t[2], u[i])
	}
	return s, s[0] == 0 || s[0] != s[1] || s[0] != s[2]
}

// edgeTouches reports whether the closed segment from p to q shares a point with t. sp and sq are
// the signs of p and q relative to the plane of t ("Volume-Signs" of Muth et al. 2006, §2.2).
func (k *Counter) edgeTouches(p, q r3.Vector, sp, sq int, t *[3]r3.Vector) bool {
	switch {
	case sp*sq > 0:
		return false
	case sp == 0 && sq == 0:
		return k.coplanarTouches(p, q, t)
	case sp == 0:
		return k.OnCoplanar(p, t[0], t[1], t[2])
	case sq == 0:
		return k.OnCoplanar(q, t[0], t[1], t[2])
	}
	// The line through p and q crosses the plane of t in one point. The point is outside t if and
	// only if it is strictly on different sides of two edges.
	a, b := k.Orient3D(p, q, t[0], t[1]), k.Orient3D(p, q, t[1], t[2])
	if a*b < 0 {
		return false
	}
	c := k.Orient3D(p, q, t[2], t[0])
	return a*c >= 0 && b*c >= 0
}

// coplanarTouches does the work of edgeTouches for a segment in the plane of t, or if t has no
// area.
func (k *Counter) coplanarTouches(p, q r3.Vector, t *[3]r3.Vector) bool {
	if k.OnCoplanar(p, t[0], t[1], t[2]) || k.OnCoplanar(q, t[0], t[1], t[2]) {
		return true
	}
	for i, a := range t {
		if k.OnSegment(a, p, q) || k.cross(p, q, a, t[(i+1)%3]) {
			return true
		}
	}
	return false
}

// cross reports whether two segments cross in a point that is not an end of either segment.
// It tests projections along an axis that is not parallel to the common plane of the segments.
func (k *Counter) cross(p, q, a, b r3.Vector) bool {
	if k.Orient3D(p, q, a, b) != 0 {
		return false
	}
	for axis := range 3 {
		pa, qa, aa, ba := drop(p, axis), drop(q, axis), drop(a, axis), drop(b, axis)
		// If p, q and a are collinear, the segments do not cross.
		area := func(a, b, c r3.Vector) int { return k.Orient2D(a.X, a.Y, b.X, b.Y, c.X, c.Y) }
		if s := area(pa, qa, aa); s != 0 {
			return s*area(pa, qa, ba) < 0 && area(aa, ba, pa)*area(aa, ba, qa) < 0
		}
	}
	return false
}

// drop removes one coordinate of v and returns the others as X and Y.
func drop(v r3.Vector, axis int) r3.Vector {
	switch axis {
	case 0:
		return r3.Vector{X: v.Y, Y: v.Z}
	case 1:
		return r3.Vector{X: v.Z, Y: v.X}
	}
	return r3.Vector{X: v.X, Y: v.Y}
}
