package bem

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Scratch counts the work of one goroutine. The zero value is ready.
type Scratch struct {
	Signs predicates.Counter // counts of the stages that decided the exact signs
	Near  uint64             // number of triangles and edges that the fast kernel did not process
}

// SolidAngle returns the signed solid angle of the triangle a, b, c at x, in [−2π, 2π]. It is
// positive if x lies on the inner side, where the normal (b−a)×(c−a) points away from x. The sign
// is exact. The result is 0 if x lies exactly in the plane of the triangle, if the triangle has no
// area, or if the angle is below the smallest float64. The error is a few 1e-15, except if x lies
// within a rounding error of an edge. The result is NaN if an input is not finite.
func SolidAngle(x, a, b, c r3.Vector) float64 {
	if !vec.Finite(x) || !vec.Finite(a) || !vec.Finite(b) || !vec.Finite(c) {
		return math.NaN()
	}
	sign := predicates.Orient3D(a, b, c, x)
	if sign == 0 {
		return 0
	}
	den, det, s := oosteromStrackee(scaledDiff(a, x), scaledDiff(b, x), scaledDiff(c, x))
	f := newFactor(den, det, s, sign)
	return 2 * math.Atan2(f.im, f.re)
}

// triangle returns the factor of a triangle, and whether x lies exactly on the triangle.
func (sc *Scratch) triangle(x, a, b, c r3.Vector) (f factor, on bool) {
	sc.Near++
	den, det, s := oosteromStrackee(scaledDiff(a, x), scaledDiff(b, x), scaledDiff(c, x))
	if !needsSign(den, det, s) {
		return newFactor(den, det, s, 0), false
	}
	sign := sc.Signs.Orient3D(a, b, c, x)
	if sign == 0 {
		// x lies in the plane: den < 0 inside the triangle, 0 on its border, > 0 outside.
		return factor{re: 1}, sc.Signs.OnTriangle(x, a, b, c)
	}
	return newFactor(den, det, s, sign), false
}

// Direct sums the solid angles of all triangles, in O(N) time for each point. Direct is the
// reference for the other methods. It is immutable and safe for concurrent use.
type Direct struct {
	mesh    *mesh.Mesh
	blocks  []faceBlock
	workers int
}

type faceBlock struct {
	first   int32       // number of the first face
	corners []int32     // vertices of all faces of the block, without duplicates
	faces   [][3]uint16 // for each face, the positions of its three vertices in the slice corners
}

// NewDirect returns the direct sum over m. The result keeps a reference to m. If workers ≤ 0,
// WindingsTo uses one worker for each processor. NewDirect takes O(N) time for N triangles, and
// about 9 bytes for each triangle.
func NewDirect(m *mesh.Mesh, workers int) *Direct {
	d := &Direct{mesh: m, workers: par.Workers(workers)}
	local := make([]uint16, len(m.Vertices)) // index of each vertex in the corners of its block
	owner := make([]int32, len(m.Vertices))  // 1 + number of the block for which local is valid
	for lo := 0; lo < len(m.Faces); lo += blockFactors {
		run := m.Faces[lo:min(lo+blockFactors, len(m.Faces))]
		b := faceBlock{first: int32(lo), faces: make([][3]uint16, len(run))}
		mark := int32(len(d.blocks) + 1)
		for i, f := range run {
			for k, v := range f {
				if owner[v] != mark {
					owner[v], local[v] = mark, uint16(len(b.corners))
					b.corners = append(b.corners, v)
				}
				b.faces[i][k] = local[v]
			}
		}
		d.blocks = append(d.blocks, b)
	}
	return d
}

// Winding returns the winding number w of x and a bound of its absolute error. It also reports
// whether x lies exactly on a triangle or its border. A triangle that contains x contributes 0 to
// w. So w is ½ on a smooth face of a solid. If the mesh is closed and x does not lie on it, the
// true winding number is an integer.
//
// Away from the surface of N triangles the bound is about N·10^−15. If x lies within a rounding
// error of an edge of a triangle, that triangle adds at most ¼ to the bound. If x is not finite, w
// is NaN and bound +Inf. For an empty mesh w is 0. The cost is O(N). Winding allocates only if the
// exact sign of a determinant needs arbitrary precision.
func (d *Direct) Winding(x r3.Vector) (w, bound float64, on bool) {
	var sc Scratch
	var seen cornerCache
	s := pointSum{accumulator: accumulator{product: identity}}
	for i := range d.blocks {
		d.add(&s, &d.blocks[i], x, &seen, &sc)
	}
	return s.result(x)
}

// tilePoints is the number of points that use a block of triangles while the block is in the cache.
const tilePoints = 32

// WindingsTo writes the results of Winding(pts[i]) to w[i], bound[i] and on[i], using all workers.
// The bits of the results do not depend on the number of workers. WindingsTo panics if the slices
// differ in length.
//
// Errors: the error of ctx, if ctx ends first. Then w[i] is NaN, bound[i] is +Inf and on[i] is
// false for each point i without a result. WindingsTo checks ctx for each block of 32 points and
// 256 faces.
func (d *Direct) WindingsTo(ctx context.Context, w, bound []float64, on []bool, pts []r3.Vector) error {
	if len(w) != len(pts) || len(bound) != len(pts) || len(on) != len(pts) {
		panic("bem: the slices of results and points differ in length")
	}
	for i := range pts {
		w[i], bound[i], on[i] = math.NaN(), math.Inf(1), false
	}
	return par.Blocks(ctx, len(pts), tilePoints, d.workers, func(_, lo, hi int) {
		var sc Scratch
		var seen cornerCache
		var sums [tilePoints]pointSum
		for k := range sums {
			sums[k].product = identity
		}
		for i := range d.blocks {
			if ctx.Err() != nil {
				return
			}
			for k, x := range pts[lo:hi] {
				d.add(&sums[k], &d.blocks[i], x, &seen, &sc)
			}
		}
		for k, x := range pts[lo:hi] {
			w[lo+k], bound[lo+k], on[lo+k] = sums[k].result(x)
		}
	})
}

type pointSum struct {
	accumulator
	on bool
}

func (s *pointSum) result(x r3.Vector) (w, bound float64, on bool) {
	if !vec.Finite(x) {
		return math.NaN(), math.Inf(1), false
	}
	w, bound = s.total()
	return w, bound, s.on
}

// corner is the position of a vertex relative to the point, and the distance between them. If the
// distance is outside the range of the fast kernel, length is NaN.
type corner struct {
	x, y, z, length float64
}

type cornerCache [3 * blockFactors]corner

func (v *cornerCache) load(vertices []r3.Vector, b *faceBlock, x r3.Vector) {
	for i, id := range b.corners {
		a := &vertices[id]
		ax, ay, az := a.X-x.X, a.Y-x.Y, a.Z-x.Z
		q := float64(ax*ax) + float64(ay*ay) + float64(az*az)
		length := math.Sqrt(q)
		if (math.Float64bits(q)-loSquare)>>rangeBits != 0 {
			length = math.NaN()
		}
		v[i] = corner{ax, ay, az, length}
	}
}

// add multiplies the factors of a block of faces into s. Its inline code for ordinary faces rounds
// exactly as Scratch.triangle and oosteromStrackee do. If a distance is NaN, add calls
// Scratch.triangle.
func (d *Direct) add(s *pointSum, block *faceBlock, x r3.Vector, seen *cornerCache, sc *Scratch) {
	if !vec.Finite(x) {
		return
	}
	seen.load(d.mesh.Vertices, block, x)
	z, cond := s.product, s.cond
	for i, f := range block.faces {
		a, b, c := &seen[f[0]], &seen[f[1]], &seen[f[2]]
		ab := float64(a.x*b.x) + float64(a.y*b.y) + float64(a.z*b.z)
		bc := float64(b.x*c.x) + float64(b.y*c.y) + float64(b.z*c.z)
		ca := float64(c.x*a.x) + float64(c.y*a.y) + float64(c.z*a.z)
		det := float64(a.x*(float64(b.y*c.z)-float64(b.z*c.y))) +
			float64(a.y*(float64(b.z*c.x)-float64(b.x*c.z))) +
			float64(a.z*(float64(b.x*c.y)-float64(b.y*c.x)))
		size := float64(float64(a.length*b.length) * c.length)
		den := size + float64(ab*c.length) + float64(bc*a.length) + float64(ca*b.length)
		if den > minNorm*size {
			n := 1 / (den + math.Abs(det))
			cond += size * n
			re, im := den*n, det*n // product.mul, written out because it is too large to be inlined
			newIm := float64(z.re*im) + float64(z.im*re)
			z = product{float64(z.re*re) - float64(z.im*im), newIm, z.turns + z.crossing(newIm)}
			continue
		}
		t := d.mesh.Triangle(block.first + int32(i))
		near, on := sc.triangle(x, t[0], t[1], t[2])
		s.on = s.on || on
		s.err += near.err
		z = z.mulAny(near.re, near.im)
	}
	s.product, s.cond = z.rescale(), cond
	s.factors += float64(len(block.faces))
}
