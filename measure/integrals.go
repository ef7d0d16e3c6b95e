package measure

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/frame"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Let a, b, c be the corners of a face relative to the origin, D = det(a, b, c) and s = a+b+c. The
// integrals over the tetrahedron with the corners 0, a, b and c are
//
//	∫1 = D/6,  ∫x_i = D·s_i/24,  ∫x_i·x_j = D·(s_i·s_j + a_i·a_j + b_i·b_j + c_i·c_j)/120.
//
// sums has the sums of D, D·s_i and D·(…) over faces.
type sums struct {
	volume frame.Sum
	first  [3]frame.Sum
	second [6]frame.Sum // xx, yy, zz, xy, yz, zx
	area   frame.Sum    // 2 times the area

	// spread is the sum of the permanents: D with all products made positive. areaSpread is the sum
	// of the magnitudes of the products in the normals.
	spread, areaSpread float64
}

// block is the number of faces whose sums a worker computes at a time. The result depends on it.
const block = 1 << 12 // tuning

// part is a part of a mesh: the listed faces, or all faces if faces is nil.
type part struct {
	mesh   *mesh.Mesh
	faces  []int32
	box    bvh.Box
	closed bool
}

func (p *part) len() int {
	if p.faces != nil {
		return len(p.faces)
	}
	return len(p.mesh.Faces)
}

// integrals are the integrals of a part in a frame.
type integrals struct {
	frame.Frame
	volume ball
	first  [3]ball
	second [6]ball // xx, yy, zz, xy, yz, zx
	area   ball
}

// integrate computes the integrals of p with several workers. It adds the sums of blocks in the
// order of the faces, so the result does not depend on the number of workers.
func (p *part) integrate(ctx context.Context, workers int) (integrals, error) {
	n := p.len()
	f := frame.New(p.box).At(frame.Center(p.box))
	blocks := make([]sums, (n+block-1)/block)
	err := par.Blocks(ctx, n, block, workers, func(_, lo, hi int) {
		b := &blocks[lo/block]
		for i := lo; i < hi; i++ {
			t := i
			if p.faces != nil {
				t = int(p.faces[i])
			}
			b.add(&f, p.mesh.Triangle(int32(t)))
		}
	})
	if err != nil || n == 0 {
		return integrals{Frame: f}, err
	}
	all := blocks[0]
	for i := range blocks[1:] {
		all.join(&blocks[i+1])
	}
	return all.integrals(f, p.box, n+len(blocks)), nil
}

// add adds a face.
func (s *sums) add(f *frame.Frame, t mesh.Triangle) {
	a, b, c := f.Local(t[0]), f.Local(t[1]), f.Local(t[2])
	u, v := f.Difference(t[1], t[0]), f.Difference(t[2], t[0])
	yz, zy := float64(u.Y*v.Z), float64(u.Z*v.Y)
	zx, xz := float64(u.Z*v.X), float64(u.X*v.Z)
	xy, yx := float64(u.X*v.Y), float64(u.Y*v.X)
	n := r3.Vector{X: yz - zy, Y: zx - xz, Z: xy - yx}
	// D = a·((b−a)×(c−a)), which avoids cancellation if the face is small and far from the origin.
	d := float64(a.X*n.X) + float64(a.Y*n.Y) + float64(a.Z*n.Z)
	px, py, pz := math.Abs(yz)+math.Abs(zy), math.Abs(zx)+math.Abs(xz), math.Abs(xy)+math.Abs(yx)
	s.spread += float64(math.Abs(a.X)*px) + float64(math.Abs(a.Y)*py) + float64(math.Abs(a.Z)*pz)
	s.areaSpread += px + py + pz
	s.area.Add(length(n))
	s.volume.Add(d)
	x, y, z := a.X+b.X+c.X, a.Y+b.Y+c.Y, a.Z+b.Z+c.Z
	s.first[0].Add(float64(d * x))
	s.first[1].Add(float64(d * y))
	s.first[2].Add(float64(d * z))
	s.second[0].Add(float64(d * (float64(x*x) + float64(a.X*a.X) + float64(b.X*b.X) + float64(c.X*c.X))))
	s.second[1].Add(float64(d * (float64(y*y) + float64(a.Y*a.Y) + float64(b.Y*b.Y) + float64(c.Y*c.Y))))
	s.second[2].Add(float64(d * (float64(z*z) + float64(a.Z*a.Z) + float64(b.Z*b.Z) + float64(c.Z*c.Z))))
	s.second[3].Add(float64(d * (float64(x*y) + float64(a.X*a.Y) + float64(b.X*b.Y) + float64(c.X*c.Y))))
	s.second[4].Add(float64(d * (float64(y*z) + float64(a.Y*a.Z) + float64(b.Y*b.Z) + float64(c.Y*c.Z))))
	s.second[5].Add(float64(d * (float64(z*x) + float64(a.Z*a.X) + float64(b.Z*b.X) + float64(c.Z*c.X))))
}

// length returns the Euclidean norm of v. It calls vec.Norm if the square could underflow.
func length(v r3.Vector) float64 {
	if s := v.Norm2(); s > 0x1p-900 {
		return math.Sqrt(s)
	}
	return vec.Norm(v)
}

func (s *sums) join(o *sums) {
	s.volume.Join(o.volume)
	s.area.Join(o.area)
	s.spread += o.spread
	s.areaSpread += o.areaSpread
	for i := range s.first {
		s.first[i].Join(o.first[i])
	}
	for i := range s.second {
		s.second[i].Join(o.second[i])
	}
}

// integrals returns the integrals and bounds of their errors, for n additions to each sum. With u =
// 2⁻⁵³, P the permanent of a face, and h_i the largest |coordinate| i of the part, the bounds cover
// these errors:
//
//   - D: each coordinate of the rows is rounded once. The determinant takes two products, a
//     difference and two sums: (3+2+1+2)u·P, plus terms in u². The bound 9u·P covers these terms.
//   - s_i: the coordinates are rounded once each, and two sums are at most 2h_i and 3h_i: 8u·h_i. So
//     the error of D·s_i is at most (9·3 + 8 + 3)u·P·h_i, and |D·s_i| ≤ 3P·h_i.
//   - The factor of a second moment is at most 12h_i·h_j. Its error is at most (2·3·8 + 9)u for
//     s_i·s_j, 3·3u for the other products, and (10+11+12)u for the sums: 99u·h_i·h_j. So the error
//     of a term is at most (9·12 + 99 + 12)u·P·h_i·h_j = 219u·P·h_i·h_j.
//   - A component of a normal has an error of 4u times its products, and its length 8u more: at most
//     16u·areaSpread.
//   - Compensated summation adds u|S| + (nu)²Σ|x| (see frame.Sum).
//   - Plain sums such as spread are too small by at most the factor 1−nu. As n < 2³¹, the factor
//     1+2⁻²⁰ compensates for this and for terms in u².
//   - At most 2⁶ products of a term underflow. The error of each is below 4·2⁻¹⁰⁷³, and its factors
//     are below 2⁶.
func (s *sums) integrals(f frame.Frame, box bvh.Box, n int) integrals {
	k, lo, hi := float64(n), f.Local(box.Min), f.Local(box.Max)
	h := [3]float64{
		max(math.Abs(lo.X), math.Abs(hi.X)), max(math.Abs(lo.Y), math.Abs(hi.Y)), max(math.Abs(lo.Z), math.Abs(hi.Z)),
	}
	spread, tiny := s.spread*(1+0x1p-20), k*0x1p-1050
	of := func(x frame.Sum, terms, size float64) ball {
		v := x.Value()
		// The terms have a sum of magnitudes of at most size.
		return newBall(v, terms*unit+k*unit*k*unit*size+unit*math.Abs(v)+tiny)
	}
	out := integrals{Frame: f}
	out.volume = of(s.volume, 9*spread, spread).over(ball{6, 0})
	for i := range out.first {
		out.first[i] = of(s.first[i], 38*spread*h[i], 3*spread*h[i]).over(ball{24, 0})
	}
	for i, ij := range pairs {
		hh := spread * h[ij[0]] * h[ij[1]] * (1 + 0x1p-20)
		out.second[i] = of(s.second[i], 219*hh, 12*hh).over(ball{120, 0})
	}
	area := s.areaSpread * (1 + 0x1p-20)
	out.area = of(s.area, 16*area, area).over(ball{2, 0})
	return out
}

// pairs are the coordinates of the second moments.
var pairs = [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}}
