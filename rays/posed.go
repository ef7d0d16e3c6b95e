package rays

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// posed holds the exact line of a Caster with a pose. In the frame of the mesh, the coordinates of
// the line are rounded. Each sign is first computed from the rounded coordinates and bounds of
// their errors. If this does not decide the sign, exact arithmetic does. There, all vectors have
// the factor motion.Placement.Scale.
//
// The line is displaced along the axes of the world, as without a pose.
type posed struct {
	place   *motion.Placement
	a, b, d r3.Vector    // as in line, in the world
	start   motion.Point // the exact position of a
	end     motion.Point // the exact position of b, if the line is a segment
	sample  motion.Point // see line.sign

	ready bool             // whether the fields below are set
	scale *big.Float       // the factor of all vectors
	from  r3.PreciseVector // a in the frame of the mesh
	along r3.PreciseVector // d in the frame of the mesh
}

// in moves l from the world to the frame of the mesh. x keeps the exact line.
func (x *posed) in(place *motion.Placement, l *line) {
	x.place, x.a, x.b, x.d, x.ready = place, l.a, l.b, l.d, false
	place.Exact(&x.start, l.a)
	l.a, l.radius = x.start.Near, x.start.Radius
	if l.segment {
		place.Exact(&x.end, l.b)
		l.b, l.radius = x.end.Near, max(l.radius, x.end.Radius)
	}
	l.d, l.spread = place.Direction(l.d)
	l.posed = x
}

// worldDirection returns the exact direction of the line in the world.
func (x *posed) worldDirection(l *line) r3.PreciseVector {
	if l.segment {
		return r3.PreciseVectorFromVector(x.b).Sub(r3.PreciseVectorFromVector(x.a))
	}
	return r3.PreciseVectorFromVector(x.d)
}

// prepare computes the exact vectors from and along.
func (x *posed) prepare(l *line) {
	if x.ready {
		return
	}
	x.ready = true
	x.scale = x.place.Scale()
	x.from = x.place.ScaledPosition(x.a)
	x.along = x.place.ScaledDirection(x.worldDirection(l))
}

// vertex returns the vertex v, times the factor of all vectors.
func (x *posed) vertex(v r3.Vector) r3.PreciseVector {
	return r3.PreciseVectorFromVector(v).Mul(x.scale)
}

// volume does the work of line.volume.
//
// Here p and q are relative to the start. For the vectors d, p and q, let D, P and Q be the sums or
// the maxima of the |components|, and let eD, eP and eQ bound the errors of the components. The
// determinant is a sum of six products. Each product has one component of each vector. So the exact
// determinant differs from the determinant of the computed vectors by at most 2·(eD·(P+eP)(Q+eQ)·3
// + D·(eP·(Q+eQ) + eQ·P)). Six products have roundings of at most 8u·2·D·P·Q. The factor 1.01 and
// the last term cover the rounding of the bound and underflow.
func (x *posed) volume(l *line, p, q *r3.Vector) int {
	abs := math.Abs
	px, py, pz := p.X-l.a.X, p.Y-l.a.Y, p.Z-l.a.Z
	qx, qy, qz := q.X-l.a.X, q.Y-l.a.Y, q.Z-l.a.Z
	det := float64(l.d.X*(float64(py*qz)-float64(pz*qy))) + float64(l.d.Y*(float64(pz*qx)-float64(px*qz))) + float64(l.d.Z*(float64(px*qy)-float64(py*qx)))
	bigD := abs(l.d.X) + abs(l.d.Y) + abs(l.d.Z)
	bigP, bigQ := max(abs(px), abs(py), abs(pz)), max(abs(qx), abs(qy), abs(qz))
	eP, eQ := l.radius+2*epsilon*bigP, l.radius+2*epsilon*bigQ
	bound := 2.02*(3*l.spread*(bigP+eP)*(bigQ+eQ)+bigD*(eP*(bigQ+eQ)+eQ*bigP)+8*epsilon*bigD*bigP*bigQ) + 0x1p-1000*(1+bigD+bigP+bigQ)
	switch { // both comparisons are false after an overflow
	case det > bound:
		return 1
	case -det > bound:
		return -1
	}
	x.prepare(l)
	return x.along.Dot(x.vertex(*p).Sub(x.from).Cross(x.vertex(*q).Sub(x.from))).Sign()
}

// turn does the work of line.turn for an edge from p to q.
func (x *posed) turn(l *line, p, q r3.Vector, axis int) int {
	edge := x.place.ScaledBack(r3.PreciseVectorFromVector(q).Sub(r3.PreciseVectorFromVector(p)))
	return turnOf(x.worldDirection(l), edge, axis)
}

// turnTo does the work of line.turnTo.
func (x *posed) turnTo(l *line, p r3.Vector, axis int) int {
	x.prepare(l)
	t := r3.PreciseVectorFromVector(x.place.Pose().Translation).Sub(r3.PreciseVectorFromVector(x.a))
	return turnOf(x.worldDirection(l), x.place.ScaledBack(r3.PreciseVectorFromVector(p)).Add(t.Mul(x.scale)), axis)
}

// turnOf returns the sign of the component of d×e along an axis.
func turnOf(d, e r3.PreciseVector, axis int) int {
	n := d.Cross(e)
	return [3]*big.Float{n.X, n.Y, n.Z}[axis].Sign()
}

// ratio does the work of Caster.ratio, except for numbers.
func (x *posed) ratio(l *line, p *parameter, vertices []r3.Vector) (num, den *big.Float) {
	x.prepare(l)
	return ratioOf(x.from, x.along, p, func(i int32) r3.PreciseVector { return x.vertex(vertices[i]) })
}

// quotient returns the line in the frame of the mesh without the factor of all vectors. The
// quotients are rounded to many digits.
func (x *posed) quotient(l *line) (from, along r3.PreciseVector) {
	x.prepare(l)
	const digits = 2000
	divide := func(v r3.PreciseVector) r3.PreciseVector {
		over := func(c *big.Float) *big.Float {
			q := new(big.Float).SetPrec(digits).Quo(c, x.scale)
			return q.SetPrec(big.MaxPrec)
		}
		return r3.PreciseVector{X: over(v.X), Y: over(v.Y), Z: over(v.Z)}
	}
	return divide(x.from), divide(x.along)
}

// startSign returns the side of the plane of t on which the start of l lies: the sign of a volume,
// as in predicates.Orient3D. endSign does the same for the end of l.
func (l *line) startSign(t *mesh.Triangle, k *predicates.Counter) int {
	if l.posed != nil {
		return l.posed.start.Orient3D(&t[0], &t[1], &t[2])
	}
	return k.Orient3D(t[0], t[1], t[2], l.a)
}

func (l *line) endSign(t *mesh.Triangle, k *predicates.Counter) int {
	if l.posed != nil {
		return l.posed.end.Orient3D(&t[0], &t[1], &t[2])
	}
	return k.Orient3D(t[0], t[1], t[2], l.b)
}

// sign returns the side of the plane of t on which v, a point in the world, lies.
func (l *line) sign(t *mesh.Triangle, v r3.Vector, k *predicates.Counter) int {
	if x := l.posed; x != nil {
		x.place.Exact(&x.sample, v)
		return x.sample.Orient3D(&t[0], &t[1], &t[2])
	}
	return k.Orient3D(t[0], t[1], t[2], v)
}

// startOn reports whether the start of l is on t.
func (l *line) startOn(t *mesh.Triangle, k *predicates.Counter) bool {
	if l.posed != nil {
		return l.posed.start.OnTriangle((*[3]r3.Vector)(t))
	}
	return k.OnTriangle(l.a, t[0], t[1], t[2])
}

// world returns a, b and d of l as coordinates in the world.
func (l *line) world() (a, b, d r3.Vector) {
	if x := l.posed; x != nil {
		return x.a, x.b, x.d
	}
	return l.a, l.b, l.d
}
