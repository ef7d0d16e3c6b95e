package collide

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
)

// TrianglesTouch reports whether two closed triangles share a point: exactly, for finite
// coordinates. Triangles may be coplanar, have equal corners and edges, and have no area: they
// are then the segment or the point that their corners span. Neither the order of the
// two nor that of their corners matters. It allocates only where predicates needs its
// exact last stage.
func TrianglesTouch(t, u mesh.Triangle) bool {
	var k predicates.Counter
	return touch(&k, &t, &u)
}

// touch is TrianglesTouch, and counts signs. Two triangles share a point if and only if an
// edge of one shares a point with the other: where their planes cross, the ends of the
// common segment are on edges; where they are coplanar and no edges meet, one lies in
// the other with its edges; and one without area is the union of its edges.
func touch(k *predicates.Counter, t, u *mesh.Triangle) bool {
	if !overlap(t, u) {
		return false
	}
	onT, ok := planeSigns(k, t, u)
	if !ok {
		return false
	}
	onU, ok := planeSigns(k, u, t)
	if !ok {
		return false
	}
	for i := range 3 {
		j := (i + 1) % 3
		if edgeTouches(k, u[i], u[j], onT[i], onT[j], t) || edgeTouches(k, t[i], t[j], onU[i], onU[j], u) {
			return true
		}
	}
	return false
}

// overlap reports whether the boxes of two triangles share a point.
func overlap(t, u *mesh.Triangle) bool {
	return min(t[0].X, t[1].X, t[2].X) <= max(u[0].X, u[1].X, u[2].X) && min(u[0].X, u[1].X, u[2].X) <= max(t[0].X, t[1].X, t[2].X) &&
		min(t[0].Y, t[1].Y, t[2].Y) <= max(u[0].Y, u[1].Y, u[2].Y) && min(u[0].Y, u[1].Y, u[2].Y) <= max(t[0].Y, t[1].Y, t[2].Y) &&
		min(t[0].Z, t[1].Z, t[2].Z) <= max(u[0].Z, u[1].Z, u[2].Z) && min(u[0].Z, u[1].Z, u[2].Z) <= max(t[0].Z, t[1].Z, t[2].Z)
}

// planeSigns returns on which side of the plane of t the corners of u are: 0 for all if t
// has no area. It is not ok if all are strictly on one side.
func planeSigns(k *predicates.Counter, t, u *mesh.Triangle) (s [3]int, ok bool) {
	for i := range u {
		s[i] = k.Orient3D(t[0], t[1], t[2], u[i])
	}
	return s, s[0] == 0 || s[0] != s[1] || s[0] != s[2]
}

// edgeTouches reports whether the closed segment p, q, whose ends have the signs sp and
// sq with respect to the plane of t, shares a point with t ("Volume-Signs" of Muth et al.
// 2006, §2.2).
func edgeTouches(k *predicates.Counter, p, q r3.Vector, sp, sq int, t *mesh.Triangle) bool {
	switch {
	case sp*sq > 0:
		return false
	case sp == 0 && sq == 0:
		return flatTouches(k, p, q, t)
	case sp == 0:
		return k.OnCoplanar(p, t[0], t[1], t[2])
	case sq == 0:
		return k.OnCoplanar(q, t[0], t[1], t[2])
	}
	// The line crosses the plane in one point, which is in t unless it is strictly on
	// different sides of two edges.
	a, b := k.Orient3D(p, q, t[0], t[1]), k.Orient3D(p, q, t[1], t[2])
	if a*b < 0 {
		return false
	}
	c := k.Orient3D(p, q, t[2], t[0])
	return a*c >= 0 && b*c >= 0
}

// flatTouches is edgeTouches for a segment in the plane of t, or a t without area.
func flatTouches(k *predicates.Counter, p, q r3.Vector, t *mesh.Triangle) bool {
	if k.OnCoplanar(p, t[0], t[1], t[2]) ||
		k.OnCoplanar(q, t[0], t[1], t[2]) {
		return true
	}
	for i, a := range t {
		if k.OnSegment(a, p, q) || cross(k, p, q, a, t[(i+1)%3]) {
			return true
		}
	}
	return false
}

// cross reports whether two segments cross in a point that is inside both. They are
// then coplanar, and cross in any coordinate plane on which theirs does not collapse.
func cross(k *predicates.Counter, p, q, a, b r3.Vector) bool {
	if k.Orient3D(p, q, a, b) != 0 {
		return false
	}
	for axis := range 3 {
		pa, qa, aa, ba := drop(p, axis), drop(q, axis), drop(a, axis), drop(b, axis)
		// If p, q and a are collinear the segments do not cross inside both.
		if s := orient2D(k, pa, qa, aa); s != 0 {
			return s*orient2D(k, pa, qa, ba) < 0 && orient2D(k, aa, ba, pa)*orient2D(k, aa, ba, qa) < 0
		}
	}
	return false
}

// drop projects v along an axis, to z = 0.
func drop(v r3.Vector, axis int) r3.Vector {
	switch axis {
	case 0:
		return r3.Vector{X: v.Y, Y: v.Z}
	case 1:
		return r3.Vector{X: v.Z, Y: v.X}
	}
	return r3.Vector{X: v.X, Y: v.Y}
}

// orient2D returns the sign of the area of a, b, c with z = 0: that of the volume over it
// with a fourth point above c.
func orient2D(k *predicates.Counter, a, b, c r3.Vector) int {
	return -k.Orient3D(a, b, c, r3.Vector{X: c.X, Y: c.Y, Z: 1})
}
