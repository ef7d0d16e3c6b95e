package loaders

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// builder collects a soup within the budget. Not safe for concurrent use.
type builder struct {
	ctxDone func() error // ctx.Err
	mem     *budget

	Polygons       int      // faces as stored
	StoredVertices int      // vertices as stored; 0: all in Vertices
	Notes          []string // see loaders.Info
	verts          []r3.Vector
	faces          [][3]int32
	bodies         []mesh.Body
	ears           earClipper
	visits         uint // corners of polygons, see spend
	dropped        int  // notes beyond maxNotes

	concave, flatFaces, crossing int // polygons that were no plain fan
}

// maxNotes bounds Info.Notes: a file with a defect in each line stays readable.
const maxNotes = 32

const (
	vertexBytes = 24 // r3.Vector
	faceBytes   = 12 // [3]int32
	bodyBytes   = 24 // mesh.Body without its name
)

func newBuilder(s *source) *builder {
	return &builder{ctxDone: s.ctx.Err, mem: s.mem}
}

// extend returns s with room for n more elements of size bytes each, reserving
// the new array before it is made. The array grows at least by half.
func extend[T any](mem *budget, s []T, n int, size int64) ([]T, error) {
	if n <= cap(s)-len(s) {
		return s, nil
	}
	if n < 0 || n > math.MaxInt32-len(s) {
		return s, atPath("", ErrTooLarge, "more than %d elements", math.MaxInt32)
	}
	want := max(len(s)+n, len(s)+len(s)/2, 64)
	if err := mem.reserve(size * int64(want)); err != nil {
		if want = len(s) + n; mem.reserve(size*int64(want)) != nil {
			return s, err
		}
	}
	grown := make([]T, len(s), want)
	copy(grown, s)
	mem.release(size * int64(cap(s)))
	return grown, nil
}

// growVertices makes room for n more vertices; the caller has checked that the
// file can hold so many.
func (b *builder) growVertices(n int) (err error) {
	b.verts, err = extend(b.mem, b.verts, n, vertexBytes)
	return err
}

// growFaces makes room for n more triangles.
func (b *builder) growFaces(n int) (err error) {
	b.faces, err = extend(b.mem, b.faces, n, faceBytes)
	return err
}

// expectFaces makes room for n triangles that emit will append and that the file is
// known to have: the default budget grows with them at once.
func (b *builder) expectFaces(n int) error {
	if n > math.MaxInt32-len(b.faces) {
		return atPath("", ErrTooLarge, "more than %d triangles", math.MaxInt32)
	}
	b.mem.triangles.Add(int64(n))
	defer b.mem.triangles.Add(-int64(n)) // emit counts them
	return b.growFaces(n)
}

// vertex appends a vertex and returns its index. It fails like checkVertex; the caller
// adds the place.
func (b *builder) vertex(v r3.Vector) (int32, error) {
	if err := checkVertex(v); err != nil {
		return 0, err
	}
	if len(b.verts) == cap(b.verts) {
		if err := b.growVertices(1); err != nil {
			return 0, err
		}
	}
	b.verts = append(b.verts, v)
	return int32(len(b.verts) - 1), nil
}

// inRange reports whether i is the index of a vertex.
func (b *builder) inRange(i int64) bool { return i >= 0 && i < int64(len(b.verts)) }

// triangle appends a triangle. Corners must exist already: an index out of range
// gives ErrIndexRange, the caller adds the place.
func (b *builder) triangle(i, j, k int32) error {
	if n := uint32(len(b.verts)); uint32(i) >= n || uint32(j) >= n || uint32(k) >= n {
		return ErrIndexRange
	}
	return b.emit(i, j, k)
}

// emit appends a triangle whose corners were checked.
func (b *builder) emit(i, j, k int32) error {
	b.mem.triangles.Add(1)
	if len(b.faces) == cap(b.faces) {
		if err := b.growFaces(1); err != nil {
			return err
		}
	}
	b.faces = append(b.faces, [3]int32{i, j, k})
	return nil
}

// body begins a named body: the triangles that follow belong to it. Bodies
// without triangles vanish.
func (b *builder) body(name string) error {
	b.closeBody()
	if err := b.mem.reserve(bodyBytes + int64(len(name))); err != nil {
		return err
	}
	b.bodies = append(b.bodies, mesh.Body{Name: name, First: int32(len(b.faces))})
	return nil
}

// closeBody ends the current body, and gives triangles before the first one a
// body without a name.
func (b *builder) closeBody() {
	n := int32(len(b.faces))
	if len(b.bodies) == 0 {
		if n > 0 {
			b.bodies = append(b.bodies, mesh.Body{First: 0, Count: n})
		}
		return
	}
	last := &b.bodies[len(b.bodies)-1]
	last.Count = n - last.First
	if last.Count == 0 {
		b.mem.release(bodyBytes + int64(len(last.Name)))
		b.bodies = b.bodies[:len(b.bodies)-1]
	}
}

// note adds a line to Info.Notes.
func (b *builder) note(format string, args ...any) {
	if len(b.Notes) >= maxNotes {
		b.dropped++
		return
	}
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}

// finish returns the soup, or ErrNoTriangles.
func (b *builder) finish() (*mesh.Soup, error) {
	b.notePolygons()
	if b.dropped > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("further notes left out: %d", b.dropped))
	}
	if b.StoredVertices == 0 {
		b.StoredVertices = len(b.verts)
	}
	if b.Polygons == 0 {
		b.Polygons = len(b.faces)
	}
	if len(b.faces) == 0 {
		return nil, atPath("", ErrNoTriangles, "%d vertices, no faces", b.StoredVertices).
			withHint("points and lines have no inside; export the surface as faces")
	}
	b.closeBody()
	return &mesh.Soup{Vertices: b.verts, Faces: b.faces, Bodies: b.bodies}, nil
}

// notePolygons says how polygons were interpreted.
func (b *builder) notePolygons() {
	if b.concave > 0 {
		b.note("concave polygons ear-clipped: %d", b.concave)
	}
	if b.flatFaces > 0 {
		b.note("polygons without area triangulated as fans: %d", b.flatFaces)
	}
	if b.crossing > 0 {
		b.note("polygons that cross themselves triangulated in part as fans: %d", b.crossing)
	}
}
