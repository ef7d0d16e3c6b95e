package section

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
)

// node is a point of the plane: a vertex of the mesh, a point of an edge, or a point where segments
// cross.
type node struct {
	p     r3.Vector
	bound float64 // bound of the error of each coordinate of p
	u, v  int32   // the vertices of the edge; equal for a vertex; −1 for a crossing
}

// fraction is the exact projection of a node.
type fraction struct{ x, y *big.Rat }

// nodes are the nodes of a section.
type nodes struct {
	corners
	list    []node
	exact   map[int32]fraction // projections that were needed
	counter predicates.Counter
}

// newNode returns the node of the edge from vertex u above the plane to vertex v below or on it.
func (n *nodes) newNode(u, v int32, on bool) node {
	b, eb := n.point(v)
	if on {
		return node{p: b, bound: eb, u: v, v: v}
	}
	a, ea := n.point(u)
	hu, ru := n.height(u)
	hv, rv := n.height(v)
	if hu > hv { // start at the nearer end
		a, b, hu, hv = b, a, hv, hu
	}
	// If both heights have relative errors of at most r, the relative error of t is at most
	// 2r/(1−r), plus 3 roundings.
	t, relative := hu/(hu+hv), 2.001*max(ru, rv)+4*unit
	if !(hu >= 0x1p-1000 && hv <= 0x1p1020) { // a height is close to the limits of float64, or beyond
		x, y := n.exactHeight(u), n.exactHeight(v)
		if a, _ = n.point(u); x.Cmp(y) > 0 {
			x, y = y, x
			b, _ = n.point(u)
			a, _ = n.point(v)
		} else {
			b, _ = n.point(v)
		}
		t, _ = x.Quo(x, y.Add(x, y)).Float64()
		relative = 4 * unit
	}
	rounding := 0.0
	out := node{u: u, v: v}
	for k := range 3 {
		x, d := at(a, k), at(b, k)-at(a, k)
		if n.g.axis && k == n.g.k {
			set(&out.p, k, at(n.g.Origin, k))
			continue
		}
		if d == 0 {
			set(&out.p, k, x)
			continue
		}
		// Two coordinates of magnitude 2^1000 have a finite difference. The difference and the product
		// are rounded once each. The underflow of t adds at most 2^−1075·|d|.
		step := float64(t * d)
		y := x + step
		set(&out.p, k, y)
		rounding = max(rounding, (math.Abs(step)*(relative+3*unit)+math.Abs(y)*unit+math.Abs(d)*0x1p-1074)*(1+0x1p-20)+0x1p-1072)
	}
	if apart := max(ea, eb); apart > 0 { // the errors of a and b move a point between them by at most that
		out.bound = (apart + rounding) * (1 + 4*unit)
	} else {
		out.bound = rounding
	}
	return out
}

// projected returns the rounded projection of node i.
func (n *nodes) projected(i int32) (x, y, bound float64) {
	p := &n.list[i]
	return at(p.p, n.g.i), at(p.p, n.g.j), p.bound
}

// fraction returns the exact projection of node i.
func (n *nodes) fraction(i int32) fraction {
	if f, ok := n.exact[i]; ok {
		return f
	}
	p := n.list[i] // a crossing is in n.exact
	u := n.exactPoint(p.u)
	f := fraction{u[n.g.i], u[n.g.j]}
	if p.u != p.v {
		hu, hv, v := n.signedHeight(p.u), n.signedHeight(p.v), n.exactPoint(p.v)
		t := hv.Quo(hu, hv.Sub(hu, hv))
		for _, c := range [2]struct {
			x *big.Rat
			k int
		}{{f.x, n.g.i}, {f.y, n.g.j}} {
			d := v[c.k]
			c.x.Add(c.x, d.Mul(d.Sub(d, c.x), t))
		}
	}
	n.exact[i] = f
	return f
}

// orient returns the sign of the projected triangle a, b, c. It is +1 if the path turns left, seen
// against the normal of the plane.
func (n *nodes) orient(a, b, c int32) int {
	if s, ok := n.quickOrient(a, b, c); ok {
		return s
	}
	if a == b || b == c || c == a {
		return 0
	}
	p, q, r := n.fraction(a), n.fraction(b), n.fraction(c)
	return cross(p, q, r).Sign()
}

// cross returns (p−r)×(q−r).
func cross(p, q, r fraction) *big.Rat {
	minus := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
	left, right := minus(p.x, r.x), minus(p.y, r.y)
	left.Mul(left, minus(q.y, r.y))
	right.Mul(right, minus(q.x, r.x))
	return left.Sub(left, right)
}

// quickOrient returns the sign of orient if rounded coordinates decide it.
//
// The error of a difference of coordinates a and c is at most e = bound(a) + bound(c), and one
// rounding. Let l and r be the two products. Their errors are at most 3·unit·|l| and 3·unit·|r|,
// plus the products of the errors e and f of the factors. The factor 8·unit also covers the final
// difference and the rounding of the bound.
func (n *nodes) quickOrient(a, b, c int32) (sign int, ok bool) {
	ax, ay, ea := n.projected(a)
	bx, by, eb := n.projected(b)
	cx, cy, ec := n.projected(c)
	e, f := ea+ec, eb+ec
	acx, acy, bcx, bcy := ax-cx, ay-cy, bx-cx, by-cy
	l, r := float64(acx*bcy), float64(acy*bcx)
	det := l - r
	bound := 8*unit*(math.Abs(l)+math.Abs(r)) +
		((math.Abs(acx)+math.Abs(acy))*f+(math.Abs(bcx)+math.Abs(bcy))*e+2*e*f)*(1+16*unit) + 0x1p-970
	switch {
	case det > bound:
		return 1, true
	case -det > bound:
		return -1, true
	}
	return 0, false
}

// compareY returns the sign of the difference of the second coordinates of a and b.
func (n *nodes) compareY(a, b int32) int { return n.compare(a, b, n.g.j) }

// compareX returns the sign of the difference of the first coordinates of a and b.
func (n *nodes) compareX(a, b int32) int { return n.compare(a, b, n.g.i) }

func (n *nodes) compare(a, b int32, k int) int {
	if a == b {
		return 0
	}
	p, q := &n.list[a], &n.list[b]
	d := at(p.p, k) - at(q.p, k)
	bound := (p.bound + q.bound) * (1 + 4*unit)
	switch {
	case d > bound:
		return 1
	case -d > bound:
		return -1
	case bound == 0:
		return 0
	}
	f, h := n.fraction(a), n.fraction(b)
	if k == n.g.i {
		return f.x.Cmp(h.x)
	}
	return f.y.Cmp(h.y)
}

// compareXY compares nodes by their first coordinates, then by their second coordinates.
func (n *nodes) compareXY(a, b int32) int {
	if c := n.compareX(a, b); c != 0 {
		return c
	}
	return n.compareY(a, b)
}

// addCrossing adds the node with the exact projection f.
func (n *nodes) addCrossing(f fraction) int32 {
	var x r3.Vector
	fx, _ := f.x.Float64()
	fy, _ := f.y.Float64()
	set(&x, n.g.i, fx)
	set(&x, n.g.j, fy)
	// The height is 0, so n_k·(z−o_k) = −n_i·(x−o_i) − n_j·(y−o_j).
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	z := new(big.Rat)
	for _, c := range [2]struct {
		x *big.Rat
		k int
	}{{f.x, n.g.i}, {f.y, n.g.j}} {
		d := rat(at(n.g.Origin, c.k))
		z.Add(z, d.Mul(d.Sub(d, c.x), rat(at(n.g.Normal, c.k))))
	}
	z.Quo(z, rat(at(n.g.Normal, n.g.k)))
	fz, _ := z.Add(z, rat(at(n.g.Origin, n.g.k))).Float64()
	set(&x, n.g.k, fz)
	id := int32(len(n.list))
	// The bound is positive even if the rounding is exact: 0 would mean an exact vertex.
	size := max(math.Abs(fx), math.Abs(fy), math.Abs(fz))
	n.list = append(n.list, node{p: x, u: -1, v: -1, bound: size*unit + 0x1p-1074})
	n.exact[id] = f
	return id
}
