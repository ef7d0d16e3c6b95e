// Package mesh holds indexed triangle meshes. It welds them, computes the boundary chain, diagnoses
// defects, finds components and changes orientations. Sphere and Foam generate meshes.
//
// A mesh is a 2-chain of oriented triangles. Corners with equal coordinates are welded. The
// boundary of the mesh is then a 1-chain: the directed edges whose copies do not cancel. A copy a→b
// counts +1, and a copy b→a counts −1. If the boundary chain is empty, the winding number of the
// mesh is an integer at every point that is not on the surface. This is true even if the mesh has
// other defects, such as non-manifold edges, overlaps, nested bodies and self-crossings. The
// winding number is positive inside a solid whose normals (b−a)×(c−a) point outward.
//
// No function repairs defects silently: New only welds, and Diagnose only counts. The methods that
// change faces (Oriented, Flipped, Extract, Refined) return a new mesh.
//
//	m, err := mesh.New(ctx, soup, mesh.Options{})
//	if err != nil {
//		return err
//	}
//	if !m.Closed() {
//		for _, e := range m.Boundary() {
//			fmt.Println(m.Vertices[e.A], "→", m.Vertices[e.B], "×", e.Mult)
//		}
//	}
package mesh

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// blockSize is the number of vertices or faces in a block. A worker processes a block in a few
// tenths of a millisecond. Therefore the costs of distributing blocks and of waiting for the last
// block are negligible.
const blockSize = 1 << 15 // tuning

// smallestBlock is the number of vertices or faces above which a second worker saves time.
const smallestBlock = 1 << 11 // tuning

// blockFor returns a block size for n vertices or faces, at most largest. Each worker gets several
// blocks, unless the mesh is small.
func blockFor(n, workers, largest int) int {
	return min(largest, max(smallestBlock, n/(4*par.Workers(workers))))
}

// Triangle holds the three corners a, b and c in order. If the triangle belongs to a solid with
// positive volume, the normal (b−a)×(c−a) points outward.
type Triangle [3]r3.Vector

// Body is a named, contiguous range of faces: an OBJ group or object, an STL solid, a glTF node, a 3MF
// build item, or a part of an object in a 3MF file of a slicer.
type Body struct {
	Name         string
	First, Count int32 // the range is Faces[First : First+Count]
	// Negative means that the body is cut out of the other bodies with the same Object. The functions of
	// this package treat it like any other body. A mesh with a negative body is not one solid: inpoly.New
	// refuses it, and assembly.Open finds the sides.
	Negative bool
	Object   int32 // number of the object whose part the body is; 0 if the file has no such objects
}

// NegativeBodies returns the number of bodies whose field Negative is set.
func (m *Mesh) NegativeBodies() int {
	n := 0
	for _, b := range m.Bodies {
		if b.Negative {
			n++
		}
	}
	return n
}

// Polygon is the range of the faces into which one polygon of a mesh file was divided.
type Polygon struct {
	First, Count int32 // the range is Faces[First : First+Count]
}

// Soup is the content of a mesh file as a loader returns it. The elements of Faces are indices of
// Vertices. Nothing is welded. Polygons lists the polygons of several triangles, in ascending order
// and without overlaps; all other faces are triangles of the file.
type Soup struct {
	Vertices []r3.Vector
	Faces    [][3]int32
	Bodies   []Body
	Polygons []Polygon
}

// FromBuffers returns the soup of a flat vertex buffer and a flat index buffer, the layout of
// graphics APIs. Vertex i starts at coordinates[3i], and face f starts at indices[3f]. FromBuffers
// copies both buffers, so the result can be passed to NewOwned.
//
// Errors: ErrLength if a length is not a multiple of 3; ErrIndex if an index is not below the
// number of vertices; ErrTooLarge if there are too many faces or vertices.
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

// Edge is an edge of the boundary chain, where A < B. Mult is the number of copies of A→B minus the
// number of copies of B→A. Mult is never 0.
type Edge struct {
	A, B int32
	Mult int32
}

// Mesh is an immutable welded triangle mesh. It is safe for concurrent use. The coordinates are
// finite and at most MaxCoordinate in magnitude. The vertices are pairwise different (−0 = +0), and
// each belongs to a face. The vertices have the same order as in the Soup. The faces have the same
// numbers as in the Soup, because faces of zero area and collapsed faces remain. The caller must
// not modify the slices.
type Mesh struct {
	Vertices []r3.Vector
	Faces    [][3]int32
	Bodies   []Body

	polygons   []Polygon // Soup.Polygons
	box        bvh.Box
	boundary   []Edge                         // the boundary chain, sorted by (A, B)
	edges      edgeTally                      // counts of undirected edges
	flaws      *edgeFlaws                     // defects at edges; nil if there are none
	later      func() (edgeTally, *edgeFlaws) // replaces edges and flaws; see examineLater
	degenerate []int32                        // faces of exactly zero area, including collapsed faces, in ascending order
}

// NumFaces returns the number of faces, including faces of zero area.
func (m *Mesh) NumFaces() int { return len(m.Faces) }

// Box returns the smallest box that contains all vertices. The box of a mesh without faces is
// empty.
func (m *Mesh) Box() bvh.Box { return m.box }

// Triangle returns the corners of face f. It panics if f is out of range.
func (m *Mesh) Triangle(f int32) Triangle {
	t := m.Faces[f]
	return Triangle{m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]]}
}

// Boundary returns the boundary chain of all faces, sorted by (A, B). It contains the directed
// edges whose copies do not cancel. A face of zero area counts, unless it lost a corner to welding.
// The caller must not modify the slice.
func (m *Mesh) Boundary() []Edge { return m.boundary }

// Closed reports whether the boundary chain is empty. If it is, the winding number is an integer at
// every point that is not on the surface. This is true even with non-manifold edges, overlaps,
// nested bodies and self-crossings.
func (m *Mesh) Closed() bool { return len(m.boundary) == 0 }

// MisorientedEdges returns the number of edges that are sides of exactly two triangles and have the
// same direction in both. New has counted them.
func (m *Mesh) MisorientedEdges() int {
	edges, _ := m.edgeFacts()
	return edges.misoriented
}

// EvenEdges reports whether every undirected edge belongs to an even number of faces. If so, all
// rays from a point have the same parity of crossings (Muth, Of, Eberhard, Steinbach 2006, §2.2).
func (m *Mesh) EvenEdges() bool {
	edges, _ := m.edgeFacts()
	return edges.odd == 0
}

// Degenerate returns the faces of exactly zero area in ascending order. They include the faces that
// lost a corner to welding, and triangles of polygons that have an area; see Defects.ZeroArea. The
// caller must not modify the slice.
func (m *Mesh) Degenerate() []int32 { return m.degenerate }

// GatherTo writes the corners of face order[i] to dst[i]. workers ≤ 0 means one for each processor.
// GatherTo panics if the slices differ in length, or if a face is out of range. Errors: the error
// of ctx if ctx ends first.
func (m *Mesh) GatherTo(ctx context.Context, dst []Triangle, order []int32, workers int) error {
	if len(dst) != len(order) {
		panic("mesh: dst and order must have the same length")
	}
	return par.Blocks(ctx, len(order), blockSize, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = m.Triangle(order[i])
		}
	})
}

// Boxes returns the bounding box of every face, in face order.
func (m *Mesh) Boxes() []bvh.Box {
	out := make([]bvh.Box, len(m.Faces))
	mustNotFail(m.BoxesTo(context.Background(), out, 0))
	return out
}

// BoxesTo writes the bounding box of face f to dst[f]. workers ≤ 0 means one for each processor.
// BoxesTo panics if len(dst) is not the number of faces. Errors: the error of ctx if ctx ends
// first.
func (m *Mesh) BoxesTo(ctx context.Context, dst []bvh.Box, workers int) error {
	if len(dst) != len(m.Faces) {
		panic("mesh: dst must have one element for each face")
	}
	return par.Blocks(ctx, len(m.Faces), blockSize, workers, func(_, lo, hi int) {
		for f := lo; f < hi; f++ {
			t := m.Triangle(int32(f))
			dst[f] = bvh.Box{Min: t[0], Max: t[0]}.Add(t[1]).Add(t[2])
		}
	})
}

// Indexed is a mesh with a bounding volume hierarchy over its faces. It is the input of packages
// raycross and nearest. An Indexed is immutable and safe for concurrent use, so several searches
// can share it.
type Indexed struct {
	mesh *Mesh
	tree *bvh.Tree
	tris []Triangle
}

// Index builds the hierarchy over the bounding boxes of the faces of m. The result does not depend
// on opt.Workers. Index uses only the fields Vertices and Faces, so m can also be a Mesh literal
// that is not welded. A mesh without faces has an empty tree. Index takes O(n log n) time for n
// faces.
//
// Errors: ErrNil if m is nil; *bvh.BoxError if a coordinate is not finite, which does not happen
// for a mesh from New; the error of ctx if ctx ends first.
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

// Mesh returns the mesh over which x was built.
func (x *Indexed) Mesh() *Mesh { return x.mesh }

// Tree returns the hierarchy. Its box f is the bounding box of face f.
func (x *Indexed) Tree() *bvh.Tree { return x.tree }

// Triangles returns the corners of the faces in the order of the leaves. Triangle i is the face
// with the number Tree().Index()[i]. The caller must not modify the slice.
func (x *Indexed) Triangles() []Triangle { return x.tris }

// BodyNames returns a name for each body of m, followed by the name "rest" for the faces outside
// all bodies. BodyNames replaces empty and equal names as UniqueNames does. If a single body has
// all faces, BodyNames returns only the name of this body, unchanged.
func (m *Mesh) BodyNames() []string {
	if len(m.Bodies) == 1 && int(m.Bodies[0].Count) == m.NumFaces() {
		return []string{m.Bodies[0].Name}
	}
	names := make([]string, len(m.Bodies)+1)
	for i, b := range m.Bodies {
		names[i] = b.Name
	}
	names[len(m.Bodies)] = "rest"
	return UniqueNames(names)
}

// UniqueNames returns a copy of the given names without empty or equal names. The empty name at
// index i becomes BodyName(i). The first of several equal names does not change. The other ones get
// the suffixes _2, _3 and so on.
func UniqueNames(names []string) []string {
	unique := make([]string, len(names))
	taken := map[string]bool{}
	var again []int
	for i, name := range names {
		if unique[i] = name; name == "" || taken[name] {
			again = append(again, i)
		} else {
			taken[name] = true
		}
	}
	next := map[string]int{} // for each name, the number in its last suffix
	for _, i := range again {
		base := unique[i]
		if base == "" {
			base = BodyName(i)
			unique[i] = base
		}
		for taken[unique[i]] {
			next[base] = max(2, next[base]+1)
			unique[i] = fmt.Sprintf("%s_%d", base, next[base])
		}
		taken[unique[i]] = true
	}
	return unique
}

// BodyName returns the default name of body i, for a file without a name for this body.
func BodyName(i int) string { return fmt.Sprintf("body_%d", i+1) }
