package predicates

import "github.com/golang/geo/r3"

// TriangleTouchesBox reports whether the closed triangle t and the closed axis-parallel box from lo
// to hi share a point. lo must not exceed hi. The box can be flat along any axis. A triangle
// without area is the segment or the point that its corners span. All coordinates must be finite.
//
// Two convex bodies are disjoint if and only if a plane separates them strictly. For a triangle and
// a box, it suffices to test thirteen directions: the axes, the normal of the triangle, and the
// products of its edges and the axes (Akenine-Möller 2001, "Fast 3D triangle-box overlap testing").
// Here, each test uses exact signs. The tests also suffice for a flat box: if it is disjoint from
// the triangle, so is a slightly larger box that is not flat and has the same directions.
func (k *Counter) TriangleTouchesBox(t *[3]r3.Vector, lo, hi r3.Vector) bool {
	a, b, c := &t[0], &t[1], &t[2]
	if min(a.X, b.X, c.X) > hi.X || max(a.X, b.X, c.X) < lo.X ||
		min(a.Y, b.Y, c.Y) > hi.Y || max(a.Y, b.Y, c.Y) < lo.Y ||
		min(a.Z, b.Z, c.Z) > hi.Z || max(a.Z, b.Z, c.Z) < lo.Z {
		return false
	}
	for i := range t {
		if v := &t[i]; lo.X <= v.X && v.X <= hi.X && lo.Y <= v.Y && v.Y <= hi.Y && lo.Z <= v.Z && v.Z <= hi.Z {
			return true
		}
	}
	nz, apart := k.shadowsApart(&[6]float64{a.X, a.Y, b.X, b.Y, c.X, c.Y}, lo.X, lo.Y, hi.X, hi.Y)
	if apart {
		return false
	}
	nx, apart := k.shadowsApart(&[6]float64{a.Y, a.Z, b.Y, b.Z, c.Y, c.Z}, lo.Y, lo.Z, hi.Y, hi.Z)
	if apart {
		return false
	}
	ny, apart := k.shadowsApart(&[6]float64{a.Z, a.X, b.Z, b.X, c.Z, c.X}, lo.Z, lo.X, hi.Z, hi.X)
	if apart {
		return false
	}
	// nx, ny and nz are the signs of the normal. They select far, the corner of the box farthest
	// along the normal, and near, the opposite corner.
	near, far := lo, hi
	if nx < 0 {
		near.X, far.X = hi.X, lo.X
	}
	if ny < 0 {
		near.Y, far.Y = hi.Y, lo.Y
	}
	if nz < 0 {
		near.Z, far.Z = hi.Z, lo.Z
	}
	return k.Orient3D(*a, *b, *c, near) >= 0 && k.Orient3D(*a, *b, *c, far) <= 0
}

// shadowsApart reports whether an edge of a triangle in the plane separates the triangle strictly from
// a rectangle. v holds the coordinates of the corners. orientation is +1 if the corners turn left, −1
// if they turn right, and 0 if they are on a line.
func (k *Counter) shadowsApart(v *[6]float64, loX, loY, hiX, hiY float64) (orientation int, apart bool) {
	orientation = k.Orient2D(v[0], v[1], v[2], v[3], v[4], v[5])
	for i := range 3 {
		j := (i + 1) % 3
		px, py, qx, qy := v[2*i], v[2*i+1], v[2*j], v[2*j+1]
		// Seen along the direction from p to q, (leftX, leftY) is the leftmost corner of the
		// rectangle.
		leftX, leftY, rightX, rightY := loX, loY, hiX, hiY
		if qy < py {
			leftX, rightX = hiX, loX
		}
		if qx > px {
			leftY, rightY = hiY, loY
		}
		if orientation >= 0 && k.Orient2D(px, py, qx, qy, leftX, leftY) < 0 ||
			orientation <= 0 && k.Orient2D(px, py, qx, qy, rightX, rightY) > 0 {
			return orientation, true
		}
	}
	return orientation, false
}
