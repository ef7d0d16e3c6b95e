package voxels

import (
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// raster finds all cells of a regular grid that a triangle intersects. Because of rounding, it can
// also find cells that the triangle narrowly misses. Cell (i, j, k) is the closed box from origin +
// (i, j, k)·spacing to origin + (i+1, j+1, k+1)·spacing.
type raster struct {
	origin, spacing [3]float64
	slack           [3]float64 // newRaster explains the slack
	margin          float64    // largest error of a vertex
	scale           float64    // power of two such that the largest spacing times scale is in [1, 2)
}

// newRaster returns the raster of the n³ parts of the voxels of g, for triangles whose vertices have errors of at most
// margin. If the exact triangle meets a box, the given triangle meets the box enlarged by the margin.
//
// The slack is the margin plus at least twice the rounding error of a corner of a block. This rounding error is at
// most 8uC, where C is the largest absolute coordinate of the grid along the axis and u = 2^−53.
// The box of a part, enlarged by the slack, therefore contains the center that Grid.partCenters
// computes. docs/design/009-voxels.md has the derivation.
func newRaster(g Grid, n int, margin float64) raster {
	p := g.partCenters(n)
	r := raster{origin: components(g.Origin), spacing: components(p.Spacing), margin: margin}
	far := 0.0
	for k := range r.slack {
		h := r.spacing[k]
		r.slack[k] = 16*ulp*(math.Abs(r.origin[k])+float64(float64(p.Counts[k])*h)) + 16*math.SmallestNonzeroFloat64 + margin*(1+4*ulp)
		far = max(far, h)
	}
	_, e := math.Frexp(far)
	r.scale = math.Ldexp(1, min(max(1-e, -1022), 1023))
	return r
}

// box returns the middle and the half size of the box of b. The half size includes the slack.
func (r *raster) box(b *block) (middle, half [3]float64) {
	for k := range middle {
		lo := r.origin[k] + float64(float64(b.lo[k])*r.spacing[k])
		hi := r.origin[k] + float64(float64(b.hi[k])*r.spacing[k])
		middle[k] = lo/2 + hi/2
		half[k] = hi/2 - lo/2 + r.slack[k]
	}
	return middle, half
}

// clip returns the cells of b that the bounding box of t can intersect.
func (r *raster) clip(b block, t *mesh.Triangle) block {
	for k := range b.lo {
		x, y, z := components(t[0])[k], components(t[1])[k], components(t[2])[k]
		lo, hi := min(x, y, z)-r.margin, max(x, y, z)+r.margin
		// The −1 and the +1 cover the slack and the rounding errors of the quotients. Because of
		// Grid.Check, the sum of these errors is less than one cell.
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

// mark adds to m every cell of the block of m that t can intersect. It bisects the block
// recursively and skips boxes whose cells are all in m already. So if many triangles meet the same
// cells, the time depends little on their number.
func (r *raster) mark(t *mesh.Triangle, m *bitset) {
	m.steps++
	b := r.clip(m.block, t)
	if !b.empty() {
		f := r.scaled(t)
		r.divide(b, &f, m)
	}
}

// scaledTriangle is a triangle with the vertices v, the edges e and the normal n. The edges and the
// normal are scaled by raster.scale.
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

// separate reports whether a plane strictly separates the box and the triangle f. It tests the
// thirteen planes of Akenine-Möller 2001, "Fast 3D triangle-box overlap testing", and accepts only
// a distance that exceeds the rounding error. It scales the half size of the box in place.
//
// Lengths are scaled and relative to the middle of the box. M is the largest absolute coordinate of
// a corner, H is the largest half size of the box, and u = 2^−53. The rounding errors are below
//
//  1. 2uM for the sides of the box,
//  2. 32uM(M+H) for the planes through an edge and parallel to an axis,
//  3. 512uM²(M+H) for the plane of the triangle.
//
// docs/design/009-voxels.md derives these bounds. On overflow a bound is infinite or NaN, so the
// plane is rejected.
func (r *raster) separate(middle, half *[3]float64, f *scaledTriangle) bool {
	const tiny = 0x1p-1000 // covers underflow
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
	if !(m < 0x1p300) { // products of three such numbers are finite
		return false
	}
	for k := range half {
		if limit := half[k] + 2*ulp*m + tiny; min(v[0][k], v[1][k], v[2][k]) > limit || max(v[0][k], v[1][k], v[2][k]) < -limit {
			return true
		}
	}
	return planeMisses(&f.n, &v[0], half, 512*ulp*m*m*(m+h)+tiny) || edgesMiss(&f.e, &v, half, 32*ulp*m*(m+h)+tiny)
}

// planeMisses reports whether the plane of the triangle strictly separates the triangle from the
// box.
func planeMisses(n, v, half *[3]float64, rounding float64) bool {
	d := float64(n[0]*v[0]) + float64(n[1]*v[1]) + float64(n[2]*v[2])
	radius := float64(half[0]*math.Abs(n[0])) + float64(half[1]*math.Abs(n[1])) + float64(half[2]*math.Abs(n[2]))
	return math.Abs(d)-radius > rounding
}

// edgesMiss reports whether a plane through an edge and parallel to an axis strictly separates the
// triangle from the box.
func edgesMiss(e, v *[3][3]float64, half *[3]float64, rounding float64) bool {
	for i := range e {
		for k := range half {
			a, b := (k+1)%3, (k+2)%3
			// Both ends of the edge have the projection p onto the normal of the plane. The opposite
			// corner has the projection q.
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

// halfDiagonal returns an upper bound of half the diagonal of a cell that is enlarged by the slack.
func (r *raster) halfDiagonal() float64 {
	half := r3.Vector{X: r.spacing[0]/2 + r.slack[0], Y: r.spacing[1]/2 + r.slack[1], Z: r.spacing[2]/2 + r.slack[2]}
	return math.Hypot(math.Hypot(half.X, half.Y), half.Z) * (1 + 8*ulp)
}

// block is a box of cells with lo ≤ index < hi.
type block struct{ lo, hi [3]int }

func (b *block) empty() bool {
	return b.lo[0] >= b.hi[0] || b.lo[1] >= b.hi[1] || b.lo[2] >= b.hi[2]
}

func (b *block) len() int { return (b.hi[0] - b.lo[0]) * (b.hi[1] - b.lo[1]) * (b.hi[2] - b.lo[2]) }

// index returns the position of cell (i, j, k) in the order of forEach.
func (b *block) index(i, j, k int) int {
	return i - b.lo[0] + (b.hi[0]-b.lo[0])*(j-b.lo[1]+(b.hi[1]-b.lo[1])*(k-b.lo[2]))
}

// cell returns the cell with the position n. It is the inverse of index.
func (b *block) cell(n int) (i, j, k int) {
	nx, ny := b.hi[0]-b.lo[0], b.hi[1]-b.lo[1]
	return b.lo[0] + n%nx, b.lo[1] + n/nx%ny, b.lo[2] + n/nx/ny
}

// forEach calls f for every cell of b. The index i runs fastest.
func (b *block) forEach(f func(i, j, k int)) {
	for k := b.lo[2]; k < b.hi[2]; k++ {
		for j := b.lo[1]; j < b.hi[1]; j++ {
			for i := b.lo[0]; i < b.hi[0]; i++ {
				f(i, j, k)
			}
		}
	}
}

// bitset is a set of cells of a block. It needs one bit for each cell of the block.
type bitset struct {
	block block
	words []uint64
	steps int // number of boxes that raster.mark visited since the caller reset steps
}

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

// maxScan is the largest number of cells that bitset.full checks.
const maxScan = 1 << 12 // tuning

// full reports whether m contains all cells of b, which is a part of the block of m. It returns
// false if b has more than maxScan cells.
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
