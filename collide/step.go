package collide

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/neighbor"
)

// blockQueries is the number of queries in a block. Each query takes some microseconds. // tuning
const blockQueries = 16

// blockFilter is the number of pairs of bodies in a block of gather. // tuning
const blockFilter = 32

type step struct {
	pairs   []neighbor.Pair // pairs of bodies of the current portion
	queries []query         // two queries for each pair of bodies that can touch, in the order of the pairs
	blocks  []block         // results of gather, in the order of the queries
	order   []int32         // indices of the queries, sorted by the shape of body b, then by index
	workers []worker
	starts  []int // starts[h] is the start of the range of shape h in pts; the last element is len(pts)

	// pts has the positions of the candidate nodes in the frame of body b, ordered by the shape of
	// body b. nodes has the numbers of these vertices in body a, and sides has their sides.
	pts   []r3.Vector
	nodes []int32
	sides []inpoly.Side

	// A hit is a candidate node that is not outside.
	hitStarts []int   // hitStarts[h] is the start of the range of shape h in hits; the last element is len(hits)
	hits      []int32 // indices of hits in pts, nodes and sides
	hitPts    []r3.Vector
	found     []nearest.Result

	contacts []Contact
	touching []FacePair

	stats   Stats
	timings Timings
}

// query describes a search for the nodes of body a that are in body b.
type query struct {
	a, b int32
	toB  motion.Frame // motion from the frame of a to the frame of b
	// region is a box in the frame of a. It contains every part of a that is in the box of b.
	region bvh.Box
	bound  float64 // error of a node position; see nodeBound
	touch  float64 // a node at most this far from the surface of b touches b; see poseBound

	span     span // range of the candidate nodes in the results of a worker
	first    int  // index of the first candidate node in step.pts
	hit      int  // index of the first hit in step.hits
	hitCount int
	out      int // index of the first contact in step.contacts
	// faces is the range of the face pairs in the results of a worker. Of the two queries of a pair
	// of bodies, only the first has this range.
	faces span
	tests uint64 // number of pairs of triangles that were compared
	done  bool   // the search for touching faces has ended
}

// block describes a block of pairs of bodies: the ranges of their queries.
type block struct {
	span
	pairs    int    // number of pairs that were searched
	examined uint64 // number of nodes that were compared
}

// span is a range of the results of a worker.
type span struct {
	worker, first, count int
}

type worker struct {
	id       int
	queries  []query
	walk     bvh.BoxWalk
	pts      []r3.Vector
	nodes    []int32
	keys     []int64 // temporary sort keys: number of the node, then its index in step.nodes
	faces    faceWorker
	nearest  nearest.Scratch
	examined uint64
}

// Step finds the contacts of the bodies in their current poses; see Contacts and FacePairs. If Step
// fails, there are no contacts.
//
// Errors: the error of ctx; ErrPairs; the errors of Options.Broad.
func (w *World) Step(ctx context.Context) error {
	s := &w.step
	err := w.advance(ctx, portion{pairs: math.MaxInt, nodes: math.MaxInt, faces: math.MaxInt}, func([]Contact, []FacePair) error { return nil })
	if err != nil {
		s.contacts, s.touching = s.contacts[:0], s.touching[:0]
	}
	return err
}

// StepTo is like Step, but passes the contacts and the pairs of faces to visit in portions. Apart
// from the pairs of bodies, StepTo needs bounded memory, while Step keeps all results of a step.
// The portions are in the order of Contacts and FacePairs, and are valid until visit returns. After
// StepTo, Contacts and FacePairs return nothing. If StepTo fails, visit may have received a part of
// the results.
//
// Errors: the errors of Step; the error of visit, not wrapped.
func (w *World) StepTo(ctx context.Context, visit func(contacts []Contact, faces []FacePair) error) error {
	s := &w.step
	err := w.advance(ctx, smallPortion, visit)
	s.contacts, s.touching = s.contacts[:0], s.touching[:0]
	return err
}

// forEachQuery calls work for each query. Each worker takes blocks of queries.
func (w *World) forEachQuery(ctx context.Context, work func(q *query, k *worker)) error {
	s := &w.step
	return par.Blocks(ctx, len(s.queries), blockQueries, len(s.workers), func(k, lo, hi int) {
		for i := lo; i < hi; i++ {
			work(&s.queries[i], &s.workers[k])
		}
	})
}

func (w *World) findSides(ctx context.Context) error {
	s := &w.step
	s.sides = resize(s.sides, len(s.pts))
	err := w.forEachShape(s.starts, func(h *shape, lo, hi int) error {
		return h.solid.SidesTo(ctx, s.sides[lo:hi], s.pts[lo:hi])
	})
	if err != nil {
		return err
	}
	s.stats.Queried += uint64(len(s.pts))
	return w.findTouchingNodes(ctx)
}

// findTouchingNodes sets the side of each node within q.touch of the surface to OnSurface, if its
// side is Outside. Because the box of body b was widened to find these nodes, some nodes are
// outside the box of an open mesh. These nodes become Outside, unless they touch the surface.
func (w *World) findTouchingNodes(ctx context.Context) error {
	s := &w.step
	return w.forEachQuery(ctx, func(q *query, k *worker) {
		b := w.shapes[w.shape[q.b]]
		k.nearest.Done = ctx.Done()
		for i := q.first; i < q.first+q.span.count; i++ {
			p := s.pts[i]
			if s.sides[i] != inpoly.Outside && b.box.Contains(p) {
				continue
			}
			s.sides[i] = inpoly.Outside
			if b.near.Within(p, q.touch, &k.nearest) {
				s.sides[i] = inpoly.OnSurface
			}
		}
	})
}

func (w *World) findNearest(ctx context.Context) error {
	if err := w.listHits(ctx); err != nil {
		return err
	}
	s := &w.step
	s.found = resize(s.found, len(s.hits))
	return w.forEachShape(s.hitStarts, func(h *shape, lo, hi int) error {
		return h.near.ClosestTo(ctx, s.found[lo:hi], s.hitPts[lo:hi], w.opt.Workers)
	})
}

// forEachShape calls visit for each shape with a nonempty range. The range of shape i is from
// starts[i] to starts[i+1].
func (w *World) forEachShape(starts []int, visit func(h *shape, lo, hi int) error) error {
	for i, h := range w.shapes {
		if lo, hi := starts[i], starts[i+1]; lo < hi {
			if err := visit(h, lo, hi); err != nil {
				return err
			}
		}
	}
	return nil
}

// layOut assigns consecutive ranges to the queries, in the order of step.order. For a query and the
// start of its range, count returns the length of the range. layOut returns the ranges of the
// shapes, for forEachShape. layOut reuses the memory of starts.
func (w *World) layOut(starts []int, count func(q *query, first int) int) []int {
	s := &w.step
	starts = resize(starts, len(w.shapes)+1)
	clear(starts)
	total := 0
	for _, i := range s.order {
		q := &s.queries[i]
		total += count(q, total)
		starts[w.shape[q.b]+1] = total
	}
	for h := range w.shapes {
		starts[h+1] = max(starts[h+1], starts[h])
	}
	return starts
}

// listHits lists the candidate nodes that are not outside. The hits are in the order of their
// queries in step.order. The hits of one query are sorted by node number.
func (w *World) listHits(ctx context.Context) error {
	s := &w.step
	err := w.forEachQuery(ctx, func(q *query, _ *worker) {
		for _, side := range s.sides[q.first : q.first+q.span.count] {
			if side != inpoly.Outside {
				q.hitCount++
			}
		}
	})
	if err != nil {
		return err
	}
	s.hitStarts = w.layOut(s.hitStarts, func(q *query, first int) int {
		q.hit = first
		return q.hitCount
	})
	total := s.hitStarts[len(w.shapes)]
	s.hits, s.hitPts = resize(s.hits, total), resize(s.hitPts, total)
	return w.forEachQuery(ctx, func(q *query, k *worker) {
		k.keys = k.keys[:0]
		for i := q.first; i < q.first+q.span.count; i++ {
			if s.sides[i] != inpoly.Outside {
				k.keys = append(k.keys, int64(s.nodes[i])<<32|int64(i))
			}
		}
		slices.Sort(k.keys)
		for n, key := range k.keys {
			i := int32(key & math.MaxUint32)
			s.hits[q.hit+n], s.hitPts[q.hit+n] = i, s.pts[i]
		}
	})
}

// resize returns a slice of n arbitrary elements. It reuses the memory of x if that is large
// enough.
func resize[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }
