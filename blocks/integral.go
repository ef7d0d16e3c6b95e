package blocks

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
)

// u is the largest relative error of a rounded operation. tiny covers operations that underflow.
const (
	u    = 0x1p-53
	tiny = 0x1p-1000
)

// share is an estimate x of a share of a block. The exact share is certainly from lo to hi.
type share struct{ x, lo, hi float64 }

// within returns the share x with an error of at most e.
func within(x, e float64) share {
	x = min(max(x, 0), 1)
	return share{x, max(0, x-e), min(1, x+e)}
}

// integrator computes integrals over one box. It is the working memory of one goroutine.
type integrator struct {
	walk   bvh.BoxWalk
	lo, hi [3]float64 // sides of the box relative to the reference point, scaled
	c      r3.Vector  // the reference point
	scale  float64    // a power of two that makes the longest side of the box about 1
	near   []mesh.Triangle
	jumps  []float64
	owners []owners // owners of the faces in near, for a partition

	p, whole, other []vertex // polygons
}

type vertex [3]float64

// references are the positions of reference points, relative to a box. They are irregular, so that edges
// and vertices of regular meshes rarely lie on axis-parallel lines through them (tuning).
var references = [...]vertex{
	{0.5078, 0.4871, 0.5191}, {0.3329, 0.6143, 0.4407}, {0.6571, 0.3817, 0.6239}, {0.1931, 0.2477, 0.7753}, {0.8171, 0.7213, 0.1819},
}

// share returns the share of the box b inside a. ok is false if the faces in b do not determine it, as for an
// open mesh.
//
// Let I be the indicator function. I(x, y, z) follows from I at a reference point by three steps parallel to
// the axes z, y and x. So its integral is the sum of three integrals: over the faces, over the segments in
// which the faces meet a horizontal plane, and over the points in which these segments meet a line. The
// errors are derived in docs/design/031-blocks.md.
func (g *integrator) share(a *shape, b bvh.Box) (s share, ok bool) {
	if a.open {
		return s, false
	}
	g.near, g.jumps = g.near[:0], g.jumps[:0]
	wide := a.grown(b)
	g.walk.Start(a.tree, wide)
	f := newBlock(b)
	e := 0.0
	for first, n, more := g.walk.Next(); more; first, n, more = g.walk.Next() {
		for k := first; k < first+n; k++ {
			t := &a.tris[k]
			if a.jumps[k] == 0 || !overlaps(t, &wide) {
				continue
			}
			if a.jumps[k] == mixed {
				return s, false
			}
			e += 4 * a.radius * f.scale * f.slimness // bound of the volume that a face sweeps when its vertices are rounded
			g.near, g.jumps = append(g.near, *t), append(g.jumps, float64(a.jumps[k]))
		}
	}
	size := b.Size()
	for _, r := range references {
		c := r3.Vector{X: b.Min.X + r[0]*size.X, Y: b.Min.Y + r[1]*size.Y, Z: b.Min.Z + r[2]*size.Z}
		if !b.Contains(c) {
			continue
		}
		d := a.set.Exact.Side(c)
		if d != inpoly.Inside && d != inpoly.Outside {
			continue
		}
		x := 0.0
		if d == inpoly.Inside {
			x = 1
		}
		if len(g.near) == 0 {
			return within(x, 0), true
		}
		if !f.valid || !g.place(b, c, f) {
			continue
		}
		v := x * f.volume
		for i := range g.near {
			part, rounding := g.part(i, f)
			v += g.jumps[i] * part
			e += rounding + u*math.Abs(v)/f.volume
		}
		if !(e < 1) {
			e = 1
		}
		return within(v/f.volume, e), true
	}
	return s, false
}

// block is a box with scaled lengths.
type block struct {
	scale    float64 // a power of two that makes the longest side about 1
	volume   float64 // scaled
	slimness float64 // sum of the reciprocals of the scaled lengths
	valid    bool    // whether the volume is in the range of float64
}

func newBlock(b bvh.Box) block {
	size := b.Size()
	_, exponent := math.Frexp(max(size.X, size.Y, size.Z))
	f := block{scale: math.Ldexp(1, min(max(-exponent, -1000), 1000))}
	length := size.Mul(f.scale)
	f.slimness = 1/length.X + 1/length.Y + 1/length.Z
	f.volume = length.X * length.Y * length.Z
	f.valid = f.volume > tiny && !math.IsInf(f.volume, 0)
	return f
}

func overlaps(t *mesh.Triangle, b *bvh.Box) bool {
	return min(t[0].X, t[1].X, t[2].X) <= b.Max.X && max(t[0].X, t[1].X, t[2].X) >= b.Min.X &&
		min(t[0].Y, t[1].Y, t[2].Y) <= b.Max.Y && max(t[0].Y, t[1].Y, t[2].Y) >= b.Min.Y &&
		min(t[0].Z, t[1].Z, t[2].Z) <= b.Max.Z && max(t[0].Z, t[1].Z, t[2].Z) >= b.Min.Z
}

// place sets the reference point. It returns false if the point is too close to a face near b.
func (g *integrator) place(b bvh.Box, c r3.Vector, f block) bool {
	g.lo, g.hi, g.c, g.scale = components(b.Min.Sub(c).Mul(f.scale)), components(b.Max.Sub(c).Mul(f.scale)), c, f.scale
	for i := range g.near {
		t := g.corners(i)
		if p, q, crosses := section(&t); crosses && nearOrigin(p, q, 4*rounding(&t)) {
			return false
		}
	}
	return true
}

// rounding bounds the errors of points on the edges of t.
func rounding(t *[3]vertex) float64 {
	m := 0.0
	for k := range t {
		m = max(m, math.Abs(t[k][0]), math.Abs(t[k][1]), math.Abs(t[k][2]))
	}
	return 16*u*m + tiny
}

// part returns the contribution of face i to the integral of I minus I at the reference point, if I jumps by 1
// at the face. It also returns a bound of the error, as a share of the volume of the box.
func (g *integrator) part(i int, f block) (v, e float64) {
	t := g.corners(i)
	e = 24*rounding(&t)*f.slimness + 128*u
	v = g.face(&t)
	if p, q, crosses := section(&t); crosses {
		hy, hz := g.hi[1]-g.lo[1], g.hi[2]-g.lo[2]
		v += hz * (g.segment(p, q) + hy*g.point(p, q))
	}
	return v, e
}

// corners returns the corners of face i relative to the reference point, scaled.
func (g *integrator) corners(i int) (t [3]vertex) {
	for k, v := range g.near[i] {
		t[k] = components(v.Sub(g.c).Mul(g.scale))
	}
	return t
}

// face integrates over the part of a face in the box, projected along z. The integrand is z−lo below the
// reference point, and z−hi above it. The projected area is positive if the normal points up.
func (g *integrator) face(t *[3]vertex) float64 {
	g.p = append(g.p[:0], t[:]...)
	for axis := range 3 {
		g.clip(axis, g.lo[axis], 1)
		g.clip(axis, g.hi[axis], -1)
	}
	if len(g.p) < 3 {
		return 0
	}
	g.whole = append(g.whole[:0], g.p...)
	sum := 0.0
	for _, sign := range [2]float64{-1, 1} {
		g.p = append(g.p[:0], g.whole...)
		g.clip(2, 0, sign)
		limit := g.lo[2]
		if sign > 0 {
			limit = g.hi[2]
		}
		for k := 2; k < len(g.p); k++ {
			a, b, c := &g.p[0], &g.p[k-1], &g.p[k]
			area := ((b[0]-a[0])*(c[1]-a[1]) - (c[0]-a[0])*(b[1]-a[1])) / 2
			sum += area * ((a[2]+b[2]+c[2])/3 - limit)
		}
	}
	return sum
}

// clip keeps the part of the polygon p where sign·(coordinate − limit) ≥ 0.
func (g *integrator) clip(axis int, limit, sign float64) {
	out := false
	for i := range g.p {
		out = out || (g.p[i][axis]-limit)*sign < 0
	}
	if !out {
		return
	}
	g.other, g.p = g.p, g.other[:0]
	for i := range g.other {
		a, b := &g.other[i], &g.other[(i+1)%len(g.other)]
		da, db := (a[axis]-limit)*sign, (b[axis]-limit)*sign
		if da >= 0 {
			g.p = append(g.p, *a)
		}
		if da < 0 != (db < 0) {
			v := between(a, b, da/(da-db))
			v[axis] = limit
			g.p = append(g.p, v)
		}
	}
}

// between returns a + t·(b−a).
func between(a, b *vertex, t float64) (v vertex) {
	for k := range v {
		v[k] = a[k] + float64(t*(b[k]-a[k]))
	}
	return v
}

// section returns the ends of the segment in which a face meets the horizontal plane through the reference
// point, in the direction of the product of the normal and the z axis. A corner in the plane counts as
// below it. Two faces with a common edge compute the same end.
func section(t *[3]vertex) (from, to vertex, ok bool) {
	for k := range t {
		a, b := &t[k], &t[(k+1)%3]
		switch up, next := a[2] > 0, b[2] > 0; {
		case !up && next:
			from, ok = between(a, b, a[2]/(a[2]-b[2])), true
		case up && !next:
			to = between(b, a, b[2]/(b[2]-a[2]))
		}
	}
	return from, to, ok
}

// nearOrigin reports whether the segment pq of the plane z = 0 can be within d of the origin.
func nearOrigin(p, q vertex, d float64) bool {
	if min(p[0], q[0]) > d || max(p[0], q[0]) < -d || min(p[1], q[1]) > d || max(p[1], q[1]) < -d {
		return false
	}
	length := math.Hypot(q[0]-p[0], q[1]-p[1])
	// The rounding of the product is below 4u times the product of the lengths of p and q.
	return !(math.Abs(p[0]*q[1]-p[1]*q[0]) > 2*d*length+8*u*math.Hypot(p[0], p[1])*math.Hypot(q[0], q[1]))
}

// segment integrates along x over the part of the segment pq in the box. The integrand is y−lo
// before the reference point, and y−hi beyond it.
func (g *integrator) segment(p, q vertex) (sum float64) {
	p, q, ok := trim(p, q, 0, g.lo[0], g.hi[0])
	if ok {
		p, q, ok = trim(p, q, 1, g.lo[1], g.hi[1])
	}
	if !ok {
		return 0
	}
	if a, b, ok := trim(p, q, 1, g.lo[1], 0); ok {
		sum += (b[0] - a[0]) * ((a[1]+b[1])/2 - g.lo[1])
	}
	if a, b, ok := trim(p, q, 1, 0, g.hi[1]); ok {
		sum += (b[0] - a[0]) * ((a[1]+b[1])/2 - g.hi[1])
	}
	return sum
}

// trim returns the part of the segment pq whose coordinate is from lo to hi.
func trim(p, q vertex, axis int, lo, hi float64) (a, b vertex, ok bool) {
	if max(p[axis], q[axis]) < lo || min(p[axis], q[axis]) > hi {
		return p, q, false
	}
	at := func(limit float64) vertex {
		v := between(&p, &q, (limit-p[axis])/(q[axis]-p[axis]))
		v[axis] = limit
		return v
	}
	end := func(v vertex) vertex {
		switch {
		case v[axis] < lo:
			return at(lo)
		case v[axis] > hi:
			return at(hi)
		}
		return v
	}
	return end(p), end(q), true
}

// point returns x−lo or x−hi, with a sign, if the segment pq crosses the line through the reference point
// along x.
func (g *integrator) point(p, q vertex) float64 {
	up := q[1] > 0
	if up == (p[1] > 0) {
		return 0
	}
	x := p[0] + p[1]/(p[1]-q[1])*(q[0]-p[0])
	sign := 1.0 // the normal points to smaller x if the segment goes up
	if !up {
		sign = -1
	}
	switch {
	case x < g.lo[0] || x > g.hi[0]:
		return 0
	case x > 0:
		return sign * (g.hi[0] - x)
	}
	return sign * (g.lo[0] - x)
}
