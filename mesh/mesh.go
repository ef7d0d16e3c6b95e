package mesh

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// blockSize is the number of vertices or faces that a worker takes at once: some tenths
// of a millisecond of work. The costs of distributing blocks and of waiting for the last
// one are then negligible.
const blockSize = 1 << 15 // tuning

// Triangle is three corners in order. On a solid with positive volume the normal
// (b−a)×(c−a) points outward.
type Triangle [3]r3.Vector

// Body is a named, contiguous range of faces: an OBJ group or object, an STL
// solid, a glTF node, a 3MF build item.
type Body struct {
	Name         string
	First, Count int32 // Faces[First : First+Count]
}

// Soup is the content of a mesh file as a loader delivers it: Faces index Vertices,
// and nothing is welded yet.
type Soup struct {
	Vertices []r3.Vector
	Faces    [][3]int32
	Bodies   []Body
}

// FromBuffers returns the soup of a flat vertex buffer and a flat index buffer, as
// graphics interfaces store them: vertex i is at coordinates[3i], [3i+1], [3i+2],
// and face f joins the vertices indices[3f], [3f+1], [3f+2]. It copies both, so
// the result can be given to NewOwned.
//
// Errors: ErrLength if a length is not a multiple of 3; ErrIndex if an index is
// not below the number of vertices; ErrTooLarge if there are too many faces or
// vertices.
func FromBuffers[C float32 | float64, I int32 | uint32](coordinates []C, indices []I) (Soup, error) {
	if len(coordinates)%3 != 0 {
		return Soup{}, fmt.Errorf("%d coordinates: %w", len(coordinates), ErrLength)
	}
	if len(indices)%3 != 0 {
		return Soup{}, fmt.Errorf("%d indices: %w", len(indices), ErrLength)
	}
	n := len(coordinates) / 3
	if err := checkCounts(len(indices)/3, n); err != nil {
		return Soup{}, err
	}
	s := Soup{Vertices: make([]r3.Vector, n), Faces: make([][3]int32, len(indices)/3)}
	for i := range s.Vertices {
		c := coordinates[3*i : 3*i+3]
		s.Vertices[i] = r3.Vector{X: float64(c[0]), Y: float64(c[1]), Z: float64(c[2])}
	}
	for i, v := range indices {
		if int64(v) < 0 || int64(v) >= int64(n) {
			return Soup{}, indexError(i/3, int64(v), n)
		}
		s.Faces[i/3][i%3] = int32(v)
	}
	return s, nil
}

// Edge is an edge of the boundary chain, A < B: Mult copies of the directed edge A→B
// remain after opposite copies cancel, Mult ≠ 0. A negative Mult means −Mult copies of
// B→A.
type Edge struct {
	A, B int32
	Mult int32
}

// Mesh is an immutable welded triangle mesh, safe for concurrent use. The vertices
// are finite, at most MaxCoordinate, pairwise different (−0 = +0), and each belongs
// to a face. They keep the order of the Soup. A face keeps its number from the Soup,
// even if it has zero area or lost a corner to welding. The caller must not modify
// the slices.
type Mesh struct {
	Vertices []r3.Vector
	Faces    [][3]int32
	Bodies   []Body

	box        bvh.Box
	boundary   []Edge    // net boundary chain, sorted by (A, B)
	edges      edgeTally // counts over all undirected edges
	degenerate []int32   // faces of exactly zero area, ascending (collapsed ones included)
}

// NumFaces returns the number of faces, zero-area and collapsed ones included.
func (m *Mesh) NumFaces() int { return len(m.Faces) }

// Box returns the smallest box around the vertices; it is empty for a mesh
// without faces.
func (m *Mesh) Box() bvh.Box { return m.box }

// Triangle returns the corners of face f. It panics if f is out of range.
func (m *Mesh) Triangle(f int32) Triangle {
	t := m.Faces[f]
	return Triangle{m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]]}
}

// Boundary returns the boundary chain of all faces: the directed edges whose
// copies do not cancel, sorted by (A, B). Zero-area faces count like all
// others; a face that lost a corner to welding contributes nothing. The caller
// must not modify the slice.
func (m *Mesh) Boundary() []Edge { return m.boundary }

// Closed reports whether the boundary chain is empty. The winding number is then an
// integer everywhere off the surface, even with non-manifold edges, overlaps,
// nested bodies and self-crossings.
func (m *Mesh) Closed() bool { return len(m.boundary) == 0 }

// EvenEdges reports whether every undirected edge belongs to an even number of
// faces. The parity of the crossings of a ray then does not depend on the ray
// (Muth, Of, Eberhard, Steinbach 2006, §2.2).
func (m *Mesh) EvenEdges() bool { return m.edges.odd == 0 }

// Degenerate returns the faces of exactly zero area in ascending order, including
// those that lost a corner to welding. The caller must not modify the slice.
func (m *Mesh) Degenerate() []int32 { return m.degenerate }

// GatherTo writes the corners of face order[i] to dst[i], on the given number of
// workers (≤ 0: one for each processor). It panics if the lengths differ or an
// index is out of range. Errors: the error of ctx if it ends first.
func (m *Mesh) GatherTo(ctx context.Context, dst []Triangle, order []int32, workers int) error {
	if len(dst) != len(order) {
		panic("mesh: dst and order differ in length")
	}
	return par.Blocks(ctx, len(order), blockSize, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = m.Triangle(order[i])
		}
	})
}

// Boxes returns the box of every face, in face order.
func (m *Mesh) Boxes() []bvh.Box {
	out := make([]bvh.Box, len(m.Faces))
	mustNotFail(m.BoxesTo(context.Background(), out, 0))
	return out
}

// BoxesTo writes the box of face f to dst[f], on the given number of workers (≤ 0:
// one for each processor). It panics if len(dst) is not the number of faces. Errors:
// that of ctx if it ends first.
func (m *Mesh) BoxesTo(ctx context.Context, dst []bvh.Box, workers int) error {
	if len(dst) != len(m.Faces) {
		panic("mesh: dst and faces differ in length")
	}
	return par.Blocks(ctx, len(m.Faces), blockSize, workers, func(_, lo, hi int) {
		for f := lo; f < hi; f++ {
			t := m.Triangle(int32(f))
			dst[f] = bvh.Box{Min: t[0], Max: t[0]}.Add(t[1]).Add(t[2])
		}
	})
}

// Indexed is a mesh with a bounding volume hierarchy over its faces: the input
// of packages raycross and nearest. It is immutable and safe for concurrent use;
// several searches can share one.
type Indexed struct {
	mesh *Mesh
	tree *bvh.Tree
	tris []Triangle
}

// Index builds the hierarchy over the boxes of the faces of m. The result does
// not depend on opt.Workers. m may be a Mesh literal that nothing has welded:
// only its Vertices and Faces are used. A mesh without faces has an empty tree.
//
// It takes O(n log n) time for n faces. Errors: the error of ctx if it ends first,
// and *bvh.BoxError if a coordinate is not finite, which a mesh from New never
// has; ErrNil if m is nil.
func (m *Mesh) Index(ctx context.Context, opt bvh.Options) (*Indexed, error) {
	if m == nil {
		return nil, ErrNil
	}
	boxes := make([]bvh.Box, len(m.Faces))
	if err := m.BoxesTo(ctx, boxes, opt.Workers); err != nil {
		return nil, err
	}
	tree, err := bvh.Build(ctx, boxes, opt)
	if err != nil {
		return nil, err
	}
	tris := make([]Triangle, len(m.Faces))
	if err := m.GatherTo(ctx, tris, tree.Index(), opt.Workers); err != nil {
		return nil, err
	}
	return &Indexed{mesh: m, tree: tree, tris: tris}, nil
}

// Mesh returns the mesh.
func (x *Indexed) Mesh() *Mesh { return x.mesh }

// Tree returns the hierarchy. Box f of the tree is the box of face f.
func (x *Indexed) Tree() *bvh.Tree { return x.tree }

// Triangles returns the corners of the faces in the order of the leaves:
// triangle i is face Tree().Index()[i]. The caller must not modify the slice.
func (x *Indexed) Triangles() []Triangle { return x.tris }
