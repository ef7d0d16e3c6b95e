package intersect

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// orientedTree finds the pairs of faces that can meet where boxes along the coordinate axes do not
// help: long thin faces side by side, oblique to the axes, whose boxes all overlap, and fans of many
// faces around one vertex, whose boxes all contain this vertex.
//
// Each node has a box along axes of its own (Gottschalk, Lin and Manocha, "OBBTree: a hierarchical
// structure for rapid interference detection", 1996). The faces of a fan are a subtree. Each of its
// nodes also has a cone of directions, seen from the center of the fan. Two faces of a fan whose
// cones have no common direction share only the center.
type orientedTree struct {
	nodes []orientedNode
	faces []int32 // in the order of the leaves
}

// orientedNode is a leaf, or its children are at first and first+1.
type orientedNode struct {
	box   orientedBox
	cone  cone  // of a node of a fan
	fan   int32 // the center of the fan, or −1
	first int32 // first face of a leaf, in orientedTree.faces, or first child
	count int32 // number of faces of a leaf; 0 for an inner node
}

// orientedBox contains each point p for which |axis[j]·(p−center)| ≤ half[j] for the three axes. The
// lengths of the axes and the cosines between them have errors of at most 2⁻⁴⁹.
type orientedBox struct {
	center r3.Vector
	axis   [3]r3.Vector
	half   [3]float64
}

// cone contains the directions whose unit vectors have at most the distance radius from axis.
type cone struct {
	axis   r3.Vector
	radius float64
}

const (
	fanSize      = 24 // smallest number of faces of a fan // tuning
	orientedLeaf = 4  // largest number of faces of a leaf // tuning
)

// part is a face that is in no fan, or all faces of a fan.
type part struct {
	faces  []int32
	fan    int32 // the center, or −1
	middle r3.Vector
}

// orientedBuilder has what only the construction of a tree needs.
type orientedBuilder struct {
	*orientedTree
	ctx     context.Context
	tris    []mesh.Triangle
	corners [][3]int32
	middle  []r3.Vector // of each face; for a face of a fan, its direction
	large   int         // nodes of more faces get a box of everything
}

// newOrientedTree builds the tree of the faces with area. corners[i] has the vertex numbers of
// tris[i], below vertices. The first number is −1 for faces without area. The time is O(n log n).
// The error is that of ctx if ctx ends first.
func newOrientedTree(ctx context.Context, tris []mesh.Triangle, corners [][3]int32, vertices int) (*orientedTree, error) {
	degree := make([]int32, vertices)
	var faces []int32
	for i, c := range corners {
		if c[0] < 0 {
			continue
		}
		faces = append(faces, int32(i))
		for _, v := range c {
			degree[v]++
		}
	}
	// A face belongs to the fan around its vertex with the most faces.
	fan := make([]int32, len(corners))
	for _, f := range faces {
		c := corners[f]
		v := slices.MaxFunc(c[:], func(v, w int32) int { return cmp.Compare(degree[v], degree[w]) })
		if degree[v] < fanSize {
			v = -1
		}
		fan[f] = v
	}
	slices.SortStableFunc(faces, func(f, g int32) int { return cmp.Compare(fan[f], fan[g]) })
	b := orientedBuilder{&orientedTree{faces: make([]int32, 0, len(faces))}, ctx, tris, corners, make([]r3.Vector, len(tris)), len(faces) / 64}
	var parts []part
	for lo := 0; lo < len(faces); {
		p := part{fan: fan[faces[lo]]}
		hi := lo + 1
		for p.fan >= 0 && hi < len(faces) && fan[faces[hi]] == p.fan {
			hi++
		}
		p.faces = faces[lo:hi]
		for _, f := range p.faces {
			t := &tris[f]
			b.middle[f] = t[0].Mul(1. / 3).Add(t[1].Mul(1. / 3)).Add(t[2].Mul(1. / 3))
			p.middle = p.middle.Add(b.middle[f].Mul(1 / float64(hi-lo)))
			if p.fan >= 0 {
				d := b.directions(f, p.fan)
				b.middle[f] = d[0].Add(d[1])
			}
		}
		parts = append(parts, p)
		lo = hi
	}
	if len(parts) > 0 {
		b.nodes = make([]orientedNode, 1, 2*len(faces)/orientedLeaf+1)
		b.join(0, parts)
	}
	return b.orientedTree, ctx.Err()
}

// join makes node k of the given parts.
func (b *orientedBuilder) join(k int, parts []part) {
	if b.ctx.Err() != nil {
		return
	}
	if len(parts) == 1 && parts[0].fan >= 0 {
		b.divide(k, parts[0].faces, parts[0].fan)
		return
	}
	n := orientedNode{fan: -1, box: everything}
	count := 0
	for _, p := range parts {
		count += len(p.faces)
	}
	if count <= b.large {
		n.box = b.box(parts)
	}
	if len(parts) <= orientedLeaf && !slices.ContainsFunc(parts, func(p part) bool { return p.fan >= 0 }) {
		n.first, n.count = int32(len(b.faces)), int32(len(parts))
		for _, p := range parts {
			b.faces = append(b.faces, p.faces...)
		}
		b.nodes[k] = n
		return
	}
	halve(parts, func(p part) r3.Vector { return p.middle })
	n.first = int32(len(b.nodes))
	b.nodes[k] = n
	b.nodes = append(b.nodes, orientedNode{}, orientedNode{})
	b.join(int(n.first), parts[:len(parts)/2])
	b.join(int(n.first)+1, parts[len(parts)/2:])
}

// divide makes node k of some faces of a fan.
func (b *orientedBuilder) divide(k int, faces []int32, center int32) {
	if b.ctx.Err() != nil {
		return
	}
	n := orientedNode{fan: center, box: b.box([]part{{faces: faces}}), cone: b.cone(faces, center)}
	if len(faces) <= orientedLeaf {
		n.first, n.count = int32(len(b.faces)), int32(len(faces))
		b.faces = append(b.faces, faces...)
		b.nodes[k] = n
		return
	}
	halve(faces, func(f int32) r3.Vector { return b.middle[f] })
	n.first = int32(len(b.nodes))
	b.nodes[k] = n
	b.nodes = append(b.nodes, orientedNode{}, orientedNode{})
	b.divide(int(n.first), faces[:len(faces)/2], center)
	b.divide(int(n.first)+1, faces[len(faces)/2:], center)
}

// halve orders a list along the axis on which its places extend most, so that no place in the first
// half comes after a place in the second half.
func halve[T any](list []T, place func(T) r3.Vector) {
	lo, hi := place(list[0]), place(list[0])
	for _, x := range list[1:] {
		p := place(x)
		lo = r3.Vector{X: min(lo.X, p.X), Y: min(lo.Y, p.Y), Z: min(lo.Z, p.Z)}
		hi = r3.Vector{X: max(hi.X, p.X), Y: max(hi.Y, p.Y), Z: max(hi.Z, p.Z)}
	}
	axis := hi.Sub(lo).LargestComponent()
	at := func(i int) float64 { return component(place(list[i]), axis) }
	// Hoare's selection. After each round, the element in the middle is between l and r.
	const short = 12 // tuning
	l, r := 0, len(list)-1
	for r-l >= short {
		pivot := at(l + (r-l)/2)
		i, j := l, r
		for i <= j {
			for at(i) < pivot {
				i++
			}
			for pivot < at(j) {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i++
				j--
			}
		}
		switch m := len(list) / 2; {
		case m <= j:
			r = j
		case m >= i:
			l = i
		default:
			return
		}
	}
	slices.SortFunc(list[l:r+1], func(x, y T) int { return cmp.Compare(component(place(x), axis), component(place(y), axis)) })
}

func component(p r3.Vector, axis r3.Axis) float64 {
	switch axis {
	case r3.XAxis:
		return p.X
	case r3.YAxis:
		return p.Y
	}
	return p.Z
}

// directions returns the unit vectors from the center of a fan to the two other corners of face f.
func (b *orientedBuilder) directions(f, center int32) [2]r3.Vector {
	t, c := &b.tris[f], b.corners[f]
	i := slices.Index(c[:], center)
	return [2]r3.Vector{vec.Unit(t[(i+1)%3].Sub(t[i])), vec.Unit(t[(i+2)%3].Sub(t[i]))}
}

// cone returns a cone of the directions of faces of a fan.
func (b *orientedBuilder) cone(faces []int32, center int32) cone {
	var sum r3.Vector
	for _, f := range faces {
		sum = sum.Add(b.middle[f])
	}
	c := cone{axis: vec.Unit(sum)}
	for _, f := range faces {
		for _, d := range b.directions(f, center) {
			c.radius = max(c.radius, d.Sub(c.axis).Norm())
		}
	}
	c.radius += slack
	return c
}

// slack bounds the errors of unit vectors and of their differences, and the relative errors of boxes.
const slack = 0x1p-46

// tiny covers underflow.
const tiny = 0x1p-1000

// apart reports whether the convex hulls of the two cones certainly have no common direction.
//
// A cone whose half-angle is below a right angle is convex. The distance of two unit vectors with the
// angle θ is 2 sin(θ/2), which is subadditive.
func (c *cone) apart(d *cone) bool {
	const narrow = 1.4 // below √2
	return c.radius < narrow && d.radius < narrow && c.axis.Sub(d.axis).Norm() > c.radius+d.radius+slack
}

// everything is a box that contains all points.
var everything = orientedBox{half: [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}}

// box returns a box of faces. Its first axis has the direction of the longest edge. The second axis
// has the direction of the edge that is longest across the first axis.
func (b *orientedBuilder) box(parts []part) orientedBox {
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
	box := orientedBox{center: lo.Mul(.5).Add(hi.Mul(.5)), axis: [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}}}
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
			box.axis = [3]r3.Vector{first, second, third}
		}
	}
	reach := 0.
	for _, p := range parts {
		for _, f := range p.faces {
			for _, c := range b.tris[f] {
				d := c.Sub(box.center)
				reach = max(reach, largest(d))
				for j := range box.half {
					box.half[j] = max(box.half[j], math.Abs(dot(box.axis[j], d)))
				}
			}
		}
	}
	for j := range box.half {
		box.half[j] += reach * slack
	}
	return box
}

// apart reports whether a plane certainly separates the two boxes: a plane along a face of one of them or along
// both first axes.
//
// Each of the sums below has at most ten products of an entry of an axis with a difference or with
// half an edge, all below size. The axes of a box differ from orthonormal axes by at most 2⁻⁴⁹, which is
// an eighth of slack. slack is 128 times the error of one rounding, so slack·size covers all of these
// errors. If a number overflows, no comparison holds.
func (a *orientedBox) apart(b *orientedBox) bool {
	d := b.center.Sub(a.center)
	size := math.Abs(d.X) + math.Abs(d.Y) + math.Abs(d.Z) + a.half[0] + a.half[1] + a.half[2] + b.half[0] + b.half[1] + b.half[2]
	margin := slack*size + tiny
	var across [3]float64
	for i := range a.axis {
		reach := a.half[i] + margin
		for j := range b.axis {
			c := math.Abs(dot(a.axis[i], b.axis[j]))
			reach += c * b.half[j]
			across[j] += c * a.half[i]
		}
		if math.Abs(dot(a.axis[i], d)) > reach {
			return true
		}
	}
	for j := range b.axis {
		if math.Abs(dot(b.axis[j], d)) > across[j]+b.half[j]+margin {
			return true
		}
	}
	n := a.axis[0].Cross(b.axis[0]) // at most 1 long, so margin suffices
	return math.Abs(dot(n, d)) > a.reach(n)+b.reach(n)+margin
}

// reach returns the largest product of axis and p−center for a point p of the box.
func (b *orientedBox) reach(axis r3.Vector) float64 {
	return b.half[0]*math.Abs(dot(axis, b.axis[0])) + b.half[1]*math.Abs(dot(axis, b.axis[1])) + b.half[2]*math.Abs(dot(axis, b.axis[2]))
}

// face is a triangle with its edges, its normal and the normals of its edges in its plane.
type face struct {
	corners *mesh.Triangle
	edge    [3]r3.Vector
	axis    [4]r3.Vector
	known   bool // edge and axis are set
}

// apart reports whether an axis of f or b certainly separates them. Every axis is allowed, so it does
// not matter that the axes of f are rounded. slack covers the other errors, as in orientedBox.apart.
func (f *face) apart(b *orientedBox) bool {
	t := f.corners
	d := [3]r3.Vector{t[0].Sub(b.center), t[1].Sub(b.center), t[2].Sub(b.center)}
	size := max(largest(d[0]), largest(d[1]), largest(d[2]), b.half[0], b.half[1], b.half[2])
	for j, axis := range b.axis {
		if beyond(axis, &d, b.half[j]+8*slack*size+tiny) {
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
		separates(f.edge[0].Cross(b.axis[0])) || separates(f.edge[1].Cross(b.axis[0])) || separates(f.edge[2].Cross(b.axis[0]))
}

// beyond reports whether all products of axis with d exceed reach, or all are below −reach.
func beyond(axis r3.Vector, d *[3]r3.Vector, reach float64) bool {
	x, y, z := dot(axis, d[0]), dot(axis, d[1]), dot(axis, d[2])
	return x > reach && y > reach && z > reach || x < -reach && y < -reach && z < -reach
}

// orientedPair is two nodes, or a node twice: the pairs of faces below it.
type orientedPair struct{ a, b int32 }

// sameFan reports whether both nodes have faces of one fan only.
func (p orientedPair) sameFan(t *orientedTree) bool {
	return t.nodes[p.a].fan >= 0 && t.nodes[p.a].fan == t.nodes[p.b].fan
}

// meet reports whether faces of the two nodes can form a pair.
func (t *orientedTree) meet(p orientedPair) bool {
	if p.sameFan(t) {
		return !t.nodes[p.a].cone.apart(&t.nodes[p.b].cone)
	}
	return !t.nodes[p.a].box.apart(&t.nodes[p.b].box)
}

// split divides a pair of nodes into the pairs that can meet, and returns their number. It divides the
// thicker node and makes it the first of p. If this node is a leaf, split returns −1. For two nodes of one
// fan, it returns −1 only if both are leaves.
func (t *orientedTree) split(p *orientedPair, parts *[3]orientedPair) int {
	a, b := &t.nodes[p.a], &t.nodes[p.b]
	n := 0
	add := func(a, b int32) {
		if q := (orientedPair{a, b}); t.meet(q) {
			parts[n] = q
			n++
		}
	}
	if p.a == p.b {
		if a.count > 0 {
			return -1
		}
		parts[0], parts[1], n = orientedPair{a.first, a.first}, orientedPair{a.first + 1, a.first + 1}, 2
		add(a.first, a.first+1)
		return n
	}
	swap := b.box.thickness() > a.box.thickness()
	if p.sameFan(t) {
		swap = a.count > 0 || b.count == 0 && b.cone.radius > a.cone.radius
	}
	if swap {
		p.a, p.b, a = p.b, p.a, b
	}
	if a.count > 0 {
		return -1
	}
	add(a.first, p.b)
	add(a.first+1, p.b)
	return n
}

// thickness returns the sum of the two shorter half edges. Of two nodes, the thicker one is divided: faces of a fan
// can be much longer than the others, and the fan still separates from them as a whole.
func (b *orientedBox) thickness() float64 {
	if math.IsInf(b.half[0], 1) {
		return b.half[0]
	}
	return b.half[0] + b.half[1] + b.half[2] - max(b.half[0], b.half[1], b.half[2])
}

// tasks divides the pairs of leaves into at least n tasks, or fewer if the tree is small.
func (t *orientedTree) tasks(n int) []orientedPair {
	if len(t.nodes) == 0 {
		return nil
	}
	tasks := []orientedPair{{0, 0}}
	for divided := true; divided && len(tasks) < n; {
		divided = false
		next := make([]orientedPair, 0, 3*len(tasks))
		for _, p := range tasks {
			var parts [3]orientedPair
			if k := t.split(&p, &parts); k >= 0 {
				next = append(next, parts[:k]...)
				divided = true
			} else {
				next = append(next, p)
			}
		}
		tasks = next
	}
	return tasks
}
