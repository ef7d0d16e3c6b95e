package cells

import (
	"context"

	"github.com/inpoly/inpoly/internal/par"
)

// someBricks is how many bricks a worker takes at a time.
const someBricks = 8

// build fills the grid of x, whose bricks have the given faces.
func (x *Index) build(ctx context.Context, faces *assignment, workers int) error {
	workers = par.Workers(workers)
	k := &linker{x: x}
	if err := x.makeBricks(ctx, k, faces, workers); err != nil {
		return err
	}
	if err := k.link(ctx); err != nil {
		return err
	}
	k.publish()
	late, err := k.refer(ctx, workers)
	if err != nil {
		return err
	}
	if err := k.settle(ctx, late); err != nil {
		return err
	}
	if err := x.finish(ctx, k); err != nil {
		return err
	}
	if x.shape.Handed > 0 || x.veil != nil {
		_, err = x.rays(ctx) // now, not when the first point asks for it
	}
	return err
}

// scale returns the number of cells of a level along an edge of the first.
func (x *Index) scale(level int) float64 { return float64(uint64(1) << (childBits * level)) }

// makeBricks makes words and lines of all bricks that have faces, and their
// connected sets of empty cells.
func (x *Index) makeBricks(ctx context.Context, k *linker, faces *assignment, workers int) error {
	count := len(faces.crossed)
	x.gridOf = faces.crossed
	x.words = make([]word, count*brickSide)
	x.base = make([]uint32, count*brickSide)
	var chunks store
	builders := make([]builder, min(workers, count/someBricks+1))
	parts := make([][]block, (count+someBricks-1)/someBricks)
	sizes := make([]int32, count+1)
	for i := range builders {
		builders[i] = builder{ctx: ctx, x: x, store: &chunks, open: -1}
	}
	err := par.Blocks(ctx, count, someBricks, len(builders), func(worker, from, to int) {
		b := &builders[worker]
		var found []block
		for n := from; n < to; n++ {
			lo := x.brickAt(faces.crossed[n])
			for a := range lo {
				lo[a] *= brickSide
			}
			b.brick(n, lo, faces.faces[faces.start[n]:faces.start[n+1]])
			var free block
			for z := range free {
				free[z] = ^x.words[n*brickSide+z].crossed
			}
			before := len(found)
			free.parts(func(p block) { found = append(found, p) })
			sizes[n+1] = int32(len(found) - before)
		}
		parts[from/someBricks] = found
	})
	if err != nil {
		return err
	}
	for i := range builders {
		builders[i].close()
	}
	x.chunks = chunks.chunks
	for i := range builders {
		b := &builders[i]
		// The children of this worker get their final numbers.
		for j := range b.children {
			c := &b.children[j]
			x.line(c.id)[5] = uint64(len(k.children))
			parts4(^x.line(c.id)[1], func(p uint64) { c.parts = append(c.parts, p) })
			k.children = append(k.children, *c)
		}
		x.shape.add(b.shape)
	}
	for n := range count {
		sizes[n+1] += sizes[n]
	}
	k.first = sizes
	k.parts = make([]block, 0, sizes[count])
	for _, p := range parts {
		k.parts = append(k.parts, p...)
	}
	k.brickOf = make([]int32, int(x.dims[0])*int(x.dims[1])*int(x.dims[2]))
	for i := range k.brickOf {
		k.brickOf[i] = -1
	}
	for n, b := range faces.crossed {
		k.brickOf[b] = int32(n)
	}
	k.offset = 1 + int32(len(k.brickOf))
	return nil
}

func (s *Shape) add(o Shape) {
	s.Bricks += o.Bricks
	s.Crossed += o.Crossed
	s.Entries += o.Entries
	s.Handed += o.Handed
	s.Depth = max(s.Depth, o.Depth)
}

// publish makes W of the sets readable by many workers.
func (k *linker) publish() {
	k.value = make([]int32, len(k.sets.parent))
	k.final = make([]bool, len(k.sets.parent))
	for i := range k.value {
		k.value[i], k.final[i] = k.sets.w(int32(i))
	}
}

// refer chooses the references of all leaves; it returns those that have to
// wait.
func (k *linker) refer(ctx context.Context, workers int) (late []located, err error) {
	x := k.x
	count := len(x.gridOf)
	referrers := make([]referrer, workers)
	for i := range referrers {
		referrers[i].k = k
	}
	err = par.Blocks(ctx, count, someBricks, workers, func(worker, from, to int) {
		for n := from; n < to; n++ {
			referrers[worker].brick(int32(n))
		}
	})
	if err != nil {
		return nil, err
	}
	err = par.Blocks(ctx, len(k.children), 4*someBricks, workers, func(worker, from, to int) {
		for i := from; i < to; i++ {
			referrers[worker].children(&k.children[i])
		}
	})
	for i := range referrers {
		late = append(late, referrers[i].late...)
		x.handLists(referrers[i].large)
	}
	return late, err
}
