package build

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// holes is a tree over the caps of an open mesh. It bounds the potential J of the caps, and how much
// J changes within a box. The nodes are of four kinds:
//
//   - A group has two children, which are groups or loops.
//   - A loop is one loop of the boundary chain. Its children are the patch that fills the loop, and
//     the edge from the last to the first vertex of the loop.
//   - A patch fills a part of a loop, from one vertex to a later vertex. It consists of one cap and
//     of its two children. The cap joins the first, the middle and the last vertex. A child is a
//     patch or an edge.
//   - An edge is an edge of the loop. It has no caps.
//
// All lengths and areas are upper bounds. They are multiplied by scale and scale².
type holes struct {
	mesh     *mesh.Mesh
	nodes    []capNode  // the last node is the root
	scale    float64    // power of two near 1/(size of the mesh)
	rounding float64    // bounds the rounding errors of the function stickDistance
	times    float64    // number of times that each cap is taken
	caps     [][3]int32 // vertices of the caps of positive area
}

type capNode struct {
	kind        uint8
	left, right int32
	box         bvh.Box
	size        float64   // longest edge of box
	area        float64   // total area of the caps
	border      float64   // length of the closed curve around the caps
	chain       float64   // length of the edges of the boundary chain
	cap         capBounds // for an edge, only the stick is set
}

// capBounds holds the bounds of one cap, the cap of a patch.
type capBounds struct {
	box                bvh.Box
	size, area, border float64
	stick              stick
}

const (
	groupNode = iota
	loopNode
	patchNode
	edgeNode
)

// newHoles returns the tree for loops of the boundary chain of m. The loops must have at most mostEdges
// edges. Errors: the error of ctx if ctx ends first.
func newHoles(ctx context.Context, m *mesh.Mesh, loops [][]int32) (*holes, error) {
	size := m.Box().Size()
	_, exp := math.Frexp(max(size.X, size.Y, size.Z))
	h := &holes{times: 1, mesh: m, scale: math.Ldexp(1, min(-exp, 1000))}
	// stickDistance forms vectors with coordinates below 4. The rounding error of a difference of
	// coordinates is small relative to the coordinates.
	box := m.Box()
	h.rounding = 0x1p-45 * (1 + max(vec.MaxAbs(box.Min), vec.MaxAbs(box.Max))*h.scale)
	var roots []int32
	for i, loop := range loops {
		if i%checkLoops == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(loop) < 3 {
			continue
		}
		patch := h.patch(loop)
		last := h.patch([]int32{loop[len(loop)-1], loop[0]})
		p, e := &h.nodes[patch], &h.nodes[last]
		roots = append(roots, h.add(capNode{
			kind: loopNode, left: patch, right: last, box: p.box, area: p.area, border: p.border, chain: p.chain + e.chain,
		}))
	}
	if len(roots) > 0 {
		h.group(ctx, roots)
	}
	return h, ctx.Err()
}

// checkLoops is the number of loops between two checks of the context.
const checkLoops = 1 << 10

func (h *holes) add(n capNode) int32 {
	s := n.box.Size().Mul(h.scale)
	n.size = max(s.X, s.Y, s.Z)
	h.nodes = append(h.nodes, n)
	return int32(len(h.nodes) - 1)
}

// patch adds the nodes for a part of a loop. It returns the number of the top node, which is an edge
// if the part has two vertices.
func (h *holes) patch(loop []int32) int32 {
	n := len(loop)
	first, last := h.mesh.Vertices[loop[0]], h.mesh.Vertices[loop[n-1]]
	chord := last.Sub(first).Mul(h.scale).Norm() + 0x1p-500
	if n == 2 {
		return h.add(capNode{kind: edgeNode, box: bvh.EmptyBox().Add(first).Add(last), border: 2 * chord, chain: chord, cap: capBounds{stick: stick{loop[0], loop[1], chord, 0}}})
	}
	mid := (n - 1) / 2
	left, right := h.patch(loop[:mid+1]), h.patch(loop[mid:])
	l, r := &h.nodes[left], &h.nodes[right]
	t := [3]int32{loop[0], loop[n-1], loop[mid]}
	// The product of two edges is at least twice the area. The term 2^−1000 covers underflow.
	u, v := last.Sub(first).Mul(h.scale), h.mesh.Vertices[loop[mid]].Sub(first).Mul(h.scale)
	w := v.Sub(u)
	area := min(u.Norm()*v.Norm(), u.Norm()*w.Norm(), v.Norm()*w.Norm()) / 2
	if c := u.Cross(v).Norm(); c < area && area < 0x1p400 {
		area = c/2 + area*0x1p-40 // the error of the cross product is a few units in the last place of the product
	}
	if !predicates.ZeroArea(first, last, h.mesh.Vertices[loop[mid]]) {
		h.caps = append(h.caps, t)
	}
	area += 0x1p-1000
	box := bvh.EmptyBox().Add(first).Add(last).Add(h.mesh.Vertices[loop[mid]])
	s := box.Size().Mul(h.scale)
	return h.add(capNode{
		kind: patchNode, left: left, right: right, box: l.box.Union(r.box), area: l.area + r.area + area,
		border: l.chain + r.chain + chord, chain: l.chain + r.chain,
		cap: capBounds{
			box: box, size: max(s.X, s.Y, s.Z), area: area, border: u.Norm() + v.Norm() + w.Norm() + 0x1p-500, stick: h.stickOf(t, area),
		},
	})
}

// group adds nodes that join the given nodes, and returns the number of the top node. It reorders
// the list. If ctx ends, the tree is incomplete.
func (h *holes) group(ctx context.Context, list []int32) int32 {
	if len(list) == 1 || len(list) > checkLoops && ctx.Err() != nil {
		return list[0]
	}
	box := bvh.EmptyBox()
	for _, i := range list {
		box = box.Union(h.nodes[i].box)
	}
	size := box.Size()
	along := func(b *bvh.Box) float64 {
		switch max(size.X, size.Y, size.Z) {
		case size.X:
			return b.Min.X/2 + b.Max.X/2
		case size.Y:
			return b.Min.Y/2 + b.Max.Y/2
		}
		return b.Min.Z/2 + b.Max.Z/2
	}
	slices.SortFunc(list, func(i, j int32) int {
		return cmp.Or(cmp.Compare(along(&h.nodes[i].box), along(&h.nodes[j].box)), cmp.Compare(i, j))
	})
	left, right := h.group(ctx, list[:len(list)/2]), h.group(ctx, list[len(list)/2:])
	l, r := &h.nodes[left], &h.nodes[right]
	return h.add(capNode{
		kind: groupNode, left: left, right: right, box: box,
		area: l.area + r.area, border: l.border + r.border, chain: l.chain + r.chain,
	})
}

// triangle returns the corners of a cap.
func (h *holes) triangle(c [3]int32) mesh.Triangle {
	v := h.mesh.Vertices
	return mesh.Triangle{v[c[0]], v[c[1]], v[c[2]]}
}

// distance returns a lower bound of the distance between two boxes, times scale.
func (h *holes) distance(a, b *bvh.Box) float64 {
	dx := max(0, b.Min.X-a.Max.X, a.Min.X-b.Max.X) * h.scale
	dy := max(0, b.Min.Y-a.Max.Y, a.Min.Y-b.Max.Y) * h.scale
	dz := max(0, b.Min.Z-a.Max.Z, a.Min.Z-b.Max.Z) * h.scale
	return math.Sqrt(dx*dx+dy*dy+dz*dz) * (1 - 0x1p-40)
}

// A part of the caps is far from a box if its distance is at least farShare times its size, or if its
// bound is at most negligible. // tuning
const (
	farShare   = 1.5
	negligible = 0x1p-11
)

// An item is a part of the caps whose potential is bounded as a whole. The item is itemKinds times
// the number of a node, plus one of these constants.
const (
	allItem  = iota // all caps of the node
	capItem         // only the cap of a patch
	edgeItem        // all caps of a patch together with others, bounded by the edges of the chain
	itemKinds
)

// spread bounds the interpolation error of J in a box: how much J differs from the linear
// interpolation between the corners. fixed and square are sums over parts of the caps that are far
// from the box. If the edges of the box are halved, square becomes a quarter and fixed stays. items
// are the other parts.
type spread struct {
	fixed, square float64
	items         []int32
}

// wholeSpread returns a spread with one item, which is all caps.
func (h *holes) wholeSpread() spread {
	return spread{items: []int32{int32(len(h.nodes)-1)*itemKinds + allItem}}
}

// inBox replaces the items of s by smaller items, until every item is far from the box or cannot be
// divided. edge is the longest edge of the box, times scale. If the area of a hole exceeds wide
// times its border, only the edges of the hole bound its potential. bound is the bound for the box.
// If bound is at least room, it is incomplete. stack is working memory.
func (h *holes) inBox(s spread, box *bvh.Box, edge, wide, room float64, stack *[]int32) (out spread, bound float64) {
	todo := append((*stack)[:0], s.items...)
	out.fixed, out.square = s.fixed, s.square
	near := 0.0 // bound of the items of out
	for len(todo) > 0 {
		item := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := &h.nodes[item/itemKinds]
		kind := item % itemKinds
		extent, size, area, border := &n.box, n.size, n.area, n.border
		switch kind {
		case capItem:
			extent, size, area, border = &n.cap.box, n.cap.size, n.cap.area, n.cap.border
		case edgeItem:
			area, border = math.Inf(1), n.chain
		}
		if area == 0 {
			continue
		}
		d := h.distance(extent, box)
		fixed, square := interpolationBounds(area, border, d, edge)
		fixed, square = h.times*fixed, h.times*square
		if b := min(fixed, square); b <= negligible || d >= farShare*size && d > 0x1p-300 {
			if fixed < square {
				out.fixed += fixed
			} else {
				out.square += square
			}
			continue
		}
		switch {
		case kind == capItem:
			near += h.times * n.cap.bound(max(d, h.stickDistance(&n.cap.stick, box)), edge)
			out.items = append(out.items, item)
		case n.kind == edgeNode:
			near += h.times * edgeBound(border, max(d, h.stickDistance(&n.cap.stick, box)), edge)
			out.items = append(out.items, item)
		case kind == edgeItem:
			todo = append(todo, n.left*itemKinds+edgeItem, n.right*itemKinds+edgeItem)
		case n.kind == loopNode && n.area > wide*n.border:
			todo = append(todo, n.left*itemKinds+edgeItem, n.right*itemKinds+edgeItem)
		case n.kind == patchNode:
			todo = append(todo, item/itemKinds*itemKinds+capItem, n.left*itemKinds+allItem, n.right*itemKinds+allItem)
		default:
			todo = append(todo, n.left*itemKinds+allItem, n.right*itemKinds+allItem)
		}
		if !(out.fixed+out.square+near < room) {
			out.items = append(out.items, todo...)
			break
		}
	}
	*stack = todo
	return out, out.fixed + out.square + near
}

// interpolationBounds returns two bounds of the error of interpolating the potential J of a surface
// linearly between the corners of a box. The surface has the given area, and its border has the
// given length. The distance between the box and the surface is at least d. The longest edge of the
// box is e.
//
// The first bound is 2·max|J|, and |J| is at most area/(4πd²). The second bound is (1/8)·Σ e²·M
// over the three axes, where M bounds the second derivatives of J. M is at most 6·area/(4πd⁴): J is
// an integral of first derivatives of 1/(4πr) over the surface, where r is the distance to the
// point, and third derivatives of 1/r are at most 6/r⁴. By the law of Biot and Savart, M is also at
// most 2·border/(4πd³).
func interpolationBounds(area, border, d, e float64) (fixed, square float64) {
	f := 1 / (4 * math.Pi * d * d)
	return 2 * area * f, min(2.25*area/d, 0.75*border) * f * e * e / d
}

// magnitude bounds |J| in a box. A surface of area A at distance d spans a solid angle of at most
// A/d². The sum stops when it exceeds limit.
func (h *holes) magnitude(box *bvh.Box, limit float64) float64 {
	if len(h.nodes) == 0 {
		return 0
	}
	return h.magnitudeOf(int32(len(h.nodes)-1), box, limit)
}

func (h *holes) magnitudeOf(i int32, box *bvh.Box, limit float64) float64 {
	n := &h.nodes[i]
	if n.area == 0 {
		return 0
	}
	d := h.distance(&n.box, box)
	if b := h.times * n.area / (4 * math.Pi * d * d); b <= negligible || d >= farShare*n.size && d > 0x1p-300 {
		return b
	}
	sum := 0.0
	if n.kind == patchNode {
		d := h.distance(&n.cap.box, box)
		sum = h.times * min(0.5, n.cap.area/(4*math.Pi*d*d)) // a single triangle spans less than 2π
	}
	if sum <= limit {
		sum += h.magnitudeOf(n.left, box, limit)
	}
	if sum <= limit {
		sum += h.magnitudeOf(n.right, box, limit)
	}
	return sum
}
