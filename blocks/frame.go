package blocks

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/voxels"
)

// Frame is a regular grid of blocks. Without a rotation, plane i across the x axis is at Origin.X +
// i·Size.X, rounded to float64, and block (i, j, k) is the closed box between planes i and i+1, and
// likewise along y and z.
//
// With a rotation, the planes are those of a grid with the origin 0, and the blocks are turned by the
// exact rotation of the quaternion Rotation (see pose.Pose) and then moved by Origin. So neighbors share
// exactly one side. Only the positions of the planes are rounded.
type Frame struct {
	Origin, Size r3.Vector
	Counts       [3]int
	Rotation     quat.Number // unit quaternion; the zero value means no rotation
}

// Rotation returns the quaternion of a frame whose axes are turned in three steps: first by the plunge
// about the y axis of the frame, then by the dip about its x axis, then by the azimuth about the
// vertical. The angles are in degrees. The azimuth is clockwise seen from above, so that the y axis of the
// frame points to this bearing. A positive dip lowers the y axis. A positive plunge lowers the x axis. The
// numbers of the quaternion are rounded once; a multiple of 90° about one axis gives the exact rotation.
//
// Errors: an angle that is not finite.
func Rotation(azimuth, dip, plunge float64) (quat.Number, error) {
	for _, a := range []float64{azimuth, dip, plunge} {
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return quat.Number{}, fmt.Errorf("angle %g: must be finite", a)
		}
	}
	half := func(degrees float64) (sin, cos float64) {
		degrees = math.Mod(degrees, 360)
		if math.Mod(degrees, 90) == 0 { // sine and cosine of multiples of 45° must have equal magnitudes
			s := math.Sqrt(0.5)
			table := [8][2]float64{{0, 1}, {s, s}, {1, 0}, {s, -s}, {0, -1}, {-s, -s}, {-1, 0}, {-s, s}}
			e := table[(int(degrees/90)+8)%8]
			return e[0], e[1]
		}
		return math.Sincos(degrees * math.Pi / 360)
	}
	sz, cz := half(-azimuth)
	sx, cx := half(-dip)
	sy, cy := half(plunge)
	return quat.Mul(quat.Mul(quat.Number{Real: cz, Kmag: sz}, quat.Number{Real: cx, Imag: sx}), quat.Number{Real: cy, Jmag: sy}), nil
}

// Rotated reports whether f has a rotation.
func (f *Frame) Rotated() bool {
	return f.Rotation != quat.Number{} && f.Rotation != quat.Number{Real: 1}
}

// Pose returns the pose that moves local coordinates into the world. Without a rotation, local coordinates
// are world coordinates.
func (f *Frame) Pose() pose.Pose {
	if f.Rotated() {
		return pose.Pose{Rotation: f.Rotation, Translation: f.Origin}
	}
	return pose.At(r3.Vector{})
}

// Grid returns the grid of the blocks in local coordinates.
func (f *Frame) Grid() voxels.Grid {
	g := voxels.Grid{Origin: f.Origin, Spacing: f.Size, Counts: f.Counts}
	if f.Rotated() {
		g.Origin = r3.Vector{}
	}
	return g
}

// Check returns an error if a size is not finite and positive, if a number of blocks is out of range, if
// the blocks are too small or too far away for float64, or if the rotation is not a unit quaternion.
func (f *Frame) Check() error {
	if err := f.Pose().Check(); err != nil {
		return err
	}
	for _, x := range components(f.Origin) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("origin %v: coordinates must be finite", f.Origin)
		}
	}
	return f.Grid().Check()
}

// planes returns the local box of the blocks from lo to hi−1.
func (f *Frame) planes(lo, hi [3]int) bvh.Box {
	o, h := components(f.Grid().Origin), components(f.Size)
	var a, b [3]float64
	for k := range a {
		a[k] = o[k] + float64(float64(lo[k])*h[k])
		b[k] = o[k] + float64(float64(hi[k])*h[k])
	}
	return bvh.Box{Min: vector(a), Max: vector(b)}
}

func components(v r3.Vector) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

func vector(v [3]float64) r3.Vector { return r3.Vector{X: v[0], Y: v[1], Z: v[2]} }

// center returns the rounded center of a box.
func center(b *bvh.Box) r3.Vector {
	return r3.Vector{X: b.Min.X/2 + b.Max.X/2, Y: b.Min.Y/2 + b.Max.Y/2, Z: b.Min.Z/2 + b.Max.Z/2}
}
