package nearest

import (
	"context"
	"math"
	"math/big"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// normals holds the normals of the faces and the pseudonormals of the vertices of a mesh, and the faces at
// each edge and each vertex.
type normals struct {
	ofFace   []r3.Vector
	ofVertex []r3.Vector // zero if float64 is not accurate enough; see vertex
	across   [][3]int32  // see neighbor
	first    []int32     // the faces at vertex v are fans[first[v]:first[v+1]]
	fans     []int32
	canceled sync.Map // from the vertices of an edge, or a vertex and −1, to a function that returns the result of precise
}

// noNeighbor marks an edge of a face without a unique neighbor: the edge does not have exactly two
// faces. An edge is also marked if each of its vertices has more than maxFan faces.
const noNeighbor = -1

// maxFan limits the search for neighbors. The search then takes O(n) time for every mesh (tuning).
const maxFan = 256

// newNormals computes the normals of m. It fails only with the error of ctx.
func newNormals(ctx context.Context, m *mesh.Mesh) (*normals, error) {
	n := &normals{
		ofFace: make([]r3.Vector, len(m.Faces)), ofVertex: make([]r3.Vector, len(m.Vertices)),
		across: make([][3]int32, len(m.Faces)),
		first:  make([]int32, len(m.Vertices)+2), fans: make([]int32, 3*len(m.Faces)),
	}
	// These loops sort the faces by vertex. Afterward, first[v+1] is the end of the fan of v.
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

// around returns the faces at v or at w, whichever vertex has fewer. The result includes all faces
// at the edge between v and w.
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
// the angles of the faces at the vertex. The result is zero if float64 is not accurate enough.
func (n *normals) vertexNormal(m *mesh.Mesh, v int32) r3.Vector {
	var s weighted
	for _, i := range n.fans[n.first[v]:n.first[v+1]] {
		f, t := &m.Faces[i], m.Triangle(i)
		k := 0
		for f[k] != v {
			k++
		}
		normal, angle := normalAt(&t, k)
		s.add(normal, angle)
	}
	normal, _ := s.unit()
	return normal
}

// vertex returns the pseudonormal of a vertex. It is zero only if the exact sum is zero.
func (n *normals) vertex(m *mesh.Mesh, v int32) r3.Vector {
	if u := n.ofVertex[v]; u != (r3.Vector{}) {
		return u
	}
	return n.once([2]int32{v, -1}, func() r3.Vector { return precise(m, n.wedgesAt(m, v), true) })
}

// ofEdge returns the pseudonormal of the edge from corner k of a face to the next corner: the sum of the
// normals of its faces. It is zero only if the exact sum is zero.
func (n *normals) ofEdge(m *mesh.Mesh, face int32, k int) r3.Vector {
	v, w := m.Faces[face][k], m.Faces[face][(k+1)%3]
	var s weighted
	if other := n.across[face][k]; other != noNeighbor {
		s.add(n.ofFace[face], 1)
		s.add(n.ofFace[other], 1)
		if u, ok := s.unit(); ok {
			return u
		}
		return n.acrossFold(m, face, other, v, w)
	}
	for _, i := range n.around(v, w) {
		if hasEdge(&m.Faces[i], v, w) {
			s.add(n.ofFace[i], 1)
		}
	}
	if u, ok := s.unit(); ok {
		return u
	}
	v, w = min(v, w), max(v, w)
	return n.once([2]int32{v, w}, func() r3.Vector { return precise(m, n.wedgesAlong(m, v, w), false) })
}

// once returns the result of compute for a key. Later calls return the same result. Concurrent
// calls wait for the first one, because compute takes seconds at a vertex with very many faces.
func (n *normals) once(key [2]int32, compute func() r3.Vector) r3.Vector {
	f, ok := n.canceled.Load(key)
	if !ok {
		f, _ = n.canceled.LoadOrStore(key, sync.OnceValue(compute))
	}
	return f.(func() r3.Vector)()
}

// acrossFold returns the pseudonormal of the edge from v to w. The edge has exactly two faces, and
// their unit normals a and b nearly cancel. Both normals are perpendicular to the edge vector e. So
// the sum a+b is parallel to e×(a−b), which does not cancel, and (a+b)·(e×(a−b)) = 2e·(a×b). The
// sign of this number tells on which side of the first face's plane the other face lies.
func (n *normals) acrossFold(m *mesh.Mesh, face, other, v, w int32) r3.Vector {
	f, g := &m.Faces[face], &m.Faces[other]
	sign := predicates.Orient3D(m.Vertices[w], m.Vertices[opposite(f, v, w)], m.Vertices[opposite(g, v, w)], m.Vertices[v])
	if sign == 0 {
		return r3.Vector{}
	}
	if !hasHalfEdge(g, v, w) {
		sign = -sign
	}
	e, _ := unitScaled(m.Vertices[w].Sub(m.Vertices[v]))
	return e.Cross(n.ofFace[face].Sub(n.ofFace[other])).Mul(float64(sign)).Normalize()
}

// hasHalfEdge reports whether f contains the edge from v to w in this direction.
func hasHalfEdge(f *[3]int32, v, w int32) bool {
	return f[0] == v && f[1] == w || f[1] == v && f[2] == w || f[2] == v && f[0] == w
}

// opposite returns the vertex of f that is neither v nor w, or v if there is none.
func opposite(f *[3]int32, v, w int32) int32 {
	for _, x := range f {
		if x != v && x != w {
			return x
		}
	}
	return v
}

// weighted is a sum of weighted unit vectors.
type weighted struct {
	sum    r3.Vector
	weight float64
	count  int
}

// add adds a unit vector. It ignores the vector zero.
func (s *weighted) add(unit r3.Vector, weight float64) {
	if unit != (r3.Vector{}) {
		s.sum, s.weight, s.count = s.sum.Add(unit.Mul(weight)), s.weight+math.Abs(weight), s.count+1
	}
}

const (
	// maxCancellation limits the cancellation in a sum of weighted normals. If the sum of the
	// weights is at most maxCancellation times the length of the sum, float64 is accurate enough. A
	// term has a relative error of at most 2⁻³³, and n terms add n·2⁻⁵³ for rounding. So the
	// direction of the sum has an error of at most 2⁻¹⁸.
	maxCancellation = 0x1p14
	// minWeight is the smallest weight of a sum to which angles that underflow contribute nothing.
	minWeight = 0x1p-400
)

// unit returns the unit vector along the sum. It returns zero and false if float64 is not accurate enough.
func (s *weighted) unit() (u r3.Vector, ok bool) {
	if length := s.sum.Norm(); length*maxCancellation > s.weight*(1+float64(s.count)*0x1p-20) && s.weight > minWeight {
		return s.sum.Mul(1 / length), true
	}
	return r3.Vector{}, false
}

// minSine is the smallest ratio of a computed cross product to the product of the two lengths for
// which the direction is accurate enough. The error of the cross product is at most 8·2⁻⁵³ of the
// product of the lengths.
const minSine = 0x1p-16

// UnitNormal returns the unit vector along (t[1]−t[0])×(t[2]−t[0]) with an error of at most 2⁻³³, for
// triangles of any shape and size. It is zero only if the triangle has no area. The corners must be finite.
func UnitNormal(t *mesh.Triangle) r3.Vector { return unitNormal(t) }

// unitNormal returns the result of UnitNormal.
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
// Both are zero if the triangle has no area. Tiny angles can underflow to zero.
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
	return n.Mul(1 / length), math.Atan2(math.Ldexp(length, exponent), e.Dot(f))
}

// exactCross returns (b−a)×(c−a), rounded, as n·2^exponent. The largest component of n is between
// 1/2 and 1. n is zero if the product is zero.
func exactCross(a, b, c r3.Vector) (n r3.Vector, exponent int) {
	pa := r3.PreciseVectorFromVector(a)
	x := r3.PreciseVectorFromVector(b).Sub(pa).Cross(r3.PreciseVectorFromVector(c).Sub(pa))
	return largestTo1(x.X, x.Y, x.Z)
}

// largestTo1 returns the vector (x, y, z), rounded, as n·2^exponent. The largest component of n is
// between 1/2 and 1. n is zero if the vector is zero.
func largestTo1(x, y, z *big.Float) (n r3.Vector, exponent int) {
	exponent = math.MinInt
	for _, c := range []*big.Float{x, y, z} {
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
	return r3.Vector{X: scaled(x), Y: scaled(y), Z: scaled(z)}, exponent
}

// unitScaled divides v by 2^exponent. It chooses exponent so that the largest component is between
// 1/2 and 1.
func unitScaled(v r3.Vector) (scaled r3.Vector, exponent int) {
	_, exponent = math.Frexp(vec.MaxAbs(v))
	return ldexp(v, -exponent), exponent
}
