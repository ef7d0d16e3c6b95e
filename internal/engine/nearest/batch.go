package nearest

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// blockSize is the largest number of points in a block. A worker takes about half a millisecond for
// a block. The worker checks the context after every runSize points.
const (
	blockSize = 1 << 10 // tuning
	runSize   = 1 << 6  // tuning
)

// ClosestTo writes the result of Closest(pts[i]) to dst[i], bit for bit, with the given number of
// workers. If workers ≤ 0, it uses one worker for each processor. The results do not depend on the
// number of workers. ClosestTo panics if dst and pts differ in length.
//
// ClosestTo sorts a million points at a time along a space-filling curve, which takes 16 bytes for
// each point. The Searcher counts the points of all batches. When this count reaches a quarter of
// the number of faces, ClosestTo builds the OBB tree. The Searcher keeps the tree, which takes
// about 130 bytes for each face.
//
// If ctx ends first, ClosestTo wraps and returns the error of ctx. Points without a result then
// have the Distance NaN and the Face −1.
func (s *Searcher) ClosestTo(ctx context.Context, dst []Result, pts []r3.Vector, workers int) error {
	if len(dst) != len(pts) {
		panic(fmt.Sprintf("nearest: dst has length %d, but there are %d points", len(dst), len(pts)))
	}
	none := noResult()
	for i := range dst {
		dst[i] = none
	}
	return s.eachRun(ctx, pts, workers, true, func(_ *worker, lo int, order []uint64, found []Result) {
		for k := range found {
			dst[lo+int(order[k]&indexMask)] = found[k]
		}
	})
}

// DistancesTo writes only the distances and faces of the results of ClosestTo. A point without a
// result has the distance NaN and the face −1.
func (s *Searcher) DistancesTo(ctx context.Context, d []float64, face []int32, pts []r3.Vector, workers int) error {
	if len(d) != len(pts) || len(face) != len(pts) {
		panic(fmt.Sprintf("nearest: %d distances and %d faces for %d points: the three numbers must be equal", len(d), len(face), len(pts)))
	}
	for i := range d {
		d[i], face[i] = math.NaN(), -1
	}
	return s.eachRun(ctx, pts, workers, false, func(_ *worker, lo int, order []uint64, found []Result) {
		d, face := d[lo:], face[lo:]
		for k := range found {
			i, r := order[k]&indexMask, &found[k]
			d[i], face[i] = r.Distance, r.Face
		}
	})
}

// eachRun calls write once for each run of points, from several goroutines, until ctx ends.
// found[k] is the result for point lo + order[k]&indexMask. If withPoint is false, the field Point of
// the results is undefined.
func (s *Searcher) eachRun(ctx context.Context, pts []r3.Vector, workers int, withPoint bool, write func(w *worker, lo int, order []uint64, found []Result)) error {
	t, err := s.obb.For(ctx, int64(len(pts)), workers)
	if err != nil {
		return fmt.Errorf("nearest: %w", err)
	}
	workers = par.Workers(workers)
	// In a small batch, make the blocks smaller so that every worker gets some points.
	size := min(blockSize, max(runSize, len(pts)/(4*workers)))
	workers = min(workers, (len(pts)+size-1)/size)
	b := s.getBatch(workers)
	defer s.putBatch(b)
	for lo := 0; lo < len(pts); lo += maxSort {
		part := pts[lo:min(len(pts), lo+maxSort)]
		order, err := b.sorter.sortedKeys(ctx, part, s.tree.Bounds(), workers)
		if err == nil {
			err = par.Blocks(ctx, len(part), size, workers, func(worker, from, to int) {
				b.workers[worker].processRuns(ctx, s, t, part, order[from:to], withPoint, func(order []uint64, found []Result) { write(&b.workers[worker], lo, order, found) })
			})
		}
		if err != nil {
			return fmt.Errorf("nearest: %w", err)
		}
	}
	return nil
}

type batch struct {
	sorter  mortonSorter
	workers []worker
}

type worker struct {
	scratch Scratch
	walk    obbWalk
	pts     [runSize]r3.Vector
	found   [runSize]Result
	touched uint64 // keeps the compiler from removing loads that only fill the cache
}

func (s *Searcher) getBatch(workers int) *batch {
	var b *batch
	select {
	case b = <-s.idle:
	default:
		b = new(batch)
	}
	if len(b.workers) < workers {
		b.workers = make([]worker, workers)
	}
	return b
}

// putBatch stores b for later calls. It drops b if another batch is already stored.
func (s *Searcher) putBatch(b *batch) {
	for i := range b.workers {
		b.workers[i].scratch.Done = nil
	}
	select {
	case s.idle <- b:
	default:
	}
}

// processRuns searches for the points run by run, in the given order. It first copies the points of
// a run, so that the processor loads many cache lines at the same time.
func (b *worker) processRuns(ctx context.Context, s *Searcher, t *obbTree, pts []r3.Vector, order []uint64, withPoint bool, write func(order []uint64, found []Result)) {
	b.scratch.Done = ctx.Done()
	for len(order) > 0 {
		if ctx.Err() != nil {
			return
		}
		run := order[:min(len(order), runSize)]
		order = order[len(run):]
		for k, key := range run {
			b.pts[k] = pts[key&indexMask]
		}
		if t != nil {
			for lo := 0; lo < len(run); lo += groupSize {
				hi := min(len(run), lo+groupSize)
				t.closestTo(s, b.found[lo:hi], b.pts[lo:hi], &b.walk, withPoint, &b.scratch)
			}
		} else {
			for k, p := range b.pts[:len(run)] {
				b.found[k] = s.Closest(p, &b.scratch)
			}
		}
		write(run, b.found[:len(run)])
	}
}

const (
	axisBits  = 10 // 1024³ cells
	indexBits = 20
	indexMask = 1<<indexBits - 1
	digits    = 1 << axisBits
	maxSort   = 1 << indexBits
)

// leastPart is the least number of keys of a part of mortonSorter, if there is more than one part.
const leastPart = 1 << 14 // tuning

// mortonSorter sorts up to maxSort points at once. More points at once are better: successive
// points are then closer together. Package internal/morton sorts at most 2¹⁶ points.
type mortonSorter struct {
	keys, buffer []uint64
	counts       [][digits]uint32 // for each part of the keys, the number of keys with each digit
	one          [1]uint64        // the keys of a single point
}

// sortedKeys returns one key for each point, in the Morton order of the points in a grid of 1024³
// cells over the box. The low indexBits of a key are the index of its point. A point outside the
// grid belongs to the nearest cell. A NaN coordinate counts as the lowest coordinate. The result is
// valid until the next call.
func (s *mortonSorter) sortedKeys(ctx context.Context, pts []r3.Vector, box bvh.Box, workers int) ([]uint64, error) {
	n := len(pts)
	if n <= 1 {
		s.one[0] = 0
		return s.one[:n], ctx.Err()
	}
	if cap(s.keys) < n {
		s.keys, s.buffer = make([]uint64, n), make([]uint64, n)
	}
	parts := max(1, min(workers, n/leastPart))
	if len(s.counts) < parts {
		s.counts = make([][digits]uint32, parts)
	}
	p := &sorting{pts: pts, src: s.keys[:n], dst: s.buffer[:n], counts: s.counts[:parts], size: (n + parts - 1) / parts, origin: box.Min}
	size := box.Size()
	p.scale = r3.Vector{X: cellsPer(size.X), Y: cellsPer(size.Y), Z: cellsPer(size.Z)}
	err := p.run(ctx)
	for p.shift = indexBits; p.shift < indexBits+3*axisBits && err == nil; p.shift += axisBits {
		p.scatter = false
		if err = p.run(ctx); err == nil {
			p.sum()
			p.scatter = true
			err = p.run(ctx)
		}
		p.src, p.dst = p.dst, p.src
	}
	return p.src, err
}

// sorting is one call of sortedKeys. Each worker has a part of src and an element of counts.
type sorting struct {
	pts           []r3.Vector
	src, dst      []uint64
	counts        [][digits]uint32
	size          int // of a part
	origin, scale r3.Vector
	shift         uint // position of the current digit; 0 while the keys are computed
	scatter       bool // whether step writes to dst; else it counts
}

// run calls step for all parts. It allocates only if there are several.
func (s *sorting) run(ctx context.Context) error {
	if len(s.counts) == 1 {
		s.step(0, 0, len(s.src))
		return ctx.Err()
	}
	return par.Blocks(ctx, len(s.src), s.size, len(s.counts), s.step)
}

// step computes, counts or sorts the part src[lo:hi].
func (s *sorting) step(_, lo, hi int) {
	c, shift, dst := &s.counts[lo/s.size], s.shift, s.dst
	switch {
	case shift == 0:
		for i := lo; i < hi; i++ {
			p := s.pts[i].Sub(s.origin)
			code := spread(cell(p.X*s.scale.X)) | spread(cell(p.Y*s.scale.Y))<<1 | spread(cell(p.Z*s.scale.Z))<<2
			s.src[i] = code<<indexBits | uint64(i)
		}
	case s.scatter:
		for _, k := range s.src[lo:hi] {
			d := k >> shift & (digits - 1)
			dst[c[d]] = k
			c[d]++
		}
	default:
		*c = [digits]uint32{}
		for _, k := range s.src[lo:hi] {
			c[k>>shift&(digits-1)]++
		}
	}
}

// sum replaces the numbers of keys with each digit by the place of the first of them in dst.
func (s *sorting) sum() {
	sum := uint32(0)
	for d := range digits {
		for i := range s.counts {
			n := s.counts[i][d]
			s.counts[i][d] = sum
			sum += n
		}
	}
}

// cellsPer returns the number of cells per unit of length on an axis of the given size.
func cellsPer(size float64) float64 {
	if k := (1 << axisBits) / size; k <= math.MaxFloat64 {
		return k
	}
	return 0 // a flat or tiny box has one cell
}

func cell(x float64) uint64 {
	if !(x > 0) {
		return 0
	}
	return uint64(min(x, 1<<axisBits-1))
}

// spread inserts two zero bits between neighboring bits of x, which has axisBits bits.
func spread(x uint64) uint64 {
	x = (x | x<<16) & 0x030000ff
	x = (x | x<<8) & 0x0300f00f
	x = (x | x<<4) & 0x030c30c3
	return (x | x<<2) & 0x09249249
}
