package bem

import (
	"cmp"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
)

// edge is a directed edge, packed: 48 bytes.
type edge struct {
	a, b r3.Vector
}

// Boundary is a 1-chain of directed edges with multiplicities: the boundary ∂S
// of a surface. It is immutable and safe for concurrent use. Edges of
// multiplicity ±1, nearly all in practice, lie in an array of their own, turned
// so that they count +1.
type Boundary struct {
	single []edge
	heavy  []edge // turned so that mult is positive
	mult   []uint32
}

// NewBoundary returns the boundary chain of m, in the order of m.Boundary(). It
// takes 48 bytes an edge.
func NewBoundary(m *mesh.Mesh) *Boundary {
	chain := m.Boundary()
	b := &Boundary{single: make([]edge, 0, len(chain))}
	for _, e := range chain {
		b.add(edge{m.Vertices[e.A], m.Vertices[e.B]}, int64(e.Mult))
	}
	return b
}

// NewChain returns the chain Σ mult[i]·edges[i], edges[i] leading from
// edges[i][0] to edges[i][1]. Equal edges are merged, opposite ones cancelled
// (−0 = +0), edges of length 0 dropped. Coordinates must be finite. It panics
// if the lengths differ, or if a net multiplicity exceeds ±(2^32−1).
func NewChain(edges [][2]r3.Vector, mult []int32) *Boundary {
	if len(edges) != len(mult) {
		panic("bem: edges and multiplicities differ in length")
	}
	terms := make([]term, len(edges))
	for i, e := range edges {
		terms[i] = canonical(edge{e[0], e[1]}, int64(mult[i]))
	}
	b := &Boundary{}
	for _, t := range merge(terms) {
		b.add(t.edge, t.mult)
	}
	return b
}

// Len returns the number of edges with a multiplicity other than 0.
func (b *Boundary) Len() int { return len(b.single) + len(b.heavy) }

// add appends an edge that the chain does not have yet.
func (b *Boundary) add(e edge, mult int64) {
	if mult < 0 {
		e, mult = edge{e.b, e.a}, -mult
	}
	switch {
	case mult == 0:
	case mult == 1:
		b.single = append(b.single, e)
	case mult>>32 != 0:
		panic("bem: multiplicity of an edge exceeds 32 bits")
	default:
		b.heavy = append(b.heavy, e)
		b.mult = append(b.mult, uint32(mult))
	}
}

// Without returns the chain less the boundaries of tris. For a point x on the
// surface, tris are all triangles of the mesh that contain x (those of zero area
// too): the winding number leaves them out, and no remaining edge contains x. It
// copies the chain and allocates; b is not changed.
func (b *Boundary) Without(tris []mesh.Triangle) *Boundary {
	terms := make([]term, 0, 3*len(tris))
	for _, t := range tris {
		for k := range t {
			terms = append(terms, canonical(edge{t[k], t[(k+1)%3]}, -1))
		}
	}
	terms = merge(terms)
	change := make(map[edge]int64, len(terms))
	reach := bvh.EmptyBox()
	for _, t := range terms {
		change[t.edge] = t.mult
		reach = reach.Add(t.a).Add(t.b)
	}
	out := &Boundary{single: make([]edge, 0, len(b.single)+len(terms))}
	move := func(e edge, mult int64) {
		if reach.Contains(e.a) && reach.Contains(e.b) {
			c := canonical(e, mult)
			if d, ok := change[c.edge]; ok {
				delete(change, c.edge)
				e, mult = c.edge, c.mult+d
			}
		}
		out.add(e, mult)
	}
	for _, e := range b.single {
		move(e, 1)
	}
	for i, e := range b.heavy {
		move(e, int64(b.mult[i]))
	}
	for _, t := range terms {
		if _, ok := change[t.edge]; ok {
			out.add(t.edge, t.mult)
		}
	}
	return out
}

// term is an edge with its multiplicity; canonical ones have a < b in
// lexicographic order. −0 = +0 here: in Cmp, in ==, and as keys of maps.
type term struct {
	edge
	mult int64
}

func canonical(e edge, mult int64) term {
	if e.a.Cmp(e.b) > 0 {
		return term{edge{e.b, e.a}, -mult}
	}
	return term{e, mult}
}

// merge sorts canonical terms and adds up equal ones, in place. Terms that
// vanish are dropped.
func merge(terms []term) []term {
	slices.SortFunc(terms, func(s, t term) int {
		return cmp.Or(s.a.Cmp(t.a), s.b.Cmp(t.b))
	})
	out := terms[:0]
	for _, t := range terms {
		if n := len(out); n > 0 && out[n-1].edge == t.edge {
			out[n-1].mult += t.mult
			continue
		}
		if n := len(out); n > 0 && out[n-1].mult == 0 {
			out = out[:n-1]
		}
		if t.a != t.b {
			out = append(out, t)
		}
	}
	if n := len(out); n > 0 && out[n-1].mult == 0 {
		out = out[:n-1]
	}
	return out
}
