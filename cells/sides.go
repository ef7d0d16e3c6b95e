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
	later   [runSize / 8]uint8
	points  [runSize]uint32 // the points that are decided by a line
	lines   [runSize]*line
	first   [runSize]*line // the first lines of the same cells
	same    [runSize]uint8 // references that agree so far, bits 0 and 1
	ids     [runSize]uint32
	at      [runSize]uint64
	signs   [runSize]uint16
	grid    *gridBatch // while a grid is filled
}

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
		x.run(ctx, b, dst[lo:hi], pts[lo:hi])
		if err := b.scratch.err; err != nil {
			clear(dst[hi:])
			return err
		}
	}
	return ctx.Err()
}

// run answers at most runSize points: first those in empty cells; then those
// whose lines decide, of which the assembly fetches the next while it works; the
// rest one by one.
func (x *Index) run(ctx context.Context, b *batch, dst []side.Side, pts []r3.Vector) {
	later := b.later[:(len(pts)+7)/8]
	x.lookUp(dst, pts, later)
	n := 0
	for i, m := range later {
		for ; m != 0; m &= m - 1 {
			j := i*8 + bits.TrailingZeros8(m)
			p := &pts[j]
			tx, ty, tz := x.at(*p)
			if !x.holds(tx, ty, tz) {
				dst[j] = x.beyondUnless(ctx, *p, &b.scratch)
				continue
			}
			ix, iy, iz := int32(tx), int32(ty), int32(tz)
			e, word, bit := x.find(ix, iy, iz)
			if e&needsRays != 0 {
				dst[j] = x.handUnless(ctx, *p, &b.scratch)
				continue
			}
			if w := &x.words[word]; w.crossed>>bit&1 == 0 {
				// A coordinate that rounds to −0: in the grid here, not for assembly.
				b.scratch.points++
				dst[j] = label(e, w.value>>bit)
				continue
			}
			id := x.lineOf(word, bit)
			b.points[n], b.ids[n], b.lines[n] = uint32(j), id, x.line(id)
			b.same[n] = 3
			b.at[n] = pack(unit(tx-float64(ix)), unit(ty-float64(iy)), unit(tz-float64(iz)))
			n++
		}
	}
	left := 0
	for i := range later {
		left += bits.OnesCount8(later[i])
	}
	b.scratch.points += uint64(len(pts) - left)
	x.compare(ctx, b, n, dst, pts)
}

// compare decides the first n deferred points of b by comparing the signs of
// their planes with those at the references, line by line.
func (x *Index) compare(ctx context.Context, b *batch, n int, dst []side.Side, pts []r3.Vector) {
	for i, l := range b.lines[:n] {
		b.first[i] = l // the lines of the first round, which have W
	}
	for n > 0 {
		planeSigns(b.lines[:n], b.at[:n], b.signs[:n])
		left := 0
		for i := range n {
			h, j, l := b.lines[i][0], b.points[i], b.first[i]
			pos, neg := uint64(b.signs[i]&0xff>>1), uint64(b.signs[i]>>9)
			mask := uint64(allPlanes)
			if uint8(h) == more {
				mask >>= 1
				pos, neg = pos&mask, neg&mask
			}
			same := b.same[i]
			if h>>8&allPlanes != pos {
				same &^= 1
			}
			if h>>16&allPlanes != pos {
				same &^= 2
			}
			switch {
			case uint8(h) > more || pos|neg != mask || same == 0:
				dst[j] = x.crossedUnless(ctx, pts[j], b.ids[i], &b.scratch)
			case uint8(h) == more:
				b.points[left], b.ids[left], b.at[left], b.first[left], b.same[left] = j, b.ids[i], b.at[i], l, same
				b.lines[left] = x.line(b.lines[i].next())
				left++
			default:
				b.scratch.points++
				w := l[0] >> 32
				if same&1 == 0 {
					w >>= 16
				}
				dst[j] = x.sideOfW(int32(int16(w)))
			}
		}
		n = left
	}
}

// crossedUnless is crossed for a point in the cell of the first level that has
// line id, as far as ctx lets rays answer.
func (x *Index) crossedUnless(ctx context.Context, p r3.Vector, id uint32, s *Scratch) side.Side {
	tx, ty, tz := x.at(p)
	got := x.crossed(p, tx, ty, tz, id, place{0, [3]int32{int32(tx), int32(ty), int32(tz)}}, s)
	if got == side.Unknown || x.veil != nil && ctx.Err() != nil {
		return side.Unknown
	}
	return got
}

func (x *Index) beyondUnless(ctx context.Context, p r3.Vector, s *Scratch) side.Side {
	if x.veil != nil || x.gone {
		return x.handUnless(ctx, p, s)
	}
	return x.beyond(p, s)
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
