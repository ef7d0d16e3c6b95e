package oriented

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Box contains each point p for which |Axis[j]·(p−Center)| ≤ Half[j] for the three axes. The
// lengths of the axes and the cosines between them have errors of at most 2⁻⁴⁹.
type Box struct {
	Center r3.Vector
	Axis   [3]r3.Vector
	Half   [3]float64
}

// Cone contains the directions whose unit vectors have at most the distance Radius from Axis.
type Cone struct {
	Axis   r3.Vector
	Radius float64
}

// slack bounds the errors of unit vectors and of their differences, and the relative errors of boxes.
const slack = 0x1p-46

// tiny covers underflow.
const tiny = 0x1p-1000

// box returns a box of faces. Its first axis has the direction of the longest edge. The second axis
// has the direction of the edge that is longest across the first axis.
func (b *builder) box(parts []part) Box {
	lo, hi := r3.Vector{X: math.Inf(1), Y: math.Inf(1), Z: math.Inf(1)}, r3.Vector{X: math.Inf(-1), Y: math.Inf(-1), Z: math.Inf(-1)}
	var long r3.Vector
	length := 0.
	for _, p := range parts {
		for _, f := range p.faces {
			t := &b.tris[f]
			for i := range t {
				lo = r3.Vector{X: min(lo.X, t[i].X), Y: min(lo.Y, t[i].Y), Z: min(lo.Z, t[i].Z)}
				hi = r3.Vector{X: max(hi.X, t[i].X), Y: max(hi.Y, t[i].Y), Z: max(hi.Z, t[i].Z)}
				e := t[(i+1)%3].Sub(t[i])
				if l := e.Norm2(); l > length {
					long, length = e, l
				}
			}
		}
	}
	box := Box{Center: lo.Mul(.5).Add(hi.Mul(.5)), Axis: upright}
	first := vec.Unit(long)
	var wide r3.Vector
	width := 0.
	for _, p := range parts {
		for _, f := range p.faces {
			t := &b.tris[f]
			for i := range t {
				e := t[(i+1)%3].Sub(t[i])
				e = e.Sub(first.Mul(e.Dot(first)))
				if l := e.Norm2(); l > width {
					wide, width = e, l
				}
			}
		}
	}
	if second := vec.Unit(wide); width > 0 {
		// If all edges are almost parallel, wide consists of rounding errors. It can be almost parallel to first.
		for range 2 {
			second = vec.Unit(second.Sub(first.Mul(second.Dot(first))))
		}
		third := first.Cross(second)
		if max(math.Abs(first.Dot(second)), math.Abs(first.Norm2()-1), math.Abs(second.Norm2()-1)) < 0x1p-49 {
			box.Axis = [3]r3.Vector{first, second, third}
		}
	}
	reach := 0.
	for _, p := range parts {
		for _, f := range p.faces {
			for _, c := range b.tris[f] {
				d := c.Sub(box.Center)
				reach = max(reach, vec.MaxAbs(d))
				for j := range box.Half {
					box.Half[j] = max(box.Half[j], math.Abs(dot(box.Axis[j], d)))
				}
			}
		}
	}
	for j := range box.Half {
		box.Half[j] += reach * slack
	}
	return box
}

var upright = [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}}

// around returns a box that contains two boxes. Its axes are those of one of them, or the coordinate axes.
//
// Each point p of the box x has |axis·(p−x.Center)| ≤ x.reach(axis), up to the errors that slack covers as in Apart.
func around(a, b *Box) (best Box) {
	least := math.Inf(1)
	apart := b.Center.Sub(a.Center)
	for i, axes := range [3]*[3]r3.Vector{&a.Axis, &b.Axis, &upright} {
		box := Box{Center: a.Center, Axis: *axes}
		for _, axis := range axes {
			d, u, v := dot(axis, apart), a.reach(axis), b.reach(axis)
			box.Center = box.Center.Add(axis.Mul((min(-u, d-v) + max(u, d+v)) / 2))
		}
		for _, x := range [2]*Box{a, b} {
			d := x.Center.Sub(box.Center)
			margin := slack*(math.Abs(d.X)+math.Abs(d.Y)+math.Abs(d.Z)+x.Half[0]+x.Half[1]+x.Half[2]) + tiny
			for j, axis := range axes {
				box.Half[j] = max(box.Half[j], math.Abs(dot(axis, d))+x.reach(axis)+margin)
			}
		}
		if area := box.Half[0]*box.Half[1] + box.Half[1]*box.Half[2] + box.Half[2]*box.Half[0]; i == 0 || area < least {
			best, least = box, area
		}
	}
	return best
}

// Apart reports whether a plane certainly separates the two boxes: a plane along a face of one of them or along
// both first axes.
//
// Each of the sums below has at most ten products of an entry of an axis with a difference or with
// half an edge, all below size. The axes of a box differ from orthonormal axes by at most 2⁻⁴⁹, which is
// an eighth of slack. slack is 128 times the error of one rounding, so slack·size covers all of these
// errors. If a number overflows, no comparison holds.
func (a *Box) Apart(b *Box) bool {
	d := b.Center.Sub(a.Center)
	size := math.Abs(d.X) + math.Abs(d.Y) + math.Abs(d.Z) + a.Half[0] + a.Half[1] + a.Half[2] + b.Half[0] + b.Half[1] + b.Half[2]
	margin := slack*size + tiny
	var across [3]float64
	for i := range a.Axis {
		reach := a.Half[i] + margin
		for j := range b.Axis {
			c := math.Abs(dot(a.Axis[i], b.Axis[j]))
			reach += c * b.Half[j]
			across[j] += c * a.Half[i]
		}
		if math.Abs(dot(a.Axis[i], d)) > reach {
			return true
		}
	}
	for j := range b.Axis {
		if math.Abs(dot(b.Axis[j], d)) > across[j]+b.Half[j]+margin {
			return true
		}
	}
	n := a.Axis[0].Cross(b.Axis[0]) // at most 1 long, so margin suffices
	return math.Abs(dot(n, d)) > a.reach(n)+b.reach(n)+margin
}

// reach returns the largest product of axis and p−center for a point p of the box.
func (b *Box) reach(axis r3.Vector) float64 {
	return b.Half[0]*math.Abs(dot(axis, b.Axis[0])) + b.Half[1]*math.Abs(dot(axis, b.Axis[1])) + b.Half[2]*math.Abs(dot(axis, b.Axis[2]))
}

// thickness returns the sum of the two shorter half edges. Of two nodes, the thicker one is divided: faces of a fan
// can be much longer than the others, and the fan still separates from them as a whole.
func (b *Box) thickness() float64 {
	return b.Half[0] + b.Half[1] + b.Half[2] - max(b.Half[0], b.Half[1], b.Half[2])
}

// Apart reports whether the convex hulls of the two cones certainly have no common direction.
//
// A cone whose half-angle is below a right angle is convex. The distance of two unit vectors with the
// angle θ is 2 sin(θ/2), which is subadditive.
func (c *Cone) Apart(d *Cone) bool {
	const narrow = 1.4 // below √2
	return c.Radius < narrow && d.Radius < narrow && c.Axis.Sub(d.Axis).Norm() > c.Radius+d.Radius+slack
}

// Face is a triangle. Apart computes its edges, its normal and the normals of its edges in its plane.
type Face struct {
	Corners *mesh.Triangle
	edge    [3]r3.Vector
	axis    [4]r3.Vector
	known   bool // edge and axis are set
}

// Apart reports whether an axis of f or b certainly separates them. Every axis is allowed, so it does
// not matter that the axes of f are rounded. slack covers the other errors, as in Box.Apart.
func (f *Face) Apart(b *Box) bool {
	t := f.Corners
	d := [3]r3.Vector{t[0].Sub(b.Center), t[1].Sub(b.Center), t[2].Sub(b.Center)}
	size := max(vec.MaxAbs(d[0]), vec.MaxAbs(d[1]), vec.MaxAbs(d[2]), b.Half[0], b.Half[1], b.Half[2])
	for j, axis := range b.Axis {
		if beyond(axis, &d, b.Half[j]+8*slack*size+tiny) {
			return true
		}
	}
	if !f.known {
		f.edge = [3]r3.Vector{t[1].Sub(t[0]), t[2].Sub(t[1]), t[0].Sub(t[2])}
		n := f.edge[0].Cross(f.edge[1])
		f.axis, f.known = [4]r3.Vector{n, n.Cross(f.edge[0]), n.Cross(f.edge[1]), n.Cross(f.edge[2])}, true
	}
	separates := func(axis r3.Vector) bool {
		bound := size * (math.Abs(axis.X) + math.Abs(axis.Y) + math.Abs(axis.Z)) // infinite if a product below overflows
		return beyond(axis, &d, b.reach(axis)+8*slack*bound+tiny)
	}
	return separates(f.axis[0]) || separates(f.axis[1]) || separates(f.axis[2]) || separates(f.axis[3]) ||
		separates(f.edge[0].Cross(b.Axis[0])) || separates(f.edge[1].Cross(b.Axis[0])) || separates(f.edge[2].Cross(b.Axis[0]))
}

// beyond reports whether all products of axis with d exceed reach, or all are below −reach.
func beyond(axis r3.Vector, d *[3]r3.Vector, reach float64) bool {
	x, y, z := dot(axis, d[0]), dot(axis, d[1]), dot(axis, d[2])
	return x > reach && y > reach && z > reach || x < -reach && y < -reach && z < -reach
}

func dot(a, b r3.Vector) float64 {
	return float64(a.X*b.X) + float64(a.Y*b.Y) + float64(a.Z*b.Z)
}
