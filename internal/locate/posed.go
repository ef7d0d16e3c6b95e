package locate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/nearest"
	"github.com/inpoly/inpoly/side"
)

// At returns the Set for the mesh of s, moved by p. It shares the Surface and all indexes with s. The
// points of its Locators are points of the world, and their answers are exact for the mesh that the
// exact pose moves. The error wraps motion.ErrInvalid.
func (s *Set) At(p motion.Pose) (*Set, error) {
	place, err := motion.Place(p)
	if err != nil {
		return nil, err
	}
	if largest := vec.MaxAbs(p.Translation); largest > mesh.MaxCoordinate {
		return nil, fmt.Errorf("%w: the translation has the coordinate %.3g, must be at most %.3g", motion.ErrInvalid, largest, mesh.MaxCoordinate)
	}
	if s.Place != nil {
		panic("locate: the set has a pose")
	}
	out := *s
	out.Place = place
	locator := func(base Locator, tolerance float64) *posed {
		l := &posed{
			base: base, winding: s.Winding, surface: s.Surface, place: place,
			rule: s.Surface.opt.Rule, box: s.Surface.mesh.Box(), tolerance: tolerance, epsilon: s.work.Epsilon,
		}
		l.closed = s.Surface.mesh.Closed()
		l.counts = l.closed || Parity(s.Surface.mesh, l.rule)
		return l
	}
	out.Exact = locator(s.Exact, 0)
	out.Winding = locator(s.Winding, 0)
	if out.Sides = out.Exact; s.work.Tolerance > 0 {
		out.Sides = locator(s.Exact, s.work.Tolerance)
	}
	return &out, nil
}

// posed is the Locator of a mesh with a pose. It rounds the position of a point in the frame of the
// mesh and asks the Locator base. This answer holds for the exact position if no face is within the
// radius of the rounded position, because the winding number of a closed mesh is constant there.
// Otherwise rational arithmetic finds the answer. See posedexact.go.
type posed struct {
	base, winding Locator // the Locator of the mesh, and the Locator for its winding numbers
	surface       *Surface
	place         *motion.Placement
	rule          side.Rule
	box           bvh.Box // of the mesh
	closed        bool    // the mesh is closed
	counts        bool    // counts of crossings decide sides: the mesh is closed, or their parity decides
	tolerance     float64
	epsilon       float64 // see precise; 0 if there is no limit
}

// posedMemories holds values of type *posedMemory.
var posedMemories = sync.Pool{New: func() any { return new(posedMemory) }}

// posedMemory is the working memory of a worker.
type posedMemory struct {
	point   motion.Point
	walk    bvh.BoxWalk
	nearest nearest.Scratch
	on      []int32 // the faces that contain the point: their positions in the order of the tree, ascending
	tris    []mesh.Triangle
	done    <-chan struct{} // if not nil, closing it ends the search for a point
}

func (l *posed) Side(p r3.Vector) side.Side {
	m := posedMemories.Get().(*posedMemory)
	defer posedMemories.Put(m)
	near, radius := l.place.Position(p)
	switch {
	case !vec.Finite(p):
		return side.Unknown
	case l.isBeyond(near, radius):
		return side.Outside
	case radius == 0 && l.tolerance == 0:
		return l.base.Side(near)
	}
	return l.side(p, near, radius, m, func() side.Side { return l.base.Side(near) })
}

// isBeyond reports whether a point with the rounded position near is certainly Outside, because of the
// box of the mesh or because the position overflows. In the second case the point is at least 2^1022
// away from the mesh, whose coordinates are at most mesh.MaxCoordinate.
func (l *posed) isBeyond(near r3.Vector, radius float64) bool {
	if !vec.Finite(near) {
		return true
	}
	// Twice the sum covers the rounding of the box.
	d := 2 * (radius + l.tolerance)
	return l.counts && !grownBox(l.box, d).Contains(near)
}

func grownBox(b bvh.Box, d float64) bvh.Box {
	if b.Empty() {
		return b
	}
	v := r3.Vector{X: d, Y: d, Z: d}
	return bvh.Box{Min: b.Min.Sub(v), Max: b.Max.Add(v)}
}

// side returns the side of a finite point p. base returns the side of its rounded position.
func (l *posed) side(p, near r3.Vector, radius float64, m *posedMemory, base func() side.Side) side.Side {
	x := &m.point
	l.place.Exact(x, p)
	if l.tolerance > 0 {
		if l.within(x, m) {
			return side.OnSurface
		}
		if radius == 0 {
			return base()
		}
	}
	on, close := l.local(x, m)
	switch {
	case on:
		return side.OnSurface
	case close:
		return l.exactSide(x, m)
	case l.counts:
		return base()
	}
	w, bound := l.winding.Winding(near)
	if s, ok := l.rule.Decide(w, bound+l.drift(near, radius)); ok {
		return s
	}
	return l.exactSide(x, m)
}

func (l *posed) Winding(p r3.Vector) (w, bound float64) {
	near, radius := l.place.Position(p)
	switch {
	case !vec.Finite(p):
		return math.NaN(), math.Inf(1)
	case !vec.Finite(near) && !l.closed:
		// A triangle of area A < 2^2003 at a distance of 2^1022 has a winding number of at most
		// A/(4π·2^2044), and there are fewer than 2^30 triangles.
		return 0, 0x1p-12
	case l.closed && l.isBeyond(near, radius):
		return 0, 0
	case radius == 0:
		return l.base.Winding(near)
	}
	m := posedMemories.Get().(*posedMemory)
	defer posedMemories.Put(m)
	return l.windingAt(p, near, radius, m, func() (w, bound float64) { return l.base.Winding(near) })
}

// windingAt returns the winding number of a finite point p. base returns the winding number of its
// rounded position.
func (l *posed) windingAt(p, near r3.Vector, radius float64, m *posedMemory, base func() (w, bound float64)) (w, bound float64) {
	x := &m.point
	l.place.Exact(x, p)
	if on, close := l.local(x, m); on || close {
		return l.exactWinding(x, m)
	}
	if w, bound = base(); l.closed {
		return w, bound
	}
	drift := l.drift(near, radius)
	total := (bound + drift) * (1 + 0x1p-50)
	if l.epsilon > 0 && !(total <= l.epsilon) || drift > max(bound, coarseDrift) {
		return l.exactWinding(x, m)
	}
	return w, total
}

// coarseDrift is the largest drift that a winding number can have if its own bound is smaller. A larger
// drift means that the point is very close to the boundary, and the exact position gives a better
// bound (tuning).
const coarseDrift = 0x1p-30

// drift bounds the difference of the winding numbers of an open mesh at near and at any point within
// radius, if there are no faces between the points. It is +Inf if an edge of the boundary can be that
// close.
//
// By the law of Biot and Savart, an edge at the distance r from a point contributes at most min(2/r,
// length/r²)/4π to the gradient of W: the integral of |dl×r|/r³ over a half line that begins at its
// nearest point is at most 1/r. The factor 1.01 covers rounding.
func (l *posed) drift(near r3.Vector, radius float64) float64 {
	d, face := l.surface.MustIndex().Nearest.Distance(near)
	if face < 0 {
		return 0
	}
	if d = d*0.99 - radius; !(d > 0) {
		return math.Inf(1)
	}
	b := l.surface.boundary()
	if drift := 1.01 / (4 * math.Pi) * radius * min(2*b.edges/d, b.length/d/d); drift >= 0 {
		return drift + 0x1p-1000
	}
	return math.Inf(1)
}

func (l *posed) Bytes() int64 { return l.base.Bytes() }

// LocateTo stores the positions of posedChunk points at a time, or of gridChunk points if the base uses
// cells. The positions for cells stay in the cache of the processor; other Locators profit from large
// batches (tuning).
const (
	posedChunk = 1 << 18
	gridChunk  = 1 << 15
)

// posedBatches holds values of type *posedBatch.
var posedBatches = sync.Pool{New: func() any { return new(posedBatch) }}

// posedBatch is the working memory of a batch.
type posedBatch struct {
	positions []r3.Vector
	unsure    []bool
	sides     []side.Side
}

func (l *posed) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (stats side.Stats, err error) {
	dst.Check(len(pts))
	dst.Clear()
	if len(pts) == 0 {
		return stats, ctx.Err()
	}
	base, err := Settled(ctx, l.base, pts, workers)
	if err != nil {
		return stats, err
	}
	b := posedBatches.Get().(*posedBatch)
	defer posedBatches.Put(b)
	size := posedChunk
	if l.gridOf(base) != nil {
		size = gridChunk
	}
	for lo := 0; lo < len(pts); lo += size {
		hi := min(len(pts), lo+size)
		part := dst.Slice(lo, hi)
		more, err := l.chunk(ctx, b, base, part, pts[lo:hi], workers)
		stats.Add(more)
		if err != nil {
			part.Clear()
			return stats, err
		}
	}
	return stats, nil
}

// chunk does the work of LocateTo for at most posedChunk points.
func (l *posed) chunk(ctx context.Context, b *posedBatch, base Locator, dst side.Answers, pts []r3.Vector, workers int) (stats side.Stats, err error) {
	n := len(pts)
	b.positions, b.unsure = resize(b.positions, n), resize(b.unsure, n)
	const block = 1 << 13 // tuning
	if err := par.Blocks(ctx, n, block, workers, func(_, lo, hi int) {
		l.place.PositionsTo(b.positions[lo:hi], pts[lo:hi])
	}); err != nil {
		return stats, err
	}
	if dst.Sides != nil {
		stats, err = l.certainSidesTo(ctx, b, base, dst.Sides, workers)
		if err == nil && slices.Contains(b.unsure, true) {
			err = l.eachBlock(ctx, n, workers, &stats, func(lo, hi int, m *posedMemory) {
				for i := lo; i < hi; i++ {
					if b.unsure[i] {
						dst.Sides[i] = l.sideAgain(pts[i], dst.Sides[i], m)
					}
				}
			})
		}
		stats.Undecided = 0
		for _, s := range dst.Sides {
			if s == side.Unknown {
				stats.Undecided++
			}
		}
	}
	if dst.Winding == nil || err != nil {
		return stats, err
	}
	if dst.Sides == nil && l.closed { // winding numbers are constant where sides are certain
		b.sides = resize(b.sides, n)
		if _, err := l.certainSidesTo(ctx, b, base, b.sides, workers); err != nil {
			return stats, err
		}
	}
	more, err := base.LocateTo(ctx, side.Answers{Winding: dst.Winding, Bound: dst.Bound}, b.positions, workers)
	if err != nil {
		return stats, err
	}
	err = l.eachBlock(ctx, n, workers, &more, func(lo, hi int, m *posedMemory) {
		for i := lo; i < hi; i++ {
			if !l.closed || b.unsure[i] {
				dst.Winding[i], dst.Bound[i] = l.windingAgain(pts[i], dst.Winding[i], dst.Bound[i], m)
			}
		}
	})
	if dst.Sides == nil {
		stats = more
	}
	return stats, err
}

// certainSidesTo writes the sides of the rounded positions to dst, and sets b.unsure for the points
// whose exact positions can have another side.
func (l *posed) certainSidesTo(ctx context.Context, b *posedBatch, base Locator, dst []side.Side, workers int) (side.Stats, error) {
	if x := l.gridOf(base); x != nil && l.tolerance == 0 {
		return x.CertainSidesTo(ctx, dst, b.unsure, motion.Radius(2*x.Reach()), b.positions, workers)
	}
	for i := range b.unsure {
		b.unsure[i] = true
	}
	return base.LocateTo(ctx, side.Answers{Sides: dst}, b.positions, workers)
}

// gridOf returns the cells of a Locator, or nil if it uses no cells.
func (l *posed) gridOf(base Locator) *cells.Index {
	if p, ok := base.(*precise); ok {
		base = p.Locator
	}
	if g, ok := base.(grid); ok {
		return g.index
	}
	return nil
}

// eachBlock calls work(lo, hi, m) for blocks of n points, with the memory m of a worker. It adds the work
// of exact signs to stats.
func (l *posed) eachBlock(ctx context.Context, n, workers int, stats *side.Stats, work func(lo, hi int, m *posedMemory)) error {
	workers = par.Workers(workers)
	const block = 1 << 10                           // tuning
	if _, err := l.surface.Index(ctx); err != nil { // builds the tree, unless ctx ends
		return err
	}
	memories := make([]*posedMemory, min(workers, (n+block-1)/block))
	for i := range memories {
		memories[i] = posedMemories.Get().(*posedMemory)
		memories[i].point.Integers = 0
		memories[i].done = ctx.Done()
	}
	err := par.Blocks(ctx, n, block, workers, func(worker, lo, hi int) {
		work(lo, hi, memories[worker])
	})
	for _, m := range memories {
		stats.Exact += m.point.Integers
		m.done = nil
		posedMemories.Put(m)
	}
	return err
}

// sideAgain returns the side of p. The rounded position of p has the side rounded.
func (l *posed) sideAgain(p r3.Vector, rounded side.Side, m *posedMemory) side.Side {
	near, radius := l.place.Position(p)
	switch {
	case !vec.Finite(p):
		return side.Unknown
	case l.isBeyond(near, radius):
		return side.Outside
	case radius == 0 && l.tolerance == 0:
		return rounded
	}
	return l.side(p, near, radius, m, func() side.Side { return rounded })
}

// windingAgain returns the winding number of p. The rounded position of p has the winding number w.
func (l *posed) windingAgain(p r3.Vector, w, bound float64, m *posedMemory) (float64, float64) {
	near, radius := l.place.Position(p)
	if radius == 0 || !vec.Finite(p) || !vec.Finite(near) || l.closed && l.isBeyond(near, radius) {
		if radius == 0 {
			return w, bound
		}
		return l.Winding(p)
	}
	return l.windingAt(p, near, radius, m, func() (float64, float64) { return w, bound })
}
