package weld

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// Soup holds triangles before welding.
type Soup interface {
	// Len returns the number of triangles.
	Len() int
	// Weld welds the triangles. It can be called only once. Errors: ErrTooMany; the error of ctx.
	Weld(ctx context.Context, workers int) (Mesh, error)
}

// Mesh has triangles that are welded. Each vertex belongs to a triangle.
type Mesh struct {
	Vertices []r3.Vector // pairwise different, in the order of first occurrence in Faces
	Faces    [][3]int32
}

// Triangles is a Soup of triangles that share no points, in chunks.
type Triangles[P Point] struct {
	faces  [][3]int32 // indices of kept points of the chunk of the triangle
	ends   []int      // for each chunk, the end of its triangles
	chunks []Chunk[P]
	bits   int
}

// NewTriangles returns a list of triangles. Chunk c has the triangles ends[c−1] to ends[c]−1. The
// caller must set the Faces and call Fill for each chunk. partitionBits is the argument of
// Filter.Take. NewTriangles allocates 12 bytes for each triangle.
func NewTriangles[P Point](ends []int, partitionBits int) *Triangles[P] {
	n := 0
	if len(ends) > 0 {
		n = ends[len(ends)-1]
	}
	return &Triangles[P]{faces: make([][3]int32, n), ends: ends, chunks: make([]Chunk[P], len(ends)), bits: partitionBits}
}

// Len returns the number of triangles.
func (t *Triangles[P]) Len() int { return len(t.faces) }

// Faces returns the triangles of a chunk. The elements of a triangle are indices of points that the
// Filter of the chunk has kept.
func (t *Triangles[P]) Faces(chunk int) [][3]int32 {
	from := 0
	if chunk > 0 {
		from = t.ends[chunk-1]
	}
	return t.faces[from:t.ends[chunk]]
}

// Fill sets the points of a chunk. Each point must belong to a triangle of the chunk. Fill can be
// called for several chunks at the same time.
func (t *Triangles[P]) Fill(chunk int, points Chunk[P]) { t.chunks[chunk] = points }

// Weld implements Soup.
func (t *Triangles[P]) Weld(ctx context.Context, workers int) (Mesh, error) {
	merged, err := Merge(ctx, t.chunks, t.bits, workers)
	if err != nil {
		return Mesh{}, err
	}
	buffers := make([][]int32, par.Workers(workers))
	err = par.Blocks(ctx, len(t.ends), 1, workers, func(w, c, _ int) {
		buffers[w] = merged.Numbers(c, buffers[w])
		numbers, faces := buffers[w], t.Faces(c)
		for i, f := range faces {
			faces[i] = [3]int32{numbers[f[0]], numbers[f[1]], numbers[f[2]]}
		}
	})
	return Mesh{Vertices: merged.Vertices, Faces: t.faces}, err
}
