package raycross

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/morton"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// blockSize is how many points a worker takes at a time, in the order of a
// space-filling curve. The context is checked after checkPoints of them or
// checkWork units of work, whichever comes first: some milliseconds, unless a
// single point takes longer.
const (
	blockSize   = morton.Block
	checkPoints = 256
	checkWork   = 200_000
)

// Side returns the side of p under the rule of c. It is exact: OnSurface means
// exactly on a closed face, and Unknown is returned only for a p that is not
// finite, or where the winding number of an open mesh cannot be told from the
// threshold of the rule in arbitrary precision. It allocates only where an exact
// last stage is reached.
func (c *Caster) Side(p r3.Vector, s *Scratch) side.Side {
	s.stats.Points++
	got := c.side(p, s)
	if got == side.Unknown {
		s.stats.Undecided++
	}
	return got
}

func (c *Caster) side(p r3.Vector, s *Scratch) side.Side {
	if !vec.Finite(p) {
		return side.Unknown
	}
	if c.boundary == nil || c.parity {
		if !c.box.Contains(p) {
			return side.Outside // W = 0, no crossings
		}
		n := c.Count(p, s)
		if n.OnSurface {
			return side.OnSurface
		}
		return c.rule.Apply(n.Signed, n.Crossings)
	}
	return c.openSide(p, s)
}

// SidesTo writes the side of pts[i] to dst[i], on the given number of workers
// (≤ 0: all processors), and returns the summed counts of work. It panics if
// the lengths differ. When ctx ends first its error is returned, and dst holds
// Unknown where no answer was found. The answers are the same for any number of
// workers and any order of points. With one worker nothing is allocated.
func (c *Caster) SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error) {
	if len(dst) != len(pts) {
		panic("raycross: dst and pts differ in length")
	}
	clear(dst)
	if workers = par.Workers(workers); workers == 1 {
		b := c.getBatch()
		defer c.putBatch(b)
		for lo := 0; lo < len(pts); lo += blockSize {
			hi := min(len(pts), lo+blockSize)
			if err := b.sides(ctx, c, dst[lo:hi], pts[lo:hi]); err != nil {
				return b.scratch.Stats(), err
			}
		}
		return b.scratch.Stats(), nil
	}
	// Small batches are split so that every worker gets some.
	size := min(blockSize, max(checkPoints, len(pts)/(4*workers)))
	workers = min(workers, (len(pts)+size-1)/size)
	batches := make([]*batch, workers)
	for i := range batches {
		batches[i] = c.getBatch()
	}
	err := par.Blocks(ctx, len(pts), size, workers, func(worker, lo, hi int) {
		// An error here is that of ctx, which Blocks returns as well.
		_ = batches[worker].sides(ctx, c, dst[lo:hi], pts[lo:hi])
	})
	var sum side.Stats
	for _, b := range batches {
		sum.Add(b.scratch.Stats())
		c.putBatch(b)
	}
	return sum, err
}

// batch is the working memory of one worker.
type batch struct {
	scratch Scratch
	sorter  morton.Sorter
}

// getBatch returns working memory whose counts are 0.
func (c *Caster) getBatch() *batch {
	select {
	case b := <-c.batches:
		b.scratch = Scratch{}
		return b
	default:
		return new(batch)
	}
}

// putBatch keeps b for later calls, if there are not enough already.
func (c *Caster) putBatch(b *batch) {
	b.scratch.Done = nil
	select {
	case c.batches <- b:
	default:
	}
}

func (b *batch) sides(ctx context.Context, c *Caster, dst []side.Side, pts []r3.Vector) error {
	b.scratch.Done = ctx.Done()
	points, work := 0, b.scratch.work()
	for _, i := range b.sorter.Order(pts, c.box) {
		if points--; points < 0 || b.scratch.work()-work > checkWork {
			if err := ctx.Err(); err != nil {
				return err
			}
			points, work = checkPoints, b.scratch.work()
		}
		dst[i] = c.Side(pts[i], &b.scratch)
	}
	// A sum that ctx interrupted has left its point Unknown.
	return ctx.Err()
}
