package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

const pointCount = 2000

// testPoints returns n+7 points for a soup that has faces. The random numbers depend only on
// seedName. Seven special points come first: two points that are not finite, one distant point, the
// center of the bounding box, the origin and two corners of the box. All other points are shuffled.
// Of 2,000 points:
//
//   - 800 are in the bounding box, which is enlarged by 10 %
//   - 750 are on both sides of the surface, at distances of 1e-1 to 1e-15 box diagonals
//   - 150 are vertices, 150 midpoints of edges and 150 centroids of faces
func testPoints(seedName string, soup *mesh.Soup, n int) []r3.Vector {
	h := fnv.New64a()
	h.Write([]byte(seedName))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	lo, hi := bounds(soup)
	size := hi.Sub(lo)
	var pts []r3.Vector
	for k := range n {
		i := k * pointCount / n // its place among 2,000 points
		f := soup.Faces[r.IntN(len(soup.Faces))]
		t := [3]r3.Vector{soup.Vertices[f[0]], soup.Vertices[f[1]], soup.Vertices[f[2]]}
		p := t[0].Add(t[1]).Add(t[2]).Mul(1. / 3)
		switch v := r.IntN(3); {
		case i < 800:
			p.X = lo.X + size.X*(1.1*r.Float64()-.05)
			p.Y = lo.Y + size.Y*(1.1*r.Float64()-.05)
			p.Z = lo.Z + size.Z*(1.1*r.Float64()-.05)
		case i < 1550:
			p = nearFace(t, size.Norm(), k, r)
		case i < 1700:
			p = t[v]
		case i < 1850:
			p = t[v].Add(t[(v+1)%3]).Mul(.5)
		}
		pts = append(pts, p)
	}
	r.Shuffle(len(pts), func(i, j int) { pts[i], pts[j] = pts[j], pts[i] })
	middle := lo.Add(hi).Mul(.5)
	special := []r3.Vector{
		{X: math.NaN(), Y: middle.Y, Z: middle.Z},
		{X: middle.X, Y: math.Inf(1), Z: middle.Z},
		{X: 1e300, Y: -1e300, Z: 1e300},
		middle, {}, lo, hi,
	}
	return append(special, pts...)
}

// nearFace returns a point near face t. Its distance and its side depend on i.
func nearFace(t [3]r3.Vector, diagonal float64, i int, r *rand.Rand) r3.Vector {
	u, v := r.Float64(), r.Float64()
	if u+v > 1 {
		u, v = 1-u, 1-v
	}
	p := t[0].Mul(1 - u - v).Add(t[1].Mul(u)).Add(t[2].Mul(v))
	normal := t[1].Sub(t[0]).Cross(t[2].Sub(t[0]))
	if l := normal.Norm(); l > 0 {
		normal = normal.Mul(1 / l)
	} else {
		normal = r3.Vector{X: 1}
	}
	off := diagonal * math.Pow(10, -1-float64(i%15))
	if i/15%2 == 1 {
		off = -off
	}
	return p.Add(normal.Mul(off))
}

func bounds(soup *mesh.Soup) (lo, hi r3.Vector) {
	lo = r3.Vector{X: math.Inf(1), Y: math.Inf(1), Z: math.Inf(1)}
	hi = lo.Mul(-1)
	for _, f := range soup.Faces {
		for _, i := range f {
			v := soup.Vertices[i]
			lo = r3.Vector{X: min(lo.X, v.X), Y: min(lo.Y, v.Y), Z: min(lo.Z, v.Z)}
			hi = r3.Vector{X: max(hi.X, v.X), Y: max(hi.Y, v.Y), Z: max(hi.Z, v.Z)}
		}
	}
	return lo, hi
}
