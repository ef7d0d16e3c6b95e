package voxels

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// raster finds the cells of a regular grid that a triangle meets: all of them, and
// some that it misses by no more than rounding. Cell (i, j, k) is the closed box from
// origin + (i, j, k)·spacing to origin + (i+1, j+1, k+1)·spacing.
type raster struct {
	origin, spacing [3]float64
	slack           [3]float64 // see newRaster
	scale           float64    // a power of two: the largest spacing times scale is in [1, 2)
}

// newRaster returns the raster of the n³ parts of the voxels of g.
//
// The corners of a block of cells are rounded: with C the largest |coordinate| of the
// grid along an axis, a product and a sum make 2εC each, ε = 2^−53, as do the
// rounded spacing of parts (n times smaller, counted n times as often: εC) and the
// middle and the half of the block (εC each): 8εC in all, which slack doubles so that
// centres computed by Grid.parts, off by as much, are in the box too; where numbers
// underflow they are off by so many units of the smallest one.
func newRaster(g Grid, n int) raster {
	p := g.parts(n)
	r := raster{origin: triple(g.Origin), spacing: triple(p.Spacing)}
	far := 0.0
	for k := range r.slack {
		h := r.spacing[k]
		r.slack[k] = 16*ulp*(math.Abs(r.origin[k])+float64(float64(p.Counts[k])*h)) + 16*math.SmallestNonzeroFloat64
		far = max(far, h)
	}
	_, e := math.Frexp(far)
	r.scale = math.Ldexp(1, min(max(1-e, -1022), 1023))
	return r
}

// block is a box of cells lo ≤ index < hi.
type block struct{ lo, hi [3]int }

func (b *block) empty() bool {
	return b.lo[0] >= b.hi[0] || b.lo[1] >= b.hi[1] || b.lo[2] >= b.hi[2]
}

// box returns the middle and the half size of b, grown by slack.
func (r *raster) box(b *block) (middle, half [3]float64) {
	for k := range middle {
		lo := r.origin[k] + float64(float64(b.lo[k])*r.spacing[k])
		hi := r.origin[k] + float64(float64(b.hi[k])*r.spacing[k])
		middle[k] = lo/2 + hi/2
		half[k] = hi/2 - lo/2 + r.slack[k]
	}
	return middle, half
}

// clip returns the cells of b that the box of t can meet.
func (r *raster) clip(b block, t *mesh.Triangle) block {
	for k := range b.lo {
		lo, hi := axisRange(t, k)
		// A unit of the quotient, and the slack, are less than a cell: see Grid.Check.
		first := math.Floor((lo-r.origin[k])/r.spacing[k]) - 1
		last := math.Floor((hi-r.origin[k])/r.spacing[k]) + 1
		if first > float64(b.lo[k]) {
			b.lo[k] = int(min(first, float64(b.hi[k])))
		}
		if last+1 < float64(b.hi[k]) {
			b.hi[k] = int(max(last+1, float64(b.lo[k])))
		}
	}
	return b
}

func axisRange(t *mesh.Triangle, axis int) (lo, hi float64) {
	a, b, c := triple(t[0])[axis], triple(t[1])[axis], triple(t[2])[axis]
	return min(a, b, c), max(a, b, c)
}

// each adds to m every cell of its block that t may meet, dividing the block in halves.
// Parts whose cells are all in m need no look: many triangles in the same cells take
// little more time than a few.
func (r *raster) each(t *mesh.Triangle, m *marks) {
	m.steps++
	b := r.clip(m.block, t)
	if !b.empty() {
		f := r.facet(t)
		r.divide(b, &f, m)
	}
}

// facet is a triangle, its edges and its normal, in scaled lengths but for v.
type facet struct {
	v, e [3][3]float64
	n    [3]float64
}

func (r *raster) facet(t *mesh.Triangle) (f facet) {
	for i := range t {
		f.v[i] = triple(t[i])
	}
	for i := range f.e {
		for k := range f.e[i] {
			f.e[i][k] = (f.v[(i+1)%3][k] - f.v[i][k]) * r.scale
		}
	}
	for k := range f.n {
		a, b := (k+1)%3, (k+2)%3
		f.n[k] = float64(f.e[0][a]*f.e[1][b]) - float64(f.e[0][b]*f.e[1][a])
	}
	return f
}

func (r *raster) divide(b block, f *facet, m *marks) {
	m.steps++
	if m.full(&b) {
		return
	}
	middle, half := r.box(&b)
	if r.separate(&middle, &half, f) {
		return
	}
	axis, most := 0, 0.0
	for k := range half {
		if b.hi[k]-b.lo[k] > 1 && half[k] > most {
			axis, most = k, half[k]
		}
	}
	if most == 0 {
		m.set(b.lo[0], b.lo[1], b.lo[2])
		return
	}
	low, high := b, b
	low.hi[axis] = b.lo[axis] + (b.hi[axis]-b.lo[axis])/2
	high.lo[axis] = low.hi[axis]
	r.divide(low, f, m)
	r.divide(high, f, m)
}

// separate reports that a plane lies strictly between the box and the triangle t: none of the
// thirteen that can (Akenine-Möller 2001, "Fast 3D triangle-box overlap testing") is
// believed unless it does so by more than its rounding error.
//
// All lengths are scaled, relative to the middle of the box: M is the largest
// |coordinate| of a corner v of t, H that of the box, ε = 2^−53. A corner is off by εM
// (tiny: 2^−1000 covers all underflow), an edge e ≤ 2M by less than 4εM.
//
//  1. The sides of the box: off by εM.
//  2. An edge with an axis: e_y·v_z − e_z·v_y, off by 2(4εM·M + 2M·εM) from its
//     factors and 8εM² by rounding; the radius half_y|e_z| + half_z|e_y| by
//     8εMH + 12εMH; their difference by 4εM(M+H). 32εM(M+H) is more.
//  3. The plane of t: n = e×e' ≤ 8M² is off by 48εM², n·v by
//     3(48 + 8 + 8)εM³ + 48εM³, the radius by 3·48εM²H + 120εM²H, their difference
//     by 24εM²(M+H). 512εM²(M+H) is more.
//
// What overflows is compared with an infinite or undefined error, and so not believed.
// It scales half.
func (r *raster) separate(middle, half *[3]float64, f *facet) bool {
	const tiny = 0x1p-1000
	var v [3][3]float64
	m, h := 0.0, 0.0
	for k := range half {
		half[k] *= r.scale
		h = max(h, half[k])
		for i := range v {
			v[i][k] = (f.v[i][k] - middle[k]) * r.scale
			m = max(m, math.Abs(v[i][k]))
		}
	}
	if !(m < 0x1p300) { // products of three stay finite below
		return false
	}
	for k := range half {
		if limit := half[k] + 2*ulp*m + tiny; min(v[0][k], v[1][k], v[2][k]) > limit || max(v[0][k], v[1][k], v[2][k]) < -limit {
			return true
		}
	}
	return planeMisses(&f.n, &v[0], half, 512*ulp*m*m*(m+h)+tiny) || edgesMiss(&f.e, &v, half, 32*ulp*m*(m+h)+tiny)
}

// planeMisses is step 3 of separate.
func planeMisses(n, v, half *[3]float64, off float64) bool {
	d := float64(n[0]*v[0]) + float64(n[1]*v[1]) + float64(n[2]*v[2])
	radius := float64(half[0]*math.Abs(n[0])) + float64(half[1]*math.Abs(n[1])) + float64(half[2]*math.Abs(n[2]))
	return math.Abs(d)-radius > off
}

// edgesMiss is step 2 of separate.
func edgesMiss(e, v *[3][3]float64, half *[3]float64, off float64) bool {
	for i := range e {
		for k := range half {
			a, b := (k+1)%3, (k+2)%3
			// Both ends of the edge have the same value: those of one and of the
			// opposite corner remain.
			p := float64(e[i][a]*v[i][b]) - float64(e[i][b]*v[i][a])
			o := (i + 2) % 3
			q := float64(e[i][a]*v[o][b]) - float64(e[i][b]*v[o][a])
			radius := float64(half[a]*math.Abs(e[i][b])) + float64(half[b]*math.Abs(e[i][a]))
			if min(p, q)-radius > off || max(p, q)+radius < -off {
				return true
			}
		}
	}
	return false
}

// reach returns the half diagonal of a cell, grown by slack, and by rounding.
func (r *raster) reach() float64 {
	half := r3.Vector{X: r.spacing[0]/2 + r.slack[0], Y: r.spacing[1]/2 + r.slack[1], Z: r.spacing[2]/2 + r.slack[2]}
	return math.Hypot(math.Hypot(half.X, half.Y), half.Z) * (1 + 8*ulp)
}
