// Package caps computes the double-layer potential of the caps of an open mesh, as accurately as a side needs.
package caps

import (
	"cmp"
	"math"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/order"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Tree is a tree over the caps of an open mesh, whose nodes approximate the double-layer potential of the caps below.
// Coordinates in the nodes are relative to origin and multiplied by scale, a power of two.
//
// Let F(y) = (y−p)/|y−p|³. The potential of caps at p is (1/4π) ∫ n·F dA. A node has a center c, the radius r of a ball around the
// caps, and the integrals D = ∫ n dA, T = ∫ n(y−c)ᵀ dA and M = ∫ |y−c|² dA. Let v = c−p. Second derivatives of F are at most
// 6/(|v|−r)⁴ in the ball, so the potential is (D·v/|v|³ + tr T/|v|³ − 3 vᵀTv/|v|⁵)/4π, with an error of at most
// 3M/(4π(|v|−r)⁴).
type Tree struct {
	nodes  []node      // in preorder; the root is the first one
	panels *bem.Panels // the caps in the order of the leaves
	origin r3.Vector
	scale  float64
	times  float64 // number of copies of each cap
	// slack exceeds the errors of scaled coordinates, relative to the box of the caps and to the distance of the point, and all
	// relative errors of sums over caps and of products.
	slack float64
}

type node struct {
	center   r3.Vector
	far      float64  // the result of distance2 for the first tolerance of Settle
	right    int32    // the right child; the left child is the next node; 0 for a leaf
	span     bem.Span // caps of a leaf
	radius   float64
	reach    float64    // 3M divided by the area of the caps
	share    float64    // 3M/4π divided by the share of the caps in the area of all caps
	dipole   r3.Vector  // D/4π
	first    [6]float64 // T/4π: xx, yy, zz, and the sums xy+yx, xz+zx, yz+zy
	moment   float64    // 3M/4π
	size     float64    // A/4π, for the area A of the caps
	rounding float64    // bound of the error of dipole; that of first is at most radius times this, and the slack of size
}

// distance2 returns the square of the distance from the center at which the node approximates the potential with the given tolerance.
func (n *node) distance2(tolerance, slack float64) float64 {
	gap := math.Sqrt(min(n.reach/tolerance, math.Sqrt(n.share/tolerance)))
	d := (n.radius + gap) / (1 - slack) * (1 + 0x1p-40)
	return d * d
}

// leafSize is the largest number of caps in a leaf: a block of panels.
const leafSize = 8

// New returns the tree of caps, each of which counts the given number of times. It keeps a reference to caps, and changes their
// order. The time is O(n log² n) for n caps, because each node sorts its caps.
func New(caps []mesh.Triangle, times float64) *Tree {
	t := &Tree{times: times, scale: 1, slack: 1e-12 + 0x1p-50*float64(len(caps))}
	if len(caps) == 0 {
		return t
	}
	b := builder{Tree: t, caps: caps}
	box := mesh.Triangle{caps[0][0], caps[0][0]}
	for _, c := range caps {
		for _, v := range c {
			box[0] = r3.Vector{X: min(box[0].X, v.X), Y: min(box[0].Y, v.Y), Z: min(box[0].Z, v.Z)}
			box[1] = r3.Vector{X: max(box[1].X, v.X), Y: max(box[1].Y, v.Y), Z: max(box[1].Z, v.Z)}
		}
	}
	t.origin = box[0].Mul(.5).Add(box[1].Mul(.5))
	_, e := math.Frexp(vec.MaxAbs(box[1].Sub(t.origin)))
	t.scale = math.Ldexp(1, min(-e, 1000))
	b.build(0, len(caps))
	t.panels = bem.NewPanels(b.caps, b.starts)
	leaf, area := 0, t.nodes[0].share
	for i := range t.nodes {
		n := &t.nodes[i]
		n.share = n.moment / n.share * area
		n.far = n.distance2(tolerances[0], t.slack)
		if n.right == 0 {
			n.span = t.panels.Span(b.starts[leaf], b.ends[leaf])
			leaf++
		}
	}
	return t
}

type builder struct {
	*Tree
	caps         []mesh.Triangle
	starts, ends []int32 // of the leaves
}

// build appends the nodes for caps lo to hi−1.
func (b *builder) build(lo, hi int) {
	k := len(b.nodes)
	b.nodes = append(b.nodes, b.newNode(lo, hi))
	if hi-lo <= leafSize {
		b.starts, b.ends = append(b.starts, int32(lo)), append(b.ends, int32(hi))
		return
	}
	part := b.caps[lo:hi]
	low, high := middle(&part[0]), middle(&part[0])
	for i := range part {
		c := middle(&part[i])
		low = r3.Vector{X: min(low.X, c.X), Y: min(low.Y, c.Y), Z: min(low.Z, c.Z)}
		high = r3.Vector{X: max(high.X, c.X), Y: max(high.Y, c.Y), Z: max(high.Z, c.Z)}
	}
	axis := high.Sub(low).LargestComponent()
	copy(part, order.Sorted(part, func(s, t *mesh.Triangle) int {
		return cmp.Compare(vec.Component(middle(s), axis), vec.Component(middle(t), axis))
	}))
	// Leaves have full blocks.
	blocks := (hi - lo + leafSize - 1) / leafSize
	mid := lo + (blocks+1)/2*leafSize
	b.build(lo, mid)
	b.nodes[k].right = int32(len(b.nodes))
	b.build(mid, hi)
}

func middle(t *mesh.Triangle) r3.Vector {
	return t[0].Mul(1. / 3).Add(t[1].Mul(1. / 3)).Add(t[2].Mul(1. / 3))
}

func (b *builder) scaled(v r3.Vector) r3.Vector { return v.Sub(b.origin).Mul(b.scale) }

// newNode computes the integrals of caps lo to hi−1.
//
// ε is 2⁻⁵³. Edges are differences of the corners, and their components have relative errors of ε. So the vector area of a cap with
// the edges e and f is wrong by at most 4ε|e||f|, even if the cap is so thin that its area is smaller. Positions relative to the center are
// wrong by at most 8ε, because scaled coordinates are below 1. rounding and slack cover these errors.
func (b *builder) newNode(lo, hi int) (n node) {
	shape := func(i int) (vector r3.Vector, area, rounding float64) {
		t := &b.caps[i]
		e, f := t[1].Sub(t[0]).Mul(b.scale), t[2].Sub(t[0]).Mul(b.scale)
		vector = e.Cross(f).Mul(.5)
		rounding = 0x1p-50*e.Norm()*f.Norm() + 0x1p-900
		return vector, vector.Norm() + rounding, rounding
	}
	var sum r3.Vector
	area := 0.0
	for i := lo; i < hi; i++ {
		vector, a, rounding := shape(i)
		n.dipole = n.dipole.Add(vector)
		n.rounding += rounding
		area += a
		t := &b.caps[i]
		sum = sum.Add(b.scaled(t[0]).Add(b.scaled(t[1])).Add(b.scaled(t[2])).Mul(a / 3))
	}
	n.center = sum.Mul(1 / area)
	second := 0.0
	for i := lo; i < hi; i++ {
		d, a, _ := shape(i)
		var t [3]r3.Vector
		for k, v := range b.caps[i] {
			t[k] = b.scaled(v).Sub(n.center)
			n.radius = max(n.radius, t[k].Norm())
		}
		m := t[0].Add(t[1]).Add(t[2])
		second += a / 12 * (t[0].Norm2() + t[1].Norm2() + t[2].Norm2() + m.Norm2())
		m = m.Mul(1. / 3)
		for k, x := range [6]float64{d.X * m.X, d.Y * m.Y, d.Z * m.Z, d.X*m.Y + d.Y*m.X, d.X*m.Z + d.Z*m.X, d.Y*m.Z + d.Z*m.Y} {
			n.first[k] += x / (4 * math.Pi)
		}
	}
	n.radius += b.slack * (1 + n.radius)
	n.moment = 3 * (second*(1+b.slack) + area*b.slack*(2*n.radius+b.slack)) / (4 * math.Pi)
	n.reach, n.share = n.moment*4*math.Pi/area, area
	n.dipole = n.dipole.Mul(1 / (4 * math.Pi))
	n.rounding /= 4 * math.Pi
	n.size = area / (4 * math.Pi)
	return n
}

// Potential returns the potential of all caps at p and a bound of its error. The error of a node is at most tolerance times the
// solid angle that its caps could fill at their distance. ok is false if p lies on a cap or is too far away.
func (t *Tree) Potential(p r3.Vector, tolerance float64, s *Scratch) (j, bound float64, ok bool) {
	if len(t.nodes) == 0 {
		return 0, 0, true
	}
	q := p.Sub(t.origin).Mul(t.scale)
	if !(vec.MaxAbs(q) < 1e50) {
		return 0, 0, false
	}
	s.spans, s.waiting = s.spans[:0], append(s.waiting[:0], 0)
	terms, weight := 0.0, 0.0 // number of nodes, and a bound of the sum of their magnitudes
	for len(s.waiting) > 0 {
		k := s.waiting[len(s.waiting)-1]
		s.waiting = s.waiting[:len(s.waiting)-1]
		n := &t.nodes[k]
		v := n.center.Sub(q)
		d2, far := v.Norm2(), n.far
		if tolerance != tolerances[0] {
			far = n.distance2(tolerance, t.slack)
		}
		if d2 >= far {
			d := math.Sqrt(d2)
			if gap := d*(1-t.slack) - n.radius; gap > 0 {
				g2 := gap * gap
				f := &n.first
				cube := 1 / (d2 * d)
				second := f[0]*v.X*v.X + f[1]*v.Y*v.Y + f[2]*v.Z*v.Z + f[3]*v.X*v.Y + f[4]*v.X*v.Z + f[5]*v.Y*v.Z
				j += (n.dipole.Dot(v) + f[0] + f[1] + f[2] - 3*second/d2) * cube
				// The terms cover the rest of the series, the rounding of D and T, that of the sum above and of their positions, and
				// that of the position of p: the gradient of the potential is at most 2A/(4π·gap³).
				size := n.size * (1 + 6*n.radius/d) / d2
				terms, weight = terms+1, weight+size
				bound += n.moment/(g2*g2) + n.rounding*(1+6*n.radius/d)/d2 + t.slack*(size+5*n.size/(d2*d)+2*n.size*(d+2)/(g2*gap))
				continue
			}
		}
		if n.right == 0 {
			s.spans = append(s.spans, n.span)
		} else {
			s.waiting = append(s.waiting, n.right, k+1)
		}
	}
	if len(s.spans) > 0 {
		w, b, on := t.panels.Winding(p, s.spans, &s.panels)
		if on {
			return 0, 0, false
		}
		j, bound = j+w, bound+b
	}
	// The sum over nodes rounds by less than 0x1p-52*terms*weight. 0x1p-40*|j| covers the sum with the panels and the product with
	// times, and 1e-6 the rounding of the bound itself. 0x1p-900 covers terms that underflow.
	bound += 0x1p-52*terms*weight + 0x1p-900
	j, bound = j*t.times, (bound+0x1p-40*math.Abs(j))*t.times*(1+1e-6)
	return j, bound, bound <= math.MaxFloat64
}

// Scratch is the working memory of one goroutine. The zero value is ready for use.
type Scratch struct {
	waiting []int32
	spans   []bem.Span
	panels  bem.PanelSum
}

// tolerances lists the tolerances with which Settle tries to compute the potential. The last one serves points whose
// potential is close to a threshold. // tuning
var tolerances = [...]float64{0.35, 0.04, 1e-3, 1e-8}

// Settle returns the potential of all caps at p and a bound of its error that is less than the distance from the nearest integer
// plus ½. ok is false if it finds no such bound. Winding numbers W of the mesh and its caps are integers, and
// thresholds of rules are integers plus ½. So the potential decides the side of p.
func (t *Tree) Settle(p r3.Vector, s *Scratch) (j, bound float64, ok bool) {
	for _, tolerance := range tolerances {
		if j, bound, ok = t.Potential(p, tolerance, s); !ok {
			return 0, 0, false
		}
		if math.Abs(j-math.Floor(j)-0.5) > bound+0x1p-50 {
			return j, bound, true
		}
	}
	return 0, 0, false
}

// Bytes estimates the memory of t.
func (t *Tree) Bytes() int64 {
	if t.panels == nil {
		return 0
	}
	return int64(unsafe.Sizeof(node{}))*int64(len(t.nodes)) + 200*int64(t.panels.Len())
}
