package mesh

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
)

// MaxFaces is the largest number of faces of a Mesh. Half-edges are numbered
// 3f+k, and that number must leave the top bit of a uint32 free.
const MaxFaces = (1<<31 - 1) / 3

// MaxCoordinate is the largest absolute value of a coordinate that every method of this
// module accepts; see package raycross for its derivation.
const MaxCoordinate = 0x1p1000

var (
	// ErrIndex is wrapped by the error of New for a face or body that points
	// outside its array.
	ErrIndex = errors.New("index out of range")
	// ErrNotFinite is wrapped by the error of New for a NaN or infinite
	// coordinate.
	ErrNotFinite = errors.New("coordinate is not finite")
	// ErrTooLarge reports more than MaxFaces faces, more than 2³¹−1 vertices, or a
	// coordinate beyond MaxCoordinate.
	ErrTooLarge = errors.New("too large")
)

// Options tunes New. The zero value is good.
type Options struct {
	// Workers is the number of goroutines; 0 means one for each processor. The
	// mesh does not depend on it.
	Workers int
}

// New welds s and computes its boundary chain, its zero-area faces and its box.
// It takes ownership of the slices of s and overwrites them.
//
// Corners with bit-identical coordinates (−0 = +0) become one vertex; vertices
// that no face uses are dropped, whatever they hold. Nothing else is changed:
// faces that lose a corner stay, as faces of zero area. A face index out of
// range, a used vertex that is not finite and a body outside the faces are
// errors that name the face, vertex or body; they wrap ErrIndex or
// ErrNotFinite. A soup without faces gives an empty mesh.
//
// Time and memory are linear in the size of s, save where very many edges meet
// in one vertex: their order costs a logarithm more.
func New(s Soup, opt Options) (*Mesh, error) {
	return NewContext(context.Background(), s, opt)
}

// NewContext is New, and returns the error of ctx if that ends first; s must not
// be used any more then either.
func NewContext(ctx context.Context, s Soup, opt Options) (*Mesh, error) {
	if len(s.Faces) > MaxFaces || int64(len(s.Vertices)) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d faces, %d vertices", ErrTooLarge, len(s.Faces), len(s.Vertices))
	}
	if err := checkBodies(s.Bodies, len(s.Faces)); err != nil {
		return nil, err
	}
	used, err := markUsed(ctx, s.Faces, len(s.Vertices))
	if err != nil {
		return nil, err
	}
	if err := checkFinite(ctx, s.Vertices, used); err != nil {
		return nil, err
	}
	m := &Mesh{Faces: s.Faces, Bodies: s.Bodies}
	ids, err := weld(ctx, s.Vertices, used, opt.Workers, hashVertex)
	if err != nil {
		return nil, err
	}
	if m.Vertices, err = compact(ctx, s.Vertices, ids); err != nil {
		return nil, err
	}
	err = par.Blocks(ctx, len(m.Faces), blockSize, opt.Workers, func(_, lo, hi int) {
		for f := lo; f < hi; f++ {
			t := &m.Faces[f]
			t[0], t[1], t[2] = ids[t[0]], ids[t[1]], ids[t[2]]
		}
	})
	if err != nil {
		return nil, err
	}
	if err := m.finish(ctx, opt.Workers); err != nil {
		return nil, err
	}
	return m, nil
}

// finish computes everything that follows from Vertices and Faces.
func (m *Mesh) finish(ctx context.Context, workers int) (err error) {
	if m.box, err = boxOf(ctx, m.Vertices); err != nil {
		return err
	}
	if m.boundary, m.edges, err = tallyEdges(ctx, m.Faces, len(m.Vertices), workers); err != nil {
		return err
	}
	m.degenerate, err = zeroAreaFaces(ctx, m, workers)
	return err
}

// markUsed tells which of n vertices some face uses, and checks all indices.
func markUsed(ctx context.Context, faces [][3]int32, n int) ([]bool, error) {
	used := make([]bool, n)
	err := inOrder(ctx, len(faces), func(lo, hi int) error {
		for f, t := range faces[lo:hi] {
			for _, v := range t {
				if uint64(int64(v)) >= uint64(n) {
					return fmt.Errorf("face %d: %w: vertex %d of %d", lo+f, ErrIndex, v, n)
				}
				used[v] = true
			}
		}
		return nil
	})
	return used, err
}

// checkFinite reports the first used vertex that is not finite.
func checkFinite(ctx context.Context, vertices []r3.Vector, used []bool) error {
	return inOrder(ctx, len(vertices), func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if p := vertices[i]; used[i] && !vec.Finite(p) {
				return fmt.Errorf("vertex %d: %w: %v", i, ErrNotFinite, [3]float64{p.X, p.Y, p.Z})
			}
		}
		return nil
	})
}

// checkBodies reports the first body that is not a range of the faces.
func checkBodies(bodies []Body, faces int) error {
	for i, b := range bodies {
		if b.First < 0 || b.Count < 0 || int64(b.First)+int64(b.Count) > int64(faces) {
			return fmt.Errorf("body %d (%q): %w: faces %d to %d of %d",
				i, b.Name, ErrIndex, b.First, int64(b.First)+int64(b.Count), faces)
		}
	}
	return nil
}

// boxOf returns the smallest box around the points.
func boxOf(ctx context.Context, points []r3.Vector) (bvh.Box, error) {
	box := bvh.EmptyBox()
	err := inOrder(ctx, len(points), func(lo, hi int) error {
		b := box
		for _, p := range points[lo:hi] {
			b = b.Add(p)
		}
		box = b
		return nil
	})
	return box, err
}

// compact moves the first vertex of each identifier to its place and returns the
// welded vertices, in memory of their own size if that saves a quarter or more.
func compact(ctx context.Context, vertices []r3.Vector, ids []int32) ([]r3.Vector, error) {
	count := 0
	err := inOrder(ctx, len(ids), func(lo, hi int) error {
		n := count
		for i := lo; i < hi; i++ {
			if int(ids[i]) == n { // identifiers are given out in order of first occurrence
				vertices[n] = vertices[i]
				n++
			}
		}
		count = n
		return nil
	})
	if err != nil || count > cap(vertices)/4*3 {
		return vertices[:count:count], err
	}
	small := make([]r3.Vector, count)
	err = inOrder(ctx, count, func(lo, hi int) error {
		copy(small[lo:hi], vertices[lo:hi])
		return nil
	})
	return small, err
}
