package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// proximity returns distance, normal and points for features that are known.
func (f *frame) proximity(relation Relation, v [2]Feature) Proximity {
	o := Proximity{Relation: relation, Features: v}
	switch {
	case v[0].Edge && v[1].Edge:
		f.edgeEdge(&o)
	case v[0].Edge:
		f.edgeCorner(&o, 0)
	case v[1].Edge:
		f.edgeCorner(&o, 1)
	default:
		f.cornerCorner(&o)
	}
	if relation == Touching {
		o.Distance = 0
	}
	at := f.body[0].at
	o.Points[0], o.Points[1] = o.Points[0].Add(at), o.Points[1].Add(at)
	return o
}

// outer returns the outer unit normal of edge i of body k, and the length of the edge. It is
// turned, so the length is that in the shape to within a relative 2·unit.
func (f *frame) outer(k, i int) (normal r2.Point, length float64) {
	shape := f.body[k].shape
	e := shape.corners[shape.next(i)].Sub(shape.corners[i])
	length = norm(e)
	x, y := f.body[k].turn(e)
	return r2.Point{X: y / length, Y: -x / length}, length
}

// beside returns the outer unit normal of edge i of body k, and the distance of a corner
// from its line, negative on the inner side.
func (f *frame) beside(k, i int, c *corner) (normal r2.Point, distance float64) {
	normal, length := f.outer(k, i)
	p, q := f.corner(k, i), f.corner(k, f.next(k, i))
	return normal, -f.cross(&p, &q, &p, c) / length
}

// norm returns the length of p. Between 2^-450 and 2^450 its square neither overflows nor
// underflows.
func norm(p r2.Point) float64 {
	if s := p.Dot(p); s >= 0x1p-900 && s <= 0x1p900 {
		return math.Sqrt(s)
	}
	return p.Norm()
}

// edgeCorner: the edge is that of body k.
func (f *frame) edgeCorner(o *Proximity, k int) {
	c := f.corner(1-k, int(o.Features[1-k].Index))
	n, d := f.beside(k, int(o.Features[k].Index), &c)
	p := r2.Point{X: c.x, Y: c.y}
	o.Points[1-k], o.Points[k] = p, p.Sub(n.Mul(d))
	if k == 1 {
		n = n.Mul(-1)
	}
	o.Distance, o.Normal = d, n
}

// edgeEdge: the points are in the middle of the length along which the edges face each
// other.
func (f *frame) edgeEdge(o *Proximity) {
	i, j := int(o.Features[0].Index), int(o.Features[1].Index)
	a, b := f.corner(0, i), f.corner(0, f.next(0, i))
	c, d := f.corner(1, j), f.corner(1, f.next(1, j))
	o.Normal, o.Distance = f.beside(0, i, &c)
	along := r2.Point{X: -o.Normal.Y, Y: o.Normal.X}
	at := func(c *corner) float64 { return along.X*(c.x-a.x) + along.Y*(c.y-a.y) }
	// The second edge runs the other way.
	middle := (max(0, at(&d)) + min(at(&b), at(&c))) / 2
	o.Points[0] = r2.Point{X: a.x, Y: a.y}.Add(along.Mul(middle))
	o.Points[1] = o.Points[0].Add(o.Normal.Mul(o.Distance))
}

func (f *frame) cornerCorner(o *Proximity) {
	i, j := int(o.Features[0].Index), int(o.Features[1].Index)
	a, b := f.corner(0, i), f.corner(1, j)
	o.Points = [2]r2.Point{{X: a.x, Y: a.y}, {X: b.x, Y: b.y}}
	if o.Relation == Touching {
		o.Normal = f.wedge(i, j)
		return
	}
	d := f.between(&a, &b)
	o.Distance = norm(d)
	o.Normal = d.Mul(1 / o.Distance)
	o.Points[1] = o.Points[0].Add(d)
}

// wedge returns the mean of the outer normals of the edges of D (see ring.go) that meet at
// a corner: of the edges after corners i and j the one that comes first, of those before
// them the one that comes last.
func (f *frame) wedge(i, j int) r2.Point {
	a, b := f.corner(0, i), f.corner(1, j)
	aNext, bNext := f.corner(0, f.next(0, i)), f.corner(1, f.next(1, j))
	aLast, bLast := f.corner(0, f.previous(0, i)), f.corner(1, f.previous(1, j))
	after, _ := f.outer(0, i)
	if f.crossSign(&a, &aNext, &b, &bNext) > 0 {
		after, _ = f.outer(1, j)
		after = after.Mul(-1)
	}
	before, _ := f.outer(0, f.previous(0, i))
	if f.crossSign(&aLast, &a, &bLast, &b) < 0 {
		before, _ = f.outer(1, f.previous(1, j))
		before = before.Mul(-1)
	}
	if after.Dot(before) >= 0 {
		return after.Add(before).Normalize()
	}
	// The sum of almost opposite vectors is rounding. From one to the next is less than half a
	// turn counterclockwise, so their difference, turned clockwise, has the direction of the mean.
	d := after.Sub(before)
	return r2.Point{X: d.Y, Y: -d.X}.Normalize()
}

// between returns q−p with a small relative error.
func (f *frame) between(p, q *corner) r2.Point {
	u := f.place(q).sub(f.place(p))
	if f.differenceError(p, q)+0x1p-1060 <= goodEnough*max(math.Abs(u.x.hi), math.Abs(u.y.hi)) {
		return u.value()
	}
	return f.betweenPrecise(p, q)
}
