package mesh

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/order"
)

// A seam is a narrow gap between two parts of a mesh. If each part were capped alone, the caps
// would be large. Caps across the gap have a small area. So closeSeams first moves the boundary
// chain: vertices that are close together move to one of them. Edges on the two sides of a gap then
// cancel. For each moved edge, one loop goes around the strip between the edge and its new place.

// seamWidths lists the widths of gaps, relative to the largest extent of the mesh. Narrow gaps come
// first, so that their edges are gone when vertices farther apart are joined (tuning).
var seamWidths = [...]float64{0x1p-20, 0x1p-15, 0x1p-10}

// closeSeams returns loops around the strips of the seams of chain, and the rest. The sum of the
// loops and of rest is chain.
func (m *Mesh) closeSeams(ctx context.Context, chain []Edge) (loops [][]int32, rest []Edge, err error) {
	rest = chain
	size := m.Box().Size()
	extent := max(size.X, size.Y, size.Z)
	if !(extent > 0x1p-900 && extent < 0x1p900) {
		return nil, rest, nil // rounding could put distant vertices into one cell of the grid
	}
	s := seams{mesh: m, to: map[int32]int32{}}
	for _, width := range seamWidths {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		rest = s.close(rest, width*extent)
	}
	return s.loops, rest, nil
}

// seams holds the loops so far.
type seams struct {
	mesh  *Mesh
	loops [][]int32
	to    map[int32]int32 // the place of each vertex that moves
}

// close adds the loops of the seams of a chain whose width is at most about width. It returns the
// moved chain.
func (s *seams) close(chain []Edge, width float64) []Edge {
	if s.join(chain, width); len(s.to) == 0 {
		return chain
	}
	// Vertices that close no seam stay in their places.
	seam := map[int32]bool{}
	moved := s.moved(chain)
	for i, j := 0, 0; i < len(moved); i = j {
		total, copies := int32(0), int32(0)
		for j = i; j < len(moved) && moved[j].A == moved[i].A && moved[j].B == moved[i].B; j++ {
			total += moved[j].Mult
			copies += max(moved[j].Mult, -moved[j].Mult)
		}
		if copies > max(total, -total) {
			seam[moved[i].A], seam[moved[i].B] = true, true
		}
	}
	for v, to := range s.to {
		if !seam[to] {
			delete(s.to, v)
		}
	}
	if len(s.to) == 0 {
		return chain
	}
	for _, e := range chain {
		s.addStrip(e)
	}
	return sumEdges(s.moved(chain))
}

// join finds a place for each vertex of a chain. The place is a vertex at most width away. The
// place of a place is the place itself. Vertices are taken in the order of their numbers. If several places are equally near,
// join takes the one whose cell comes first in the order z, y, x, in a grid of cells as wide as width. In one cell, it takes the
// smallest number.
func (s *seams) join(chain []Edge, width float64) {
	clear(s.to)
	vertices := make([]int32, 0, 2*len(chain))
	for _, e := range chain {
		vertices = append(vertices, e.A, e.B)
	}
	slices.Sort(vertices)
	vertices = slices.Compact(vertices)
	g := newSeamGrid(s.mesh, width, len(vertices))
	for _, v := range vertices {
		p := s.mesh.Vertices[v]
		nearest, least := v, width
		g.near(p, func(u int32) {
			if d := distance(p, s.mesh.Vertices[u]); d < least || d == least && nearest != v && g.before(u, nearest) {
				nearest, least = u, d
			}
		})
		if nearest != v {
			s.to[v] = nearest
		} else {
			g.add(v)
		}
	}
}

// seamGrid finds places that are at most width away. It is a hash table of cells with edges of wide times the width, so
// most vertices have all near places in one cell. Places are at least width apart, so a cell has few of them.
type seamGrid struct {
	mesh   *Mesh
	width  float64
	places []int32
	keys   []uint64 // the cell of each place
	next   []int32  // the next place in the same slot of the table, as 1 + index in places; 0 if there is none
	first  []int32  // the first place of each slot
	shift  int      // 64 minus log2 of the number of slots
}

const (
	wide     = 2  // tuning
	cellBits = 21 // bits of a coordinate of a cell; the mesh has at most 2²⁰ widths along an axis
)

// newSeamGrid returns a table for n places.
func newSeamGrid(m *Mesh, width float64, n int) *seamGrid {
	slots := bits.Len(uint(2 * n))
	return &seamGrid{mesh: m, width: width, first: make([]int32, 1<<slots), shift: 64 - slots}
}

func (g *seamGrid) add(v int32) {
	x, y, z := g.cell(g.mesh.Vertices[v], 0)
	key := cellKey(x, y, z)
	slot := g.slot(key)
	g.places, g.keys, g.next = append(g.places, v), append(g.keys, key), append(g.next, g.first[slot])
	g.first[slot] = int32(len(g.places))
}

func (g *seamGrid) slot(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> g.shift }

// cell returns the cell of p, with all coordinates increased by shift.
func (g *seamGrid) cell(p r3.Vector, shift float64) (x, y, z uint64) {
	low, inverse := g.mesh.Box().Min, 1/(wide*g.width)
	at := func(p, low float64) uint64 { return uint64(max(0, (p+shift-low)*inverse)) }
	return at(p.X, low.X), at(p.Y, low.Y), at(p.Z, low.Z)
}

func cellKey(x, y, z uint64) uint64 { return (z<<cellBits|y)<<cellBits | x }

// near calls visit for all places that are nearer to p than the width, and for some others.
func (g *seamGrid) near(p r3.Vector, visit func(u int32)) {
	const more = 1.001 // covers the rounding of cells
	x0, y0, z0 := g.cell(p, -more*g.width)
	x1, y1, z1 := g.cell(p, more*g.width)
	for z := z0; z <= z1; z++ {
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				key := cellKey(x, y, z)
				for i := g.first[g.slot(key)] - 1; i >= 0; i = g.next[i] - 1 {
					if g.keys[i] == key {
						visit(g.places[i])
					}
				}
			}
		}
	}
}

// before reports whether the cell of u comes before the cell of v, in a grid with edges of the width, or u < v if the
// cells are the same.
func (g *seamGrid) before(u, v int32) bool {
	at := func(v int32) [3]int32 {
		t := g.mesh.Vertices[v].Sub(g.mesh.Box().Min).Mul(1 / g.width)
		return [3]int32{int32(t.Z), int32(t.Y), int32(t.X)}
	}
	a, b := at(u), at(v)
	return cmp.Or(slices.Compare(a[:], b[:]), cmp.Compare(u, v)) < 0
}

// distance returns the largest difference of a coordinate.
func distance(p, q r3.Vector) float64 {
	return max(math.Abs(p.X-q.X), math.Abs(p.Y-q.Y), math.Abs(p.Z-q.Z))
}

// place returns the place of a vertex.
func (s *seams) place(v int32) int32 {
	if to, ok := s.to[v]; ok {
		return to
	}
	return v
}

// moved returns the edges of a chain between the places of their vertices, in the order of these
// vertices. Several elements can have the same vertices.
func (s *seams) moved(chain []Edge) []Edge {
	out := make([]Edge, 0, len(chain))
	for _, e := range chain {
		switch a, b := s.place(e.A), s.place(e.B); {
		case a < b:
			out = append(out, Edge{a, b, e.Mult})
		case a > b:
			out = append(out, Edge{b, a, -e.Mult})
		}
	}
	return order.Sorted(out, func(e, f *Edge) int { return cmp.Or(cmp.Compare(e.A, f.A), cmp.Compare(e.B, f.B)) })
}

// sumEdges merges consecutive edges that have the same vertices, and drops edges that cancel.
func sumEdges(edges []Edge) []Edge {
	out := edges[:0]
	for _, e := range edges {
		if n := len(out); n > 0 && out[n-1].A == e.A && out[n-1].B == e.B {
			out[n-1].Mult += e.Mult
			continue
		}
		if n := len(out); n > 0 && out[n-1].Mult == 0 {
			out = out[:n-1]
		}
		out = append(out, e)
	}
	if n := len(out); n > 0 && out[n-1].Mult == 0 {
		out = out[:n-1]
	}
	return out
}

// addStrip adds the loops around the strip between an edge a→b and its new place a'→b'. They are
// a→b→b'→a'→a. In the sum over all edges, the paths b→b' and a'→a of the loops cancel, because
// equally many edges of the chain enter and leave each vertex.
func (s *seams) addStrip(e Edge) {
	a, b, copies := e.directed()
	toA, toB := s.place(a), s.place(b)
	loop := []int32{a, b}
	if toB != b && toB != a {
		loop = append(loop, toB)
	}
	if toA != a && toA != toB && toA != b {
		loop = append(loop, toA)
	}
	if len(loop) < 3 {
		return
	}
	for range copies {
		s.loops = append(s.loops, loop)
	}
}
