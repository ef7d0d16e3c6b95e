package cells

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// facet is a triangle in the coordinates of the first level, for finding its
// cells and its plane in them.
type facet struct {
	a    [3]float64 // first vertex
	b, c [3]float64 // the others, from a
	n    [3]float64 // b×c
	size float64    // longest component of the edges at a
	sum  float64    // |n_x| + |n_y| + |n_z|
	off  float64    // bound of the error of a component of n
	face int32

	// Set by fix for the cells of a level; −1: not yet.
	level       int
	h           [3]float64 // n times half the edge of a cell
	most, bound float64    // the largest component of h; 2^17 times the error of plane
}

// prepare sets t to triangle tri.
//
// Vertices are off by δ = 2^−51·T, T the extent of the grid, E ≤ T the longest
// component of an edge: edges are off by 2δ + 2^−53·E, products of two
// components by 2·E·(2δ + 2^−53·E)(1+2^−52), and rounding two products and a
// difference adds 4·2^−53·E². So a component of n is off by
// 8Eδ + 10·2^−53·E² < 2^−47·E·T.
//
// It also returns the cells of the first level that the box of the triangle
// meets, as frame.span does.
func (t *facet) prepare(f *frame, tri *mesh.Triangle, face int32) (in span) {
	ax, ay, az := f.at(tri[0])
	bx, by, bz := f.at(tri[1])
	cx, cy, cz := f.at(tri[2])
	t.a = [3]float64{ax, ay, az}
	in.lo[0], in.hi[0] = cellRange(ax, bx, cx)
	in.lo[1], in.hi[1] = cellRange(ay, by, cy)
	in.lo[2], in.hi[2] = cellRange(az, bz, cz)
	bx, by, bz = bx-ax, by-ay, bz-az
	cx, cy, cz = cx-ax, cy-ay, cz-az
	t.b, t.c = [3]float64{bx, by, bz}, [3]float64{cx, cy, cz}
	nx := float64(by*cz) - float64(bz*cy)
	ny := float64(bz*cx) - float64(bx*cz)
	nz := float64(bx*cy) - float64(by*cx)
	t.n = [3]float64{nx, ny, nz}
	t.size = larger(larger(larger(math.Abs(bx), math.Abs(by)), larger(math.Abs(bz), math.Abs(cx))), larger(math.Abs(cy), math.Abs(cz)))
	t.sum = math.Abs(nx) + math.Abs(ny) + math.Abs(nz)
	t.off = 0x1p-47 * t.size * f.extent
	t.face, t.level = face, -1
	return in
}

// cellRange returns the cells of the first level between three coordinates, with
// slack.
func cellRange(a, b, c float64) (lo, hi int32) {
	x, y := bounds(a, b, c)
	return int32(x - slack), int32(y + slack)
}

// larger is max for numbers that are not NaN, and faster.
func larger(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

// bounds returns the interval of three coordinates.
func bounds(a, b, c float64) (lo, hi float64) {
	if a < b {
		lo, hi = a, b
	} else {
		lo, hi = b, a
	}
	if c < lo {
		return c, hi
	}
	if c > hi {
		return lo, c
	}
	return lo, hi
}

// span is a range of cells, both ends included.
type span struct{ lo, hi [3]int32 }

// span returns the cells of a level that the box of a triangle meets; scale is
// the number of cells of that level along an edge of one of the first level
// (below 1 for bricks). All coordinates are at least offset less an ulp, so
// conversion rounds down.
func (f *frame) span(tri *mesh.Triangle, scale float64) (s span) {
	x0, x1 := bounds(tri[0].X, tri[1].X, tri[2].X)
	y0, y1 := bounds(tri[0].Y, tri[1].Y, tri[2].Y)
	z0, z1 := bounds(tri[0].Z, tri[1].Z, tri[2].Z)
	x0, y0, z0 = f.at(r3.Vector{X: x0, Y: y0, Z: z0})
	x1, y1, z1 = f.at(r3.Vector{X: x1, Y: y1, Z: z1})
	s.lo = [3]int32{int32(float64(x0*scale) - slack), int32(float64(y0*scale) - slack), int32(float64(z0*scale) - slack)}
	s.hi = [3]int32{int32(float64(x1*scale) + slack), int32(float64(y1*scale) + slack), int32(float64(z1*scale) + slack)}
	return s
}

// within returns the part of s in another range, and whether there is one.
func (s *span) within(lo, hi [3]int32) (span, bool) {
	out := *s
	for a := range 3 {
		if out.lo[a] < lo[a] {
			out.lo[a] = lo[a]
		}
		if out.hi[a] > hi[a] {
			out.hi[a] = hi[a]
		}
		if out.lo[a] > out.hi[a] {
			return out, false
		}
	}
	return out, true
}

// cells returns how many cells s has.
func (s *span) cells() int {
	return int(s.hi[0]-s.lo[0]+1) * int(s.hi[1]-s.lo[1]+1) * int(s.hi[2]-s.lo[2]+1)
}

// errorWithin returns a bound of the error of n·(x−a), computed, for points whose
// coordinates are within reach of a, each.
//
// The error of n costs 3·off·reach, a itself and x sum·2·2^−51·T, subtractions and
// roundings sum·6·2^−53·reach. reach and T are taken together: what is far from a
// and yet in the grid is not farther than T.
func (t *facet) errorWithin(f *frame, reach float64) float64 {
	return 3*t.off*reach + t.sum*0x1p-49*f.extent
}

// fewCells is up to how many cells are taken without looking at the shadows.
const fewCells = 7

// cover calls emit for the cells of a span, of the level of scale, that the
// triangle may meet: those whose enlarged boxes meet its plane and, where there
// are many, its shadows on the three coordinate planes.
func (t *facet) cover(f *frame, scale float64, in *span, emit func(i, j, k int32)) {
	if in.lo == in.hi {
		emit(in.lo[0], in.lo[1], in.lo[2])
		return
	}
	edge := 1 / scale
	half := edge * (0.5 + slack)
	// The farthest cell decides the bound for all of them.
	d := t.size + 2*edge
	reach := t.sum*half + t.errorWithin(f, d+half)
	var shadows [3]shadow
	many := in.cells() > fewCells
	if many {
		for axis := range shadows {
			shadows[axis].prepare(t, axis, half, 0x1p-46*f.extent*d)
		}
	}
	for k := in.lo[2]; k <= in.hi[2]; k++ {
		z := (float64(k)+0.5)*edge - t.a[2]
		for j := in.lo[1]; j <= in.hi[1]; j++ {
			y := (float64(j)+0.5)*edge - t.a[1]
			if many && !shadows[0].meets(y, z) {
				continue
			}
			s := t.n[2]*z + t.n[1]*y
			for i := in.lo[0]; i <= in.hi[0]; i++ {
				x := (float64(i)+0.5)*edge - t.a[0]
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

// fix sets what the planes of the facet in the cells of a level have in common;
// half is half the edge of such a cell, in cells of the first level.
func (t *facet) fix(f *frame, level int, half float64) {
	t.level = level
	t.h = [3]float64{t.n[0] * half, t.n[1] * half, t.n[2] * half}
	t.most = larger(larger(math.Abs(t.h[0]), math.Abs(t.h[1])), math.Abs(t.h[2]))
	// A cell that the box of the triangle meets reaches no farther than this.
	t.bound = 0x1p17 * t.errorWithin(f, t.size+4*half)
}

// plane returns the plane of the triangle in the cell with centre (x, y, z), of
// the level that was fixed, as a word of a line. It is 0, the sign of which is
// never proved, where the plane is not known well enough.
//
// The value at u is n·half·u + s; the largest of the four coefficients becomes
// unitQ. They are known within bound together, for all |u| ≤ 1: bound ≤
// 2^−17·largest is at most unitQ·2^−17 = 1/4 after scaling, and the rounding of
// the scale adds less than 2^−36.
func (t *facet) plane(x, y, z float64) uint64 {
	s := float64(t.n[0]*(x-t.a[0])) + float64(t.n[1]*(y-t.a[1])) + float64(t.n[2]*(z-t.a[2]))
	most := larger(t.most, math.Abs(s))
	if !(t.bound <= most) {
		return 0
	}
	q := unitQ / most
	if q > math.MaxFloat64 {
		return 0
	}
	// Adding 1.5·2^52 rounds to an integer, which the low bits then hold.
	const whole = 0x1.8p52
	return math.Float64bits(t.h[0]*q+whole)&0xffff | math.Float64bits(t.h[1]*q+whole)&0xffff<<16 |
		math.Float64bits(t.h[2]*q+whole)&0xffff<<32 | math.Float64bits(s*q+whole)<<48
}
