package mesh

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/golang/geo/r3"
)

// kuhn lists the six tetrahedra around the main diagonal of a cube (Kuhn 1960). Each tetrahedron
// has a path of three cube edges from corner 0 to corner 7. Bits 0, 1 and 2 of the number of a
// corner are its coordinates x, y and z. Neighboring cubes divide their common square along the
// same diagonal. Each tetrahedron p0 p1 p2 p3 is right-handed: det(p1−p0, p2−p0, p3−p0) > 0.
var kuhn = [6][4]int{{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}

// cuts maps each set of negative corners of a tetrahedron to an order of all four corners. Bit i of
// the set is corner i. The order is an even permutation, so the tetrahedron stays right-handed. If
// one or two corners are negative, they come first. If three corners are negative, the positive
// corner comes first.
var cuts = [16][4]int{
	1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 4: {2, 3, 0, 1}, 8: {3, 2, 1, 0},
	3: {0, 1, 2, 3}, 5: {0, 2, 3, 1}, 9: {0, 3, 1, 2}, 6: {1, 2, 0, 3}, 10: {1, 3, 2, 0}, 12: {2, 3, 0, 1},
	14: {0, 1, 2, 3}, 13: {1, 0, 3, 2}, 11: {2, 3, 0, 1}, 7: {3, 2, 1, 0},
}

// edgeMargin is the least distance of a vertex from the ends of the tetrahedron edge on which it
// lies, as a fraction of the length of this edge. The margin prevents triangles with tiny angles.
const edgeMargin = 1.0 / 64

// march returns the surface on which a field is zero, on a grid of n³ cubes. The function layer writes
// the values at the (n+1)² nodes of layer z, x fastest. march calls layer in ascending order of z. No
// value may be zero, and the values at the boundary of the grid must be positive. march uses marching
// tetrahedra (Doi, Koide 1991). The coordinates are in units of the grid. The surface is a closed
// 2-manifold around the negative values. The distance of every vertex to both ends of its edge is at
// least edgeMargin edge lengths. Therefore the area of a triangle is far larger than the effect of
// rounding errors.
//
// Errors: an error of layer; ErrTooLarge if there would be more than maxFaces faces; the error of ctx.
func march(ctx context.Context, n, maxFaces int, layer func(z int, values []float64) error) (Soup, error) {
	w := n + 1
	m := marcher{width: w, values: [2][]float64{make([]float64, w*w), make([]float64, w*w)}, vertices: [2][][8]int32{make([][8]int32, w*w), make([][8]int32, w*w)}}
	if err := layer(0, m.values[1]); err != nil {
		return Soup{}, err
	}
	for z := range n {
		m.values[0], m.values[1] = m.values[1], m.values[0]
		m.vertices[0], m.vertices[1] = m.vertices[1], m.vertices[0]
		clear(m.vertices[1])
		if err := layer(z+1, m.values[1]); err != nil {
			return Soup{}, err
		}
		for y := range n {
			if err := ctx.Err(); err != nil {
				return Soup{}, err
			}
			for x := range n {
				m.cube(x, y, z)
			}
			if len(m.soup.Faces) > maxFaces {
				return Soup{}, fmt.Errorf("%w: the surface has more than %d triangles", ErrTooLarge, maxFaces)
			}
		}
	}
	return m.soup, nil
}

// marcher is the state of march in a layer of cubes: the values at the nodes of the lower and of the
// upper side of the layer, and the vertices on the edges that begin at these nodes. An edge begins at
// its end with the smaller coordinates. Its number is 1 for x, 2 for y and 4 for z, or a sum of these
// for a diagonal. An entry is 1 + the index of the vertex, or 0.
type marcher struct {
	width    int // number of nodes along an edge
	values   [2][]float64
	vertices [2][][8]int32
	soup     Soup
}

// cube adds the triangles in the cube whose first corner is the node x, y, z.
func (m *marcher) cube(x, y, z int) {
	first := y*m.width + x
	value := func(corner int) float64 { return m.values[corner>>2][first+(corner>>1&1)*m.width+corner&1] }
	signs := 0
	for corner := range 8 {
		if value(corner) < 0 {
			signs |= 1 << corner
		}
	}
	if signs == 0 || signs == 0xff {
		return
	}
	vertex := func(p, q int) int32 {
		p, q = min(p, q), max(p, q) // p is now the end with the smaller coordinates
		v := &m.vertices[p>>2][first+(p>>1&1)*m.width+p&1][q-p]
		if *v == 0 {
			t := value(p) / (value(p) - value(q))
			t = min(max(t, edgeMargin), 1-edgeMargin)
			from := r3.Vector{X: float64(x + p&1), Y: float64(y + p>>1&1), Z: float64(z + p>>2)}
			to := r3.Vector{X: float64(x + q&1), Y: float64(y + q>>1&1), Z: float64(z + q>>2)}
			m.soup.Vertices = append(m.soup.Vertices, from.Add(to.Sub(from).Mul(t))) // each product is exact: 0 or t
			*v = int32(len(m.soup.Vertices))
		}
		return *v - 1
	}
	for _, corners := range kuhn {
		negative := 0 // set of the negative corners, one bit for each
		for i, c := range corners {
			negative |= signs >> c & 1 << i
		}
		cut := cuts[negative]
		a, b, c, d := corners[cut[0]], corners[cut[1]], corners[cut[2]], corners[cut[3]]
		switch bits.OnesCount(uint(negative)) {
		case 1:
			m.soup.Faces = append(m.soup.Faces, [3]int32{vertex(a, b), vertex(a, c), vertex(a, d)})
		case 2:
			ac, ad, bd, bc := vertex(a, c), vertex(a, d), vertex(b, d), vertex(b, c)
			m.soup.Faces = append(m.soup.Faces, [3]int32{ac, ad, bd}, [3]int32{ac, bd, bc})
		case 3:
			m.soup.Faces = append(m.soup.Faces, [3]int32{vertex(a, b), vertex(a, d), vertex(a, c)})
		}
	}
}
