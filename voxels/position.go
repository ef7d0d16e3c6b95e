package voxels

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Position is the position of a closed box, or of another convex body, relative to a solid. The zero
// value is Unknown.
type Position uint8

// These are the positions. Each has the number of the Side with the same meaning.
const (
	// Unknown means that the position is not decided. One reason is a box that is empty or not
	// finite. The other reason is an open mesh: no face meets the box, but nothing proves that all
	// its points have the same side.
	Unknown Position = iota
	// Outside means that all points of the body are outside.
	Outside
	// Straddling means that a face meets the body. The face can also only touch the body, or be an
	// inner face with inside points on both sides.
	Straddling
	// Inside means that all points of the body are inside.
	Inside
)

var positionNames = [...]string{"uncertain", "outside", "straddling", "inside"}

// String returns "uncertain", "outside", "straddling" or "inside".
func (p Position) String() string {
	if int(p) < len(positionNames) {
		return positionNames[p]
	}
	return fmt.Sprintf("Position(%d)", uint8(p))
}

// convex is a body that is compared with triangles. Each worker has its own.
type convex interface {
	// set selects body i. It returns its bounding box, or false if the body is not valid.
	set(i int) (box bvh.Box, ok bool)
	// touches reports whether the body and a triangle share a point.
	touches(t *mesh.Triangle) bool
	// point returns a point of the body, and an upper bound of its distance to the other points.
	point() (p r3.Vector, reach float64)
}

// tuning
const (
	bodyChunk = 1 << 16 // number of bodies between two batches of points
	bodyBlock = 1 << 8  // number of bodies in a block of a worker
	// bodyFaces is the number of faces that are compared with a body between two checks of the context.
	bodyFaces = 1 << 12
)

// positions finds the positions of bodies.
type positions struct {
	set       *locate.Set
	boxes     []bvh.Box       // the bodies, if they are boxes
	cells     *cells.Index    // nil if the solid has no cells
	variation *fieldVariation // nil if sides change only at the surface
	margin    float64         // largest error of a vertex of variation
	workers   []positionWorker
}

type positionWorker struct {
	body    convex
	scratch cells.BoxScratch
	walk    bvh.BoxWalk
	later   []int32 // bodies that no face meets, and whose sides are not known yet
}

// positionsTo writes the positions of all bodies to dst. Each call of newBody returns bodies for one
// worker. If the bodies are boxes, positionsTo also gets the boxes.
func positionsTo(ctx context.Context, s inpoly.Target, dst []Position, boxes []bvh.Box, newBody func() convex) error {
	clear(dst)
	if len(dst) == 0 {
		return ctx.Err()
	}
	p, err := newPositions(ctx, s, len(dst))
	if err != nil {
		return err
	}
	p.boxes = boxes
	p.workers = make([]positionWorker, min(par.Workers(p.set.Workers), (len(dst)+bodyBlock-1)/bodyBlock))
	for i := range p.workers {
		p.workers[i].body = newBody()
	}
	return p.fill(ctx, dst)
}

// newPositions prepares the search for the positions of n bodies. It fails only with the error of ctx.
func newPositions(ctx context.Context, s inpoly.Target, n int) (*positions, error) {
	p := &positions{set: locate.Of(s)}
	var err error
	if p.cells, err = p.set.Exact.Cells(ctx, n, p.set.Workers); err != nil {
		return nil, err
	}
	at := s.Mesh().Vertices
	if p.set.Place != nil && !sidesChangeOnlyAtFaces(s.Mesh(), s.Report().Rule) {
		at, p.margin = movedVertices(p.set.Place, at)
	}
	if p.variation, err = newFieldVariation(ctx, s.Mesh(), at, s.Report().Rule); err != nil {
		return nil, err
	}
	return p, nil
}

// fill finds the positions of all bodies.
func (p *positions) fill(ctx context.Context, dst []Position) error {
	for lo := 0; lo < len(dst); lo += bodyChunk {
		if err := p.chunk(ctx, dst, lo, min(len(dst), lo+bodyChunk)); err != nil {
			clear(dst[lo:])
			return err
		}
	}
	return nil
}

// chunk finds the positions of the bodies from lo to hi−1.
func (p *positions) chunk(ctx context.Context, dst []Position, lo, hi int) error {
	for i := range p.workers {
		p.workers[i].later = p.workers[i].later[:0]
	}
	err := par.Blocks(ctx, hi-lo, bodyBlock, len(p.workers), func(worker, from, to int) {
		w := &p.workers[worker]
		for i := lo + from; i < lo+to && ctx.Err() == nil; i++ {
			var done bool
			if dst[i], done = p.position(ctx, w, i); !done {
				w.later = append(w.later, int32(i))
			}
		}
	})
	if err != nil {
		return err
	}
	for i := range p.workers {
		if err := p.untouched(ctx, dst, &p.workers[i]); err != nil {
			return err
		}
	}
	return nil
}

// position returns the position of body i. It returns false if no face meets the body and its side is
// not known yet, or if ctx ends.
func (p *positions) position(ctx context.Context, w *positionWorker, i int) (is Position, done bool) {
	if p.cells != nil && p.boxes != nil {
		if d, ok := p.cells.BoxSide(&p.boxes[i], &w.scratch); ok {
			return Position(d), true
		}
	}
	box, ok := w.body.set(i)
	if !ok {
		return Unknown, true
	}
	if p.cells != nil && p.boxes == nil {
		if d, ok := p.cells.BoxSide(&box, &w.scratch); ok && d != side.OnSurface {
			return Position(d), true
		}
	}
	index, err := p.set.Surface.Index(ctx)
	if err != nil {
		return Unknown, false
	}
	tris, tested := index.Tree.Triangles(), int32(0)
	w.walk.Start(index.Tree.Tree(), box)
	for first, count, ok := w.walk.Next(); ok; first, count, ok = w.walk.Next() {
		for k := first; k < first+count; k++ {
			if w.body.touches(&tris[k]) {
				return Straddling, true
			}
		}
		if tested += count; tested >= bodyFaces {
			if tested = 0; ctx.Err() != nil {
				return Unknown, false
			}
		}
	}
	return Unknown, false
}

// untouched finds the sides of the bodies that no face meets. All points of such a body have the same
// winding number, or on an open mesh winding numbers that differ little.
func (p *positions) untouched(ctx context.Context, dst []Position, w *positionWorker) error {
	n := len(w.later)
	if n == 0 {
		return nil
	}
	pts, reach := make([]r3.Vector, n), make([]float64, n)
	for k, i := range w.later {
		w.body.set(int(i))
		pts[k], reach[k] = w.body.point()
	}
	a := side.Answers{Sides: make([]side.Side, n)}
	stage := p.set.Exact
	if p.variation != nil {
		a.Winding, a.Bound = make([]float64, n), make([]float64, n)
		stage = p.set.Winding
	}
	if _, err := stage.LocateTo(ctx, a, pts, p.set.Workers); err != nil {
		return err
	}
	for k, i := range w.later {
		if p.variation == nil || p.variation.sameSide(pts[k], reach[k]+p.margin, a.Winding[k], a.Bound[k]) {
			dst[i] = Position(a.Sides[k])
		}
	}
	return nil
}
