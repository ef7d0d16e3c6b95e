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

// mortonSorter sorts up to maxSort points at once. More points at once are better: successive
// points are then closer together. Package internal/morton sorts at most 2¹⁶ points.
type mortonSorter struct {
	keys, buffer []uint64
	one          [1]uint64 // the keys of a single point
}

// sortedKeys returns one key for each point, in the Morton order of the points in a grid of 1024³
// cells over the box. The low indexBits of a key are the index of its point. A point outside the
// grid belongs to the nearest cell. A NaN coordinate counts as the lowest coordinate. The result is
// valid until the next call.
func (s *mortonSorter) sortedKeys(ctx context.Context, pts []r3.Vector, box bvh.Box, workers int) ([]uint64, error) {
	n := len(pts)
	if n == 1 {
		s.one[0] = 0
		return s.one[:], ctx.Err()
	}
	if cap(s.keys) < n {
		s.keys, s.buffer = make([]uint64, n), make([]uint64, n)
	}
	keys, buffer := s.keys[:n], s.buffer[:n]
	size := box.Size()
	sx, sy, sz := cellsPer(size.X), cellsPer(size.Y), cellsPer(size.Z)
	if err := par.Blocks(ctx, n, 1<<14, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			p := &pts[i]
			code := spread(cell((p.X-box.Min.X)*sx)) | spread(cell((p.Y-box.Min.Y)*sy))<<1 | spread(cell((p.Z-box.Min.Z)*sz))<<2
			keys[i] = code<<indexBits | uint64(i)
		}
	}); err != nil {
		return nil, err
	}
	var counts [3][digits]uint32
	for _, k := range keys {
		counts[0][k>>indexBits&(digits-1)]++
		counts[1][k>>(indexBits+axisBits)&(digits-1)]++
		counts[2][k>>(indexBits+2*axisBits)&(digits-1)]++
	}
	for pass := range counts {
		sortDigit(buffer, keys, indexBits+uint(pass)*axisBits, &counts[pass])
		keys, buffer = buffer, keys
	}
	return keys, nil
}

// sortDigit sorts src into dst by one digit. counts holds the number of keys with each digit.
func sortDigit(dst, src []uint64, shift uint, counts *[digits]uint32) {
	sum := uint32(0)
	for i, c := range counts {
		counts[i] = sum
		sum += c
	}
	for _, k := range src {
		d := k >> shift & (digits - 1)
		dst[counts[d]] = k
		counts[d]++
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
