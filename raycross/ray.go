package raycross

import (
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// ray is the segment P→R of Muth et al. 2006, §2.2. It also holds numbers that all tests against
// faces use.
type ray struct {
	p, r   r3.Vector
	axis   int     // axis of the largest component of R−P, by magnitude
	sign   int     // sign of the component of R−P along axis
	sx, sy float64 // rounded slopes of R−P along the next two axes; their magnitudes are at most maxSlope
}

// maxSlope bounds the slopes of a ray. A slope is a smaller component of the direction, divided by
// the largest one. With a smaller maxSlope, all rays from a point would be almost parallel. With a
// larger maxSlope, some rays would run along the box and visit many nodes.
const maxSlope = 0.25 // tuning

// rayLength returns a lower bound of the length of a ray along its axis. m is the largest
// |coordinate| of the mesh or the start of the ray. A ray of length 8·m ends outside the box.
// Because the length scales with m, rounding the end to float64 hardly changes the direction of the
// ray, for a mesh of any size at any place. For a tiny mesh, the minimum of 1 keeps the volumes in
// intersect in range. If m ≤ mesh.MaxCoordinate, nothing overflows: the end is at most
// 16·MaxCoordinate away from the start, and differences stay below 2^1005.
func rayLength(m float64) float64 { return max(8*m, 1) }

// aim returns the ray with the given number from p. The length comes from rayLength. If p lies in
// the box, the ray leaves the box through the face nearest to p. If p lies beyond a face of the
// box, the ray moves away from this face. The ray depends only on the arguments. A coordinate −0 of
// p counts as +0.
func aim(p r3.Vector, box bvh.Box, length float64, seed uint64, rayNumber int) ray {
	axis, sign := nearestFace(p, box)
	// The multipliers come from the 64-bit table of Steele, Vigna 2021. With different multipliers
	// and rotations, changes of two coordinates rarely cancel each other in h.
	h := mix(seed + uint64(rayNumber)*0x9e3779b97f4a7c15 +
		math.Float64bits(p.X+0)*0xd1342543de82ef95 + // adding 0 turns −0 into +0
		bits.RotateLeft64(math.Float64bits(p.Y+0)*0xaf251af3b0f025b5, 21) +
		bits.RotateLeft64(math.Float64bits(p.Z+0)*0xb564ef22ec7aece5, 42))
	u0 := unit(mix(h + 1))
	u1 := unit(mix(h + 2))
	u2 := unit(mix(h + 3))

	d := [3]float64{}
	d[axis] = float64(sign) * length * (1 + u0)
	d[(axis+1)%3] = length * maxSlope * (2*u1 - 1)
	d[(axis+2)%3] = length * maxSlope * (2*u2 - 1)
	return newRay(p, p.Add(r3.Vector{X: d[0], Y: d[1], Z: d[2]}), axis, sign)
}

// aimAway returns the end of the ray with the given number from p. p must be finite and outside the
// box. The ray moves away from the nearest face of the box, so it does not intersect the box. If a
// coordinate of p exceeds mesh.MaxCoordinate, the ray moves toward 0 along the other two axes, so
// no coordinate overflows.
func aimAway(p r3.Vector, box bvh.Box, length float64, seed uint64, rayNumber int) r3.Vector {
	if vec.MaxAbs(p) <= mesh.MaxCoordinate {
		return aim(p, box, length, seed, rayNumber).r
	}
	axis, sign := nearestFace(p.Mul(0.5), bvh.Box{Min: box.Min.Mul(0.5), Max: box.Max.Mul(0.5)})
	q := aim(r3.Vector{}, box, mesh.MaxCoordinate, seed^math.Float64bits(p.X)^math.Float64bits(p.Y)^math.Float64bits(p.Z), rayNumber)
	d := [3]float64{math.Abs(q.r.X), math.Abs(q.r.Y), math.Abs(q.r.Z)}
	c := [3]float64{p.X, p.Y, p.Z}
	for k := range c {
		if k == axis {
			c[k] = math.Max(-math.MaxFloat64, math.Min(c[k]+float64(sign)*d[k], math.MaxFloat64))
		} else {
			c[k] -= math.Copysign(d[k], c[k])
		}
	}
	return r3.Vector{X: c[0], Y: c[1], Z: c[2]}
}

func newRay(p, r r3.Vector, axis, sign int) ray {
	d := r.Sub(p)
	q := ray{p: p, r: r, axis: axis, sign: sign}
	switch axis {
	case 0:
		q.sx, q.sy = d.Y/d.X, d.Z/d.X
	case 1:
		q.sx, q.sy = d.Z/d.Y, d.X/d.Y
	default:
		q.sx, q.sy = d.X/d.Z, d.Y/d.Z
	}
	return q
}

// nearestFace returns the axis and the direction (−1 or +1) of the face of box that is nearest to
// p. If p lies beyond a face, the distance from this face is negative.
func nearestFace(p r3.Vector, box bvh.Box) (axis, sign int) {
	lo, hi := p.Sub(box.Min), box.Max.Sub(p)
	best := lo.X
	axis, sign = 0, -1
	if hi.X < best {
		best, axis, sign = hi.X, 0, 1
	}
	if lo.Y < best {
		best, axis, sign = lo.Y, 1, -1
	}
	if hi.Y < best {
		best, axis, sign = hi.Y, 1, 1
	}
	if lo.Z < best {
		best, axis, sign = lo.Z, 2, -1
	}
	if hi.Z < best {
		axis, sign = 2, 1
	}
	return axis, sign
}

// mix is the last step of SplitMix64 (Steele, Lea, Flood 2014). It is a bijection. A change of one
// input bit changes about half of the output bits.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// unit returns a number in [0, 1) from the upper 53 bits of h.
func unit(h uint64) float64 { return float64(h>>11) * 0x1p-53 }

// hit tells how a ray meets a face.
type hit int8

const (
	miss    hit = iota // the segment between P and R does not intersect the face
	leaves             // the ray crosses the face along its normal and adds 1 to χ
	enters             // the ray crosses the face against its normal and subtracts 1 from χ
	touches            // the ray intersects an edge or a vertex, or lies in the plane of the face
	onFace             // the start P lies exactly on the closed face
)

// edgeBound returns the error bound of the edge functions that intersect computes. The mesh and the
// start P of the ray lie in a box whose longest edge is m. docs/design/016-error-bounds.md (Edge
// functions of rays) derives the bound. If products can overflow, the bound is +Inf, and package
// predicates decides every sign.
func edgeBound(m float64) float64 {
	if m > 0x1p510 {
		return math.Inf(1)
	}
	return 32*0x1p-53*float64(m*m) + 0x1p-1000*(m+1)
}

// intersect returns the relation of the ray q to the face t, which must not have zero area. q
// starts at P and ends at R. The segment PR and an edge of t span a volume. The signs of the three
// volumes ("Volume-Signs") decide whether the line of q crosses t. The sign of d1, the distance of
// P from the plane of t, decides whether t is ahead of P. R lies outside the box of the mesh, so t
// is never beyond R.
//
// Let D = R−P, and let a and b be the ends of an edge relative to P. A shear maps D onto its
// component D_z along the axis of the ray, and a and b to a' and b'. Then the volume D·(a×b) equals
// D_z·(a'_x b'_y − a'_y b'_x). The second factor is a two-dimensional edge function, with half as
// many products. If its magnitude is at most the bound, package predicates decides its sign.
func intersect(q *ray, t *mesh.Triangle, bound float64, k *predicates.Counter) hit {
	ax, ay := q.shear(&t[0])
	bx, by := q.shear(&t[1])
	cx, cy := q.shear(&t[2])
	u := float64(ax*by) - float64(ay*bx)
	v := float64(bx*cy) - float64(by*cx)
	w := float64(cx*ay) - float64(cy*ax)

	if u > bound && v > bound && w > bound {
		k.Filter += 3
		return crossFace(q, t, q.sign, k)
	}
	if u < -bound && v < -bound && w < -bound {
		k.Filter += 3
		return crossFace(q, t, -q.sign, k)
	}
	if (u > bound || v > bound || w > bound) && (u < -bound || v < -bound || w < -bound) {
		k.Filter += 2
		return miss
	}
	return intersectExact(q, t, u, v, w, bound, k)
}

// shear applies the shear of intersect to c, relative to the start of q. It returns the coordinates
// at right angles to the axis of the ray.
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

// intersectExact does the work of intersect if rounding errors can change the sign of u, v or w.
func intersectExact(q *ray, t *mesh.Triangle, u, v, w, bound float64, k *predicates.Counter) hit {
	su := q.volume(&t[0], &t[1], u, bound, k)
	sv := q.volume(&t[1], &t[2], v, bound, k)
	if su*sv < 0 {
		return miss
	}
	sw := q.volume(&t[2], &t[0], w, bound, k)
	if su*sw < 0 || sv*sw < 0 {
		return miss
	}
	s := su | sv | sw // the common sign of the volumes that are not 0
	if su != 0 && sv != 0 && sw != 0 {
		return crossFace(q, t, s, k)
	}
	// The line through P and R intersects an edge or a vertex, or lies in the plane of the face.
	switch d1 := k.Orient3D(t[0], t[1], t[2], q.p); {
	case d1 == 0:
		if k.OnTriangle(q.p, t[0], t[1], t[2]) {
			return onFace
		}
	case s != 0 && d1 != s:
		return miss // the line intersects the edge or vertex behind P
	}
	return touches
}

// volume returns the sign of (R−P)·((a−P)×(b−P)) for the ray q from P to R. edge is the computed
// edge function of a and b.
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

// crossFace returns the relation of q to t if the line of q passes through the interior of t. q
// starts at P and ends at R. The corners of t are a, b and c. The volumes α, β and γ of the
// opposite edges have the sign s. Because R−P = (α(a−P) + β(b−P) + γ(c−P))/d1, t lies ahead of P if
// and only if d1 has the sign s. In this case the ray leaves along the normal if s > 0.
func crossFace(q *ray, t *mesh.Triangle, s int, k *predicates.Counter) hit {
	switch d1 := k.Orient3D(t[0], t[1], t[2], q.p); {
	case d1 == 0:
		return onFace
	case d1 != s:
		return miss
	case s > 0:
		return leaves
	}
	return enters
}
