package testmesh

import (
	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/mesh"
)

// field is a scalar field on the nodes of a grid of n³ cubes, negative inside. No value is zero.
// Every node on the boundary of the grid is positive.
type field struct {
	n      int // cubes along each edge, which has n+1 nodes
	values []float64
}

// newField returns a field of zeros.
func newField(n int) *field {
	return &field{n: n, values: make([]float64, (n+1)*(n+1)*(n+1))}
}

// node returns the index of node (x, y, z) in values.
func (f *field) node(x, y, z int) int { return (z*(f.n+1)+y)*(f.n+1) + x }

// kuhn lists the six tetrahedra around the main diagonal of a cube (Kuhn 1960). Each goes from
// corner 0 to corner 7 along three edges. Bits 0, 1 and 2 of a corner are its steps in x, y
// and z. Neighboring cubes cut their common square along the same diagonal. All six are
// right-handed: det(p1−p0, p2−p0, p3−p0) > 0.
var kuhn = [6][4]int{{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}

// cuts maps each set of negative corners of a tetrahedron (bit i is corner i) to an even
// permutation of the corners, which keeps the tetrahedron right-handed. One or two negative
// corners come first. If three are negative, the positive corner comes first.
var cuts = [16][4]int{
	1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 4: {2, 3, 0, 1}, 8: {3, 2, 1, 0},
	3: {0, 1, 2, 3}, 5: {0, 2, 3, 1}, 9: {0, 3, 1, 2}, 6: {1, 2, 0, 3}, 10: {1, 3, 2, 0}, 12: {2, 3, 0, 1},
	14: {0, 1, 2, 3}, 13: {1, 0, 3, 2}, 11: {2, 3, 0, 1}, 7: {3, 2, 1, 0},
}

// marcher triangulates the zero surface of a field, one layer of cubes after the other. A vertex
// lies on an edge of a tetrahedron. The edge is identified by its first node and its step, whose
// bits 0, 1 and 2 are the steps in x, y and z.
type marcher struct {
	*field
	soup     mesh.Soup
	vertices map[int]int32 // the vertex on an edge, by 8 times the first node plus the step
}

// march returns the zero surface of f by marching tetrahedra (Doi, Koide 1991), in units of the
// grid. It is a closed 2-manifold with the negative side inside. Every vertex stays at least
// edgeMargin of its edge away from both ends. Therefore the area of a triangle is far above the
// rounding of coordinates.
func march(f *field) mesh.Soup {
	m := &marcher{field: f, vertices: map[int]int32{}}
	for z := range f.n {
		for y := range f.n {
			for x := range f.n {
				m.cube(x, y, z)
			}
		}
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
			m.soup.Faces = append(m.soup.Faces, [3]int32{vertex(a, b), vertex(a, c), vertex(a, d)})
		case 2:
			addSquare(&m.soup, vertex(a, c), vertex(a, d), vertex(b, d), vertex(b, c))
		case 3:
			m.soup.Faces = append(m.soup.Faces, [3]int32{vertex(a, b), vertex(a, d), vertex(a, c)})
		}
	}
}

// edgeMargin is the least distance of a vertex from the ends of its edge, as a fraction of the
// edge. It bounds the angles of triangles from below.
const edgeMargin = 1.0 / 64

// vertex returns the vertex on the edge between the corners c < d of cube (x, y, z). The first
// call for an edge creates it.
func (m *marcher) vertex(x, y, z, c, d int, values *[8]float64) int32 {
	i, j, k := x+c&1, y+c>>1&1, z+c>>2
	step := d ^ c
	key := m.node(i, j, k)*8 + step
	v, known := m.vertices[key]
	if !known {
		t := values[c] / (values[c] - values[d])
		t = min(max(t, edgeMargin), 1-edgeMargin)
		v = int32(len(m.soup.Vertices))
		m.vertices[key] = v
		m.soup.Vertices = append(m.soup.Vertices, r3.Vector{
			X: float64(i) + float64(t*float64(step&1)),
			Y: float64(j) + float64(t*float64(step>>1&1)),
			Z: float64(k) + float64(t*float64(step>>2)),
		})
	}
	return v
}
