package bem

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// Direct sums the solid angles of all triangles: O(N) a point, no preparation,
// no memory. It is the reference for every other method. It is immutable and
// safe for concurrent use.
type Direct struct {
	vertices []r3.Vector
	faces    [][3]int32
	workers  int
}

// NewDirect returns the direct sum over m, which it keeps. workers ≤ 0 means all
// processors.
func NewDirect(m *mesh.Mesh, workers int) *Direct {
	return &Direct{vertices: m.Vertices, faces: m.Faces, workers: par.Workers(workers)}
}

// Winding returns the winding number w of x, a bound of its absolute error, and
// whether x lies exactly on a closed triangle. Triangles that contain x
// contribute 0 to w (so w is ½ on a smooth face of a solid). For a closed mesh
// the true value is an integer wherever on is false. The bound is about
// N·10^−15 in the open and grows near edges, to half a turn for each triangle
// whose edge is within rounding of x. If x is not finite, w is NaN and bound
// +Inf. No allocation unless an exact sign needs its last stage.
func (d *Direct) Winding(x r3.Vector) (w, bound float64, on bool) {
	var sc Scratch
	s := sum{tally: tally{spin: identity}}
	for i := 0; i < len(d.faces); i += blockFactors {
		d.block(&s, x, i, &sc)
	}
	return s.result(x)
}

// tilePoints points share each block of triangles while it is in the cache.
const tilePoints = 32

// WindingsTo writes Winding(pts[i]) to w[i], bound[i] and on[i], on all workers.
// The results are those of Winding, bit for bit, for any number of workers. It
// panics if the lengths differ. ctx is checked every 32 points; if it ends
// first, WindingsTo returns its error, and points without an answer hold NaN,
// +Inf and false.
func (d *Direct) WindingsTo(ctx context.Context, w, bound []float64, on []bool, pts []r3.Vector) error {
	if len(w) != len(pts) || len(bound) != len(pts) || len(on) != len(pts) {
		panic("bem: results and points differ in length")
	}
	for i := range pts {
		w[i], bound[i], on[i] = math.NaN(), math.Inf(1), false
	}
	return par.Blocks(ctx, len(pts), tilePoints, d.workers, func(_, lo, hi int) {
		var sc Scratch
		var sums [tilePoints]sum
		for k := range sums {
			sums[k].spin = identity
		}
		for i := 0; i < len(d.faces); i += blockFactors {
			if ctx.Err() != nil {
				return
			}
			for k, x := range pts[lo:hi] {
				d.block(&sums[k], x, i, &sc)
			}
		}
		for k, x := range pts[lo:hi] {
			w[lo+k], bound[lo+k], on[lo+k] = sums[k].result(x)
		}
	})
}

// sum is the state of one point.
type sum struct {
	tally
	on bool
}

func (s *sum) result(x r3.Vector) (w, bound float64, on bool) {
	if !finite(x) {
		return math.NaN(), math.Inf(1), false
	}
	w, bound = s.total()
	return w, bound, s.on
}

// block multiplies the factors of the blockFactors triangles from first on into
// s. It is the fast twin of Scratch.triangle, with the same roundings as
// strackee.
func (d *Direct) block(s *sum, x r3.Vector, first int, sc *Scratch) {
	if !finite(x) {
		return
	}
	faces := d.faces[first:min(first+blockFactors, len(d.faces))]
	p, slant := s.spin, s.slant
	for i := range faces {
		f := &faces[i]
		a, b, c := &d.vertices[f[0]], &d.vertices[f[1]], &d.vertices[f[2]]
		ax, ay, az := a.X-x.X, a.Y-x.Y, a.Z-x.Z
		bx, by, bz := b.X-x.X, b.Y-x.Y, b.Z-x.Z
		cx, cy, cz := c.X-x.X, c.Y-x.Y, c.Z-x.Z
		qa := float64(ax*ax) + float64(ay*ay) + float64(az*az)
		qb := float64(bx*bx) + float64(by*by) + float64(bz*bz)
		qc := float64(cx*cx) + float64(cy*cy) + float64(cz*cz)
		if ((math.Float64bits(qa)-loSquare)|(math.Float64bits(qb)-loSquare)|(math.Float64bits(qc)-loSquare))>>rangeBits == 0 {
			la, lb, lc := math.Sqrt(qa), math.Sqrt(qb), math.Sqrt(qc)
			ab := float64(ax*bx) + float64(ay*by) + float64(az*bz)
			bc := float64(bx*cx) + float64(by*cy) + float64(bz*cz)
			ca := float64(cx*ax) + float64(cy*ay) + float64(cz*az)
			det := float64(ax*(float64(by*cz)-float64(bz*cy))) +
				float64(ay*(float64(bz*cx)-float64(bx*cz))) +
				float64(az*(float64(bx*cy)-float64(by*cx)))
			size := float64(float64(la*lb) * lc)
			den := size + float64(ab*lc) + float64(bc*la) + float64(ca*lb)
			if den > gate*size {
				n := 1 / (den + math.Abs(det))
				slant += size * n
				p = p.mul(den*n, det*n)
				continue
			}
		}
		z, on := sc.triangle(x, *a, *b, *c)
		s.on = s.on || on
		s.err += z.err
		p = p.mulAny(z.re, z.im)
	}
	s.spin, s.slant = p.rescale(), slant
	s.factors += float64(len(faces))
}
