package section

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// ErrPlane reports a plane with coordinates that are not finite or too large, or with a normal whose
// largest coordinate is not between 2^−500 and 2^500.
var ErrPlane = errors.New("invalid plane")

// Plane is the plane through Origin that is perpendicular to Normal. The length of Normal has no
// effect.
type Plane struct{ Origin, Normal r3.Vector }

// AxisPlane returns the plane on which coordinate axis (0 is x, 1 is y, 2 is z) equals the given
// value. The normal points along the axis for x and z, and against it for y. So the first and the
// second coordinate of Frame are y and z, x and z, or x and y, as in drawings.
func AxisPlane(axis int, value float64) Plane {
	var p Plane
	switch axis {
	case 0:
		p.Origin.X, p.Normal.X = value, 1
	case 1:
		p.Origin.Y, p.Normal.Y = value, -1
	case 2:
		p.Origin.Z, p.Normal.Z = value, 1
	default:
		panic(fmt.Sprintf("section: axis %d: expected 0, 1 or 2", axis))
	}
	return p
}

// Check returns an error that wraps ErrPlane if p is not a plane.
func (p Plane) Check() error {
	n := vec.MaxAbs(p.Normal)
	switch {
	case !vec.Finite(p.Origin) || vec.MaxAbs(p.Origin) > mesh.MaxCoordinate:
		return fmt.Errorf("%w: origin %v: coordinates must be finite and at most %g", ErrPlane, p.Origin, float64(mesh.MaxCoordinate))
	case !vec.Finite(p.Normal) || n < 0x1p-500 || n > 0x1p500:
		return fmt.Errorf("%w: normal %v: the largest coordinate must be between 2^-500 and 2^500", ErrPlane, p.Normal)
	}
	return nil
}

// Frame has the coordinates in the plane in which results are two-dimensional: the dot products of
// p−Origin with U and V. U×V points along the normal of the plane.
//
// If the normal is parallel to an axis, Origin is 0, and U and V are axes: the coordinates in the
// plane are exact coordinates of space. Otherwise Origin is the origin of the plane, and U and V are
// rounded unit vectors. If the plane is not nearly horizontal, U is horizontal and V points upward
// (z is up).
type Frame struct{ Origin, U, V r3.Vector }

// Frame returns the frame of p.
func (p Plane) Frame() Frame {
	if g := newGeometry(p); g.axis {
		var u, v r3.Vector
		set(&u, g.i, 1)
		set(&v, g.j, 1)
		return Frame{U: u, V: v}
	}
	n := p.Normal.Mul(1 / vec.MaxAbs(p.Normal)).Normalize()
	u := r3.Vector{Z: 1}.Cross(n)
	if math.Abs(n.Z) > 0.99 { // nearly horizontal: U is near the x axis or opposite to it
		u = r3.Vector{Y: 1}.Cross(n)
	}
	u = u.Normalize()
	return Frame{Origin: p.Origin, U: u, V: n.Cross(u).Normalize()}
}

// At returns the coordinates of a point of the plane.
func (f Frame) At(p r3.Vector) [2]float64 {
	// Without an origin, the products with the elements 0 and 1 of axes are exact.
	d := p.Sub(f.Origin)
	return [2]float64{d.Dot(f.U) + 0, d.Dot(f.V) + 0}
}

// geometry is a plane with the projection along the axis of the largest coordinate of the normal. The
// projected coordinates are coordinates i and j of space. Seen against the normal of the plane, j is
// on the left of i.
type geometry struct {
	Plane
	i, j, k int
	axis    bool    // the normal is parallel to axis k
	factor  float64 // area in the plane divided by the projected area, within a relative error of 8·unit
}

func newGeometry(p Plane) geometry {
	g := geometry{Plane: p}
	n := [3]float64{p.Normal.X, p.Normal.Y, p.Normal.Z}
	for k := range n {
		if math.Abs(n[k]) > math.Abs(n[g.k]) {
			g.k = k
		}
	}
	if g.i, g.j = (g.k+1)%3, (g.k+2)%3; n[g.k] < 0 {
		g.i, g.j = g.j, g.i
	}
	g.axis = n[g.i] == 0 && n[g.j] == 0
	// |n|/|n_k| from numbers that are at most 1.
	a, b := n[g.i]/n[g.k], n[g.j]/n[g.k]
	g.factor = math.Sqrt(1 + float64(a*a) + float64(b*b))
	return g
}

// side returns +1 if p is above the plane, and −1 if it is below it. on reports whether p lies on the
// plane; then the side is −1.
func (g *geometry) side(k *predicates.Counter, p r3.Vector) (side int, on bool) {
	if g.axis {
		side = cmp.Compare(at(p, g.k), at(g.Origin, g.k))
		if at(g.Normal, g.k) < 0 {
			side = -side
		}
	} else {
		side = k.PlaneSide(p, g.Origin, g.Normal)
	}
	if side == 0 {
		return -1, true
	}
	return side, false
}

// unit is the largest relative rounding error of an operation.
const unit = 0x1p-53

func at(p r3.Vector, k int) float64 {
	switch k {
	case 0:
		return p.X
	case 1:
		return p.Y
	}
	return p.Z
}

func set(p *r3.Vector, k int, x float64) {
	switch k {
	case 0:
		p.X = x
	case 1:
		p.Y = x
	default:
		p.Z = x
	}
}
