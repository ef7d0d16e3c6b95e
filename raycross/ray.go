package raycross

import (
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// ray is the segment P→R of Muth et al. 2006, §2.2, with what its tests share.
type ray struct {
	p, r   r3.Vector
	axis   int     // the axis along which R−P is largest
	sign   int     // sign of (R−P) along axis
	sx, sy float64 // slopes of R−P along the two axes after axis, at most maxSlope (rounded)
}

// maxSlope bounds the ratio of the other components of R−P to the largest.
// A ray leaves through the nearest face of the box in a cone around its normal:
// short rays meet few nodes. The cone is wide enough that meshes made of
// parallel sheets do not shape the distribution, and narrow enough that the ray
// does not run along the box.
const maxSlope = 0.25

// reach returns the distance from P to R along the axis of the ray, for points
// and a mesh whose largest |coordinate| is m. At 8·m, R lies outside the box and
// its coordinates have the full resolution of float64 whatever the offset or
// the scale; at least 1, so that volumes of tiny meshes stay in range. With
// m ≤ mesh.MaxCoordinate nothing overflows: R is at most 16·MaxCoordinate from P, and
// differences stay below 2^1005.
func reach(m float64) float64 { return max(8*m, 1) }

// aim returns the ray number attempt from p out of box. The choice is a function
// of seed, the coordinates of p (−0 = +0) and attempt alone, so neither order
// nor workers can change it. The ray leaves the box through its nearest face
// (or starts beyond a face and moves away from it), within maxSlope of the
// face's normal. length is reach(m).
func aim(p r3.Vector, box bvh.Box, length float64, seed uint64, attempt int) ray {
	axis, sign := nearestFace(p, box)
	// The multipliers (Steele, Vigna 2021, table of 64-bit ones) and rotations keep
	// the coordinates apart; mix spreads them.
	h := mix(seed + uint64(attempt)*0x9e3779b97f4a7c15 +
		math.Float64bits(p.X+0)*0xd1342543de82ef95 + // −0 + 0 = +0
		bits.RotateLeft64(math.Float64bits(p.Y+0)*0xaf251af3b0f025b5, 21) +
		bits.RotateLeft64(math.Float64bits(p.Z+0)*0xb564ef22ec7aece5, 42))
	u0 := unit(mix(h + 1))
	u1 := unit(mix(h + 2))
	u2 := unit(mix(h + 3))

	d := [3]float64{}
	d[axis] = float64(sign) * length * (1 + u0)
	d[next(axis)] = length * maxSlope * (2*u1 - 1)
	d[next(next(axis))] = length * maxSlope * (2*u2 - 1)
	return newRay(p, p.Add(r3.Vector{X: d[0], Y: d[1], Z: d[2]}), axis, sign)
}

// aimAway returns the end of ray number attempt from a p outside the box, however
// far: along the axis on which p lies beyond the box it goes on in that
// direction or stays where it is, so the segment does not come back to the box;
// the other coordinates go towards 0 and leave the range of float64 alone.
func aimAway(p r3.Vector, box bvh.Box, length float64, seed uint64, attempt int) r3.Vector {
	if vec.MaxAbs(p) <= mesh.MaxCoordinate {
		return aim(p, box, length, seed, attempt).r
	}
	axis, sign := nearestFace(p.Mul(0.5), bvh.Box{Min: box.Min.Mul(0.5), Max: box.Max.Mul(0.5)})
	q := aim(r3.Vector{}, box, mesh.MaxCoordinate, seed^math.Float64bits(p.X)^math.Float64bits(p.Y)^math.Float64bits(p.Z), attempt)
	d := [3]float64{math.Abs(q.r.X), math.Abs(q.r.Y), math.Abs(q.r.Z)}
	c := [3]float64{p.X, p.Y, p.Z}
	for k := range c {
		if k == axis {
			c[k] = math.Max(-math.MaxFloat64, math.Min(c[k]+float64(sign)*d[k], math.MaxFloat64))
		} else {
			c[k] -= math.Copysign(d[k], c[k])
		}
	}
	return r3.Vector{X: c[0], Y: c[1], Z: c[2]}
}

func newRay(p, r r3.Vector, axis, sign int) ray {
	d := r.Sub(p)
	q := ray{p: p, r: r, axis: axis, sign: sign}
	switch axis {
	case 0:
		q.sx, q.sy = d.Y/d.X, d.Z/d.X
	case 1:
		q.sx, q.sy = d.Z/d.Y, d.X/d.Y
	default:
		q.sx, q.sy = d.X/d.Z, d.Y/d.Z
	}
	return q
}

func next(axis int) int { return (axis + 1) % 3 }

// nearestFace returns the axis and the direction (−1 or +1) of the face of box
// that is nearest to p; a face that p lies beyond counts as nearer than any
// other.
func nearestFace(p r3.Vector, box bvh.Box) (axis, sign int) {
	lo, hi := p.Sub(box.Min), box.Max.Sub(p)
	best := lo.X
	axis, sign = 0, -1
	if hi.X < best {
		best, axis, sign = hi.X, 0, 1
	}
	if lo.Y < best {
		best, axis, sign = lo.Y, 1, -1
	}
	if hi.Y < best {
		best, axis, sign = hi.Y, 1, 1
	}
	if lo.Z < best {
		best, axis, sign = lo.Z, 2, -1
	}
	if hi.Z < best {
		axis, sign = 2, 1
	}
	return axis, sign
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection in
// which every input bit changes half of the output bits.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// unit maps the upper 53 bits of h to [0, 1).
func unit(h uint64) float64 { return float64(h>>11) * 0x1p-53 }
