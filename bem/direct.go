package bem

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Direct sums the solid angles of all triangles: O(N) a point. It is the
// reference for every other method. It is immutable and safe for concurrent use.
type Direct struct {
	mesh    *mesh.Mesh
	patches []patch
	workers int
}

// patch is a run of faces with the vertices that they share.
type patch struct {
	first   int32       // face
	corners []int32     // vertices, each once
	faces   [][3]uint16 // indices of corners
}

// NewDirect returns the direct sum over m, which it keeps. workers ≤ 0 means all
// processors. It takes about 9 bytes a triangle beside the mesh.
func NewDirect(m *mesh.Mesh, workers int) *Direct {
	d := &Direct{mesh: m, workers: par.Workers(workers)}
	local := make([]uint16, len(m.Vertices))
	owner := make([]int32, len(m.Vertices)) // patch+1 that local speaks of
	for lo := 0; lo < len(m.Faces); lo += blockFactors {
		run := m.Faces[lo:min(lo+blockFactors, len(m.Faces))]
		p := patch{first: int32(lo), faces: make([][3]uint16, len(run))}
		mark := int32(len(d.patches) + 1)
		for i, f := range run {
			for k, v := range f {
				if owner[v] != mark {
					owner[v], local[v] = mark, uint16(len(p.corners))
					p.corners = append(p.corners, v)
				}
				p.faces[i][k] = local[v]
			}
		}
		d.patches = append(d.patches, p)
	}
	return d
}

// Winding returns the winding number w of x, a bound of its absolute error, and
// whether x lies exactly on a closed triangle. Triangles that contain x
// contribute 0 to w (so w is ½ on a smooth face of a solid). For a closed mesh
// the true value is an integer wherever on is false. The bound is about
// N·10^−15 in the open and grows near edges, to a quarter for each triangle whose
// edge is within rounding of x. If x is not finite, w is NaN and bound
// +Inf. No allocation unless an exact sign needs its last stage.
func (d *Direct) Winding(x r3.Vector) (w, bound float64, on bool) {
	var sc Scratch
	var seen views
	s := sum{tally: tally{spin: identity}}
	for i := range d.patches {
		d.add(&s, &d.patches[i], x, &seen, &sc)
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
		var seen views
		var sums [tilePoints]sum
		for k := range sums {
			sums[k].spin = identity
		}
		for i := range d.patches {
			if ctx.Err() != nil {
				return
			}
			for k, x := range pts[lo:hi] {
				d.add(&sums[k], &d.patches[i], x, &seen, &sc)
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
	if !vec.Finite(x) {
		return math.NaN(), math.Inf(1), false
	}
	w, bound = s.total()
	return w, bound, s.on
}

// corner is a vertex seen from the point, with its distance; NaN if that leaves
// the range in which the fast kernel may work.
type corner struct {
	x, y, z, length float64
}

// views holds the corners of one patch.
type views [3 * blockFactors]corner

// see fills views with the vertices of p seen from x.
func (v *views) see(vertices []r3.Vector, p *patch, x r3.Vector) {
	for i, id := range p.corners {
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

// add multiplies the factors of the faces of p into s. It is the fast twin of
// Scratch.triangle, with the same roundings as strackee; NaN falls through to
// that.
func (d *Direct) add(s *sum, p *patch, x r3.Vector, seen *views, sc *Scratch) {
	if !vec.Finite(x) {
		return
	}
	seen.see(d.mesh.Vertices, p, x)
	z, slant := s.spin, s.slant
	for i, f := range p.faces {
		a, b, c := &seen[f[0]], &seen[f[1]], &seen[f[2]]
		ab := float64(a.x*b.x) + float64(a.y*b.y) + float64(a.z*b.z)
		bc := float64(b.x*c.x) + float64(b.y*c.y) + float64(b.z*c.z)
		ca := float64(c.x*a.x) + float64(c.y*a.y) + float64(c.z*a.z)
		det := float64(a.x*(float64(b.y*c.z)-float64(b.z*c.y))) +
			float64(a.y*(float64(b.z*c.x)-float64(b.x*c.z))) +
			float64(a.z*(float64(b.x*c.y)-float64(b.y*c.x)))
		size := float64(float64(a.length*b.length) * c.length)
		den := size + float64(ab*c.length) + float64(bc*a.length) + float64(ca*b.length)
		if den > gate*size {
			n := 1 / (den + math.Abs(det))
			slant += size * n
			re, im := den*n, det*n // spin.mul by hand: too large to be inlined
			turned := float64(z.re*im) + float64(z.im*re)
			z = spin{float64(z.re*re) - float64(z.im*im), turned, z.turns + z.turn(turned)}
			continue
		}
		t := d.mesh.Triangle(p.first + int32(i))
		near, on := sc.triangle(x, t[0], t[1], t[2])
		s.on = s.on || on
		s.err += near.err
		z = z.mulAny(near.re, near.im)
	}
	s.spin, s.slant = z.rescale(), slant
	s.factors += float64(len(p.faces))
}
