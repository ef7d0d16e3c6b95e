package collide

import (
	"math"

	"github.com/golang/geo/r3"
)

// frame is a rigid motion x ↦ R·x + t, R by rows.
//
// # Rounding
//
// u = 2⁻⁵³. The exact R is that of q/|q| in exact arithmetic; terms of u² are left out
// below, the constants have room for them.
//
// Components of unit(q) have a relative error of at most 3u for the root of a sum of four
// squares and u for the division, so 4u, their products 9u. With Σ q_i² = 1 an
// entry of the diagonal, 1 − 2(a²+b²), is off by at most 2(9u+u) + u = 21u, another one,
// 2(ab ± cd) with |ab| + |cd| ≤ ½, by 11u. The norm of a matrix of nine such entries
// is at most 3·21u = 63u.
//
// Entries of the product of two are off by 3u more, as rows and columns are units: 9u in
// norm. So the rotation of relative is off by at most 2·63u + 9u = 135u. Its translation
// is R_Bᵀ(t_A − t_B), off by u + 63u + 3√3u < 70u times d = |t_A − t_B|. Taking v there
// rounds 3 products and 3 sums a component: at most 4u(|v| + |t|) of each, 4√3u < 7u
// of the vector. Together 142u|v| + 77u·d; what is used is 170 and 90.
//
// What underflows loses half of 2⁻¹⁰⁷⁴ an operation, in all less than tiny.
type frame struct {
	r [3]r3.Vector
	t r3.Vector
}

// The constants of the bounds above, and of wider ones for boxes and balls; see margin.
const (
	nodeReach, nodeOrigins     = 170 * 0x1p-53, 90 * 0x1p-53
	marginReach, marginOrigins = 512 * 0x1p-53, 512 * 0x1p-53
	tiny                       = 0x1p-1060
)

// newFrame returns the motion of a valid pose.
func newFrame(p Pose) frame {
	q := unit(p.Rotation)
	w, x, y, z := q.Real, q.Imag, q.Jmag, q.Kmag
	diagonal := func(a, b float64) float64 { return 1 - 2*(float64(a*a)+float64(b*b)) }
	sum := func(a, b, c, d float64) float64 { return 2 * (float64(a*b) + float64(c*d)) }
	return frame{
		r: [3]r3.Vector{
			{X: diagonal(y, z), Y: sum(x, y, -w, z), Z: sum(x, z, w, y)},
			{X: sum(x, y, w, z), Y: diagonal(x, z), Z: sum(y, z, -w, x)},
			{X: sum(x, z, -w, y), Y: sum(y, z, w, x), Z: diagonal(x, y)},
		},
		t: p.Translation,
	}
}

// dot3 is the product of two vectors, rounded operation by operation.
func dot3(a, b r3.Vector) float64 {
	return float64(a.X*b.X) + float64(a.Y*b.Y) + float64(a.Z*b.Z)
}

// apply returns R·v + t.
func (f *frame) apply(v r3.Vector) r3.Vector {
	return r3.Vector{X: dot3(f.r[0], v) + f.t.X, Y: dot3(f.r[1], v) + f.t.Y, Z: dot3(f.r[2], v) + f.t.Z}
}

// turn returns R·v.
func (f *frame) turn(v r3.Vector) r3.Vector {
	return r3.Vector{X: dot3(f.r[0], v), Y: dot3(f.r[1], v), Z: dot3(f.r[2], v)}
}

// turnBack returns Rᵀ·v.
func (f *frame) turnBack(v r3.Vector) r3.Vector {
	return r3.Vector{
		X: float64(f.r[0].X*v.X) + float64(f.r[1].X*v.Y) + float64(f.r[2].X*v.Z),
		Y: float64(f.r[0].Y*v.X) + float64(f.r[1].Y*v.Y) + float64(f.r[2].Y*v.Z),
		Z: float64(f.r[0].Z*v.X) + float64(f.r[1].Z*v.Y) + float64(f.r[2].Z*v.Z),
	}
}

// reachOf returns |R|·h, the half lengths of the box around a turned box of half lengths h.
func (f *frame) reachOf(h r3.Vector) r3.Vector {
	return r3.Vector{X: dot3(f.r[0].Abs(), h), Y: dot3(f.r[1].Abs(), h), Z: dot3(f.r[2].Abs(), h)}
}

// transposed returns Rᵀ without a translation.
func (f *frame) transposed() frame {
	r := &f.r
	return frame{r: [3]r3.Vector{
		{X: r[0].X, Y: r[1].X, Z: r[2].X},
		{X: r[0].Y, Y: r[1].Y, Z: r[2].Y},
		{X: r[0].Z, Y: r[1].Z, Z: r[2].Z},
	}}
}

// relative returns the motion from the frame of a to that of b, and what is at least the
// distance of their origins: the sum of its components, which does not underflow.
func relative(a, b *frame) (f frame, origins float64) {
	at := a.transposed()
	for i, row := range b.transposed().r {
		f.r[i] = r3.Vector{X: dot3(row, at.r[0]), Y: dot3(row, at.r[1]), Z: dot3(row, at.r[2])}
	}
	d := a.t.Sub(b.t)
	f.t = b.turnBack(d)
	return f, math.Abs(d.X) + math.Abs(d.Y) + math.Abs(d.Z)
}

// nodeBound bounds how far apply of relative is from the exact place of a node that is at
// most reach from its own origin.
func nodeBound(reach, origins float64) float64 {
	return nodeReach*reach + nodeOrigins*origins + tiny
}

// margin is how much boxes and balls are widened so that no node is lost that its place
// in the frame of the other body, as computed, would keep. It covers nodeBound, for
// that place, and the rounding of the boxes and balls: of the center by a rotation and
// a translation, 135u + 7u + u of the reach and 135u + 70u + 8u of the distance of the origins; of
// the half lengths, at most √3 times the reach of the body that they are around,
// (135√3 + 7)u. In all less than 142u + 385u < 527u of the reaches, each of which counts
// for one part alone, so at most 385u, and 290u of the distance.
func margin(reach, origins float64) float64 {
	return marginReach*reach + marginOrigins*origins + tiny
}
