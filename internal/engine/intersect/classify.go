package intersect

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// none is the Kind of two faces that share no point, or only their common vertices.
const none Kind = 0

// classify returns the kind of the pair of faces t and u, or none. a and b are the vertex numbers
// of t and u. Both faces must have positive area. Corners at the same place must have the same
// vertex number, as in a mesh.Mesh.
func (k *kernel) classify(t, u *mesh.Triangle, a, b *[3]int32) Kind {
	// common[i] is the corner of u that has the same vertex as corner i of t, or −1.
	common, n, last := [3]int{-1, -1, -1}, 0, 0
	for i, v := range a {
		for j, w := range b {
			if v == w {
				common[i], last = j, i
				n++
			}
		}
	}
	switch n {
	case 0:
		return k.apart(t, u)
	case 1:
		i, j := last, common[last]
		return k.atVertex(t[i], t[(i+1)%3], t[(i+2)%3], u[(j+1)%3], u[(j+2)%3])
	case 2:
		i := 0
		for common[i] >= 0 {
			i++ // the corner of t that is not common
		}
		p, q := (i+1)%3, (i+2)%3
		return k.atEdge(t[p], t[q], t[i], u[3-common[p]-common[q]])
	}
	return Duplicate
}

// atEdge classifies the faces (p, q, x) and (p, q, y).
func (k *kernel) atEdge(p, q, x, y r3.Vector) Kind {
	// If x and y project strictly to different sides of the edge, the projected faces share only
	// the projected edge, and the faces share only the edge.
	axis := widestNormal(p, q, x)
	if side := k.area(axis, p, q, x); side != 0 && side*k.area(axis, p, q, y) < 0 {
		return none
	}
	if k.signs.Orient3D(p, q, x, y) != 0 {
		return none
	}
	axis = k.projection(p, q, x)
	if k.area(axis, p, q, x)*k.area(axis, p, q, y) < 0 {
		return none
	}
	return Overlapping
}

// atVertex classifies the faces (v, a, b) and (v, c, d).
func (k *kernel) atVertex(v, a, b, c, d r3.Vector) Kind {
	if separatedAt(v, a, b, c, d) {
		return none
	}
	sc, sd := k.signs.Orient3D(v, a, b, c), k.signs.Orient3D(v, a, b, d)
	if sc*sd > 0 {
		return none
	}
	if sc == 0 && sd == 0 {
		return k.coplanarAtVertex(v, a, b, c, d)
	}
	sa, sb := k.signs.Orient3D(v, c, d, a), k.signs.Orient3D(v, c, d, b)
	if sa*sb > 0 {
		return none
	}
	// Each face meets the plane of the other face in a segment that starts at v. Both segments lie
	// on one line. If they share more than v, the shorter segment ends in the other face.
	if !k.reaches(c, d, sc, sd, v, a, b) && !k.reaches(a, b, sa, sb, v, c, d) {
		return none
	}
	if sc*sd < 0 && sa*sb < 0 {
		return Crossing
	}
	return Touching
}

// reaches reports whether the point where the segment p, q meets the plane of t0, t1, t2 is in this
// triangle. sp and sq are the signs of p and q relative to the plane. One of them is not 0, and
// their product is not positive.
func (k *kernel) reaches(p, q r3.Vector, sp, sq int, t0, t1, t2 r3.Vector) bool {
	switch {
	case sp == 0:
		return k.signs.OnCoplanar(p, t0, t1, t2)
	case sq == 0:
		return k.signs.OnCoplanar(q, t0, t1, t2)
	}
	// The point is outside the triangle if and only if two edges have it strictly on different
	// sides.
	x, y := k.signs.Orient3D(p, q, t0, t1), k.signs.Orient3D(p, q, t1, t2)
	if x*y < 0 {
		return false
	}
	z := k.signs.Orient3D(p, q, t2, t0)
	return x*z >= 0 && y*z >= 0
}

// coplanarAtVertex classifies the coplanar faces (v, a, b) and (v, c, d).
func (k *kernel) coplanarAtVertex(v, a, b, c, d r3.Vector) Kind {
	axis := k.projection(v, a, b)
	t, u := [3]r3.Vector{v, a, b}, [3]r3.Vector{v, c, d}
	if k.planar(axis, t, u[:]) == overlap {
		return Overlapping
	}
	// Some line separates the faces, so they share only v or parts of two edges at v on this line.
	for _, x := range [2]r3.Vector{a, b} {
		for _, y := range [2]r3.Vector{c, d} {
			if k.area(axis, v, x, y) == 0 && sameDirection(v, x, y) {
				return Touching
			}
		}
	}
	return none
}

// sameDirection reports whether x and y lie on the same side of v. The points must be collinear,
// and v must differ from x and y.
func sameDirection(v, x, y r3.Vector) bool {
	switch {
	case v.X != x.X:
		return (x.X > v.X) == (y.X > v.X)
	case v.Y != x.Y:
		return (x.Y > v.Y) == (y.Y > v.Y)
	}
	return (x.Z > v.Z) == (y.Z > v.Z)
}

// apart classifies two faces without a common vertex.
func (k *kernel) apart(t, u *mesh.Triangle) Kind {
	if separated(t, u) {
		return none
	}
	onT, ok := k.planeSigns(t, u)
	if !ok {
		return none
	}
	if onT == [3]int{} {
		axis := k.projection(t[0], t[1], t[2])
		return [...]Kind{disjoint: none, contact: Touching, overlap: Overlapping}[k.planar(axis, *t, u[:])]
	}
	onU, ok := k.planeSigns(u, t)
	if !ok {
		return none
	}
	i, j := alone(onU), alone(onT)
	switch {
	case j < 0:
		return k.rests(t, u, onT)
	case i < 0:
		return k.rests(u, t, onU)
	}
	// Each face crosses the plane of the other face, so each has a segment on the line in which the
	// planes meet. Two signs compare the ends of these segments (Guigue and Devillers, "Fast and
	// robust triangle-triangle overlap test using orientation predicates", 2003).
	p, q, r := t[i], t[(i+1)%3], t[(i+2)%3]
	x, y, z := u[j], u[(j+1)%3], u[(j+2)%3]
	if onU[i] < 0 {
		y, z = z, y
	}
	if onT[j] < 0 {
		q, r = r, q
	}
	low := k.signs.Orient3D(p, q, x, y)
	if low > 0 {
		return none
	}
	high := k.signs.Orient3D(p, r, z, x)
	switch {
	case high > 0:
		return none
	case low == 0 || high == 0:
		return Touching // the segments share one end
	}
	return Crossing
}

// planeSigns returns the sign of each corner of u relative to the plane of t. ok is false if all
// corners are strictly on one side of the plane.
func (k *kernel) planeSigns(t, u *mesh.Triangle) (s [3]int, ok bool) {
	for i := range u {
		s[i] = k.signs.Orient3D(t[0], t[1], t[2], u[i])
	}
	return s, s[0] == 0 || s[0] != s[1] || s[0] != s[2]
}

// alone returns the corner that lies alone strictly on one side of a plane. At least one other
// corner must lie strictly on the other side. If there is no such corner, alone returns −1, and the
// face meets the plane at most in a corner or an edge.
func alone(s [3]int) int {
	for i := range s {
		x, y := s[(i+1)%3], s[(i+2)%3]
		if s[i] != 0 && x != s[i] && y != s[i] && (x != 0 || y != 0) {
			return i
		}
	}
	return -1
}

// rests returns Touching if a corner or edge of u in the plane of t meets t, and otherwise none.
// One or two of the signs must be 0.
func (k *kernel) rests(t, u *mesh.Triangle, signs [3]int) Kind {
	var in []r3.Vector
	var storage [3]r3.Vector
	in = storage[:0]
	for i, s := range signs {
		if s == 0 {
			in = append(in, u[i])
		}
	}
	if k.planar(k.projection(t[0], t[1], t[2]), *t, in) == disjoint {
		return none
	}
	return Touching
}

// relation tells how two convex sets in a plane meet.
type relation int

const (
	disjoint relation = iota // no common point
	contact                  // common points, but no common area
	overlap                  // a common area
)

// planar returns the relation of a triangle and a point, a segment or another triangle in the same
// plane. The projection along the axis must be one-to-one on this plane. Two convex polygons are
// disjoint if and only if the line of some edge separates them strictly. The polygons have no
// common area if and only if the line of some edge separates them weakly.
func (k *kernel) planar(axis int, t [3]r3.Vector, u []r3.Vector) relation {
	r := overlap
	if len(u) < 3 {
		r = contact
	}
	r = min(r, k.beyondEdges(axis, t, u))
	switch {
	case r == disjoint || len(u) < 2:
		return r
	case len(u) == 3:
		return min(r, k.beyondEdges(axis, [3]r3.Vector{u[0], u[1], u[2]}, t[:]))
	}
	s := k.area(axis, u[0], u[1], t[0])
	if s != 0 && s == k.area(axis, u[0], u[1], t[1]) && s == k.area(axis, u[0], u[1], t[2]) {
		return disjoint
	}
	return r
}

// beyondEdges compares all points of u with the edges of the triangle t. It returns disjoint if
// they are strictly beyond one edge, contact if they are weakly beyond one edge, and otherwise
// overlap.
func (k *kernel) beyondEdges(axis int, t [3]r3.Vector, u []r3.Vector) relation {
	inner := k.area(axis, t[0], t[1], t[2])
	r := overlap
	for i, p := range t {
		q := t[(i+1)%3]
		most := -1
		for _, x := range u {
			if most = max(most, inner*k.area(axis, p, q, x)); most > 0 {
				break
			}
		}
		switch {
		case most < 0:
			return disjoint
		case most == 0:
			r = contact
		}
	}
	return r
}

// projection returns an axis along which the projection of a triangle has an area.
func (k *kernel) projection(a, b, c r3.Vector) int {
	axis := widestNormal(a, b, c)
	for range 3 {
		if k.area(axis, a, b, c) != 0 {
			return axis
		}
		axis = (axis + 1) % 3
	}
	return axis // the triangle has no area; find excludes such faces
}

// widestNormal returns the axis of the largest component of the rounded normal of a triangle.
func widestNormal(a, b, c r3.Vector) int {
	n := b.Sub(a).Cross(c.Sub(a))
	x, y, z := math.Abs(n.X), math.Abs(n.Y), math.Abs(n.Z)
	switch {
	case x >= y && x >= z:
		return 0
	case y >= z:
		return 1
	}
	return 2
}

// area returns the sign of the area of the triangle a, b, c after a projection along an axis.
func (k *kernel) area(axis int, a, b, c r3.Vector) int {
	switch axis {
	case 0:
		return k.signs.Orient2D(a.Y, a.Z, b.Y, b.Z, c.Y, c.Z)
	case 1:
		return k.signs.Orient2D(a.Z, a.X, b.Z, b.X, c.Z, c.X)
	}
	return k.signs.Orient2D(a.X, a.Y, b.X, b.Y, c.X, c.Y)
}

// separatedAt reports whether a plane through v certainly separates a and b from c and d. Then the
// faces (v, a, b) and (v, c, d) share only v. The normal of the plane leads from the middle of a
// and b to the middle of c and d. This choice separates most pairs.
func separatedAt(v, a, b, c, d r3.Vector) bool {
	a, b, c, d = a.Sub(v), b.Sub(v), c.Sub(v), d.Sub(v)
	w := r3.Vector{X: c.X + d.X - a.X - b.X, Y: c.Y + d.Y - a.Y - b.Y, Z: c.Z + d.Z - a.Z - b.Z}
	e := margin(w, max(largest(a), largest(b), largest(c), largest(d)))
	return dot(w, a) < -e && dot(w, b) < -e && dot(w, c) > e && dot(w, d) > e
}

// separated reports whether a plane certainly separates the two faces. The normal of the plane is
// the difference of the middles of the faces.
func separated(t, u *mesh.Triangle) bool {
	o := t[0]
	b, c := t[1].Sub(o), t[2].Sub(o)
	x, y, z := u[0].Sub(o), u[1].Sub(o), u[2].Sub(o)
	w := r3.Vector{X: x.X + y.X + z.X - b.X - c.X, Y: x.Y + y.Y + z.Y - b.Y - c.Y, Z: x.Z + y.Z + z.Z - b.Z - c.Z}
	e := margin(w, max(largest(b), largest(c), largest(x), largest(y), largest(z)))
	high := max(0, dot(w, b), dot(w, c)) + 2*e
	return dot(w, x) > high && dot(w, y) > high && dot(w, z) > high
}

// margin bounds the error of dot(w, p), where p is a rounded difference and no |component| of p
// exceeds size. Each of the three products has a relative error of at most 2ε from the difference
// and the product, and each of two sums adds at most ε. ε is 2⁻⁵³, and 8ε also covers the rounding
// of the margin and of its sums with products. The last term covers underflow. If a product or a
// sum overflows, the margin is infinite or NaN, and no comparison holds.
func margin(w r3.Vector, size float64) float64 {
	bound := size * (math.Abs(w.X) + math.Abs(w.Y) + math.Abs(w.Z)) // at least the magnitude of each sum of products
	return float64(8*epsilon*bound) + 0x1p-1000
}

// epsilon is the largest relative error of one rounding.
const epsilon = 0x1p-53

func dot(a, b r3.Vector) float64 {
	return float64(a.X*b.X) + float64(a.Y*b.Y) + float64(a.Z*b.Z)
}

func largest(p r3.Vector) float64 { return max(math.Abs(p.X), math.Abs(p.Y), math.Abs(p.Z)) }

// kernel classifies pairs and counts the computed signs. Each worker has its own kernel.
type kernel struct {
	signs predicates.Counter
}
