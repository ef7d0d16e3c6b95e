package intersect

import (
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// locate returns the ends of the segment that two faces share, or a point of their common area. It
// computes each end exactly and rounds it.
func locate(t, u *mesh.Triangle, kind Kind) (from, to r3.Vector) {
	var k kernel
	points := k.contacts(nil, t, u)
	points = k.contacts(points, u, t)
	if len(points) == 0 {
		return t[0], t[0] // impossible: faces of a pair share a point
	}
	if kind == Duplicate || kind == Overlapping {
		// points are the corners of the common area. The area is convex, so it contains their mean.
		var mean r3.Vector
		for _, p := range points {
			mean = mean.Add(p.Mul(1 / float64(len(points))))
		}
		return mean, mean
	}
	// The two points with the largest distance are the ends of the segment. Equal corners come
	// first in the list.
	far := -1.0
	for i, p := range points {
		for _, q := range points[i:] {
			if d := largest(p.Sub(q)); d > far {
				from, to, far = p, q, d
			}
		}
	}
	return from, to
}

// contacts appends the points where edges and corners of t meet u. An edge in the plane of u adds
// its ends that lie on u, and its crossings with edges of u.
func (k *kernel) contacts(points []r3.Vector, t, u *mesh.Triangle) []r3.Vector {
	onU, _ := k.planeSigns(u, t)
	for i, p := range t {
		j := (i + 1) % 3
		q := t[j]
		if onU[i] == 0 && k.signs.OnCoplanar(p, u[0], u[1], u[2]) {
			points = appendNew(points, p)
		}
		switch {
		case onU[i]*onU[j] < 0 && k.reaches(p, q, onU[i], onU[j], u[0], u[1], u[2]):
			points = appendNew(points, divide(p, q, volume(u, p), volume(u, q)))
		case onU[i] == 0 && onU[j] == 0:
			axis := k.projection(u[0], u[1], u[2])
			for e, a := range u {
				b := u[(e+1)%3]
				if k.area(axis, a, b, p)*k.area(axis, a, b, q) < 0 && k.area(axis, p, q, a)*k.area(axis, p, q, b) < 0 {
					points = appendNew(points, divide(p, q, exactArea(axis, a, b, p), exactArea(axis, a, b, q)))
				}
			}
		}
	}
	return points
}

func appendNew(points []r3.Vector, p r3.Vector) []r3.Vector {
	for _, q := range points {
		if p == q {
			return points
		}
	}
	return append(points, p)
}

// divide returns the point between p and q where an affine function is 0. fp and fq are the values
// of the function at p and q, and must have different signs.
func divide(p, q r3.Vector, fp, fq *big.Float) r3.Vector {
	pp, pq := r3.PreciseVectorFromVector(p), r3.PreciseVectorFromVector(q)
	n := pq.Mul(fp).Sub(pp.Mul(fq))
	d := exact().Sub(fp, fq)
	round := func(x *big.Float) float64 {
		const digits = 120 // more than twice the precision of float64, so the second rounding hardly ever matters
		f, _ := new(big.Float).SetPrec(digits).Quo(x, d).Float64()
		return f + 0 // +0 in place of −0
	}
	return r3.Vector{X: round(n.X), Y: round(n.Y), Z: round(n.Z)}
}

// volume returns six times the signed volume of the tetrahedron that u and p form.
func volume(u *mesh.Triangle, p r3.Vector) *big.Float {
	d := r3.PreciseVectorFromVector(p)
	a := r3.PreciseVectorFromVector(u[0]).Sub(d)
	b := r3.PreciseVectorFromVector(u[1]).Sub(d)
	c := r3.PreciseVectorFromVector(u[2]).Sub(d)
	return a.Dot(b.Cross(c))
}

// exactArea returns twice the signed area of the triangle a, b, p after a projection along an axis.
func exactArea(axis int, a, b, p r3.Vector) *big.Float {
	o := r3.PreciseVectorFromVector(p)
	n := r3.PreciseVectorFromVector(a).Sub(o).Cross(r3.PreciseVectorFromVector(b).Sub(o))
	return [3]*big.Float{n.X, n.Y, n.Z}[axis]
}

// exact returns a big.Float with enough precision for exact differences, like r3.PreciseVector.
func exact() *big.Float { return new(big.Float).SetPrec(big.MaxPrec) }
