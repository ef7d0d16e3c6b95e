package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"
)

// pointCount is the number of points of a mesh, without the special ones.
const pointCount = 2000

// random returns the generator of a name.
func random(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// testPoints returns points that try the mesh, in random order: 800 in its box enlarged by
// 10 %, 750 at distances of 1e-1 … 1e-15 of its size from the surface on either side,
// 150 vertices, 150 midpoints of edges and 150 centroids of faces; first some that are
// not finite or far away.
func testPoints(name string, m surface) []r3.Vector {
	r := random(name)
	n := m.faces()
	lo, hi := bounds(m)
	size := hi.Sub(lo)
	diagonal := size.Norm()
	var pts []r3.Vector
	inBox := func() r3.Vector {
		return r3.Vector{
			X: lo.X + size.X*(1.1*r.Float64()-.05),
			Y: lo.Y + size.Y*(1.1*r.Float64()-.05),
			Z: lo.Z + size.Z*(1.1*r.Float64()-.05),
		}
	}
	face := func() [3]r3.Vector { return m.triangle(r.IntN(n)) }
	onSurface := pointCount - 800
	if n == 0 {
		onSurface = 0
	}
	for range pointCount - onSurface {
		pts = append(pts, inBox())
	}
	for i := range onSurface {
		switch t := face(); {
		case i < 750:
			pts = append(pts, nearFace(t, diagonal, i, r))
		case i < 900:
			pts = append(pts, t[r.IntN(3)])
		case i < 1050:
			k := r.IntN(3)
			pts = append(pts, t[k].Add(t[(k+1)%3]).Mul(.5))
		default:
			pts = append(pts, t[0].Add(t[1]).Add(t[2]).Mul(1./3))
		}
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

// nearFace returns the i-th point near a face t of a mesh of the given size.
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

func bounds(m surface) (lo, hi r3.Vector) {
	if m.faces() == 0 {
		return r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1}
	}
	lo = m.triangle(0)[0]
	hi = lo
	for f := range m.faces() {
		for _, v := range m.triangle(f) {
			lo.X, hi.X = min(lo.X, v.X), max(hi.X, v.X)
			lo.Y, hi.Y = min(lo.Y, v.Y), max(hi.Y, v.Y)
			lo.Z, hi.Z = min(lo.Z, v.Z), max(hi.Z, v.Z)
		}
	}
	return lo, hi
}
