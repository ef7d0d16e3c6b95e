package raycross

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
)

// meeting tells how a ray and a face meet.
type meeting int8

const (
	miss      meeting = iota // they do not meet in the open segment
	leaves                   // the ray crosses the face along its normal: χ +1
	enters                   // the ray crosses the face against its normal: χ −1
	touches                  // the ray meets an edge or a vertex, or lies in the face's plane
	onTheFace                // P lies exactly on the closed face
)

// edgeBound returns the error bound of the edge functions in meet for a mesh and
// a point within a box whose longest edge is m.
//
// Let ε = 2^−53 and a the rounded A−P, |a| ≤ m(1+ε). The slope s carries two
// rounded differences and a division: |δs| ≤ 3ε|s|, |s| ≤ ¼. So
// a' = a_x − s·a_z is off by at most ε|a_x| + 5ε|s·a_z| + ε|a'| ≤ 3.5εm, and
// |a'| ≤ 1.25m. An edge function a'_x b'_y − a'_y b'_x inherits
// 4·1.25m·3.5εm = 17.5εm², rounds two products (2·1.5625εm²) and one difference
// (3.125εm²): 23.75εm². 32 leaves room for all terms in ε². Underflow adds less
// than 2^−1070·(m+1): three products times 1.25m and two by themselves. Beyond
// m = 2^510 a product may overflow, to a sign that means nothing: +Inf then
// leaves every sign to predicates.
func edgeBound(m float64) float64 {
	if m > 0x1p510 {
		return math.Inf(1)
	}
	return 32*0x1p-53*float64(m*m) + 0x1p-1000*(m+1)
}

// meet classifies ray q against the face t, which has an area, by the signs of
// the volumes that the segment spans with the three edges ("Volume-Signs") and
// of the distance of P from the plane (d1). R lies outside the box of the mesh,
// so a face can be met between P and R or behind P only.
//
// The volume D·(a×b), D = R−P, equals D_z·(a'_x b'_y − a'_y b'_x) after shearing
// the axis of the ray onto z, which costs half of the products and leaves the
// sign to a two-dimensional edge function. Signs within bound of zero are
// decided by predicates.
func meet(q *ray, t *mesh.Triangle, bound float64, k *predicates.Counter) meeting {
	ax, ay := q.shear(&t[0])
	bx, by := q.shear(&t[1])
	cx, cy := q.shear(&t[2])
	u := float64(ax*by) - float64(ay*bx)
	v := float64(bx*cy) - float64(by*cx)
	w := float64(cx*ay) - float64(cy*ax)

	if u > bound && v > bound && w > bound {
		k.Filter += 3
		return hit(q, t, q.sign, k)
	}
	if u < -bound && v < -bound && w < -bound {
		k.Filter += 3
		return hit(q, t, -q.sign, k)
	}
	if (u > bound || v > bound || w > bound) && (u < -bound || v < -bound || w < -bound) {
		k.Filter += 2
		return miss
	}
	return meetExact(q, t, u, v, w, bound, k)
}

// shear returns the two coordinates of c−P across the ray.
func (q *ray) shear(c *r3.Vector) (x, y float64) {
	dx, dy, dz := c.X-q.p.X, c.Y-q.p.Y, c.Z-q.p.Z
	switch q.axis {
	case 0:
		return dy - float64(q.sx*dx), dz - float64(q.sy*dx)
	case 1:
		return dz - float64(q.sx*dy), dx - float64(q.sy*dy)
	}
	return dx - float64(q.sx*dz), dy - float64(q.sy*dz)
}

// meetExact is meet where some edge function is within bound of zero.
func meetExact(q *ray, t *mesh.Triangle, u, v, w, bound float64, k *predicates.Counter) meeting {
	su := q.volume(&t[0], &t[1], u, bound, k)
	sv := q.volume(&t[1], &t[2], v, bound, k)
	if su*sv < 0 {
		return miss
	}
	sw := q.volume(&t[2], &t[0], w, bound, k)
	if su*sw < 0 || sv*sw < 0 {
		return miss
	}
	s := su | sv | sw // the common sign of those that are not 0
	if su != 0 && sv != 0 && sw != 0 {
		return hit(q, t, s, k)
	}
	// The line through P and R meets an edge or a vertex, or lies in the plane.
	switch d1 := k.Orient3D(t[0], t[1], t[2], q.p); {
	case d1 == 0:
		if k.OnTriangle(q.p, t[0], t[1], t[2]) {
			return onTheFace
		}
	case s != 0 && d1 != s:
		return miss // it does so behind P
	}
	return touches
}

// volume returns the sign of (R−P)·((a−P)×(b−P)), given its edge function.
func (q *ray) volume(a, b *r3.Vector, edge, bound float64, k *predicates.Counter) int {
	if math.Abs(edge) > bound {
		k.Filter++
		if edge > 0 {
			return q.sign
		}
		return -q.sign
	}
	return k.Orient3D(q.r, *a, *b, q.p)
}

// hit tells where the line, which passes through the interior of t with all
// volumes of sign s, does so: D = R−P = (α(a−P) + β(b−P) + γ(c−P))/d1 with
// α, β, γ of sign s, so the face lies ahead of P iff d1 has the sign s, and then
// s > 0 means leaving along the normal.
func hit(q *ray, t *mesh.Triangle, s int, k *predicates.Counter) meeting {
	switch d1 := k.Orient3D(t[0], t[1], t[2], q.p); {
	case d1 == 0:
		return onTheFace
	case d1 != s:
		return miss
	case s > 0:
		return leaves
	}
	return enters
}
