package locate

import (
	"context"
	"math"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Stage answers queries of points for one target. It does the work that all Locators share:
//
//	pose       the position of the point in the frame of the mesh (posed.go)
//	tolerance  points near the surface are on it
//	upgrade    the Locator that is in use now
//	epsilon    winding numbers with larger bounds are computed again
//
// A Stage behaves like an immutable value and is safe for concurrent use.
type Stage struct {
	surface   *Surface
	locator   Locator                // nil if there is an upgrade
	upgrade   *lazy.Upgrade[Locator] // has the Locator that is in use; nil if it never changes
	tolerance float64
	epsilon   float64 // see sharpen; 0 if bounds have no limit
	pose      *posing // nil without a pose
	single    sider   // finds the side of one point; set by newStage
}

// sider is the part of a Locator that Stage.Side needs.
type sider interface {
	Side(p r3.Vector) side.Side
}

// newStage returns a copy of s that is ready for use. Without an upgrade, a tolerance and a pose, the Locator itself
// finds the side of one point, so that Stage.Side costs nothing.
func newStage(s Stage) *Stage {
	if s.single = s.locator; s.upgrade != nil || s.tolerance != 0 || s.pose != nil {
		s.single = (*layered)(&s)
	}
	return &s
}

// layered is a Stage with an upgrade, a tolerance or a pose.
type layered Stage

// current returns the Locator that is in use. It counts no work.
func (s *Stage) current() Locator {
	if s.upgrade != nil {
		return s.upgrade.Current()
	}
	return s.locator
}

// use counts n points and returns the Locator for them. If the points counted so far pay for a
// better Locator, one caller builds it, and the other callers wait. The error is the error of ctx.
func (s *Stage) use(ctx context.Context, n, workers int) (Locator, error) {
	if s.upgrade != nil {
		return s.upgrade.For(ctx, int64(n), workers)
	}
	return s.locator, nil
}

// batchLocator is a Locator with a method settled, which returns the Locator to use for all parts
// of a batch.
type batchLocator interface {
	settled(ctx context.Context, pts []r3.Vector, workers int) (Locator, error)
}

// settledLocator counts the points pts and returns the Locator for them. The caller divides the
// batch pts into parts, and all parts use this Locator. The error is the error of ctx.
func (s *Stage) settledLocator(ctx context.Context, pts []r3.Vector, workers int) (Locator, error) {
	l, err := s.use(ctx, len(pts), workers)
	if x, ok := l.(batchLocator); ok && err == nil {
		return x.settled(ctx, pts, workers)
	}
	if err == nil {
		err = ctx.Err()
	}
	return l, err
}

// Settled counts the points pts and returns a Stage for them. If the points pay for a better index,
// Settled builds it first. Other queries do not change the answers of this Stage. So a caller that
// divides a batch into parts gets the same answers in every run. The error is the error of ctx.
func (s *Stage) Settled(ctx context.Context, pts []r3.Vector, workers int) (*Stage, error) {
	l, err := s.settledLocator(ctx, pts, workers)
	settled := *s
	settled.locator, settled.upgrade = l, nil
	return newStage(settled), err
}

// Cells counts n points and returns the cells that s uses for them, or nil if s uses no cells. If
// the points pay for cells, Cells builds them first. The cells are in the frame of the mesh,
// without the pose, and ignore the tolerance. The error is the error of ctx.
func (s *Stage) Cells(ctx context.Context, n, workers int) (*cells.Index, error) {
	l, err := s.use(ctx, n, workers)
	if err != nil {
		return nil, err
	}
	return cellsIn(l), nil
}

// cellsIn returns the cells of l, or nil.
func cellsIn(l Locator) *cells.Index {
	if g, ok := l.(grid); ok {
		return g.index
	}
	return nil
}

// Side returns the side of p; see Locator.
func (s *Stage) Side(p r3.Vector) side.Side { return s.single.Side(p) }

func (l *layered) Side(p r3.Vector) side.Side {
	s := (*Stage)(l)
	if s.pose != nil {
		return s.posedSide(p)
	}
	if s.tolerance > 0 {
		var sc nearest.Scratch
		if s.surface.MustIndex().Nearest.Within(p, s.tolerance, &sc) {
			return side.OnSurface
		}
	}
	return s.frameSide(p)
}

// Winding returns the winding number of p and a bound of its error; see Locator. It does not count
// p, so a call never builds an index and never waits for one.
func (s *Stage) Winding(p r3.Vector) (w, bound float64) {
	if s.pose != nil {
		return s.posedWinding(p)
	}
	return s.frameWinding(p)
}

// LocateTo writes answers for pts to dst; see Locator.
func (s *Stage) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	switch {
	case s.pose == nil && s.tolerance == 0 && s.epsilon == 0 && s.upgrade == nil: // short, for batches of one point
		return s.locator.LocateTo(ctx, dst, pts, workers)
	case s.pose != nil:
		return s.posedLocateTo(ctx, dst, pts, workers)
	case s.tolerance > 0:
		return s.tolerantLocateTo(ctx, dst, pts, workers)
	}
	return s.frameLocateTo(ctx, dst, pts, workers)
}

// frameSide returns the side of a point in the frame of the mesh, without the tolerance.
func (s *Stage) frameSide(p r3.Vector) side.Side {
	l, _ := s.use(context.Background(), 1, 0) // the error is nil because this context never ends
	return l.Side(p)
}

// frameWinding returns the winding number of a point in the frame of the mesh.
func (s *Stage) frameWinding(p r3.Vector) (w, bound float64) {
	w, bound = s.current().Winding(p)
	if s.epsilon == 0 || bound <= s.epsilon || !vec.Finite(p) {
		return w, bound
	}
	var sc raycross.Scratch
	return Nearest(s.surface.MustIndex().Rays.PreciseWinding(p, s.epsilon*PreciseShare, &sc))
}

// frameLocateTo is LocateTo for points in the frame of the mesh, without the tolerance.
func (s *Stage) frameLocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	l, err := s.use(ctx, len(pts), workers)
	if err != nil {
		answers.Start(dst, len(pts))
		return side.Stats{}, err
	}
	return s.locateWith(ctx, l, dst, pts, workers)
}

// locateWith is frameLocateTo with the given Locator.
func (s *Stage) locateWith(ctx context.Context, l Locator, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	stats, err := l.LocateTo(ctx, dst, pts, workers)
	if err == nil && s.epsilon > 0 && dst.Winding != nil {
		err = s.sharpen(ctx, dst, pts, workers)
	}
	return stats, err
}

// sharpen computes winding numbers again whose bounds exceed epsilon, with the precision that
// epsilon needs. CheckEpsilon must accept epsilon.
func (s *Stage) sharpen(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) error {
	var again pending
	for i, p := range pts {
		if !(dst.Bound[i] <= s.epsilon) && vec.Finite(p) {
			dst.Winding[i], dst.Bound[i] = math.NaN(), math.Inf(1)
			again.add(i, p)
		}
	}
	if len(again.pts) == 0 {
		return nil
	}
	caster, err := s.surface.Rays(ctx)
	if err != nil {
		return err
	}
	out := side.Answers{Winding: make([]float64, len(again.pts)), Bound: make([]float64, len(again.pts))}
	answers.Clear(out)
	_, err = windingsTo(ctx, out, again.pts, workers, func(sc *raycross.Scratch) { sc.Done = ctx.Done() },
		func(p r3.Vector, sc *raycross.Scratch) (w, bound float64) {
			return Nearest(caster.PreciseWinding(p, s.epsilon*PreciseShare, sc))
		})
	for k, i := range again.index {
		dst.Winding[i], dst.Bound[i] = out.Winding[k], out.Bound[k]
	}
	return err
}

// toleranceMemories holds values of type *toleranceMemory.
var toleranceMemories = sync.Pool{New: func() any { return new(toleranceMemory) }}

// toleranceMemory is the working memory of a batch.
type toleranceMemory struct {
	nearest nearest.Scratch
	rest    pending // points beyond the tolerance
	sides   []side.Side
}

// toleranceChunk is the number of points that LocateTo copies at a time (tuning).
const toleranceChunk = 1 << 18

// tolerantLocateTo is LocateTo with a tolerance. A point has the side OnSurface if its exact
// distance to the mesh is at most the tolerance. All other points have the answers without the
// tolerance.
func (s *Stage) tolerantLocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	answers.Start(dst, len(pts))
	var stats side.Stats
	index, err := s.surface.Index(ctx)
	if err != nil {
		return stats, err
	}
	for lo := 0; dst.Sides != nil && lo < len(pts); lo += toleranceChunk {
		hi := min(len(pts), lo+toleranceChunk)
		more, err := s.tolerantSidesTo(ctx, index.Nearest, dst.Sides[lo:hi], pts[lo:hi], workers)
		stats.Add(more)
		if err != nil {
			return stats, err
		}
	}
	if dst.Winding != nil {
		more, err := s.frameLocateTo(ctx, side.Answers{Winding: dst.Winding, Bound: dst.Bound}, pts, workers)
		if dst.Sides == nil {
			stats = more
		}
		return stats, err
	}
	return stats, ctx.Err()
}

// tolerantSidesTo writes the sides of one chunk of points to dst, which the caller has cleared.
func (s *Stage) tolerantSidesTo(ctx context.Context, searcher *nearest.Searcher, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error) {
	m := toleranceMemories.Get().(*toleranceMemory)
	defer toleranceMemories.Put(m)
	var err error
	if workers = par.Workers(workers); workers == 1 {
		err = s.within(ctx, searcher, dst, pts, &m.nearest)
	} else {
		scratches := make([]nearest.Scratch, min(workers, (len(pts)+blockSize-1)/blockSize))
		err = par.Blocks(ctx, len(pts), blockSize, workers, func(worker, lo, hi int) {
			_ = s.within(ctx, searcher, dst[lo:hi], pts[lo:hi], &scratches[worker]) // par.Blocks returns the error of ctx
		})
	}
	if err != nil {
		return side.Stats{}, err
	}
	m.rest.reset()
	for i, p := range pts {
		if dst[i] != side.OnSurface {
			m.rest.add(i, p)
		}
	}
	m.sides = resize(m.sides, len(m.rest.pts))
	stats, err := s.frameLocateTo(ctx, side.Answers{Sides: m.sides}, m.rest.pts, workers)
	for k, i := range m.rest.index {
		dst[i] = m.sides[k]
	}
	stats.Points += uint64(len(pts) - len(m.rest.pts))
	return stats, err
}

// within sets the sides of all points within the tolerance to OnSurface.
func (s *Stage) within(ctx context.Context, searcher *nearest.Searcher, dst []side.Side, pts []r3.Vector, sc *nearest.Scratch) error {
	sc.Done = ctx.Done()
	for i := 0; i < len(pts) && ctx.Err() == nil; i++ {
		if searcher.Within(pts[i], s.tolerance, sc) {
			dst[i] = side.OnSurface
		}
	}
	sc.Done = nil
	return ctx.Err()
}

// gridBlock is the number of points that GridTo generates at a time. A block takes 3 MB and
// contains a few batches per worker on a common machine (tuning).
const gridBlock = 1 << 17

// GridTo writes the side of every point of g to dst, in the order of the point numbers. The sides
// are the same as with LocateTo, but GridTo needs only constant memory. len(dst) must be the number
// of points. If ctx ends first, GridTo returns the error of ctx, and elements without an answer are
// Unknown.
func (s *Stage) GridTo(ctx context.Context, dst []side.Side, g side.Grid, workers int) error {
	clear(dst)
	l, err := s.forGrid(ctx, len(dst), workers)
	if err != nil {
		return err
	}
	if l.cells != nil {
		_, err := l.cells.SidesGridTo(ctx, dst, g, workers)
		return err
	}
	return eachBlock(g, len(dst), func(lo int, pts []r3.Vector) error {
		_, err := l.locateTo(ctx, side.Answers{Sides: dst[lo : lo+len(pts)]}, pts, workers)
		return err
	})
}

// LabelGridTo does the work of GridTo, but writes labels[s] instead of the side s. It returns the
// number of points with each side. After an error, dst and the counts have no meaning.
func (s *Stage) LabelGridTo(ctx context.Context, dst []byte, labels *cells.Labels, g side.Grid, workers int) (counts cells.Counts, err error) {
	l, err := s.forGrid(ctx, len(dst), workers)
	if err != nil {
		return counts, err
	}
	if l.cells != nil {
		counts, _, err = l.cells.LabelGridTo(ctx, dst, labels, g, workers)
		return counts, err
	}
	sides := make([]side.Side, min(len(dst), gridBlock))
	err = eachBlock(g, len(dst), func(lo int, pts []r3.Vector) error {
		sides := sides[:len(pts)]
		_, err := l.locateTo(ctx, side.Answers{Sides: sides}, pts, workers)
		for i, d := range sides {
			dst[lo+i] = labels[d]
			counts[d]++
		}
		return err
	})
	return counts, err
}

// gridLocator finds the sides of the points of a grid.
type gridLocator struct {
	cells    *cells.Index // faster than locateTo; nil if there are none
	locateTo func(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error)
}

// forGrid counts the n points of a grid and returns the gridLocator for them. The error is the error of ctx.
func (s *Stage) forGrid(ctx context.Context, n, workers int) (gridLocator, error) {
	if s.pose != nil || s.tolerance > 0 {
		return gridLocator{locateTo: s.LocateTo}, nil
	}
	l, err := s.use(ctx, n, workers)
	if err != nil {
		return gridLocator{}, err
	}
	return gridLocator{cells: cellsIn(l), locateTo: l.LocateTo}, nil
}

// Bytes estimates the memory of the index, without the Surface.
func (s *Stage) Bytes() int64 { return s.current().Bytes() }
