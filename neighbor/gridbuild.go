package neighbor

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

const (
	buildBlock  = 4096 // bodies, or buckets, a block
	searchBlock = 1024 // bodies a block
)

// build sets the grid to the bodies.
func (g *grid[T]) build(ctx context.Context, k *kernel[T], bodies []T, sizes []float64, workers int) error {
	n := len(bodies)
	g.bounds = slices.Grow(g.bounds[:0], n)[:n]
	g.bucket = slices.Grow(g.bucket[:0], n)[:n]
	g.rows = slices.Grow(g.rows[:0], n)[:n]
	err := par.Blocks(ctx, n, buildBlock, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if g.bucket[i] = 0; k.absent(&bodies[i]) {
				g.bucket[i] = -1
				continue
			}
			k.bounds(&g.bounds[i], &bodies[i])
		}
	})
	if err != nil {
		return err
	}
	if len(sizes) == 0 {
		sizes = g.chooseSizes(k.axes)
	}
	if err := g.chooseLevels(ctx, sizes, workers); err != nil {
		return err
	}
	buckets := g.layRows(k.axes)
	err = par.Blocks(ctx, n, buildBlock, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if at := g.bucket[i]; at >= 0 {
				l := &g.levels[at]
				r := row{y: l.rowY(g.bounds[i].Min.Y), z: l.rowZ(g.bounds[i].Min.Z)}
				g.rows[i], g.bucket[i] = r, l.bucket(r.y, r.z)
			}
		}
	})
	if err != nil {
		return err
	}
	g.distribute(buckets)
	m := len(g.keys)
	g.bodies = slices.Grow(g.bodies[:0], m)[:m]
	g.ids = slices.Grow(g.ids[:0], m)[:m]
	g.from = slices.Grow(g.from[:0], m)[:m]
	return par.Blocks(ctx, buckets, buildBlock, workers, func(_, lo, hi int) {
		for b := lo; b < hi; b++ {
			sortKeys(g.keys[g.start[b]:g.start[b+1]])
		}
		for i := g.start[lo]; i < g.start[hi]; i++ {
			key := g.keys[i]
			g.bodies[i], g.ids[i], g.from[i] = bodies[key.id], key.id, key.from
		}
	})
}

// chooseSizes returns cell sizes by the recipe of OptimalLevels, where radii are half the largest
// extent rounded up to the end of a bin, and the world is the box of the bodies.
func (g *grid[T]) chooseSizes(axes int) []float64 {
	h := &g.sizes
	h.reset()
	world := bvh.EmptyBox()
	for i, at := range g.bucket {
		if at < 0 {
			continue
		}
		b := bin(extent(&g.bounds[i]))
		h.count[b]++
		h.min, h.max = min(h.min, b), max(h.max, b)
		world = world.Add(g.bounds[i].Min)
	}
	var radii []float64
	var upTo []int
	sum := 0
	for b := h.min; b <= h.max; b++ {
		if c := int(h.count[b]); c > 0 {
			sum += c
			radii, upTo = append(radii, binEnd(b)/2), append(upTo, sum)
		}
	}
	size := world.Size()
	side := math.Sqrt(size.X) * math.Sqrt(size.Y)
	if axes == 3 {
		side = math.Cbrt(size.X) * math.Cbrt(size.Y) * math.Cbrt(size.Z)
	}
	return newRecipe(radii, upTo, side, axes).optimal()
}

// share is what a worker knows of a level before all have finished.
type share struct {
	n     int
	box   bvh.Box
	reach [3]float64
}

// chooseLevels puts the bodies into levels: bucket becomes the index of the level, which is
// 0 for the largest size.
func (g *grid[T]) chooseLevels(ctx context.Context, sizes []float64, workers int) error {
	shares := make([][]share, par.Workers(workers))
	for w := range shares {
		shares[w] = make([]share, len(sizes))
		for l := range shares[w] {
			shares[w][l].box = bvh.EmptyBox()
		}
	}
	err := par.Blocks(ctx, len(g.bucket), buildBlock, workers, func(worker, lo, hi int) {
		mine := shares[worker]
		for i := lo; i < hi; i++ {
			if g.bucket[i] < 0 {
				continue
			}
			b := &g.bounds[i]
			e := extent(b)
			at := 0
			for at < len(sizes)-1 && sizes[at] < e {
				at++
			}
			at = len(sizes) - 1 - at
			g.bucket[i] = int32(at)
			s := &mine[at]
			s.n++
			s.box = s.box.Add(b.Min)
			s.reach[0] = max(s.reach[0], b.Max.X-b.Min.X)
			s.reach[1] = max(s.reach[1], b.Max.Y-b.Min.Y)
			s.reach[2] = max(s.reach[2], b.Max.Z-b.Min.Z)
		}
	})
	if err != nil {
		return err
	}
	g.levels = slices.Grow(g.levels[:0], len(sizes))[:len(sizes)]
	for at := range g.levels {
		l := &g.levels[at]
		*l = level{box: bvh.EmptyBox()}
		for w := range shares {
			s := &shares[w][at]
			l.n += s.n
			l.box = l.box.Union(s.box)
			for axis, r := range s.reach {
				l.reach[axis] = max(l.reach[axis], r)
			}
		}
		for axis := range l.reach {
			// The difference was rounded, perhaps down, by u of itself. If it is subnormal it is exact.
			l.reach[axis] *= 1 + 0x1p-51
		}
	}
	return nil
}

// layRows chooses width and table of the rows of all levels and returns the number of
// buckets.
func (g *grid[T]) layRows(axes int) int {
	first := 0
	for at := range g.levels {
		l := &g.levels[at]
		if l.n == 0 {
			continue
		}
		first = l.lay(axes, first)
	}
	return first
}

// Rows are as wide as makes rowLoad bodies of the level begin in the part of a row that a
// body of the level can meet, twice the reach long, but between minWidth and maxWidth times the
// reach. All three were measured.
const (
	rowLoad  = 1
	minWidth = .5
	maxWidth = 8
)

// lay chooses width and table of the rows of a level, whose first bucket is given; it returns
// the next free bucket.
func (l *level) lay(axes, first int) int {
	size := l.box.Size()
	reach := max(l.reach[0], l.reach[1], l.reach[2])
	// The volume in which bodies begin is at least a reach wide.
	x, y, z := max(size.X, reach), max(size.Y, reach), max(size.Z, reach)
	width := rowLoad * (x / float64(l.n)) / (2 * reach) * y
	if axes == 3 {
		width = math.Sqrt(width) * math.Sqrt(z)
	}
	width = min(max(width, minWidth*reach), maxWidth*reach)
	if reach == 0 { // points
		if width = y / float64(l.n); axes == 3 {
			width = math.Sqrt(y/float64(l.n)) * math.Sqrt(z)
		}
	}
	// The quotient below must not overflow.
	width = max(width, 0x1p-512)
	l.inverseY, l.inverseZ = 1/width, 1/width
	if axes == 2 {
		l.inverseZ = 0
	}
	l.maxY, l.maxZ = l.rowY(l.box.Max.Y), l.rowZ(l.box.Max.Z)
	l.ny, l.nz = power(l.maxY+1), power(l.maxZ+1)
	for int64(l.ny)*int64(l.nz) > 2*int64(l.n)+16 {
		if l.ny >= l.nz {
			l.ny /= 2
		} else {
			l.nz /= 2
		}
	}
	l.wraps = l.ny <= l.maxY || l.nz <= l.maxZ
	l.first = int32(first)
	return first + int(l.ny*l.nz)
}

// power returns the smallest power of two that is at least n, which is positive.
func power(n int32) int32 { return 1 << bits.Len32(uint32(n-1)) }

// maxRow is the last row: all that is beyond is in it.
const maxRow = 1 << 29

// rowY returns the row in which y lies. It never falls as y grows.
func (l *level) rowY(y float64) int32 { return rowNumber((y - l.box.Min.Y) * l.inverseY) }

func (l *level) rowZ(z float64) int32 { return rowNumber((z - l.box.Min.Z) * l.inverseZ) }

func rowNumber(x float64) int32 {
	switch {
	case x >= maxRow:
		return maxRow
	case x <= 0:
		return 0
	}
	return int32(x)
}

// bucket returns the bucket of a row.
func (l *level) bucket(y, z int32) int32 {
	return l.first + z&(l.nz-1)*l.ny + y&(l.ny-1)
}

// distribute sorts the bodies by bucket, by counting.
func (g *grid[T]) distribute(buckets int) {
	g.start = slices.Grow(g.start[:0], buckets+1)[:buckets+1]
	clear(g.start)
	for _, b := range g.bucket {
		if b >= 0 {
			g.start[b+1]++
		}
	}
	sum := int32(0)
	for b := range g.start {
		sum += g.start[b]
		g.start[b] = sum // where bucket b begins
	}
	g.keys = slices.Grow(g.keys[:0], int(sum))[:sum]
	for i, b := range g.bucket {
		if b >= 0 {
			g.keys[g.start[b]] = key{from: g.bounds[i].Min.X, id: int32(i)}
			g.start[b]++
		}
	}
	// Each start is where the bucket ends, which is where the next one begins.
	copy(g.start[1:], g.start[:buckets])
	g.start[0] = 0
}

// sortKeys sorts keys by where bodies begin, then by index.
func sortKeys(keys []key) {
	if len(keys) > insertionLength {
		slices.SortFunc(keys, func(a, b key) int {
			switch {
			case a.from < b.from:
				return -1
			case a.from > b.from:
				return 1
			}
			return int(a.id) - int(b.id)
		})
		return
	}
	for i := 1; i < len(keys); i++ {
		a := keys[i]
		k := i
		for ; k > 0 && keys[k-1].from > a.from; k-- { // equal ones are in order already
			keys[k] = keys[k-1]
		}
		keys[k] = a
	}
}
