package build

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/mesh"
)

// gridTriangle is a triangle in cell coordinates. It holds the numbers from which cover finds its
// cells and plane finds its plane in a cell. docs/design/016-error-bounds.md (Triangles in cells)
// derives all error bounds.
type gridTriangle struct {
	a    [3]float64 // first vertex
	b, c [3]float64 // other two vertices, relative to a
	n    [3]float64 // b×c
	size float64    // largest |component| of the edges that start at a
	sum  float64    // |n_x| + |n_y| + |n_z|
	off  float64    // error bound of a component of n
	face int32

	// These fields depend on the level of the cells; setLevel sets them. At first, level is −1.
	level       int
	h           [3]float64 // n times half the edge of a cell
	most, bound float64    // most: largest |component| of h; bound: planeRatio times the error bound of the plane's values
}

// These constants bound errors in cell coordinates. T is Frame.Extent. triangle.gappa and plane.gappa
// have the proofs.
const (
	errorNormal     = 0x1p-47 // error of a component of n, divided by size·T
	errorDistance   = 0x1p-49 // error of n·(x−a) for exact n, divided by sum·T
	errorProjection = 0x1p-46 // error of the functions of projection, divided by T and by the largest |component| of x−a
	planeRatio      = 0x1p17  // plane stores values whose magnitudes can reach this number times their error
)

// prepare sets the triangle and returns the span of level-0 cells that its box meets.
func (t *gridTriangle) prepare(f *layout.Frame, tri *mesh.Triangle, face int32) (in span) {
	ax, ay, az := f.Coords(tri[0])
	bx, by, bz := f.Coords(tri[1])
	cx, cy, cz := f.Coords(tri[2])
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
	t.off = errorNormal * t.size * f.Extent
	t.face, t.level = face, -1
	return in
}

// cellRange returns the first and the last level-0 cell of an interval. The interval contains the
// coordinates a, b and c, and extends beyond them by Slack.
func cellRange(a, b, c float64) (lo, hi int32) {
	x, y := bounds(a, b, c)
	return int32(x - layout.Slack), int32(y + layout.Slack)
}

// larger returns the maximum of a and b, which must not be NaN. It is faster than max.
func larger(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

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

// span is a box of cells. It includes both lo and hi.
type span struct{ lo, hi [3]int32 }

// spanOf returns the span of cells that the box of a triangle meets. A cell has the edge 1/scale.
// Truncation to int32 rounds down, because the offset of the frame makes all coordinates positive.
func spanOf(f *layout.Frame, tri *mesh.Triangle, scale float64) (s span) {
	x0, x1 := bounds(tri[0].X, tri[1].X, tri[2].X)
	y0, y1 := bounds(tri[0].Y, tri[1].Y, tri[2].Y)
	z0, z1 := bounds(tri[0].Z, tri[1].Z, tri[2].Z)
	x0, y0, z0 = f.Coords(r3.Vector{X: x0, Y: y0, Z: z0})
	x1, y1, z1 = f.Coords(r3.Vector{X: x1, Y: y1, Z: z1})
	const slack = layout.Slack
	s.lo = [3]int32{int32(float64(x0*scale) - slack), int32(float64(y0*scale) - slack), int32(float64(z0*scale) - slack)}
	s.hi = [3]int32{int32(float64(x1*scale) + slack), int32(float64(y1*scale) + slack), int32(float64(z1*scale) + slack)}
	return s
}

// within returns the intersection of s and the span from lo to hi. It returns false if the
// intersection is empty.
func (s *span) within(lo, hi [3]int32) (span, bool) {
	out := *s
	for a := range 3 {
		out.lo[a], out.hi[a] = max(out.lo[a], lo[a]), min(out.hi[a], hi[a])
		if out.lo[a] > out.hi[a] {
			return out, false
		}
	}
	return out, true
}

func (s *span) cells() int {
	return int(s.hi[0]-s.lo[0]+1) * int(s.hi[1]-s.lo[1]+1) * int(s.hi[2]-s.lo[2]+1)
}

// errorWithin bounds the rounding error of n·(x−a) for points x near vertex a. No |coordinate| of
// x−a may exceed maxDiff.
func (t *gridTriangle) errorWithin(f *layout.Frame, maxDiff float64) float64 {
	return 3*t.off*maxDiff + t.sum*errorDistance*f.Extent
}

// For a span of at most fewCells cells, cover tests only the plane of the triangle. For larger
// spans it also tests the projections. // tuning
const fewCells = 7

// cover calls emit for each cell of the given span that the triangle can intersect. The cells have
// the edge 1/scale. See fewCells for the tests.
func (t *gridTriangle) cover(f *layout.Frame, scale float64, in *span, emit func(i, j, k int32)) {
	edge := 1 / scale
	half := edge * (0.5 + layout.Slack)
	// Use the error bound of the farthest cell for all cells of the span.
	d := t.size + 2*edge
	reach := t.sum*half + t.errorWithin(f, d+half)
	var projections [3]projection
	many := in.cells() > fewCells
	if many {
		for axis := range projections {
			projections[axis].prepare(t, axis, half, errorProjection*f.Extent*d)
		}
	}
	for k := in.lo[2]; k <= in.hi[2]; k++ {
		z := (float64(k)+0.5)*edge - t.a[2]
		for j := in.lo[1]; j <= in.hi[1]; j++ {
			y := (float64(j)+0.5)*edge - t.a[1]
			if many && !projections[0].meets(y, z) {
				continue
			}
			s := t.n[2]*z + t.n[1]*y
			for i := in.lo[0]; i <= in.hi[0]; i++ {
				x := (float64(i)+0.5)*edge - t.a[0]
				if v := s + t.n[0]*x; v <= reach && v >= -reach &&
					(!many || projections[1].meets(z, x) && projections[2].meets(x, y)) {
					emit(i, j, k)
				}
			}
		}
	}
}

// projection is the projection of a triangle along an axis, with the first vertex at the origin.
// Each edge e has a linear function that is 0 on the edge. At the opposite vertex, the function is
// twice the signed area of the projection. If a square intersects the projection, the value of
// this function at the center of the square lies between lo[e] and hi[e].
type projection struct {
	u, v   [3]float64 // at point (x, y), the function of edge e is u[e]·y − v[e]·x + w[e]
	w      [3]float64
	lo, hi [3]float64
}

func (s *projection) prepare(t *gridTriangle, axis int, half, bound float64) {
	i, j := (axis+1)%3, (axis+2)%3
	bx, by, cx, cy := t.b[i], t.b[j], t.c[i], t.c[j]
	area := t.n[axis]
	s.u = [3]float64{bx, cx - bx, -cx}
	s.v = [3]float64{by, cy - by, -cy}
	// The first and the third edge contain the origin. The second edge contains vertex b.
	s.w = [3]float64{0, float64(by*(cx-bx)) - float64(bx*(cy-by)), 0}
	s.w[1] = -s.w[1]
	for e := range 3 {
		r := half*(math.Abs(s.u[e])+math.Abs(s.v[e])) + bound
		s.lo[e], s.hi[e] = min(0, area)-r, max(0, area)+r
	}
}

// meets reports whether the square with center (x, y) can meet the projection.
func (s *projection) meets(x, y float64) bool {
	for e := range 3 {
		if v := s.u[e]*y - s.v[e]*x + s.w[e]; v < s.lo[e] || v > s.hi[e] {
			return false
		}
	}
	return true
}

// setLevel sets the fields for cells of the given level. halfEdge is half the edge of such a cell,
// in cell coordinates of level 0.
func (t *gridTriangle) setLevel(f *layout.Frame, level int, halfEdge float64) {
	t.level = level
	t.h = [3]float64{t.n[0] * halfEdge, t.n[1] * halfEdge, t.n[2] * halfEdge}
	t.most = larger(larger(math.Abs(t.h[0]), math.Abs(t.h[1])), math.Abs(t.h[2]))
	// The second argument bounds the coordinates of x−a for all points x of a cell that intersects
	// the triangle's box.
	t.bound = planeRatio * t.errorWithin(f, t.size+4*halfEdge)
}

// plane returns the plane of the triangle as an element of a Record, for the cell of level t.level
// with center (x, y, z). It scales the largest coefficient to PlaneUnit and then rounds. If the
// error before rounding can exceed 1/4, plane returns 0, a plane whose sign is never certain.
func (t *gridTriangle) plane(x, y, z float64) uint64 {
	s := float64(t.n[0]*(x-t.a[0])) + float64(t.n[1]*(y-t.a[1])) + float64(t.n[2]*(z-t.a[2]))
	most := larger(t.most, math.Abs(s))
	if !(t.bound <= most) {
		return 0
	}
	q := layout.PlaneUnit / most
	if q > math.MaxFloat64 {
		return 0
	}
	// Adding 1.5·2^52 rounds a number to an integer and moves the integer to the low bits.
	const whole = 0x1.8p52
	return math.Float64bits(t.h[0]*q+whole)&0xffff | math.Float64bits(t.h[1]*q+whole)&0xffff<<16 |
		math.Float64bits(t.h[2]*q+whole)&0xffff<<32 | math.Float64bits(s*q+whole)<<48
}
