package bvh

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/par"
)

// DefaultMaxLeaf is the default of Options.MaxLeaf. Measured with segments through
// a sphere of 131,072 triangles: leaves of up to 4 boxes save a tenth of the walk,
// some 15 ns, but pass 2.3 triangles to the caller instead of 1.2, and an exact test
// of one triangle costs more than that.
const DefaultMaxLeaf = 2 // tuning

// maxBoxes keeps node numbers, at most twice as many, within int32.
const maxBoxes = 1 << 30

// blockSize is the number of boxes that a worker takes at a time in passes over all
// boxes.
const blockSize = 1 << 14 // tuning

// maxMaxLeaf bounds Options.MaxLeaf, below parallelMin.
const maxMaxLeaf = 1024

// parallelMin is the number of boxes from which a part of the work gets a goroutine
// of its own: about a fifth of a millisecond of work.
const parallelMin = 2048 // tuning

// Options adjusts Build. The zero value is good.
type Options struct {
	Workers int // goroutines at most; 0 or less means GOMAXPROCS
	MaxLeaf int // boxes in a leaf at most, up to 1024; 0 or less means DefaultMaxLeaf
}

// BoxError names a box that Build refuses: it is empty (a minimum above its
// maximum), or a coordinate is infinite or NaN.
type BoxError struct {
	Index int
	Box   Box
}

// Error names the box by its number and its corners.
func (e *BoxError) Error() string {
	return fmt.Sprintf("bvh: box %d is empty or not finite: %v to %v", e.Index, e.Box.Min, e.Box.Max)
}

// Build makes a tree over the boxes, which must be finite and not empty. It only
// reads the slice and does not keep it. Without boxes the tree is empty. The tree
// depends on the boxes, their order and MaxLeaf, not on Workers. Build takes
// O(n log n) time and 44 bytes of memory per box in addition to the tree.
//
// Errors: *BoxError for the first box that is empty or not finite; an error if there
// are more than 2³⁰ boxes; the error of ctx if it ends first.
func Build(ctx context.Context, boxes []Box, opt Options) (*Tree, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("bvh: build: %w", err)
	}
	n := len(boxes)
	if n > maxBoxes {
		return nil, fmt.Errorf("bvh: %d boxes, more than %d", n, maxBoxes)
	}
	if n == 0 {
		return &Tree{}, nil
	}
	b := newBuilder(ctx, boxes, opt)
	bounds, err := b.check()
	if err != nil {
		return nil, err
	}
	// 1. Put the boxes on an integer grid. 2. Split them into a tree of ranges.
	// 3. Write the nodes, with exact boxes, into an array of the right size.
	b.records = make([]record, n)
	b.splits = make([]split, n)
	if err := b.quantizeAll(newGrid(bounds)); err != nil {
		return nil, err
	}
	all := b.divide(new(table), span{0, int32(n)}, 0, 0)
	if b.stopped.Load() {
		return nil, fmt.Errorf("bvh: build: %w", ctx.Err())
	}
	b.tree = &Tree{
		nodes: make([]node, 2+2*(int(all.same)+int(all.other))),
		index: make([]int32, n),
		quads: make([]quad, max(1, all.same)),
	}
	b.emit(part{span: span{0, int32(n)}, pair: 2, even: true})
	return b.tree, nil
}

// builder is the state of one Build, shared by its goroutines, each of which
// writes to its own ranges.
type builder struct {
	ctx     context.Context
	boxes   []Box
	workers int
	maxLeaf int32
	tokens  chan struct{} // one for each goroutine that may be started
	stopped atomic.Bool   // ctx has ended

	records []record // the boxes on a grid, permuted into the order of the leaves
	splits  []split  // how ranges of records are split, at places that divide fixes
	tree    *Tree
}

// split is one inner node before its place in the tree is known.
type split struct {
	mid   int32 // the right child's first record
	inner inner
}

// inner counts the inner nodes of a subtree by their depth: at even distances
// from its root, itself included, and at odd ones.
type inner struct{ same, other int32 }

// above returns the counts for a node with children that have these.
func above(l, r inner) inner {
	return inner{same: 1 + l.other + r.other, other: l.same + r.same}
}

// span is a range of records.
type span struct{ lo, hi int32 }

func (s span) len() int32 { return s.hi - s.lo }

func newBuilder(ctx context.Context, boxes []Box, opt Options) *builder {
	b := &builder{ctx: ctx, boxes: boxes, workers: par.Workers(opt.Workers), maxLeaf: DefaultMaxLeaf}
	if opt.MaxLeaf > 0 {
		b.maxLeaf = int32(min(opt.MaxLeaf, maxMaxLeaf))
	}
	b.tokens = make(chan struct{}, b.workers-1)
	return b
}

// fork joins the results of f and g. It runs them concurrently if a worker is free.
func fork[T any](b *builder, f, g func() T, join func(T, T) T) T {
	select {
	case b.tokens <- struct{}{}:
		other := make(chan T, 1)
		go func() {
			other <- f()
			<-b.tokens
		}()
		right := g()
		return join(<-other, right)
	default:
		left := f()
		return join(left, g())
	}
}

// check returns the union of the boxes, or a *BoxError for the first bad one.
func (b *builder) check() (Box, error) {
	var mu sync.Mutex
	bounds := EmptyBox()
	bad := len(b.boxes)
	err := par.Blocks(b.ctx, len(b.boxes), blockSize, b.workers, func(_, lo, hi int) {
		part, wrong := EmptyBox(), len(b.boxes)
		for i := lo; i < hi && wrong > i; i++ {
			if !b.boxes[i].finite() {
				wrong = i
			}
			part = part.cover(&b.boxes[i])
		}
		mu.Lock()
		defer mu.Unlock()
		bounds, bad = bounds.Union(part), min(bad, wrong)
	})
	if err != nil {
		return bounds, fmt.Errorf("bvh: build: %w", err)
	}
	if bad < len(b.boxes) {
		return bounds, &BoxError{Index: bad, Box: b.boxes[bad]}
	}
	return bounds, nil
}

// divide splits the records of s into a tree of ranges and returns the number of
// its inner nodes. A subtree over n records has at most n−1 inner nodes, so it owns
// the n−1 places of b.splits from place on: the first is for its root, the next
// left.len()−1 for the left child, the rest for the right one. The layout therefore
// does not depend on the schedule of the goroutines.
func (b *builder) divide(t *table, s span, place, depth int32) inner {
	n := s.len()
	if n <= b.maxLeaf {
		return inner{}
	}
	if n >= parallelMin && b.ctx.Err() != nil {
		b.stopped.Store(true)
	}
	if b.stopped.Load() {
		return inner{}
	}
	mid := b.partition(t, s, depth)
	l, r := span{s.lo, mid}, span{mid, s.hi}
	leftPlace, rightPlace := place+1, place+l.len()
	var in inner
	if n >= parallelMin {
		in = fork(b,
			func() inner { return b.divide(new(table), l, leftPlace, depth+1) },
			func() inner { return b.divide(new(table), r, rightPlace, depth+1) },
			above)
	} else {
		left := b.divide(t, l, leftPlace, depth+1)
		in = above(left, b.divide(t, r, rightPlace, depth+1))
	}
	b.splits[place] = split{mid: mid, inner: in}
	return in
}

// finite reports whether b is a box that a tree can hold.
func (b *Box) finite() bool {
	const m = math.MaxFloat64
	return -m <= b.Min.X && b.Min.X <= b.Max.X && b.Max.X <= m &&
		-m <= b.Min.Y && b.Min.Y <= b.Max.Y && b.Max.Y <= m &&
		-m <= b.Min.Z && b.Min.Z <= b.Max.Z && b.Max.Z <= m
}

// cover is Union for operands without NaN. It is faster: the built-in min and max spend
// time on NaN and −0. If one is −0 and the other is +0, it keeps the number of b.
func (b Box) cover(o *Box) Box {
	if o.Min.X < b.Min.X {
		b.Min.X = o.Min.X
	}
	if o.Min.Y < b.Min.Y {
		b.Min.Y = o.Min.Y
	}
	if o.Min.Z < b.Min.Z {
		b.Min.Z = o.Min.Z
	}
	if o.Max.X > b.Max.X {
		b.Max.X = o.Max.X
	}
	if o.Max.Y > b.Max.Y {
		b.Max.Y = o.Max.Y
	}
	if o.Max.Z > b.Max.Z {
		b.Max.Z = o.Max.Z
	}
	return b
}
