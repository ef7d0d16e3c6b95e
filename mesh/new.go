package mesh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/internal/weld"
)

// MaxFaces is the largest number of faces of a Mesh. Side k of face f has the number 3f+k, which
// must not use the top bit of a uint32.
const MaxFaces = (1<<31 - 1) / 3

// MaxCoordinate is the largest |coordinate| of a vertex. The end of a ray can have coordinates of
// 16·MaxCoordinate. Differences of such coordinates must not overflow.
const MaxCoordinate = 0x1p1000

// The functions that construct meshes and indexes report these errors. errors.Is finds them. The
// messages name the vertex, face or body.
var (
	// ErrNil reports a nil mesh.
	ErrNil = errors.New("mesh is nil")
	// ErrIndex reports an index that is out of range: a face with a vertex that does not exist, or
	// a body with a face that does not exist.
	ErrIndex = errors.New("index out of range")
	// ErrLength reports a flat buffer whose length is not a multiple of 3.
	ErrLength = errors.New("length is not a multiple of 3")
	// ErrCount reports a list of coordinates whose length is not the number of vertices.
	ErrCount = errors.New("number of coordinates differs from the number of vertices")
	// ErrNotFinite reports a coordinate that is NaN or infinite.
	ErrNotFinite = errors.New("coordinate is not finite")
	// ErrTooLarge reports a |coordinate| above MaxCoordinate, more than MaxFaces faces, or more
	// than 2³¹−1 vertices.
	ErrTooLarge = errors.New("too large")
)

// Options configures New. The zero value is suitable for most uses.
type Options struct {
	// Workers is the number of goroutines. 0 means one for each processor. The mesh does not depend
	// on Workers.
	Workers int
}

// New returns the mesh of a copy of s. It welds the vertices and computes the boundary chain, the
// faces of zero area and the bounding box.
//
// Corners with equal coordinates (−0 = +0) become one vertex. Vertices that no face uses are
// dropped, even if they are not finite. Nothing else changes. A face that loses a corner remains as
// a face of zero area. A soup without faces gives an empty mesh.
//
// Time and memory are O(n) in the size of s. The time has a logarithmic factor if very many edges
// meet at one vertex.
//
// Errors: ErrTooLarge if there are too many faces or vertices, or if a vertex in use is beyond
// MaxCoordinate; ErrNotFinite if a vertex in use is not finite; ErrIndex if a face, a body or a
// polygon is out of range, or if polygons do not ascend; the error of ctx if ctx ends first.
func New(ctx context.Context, s Soup, opt Options) (*Mesh, error) {
	if err := checkCounts(len(s.Faces), len(s.Vertices)); err != nil {
		return nil, err
	}
	vertices, faces := make([]r3.Vector, len(s.Vertices)), make([][3]int32, len(s.Faces))
	if err := cmp.Or(copyBlocks(ctx, vertices, s.Vertices), copyBlocks(ctx, faces, s.Faces)); err != nil {
		return nil, err
	}
	return NewOwned(ctx, Soup{Vertices: vertices, Faces: faces, Bodies: slices.Clone(s.Bodies), Polygons: slices.Clone(s.Polygons)}, opt)
}

// NewOwned returns the mesh of s like New, but without a copy. It overwrites the slices of s. The
// caller must not use the slices again, even after an error.
func NewOwned(ctx context.Context, s Soup, opt Options) (*Mesh, error) {
	if err := cmp.Or(checkCounts(len(s.Faces), len(s.Vertices)), checkBodies(s.Bodies, len(s.Faces)), checkPolygons(s.Polygons, len(s.Faces))); err != nil {
		return nil, err
	}
	used, err := markUsed(ctx, s.Faces, len(s.Vertices))
	if err != nil {
		return nil, err
	}
	if err := checkCoordinates(ctx, s.Vertices, used, opt.Workers); err != nil {
		return nil, err
	}
	m := &Mesh{Faces: s.Faces, Bodies: s.Bodies, polygons: s.Polygons}
	if m.Vertices, err = weldVertices(ctx, s.Vertices, used, s.Faces, opt.Workers); err != nil {
		return nil, weldError(err)
	}
	if err := m.finish(ctx, opt.Workers); err != nil {
		return nil, err
	}
	return m, nil
}

// Weld returns the mesh of triangles like New. Other modules cannot call it, because package weld is
// internal. The points of the triangles must be finite and at most MaxCoordinate in magnitude.
// Errors: ErrTooLarge if there are too many triangles; ErrIndex if a body is out of range; the error
// of ctx if ctx ends first.
func Weld(ctx context.Context, triangles weld.Soup, bodies []Body, opt Options) (*Mesh, error) {
	n := triangles.Len()
	if err := cmp.Or(checkCounts(n, 0), checkBodies(bodies, n)); err != nil {
		return nil, err
	}
	welded, err := triangles.Weld(ctx, opt.Workers)
	if err != nil {
		return nil, weldError(err)
	}
	m := &Mesh{Vertices: welded.Vertices, Faces: welded.Faces, Bodies: bodies}
	if err := m.finish(ctx, opt.Workers); err != nil {
		return nil, err
	}
	return m, nil
}

// weldError returns err, which wraps ErrTooLarge if there are too many points.
func weldError(err error) error {
	if errors.Is(err, weld.ErrTooMany) {
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return err
}

// finish computes all fields of m that depend on Vertices and Faces.
func (m *Mesh) finish(ctx context.Context, workers int) (err error) {
	if m.box, err = boxOf(ctx, m.Vertices, workers); err != nil {
		return err
	}
	if err := m.examineEdges(ctx, workers); err != nil {
		return err
	}
	m.degenerate, err = zeroAreaFaces(ctx, m, workers)
	return err
}

// markUsed reports for each of the n vertices whether it belongs to a face.
func markUsed(ctx context.Context, faces [][3]int32, n int) ([]bool, error) {
	used := make([]bool, n)
	var bad error
	err := inOrder(ctx, len(faces), func(lo, hi int) {
		for f, t := range faces[lo:hi] {
			for _, v := range t {
				if uint64(int64(v)) >= uint64(n) {
					bad = cmp.Or(bad, indexError(lo+f, int64(v), n))
					return
				}
				used[v] = true
			}
		}
	})
	return used, cmp.Or(bad, err)
}

func indexError(f int, v int64, n int) error {
	return plural.Errorf("face %d: %w: vertex %d, but there are %d vertices", f, ErrIndex, v, n)
}

// checkCounts returns an error if there are too many faces or vertices for int32 indices.
func checkCounts(faces, vertices int) error {
	if faces > MaxFaces || int64(vertices) > math.MaxInt32 {
		return plural.Errorf("%w: the mesh has %d faces and %d vertices, more than int32 indices allow", ErrTooLarge, faces, vertices)
	}
	return nil
}

// checkCoordinates returns an error for the first vertex in use that is beyond MaxCoordinate or not
// finite.
func checkCoordinates(ctx context.Context, vertices []r3.Vector, used []bool, workers int) error {
	var bad atomic.Int64 // 1 + the smallest number of a bad vertex
	err := par.Blocks(ctx, len(vertices), blockFor(len(vertices), workers, blockSize), workers, func(_, lo, hi int) {
		for i, p := range vertices[lo:hi] {
			// The comparison with MaxCoordinate is false for NaN.
			if used[lo+i] && !(vec.MaxAbs(p) <= MaxCoordinate) {
				for old := bad.Load(); old == 0 || old > int64(lo+i+1); old = bad.Load() {
					if bad.CompareAndSwap(old, int64(lo+i+1)) {
						break
					}
				}
				return
			}
		}
	})
	if i := int(bad.Load()) - 1; i >= 0 && err == nil {
		return coordinateError(i, vertices[i])
	}
	return err
}

func coordinateError(i int, p r3.Vector) error {
	if !vec.Finite(p) {
		return fmt.Errorf("vertex %d: %w: %v", i, ErrNotFinite, [3]float64{p.X, p.Y, p.Z})
	}
	return fmt.Errorf("vertex %d: %w: coordinate %g exceeds %g: scale the mesh down", i, ErrTooLarge, vec.MaxAbs(p), MaxCoordinate)
}

// checkBodies returns an error for the first body with a face that does not exist.
func checkBodies(bodies []Body, faces int) error {
	for i, b := range bodies {
		if b.First < 0 || b.Count < 0 || int64(b.First)+int64(b.Count) > int64(faces) {
			return plural.Errorf("body %d (%q): %w: faces %d to %d, but there are %d faces",
				i, b.Name, ErrIndex, b.First, int64(b.First)+int64(b.Count), faces)
		}
	}
	return nil
}

// boxOf returns the smallest box that contains the points.
func boxOf(ctx context.Context, points []r3.Vector, workers int) (bvh.Box, error) {
	size := blockFor(len(points), workers, blockSize)
	boxes := make([]bvh.Box, (len(points)+size-1)/size)
	err := par.Blocks(ctx, len(points), size, workers, func(_, lo, hi int) {
		b := bvh.EmptyBox()
		for _, p := range points[lo:hi] {
			// Few points are on the boundary of the box of the points before them.
			if p.X <= b.Min.X || p.Y <= b.Min.Y || p.Z <= b.Min.Z || p.X >= b.Max.X || p.Y >= b.Max.Y || p.Z >= b.Max.Z {
				b = b.Add(p)
			}
		}
		boxes[lo/size] = b
	})
	box := bvh.EmptyBox()
	for _, b := range boxes {
		box = box.Union(b)
	}
	return box, err
}

// zeroAreaFaces returns the faces of exactly zero area, in ascending order.
func zeroAreaFaces(ctx context.Context, m *Mesh, workers int) ([]int32, error) {
	size := blockFor(len(m.Faces), workers, blockSize)
	found := make([][]int32, len(m.Faces)/size+1)
	err := par.Blocks(ctx, len(m.Faces), size, workers, func(_, lo, hi int) {
		c := lo / size
		for f, t := range m.Faces[lo:hi] {
			p, q, r := &m.Vertices[t[0]], &m.Vertices[t[1]], &m.Vertices[t[2]]
			if !surelyArea(p, q, r) && (collapsed(t) || predicates.ZeroArea(*p, *q, *r)) {
				found[c] = append(found[c], int32(lo+f))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var all []int32
	for _, part := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	return all, nil
}

// surelyArea returns true only if the projection of the triangle along some axis certainly has a
// nonzero area.
func surelyArea(p, q, r *r3.Vector) bool {
	ux, uy, vx, vy := q.X-p.X, q.Y-p.Y, r.X-p.X, r.Y-p.Y
	if surelyNonZero(ux, vy, uy, vx) {
		return true
	}
	uz, vz := q.Z-p.Z, r.Z-p.Z
	return surelyNonZero(uy, vz, uz, vy) || surelyNonZero(uz, vx, ux, vz)
}

// surelyNonZero reports whether ab − cd is certainly not zero. The arguments are differences of
// coordinates that were rounded once. The result refers to the exact differences. If the result is
// false, ab − cd can still be nonzero.
//
// The test is the filter of orient2d (Shewchuk 1997, §4.2). With ε = 2⁻⁵³, the error is at most
// (3+16ε)ε(|ab|+|cd|). The bound 2⁻⁵¹ = 4ε also covers the rounding of the sum and of the bound.
// Underflow of a product adds at most 2⁻¹⁰⁷⁵, which is negligible compared with a sum above 2⁻⁵⁰⁰.
// Overflow gives infinity or NaN, and the comparison is false.
func surelyNonZero(a, b, c, d float64) bool {
	l, r := float64(a*b), float64(c*d)
	sum := math.Abs(l) + math.Abs(r)
	return sum > 0x1p-500 && math.Abs(l-r) > float64(0x1p-51*sum)
}
