package predicates

import "github.com/golang/geo/r3"

// ZeroArea reports whether the triangle has exactly zero area: its corners are
// collinear, or some coincide.
func ZeroArea(a, b, c r3.Vector) bool {
	var k Counter
	return k.ZeroArea(a, b, c)
}

// ZeroArea is the function ZeroArea, and counts the stages that decided.
func (k *Counter) ZeroArea(a, b, c r3.Vector) bool {
	return k.orient2D(a.X, a.Y, b.X, b.Y, c.X, c.Y) == 0 &&
		k.orient2D(a.Y, a.Z, b.Y, b.Z, c.Y, c.Z) == 0 &&
		k.orient2D(a.Z, a.X, b.Z, b.X, c.Z, c.X) == 0
}

// OnTriangle reports whether p lies exactly on the closed triangle a, b, c:
// inside it, on an edge or on a vertex. A triangle of zero area is the segment
// or the point that its corners span.
func OnTriangle(p, a, b, c r3.Vector) bool {
	var k Counter
	return k.OnTriangle(p, a, b, c)
}

// OnTriangle is the function OnTriangle, and counts the stages that decided.
func (k *Counter) OnTriangle(p, a, b, c r3.Vector) bool {
	if !inBox(p.X, a.X, b.X, c.X) || !inBox(p.Y, a.Y, b.Y, c.Y) || !inBox(p.Z, a.Z, b.Z, c.Z) {
		return false
	}
	return k.Orient3D(a, b, c, p) == 0 && k.OnCoplanar(p, a, b, c)
}

// OnCoplanar is OnTriangle for a p that is known to have Orient3D(a, b, c, p) = 0.
func (k *Counter) OnCoplanar(p, a, b, c r3.Vector) bool {
	if !inBox(p.X, a.X, b.X, c.X) || !inBox(p.Y, a.Y, b.Y, c.Y) || !inBox(p.Z, a.Z, b.Z, c.Z) {
		return false
	}
	// The "Area-Signs" of p (Muth et al. 2006, §2.2, fig. 4) are computed in a
	// coordinate plane in which the triangle has an area. The projection along an
	// axis is an affine map of the plane of the triangle, so it keeps them.
	switch nx, ny, nz := k.normalSigns(a, b, c); {
	case nz != 0:
		return nz*k.orient2D(a.X, a.Y, b.X, b.Y, p.X, p.Y) >= 0 &&
			nz*k.orient2D(b.X, b.Y, c.X, c.Y, p.X, p.Y) >= 0 &&
			nz*k.orient2D(c.X, c.Y, a.X, a.Y, p.X, p.Y) >= 0
	case nx != 0:
		return nx*k.orient2D(a.Y, a.Z, b.Y, b.Z, p.Y, p.Z) >= 0 &&
			nx*k.orient2D(b.Y, b.Z, c.Y, c.Z, p.Y, p.Z) >= 0 &&
			nx*k.orient2D(c.Y, c.Z, a.Y, a.Z, p.Y, p.Z) >= 0
	case ny != 0:
		return ny*k.orient2D(a.Z, a.X, b.Z, b.X, p.Z, p.X) >= 0 &&
			ny*k.orient2D(b.Z, b.X, c.Z, c.X, p.Z, p.X) >= 0 &&
			ny*k.orient2D(c.Z, c.X, a.Z, a.X, p.Z, p.X) >= 0
	}
	// Zero area: the union of the three edges is the longest of them.
	return k.OnSegment(p, a, b) || k.OnSegment(p, b, c) || k.OnSegment(p, c, a)
}

// OnSegment reports whether p lies exactly on the closed segment a, b.
func (k *Counter) OnSegment(p, a, b r3.Vector) bool {
	return inBox(p.X, a.X, b.X, a.X) && inBox(p.Y, a.Y, b.Y, a.Y) && inBox(p.Z, a.Z, b.Z, a.Z) &&
		k.ZeroArea(a, b, p)
}

// inBox reports min(a,b,c) ≤ x ≤ max(a,b,c).
func inBox(x, a, b, c float64) bool {
	return (x >= a || x >= b || x >= c) && (x <= a || x <= b || x <= c)
}
