package cells

import (
	"math"

	"github.com/inpoly/inpoly/mesh"
)

// facet is a triangle in the coordinates of the first level, for finding its
// cells and its plane in them.
type facet struct {
	a      [3]float64 // first vertex
	b, c   [3]float64 // the others, from a
	n      [3]float64 // b×c
	lo, hi [3]float64 // box
	size   float64    // longest component of the edges at a
	sum    float64    // |n_x| + |n_y| + |n_z|
	off    float64    // bound of the error of a component of n
	face   int32
}

// prepare sets t to triangle tri.
//
// Vertices are off by δ = 2^−51·T, T the extent of the grid, E ≤ T the longest
// component of an edge: edges are off by 2δ + 2^−53·E, products of two
// components by 2·E·(2δ + 2^−53·E)(1+2^−52), and rounding two products and a
// difference adds 4·2^−53·E². So a component of n is off by
// 8Eδ + 10·2^−53·E² < 2^−47·E·T.
func (t *facet) prepare(f *frame, tri *mesh.Triangle, face int32) {
	ax, ay, az := f.at(tri[0])
	bx, by, bz := f.at(tri[1])
	cx, cy, cz := f.at(tri[2])
	t.a = [3]float64{ax, ay, az}
	t.lo = [3]float64{min(ax, bx, cx), min(ay, by, cy), min(az, bz, cz)}
	t.hi = [3]float64{max(ax, bx, cx), max(ay, by, cy), max(az, bz, cz)}
	bx, by, bz = bx-ax, by-ay, bz-az
	cx, cy, cz = cx-ax, cy-ay, cz-az
	t.b, t.c = [3]float64{bx, by, bz}, [3]float64{cx, cy, cz}
	t.n = [3]float64{
		float64(by*cz) - float64(bz*cy),
		float64(bz*cx) - float64(bx*cz),
		float64(bx*cy) - float64(by*cx),
	}
	t.size = max(math.Abs(bx), math.Abs(by), math.Abs(bz), math.Abs(cx), math.Abs(cy), math.Abs(cz))
	t.sum = math.Abs(t.n[0]) + math.Abs(t.n[1]) + math.Abs(t.n[2])
	t.off = 0x1p-47 * t.size * max(f.lim[0], f.lim[1], f.lim[2])
	t.face = face
}

// offset returns n·(x−a) for the coordinates x of the first level, and a bound
// of its error for every point whose coordinates are within half of x, each.
//
// Let D be the longest component of x−a. The error of n costs 3·off·(D+1/2), a
// itself |n|·δ ≤ sum·2^−51·T, the subtraction and five roundings sum·6·2^−53·D.
// D and T are taken together: D ≤ T.
func (t *facet) offset(f *frame, x, y, z float64) (s, bound float64) {
	x, y, z = x-t.a[0], y-t.a[1], z-t.a[2]
	s = float64(t.n[0]*x) + float64(t.n[1]*y) + float64(t.n[2]*z)
	d := max(math.Abs(x), math.Abs(y), math.Abs(z)) + 0.5
	return s, 3*t.off*d + t.sum*0x1p-50*max(f.lim[0], f.lim[1], f.lim[2])
}

// fewCells is up to how many cells cover takes without looking at the edges.
const fewCells = 7

// cover calls emit for the cells of a level, from lo to hi on each axis, that
// the triangle may meet: those whose enlarged boxes overlap the box of the
// triangle and meet its plane and, where there are many, its shadows on the three
// coordinate planes. scale is the number of cells of that level along an edge of
// one of the first level (below 1 for bricks).
func (t *facet) cover(f *frame, scale float64, lo, hi [3]int32, emit func(i, j, k int32)) {
	for a := range 3 {
		lo[a] = max(lo[a], int32(math.Floor(float64(t.lo[a]*scale)-slack)))
		hi[a] = min(hi[a], int32(math.Floor(float64(t.hi[a]*scale)+slack)))
		if lo[a] > hi[a] {
			return
		}
	}
	if lo == hi {
		emit(lo[0], lo[1], lo[2])
		return
	}
	edge := 1 / scale
	half := edge * (0.5 + slack)
	extent := max(f.lim[0], f.lim[1], f.lim[2])
	// The farthest cell decides the bound for all of them.
	d := t.size + 2*edge
	reach := t.sum*half + 3*t.off*(d+half) + t.sum*0x1p-50*extent
	var shadows [3]shadow
	many := int(hi[0]-lo[0]+1)*int(hi[1]-lo[1]+1)*int(hi[2]-lo[2]+1) > fewCells
	if many {
		for axis := range shadows {
			shadows[axis].prepare(t, axis, half, 0x1p-46*extent*d)
		}
	}
	centre := func(axis int, i int32) float64 { return (float64(i)+0.5)*edge - t.a[axis] }
	for k := lo[2]; k <= hi[2]; k++ {
		z := centre(2, k)
		for j := lo[1]; j <= hi[1]; j++ {
			y := centre(1, j)
			if many && !shadows[0].meets(y, z) {
				continue
			}
			s := t.n[2]*z + t.n[1]*y
			for i := lo[0]; i <= hi[0]; i++ {
				x := centre(0, i)
				if v := s + t.n[0]*x; v <= reach && v >= -reach &&
					(!many || shadows[1].meets(z, x) && shadows[2].meets(x, y)) {
					emit(i, j, k)
				}
			}
		}
	}
}

// shadow is the projection of a triangle along an axis, with the first vertex at
// the origin: for each edge, the function that is 0 on it and area on the third
// vertex, and the interval that its values may have at the centres of squares
// that meet the triangle.
//
// Let E be the longest component of the edges and D the largest distance of a
// centre from the first vertex, D ≥ E. Coordinates are off by δ = 2^−51·T, edges by
// 2δ + 2^−53·E, T the extent of the grid; a function is off by
// 2(D(2δ + 2^−53·E) + E(δ + 2^−53·D)) + 6·2^−53·D·E < 2^−47·D·T, area by less than
// that, and the difference of two vertices costs no more: bound = 2^−46·D·T.
type shadow struct {
	u, v   [3]float64 // the edge functions are u·y − v·x + w
	w      [3]float64
	lo, hi [3]float64
}

func (s *shadow) prepare(t *facet, axis int, half, bound float64) {
	i, j := (axis+1)%3, (axis+2)%3
	bx, by, cx, cy := t.b[i], t.b[j], t.c[i], t.c[j]
	area := t.n[axis]
	s.u = [3]float64{bx, cx - bx, -cx}
	s.v = [3]float64{by, cy - by, -cy}
	// Through the origin, b and c: the second goes through b.
	s.w = [3]float64{0, float64(by*(cx-bx)) - float64(bx*(cy-by)), 0}
	s.w[1] = -s.w[1]
	for e := range 3 {
		r := half*(math.Abs(s.u[e])+math.Abs(s.v[e])) + bound
		s.lo[e], s.hi[e] = min(0, area)-r, max(0, area)+r
	}
}

// meets reports whether the square with centre (x, y) may meet the shadow.
func (s *shadow) meets(x, y float64) bool {
	for e := range 3 {
		if v := s.u[e]*y - s.v[e]*x + s.w[e]; v < s.lo[e] || v > s.hi[e] {
			return false
		}
	}
	return true
}

// plane returns the plane of the triangle in the cell with centre (x, y, z) and
// half an edge of h, in coordinates of the first level, as a word of a line. It
// is 0, the sign of which is never proved, where the plane is not known well
// enough.
//
// The value at u is n·h·u + s; the largest of the four coefficients becomes unitQ.
// They are known within bound together, for all |u| ≤ 1: bound ≤ 2^−17·largest is
// at most unitQ·2^−17 = 1/4 after scaling, and the rounding of the scale adds
// less than 2^−36.
func (t *facet) plane(f *frame, x, y, z, h float64) uint64 {
	s, bound := t.offset(f, x, y, z)
	nx, ny, nz := t.n[0]*h, t.n[1]*h, t.n[2]*h
	largest := max(math.Abs(nx), math.Abs(ny), math.Abs(nz), math.Abs(s))
	if !(bound <= 0x1p-17*largest) {
		return 0
	}
	q := unitQ / largest
	if math.IsInf(q, 0) {
		return 0
	}
	return uint64(uint16(nearest(nx*q))) | uint64(uint16(nearest(ny*q)))<<16 |
		uint64(uint16(nearest(nz*q)))<<32 | uint64(uint16(nearest(s*q)))<<48
}

// nearest returns the integer nearest to v, |v| ≤ 2^16.
func nearest(v float64) int16 {
	// Adding 1.5·2^52 rounds to an integer, which the low bits then hold.
	return int16(math.Float64bits(v + 0x1.8p52))
}
