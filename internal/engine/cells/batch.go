package cells

import (
	"cmp"
	"context"
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// tuning
const (
	// blockSize is the largest number of points in a block of work.
	blockSize = 1 << 18
	// smallBlock is the least number of points of a block if a batch has more than four blocks for each worker.
	smallBlock = 1 << 14
	// runSize is the largest number of points in a run. The data of a run fits in the first-level
	// cache.
	runSize = 512
	// oneWorker is the largest number of points of a batch for one worker. Another one would begin
	// when most of these points are done.
	oneWorker = 2 * runSize
	// If more than 1/sortShare of the points of a block are in crossed cells, the block sorts these
	// points roughly by record. Then the points of a cell follow each other, and each triangle is
	// read less often.
	sortShare = 8
	buckets   = 1 << 12
)

// batch is the working memory of one worker.
type batch struct {
	scratch Scratch
	later   [runSize / 8]uint8 // bit i is set if LookUp did not decide point i

	// deferred holds the points of a block that are in crossed cells. sorted is memory to sort them.
	deferred, sorted []deferred
	count            [buckets]int32

	// These arrays describe a run of deferred points.
	run     [runSize]deferred
	records [runSize]*layout.Record
	first   [runSize]*layout.Record // first[i] is the first record of the cell of point i
	// Bit k of agree[i] is set as long as no plane separates point i from reference k.
	agree [runSize]uint8
	lists [runSize]listSigns // signs of the planes so far
	slot  [runSize]uint16    // lists[slot[i]] belongs to point i
	at    [runSize]uint64    // deferred.at of each point
	signs [runSize]uint16

	open openBatch // points in open cells

	undecided [runSize]deferred // points that need a ray
	unsure    []byte            // for CertainSidesTo: 1 for each point of the block that is unsure; else nil
	close     nearBatch

	grid *gridBatch // memory for SidesGridTo, or nil
}

// deferred is a point in a crossed cell. The cell has level 0 until the method descend replaces a
// refined cell by one of its leaves.
type deferred struct {
	point  uint32 // number of the point, and in the highest bits the level of the cell
	record uint32 // number of the first record of the cell
	at     uint64 // coordinates of the point in its cell, packed by Pack
}

const (
	levelShift = 24
	pointMask  = 1<<levelShift - 1 // at least blockSize − 1
)

// SidesTo writes the side of pts[i] to dst[i] and returns statistics of the work. It uses the given
// number of workers. If workers ≤ 0, it uses one worker for each processor. The sides equal the
// results of Side, and do not depend on the number of workers or the order of the points. With one
// worker SidesTo allocates only working memory, which later calls reuse, and a few objects for each
// block with thousands of points in open cells. SidesTo panics if the lengths of dst and pts differ.
//
// Errors: the error of ctx if ctx ends first, or the error of Rays. After an error, dst holds
// Unknown for every point without a result.
func (x *Index) SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error) {
	if len(dst) != len(pts) {
		panic("cells: the lengths of dst and pts differ")
	}
	if len(pts) <= few {
		return x.fewSides(ctx, dst, pts)
	}
	return x.manySides(ctx, dst, nil, pts, workers)
}

// CertainSidesTo does the work of SidesTo, and also reports which points are far from all faces. If
// unsure[i] is 0, no face is within radius of pts[i], so all points of this ball have the side
// dst[i]. unsure[i] is 1 for points near the surface, points outside of the grid, and a few
// other points. CertainSidesTo panics if the slices differ in length.
func (x *Index) CertainSidesTo(ctx context.Context, dst []side.Side, unsure []byte, radius float64, pts []r3.Vector, workers int) (side.Stats, error) {
	if len(dst) != len(pts) || len(unsure) != len(pts) {
		panic("cells: the lengths of dst, unsure and pts differ")
	}
	if x.noGrid || !(radius <= x.grid.Room()) {
		for i := range unsure {
			unsure[i] = 1
		}
		return x.SidesTo(ctx, dst, pts, workers)
	}
	clear(unsure)
	return x.manySides(ctx, dst, unsure, pts, workers)
}

// Reach returns an upper bound of the distance from the origin to any point of the grid. In
// CertainSidesTo, all points beyond this distance are unsure.
func (x *Index) Reach() float64 {
	g := &x.grid
	size := r3.Vector{X: g.Cells[0], Y: g.Cells[1], Z: g.Cells[2]}.Mul(g.Cell)
	return (vec.Norm(g.Min) + vec.Norm(size)) * (1 + 0x1p-30)
}

// manySides does the work of SidesTo, and of CertainSidesTo if unsure is not nil.
func (x *Index) manySides(ctx context.Context, dst []side.Side, unsure []byte, pts []r3.Vector, workers int) (side.Stats, error) {
	if x.noGrid {
		c, err := x.rays(ctx)
		if err != nil {
			clear(dst)
			return side.Stats{}, err
		}
		return c.SidesTo(ctx, dst, pts, workers)
	}
	if workers = par.Workers(workers); workers == 1 || len(pts) <= oneWorker {
		b := x.getBatch(ctx, len(pts))
		defer x.putBatch(b)
		err := x.sides(ctx, b, dst, unsure, pts)
		return b.scratch.Stats(), err
	}
	// A small batch is divided into small blocks, so that several workers share the work. With 16 blocks for each worker,
	// the workers that end first wait for a thirtieth of the time.
	size := min(blockSize, max(runSize, min(len(dst)/(4*workers), max(smallBlock, len(dst)/(16*workers)))))
	work := func(b *batch, lo, hi int) {
		// Ignore the error, which comes from ctx or b.scratch. The method parallel returns it.
		part := unsure
		if unsure != nil {
			part = unsure[lo:hi]
		}
		_ = x.sides(ctx, b, dst[lo:hi], part, pts[lo:hi])
	}
	return x.parallel(ctx, len(dst), size, workers, size, work, func(lo, hi int) { clear(dst[lo:hi]) })
}

// few is the largest number of points that SidesTo passes to fewSides.
const few = 16

// fewSides does the work of SidesTo for a few points. A Scratch takes 2 kB, so fewSides creates one
// only if a point needs a ray.
func (x *Index) fewSides(ctx context.Context, dst []side.Side, pts []r3.Vector) (stats side.Stats, err error) {
	var signs predicates.Counter
	all := uint16(1)<<len(pts) - 1
	later := [few / 8]uint8{uint8(all), uint8(all >> 8)} // bit i is set if point i has no side yet
	if !x.noGrid {
		x.grid.LookUp(dst, pts, later[:(len(pts)+7)/8])
	}
	var byRay uint16 // bit i is set if point i needs a ray
	for i, m := range later {
		for ; m != 0; m &= m - 1 {
			j := 8*i + bits.TrailingZeros8(m)
			is, ok := x.sideWithoutRay(pts[j], &signs)
			switch {
			case !ok:
				byRay |= 1 << j
			case is == side.Unknown:
				stats.Undecided++
			}
			dst[j] = is
		}
	}
	if byRay != 0 {
		stats, err = x.fewByRay(ctx, dst, pts, byRay, stats)
	}
	stats.Points += uint64(len(pts) - bits.OnesCount16(byRay))
	stats.Filter += signs.Filter
	stats.Expansion += signs.Expansion
	stats.Exact += signs.Exact
	return stats, cmp.Or(ctx.Err(), err)
}

// fewByRay uses rays to find the sides of the points whose bits are set in byRay. It adds the
// counts of the rays to stats and returns the sum.
func (x *Index) fewByRay(ctx context.Context, dst []side.Side, pts []r3.Vector, byRay uint16, stats side.Stats) (side.Stats, error) {
	s := Scratch{Interrupt: ctx.Done()}
	for ; byRay != 0; byRay &= byRay - 1 {
		j := bits.TrailingZeros16(byRay)
		dst[j] = x.sideByRay(pts[j], &s)
	}
	stats.Add(s.Stats())
	return stats, s.err
}

// parallel divides [0, n) into blocks. Several workers call doBlock once for each block. If ctx
// ends, parallel calls skipBlock for each block that no worker has begun.
func (x *Index) parallel(ctx context.Context, n, size, workers, points int, doBlock func(b *batch, lo, hi int), skipBlock func(lo, hi int)) (side.Stats, error) {
	blocks := (n + size - 1) / size
	batches := make([]*batch, min(workers, blocks))
	for i := range batches {
		batches[i] = x.getBatch(ctx, points)
	}
	begun := make([]bool, blocks)
	err := par.Blocks(ctx, n, size, len(batches), func(worker, lo, hi int) {
		begun[lo/size] = true
		doBlock(batches[worker], lo, hi)
	})
	for i, ok := range begun {
		if !ok {
			skipBlock(i*size, min(n, (i+1)*size))
		}
	}
	var sum side.Stats
	for _, b := range batches {
		sum.Add(b.scratch.Stats())
		err = cmp.Or(err, b.scratch.err)
		x.putBatch(b)
	}
	return sum, err
}

// getBatch returns working memory for blocks of n points, with all counts 0.
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
	b.scratch.Interrupt = ctx.Done()
	return b
}

func (x *Index) putBatch(b *batch) {
	b.scratch.Interrupt, b.scratch.rays.Done, b.grid, b.unsure = nil, nil, nil, nil
	select {
	case x.batches <- b:
	default:
	}
}

// failed returns the error of ctx if ctx has ended, and otherwise the error of Rays.
func (b *batch) failed(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.scratch.err
}

// sides finds the sides of pts, block by block. After an error it sets the rest of dst to Unknown.
func (x *Index) sides(ctx context.Context, b *batch, dst []side.Side, unsure []byte, pts []r3.Vector) error {
	for lo := 0; lo < len(pts); lo += blockSize {
		hi := min(len(pts), lo+blockSize)
		if unsure != nil {
			b.unsure = unsure[lo:hi]
		}
		if err := x.block(ctx, b, dst[lo:hi], pts[lo:hi]); err != nil {
			clear(dst[hi:])
			return err
		}
	}
	return ctx.Err()
}

// block finds the sides of at most blockSize points. It first handles the points in empty cells. If
// many points remain, it sorts them by record.
func (x *Index) block(ctx context.Context, b *batch, dst []side.Side, pts []r3.Vector) error {
	b.deferred = b.deferred[:0]
	b.open.reset()
	for lo := 0; lo < len(pts); lo += runSize {
		if err := b.failed(ctx); err != nil {
			clear(dst)
			return err
		}
		x.lookUp(b, dst, pts, lo, min(len(pts), lo+runSize))
	}
	if len(b.deferred) > runSize && len(b.deferred) > len(pts)/sortShare {
		b.sort(len(x.grid.Chunks) * layout.ChunkSize)
	}
	for rest := b.deferred; len(rest) > 0; {
		if err := b.failed(ctx); err != nil {
			for _, d := range rest {
				dst[d.point] = side.Unknown
			}
			b.open.clear(dst)
			return err
		}
		n := copy(b.run[:], rest)
		rest = rest[n:]
		x.compare(b, n, dst, pts)
	}
	if err := x.sidesByCaps(ctx, b, dst); err != nil {
		return err
	}
	return b.failed(ctx)
}

// lookUp finds the sides of points lo to hi−1. It defers the points in crossed cells.
func (x *Index) lookUp(b *batch, dst []side.Side, pts []r3.Vector, lo, hi int) {
	g := &x.grid
	later := b.later[:(hi-lo+7)/8]
	g.LookUp(dst[lo:hi], pts[lo:hi], later)
	left := 0
	for i, m := range later {
		left += bits.OnesCount8(m)
		for ; m != 0; m &= m - 1 {
			j := lo + i*8 + bits.TrailingZeros8(m)
			p := &pts[j]
			tx, ty, tz := g.Coords(*p)
			if !g.Contains(tx, ty, tz) {
				b.mark(j)
				if len(g.Caps) > 0 && vec.Finite(*p) {
					b.open.add(j, *p, 0)
				} else {
					dst[j] = x.Side(*p, &b.scratch)
				}
				continue
			}
			entry, word, bit := g.Find(int32(tx), int32(ty), int32(tz))
			if entry&layout.TopRayOnly != 0 {
				b.mark(j)
				dst[j] = x.sideByRay(*p, &b.scratch)
				continue
			}
			if w := &g.Words[word]; w.Crossed>>bit&1 == 0 {
				// A coordinate of this point rounds to −0. The point is in the grid, but the assembly
				// code treats it as a point outside of the grid.
				b.scratch.points++
				dst[j] = layout.Label(entry, w.Value>>bit)
				continue
			}
			if g.IsOpen(word, bit) {
				b.mark(j)
				switch d, k, o := x.sideByField(*p, tx, ty, tz, entry, word, bit, &b.scratch.signs); {
				case o == layout.NeedsRay:
					dst[j] = x.sideByRay(*p, &b.scratch)
				case d == side.Unknown:
					b.open.add(j, *p, k)
				default:
					b.scratch.points++
					dst[j] = d
				}
				continue
			}
			b.deferred = append(b.deferred, deferred{
				uint32(j), g.RecordOf(word, bit),
				layout.Pack(layout.Unit(tx-math.Trunc(tx)), layout.Unit(ty-math.Trunc(ty)), layout.Unit(tz-math.Trunc(tz))),
			})
		}
	}
	b.scratch.points += uint64(hi - lo - left)
}

// mark marks point i of the block as unsure, if the caller is CertainSidesTo.
func (b *batch) mark(i int) {
	if b.unsure != nil {
		b.unsure[i] = 1
	}
}

// sort sorts the deferred points roughly by record. Each bucket covers a few hundred consecutive
// records.
func (b *batch) sort(records int) {
	shift := max(0, bits.Len(uint(records))-bits.Len(buckets-1))
	clear(b.count[:])
	for _, d := range b.deferred {
		b.count[d.record>>shift]++
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
		k := d.record >> shift
		b.sorted[b.count[k]] = d
		b.count[k]++
	}
	b.deferred, b.sorted = b.sorted, b.deferred
}

// compare finds the sides of the first n points of b.run. For each record of a cell, it compares
// the signs of the planes at the point with their signs at the two references. If all signs equal
// the signs at one reference, the point has the winding number of this reference. The method near or
// a ray decides the other points. The assembly code prefetches records.
func (x *Index) compare(b *batch, n int, dst []side.Side, pts []r3.Vector) {
	g := &x.grid
	undecided := 0
	for left := x.byTable(b, x.descend(b, n, dst, pts), dst); left > 0; {
		n, left = left, 0
		for i := range n {
			h, d, first := b.records[i][0], b.run[i], b.first[i]
			pos, neg := uint64(b.signs[i]&0xff>>1), uint64(b.signs[i]>>9)
			mask := uint64(layout.AllPlanes)
			switch uint8(h) {
			case layout.KindMore:
				mask >>= 1
				pos, neg = pos&mask, neg&mask
			case layout.KindTable:
				mask = 1<<layout.TablePlanes - 1
				pos, neg = pos&mask, neg&mask
			}
			agree := b.agree[i]
			if h>>8&mask != pos {
				agree &^= 1
			}
			if h>>16&mask != pos {
				agree &^= 2
			}
			// Also read the rest of the list of an undecided point here, so that the cache misses
			// of several points overlap.
			if pos|neg != mask {
				agree = 0
			}
			switch {
			case uint8(h) == layout.KindMore:
				slot := b.slot[i]
				b.lists[slot%runSize].add(h, pos, neg, mask)
				b.run[left], b.at[left], b.first[left], b.agree[left], b.slot[left] = d, b.at[i], first, agree, slot
				b.records[left] = g.Record(b.records[i].Next())
				left++
			case uint8(h) > layout.KindMore:
				b.mark(int(d.point & pointMask))
				b.undecided[undecided] = d
				undecided++
			case agree == 0:
				b.mark(int(d.point & pointMask))
				slot := b.slot[i]
				b.lists[slot%runSize].add(h, pos, neg, mask)
				b.close.add(d, &b.lists[slot%runSize])
			default:
				b.scratch.points++
				dst[d.point&pointMask] = layout.ReferenceSide(first[0], uint64(agree&1^1))
			}
		}
		layout.PlaneSigns(b.records[:left], b.at[:left], b.signs[:left])
	}
	x.near(b, dst, pts)
	for _, d := range b.undecided[:undecided] {
		dst[d.point&pointMask] = x.sideByRay(pts[d.point&pointMask], &b.scratch)
	}
}

// descend replaces refined cells of the first n points of b.run by leaves. It finds the sides of
// points in empty leaves. It moves the other points to the front of b.run and returns their number.
func (x *Index) descend(b *batch, n int, dst []side.Side, pts []r3.Vector) (left int) {
	g := &x.grid
	for _, d := range b.run[:n] {
		if kind := g.Record(d.record).Kind(); kind == layout.KindRefined || kind == layout.KindUniform {
			tx, ty, tz := g.Coords(pts[d.point])
			c := layout.CellAddr{Level: 0, At: [3]int32{int32(tx), int32(ty), int32(tz)}}
			leaf, w, ok := g.Descend(tx, ty, tz, d.record, &c)
			if !ok {
				b.scratch.points++
				dst[d.point] = g.Side(w)
				continue
			}
			d.point |= uint32(c.Level) << levelShift
			d.record, d.at = leaf, layout.Pack(c.Units(tx, ty, tz, layout.Scale(c.Level)))
		}
		b.run[left] = d
		left++
	}
	return left
}

// byTable prepares b for the first n points of b.run and computes the signs of the planes of their
// first records. It finds the sides of points whose region is in the table of their cell. It moves the
// other points to the front of b.run and returns their number.
func (x *Index) byTable(b *batch, n int, dst []side.Side) (left int) {
	g := &x.grid
	for i, d := range b.run[:n] {
		b.records[i], b.at[i] = g.Record(d.record), d.at
	}
	layout.PlaneSigns(b.records[:n], b.at[:n], b.signs[:n])
	for i, r := range b.records[:n] {
		h, d := r[0], b.run[i]
		if uint8(h) == layout.KindTable {
			const all = 1<<layout.TablePlanes - 1
			pos, neg := b.signs[i]>>1&all, b.signs[i]>>9&all
			table := r[layout.TableElement]
			if pos|neg == all && table>>(32+pos)&1 == 1 {
				dst[d.point&pointMask] = layout.ReferenceSide(h, table>>pos&1)
				b.scratch.points++
				continue
			}
		}
		b.run[left], b.at[left], b.records[left], b.first[left], b.agree[left], b.slot[left] = d, d.at, r, r, 3, uint16(left)
		b.lists[left].n = 0
		b.signs[left] = b.signs[i]
		left++
	}
	return left
}
