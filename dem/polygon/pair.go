package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// Pair stores the closest features of two bodies between calls, and the edges whose crossings the
// last call of Overlap found. Therefore, a call takes constant time while the bodies move little
// (Schinner 1999, §4). The stored features affect the time of a call, but never the result. The zero Pair is valid. A Pair can be discarded, copied, or used for
// other bodies. One goroutine at a time may use a Pair.
type Pair struct {
	feature [2]Feature
	last    state     // of the last call of Overlap
	cross   crossings // valid if last is crossed
	stats   Stats
}

// state is the result of the last call of Overlap.
type state int8

const (
	other   state = iota // none of the cases below, or no call yet
	apart                // the bodies do not overlap
	crossed              // the boundaries cross at exactly two places
)

// Stats counts the work of a Pair.
type Stats struct {
	Calls    uint64 // number of calls of Distance and Overlap
	Steps    uint64 // number of pairs of features examined by walks and to follow crossings
	Sweeps   uint64 // number of calls that examined all corners, by a sweep or by clipping
	Visits   uint64 // number of corners, edges and chords examined by other parts of a call
	Doubles  uint64 // number of signs that float64 did not decide
	Exact    uint64 // number of signs or values computed by expansions
	Rational uint64 // number of signs or values computed by rational numbers, which allocate
}

// Stats returns the counts since the Pair was created.
func (p *Pair) Stats() Stats { return p.stats }

// Proximity is the distance of two bodies, or the depth of their overlap.
type Proximity struct {
	Relation Relation
	// Distance is the distance of the bodies as sets of points. It is 0 if the bodies touch. If
	// they overlap, Distance is negative: −Distance is the length of the shortest translation after
	// which they only touch.
	Distance float64
	// Normal is a unit vector from the first body to the second body. If the second body moves by
	// −Distance·Normal, the bodies touch. If two corners touch, Normal is the mean of the separating
	// directions.
	Normal r2.Point
	// Points are the closest points of the first and of the second body: Points[1] = Points[0] +
	// Distance·Normal. If the bodies overlap, the two points coincide after the second body moves
	// by −Distance·Normal. If both features are edges, Points are in the middle of the common
	// length.
	Points [2]r2.Point
	// Features are the features that contain the points. If a point is an end of an edge, its
	// feature is the corner. Both features are edges if the edges are parallel and face each other
	// along some length.
	Features [2]Feature
}

// Distance returns the distance of a and b, or the depth of their overlap. The relation and the
// features are exact, and they do not depend on the order of a and b. Distance and normal have a
// relative error of some units in the last place, even for small distances. The points have an
// absolute error of some units in the last place of the sizes and positions (Pose.At) of the
// bodies. If the bodies overlap, float64 selects the edge with the smallest depth. The error of the
// depth is some units in the last place of the sizes and of the distance between the positions.
//
// Distance takes constant time if the closest features changed little since the last call and the
// bodies do not touch. For bodies that overlap, it takes constant time if the overlap is much
// smaller than the bodies and the shapes have corners at similar distances. Otherwise, the time is
// logarithmic in most poses of overlapping bodies, and at most proportional to the number of
// corners. Distance allocates only if nonzero coordinates below 2^-200 must be compared exactly.
func (p *Pair) Distance(a, b *Body) (o Proximity) {
	var f frame
	f.init(a, b)
	o.Relation = Separated
	if !p.walk(&f) {
		if v, ok := f.leastDepth(p.feature); ok {
			o.Relation, p.feature = Overlapping, v
		} else {
			p.stats.Sweeps++
			o.Relation, p.feature = f.sweep()
		}
	}
	o.Features = p.feature
	f.measure(&o)
	p.count(&f)
	return o
}

func (p *Pair) count(f *frame) {
	p.stats.Calls++
	p.stats.Steps += f.steps
	p.stats.Visits += f.visits
	p.stats.Doubles += f.doubles
	p.stats.Exact += f.exact
	p.stats.Rational += f.rational
}

// Overlap is the set of the common points of two bodies.
type Overlap struct {
	// Area is 0 if and only if the bodies do not overlap. If Area is 0, all other fields are 0.
	Area     float64
	Centroid r2.Point // centroid of the area
	// Chord is the vector sum of the pieces of the first body's boundary that are inside the second
	// body, counterclockwise around the common area. Pieces that lie on both boundaries count half.
	// If the boundaries cross twice, Chord leads from one crossing to the other. If one body lies
	// inside the other body, Chord is 0.
	Chord r2.Point
}

// Normal returns the unit vector at a right angle to the chord, from the first body to the second.
// It returns zero if the chord is zero. Normal times the length of the chord is −∇Area, where ∇ is
// the gradient with respect to the place of the second body. Therefore, a force along Normal is
// conservative if it is proportional to the length of the chord.
func (o Overlap) Normal() r2.Point { return r2.Point{X: o.Chord.Y, Y: -o.Chord.X}.Normalize() }

// Overlap returns the intersection of a and b. It decides exactly whether the intersection has an
// area. Apart from the error of the crossings, the relative error of the area is below 1e-12, even
// if the area is thin. Let s be the sum of the sizes of the bodies and the distance of their
// places. Crossings have an error of 2^-100·s, divided by the sine of the angle between crossing
// edges. Apart from the error of the crossings, the error of the chord is below 1e-12 times the size
// of the intersection. If a body is thinner than 2^-40·s, Overlap computes everything exactly and
// rounds. A body can be so thin compared with s if the sizes of the bodies are very different.
//
// While the bodies move little between calls, Overlap takes constant time in two cases. In the
// first case, the bodies are separated. In the second case, their boundaries cross exactly twice,
// no corner lies on the other boundary there, and less than about half of each boundary is inside
// the other body. Otherwise, the time is proportional to the number of corners. Overlap allocates
// in the same cases as Distance, and for bodies thinner than 2^-40·s.
func (p *Pair) Overlap(a, b *Body) (o Overlap) {
	var f frame
	f.init(a, b)
	p.overlap(&f, &o)
	p.count(&f)
	return o
}

// overlap sets o, which must be zero. o is a pointer, because each copy of a new Overlap would wait
// until all its fields are computed.
func (p *Pair) overlap(f *frame, o *Overlap) {
	before := p.last
	if before == crossed && !f.thin() {
		i, j := p.cross[0].own, p.cross[0].other
		if p.follow(f, o) {
			return
		}
		// After the bodies separate, the walk starts at the crossings.
		p.feature = [2]Feature{edgeFeature(int(i)), edgeFeature(int(j))}
	}
	if p.walk(f) {
		p.last = apart
		return
	}
	thin := f.thin()
	if before == apart && !thin {
		// When the bodies begin to overlap, their boundaries first cross at the closest features.
		i, j := p.feature[0].Index, p.feature[1].Index
		p.cross = crossings{{i, j}, {j, i}}
		if p.follow(f, o) {
			return
		}
	}
	p.stats.Sweeps++
	switch {
	case f.overlap(thin, &p.cross, o):
		p.last = crossed
	case o.Area == 0:
		p.last = apart
		p.feature = f.nearest()
	default:
		p.last = other
	}
}

// follow tracks the crossings. If they are still the only ones, it sets o to the overlap and
// returns true.
func (p *Pair) follow(f *frame, o *Overlap) bool {
	var m [2]crossingPoint
	if !f.track(&p.cross, &m) || !f.lens(&p.cross, &m, o) {
		return false
	}
	p.last = crossed
	return true
}

// measure sets the other fields of o. Relation and Features must be set.
func (f *frame) measure(o *Proximity) {
	switch v := &o.Features; {
	case v[0].Edge && v[1].Edge:
		f.edgeEdge(o)
	case v[0].Edge:
		f.edgeCorner(o, 0)
	case v[1].Edge:
		f.edgeCorner(o, 1)
	default:
		f.cornerCorner(o)
	}
	if o.Relation == Touching {
		o.Distance = 0
	}
	at := f.body[0].at
	o.Points[0], o.Points[1] = o.Points[0].Add(at), o.Points[1].Add(at)
}

// outerNormal returns the outer unit normal of edge i of body k, and the length of the edge in the
// frame of the shape. The rotation changes the length by a relative error of at most 2·unit.
func (f *frame) outerNormal(k, i int) (normal r2.Point, length float64) {
	shape := f.body[k].shape
	e := shape.corners[shape.next(i)].Sub(shape.corners[i])
	length = norm(e)
	x, y := f.body[k].turn(e)
	return r2.Point{X: y / length, Y: -x / length}, length
}

// edgeDistance returns the outer unit normal of edge i of body k, and the distance of the corner c
// from the line of the edge. The distance is negative on the inner side.
func (f *frame) edgeDistance(k, i int, c *corner) (normal r2.Point, distance float64) {
	normal, length := f.outerNormal(k, i)
	p, q := f.corner(k, i), f.corner(k, f.next(k, i))
	return normal, -f.cross(&p, &q, &p, c) / length
}

// norm returns the length of p. Squares of lengths from 2^-450 to 2^450 neither overflow nor
// underflow. For other lengths, norm calls the slower p.Norm.
func norm(p r2.Point) float64 {
	if s := p.Dot(p); s >= 0x1p-900 && s <= 0x1p900 {
		return math.Sqrt(s)
	}
	return p.Norm()
}

// edgeCorner sets o for closest features that are an edge of body k and a corner.
func (f *frame) edgeCorner(o *Proximity, k int) {
	c := f.corner(1-k, int(o.Features[1-k].Index))
	n, d := f.edgeDistance(k, int(o.Features[k].Index), &c)
	p := r2.Point{X: c.x, Y: c.y}
	o.Points[1-k], o.Points[k] = p, p.Sub(n.Mul(d))
	if k == 1 {
		n = n.Mul(-1)
	}
	o.Distance, o.Normal = d, n
}

// edgeEdge sets o for closest features that are parallel edges. The points are in the middle of the
// part along which the edges face each other.
func (f *frame) edgeEdge(o *Proximity) {
	i, j := int(o.Features[0].Index), int(o.Features[1].Index)
	a, b := f.corner(0, i), f.corner(0, f.next(0, i))
	c, d := f.corner(1, j), f.corner(1, f.next(1, j))
	o.Normal, o.Distance = f.edgeDistance(0, i, &c)
	along := r2.Point{X: -o.Normal.Y, Y: o.Normal.X}
	at := func(c *corner) float64 { return along.X*(c.x-a.x) + along.Y*(c.y-a.y) }
	// The second edge has the opposite direction, so its end d comes first.
	middle := (max(0, at(&d)) + min(at(&b), at(&c))) / 2
	o.Points[0] = r2.Point{X: a.x, Y: a.y}.Add(along.Mul(middle))
	o.Points[1] = o.Points[0].Add(o.Normal.Mul(o.Distance))
}

func (f *frame) cornerCorner(o *Proximity) {
	i, j := int(o.Features[0].Index), int(o.Features[1].Index)
	a, b := f.corner(0, i), f.corner(1, j)
	o.Points = [2]r2.Point{{X: a.x, Y: a.y}, {X: b.x, Y: b.y}}
	if o.Relation == Touching {
		o.Normal = f.cornerNormal(i, j)
		return
	}
	d := f.difference(&a, &b)
	o.Distance = norm(d)
	o.Normal = d.Mul(1 / o.Distance)
	o.Points[1] = o.Points[0].Add(d)
}

// cornerNormal returns the mean of the outer normals of two edges of the Minkowski difference D
// (see edgeIterator). The two edges meet at a corner of D: corner i of the first body minus corner
// j of the second body.
func (f *frame) cornerNormal(i, j int) r2.Point {
	a, b := f.corner(0, i), f.corner(1, j)
	aNext, bNext := f.corner(0, f.next(0, i)), f.corner(1, f.next(1, j))
	aLast, bLast := f.corner(0, f.previous(0, i)), f.corner(1, f.previous(1, j))
	after, _ := f.outerNormal(0, i)
	if f.crossSign(&a, &aNext, &b, &bNext) > 0 {
		after, _ = f.outerNormal(1, j)
		after = after.Mul(-1)
	}
	before, _ := f.outerNormal(0, f.previous(0, i))
	if f.crossSign(&aLast, &a, &bLast, &b) < 0 {
		before, _ = f.outerNormal(1, f.previous(1, j))
		before = before.Mul(-1)
	}
	if after.Dot(before) >= 0 {
		return after.Add(before).Normalize()
	}
	// The sum of two almost opposite vectors is mostly rounding error, so use their difference. The
	// counterclockwise angle between the normals is less than half a turn, so the difference,
	// rotated clockwise by a right angle, has the direction of the mean.
	d := after.Sub(before)
	return r2.Point{X: d.Y, Y: -d.X}.Normalize()
}

// difference returns q−p with a small relative error.
func (f *frame) difference(p, q *corner) r2.Point {
	u := f.doubleCorner(q).sub(f.doubleCorner(p))
	if f.differenceError(p, q)+0x1p-1060 <= relativeError*max(math.Abs(u.x.hi), math.Abs(u.y.hi)) {
		return u.value()
	}
	return f.exactDifference(p, q)
}
