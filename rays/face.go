package rays

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// meet reports whether the line l meets the face c.tris[i], and how.
//
// Let a and b be two points of the line, and p and q the ends of an edge. The signs of the volumes
// of a, b, p, q for the three edges tell whether the line passes through the face ("Volume-Signs",
// Muth, Of, Eberhard, Steinbach 2006, §2.2). If two signs are opposite, the line misses the face.
// If all signs are 0, the line lies in the plane of the face, or the face has zero area. Otherwise
// the line meets the plane of the face in one point of the face. A sign 0 then means that this
// point is on the line of an edge.
//
// If known is not 0, it is the sign of all three volumes. If the line misses the face, h can have any content afterwards.
func (c *Caster) meet(l *line, i int32, known int8, k *predicates.Counter, h *hit) (ok bool) {
	t := &c.tris[i]
	if l.isPoint() {
		*h = hit{face: c.faces[i].Number, at: number(0)}
		return l.startOn(t, k)
	}
	sign := int(known)
	if known != 0 {
		h.jump = -known
		c.atPlane(l, i, &h.at)
	} else {
		var v [3]int // v[j] belongs to the edge from corner j to corner j+1
		v[0] = l.volume(t[0], t[1], k)
		v[1] = l.volume(t[1], t[2], k)
		if v[0]*v[1] < 0 {
			return false
		}
		v[2] = l.volume(t[2], t[0], k)
		if v[0]*v[2] < 0 || v[1]*v[2] < 0 {
			return false
		}
		sign = v[0] | v[1] | v[2] // the common sign of the volumes that are not 0
		if sign == 0 {
			*h, ok = c.meetFlat(l, i, k)
			return ok
		}
		h.jump = 0
		if crossing(l, t, v, sign, k) {
			h.jump = int8(-sign)
		}
		c.atFace(l, i, v, &h.at)
	}
	h.face, h.sign, h.on, h.equal = c.faces[i].Number, int8(sign), 0, false
	least, most := h.at.t-h.at.bound, h.at.t+h.at.bound
	if most < 0 || l.segment && least > 1 {
		return false
	}
	return least > 0 && (!l.segment || most < 1) || c.atEnds(l, t, sign, &h.at, k)
}

// atEnds treats the ends of l exactly. at is the parameter where the line of l passes through the
// plane of the face t. If this point is an end of l, atEnds sets the exact parameter. ok is false
// if the point is beyond an end of l.
func (c *Caster) atEnds(l *line, t *mesh.Triangle, sign int, at *parameter, k *predicates.Counter) (ok bool) {
	start := l.startSign(t, k)
	if start == -sign {
		return false
	}
	end := -sign
	if l.segment {
		if end = l.endSign(t, k); end == sign {
			return false
		}
	}
	switch {
	case start == 0:
		*at = number(0)
	case end == 0:
		*at = number(1)
	default:
		if at.t = max(at.t, 0); l.segment { // the exact parameter is in this range
			at.t = min(at.t, 1)
		}
	}
	return true
}

// volume returns the sign of (b−a)·((p−a)×(q−a)), where b−a is the exact direction of l.
func (l *line) volume(p, q r3.Vector, k *predicates.Counter) int {
	if l.posed != nil {
		return l.posed.volume(l, &p, &q)
	}
	if l.segment {
		return k.Orient3D(l.b, p, q, l.a)
	}
	return k.Ray3D(l.d, p, q, l.a)
}

// crossing reports whether the displaced line crosses the face t. The volumes v have the given sign or
// are 0.
//
// The line is displaced by e = (ε, ε², ε³), where ε is a positive infinitesimal. The volume of an edge
// from p to q becomes v + e·((p−q)×d), where d is the direction of the line. So if v is 0, the first
// component of (p−q)×d that is not 0 is the sign. If there is no such component, the edge is parallel
// to the line, and the displaced line does not cross the face.
func crossing(l *line, t *mesh.Triangle, v [3]int, sign int, k *predicates.Counter) bool {
	for j := range 3 {
		if v[j] == 0 && l.displaced(t[j], t[(j+1)%3], k) != sign {
			return false
		}
	}
	return true
}

// crossedBehind returns the change of W where the displaced line crosses the face c.tris[i] before
// the start of l. The result is 0 if the displaced line crosses the face after the start, or not at
// all.
func (c *Caster) crossedBehind(l *line, i int32, k *predicates.Counter) (jump int8) {
	t := &c.tris[i]
	v := [3]int{l.volume(t[0], t[1], k), l.volume(t[1], t[2], k), l.volume(t[2], t[0], k)}
	sign := v[0] | v[1] | v[2]
	if sign == 0 || min(v[0], v[1], v[2]) < 0 && max(v[0], v[1], v[2]) > 0 ||
		l.startSign(t, k) != -sign || !crossing(l, t, v, sign, k) {
		return 0
	}
	return int8(-sign)
}

// displaced returns the sign of the first component of (p−q)×(b−a) = (b−a)×(q−p) that is not 0.
func (l *line) displaced(p, q r3.Vector, k *predicates.Counter) int {
	for axis := range 3 {
		if s := l.turn(p, q, axis, k); s != 0 {
			return s
		}
	}
	return 0
}

// turnTo returns the sign of the component of (b−a)×(p−a) along the given axis.
func (l *line) turnTo(p r3.Vector, axis int, k *predicates.Counter) int {
	if l.posed != nil {
		return l.posed.turnTo(l, p, axis)
	}
	return l.turn(l.a, p, axis, k)
}

// turn returns the sign of the component of (b−a)×(q−p) along the given axis. The axes are the axes
// of the world. The sign is 0 for all axes if p and q are on a line that is parallel to l.
func (l *line) turn(p, q r3.Vector, axis int, k *predicates.Counter) int {
	if l.posed != nil {
		return l.posed.turn(l, p, q, axis)
	}
	from, to := r3.Vector{}, l.d
	if l.segment {
		from, to = l.a, l.b
	}
	fx, fy := project(from, axis)
	tx, ty := project(to, axis)
	px, py := project(p, axis)
	qx, qy := project(q, axis)
	return k.Cross2D(fx, fy, tx, ty, px, py, qx, qy)
}

// project returns the coordinates of p along the two axes after the given axis.
func project(p r3.Vector, axis int) (x, y float64) {
	switch axis {
	case 0:
		return p.Y, p.Z
	case 1:
		return p.Z, p.X
	}
	return p.X, p.Y
}

// meetFlat does the work of meet if all volumes of the face are 0. Then the line and the edges of
// the face lie in one plane, or the edges are parallel to the line.
func (c *Caster) meetFlat(l *line, i int32, k *predicates.Counter) (h hit, ok bool) {
	t, f := &c.tris[i], c.faces[i].Vertices
	// Choose an axis so that some edge and the line are not parallel in the projection along it.
	// This projection maps the plane of the line and the face one-to-one.
	axis := l.transverse(t, k)
	var side [3]int // on which side of the line the corners lie
	for j, p := range t {
		if axis < 0 { // the face is on a line that is parallel to l
			for x := range 3 {
				side[j] |= l.turnTo(p, x, k)
			}
			if side[j] != 0 {
				return h, false
			}
			continue
		}
		side[j] = l.turnTo(p, axis, k)
	}
	var found [6]parameter
	n := 0
	for j := range 3 {
		if side[j] == 0 {
			found[n] = c.atVertex(l, f[j])
			n++
		}
		if side[j]*side[(j+1)%3] < 0 {
			found[n] = c.atEdge(l, f[j], f[(j+1)%3])
			n++
		}
	}
	if n == 0 {
		return h, false
	}
	first, last := found[0], found[0]
	for _, p := range found[1:n] {
		if c.compare(l, &p, &first) < 0 {
			first = p
		}
		if c.compare(l, &p, &last) > 0 {
			last = p
		}
	}
	zero, one := number(0), number(1)
	if c.compare(l, &last, &zero) < 0 || l.segment && c.compare(l, &first, &one) > 0 {
		return h, false
	}
	if c.compare(l, &first, &zero) <= 0 {
		first = zero
	}
	if l.segment && c.compare(l, &last, &one) >= 0 {
		last = one
	}
	h = hit{face: c.faces[i].Number, at: first, end: last}
	if c.compare(l, &first, &last) < 0 {
		h.on = 1
	}
	return h, true
}

// transverse returns an axis along which an edge of t and the line l are not parallel. If all edges
// are parallel to l, transverse returns −1.
func (l *line) transverse(t *mesh.Triangle, k *predicates.Counter) int {
	for j := range 3 {
		for axis := range 3 {
			if l.turn(t[j], t[(j+1)%3], axis, k) != 0 {
				return axis
			}
		}
	}
	return -1
}
