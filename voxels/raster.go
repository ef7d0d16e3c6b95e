package voxels

import (
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// raster finds the cells of a regular grid that a triangle meets. It finds all of them,
// and may find cells that the triangle misses by no more than rounding. Cell (i, j, k)
// is the closed box from origin + (i, j, k)·spacing to origin + (i+1, j+1, k+1)·spacing.
type raster struct {
	origin, spacing [3]float64
	slack           [3]float64 // see newRaster
	scale           float64    // a power of two: the largest spacing times scale is in [1, 2)
}

// newRaster returns the raster of the n³ parts of the voxels of g.
//
// The corners of a block of cells are rounded. Let C be the largest |coordinate| of the
// grid along an axis and ε = 2^−53. A product and a sum have an error of 2εC each; the
// rounded spacing of parts (n times smaller, counted n times as often) has εC, the middle
// and the half size of the block have εC each: 8εC in all. The slack is twice that, so
// that the centers that Grid.partCenters computes, which have the same error, lie in the
// box too. If numbers underflow, the errors are the same multiples of the smallest
// positive number.
func newRaster(g Grid, n int) raster {
	p := g.partCenters(n)
	r := raster{origin: components(g.Origin), spacing: components(p.Spacing)}
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

// box returns the middle and the half size of b, enlarged by the slack.
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
		// A unit of the quotient and the slack are each less than a cell: see Grid.Check.
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
	a, b, c := components(t[0])[axis], components(t[1])[axis], components(t[2])[axis]
	return min(a, b, c), max(a, b, c)
}

// mark adds to m every cell of its block that t may meet, by dividing the block in
// halves. Parts of the block whose cells are all in m are skipped, so many triangles in
// the same cells take little longer than a few.
func (r *raster) mark(t *mesh.Triangle, m *bitset) {
	m.steps++
	b := r.clip(m.block, t)
	if !b.empty() {
		f := r.scaled(t)
		r.divide(b, &f, m)
	}
}

// scaledTriangle is a triangle with its edges and its normal. Edges and normal are
// scaled by raster.scale, vertices are not.
type scaledTriangle struct {
	v, e [3][3]float64
	n    [3]float64
}

func (r *raster) scaled(t *mesh.Triangle) (f scaledTriangle) {
	for i := range t {
		f.v[i] = components(t[i])
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

func (r *raster) divide(b block, f *scaledTriangle, m *bitset) {
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

// separate reports whether a plane lies strictly between the box and the triangle f. It
// tries the thirteen planes of Akenine-Möller 2001, "Fast 3D triangle-box overlap
// testing", and accepts one only if it separates by more than the rounding error. It
// scales half.
//
// All lengths are scaled, and relative to the middle of the box. M is the largest
// |coordinate| of a corner v of f, H is the largest |coordinate| of the box, and ε =
// 2^−53. A corner has an error of εM (tiny = 2^−1000 covers all underflow). An edge e ≤
// 2M has an error below 4εM.
//
//  1. The sides of the box: an error of εM.
//  2. An edge with an axis: e_y·v_z − e_z·v_y has 2(4εM·M + 2M·εM) from its
//     factors and 8εM² by rounding; the radius half_y|e_z| + half_z|e_y| has
//     8εMH + 12εMH; their difference 4εM(M+H). 32εM(M+H) is more.
//  3. The plane of f: n = e×e' ≤ 8M² has 48εM², n·v has
//     3(48 + 8 + 8)εM³ + 48εM³, the radius 3·48εM²H + 120εM²H, their difference
//     24εM²(M+H). 512εM²(M+H) is more.
//
// On overflow the error is infinite or NaN, and the plane is not accepted.
func (r *raster) separate(middle, half *[3]float64, f *scaledTriangle) bool {
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
func planeMisses(n, v, half *[3]float64, rounding float64) bool {
	d := float64(n[0]*v[0]) + float64(n[1]*v[1]) + float64(n[2]*v[2])
	radius := float64(half[0]*math.Abs(n[0])) + float64(half[1]*math.Abs(n[1])) + float64(half[2]*math.Abs(n[2]))
	return math.Abs(d)-radius > rounding
}

// edgesMiss is step 2 of separate.
func edgesMiss(e, v *[3][3]float64, half *[3]float64, rounding float64) bool {
	for i := range e {
		for k := range half {
			a, b := (k+1)%3, (k+2)%3
			// Both ends of the edge have the same value, so two values remain: the value
			// of one end and the value of the opposite corner.
			p := float64(e[i][a]*v[i][b]) - float64(e[i][b]*v[i][a])
			o := (i + 2) % 3
			q := float64(e[i][a]*v[o][b]) - float64(e[i][b]*v[o][a])
			radius := float64(half[a]*math.Abs(e[i][b])) + float64(half[b]*math.Abs(e[i][a]))
			if min(p, q)-radius > rounding || max(p, q)+radius < -rounding {
				return true
			}
		}
	}
	return false
}

// halfDiagonal returns an upper bound of half the diagonal of a cell, with the slack.
func (r *raster) halfDiagonal() float64 {
	half := r3.Vector{X: r.spacing[0]/2 + r.slack[0], Y: r.spacing[1]/2 + r.slack[1], Z: r.spacing[2]/2 + r.slack[2]}
	return math.Hypot(math.Hypot(half.X, half.Y), half.Z) * (1 + 8*ulp)
}

// block is a box of cells lo ≤ index < hi.
type block struct{ lo, hi [3]int }

func (b *block) empty() bool {
	return b.lo[0] >= b.hi[0] || b.lo[1] >= b.hi[1] || b.lo[2] >= b.hi[2]
}

// len returns the number of cells of b.
func (b *block) len() int { return (b.hi[0] - b.lo[0]) * (b.hi[1] - b.lo[1]) * (b.hi[2] - b.lo[2]) }

// index returns the number of a cell of b in the order of forEach.
func (b *block) index(i, j, k int) int {
	return i - b.lo[0] + (b.hi[0]-b.lo[0])*(j-b.lo[1]+(b.hi[1]-b.lo[1])*(k-b.lo[2]))
}

// cell is the inverse of index.
func (b *block) cell(n int) (i, j, k int) {
	nx, ny := b.hi[0]-b.lo[0], b.hi[1]-b.lo[1]
	return b.lo[0] + n%nx, b.lo[1] + n/nx%ny, b.lo[2] + n/nx/ny
}

// forEach calls f for every cell of b, x fastest.
func (b *block) forEach(f func(i, j, k int)) {
	for k := b.lo[2]; k < b.hi[2]; k++ {
		for j := b.lo[1]; j < b.hi[1]; j++ {
			for i := b.lo[0]; i < b.hi[0]; i++ {
				f(i, j, k)
			}
		}
	}
}

// bitset is a set of cells of a block, with one bit a cell. Its size does not depend on
// how many triangles meet a cell.
type bitset struct {
	block block
	words []uint64
	steps int // boxes visited by raster.mark since the caller set it to 0
}

// reset makes m an empty set of cells of b.
func (m *bitset) reset(b block) {
	m.block = b
	m.words = grow(m.words, (b.len()+63)/64)
	clear(m.words)
}

func (m *bitset) set(i, j, k int) {
	n := m.block.index(i, j, k)
	m.words[n/64] |= 1 << (n % 64)
}

func (m *bitset) has(i, j, k int) bool { return m.hasIndex(m.block.index(i, j, k)) }

func (m *bitset) hasIndex(n int) bool { return m.words[n/64]>>(n%64)&1 == 1 }

// maxScan is the largest number of cells that full looks at: the work of a few boxes.
const maxScan = 1 << 12 // tuning

// full reports whether b, a part of the block of m, has at most maxScan cells and m
// contains all of them.
func (m *bitset) full(b *block) bool {
	if b.len() > maxScan {
		return false
	}
	for k := b.lo[2]; k < b.hi[2]; k++ {
		for j := b.lo[1]; j < b.hi[1]; j++ {
			n := m.block.index(b.lo[0], j, k)
			if !m.hasAll(n, n+b.hi[0]-b.lo[0]) {
				return false
			}
		}
	}
	return true
}

// hasAll reports whether m contains all cells with from ≤ index < to.
func (m *bitset) hasAll(from, to int) bool {
	for from < to {
		length := min(64-from%64, to-from)
		if bits.TrailingZeros64(^(m.words[from/64] >> (from % 64))) < length {
			return false
		}
		from += length
	}
	return true
}
