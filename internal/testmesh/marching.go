package testmesh

import (
	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/mesh"
)

// field is a scalar field on the nodes of a grid of n³ cubes, negative inside. No
// value is zero, and every node on the outside of the grid is positive.
type field struct {
	n      int // cubes along each edge; n+1 nodes
	values []float64
}

// newField returns a field of zeros.
func newField(n int) *field {
	return &field{n: n, values: make([]float64, (n+1)*(n+1)*(n+1))}
}

// node returns the place of node (x, y, z) in values.
func (f *field) node(x, y, z int) int { return (z*(f.n+1)+y)*(f.n+1) + x }

// kuhn lists the six tetrahedra into which the main diagonal cuts a cube (Kuhn
// 1960): each goes from corner 0 to corner 7 along one edge after the other. Bits
// 0, 1 and 2 of a corner are its steps in x, y and z. Cut so, neighboring cubes
// agree on the diagonals of their common square. All six are right-handed:
// det(p1−p0, p2−p0, p3−p0) > 0.
var kuhn = [6][4]int{{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}

// cuts gives for each set of negative corners of a tetrahedron (bit i: corner i)
// an even permutation of the corners, which keeps it right-handed: the negative
// ones first if there are one or two, the only positive one first if there are three.
var cuts = [16][4]int{
	1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 4: {2, 3, 0, 1}, 8: {3, 2, 1, 0},
	3: {0, 1, 2, 3}, 5: {0, 2, 3, 1}, 9: {0, 3, 1, 2}, 6: {1, 2, 0, 3}, 10: {1, 3, 2, 0}, 12: {2, 3, 0, 1},
	14: {0, 1, 2, 3}, 13: {1, 0, 3, 2}, 11: {2, 3, 0, 1}, 7: {3, 2, 1, 0},
}

// marcher turns a field into its zero surface, one layer of cubes after the
// other. A vertex lies on an edge of a tetrahedron; that edge is known by its
// first node and its step, 1 to 7 in bits as above.
type marcher struct {
	*field
	soup         mesh.Soup
	lower, upper [][8]int32 // 1 + vertex on the edges that begin in a node of the two layers
}

// march returns the surface of f as a closed 2-manifold with the negative side
// inside, in units of the grid.
//
// Marching tetrahedra (Doi, Koide 1991): a tetrahedron of which one corner is cut
// off gives a triangle, two corners a quadrilateral. Every vertex keeps at least
// edgeMargin of its edge from either end, so triangles have an area far above
// the rounding of coordinates.
func march(f *field) mesh.Soup {
	nodes := (f.n + 1) * (f.n + 1)
	m := &marcher{field: f, lower: make([][8]int32, nodes), upper: make([][8]int32, nodes)}
	for z := range f.n {
		for y := range f.n {
			for x := range f.n {
				m.cube(x, y, z)
			}
		}
		m.lower, m.upper = m.upper, m.lower
		clear(m.upper)
	}
	return m.soup
}

// cube adds the triangles of one cube.
func (m *marcher) cube(x, y, z int) {
	var values [8]float64
	negative := 0
	for c := range values {
		values[c] = m.values[m.node(x+c&1, y+c>>1&1, z+c>>2)]
		if values[c] < 0 {
			negative++
		}
	}
	if negative == 0 || negative == 8 {
		return
	}
	vertex := func(c, d int) int32 { return m.vertex(x, y, z, min(c, d), max(c, d), &values) }
	for _, t := range kuhn {
		mask, inside := 0, 0
		for i, c := range t {
			if values[c] < 0 {
				mask |= 1 << i
				inside++
			}
		}
		cut := cuts[mask]
		a, b, c, d := t[cut[0]], t[cut[1]], t[cut[2]], t[cut[3]]
		switch inside {
		case 1:
			m.triangle(vertex(a, b), vertex(a, c), vertex(a, d))
		case 2:
			ac, ad, bd, bc := vertex(a, c), vertex(a, d), vertex(b, d), vertex(b, c)
			m.triangle(ac, ad, bd)
			m.triangle(ac, bd, bc)
		case 3:
			m.triangle(vertex(a, b), vertex(a, d), vertex(a, c))
		}
	}
}

// triangle adds a face.
func (m *marcher) triangle(a, b, c int32) {
	m.soup.Faces = append(m.soup.Faces, [3]int32{a, b, c})
}

// edgeMargin is the part of an edge that a vertex keeps from its ends: it moves
// the surface by at most this part of a cube, and bounds the angles from below.
const edgeMargin = 1.0 / 64

// vertex returns the vertex on the edge between the corners c < d of cube (x, y, z),
// and makes it on the first call.
func (m *marcher) vertex(x, y, z, c, d int, values *[8]float64) int32 {
	layer := m.lower
	if c>>2 == 1 {
		layer = m.upper
	}
	i, j := x+c&1, y+c>>1&1
	v := &layer[j*(m.n+1)+i][d^c]
	if *v == 0 {
		t := values[c] / (values[c] - values[d])
		t = min(max(t, edgeMargin), 1-edgeMargin)
		step := d ^ c
		m.soup.Vertices = append(m.soup.Vertices, r3.Vector{
			X: float64(i) + float64(t*float64(step&1)),
			Y: float64(j) + float64(t*float64(step>>1&1)),
			Z: float64(z+c>>2) + float64(t*float64(step>>2)),
		})
		*v = int32(len(m.soup.Vertices))
	}
	return *v - 1
}
