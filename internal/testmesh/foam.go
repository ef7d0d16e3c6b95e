package testmesh

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// FoamOptions describes a foam. A field that is 0 has its default value.
type FoamOptions struct {
	// Resolution is the number of grid cubes along an edge of the unit cube, from 4 to
	// MaxFoamResolution. The default is 64. The number of triangles grows with the square of
	// Resolution.
	Resolution int
	// Cells is the number of foam cells along an edge of the unit cube, from 1 to Resolution. The
	// default is 3.
	Cells int
	// Strut is the thickness of the struts, above 0 and at most 1. The unit is the edge length of a
	// foam cell. The surface of a strut is where d₃−d₁ = Strut; Foam explains d₁ and d₃. The default
	// is 0.18. Struts of this thickness fill about a fifth of the cube.
	Strut float64
	// Seed selects the random centers of the cells.
	Seed uint64
}

// MaxFoamResolution is the largest resolution of a foam. Its grid values need 8 GB of memory.
const MaxFoamResolution = 1000

// Foam returns an open-cell foam that is clipped to the unit cube. The mesh is a closed 2-manifold
// with outward normals and without faces of zero area. The same options give the same mesh. Foam
// panics if an option is out of range, or if the struts are so thin that no grid node is inside
// them.
//
// The foam is similar to the foams of Muth, Of, Eberhard, Steinbach 2006, §3.2, which are not
// public. The construction starts from one random center in each cell of a cubic lattice. At a
// point, d₁, d₂ and d₃ are the distances to the three nearest centers. The solid contains the
// points at which d₃−d₁ is less than the constant Strut. These points surround the edges of the
// Voronoi cells, where d₁ = d₂ = d₃. The struts have a concave triangular cross section and widen
// where they meet, as in real foams. Marching tetrahedra turn the solid into triangles. Noise of a
// thousandth of a grid cube prevents exactly flat sides. Only the largest component remains.
func Foam(opt FoamOptions) *mesh.Mesh {
	if opt.Resolution == 0 {
		opt.Resolution = 64
	}
	if opt.Cells == 0 {
		opt.Cells = 3
	}
	if opt.Strut == 0 {
		opt.Strut = 0.18
	}
	if opt.Resolution < 4 || opt.Resolution > MaxFoamResolution || opt.Cells < 1 || opt.Cells > opt.Resolution ||
		!(opt.Strut > 0 && opt.Strut <= 1) {
		panic(fmt.Sprintf("testmesh: foam options %+v are out of range", opt))
	}
	n := opt.Resolution + 1 // the grid extends half a grid cube beyond each side of the unit cube
	h := 1 / float64(opt.Resolution)
	f, cells := newField(n), newLattice(opt.Cells, opt.Seed)
	inCube := func(p r3.Vector) r3.Vector { // converts grid coordinates to coordinates in the unit cube
		return r3.Vector{X: (p.X - 0.5) * h, Y: (p.Y - 0.5) * h, Z: (p.Z - 0.5) * h}
	}
	for k := range f.values {
		x, y, z := f.place(k)
		noise := uniform(opt.Seed, 3, x, y, z) - 0.5
		f.values[k] = opt.value(cells, inCube(vector(x, y, z))) + noise*h/512
		if f.values[k] == 0 {
			f.values[k] = h / 512
		}
	}
	s := Move(march(f), inCube)
	if len(s.Faces) == 0 {
		panic(fmt.Sprintf("testmesh: no grid node is inside a strut of the foam %+v", opt))
	}
	return largest(Mesh(s))
}

// value returns the field at p without noise. The value is negative inside the foam.
func (opt *FoamOptions) value(cells *lattice, p r3.Vector) float64 {
	k := float64(opt.Cells)
	d1, d3 := cells.distances(p.Mul(k))
	// Intersect the foam with the unit cube. At a node on the boundary of the grid, the largest of
	// the last three values is half a grid cube. This is more than the noise.
	return max((d3-d1-opt.Strut)/k, math.Abs(p.X-0.5)-0.5, math.Abs(p.Y-0.5)-0.5, math.Abs(p.Z-0.5)-0.5)
}

// largest returns the component with the most faces. If there are several, it returns the first.
func largest(m *mesh.Mesh) *mesh.Mesh {
	labels, n := m.Components()
	if n < 2 {
		return m
	}
	parts := make([][]int32, n)
	for f, l := range labels {
		parts[l] = append(parts[l], int32(f))
	}
	best := 0
	for i, p := range parts {
		if len(p) > len(parts[best]) {
			best = i
		}
	}
	return must(m.Extract(context.Background(), parts[best]))
}

// lattice is a cubic lattice of unit cells with a random center in each cell. It covers the foam
// cells and a margin of several layers of cells.
type lattice struct {
	width   int // number of lattice cells along an edge, including both margins
	centers []r3.Vector
}

const (
	// jitter is the largest distance of a center from the middle of its cell, along each axis.
	jitter = 0.4
	// rings is the number of layers of cells that are searched around the cell of a point.
	rings = 2
	// margin is the number of layers of cells around the foam cells. A point can be up to one cell
	// outside the cube, so margin is one more than rings.
	margin = rings + 1
)

// newLattice returns a lattice with random centers. The foam has cells³ cells.
func newLattice(cells int, seed uint64) *lattice {
	l := &lattice{width: cells + 2*margin}
	for z := range l.width {
		for y := range l.width {
			for x := range l.width {
				at := func(c, axis int) float64 {
					return float64(c-margin) + 0.5 + jitter*(2*uniform(seed, axis, x, y, z)-1)
				}
				l.centers = append(l.centers, r3.Vector{X: at(x, 0), Y: at(y, 1), Z: at(z, 2)})
			}
		}
	}
	return l
}

// distances returns the distances of p to the nearest and to the third-nearest center. The point p
// must be at most one cell outside the cube.
//
// Two rings suffice. A center in a cell farther away is at least 2.5−jitter = 2.1 from p. At least
// three centers are within √(0.9²+0.9²+1.4²) < 1.9 of p. They are the center in the cell of p, and
// the centers in the two neighbor cells nearest to p.
func (l *lattice) distances(p r3.Vector) (d1, d3 float64) {
	cx, cy, cz := int(math.Floor(p.X))+margin, int(math.Floor(p.Y))+margin, int(math.Floor(p.Z))+margin
	a, b, c := math.Inf(1), math.Inf(1), math.Inf(1) // the three smallest squared distances
	for z := cz - rings; z <= cz+rings; z++ {
		for y := cy - rings; y <= cy+rings; y++ {
			row := (z*l.width + y) * l.width
			for _, q := range l.centers[row+cx-rings : row+cx+rings+1] {
				switch d := q.Sub(p).Norm2(); {
				case d < a:
					a, b, c = d, a, b
				case d < b:
					b, c = d, b
				case d < c:
					c = d
				}
			}
		}
	}
	return math.Sqrt(a), math.Sqrt(c)
}

// uniform returns a pseudorandom number in [0, 1) that depends on all arguments. It adds each
// argument to the state and then applies the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func uniform(seed uint64, salt, x, y, z int) float64 {
	h := seed
	for _, k := range [4]int{salt, x, y, z} {
		h += 0x9e3779b97f4a7c15 + uint64(k)
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return float64(h>>11) * 0x1p-53
}

// field is a scalar field on the nodes of a grid of n³ cubes. The values are negative inside the
// solid. No value is zero. The value of every node on the boundary of the grid is positive.
type field struct {
	n      int // number of cubes along each edge; an edge has n+1 nodes
	values []float64
}

func newField(n int) *field {
	return &field{n: n, values: make([]float64, (n+1)*(n+1)*(n+1))}
}

// node returns the index of node (x, y, z) in f.values.
func (f *field) node(x, y, z int) int { return (z*(f.n+1)+y)*(f.n+1) + x }

// place returns the coordinates of the node with index k. It is the inverse of node.
func (f *field) place(k int) (x, y, z int) {
	w := f.n + 1
	return k % w, k / w % w, k / (w * w)
}

func vector(x, y, z int) r3.Vector { return r3.Vector{X: float64(x), Y: float64(y), Z: float64(z)} }

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

// march returns the surface on which f is zero. It uses marching tetrahedra (Doi, Koide 1991). The
// coordinates are in units of the grid. The surface is a closed 2-manifold around the negative
// values of f. The distance of every vertex to both ends of its edge is at least edgeMargin edge
// lengths. Therefore the area of a triangle is far larger than the effect of rounding errors.
func march(f *field) mesh.Soup {
	var s mesh.Soup
	vertices := map[[2]int]int32{} // vertex on the edge between each pair of nodes
	vertex := func(p, q int) int32 {
		p, q = min(p, q), max(p, q)
		v, known := vertices[[2]int{p, q}]
		if !known {
			t := f.values[p] / (f.values[p] - f.values[q])
			t = min(max(t, edgeMargin), 1-edgeMargin)
			v = int32(len(s.Vertices))
			vertices[[2]int{p, q}] = v
			from, to := vector(f.place(p)), vector(f.place(q))
			s.Vertices = append(s.Vertices, from.Add(to.Sub(from).Mul(t)))
		}
		return v
	}
	for k := range f.values {
		x, y, z := f.place(k)
		if x == f.n || y == f.n || z == f.n {
			continue // no cube has this node as its first corner
		}
		for _, corners := range kuhn {
			var nodes [4]int
			negative := 0 // set of the negative corners, one bit for each
			for i, c := range corners {
				nodes[i] = f.node(x+c&1, y+c>>1&1, z+c>>2)
				if f.values[nodes[i]] < 0 {
					negative |= 1 << i
				}
			}
			cut := cuts[negative]
			a, b, c, d := nodes[cut[0]], nodes[cut[1]], nodes[cut[2]], nodes[cut[3]]
			switch bits.OnesCount(uint(negative)) {
			case 1:
				s.Faces = append(s.Faces, [3]int32{vertex(a, b), vertex(a, c), vertex(a, d)})
			case 2:
				addSquare(&s, vertex(a, c), vertex(a, d), vertex(b, d), vertex(b, c))
			case 3:
				s.Faces = append(s.Faces, [3]int32{vertex(a, b), vertex(a, d), vertex(a, c)})
			}
		}
	}
	return s
}
