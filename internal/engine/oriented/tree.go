// Package oriented builds trees of oriented boxes over triangles, for meshes where boxes along the coordinate axes do
// not help: long thin faces side by side, oblique to the axes, whose boxes all overlap, and fans of many faces around one
// vertex, whose boxes all contain this vertex.
package oriented

import (
	"cmp"
	"context"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/order"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Tree is a tree of boxes with axes of their own (Gottschalk, Lin and Manocha, "OBBTree: a hierarchical structure for rapid
// interference detection", 1996). The faces of a fan are a subtree. Each node of this subtree also has a cone of directions,
// seen from the center of the fan. Two faces of a fan whose cones have no common direction share only the center.
//
// The root is Nodes[0]. A tree without faces has no nodes. A Tree is immutable.
type Tree struct {
	Nodes []Node
	Faces []int32 // in the order of the leaves
}

// Node is a leaf, or its children are at First and First+1.
type Node struct {
	Box   Box
	Cone  Cone  // of a node of a fan
	Fan   int32 // the center of the fan, or −1
	First int32 // first face of a leaf, in Tree.Faces, or first child
	Count int32 // number of faces of a leaf; 0 for an inner node
}

const (
	fanSize  = 24 // smallest number of faces of a fan // tuning
	leafSize = 4  // largest number of faces of a leaf // tuning
	fitted   = 64 // largest number of faces around which a box is fitted directly // tuning
)

// part is a face that is in no fan, or all faces of a fan.
type part struct {
	faces  []int32
	fan    int32 // the center, or −1
	middle r3.Vector
}

// builder has what only the construction of a tree needs.
type builder struct {
	*Tree
	ctx     context.Context
	tris    []mesh.Triangle
	corners [][3]int32
	middle  []r3.Vector // of each face; for a face of a fan, its direction
}

// New builds the tree of the faces with area. corners[i] has the vertex numbers of
// tris[i], below vertices. The first number is −1 for faces without area. The time is O(n log n).
// The error is that of ctx if ctx ends first.
func New(ctx context.Context, tris []mesh.Triangle, corners [][3]int32, vertices int) (*Tree, error) {
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
	faces = order.Sorted(faces, func(f, g *int32) int { return cmp.Or(cmp.Compare(fan[*f], fan[*g]), cmp.Compare(*f, *g)) })
	b := builder{&Tree{Faces: make([]int32, 0, len(faces))}, ctx, tris, corners, make([]r3.Vector, len(tris))}
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
		b.Nodes = make([]Node, 1, 2*len(faces)/leafSize+1)
		b.join(0, parts)
	}
	return b.Tree, ctx.Err()
}

// join makes node k of the given parts.
func (b *builder) join(k int, parts []part) {
	if b.ctx.Err() != nil {
		return
	}
	if len(parts) == 1 && parts[0].fan >= 0 {
		b.divide(k, parts[0].faces, parts[0].fan)
		return
	}
	n := Node{Fan: -1}
	count := 0
	for _, p := range parts {
		count += len(p.faces)
	}
	if count <= fitted {
		n.Box = b.box(parts)
	}
	if len(parts) <= leafSize && !slices.ContainsFunc(parts, func(p part) bool { return p.fan >= 0 }) {
		n.First, n.Count = int32(len(b.Faces)), int32(len(parts))
		for _, p := range parts {
			b.Faces = append(b.Faces, p.faces...)
		}
		b.Nodes[k] = n
		return
	}
	halve(parts, func(p part) r3.Vector { return p.middle })
	n.First = int32(len(b.Nodes))
	b.Nodes[k] = n
	b.Nodes = append(b.Nodes, Node{}, Node{})
	b.join(int(n.First), parts[:len(parts)/2])
	b.join(int(n.First)+1, parts[len(parts)/2:])
	if count > fitted {
		b.enclose(k)
	}
}

// enclose gives an inner node a box around the boxes of its children.
func (b *builder) enclose(k int) {
	n := &b.Nodes[k]
	n.Box = around(&b.Nodes[n.First].Box, &b.Nodes[n.First+1].Box)
}

// divide makes node k of some faces of a fan.
func (b *builder) divide(k int, faces []int32, center int32) {
	if b.ctx.Err() != nil {
		return
	}
	n := Node{Fan: center, Cone: b.cone(faces, center)}
	if len(faces) <= fitted {
		n.Box = b.box([]part{{faces: faces}})
	}
	if len(faces) <= leafSize {
		n.First, n.Count = int32(len(b.Faces)), int32(len(faces))
		b.Faces = append(b.Faces, faces...)
		b.Nodes[k] = n
		return
	}
	halve(faces, func(f int32) r3.Vector { return b.middle[f] })
	n.First = int32(len(b.Nodes))
	b.Nodes[k] = n
	b.Nodes = append(b.Nodes, Node{}, Node{})
	b.divide(int(n.First), faces[:len(faces)/2], center)
	b.divide(int(n.First)+1, faces[len(faces)/2:], center)
	if len(faces) > fitted {
		b.enclose(k)
	}
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
	at := func(i int) float64 { return vec.Component(place(list[i]), axis) }
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
	for i := l + 1; i <= r; i++ {
		for j := i; j > l && at(j) < at(j-1); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

// directions returns the unit vectors from the center of a fan to the two other corners of face f.
func (b *builder) directions(f, center int32) [2]r3.Vector {
	t, c := &b.tris[f], b.corners[f]
	i := slices.Index(c[:], center)
	return [2]r3.Vector{vec.Unit(t[(i+1)%3].Sub(t[i])), vec.Unit(t[(i+2)%3].Sub(t[i]))}
}

// cone returns a cone of the directions of faces of a fan.
func (b *builder) cone(faces []int32, center int32) Cone {
	var sum r3.Vector
	for _, f := range faces {
		sum = sum.Add(b.middle[f])
	}
	c := Cone{Axis: vec.Unit(sum)}
	for _, f := range faces {
		for _, d := range b.directions(f, center) {
			c.Radius = max(c.Radius, d.Sub(c.Axis).Norm())
		}
	}
	c.Radius += slack
	return c
}
