package cells

import (
	"context"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/side"
)

const (
	// blockSize is how many points a worker takes at a time.
	blockSize = 1 << 15
	// runSize is how many points are looked up in the grid before those in
	// crossed cells are decided: what they need fits in the first-level cache.
	runSize = 512
)

// batch is the working memory of one worker.
type batch struct {
	scratch Scratch
	later   [runSize]deferred
}

// deferred is a point in a crossed cell.
type deferred struct{ point, line uint32 }

// SidesTo writes the side of pts[i] to dst[i], on the given number of workers
// (≤ 0: all processors), and returns the summed counts of work. It panics if
// the lengths differ. When ctx ends first its error is returned, and dst holds
// Unknown where no answer was found. The answers are the same for any number of
// workers and any order of points. With one worker nothing is allocated.
func (x *Index) SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error) {
	if len(dst) != len(pts) {
		panic("cells: dst and pts differ in length")
	}
	if x.gone {
		c, err := x.rays(ctx)
		if err != nil {
			clear(dst)
			return side.Stats{}, err
		}
		return c.SidesTo(ctx, dst, pts, workers)
	}
	if workers = par.Workers(workers); workers == 1 || len(pts) <= runSize {
		b := x.getBatch(ctx)
		defer x.putBatch(b)
		err := x.sides(ctx, b, dst, pts)
		return b.scratch.Stats(), err
	}
	return x.blocks(ctx, dst, workers, func(b *batch, lo, hi int) {
		// The error is that of ctx or b.scratch.err, which blocks returns.
		_ = x.sides(ctx, b, dst[lo:hi], pts[lo:hi])
	})
}

// blocks calls work for blocks of dst on several workers. Where ctx ended first
// dst is Unknown.
func (x *Index) blocks(ctx context.Context, dst []side.Side, workers int, work func(b *batch, lo, hi int)) (side.Stats, error) {
	// Small batches are split so that every worker gets some.
	size := min(blockSize, max(runSize, len(dst)/(4*workers)))
	blocks := (len(dst) + size - 1) / size
	batches := make([]*batch, min(workers, blocks))
	for i := range batches {
		batches[i] = x.getBatch(ctx)
	}
	begun := make([]bool, blocks)
	err := par.Blocks(ctx, len(dst), size, len(batches), func(worker, lo, hi int) {
		begun[lo/size] = true
		work(batches[worker], lo, hi)
	})
	for i, ok := range begun {
		if !ok {
			clear(dst[i*size : min(len(dst), (i+1)*size)])
		}
	}
	var sum side.Stats
	for _, b := range batches {
		sum.Add(b.scratch.Stats())
		if err == nil {
			err = b.scratch.err
		}
		x.putBatch(b)
	}
	return sum, err
}

// getBatch returns working memory whose counts are 0.
func (x *Index) getBatch(ctx context.Context) (b *batch) {
	select {
	case b = <-x.batches:
		b.scratch = Scratch{}
	default:
		b = new(batch)
	}
	b.scratch.Done = ctx.Done()
	return b
}

// putBatch keeps b for later calls, if there are not enough already.
func (x *Index) putBatch(b *batch) {
	b.scratch.Done = nil
	select {
	case x.batches <- b:
	default:
	}
}

// sides answers a block, unless ctx ends: then the rest is Unknown.
func (x *Index) sides(ctx context.Context, b *batch, dst []side.Side, pts []r3.Vector) error {
	for lo := 0; lo < len(pts); lo += runSize {
		if err := ctx.Err(); err != nil {
			clear(dst[lo:])
			return err
		}
		hi := min(len(pts), lo+runSize)
		n := x.lookUp(b, dst[lo:hi], pts[lo:hi])
		for i := range b.later[:n] {
			d := &b.later[i]
			p := pts[lo+int(d.point)]
			if d.line == byHand {
				dst[lo+int(d.point)] = x.handUnless(ctx, p, &b.scratch)
				continue
			}
			dst[lo+int(d.point)] = x.decide(p, d.line, &b.scratch)
		}
		if err := b.scratch.err; err != nil {
			clear(dst[hi:])
			return err
		}
	}
	return ctx.Err()
}

// byHand stands for the line of points that are handed over.
const byHand = ^uint32(0)

// lookUp writes the sides of the points in empty cells, and puts the others,
// whose number it returns, into b.later.
func (x *Index) lookUp(b *batch, dst []side.Side, pts []r3.Vector) (later int) {
	min, inv, lim := x.min, x.inv, x.lim
	dx, dy := x.dims[0], x.dims[1]
	top, words := x.top, x.words
	dst = dst[:len(pts)]
	for i := range pts {
		p := &pts[i]
		tx, ty, tz := (p.X-min.X)*inv, (p.Y-min.Y)*inv, (p.Z-min.Z)*inv
		if !(tx >= 0 && tx < lim[0] && ty >= 0 && ty < lim[1] && tz >= 0 && tz < lim[2]) {
			if x.veil != nil {
				b.later[later] = deferred{uint32(i), byHand}
				later++
				continue
			}
			dst[i] = side.Outside
			if !finite(*p) {
				dst[i] = side.Unknown
				b.scratch.undecided++
			}
			continue
		}
		ix, iy, iz := int32(tx), int32(ty), int32(tz)
		e := top[(iz>>brickBits*dy+iy>>brickBits)*dx+ix>>brickBits]
		at := e>>3*brickSide + uint32(iz&(brickSide-1))
		bit := uint(ix&(brickSide-1)|iy&(brickSide-1)<<brickBits) & 63
		w := &words[at]
		if w.crossed>>bit&1|uint64(e&needsRays) == 0 {
			dst[i] = side.Outside + side.Side(e>>(w.value>>bit&1)&1)*(side.Inside-side.Outside)
			continue
		}
		b.later[later] = deferred{uint32(i), byHand}
		if e&needsRays == 0 {
			b.later[later].line = x.base[at] + uint32(bits.OnesCount64(w.crossed&(1<<bit-1)))
		}
		later++
	}
	b.scratch.points += uint64(len(pts) - later)
	return later
}

// decide is Side for a point in the cell of the first level that has line id.
func (x *Index) decide(p r3.Vector, id uint32, s *Scratch) side.Side {
	tx, ty, tz := x.at(p)
	c := place{0, [3]int32{int32(tx), int32(ty), int32(tz)}}
	l := x.line(id)
	if l.kind() == whole {
		ux, uy, uz := c.units(tx, ty, tz, 1)
		pos, neg := l.signs(ux, uy, uz)
		if pos|neg == allPlanes {
			h := l[0]
			if h>>8&allPlanes == pos {
				s.points++
				return x.sideOfW(int32(int16(h >> 32)))
			}
			if h>>16&allPlanes == pos {
				s.points++
				return x.sideOfW(int32(int16(h >> 48)))
			}
		}
	}
	return x.crossed(p, tx, ty, tz, id, c, s)
}

func (x *Index) sideOfW(w int32) side.Side {
	if x.inside(w) {
		return side.Inside
	}
	return side.Outside
}

// handUnless lets rays answer unless ctx has ended: Unknown.
func (x *Index) handUnless(ctx context.Context, p r3.Vector, s *Scratch) side.Side {
	if ctx.Err() != nil {
		return side.Unknown
	}
	got := x.hand(p, s)
	if ctx.Err() != nil {
		return side.Unknown
	}
	return got
}
