package locate

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// At returns the Set for the mesh of s at the pose p. It shares the Surface and all indexes with s.
// The Locators of the result take points in the world. The answers are exact for the mesh that the
// exact pose moves.
//
// Errors: an error that wraps motion.ErrInvalid.
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
	at := &posing{place: place, windings: s.Winding, rule: s.Surface.opt.Rule, box: s.Surface.mesh.Box(), closed: s.Surface.mesh.Closed()}
	at.counts = at.closed || Parity(s.Surface.mesh, at.rule)
	posed := func(s *Stage) *Stage {
		moved := *s
		moved.pose = at
		return newStage(moved)
	}
	out.Exact, out.Winding = posed(s.Exact), posed(s.Winding)
	if out.Sides = out.Exact; s.Sides != s.Exact {
		out.Sides = posed(s.Sides)
	}
	return &out, nil
}

// posing is the pose of a Stage. Its methods round the position of a point in the frame of the
// mesh, and query the Locator at the rounded position. If no face is within the radius of this
// position, the answer holds for the exact position, because the winding number of a closed mesh is
// constant there. Otherwise rational arithmetic finds the answer; see posedexact.go.
type posing struct {
	place    *motion.Placement
	windings *Stage // for the winding numbers of an open mesh in its frame
	rule     side.Rule
	box      bvh.Box // of the mesh
	closed   bool    // the mesh is closed
	counts   bool    // counts of crossings decide sides: the mesh is closed, or their parity decides
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

func (s *Stage) posedSide(p r3.Vector) side.Side {
	m := posedMemories.Get().(*posedMemory)
	defer posedMemories.Put(m)
	near, radius := s.pose.place.Position(p)
	switch {
	case !vec.Finite(p):
		return side.Unknown
	case s.isBeyond(near, radius):
		return side.Outside
	case radius == 0 && s.tolerance == 0:
		return s.frameSide(near)
	}
	return s.nearSide(p, near, radius, m, func() side.Side { return s.frameSide(near) })
}

// isBeyond reports whether the point with the rounded position near is certainly Outside. The
// result is true if near is outside of the box of the mesh by more than radius, or if the position
// overflows. After an overflow, the point is at least 2^1022 away from the mesh, whose coordinates
// are at most mesh.MaxCoordinate.
func (s *Stage) isBeyond(near r3.Vector, radius float64) bool {
	if !vec.Finite(near) {
		return true
	}
	// The factor 2 covers the rounding of the box.
	d := 2 * (radius + s.tolerance)
	return s.pose.counts && !grownBox(s.pose.box, d).Contains(near)
}

func grownBox(b bvh.Box, d float64) bvh.Box {
	if b.Empty() {
		return b
	}
	v := r3.Vector{X: d, Y: d, Z: d}
	return bvh.Box{Min: b.Min.Sub(v), Max: b.Max.Add(v)}
}

// nearSide returns the side of a finite point p, whose rounded position is near. base returns the
// side of near.
func (s *Stage) nearSide(p, near r3.Vector, radius float64, m *posedMemory, base func() side.Side) side.Side {
	x := &m.point
	s.pose.place.Exact(x, p)
	if s.tolerance > 0 {
		if s.posedWithin(x, m) {
			return side.OnSurface
		}
		if radius == 0 {
			return base()
		}
	}
	on, close := s.local(x, m)
	switch {
	case on:
		return side.OnSurface
	case close:
		return s.exactSide(x, m)
	case s.pose.counts:
		return base()
	}
	w, bound := s.pose.windings.frameWinding(near)
	if d, ok := s.pose.rule.Decide(w, bound+s.drift(near, radius)); ok {
		return d
	}
	return s.exactSide(x, m)
}

func (s *Stage) posedWinding(p r3.Vector) (w, bound float64) {
	near, radius := s.pose.place.Position(p)
	switch {
	case !vec.Finite(p):
		return math.NaN(), math.Inf(1)
	case !vec.Finite(near) && !s.pose.closed:
		// A triangle has an area A < 2^2003. At a distance of 2^1022, its winding number is at most
		// A/(4π·2^2044), and there are fewer than 2^30 triangles.
		return 0, 0x1p-12
	case s.pose.closed && s.isBeyond(near, radius):
		return 0, 0
	case radius == 0:
		return s.frameWinding(near)
	}
	m := posedMemories.Get().(*posedMemory)
	defer posedMemories.Put(m)
	return s.nearWinding(p, near, radius, m, func() (w, bound float64) { return s.frameWinding(near) })
}

// nearWinding returns the winding number of a finite point p, whose rounded position is near. base
// returns the winding number of near.
func (s *Stage) nearWinding(p, near r3.Vector, radius float64, m *posedMemory, base func() (w, bound float64)) (w, bound float64) {
	x := &m.point
	s.pose.place.Exact(x, p)
	if on, close := s.local(x, m); on || close {
		return s.exactWinding(x, m)
	}
	if w, bound = base(); s.pose.closed {
		return w, bound
	}
	drift := s.drift(near, radius)
	total := (bound + drift) * (1 + 0x1p-50)
	if s.epsilon > 0 && !(total <= s.epsilon) || drift > max(bound, coarseDrift) {
		return s.exactWinding(x, m)
	}
	return w, total
}

// coarseDrift limits the drift of a winding number. If the drift exceeds coarseDrift and the bound
// of the winding number, the point is very close to the boundary, and the exact position gives a
// better bound (tuning).
const coarseDrift = 0x1p-30

// drift bounds how much the winding number of an open mesh changes between near and any point
// within radius. No face may lie between the points. drift is +Inf if an edge of the boundary can
// be within radius.
//
// By the law of Biot and Savart, an edge of the given length at distance r from a point contributes
// at most min(2/r, length/r²)/4π to the gradient of W: the integral of |dl×r|/r³ over a half line
// that begins at its point nearest to the origin is at most 1/r. The factor 1.01 covers rounding.
func (s *Stage) drift(near r3.Vector, radius float64) float64 {
	d, face := s.surface.MustIndex().Nearest.Distance(near)
	if face < 0 {
		return 0
	}
	if d = d*0.99 - radius; !(d > 0) {
		return math.Inf(1)
	}
	b := s.surface.boundary()
	if drift := 1.01 / (4 * math.Pi) * radius * min(2*b.edges/d, b.length/d/d); drift >= 0 {
		return drift + 0x1p-1000
	}
	return math.Inf(1)
}

// LocateTo stores the rounded positions of posedChunk points at a time. If the base uses cells, it
// stores gridChunk positions, which stay in the cache of the processor. Other Locators profit from
// large batches (tuning).
const (
	posedChunk = 1 << 18
	gridChunk  = 1 << 13
)

// posedBatches holds values of type *posedBatch.
var posedBatches = sync.Pool{New: func() any { return new(posedBatch) }}

// posedBatch is the working memory of a batch.
type posedBatch struct {
	positions []r3.Vector
	unsure    []byte // 1 for the points whose exact positions can have another side; see cells.Index.CertainSidesTo
	sides     []side.Side
}

func (s *Stage) posedLocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (stats side.Stats, err error) {
	answers.Start(dst, len(pts))
	if len(pts) == 0 {
		return stats, ctx.Err()
	}
	base, err := s.settledLocator(ctx, pts, workers)
	if err != nil {
		return stats, err
	}
	b := posedBatches.Get().(*posedBatch)
	defer posedBatches.Put(b)
	size := posedChunk
	if cellsIn(base) != nil {
		size = gridChunk
	}
	for lo := 0; lo < len(pts); lo += size {
		hi := min(len(pts), lo+size)
		part := answers.Slice(dst, lo, hi)
		more, err := s.chunk(ctx, b, base, part, pts[lo:hi], workers)
		stats.Add(more)
		if err != nil {
			answers.Clear(part)
			return stats, err
		}
	}
	return stats, nil
}

// chunk does the work of LocateTo for at most posedChunk points.
func (s *Stage) chunk(ctx context.Context, b *posedBatch, base Locator, dst side.Answers, pts []r3.Vector, workers int) (stats side.Stats, err error) {
	n := len(pts)
	b.positions, b.unsure = resize(b.positions, n), resize(b.unsure, n)
	const block = 1 << 13 // tuning
	if err := par.Blocks(ctx, n, block, workers, func(_, lo, hi int) {
		s.pose.place.PositionsTo(b.positions[lo:hi], pts[lo:hi])
	}); err != nil {
		return stats, err
	}
	if dst.Sides != nil {
		stats, err = s.certainSidesTo(ctx, b, base, dst.Sides, workers)
		if err == nil && bytes.IndexByte(b.unsure, 1) >= 0 {
			var changed atomic.Int64 // the change of the number of undecided points
			err = s.eachBlock(ctx, n, workers, &stats, func(lo, hi int, m *posedMemory) {
				more := int64(0)
				for i := nextUnsure(b.unsure, lo, hi); i < hi; i = nextUnsure(b.unsure, i+1, hi) {
					before := dst.Sides[i]
					dst.Sides[i] = s.sideAgain(pts[i], before, m)
					more += undecided(dst.Sides[i]) - undecided(before)
				}
				changed.Add(more)
			})
			stats.Undecided += uint64(changed.Load())
		}
	}
	if dst.Winding == nil || err != nil {
		return stats, err
	}
	if dst.Sides == nil && s.pose.closed { // winding numbers are constant where sides are certain
		b.sides = resize(b.sides, n)
		if _, err := s.certainSidesTo(ctx, b, base, b.sides, workers); err != nil {
			return stats, err
		}
	}
	more, err := s.locateWith(ctx, base, side.Answers{Winding: dst.Winding, Bound: dst.Bound}, b.positions, workers)
	if err != nil {
		return stats, err
	}
	err = s.eachBlock(ctx, n, workers, &more, func(lo, hi int, m *posedMemory) {
		for i := lo; i < hi; i++ {
			if !s.pose.closed || b.unsure[i] == 1 {
				dst.Winding[i], dst.Bound[i] = s.windingAgain(pts[i], dst.Winding[i], dst.Bound[i], m)
			}
		}
	})
	if dst.Sides == nil {
		stats = more
	}
	return stats, err
}

// certainSidesTo writes the sides of the rounded positions to dst. It sets b.unsure for each point
// whose exact position can have another side.
func (s *Stage) certainSidesTo(ctx context.Context, b *posedBatch, base Locator, dst []side.Side, workers int) (side.Stats, error) {
	if x := cellsIn(base); x != nil && s.tolerance == 0 {
		return x.CertainSidesTo(ctx, dst, b.unsure, motion.Radius(2*x.Reach()), b.positions, workers)
	}
	for i := range b.unsure {
		b.unsure[i] = 1
	}
	return s.locateWith(ctx, base, side.Answers{Sides: dst}, b.positions, workers)
}

// nextUnsure returns the first i ≥ lo with unsure[i] = 1, or hi.
func nextUnsure(unsure []byte, lo, hi int) int {
	if k := bytes.IndexByte(unsure[lo:hi], 1); k >= 0 {
		return lo + k
	}
	return hi
}

// undecided returns 1 if d is Unknown, and otherwise 0.
func undecided(d side.Side) int64 {
	if d == side.Unknown {
		return 1
	}
	return 0
}

// eachBlock calls work(lo, hi, m) for blocks of n points, where m is the memory of the worker. It
// adds the counts of exact signs to stats.
func (s *Stage) eachBlock(ctx context.Context, n, workers int, stats *side.Stats, work func(lo, hi int, m *posedMemory)) error {
	workers = par.Workers(workers)
	const block = 1 << 10                           // tuning
	if _, err := s.surface.Index(ctx); err != nil { // builds the tree, unless ctx ends
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

// sideAgain returns the side of p by its exact position. rounded is the side of its rounded
// position.
func (s *Stage) sideAgain(p r3.Vector, rounded side.Side, m *posedMemory) side.Side {
	near, radius := s.pose.place.Position(p)
	switch {
	case !vec.Finite(p):
		return side.Unknown
	case s.isBeyond(near, radius):
		return side.Outside
	case radius == 0 && s.tolerance == 0:
		return rounded
	}
	return s.nearSide(p, near, radius, m, func() side.Side { return rounded })
}

// windingAgain returns the winding number of p by its exact position, if necessary. w and bound are
// the winding number of its rounded position and the error bound.
func (s *Stage) windingAgain(p r3.Vector, w, bound float64, m *posedMemory) (float64, float64) {
	near, radius := s.pose.place.Position(p)
	if radius == 0 || !vec.Finite(p) || !vec.Finite(near) || s.pose.closed && s.isBeyond(near, radius) {
		if radius == 0 {
			return w, bound
		}
		return s.posedWinding(p)
	}
	return s.nearWinding(p, near, radius, m, func() (float64, float64) { return w, bound })
}
