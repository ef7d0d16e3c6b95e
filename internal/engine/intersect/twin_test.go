package intersect

import (
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// The functions in this file classify pairs of faces with rational numbers. They compute the common
// points of two triangles by clipping, so they share no step with the tested code.

type ratVector [3]*big.Rat

func toRat(v r3.Vector) ratVector {
	r := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	return ratVector{r(v.X), r(v.Y), r(v.Z)}
}

func (a ratVector) minus(b ratVector) (d ratVector) {
	for i := range d {
		d[i] = new(big.Rat).Sub(a[i], b[i])
	}
	return d
}

// between returns a + s·(b−a).
func between(a, b ratVector, s *big.Rat) (p ratVector) {
	d := b.minus(a)
	for i := range p {
		p[i] = new(big.Rat).Add(a[i], d[i].Mul(d[i], s))
	}
	return p
}

func (a ratVector) dot(b ratVector) *big.Rat {
	sum := new(big.Rat)
	for i := range a {
		sum.Add(sum, new(big.Rat).Mul(a[i], b[i]))
	}
	return sum
}

func (a ratVector) cross(b ratVector) (c ratVector) {
	for i := range c {
		j, k := (i+1)%3, (i+2)%3
		c[i] = new(big.Rat).Sub(new(big.Rat).Mul(a[j], b[k]), new(big.Rat).Mul(a[k], b[j]))
	}
	return c
}

func (a ratVector) equal(b ratVector) bool {
	return a[0].Cmp(b[0]) == 0 && a[1].Cmp(b[1]) == 0 && a[2].Cmp(b[2]) == 0
}

func (a ratVector) zero() bool { return a[0].Sign() == 0 && a[1].Sign() == 0 && a[2].Sign() == 0 }

// clip returns the part of a convex polygon where n·(x−o) ≥ 0. The polygon can have 1 or 2 corners.
func clip(polygon []ratVector, o, n ratVector) (out []ratVector) {
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		hp, hq := n.dot(p.minus(o)), n.dot(q.minus(o))
		if hp.Sign() >= 0 {
			out = append(out, p)
		}
		if hp.Sign()*hq.Sign() < 0 {
			out = append(out, between(p, q, new(big.Rat).Quo(hp, new(big.Rat).Sub(hp, hq))))
		}
	}
	return out
}

// common returns the corners of the common points of two triangles, in order and without equal
// neighbors.
func common(t, u [3]ratVector) (points []ratVector) {
	n := t[1].minus(t[0]).cross(t[2].minus(t[0]))
	points = clip(u[:], t[0], n)
	points = clip(points, t[0], ratVector{}.opposite(n))
	for i, p := range t {
		points = clip(points, p, n.cross(t[(i+1)%3].minus(p)))
	}
	var distinct []ratVector
next:
	for _, p := range points {
		for _, q := range distinct {
			if p.equal(q) {
				continue next
			}
		}
		distinct = append(distinct, p)
	}
	return distinct
}

func (ratVector) opposite(n ratVector) (m ratVector) {
	for i := range m {
		m[i] = new(big.Rat).Neg(n[i])
	}
	return m
}

// inside reports whether p, a point in the plane of t, lies strictly inside t.
func inside(p ratVector, t [3]ratVector) bool {
	n := t[1].minus(t[0]).cross(t[2].minus(t[0]))
	for i, a := range t {
		if n.cross(t[(i+1)%3].minus(a)).dot(p.minus(a)).Sign() <= 0 {
			return false
		}
	}
	return true
}

// twin returns the kind of two faces of m, or none.
func twin(m *mesh.Mesh, f, g int32) Kind {
	var t, u [3]ratVector
	for i := range 3 {
		t[i], u[i] = toRat(m.Vertices[m.Faces[f][i]]), toRat(m.Vertices[m.Faces[g][i]])
	}
	nt, nu := t[1].minus(t[0]).cross(t[2].minus(t[0])), u[1].minus(u[0]).cross(u[2].minus(u[0]))
	if nt.zero() || nu.zero() {
		return none
	}
	var shared []ratVector
	for _, p := range t {
		for _, q := range u {
			if p.equal(q) {
				shared = append(shared, p)
			}
		}
	}
	if len(shared) == 3 {
		return Duplicate
	}
	points := common(t, u)
	if len(points) == 0 {
		return none
	}
	area := false
	for i := 2; i < len(points); i++ {
		area = area || !points[1].minus(points[0]).cross(points[i].minus(points[0])).zero()
	}
	if area {
		return Overlapping
	}
	// The common points are a point or a segment. If all their corners are common vertices, the
	// faces meet only as neighbors.
	extra := false
	for _, p := range points {
		found := false
		for _, q := range shared {
			found = found || p.equal(q)
		}
		extra = extra || !found
	}
	if !extra {
		return none
	}
	middle := points[0]
	if len(points) > 1 {
		middle = between(points[0], points[1], big.NewRat(1, 2))
	}
	if !nt.cross(nu).zero() && inside(middle, t) && inside(middle, u) {
		return Crossing
	}
	return Touching
}
