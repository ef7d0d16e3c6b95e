package nearest

import (
	"context"
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// normals holds the normals of the faces and the pseudonormals of the vertices of a mesh, and the faces at
// each edge and each vertex.
type normals struct {
	ofFace   []r3.Vector
	ofVertex []r3.Vector
	across   [][3]int32 // see neighbor
	first    []int32    // the faces at vertex v are fans[first[v]:first[v+1]]
	fans     []int32
}

// noNeighbor is the neighbor of a face across an edge that does not have exactly two faces, or whose two vertices
// have more than maxFan faces each.
const noNeighbor = -1

// maxFan limits the search for neighbors, so that it takes O(n) time for all meshes (tuning).
const maxFan = 256

// newNormals computes the normals of m. It fails only with the error of ctx.
func newNormals(ctx context.Context, m *mesh.Mesh) (*normals, error) {
	n := &normals{
		ofFace: make([]r3.Vector, len(m.Faces)), ofVertex: make([]r3.Vector, len(m.Vertices)),
		across: make([][3]int32, len(m.Faces)),
		first:  make([]int32, len(m.Vertices)+2), fans: make([]int32, 3*len(m.Faces)),
	}
	// After the loop over the faces, first[v+1] is the end of the fan of v.
	for i, f := range m.Faces {
		par.Pause(i)
		for _, v := range f {
			n.first[v+2]++
		}
	}
	for v := range m.Vertices {
		n.first[v+2] += n.first[v+1]
	}
	for i, f := range m.Faces {
		par.Pause(i)
		for _, v := range f {
			n.fans[n.first[v+1]] = int32(i)
			n.first[v+1]++
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	const block = 1 << 12 // tuning
	err := par.Blocks(ctx, len(m.Faces), block, 0, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			t := m.Triangle(int32(i))
			n.ofFace[i] = unitNormal(&t)
			for k := range 3 {
				n.across[i][k] = n.neighbor(m, int32(i), k)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return n, par.Blocks(ctx, len(m.Vertices), block, 0, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			n.ofVertex[v] = n.vertexNormal(m, int32(v))
		}
	})
}

// around returns the faces at one of two vertices: the vertex with fewer faces. They include all faces at the
// edge between the vertices.
func (n *normals) around(v, w int32) []int32 {
	if n.first[w+1]-n.first[w] < n.first[v+1]-n.first[v] {
		v = w
	}
	return n.fans[n.first[v]:n.first[v+1]]
}

// neighbor returns the other face at the edge from corner k of a face to the next corner, or noNeighbor.
func (n *normals) neighbor(m *mesh.Mesh, face int32, k int) int32 {
	v, w := m.Faces[face][k], m.Faces[face][(k+1)%3]
	fan, other := n.around(v, w), int32(noNeighbor)
	if len(fan) > maxFan {
		return noNeighbor
	}
	for _, i := range fan {
		if i == face || !hasEdge(&m.Faces[i], v, w) {
			continue
		}
		if other != noNeighbor {
			return noNeighbor
		}
		other = i
	}
	return other
}

func hasEdge(f *[3]int32, v, w int32) bool {
	return (f[0] == v || f[1] == v || f[2] == v) && (f[0] == w || f[1] == w || f[2] == w)
}

// vertexNormal returns the pseudonormal of a vertex: the sum of the normals of its faces, weighted by
// the angles of the faces at the vertex.
func (n *normals) vertexNormal(m *mesh.Mesh, v int32) r3.Vector {
	var sum r3.Vector
	weight := 0.0
	for _, i := range n.fans[n.first[v]:n.first[v+1]] {
		f, t := &m.Faces[i], m.Triangle(i)
		k := 0
		for f[k] != v {
			k++
		}
		normal, angle := normalAt(&t, k)
		sum, weight = sum.Add(normal.Mul(angle)), weight+angle
	}
	return uncanceled(sum, weight)
}

// ofEdge returns the pseudonormal of the edge from corner k of a face to the next corner: the sum of the
// normals of its faces.
func (n *normals) ofEdge(m *mesh.Mesh, face int32, k int) r3.Vector {
	if other := n.across[face][k]; other != noNeighbor {
		return sumOfUnits(n.ofFace[face], n.ofFace[other])
	}
	v, w := m.Faces[face][k], m.Faces[face][(k+1)%3]
	var units []r3.Vector
	for _, i := range n.around(v, w) {
		if hasEdge(&m.Faces[i], v, w) {
			units = append(units, n.ofFace[i])
		}
	}
	return sumOfUnits(units...)
}

// sumOfUnits returns the unit vector along the sum of unit vectors and zero vectors, or zero if they nearly
// cancel.
func sumOfUnits(units ...r3.Vector) r3.Vector {
	var sum r3.Vector
	weight := 0.0
	for _, u := range units {
		if u != (r3.Vector{}) {
			sum, weight = sum.Add(u), weight+1
		}
	}
	return uncanceled(sum, weight)
}

// maxCancellation is the largest ratio of a sum of weights to the length of the sum of weighted normals.
// Each normal has an error of at most 2⁻³³, so the direction of the sum has at most 2⁻¹⁸.
const maxCancellation = 0x1p14

// uncanceled returns the unit vector along the sum, or zero if its terms nearly cancel.
func uncanceled(sum r3.Vector, weight float64) r3.Vector {
	if length := sum.Norm(); length*maxCancellation > weight {
		return sum.Mul(1 / length)
	}
	return r3.Vector{}
}

// minSine limits the ratio of the length of a computed cross product to the product of the lengths.
// The cross product has an error of at most 8·2⁻⁵³ of the product of the lengths.
const minSine = 0x1p-16

// unitNormal returns the unit normal of a triangle with an error of at most 2⁻³³, or zero if the triangle
// has no area.
func unitNormal(t *mesh.Triangle) r3.Vector {
	e, f := t[1].Sub(t[0]), t[2].Sub(t[0])
	n := e.Cross(f)
	if n2 := n.Norm2(); n2 > minSine*minSine*e.Norm2()*f.Norm2() && n2 >= minSquare && n2 <= 1/minSquare {
		return n.Mul(1 / math.Sqrt(n2))
	}
	n, _ = normalAt(t, 0)
	return n
}

// normalAt returns the unit normal of a triangle with an error of at most 2⁻³³, and its angle at corner k.
// Both are zero if the triangle has no area.
func normalAt(t *mesh.Triangle, k int) (n r3.Vector, angle float64) {
	a, b, c := t[k], t[(k+1)%3], t[(k+2)%3]
	e, scaleE := unitScaled(b.Sub(a))
	f, scaleF := unitScaled(c.Sub(a))
	n = e.Cross(f)
	exponent := 0
	if !(n.Norm2() > minSine*minSine*e.Norm2()*f.Norm2()) {
		n, exponent = exactCross(a, b, c)
		exponent -= scaleE + scaleF
	}
	length := n.Norm()
	if length == 0 {
		return r3.Vector{}, 0
	}
	// An angle that underflows still counts if no other face has an angle.
	return n.Mul(1 / length), max(math.Atan2(math.Ldexp(length, exponent), e.Dot(f)), minAngle)
}

// minAngle is small beside the rounding error of a sum with any other angle.
const minAngle = 0x1p-500

// exactCross returns a vector n with a largest component between 1/2 and 1, or zero, such that
// (b−a)×(c−a) is n·2^exponent, rounded.
func exactCross(a, b, c r3.Vector) (n r3.Vector, exponent int) {
	pa := r3.PreciseVectorFromVector(a)
	x := r3.PreciseVectorFromVector(b).Sub(pa).Cross(r3.PreciseVectorFromVector(c).Sub(pa))
	exponent = math.MinInt
	for _, c := range []*big.Float{x.X, x.Y, x.Z} {
		if c.Sign() != 0 {
			exponent = max(exponent, c.MantExp(nil))
		}
	}
	if exponent == math.MinInt {
		return r3.Vector{}, 0
	}
	scaled := func(c *big.Float) float64 {
		v, _ := new(big.Float).SetMantExp(c, -exponent).Float64()
		return v
	}
	return r3.Vector{X: scaled(x.X), Y: scaled(x.Y), Z: scaled(x.Z)}, exponent
}

// unitScaled divides v by 2^exponent such that its largest component is between 1/2 and 1.
func unitScaled(v r3.Vector) (scaled r3.Vector, exponent int) {
	_, exponent = math.Frexp(vec.MaxAbs(v))
	return ldexp(v, -exponent), exponent
}
