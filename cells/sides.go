package cells

import (
	"context"
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

const (
	// blockSize is how many points a worker takes at a time, at most.
	blockSize = 1 << 18
	// runSize is how many points are compared with lines at a time: what they need
	// fits in the first-level cache.
	runSize = 512
	// The points of a block in crossed cells are sorted by line, roughly, where they
	// are at least 1/sortShare of the block: their triangles are then read once for
	// several of them.
	sortShare = 8
	buckets   = 1 << 12
)

// batch is the working memory of one worker.
type batch struct {
	scratch Scratch
	later   [runSize / 8]uint8

	// Points of a block in crossed cells, and where they are when sorted.
	deferred, sorted []deferred
	count            [buckets]int32

	// Some of them.
	some  [runSize]deferred
	lines [runSize]*line
	first [runSize]*line  // the first lines of the same cells
	same  [runSize]uint8  // references that agree so far, bits 0 and 1
	id    [runSize]uint32 // numbers of lines
	at    [runSize]uint64
	signs [runSize]uint16

	open  [runSize]deferred // points that comparing does not decide
	faces []int32           // faces that they will need
	edges [][3]int32        // their vertices
	warm  float64

	grid *gridBatch // while a grid is filled
}

// deferred is a point in a crossed cell of the first level, and its line.
type deferred struct{ point, line uint32 }

// SidesTo writes the side of pts[i] to dst[i], on the given number of workers
// (≤ 0: all processors), and returns the summed counts of work. It panics if
// the lengths differ. When ctx ends first its error is returned, and dst holds
// Unknown where no answer was found. The answers are the same for any number of
// workers and any order of points. With one worker nothing is allocated but
// working memory, which later calls use again.
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
		b := x.getBatch(ctx, len(pts))
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
		batches[i] = x.getBatch(ctx, size)
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

// getBatch returns working memory for blocks of n points, whose counts are 0.
func (x *Index) getBatch(ctx context.Context, n int) (b *batch) {
	select {
	case b = <-x.batches:
		b.scratch = Scratch{}
	default:
		b = new(batch)
	}
	if n = min(n, blockSize); cap(b.deferred) < n {
		b.deferred = make([]deferred, 0, n)
	}
	if cap(b.faces) == 0 {
		b.faces = make([]int32, 0, planesPerLine*runSize)
		b.edges = make([][3]int32, 0, planesPerLine*runSize)
	}
	b.scratch.Done, b.scratch.Context = ctx.Done(), ctx
	return b
}

// putBatch keeps b for later calls, if there are not enough already.
func (x *Index) putBatch(b *batch) {
	b.scratch.Done, b.scratch.Context = nil, nil
	select {
	case x.batches <- b:
	default:
	}
}

// sides answers points block by block, unless ctx ends: then the rest is Unknown.
func (x *Index) sides(ctx context.Context, b *batch, dst []side.Side, pts []r3.Vector) error {
	for lo := 0; lo < len(pts); lo += blockSize {
		hi := min(len(pts), lo+blockSize)
		if err := x.block(ctx, b, dst[lo:hi], pts[lo:hi]); err != nil {
			clear(dst[hi:])
			return err
		}
	}
	return ctx.Err()
}

// block answers at most blockSize points: first those in empty cells; then the
// others, in the order of their lines if they are many.
func (x *Index) block(ctx context.Context, b *batch, dst []side.Side, pts []r3.Vector) error {
	b.deferred = b.deferred[:0]
	for lo := 0; lo < len(pts); lo += runSize {
		if err := b.failed(ctx); err != nil {
			clear(dst)
			return err
		}
		x.empties(ctx, b, dst, pts, lo, min(len(pts), lo+runSize))
	}
	if len(b.deferred) > runSize && len(b.deferred) > len(pts)/sortShare {
		b.sort(len(x.chunks) * chunkSize)
	}
	for rest := b.deferred; len(rest) > 0; {
		if err := b.failed(ctx); err != nil {
			for _, d := range rest {
				dst[d.point] = side.Unknown
			}
			return err
		}
		n := copy(b.some[:], rest)
		rest = rest[n:]
		x.compare(ctx, b, n, dst, pts)
	}
	return b.failed(ctx)
}

// failed returns the error of ctx or of Rays.
func (b *batch) failed(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.scratch.err
}

// empties answers points lo to hi, but for those in crossed cells, which it
// defers.
func (x *Index) empties(ctx context.Context, b *batch, dst []side.Side, pts []r3.Vector, lo, hi int) {
	later := b.later[:(hi-lo+7)/8]
	x.lookUp(dst[lo:hi], pts[lo:hi], later)
	left := 0
	for i, m := range later {
		left += bits.OnesCount8(m)
		for ; m != 0; m &= m - 1 {
			j := lo + i*8 + bits.TrailingZeros8(m)
			p := &pts[j]
			tx, ty, tz := x.at(*p)
			if !x.holds(tx, ty, tz) {
				dst[j] = x.beyondUnless(ctx, *p, &b.scratch)
				continue
			}
			e, word, bit := x.find(int32(tx), int32(ty), int32(tz))
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
			b.deferred = append(b.deferred, deferred{uint32(j), x.lineOf(word, bit)})
		}
	}
	b.scratch.points += uint64(hi - lo - left)
}

// sort brings the deferred points into the order of their lines, all below
// lines: a bucket for some hundred lines in a row.
func (b *batch) sort(lines int) {
	shift := max(0, bits.Len(uint(lines))-bits.Len(buckets-1))
	clear(b.count[:])
	for _, d := range b.deferred {
		b.count[d.line>>shift]++
	}
	sum := int32(0)
	for i, n := range b.count {
		b.count[i] = sum
		sum += n
	}
	if cap(b.sorted) < len(b.deferred) {
		b.sorted = make([]deferred, cap(b.deferred))
	}
	b.sorted = b.sorted[:len(b.deferred)]
	for _, d := range b.deferred {
		k := d.line >> shift
		b.sorted[b.count[k]] = d
		b.count[k]++
	}
	b.deferred, b.sorted = b.sorted, b.deferred
}

// compare decides the first n points of b.some by comparing the signs of their
// planes with those at the references, line by line; what that does not decide
// goes to crossed. The assembly fetches lines before they are needed.
func (x *Index) compare(ctx context.Context, b *batch, n int, dst []side.Side, pts []r3.Vector) {
	for i, d := range b.some[:n] {
		tx, ty, tz := x.at(pts[d.point])
		b.at[i] = pack(unit(tx-math.Trunc(tx)), unit(ty-math.Trunc(ty)), unit(tz-math.Trunc(tz)))
		l := x.line(d.line)
		b.lines[i], b.first[i], b.same[i], b.id[i] = l, l, 3, d.line
	}
	open := 0
	b.faces = b.faces[:0]
	for n > 0 {
		planeSigns(b.lines[:n], b.at[:n], b.signs[:n])
		left := 0
		for i := range n {
			h, d, l := b.lines[i][0], b.some[i], b.first[i]
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
				b.open[open] = d
				open++
				if uint8(h) <= more {
					b.want(x.faces(b.id[i]), mask&^(pos|neg), (pos^h>>8)&mask, (pos^h>>16)&mask)
				}
			case uint8(h) == more:
				next := b.lines[i].next()
				b.some[left], b.at[left], b.first[left], b.same[left], b.id[left] = d, b.at[i], l, same, next
				b.lines[left] = x.line(next)
				left++
			default:
				b.scratch.points++
				w := l[0] >> 32
				if same&1 == 0 {
					w >>= 16
				}
				dst[d.point] = x.sideOfW(int32(int16(w)))
			}
		}
		n = left
	}
	b.fetch(x.mesh)
	for _, d := range b.open[:open] {
		dst[d.point] = x.crossedUnless(ctx, pts[d.point], d.line, &b.scratch)
	}
}

// want notes the faces of a line that will be needed: those of the planes whose
// sign is not known, and those that lie between the point and the nearer
// reference.
func (b *batch) want(faces *[planesPerLine]int32, unknown, diff1, diff2 uint64) {
	if bits.OnesCount64(diff2) < bits.OnesCount64(diff1) {
		diff1 = diff2
	}
	for left := unknown | diff1; left != 0; left &= left - 1 {
		if f := faces[bits.TrailingZeros64(left)]; f >= 0 {
			b.faces = append(b.faces, f)
		}
	}
}

// fetch reads the triangles that were noted, so that their cache lines come at
// the same time rather than one after the other when they are needed.
func (b *batch) fetch(m *mesh.Mesh) {
	b.edges = b.edges[:0]
	for _, f := range b.faces {
		if int(f) < len(m.Faces) {
			b.edges = append(b.edges, m.Faces[f])
		}
	}
	sum := 0.0
	for _, v := range b.edges {
		sum += m.Vertices[v[0]].X + m.Vertices[v[1]].X + m.Vertices[v[2]].X
	}
	b.warm = sum // keeps the compiler from leaving the reads out
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
