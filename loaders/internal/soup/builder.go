package soup

import (
	"cmp"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/weld"
	"github.com/inpoly/inpoly/mesh"
)

// Builder collects the vertices, faces and bodies of a mesh within the memory budget. It is not
// safe for concurrent use.
type Builder struct {
	ctxDone func() error // returns the error of the context
	Budget  *Budget

	Polygons       int      // number of faces in the file
	StoredVertices int      // number of vertices in the file; 0 means the length of Vertices
	Notes          []string // documented in loaders.Info
	Vertices       []r3.Vector
	Faces          [][3]int32
	Chunked        bool      // the reader can store triangles that share no vertices in Triangles
	Triangles      weld.Soup // the triangles of the file, in place of Vertices and Faces; nil if there are none
	triangles      int       // number of triangles in Triangles before the end of the current body
	bodies         []mesh.Body
	ranges         []mesh.Polygon // polygons of several triangles
	ears           earClipper
	holes          holeJoiner
	visits         uint // number of visited corners of polygons
	droppedNotes   int  // number of notes beyond maxNotes

	CountNonPlanar bool // Finish adds a note with the number of polygons that are not exactly planar
	nonPlanar      int

	// numbers of concave, flat and self-crossing polygons, and of polygons with holes
	concave, flatFaces, crossing, withHoles int
}

// maxNotes bounds the length of Notes, because a file can have a defect in each line.
const maxNotes = 32

// Sizes of elements in bytes, for the budget.
const (
	VertexBytes = 24 // size of an r3.Vector
	FaceBytes   = 12 // size of a [3]int32
	bodyBytes   = 32 // size of a mesh.Body without its name
)

// NewBuilder returns an empty Builder with the budget of s.
func NewBuilder(s *Source) *Builder {
	return &Builder{ctxDone: s.ctx.Err, Budget: s.Budget}
}

// Err returns the error of the context.
func (b *Builder) Err() error { return b.ctxDone() }

// Grow makes room in s for n more elements. Each element has the given size in bytes. Grow reserves
// memory before it allocates. If the budget allows, s grows to at least 1.5 times its length.
// Otherwise s gets all memory that is left.
// Errors: ErrTooLarge.
func Grow[T any](mem *Budget, s *[]T, n int, size int64) error {
	old := *s
	if n <= cap(old)-len(old) {
		return nil
	}
	if n < 0 || n > math.MaxInt32-len(old) {
		return AtPath("", ErrTooLarge, "more than %d elements", math.MaxInt32)
	}
	room := max(len(old)+n, len(old)+len(old)/2, 64)
	if err := mem.Reserve(size * int64(room)); err != nil {
		// Growing by n at a time would copy the elements too often.
		if room = int(mem.left() / size); room < len(old)+n || mem.Reserve(size*int64(room)) != nil {
			return err
		}
	}
	*s = append(make([]T, 0, room), old...)
	mem.Release(size * int64(cap(old)))
	return nil
}

// GrowVertices makes room for n more vertices. The caller must have checked that the file is long
// enough for n vertices.
func (b *Builder) GrowVertices(n int) error { return Grow(b.Budget, &b.Vertices, n, VertexBytes) }

func (b *Builder) growFaces(n int) error { return Grow(b.Budget, &b.Faces, n, FaceBytes) }

// ExpectTriangles makes room for n more triangles.
func (b *Builder) ExpectTriangles(n int) error {
	if n > math.MaxInt32-len(b.Faces) {
		return AtPath("", ErrTooLarge, "more than %d triangles", math.MaxInt32)
	}
	return b.growFaces(n)
}

// GrowUnshared makes room for n triangles that share no vertices. The caller must know that the
// file contains these triangles. The caller then appends to Vertices and Faces without further
// checks.
func (b *Builder) GrowUnshared(n int) error {
	return cmp.Or(b.GrowVertices(3*n), b.growFaces(n))
}

// AppendUnshared appends triangles that share no vertices, with three corners for each triangle.
// The caller must have checked the vertices and called GrowUnshared.
func (b *Builder) AppendUnshared(corners []r3.Vector) {
	n := int32(len(b.Vertices))
	b.Vertices = append(b.Vertices, corners...)
	for range len(corners) / 3 {
		b.Faces = append(b.Faces, [3]int32{n, n + 1, n + 2})
		n += 3
	}
}

// ExpectChunked reserves the memory for n triangles of Triangles, without their points.
func (b *Builder) ExpectChunked(n int) error {
	if n > math.MaxInt32/3 {
		return AtPath("", ErrTooLarge, "%d triangles", n)
	}
	return b.Budget.Reserve(FaceBytes * int64(n))
}

// AddChunked adds n triangles of Triangles to the current body.
func (b *Builder) AddChunked(n int) { b.triangles += n }

// faces returns the number of faces so far.
func (b *Builder) faces() int { return len(b.Faces) + b.triangles }

// AddVertex appends a vertex and returns its index. Errors: ErrTooLarge and the errors that
// RangeError returns, without a position in the file.
func (b *Builder) AddVertex(v r3.Vector) (int32, error) {
	if !InRange(v) {
		return 0, RangeError(v)
	}
	if len(b.Vertices) == cap(b.Vertices) {
		if err := b.GrowVertices(1); err != nil {
			return 0, err
		}
	}
	b.Vertices = append(b.Vertices, v)
	return int32(len(b.Vertices) - 1), nil
}

// inRange reports whether i is the index of a vertex.
func (b *Builder) inRange(i int32) bool { return uint32(i) < uint32(len(b.Vertices)) }

// AddTriangle appends a triangle with the vertices i, j and k. Errors: ErrIndexRange and
// ErrTooLarge, both without a position in the file.
func (b *Builder) AddTriangle(i, j, k int32) error {
	if n := uint32(len(b.Vertices)); uint32(i) >= n || uint32(j) >= n || uint32(k) >= n {
		return ErrIndexRange
	}
	return b.AppendTriangle(i, j, k)
}

// AppendTriangle appends a triangle like AddTriangle. The caller must have checked the indices.
func (b *Builder) AppendTriangle(i, j, k int32) error {
	if len(b.Faces) == cap(b.Faces) {
		if err := b.growFaces(1); err != nil {
			return err
		}
	}
	b.Faces = append(b.Faces, [3]int32{i, j, k})
	return nil
}

// BeginBody begins a named body for the triangles that follow. A body without triangles is dropped.
func (b *Builder) BeginBody(name string) error { return b.BeginPart(name, false, 0) }

// BeginPart is like BeginBody. It also sets the fields Negative and Object of the mesh.Body.
func (b *Builder) BeginPart(name string, negative bool, object int32) error {
	b.closeBody()
	if err := cmp.Or(b.Budget.Reserve(int64(len(name))), Grow(b.Budget, &b.bodies, 1, bodyBytes)); err != nil {
		return err
	}
	b.bodies = append(b.bodies, mesh.Body{Name: name, First: int32(b.faces()), Negative: negative, Object: object})
	return nil
}

// closeBody ends the current body. Triangles before the first body become a body without a name.
func (b *Builder) closeBody() {
	n := int32(b.faces())
	if len(b.bodies) == 0 {
		if n > 0 {
			b.bodies = append(b.bodies, mesh.Body{First: 0, Count: n})
		}
		return
	}
	last := &b.bodies[len(b.bodies)-1]
	last.Count = n - last.First
	if last.Count == 0 {
		b.Budget.Release(int64(len(last.Name)))
		b.bodies = b.bodies[:len(b.bodies)-1]
	}
}

// Note adds a line to Notes. If Notes already has maxNotes lines, Note only increments
// droppedNotes.
func (b *Builder) Note(format string, args ...any) {
	if len(b.Notes) >= maxNotes {
		b.droppedNotes++
		return
	}
	b.Notes = append(b.Notes, plural.Sprintf(format, args...))
}

// NoteCount adds a note with the number n. It adds nothing if n is 0.
func (b *Builder) NoteCount(format string, n int) {
	if n > 0 {
		b.Note(format, n)
	}
}

// Finish returns the soup with all vertices, faces and bodies. The vertices and faces of Triangles
// are not in the soup. Errors: ErrNoTriangles.
func (b *Builder) Finish() (*mesh.Soup, error) {
	b.NoteCount("%d concave polygons were triangulated by ear clipping", b.concave)
	b.NoteCount("triangulated %d polygons with holes by ear clipping", b.withHoles)
	b.NoteCount("%d zero-area polygons were triangulated as fans", b.flatFaces)
	b.NoteCount("%d self-crossing polygons were partly triangulated as fans", b.crossing)
	b.NoteCount("%d polygons are not exactly planar: their triangles define the surface", b.nonPlanar)
	if b.droppedNotes > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("further notes left out: %d", b.droppedNotes))
	}
	if b.StoredVertices == 0 {
		b.StoredVertices = len(b.Vertices)
	}
	if b.Polygons == 0 {
		b.Polygons = b.faces()
	}
	if b.faces() == 0 {
		return nil, AtPath("", ErrNoTriangles, "%d vertices, no faces", b.StoredVertices).
			WithHint("points and lines have no inside; export the surface as faces")
	}
	b.closeBody()
	return &mesh.Soup{Vertices: b.Vertices, Faces: b.Faces, Bodies: b.bodies, Polygons: b.ranges}, nil
}

// Affine is the map p → M·p + T. The rows of the matrix M are X, Y and Z.
type Affine struct {
	X, Y, Z, T r3.Vector
	Mirror     bool // det M < 0: the map reverses the orientation of triangles
}

// Identity returns the map p → p.
func Identity() Affine {
	return Affine{X: r3.Vector{X: 1}, Y: r3.Vector{Y: 1}, Z: r3.Vector{Z: 1}}
}

// Apply returns M·p + T. The identity maps p to p, but −0 can become +0.
func (a *Affine) Apply(p r3.Vector) r3.Vector {
	return r3.Vector{X: dot(a.X, p) + a.T.X, Y: dot(a.Y, p) + a.T.Y, Z: dot(a.Z, p) + a.T.Z}
}

// dot returns the scalar product. The conversions force rounding of each product before the sum.
// Without them, a fused multiply-add could map a shared corner of two faces to two points.
func dot(m, p r3.Vector) float64 {
	return float64(m.X*p.X) + float64(m.Y*p.Y) + float64(m.Z*p.Z)
}

// After returns the map that first applies b and then a. It computes Mirror from a.Mirror and
// b.Mirror, because the sign of a rounded determinant could be wrong.
func (a *Affine) After(b *Affine) Affine {
	cx := r3.Vector{X: b.X.X, Y: b.Y.X, Z: b.Z.X} // columns of b
	cy := r3.Vector{X: b.X.Y, Y: b.Y.Y, Z: b.Z.Y}
	cz := r3.Vector{X: b.X.Z, Y: b.Y.Z, Z: b.Z.Z}
	return Affine{
		X:      r3.Vector{X: dot(a.X, cx), Y: dot(a.X, cy), Z: dot(a.X, cz)},
		Y:      r3.Vector{X: dot(a.Y, cx), Y: dot(a.Y, cy), Z: dot(a.Y, cz)},
		Z:      r3.Vector{X: dot(a.Z, cx), Y: dot(a.Z, cy), Z: dot(a.Z, cz)},
		T:      a.Apply(b.T),
		Mirror: a.Mirror != b.Mirror,
	}
}

// Mirrors reports whether the determinant of the matrix with the rows x, y and z is negative. The
// sign is computed exactly.
func Mirrors(x, y, z r3.Vector) bool {
	return predicates.Orient3D(x, y, z, r3.Vector{}) < 0
}
