package neighbor

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// searchBlock is the number of bodies that a search compares between two checks of the context.
const searchBlock = 1024

func (g *grid[T]) build(ctx context.Context, p gridParams, workers int) error {
	n := len(g.input)
	g.bucket = slices.Grow(g.bucket[:0], n)[:n]
	if err := g.countExtents(ctx, workers); err != nil {
		return err
	}
	sizes := p.sizes
	if len(sizes) == 0 {
		sizes = g.sizes.chooseSizes(g.ops.axes)
	}
	if err := g.chooseLevels(ctx, sizes, workers); err != nil {
		return err
	}
	buckets := 0
	for at := range g.levels {
		if l := &g.levels[at]; l.n > 0 {
			l.setCells(p, g.ops.axes, buckets)
			buckets += int(l.buckets)
		}
	}
	if buckets > math.MaxInt32 {
		return fmt.Errorf("the hash table for %d bodies needs %d buckets, but the limit is %d", n, buckets, math.MaxInt32)
	}
	err := par.Blocks(ctx, n, blockSize, workers, func(_, lo, hi int) {
		var b bvh.Box
		for i := lo; i < hi; i++ {
			if at := g.bucket[i]; at >= 0 {
				l := &g.levels[at]
				g.ops.bounds(&b, &g.input[i])
				g.bucket[i] = l.bucket(l.cellOf(b.Min))
			}
		}
	})
	if err != nil {
		return err
	}
	g.sortByBucket(buckets)
	return par.Blocks(ctx, len(g.ids), blockSize, workers, func(_, lo, hi int) {
		for i, id := range g.ids[lo:hi] {
			g.bodies[lo+i] = g.input[id]
		}
		g.ops.normalize(g.bodies[lo:hi])
	})
}

// countExtents sets bucket[i] to the bin of the extent of body i, or to −1 if the body is absent.
// It also counts the bodies in each bin.
func (g *grid[T]) countExtents(ctx context.Context, workers int) error {
	worlds := make([]bvh.Box, workers)
	for w := range worlds {
		worlds[w] = bvh.EmptyBox()
	}
	err := par.Blocks(ctx, len(g.input), blockSize, workers, func(worker, lo, hi int) {
		world := worlds[worker]
		var b bvh.Box
		for i := lo; i < hi; i++ {
			if g.ops.absent(&g.input[i]) {
				g.bucket[i] = -1
				continue
			}
			g.ops.bounds(&b, &g.input[i])
			g.bucket[i] = int32(bin(extent(&b)))
			world = world.Add(b.Min)
		}
		worlds[worker] = world
	})
	if err != nil {
		return err
	}
	g.sizes.world = bvh.EmptyBox()
	for _, w := range worlds {
		g.sizes.world = g.sizes.world.Union(w)
	}
	g.sizes.countBins(g.bucket)
	return nil
}

// partialLevel has the sums of one level for the bodies that one worker examines.
type partialLevel struct {
	n     int
	begin bvh.Box
	reach r3.Vector
}

// chooseLevels sets bucket[i] to the index of the level of body i. Level 0 has the largest size.
func (g *grid[T]) chooseLevels(ctx context.Context, sizes []float64, workers int) error {
	shares := make([][]partialLevel, workers)
	for w := range shares {
		shares[w] = make([]partialLevel, len(sizes))
		for l := range shares[w] {
			shares[w][l].begin = bvh.EmptyBox()
		}
	}
	g.sizes.setLevels(sizes)
	err := par.Blocks(ctx, len(g.bucket), blockSize, workers, func(worker, lo, hi int) {
		mine := shares[worker]
		var b bvh.Box
		for i := lo; i < hi; i++ {
			if g.bucket[i] < 0 {
				continue
			}
			g.ops.bounds(&b, &g.input[i])
			at := int(g.sizes.level[int(g.bucket[i])-g.sizes.min])
			for e := extent(&b); at < len(sizes)-1 && sizes[at] < e; {
				at++
			}
			at = len(sizes) - 1 - at
			g.bucket[i] = int32(at)
			s := &mine[at]
			s.n++
			s.begin = s.begin.Add(b.Min)
			s.reach = maxVector(s.reach, b.Max.Sub(b.Min))
		}
	})
	if err != nil {
		return err
	}
	g.levels = slices.Grow(g.levels[:0], len(sizes))[:len(sizes)]
	for at := range g.levels {
		l := &g.levels[at]
		*l = level{begin: bvh.EmptyBox()}
		for w := range shares {
			s := &shares[w][at]
			l.n += s.n
			l.begin = l.begin.Union(s.begin)
			l.reach = maxVector(l.reach, s.reach)
		}
		// The factor covers the rounding of extents, a relative error of at most 2^-53.
		l.reach = l.reach.Mul(1 + 0x1p-51)
	}
	return nil
}

// maxVector returns the larger of the two coordinates of a and b on each axis.
func maxVector(a, b r3.Vector) r3.Vector {
	return r3.Vector{X: max(a.X, b.X), Y: max(a.Y, b.Y), Z: max(a.Z, b.Z)}
}

func (g *grid[T]) sortByBucket(buckets int) {
	g.start = slices.Grow(g.start[:0], buckets+1)[:buckets+1]
	clear(g.start)
	for _, b := range g.bucket {
		if b >= 0 {
			g.start[b]++
		}
	}
	sum := int32(0)
	for b, n := range g.start {
		sum += n
		g.start[b] = sum // end of bucket b
	}
	g.ids = slices.Grow(g.ids[:0], int(sum))[:sum]
	g.bodies = slices.Grow(g.bodies[:0], int(sum))[:sum]
	for i := len(g.bucket) - 1; i >= 0; i-- {
		if b := g.bucket[i]; b >= 0 {
			g.start[b]--
			g.ids[g.start[b]] = int32(i)
		}
	}
}
