package collide

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/nearest"
)

// blockQueries is the number of queries that a worker takes at a time: some microseconds each.
// tuning.
const blockQueries = 16

// step is the memory of a step. Later steps reuse it.
type step struct {
	queries []query // two for each pair of bodies, in the order of the pairs
	order   []int32 // queries sorted by the shape of b, then by number
	workers []worker
	starts  []int // of the shapes in pts, and the end

	// The candidate nodes, by the shape of b and in its frame.
	pts   []r3.Vector
	nodes []int32
	sides []inpoly.Side

	// The candidates that are not outside.
	hitStarts []int
	hits      []int32 // their indices in nodes
	hitPts    []r3.Vector
	found     []nearest.Result

	contacts []Contact
	touching []FacePair

	stats   Stats
	timings Timings
}

// query asks which nodes of a are in b.
type query struct {
	a, b   int32
	apart  bool    // the balls of the bodies do not meet
	toB    frame   // from the frame of a to the frame of b
	region bvh.Box // in the frame of a, beyond which nothing of a is in the box of b
	bound  float64 // see nodeBound

	span     span // of nodes, in the results of a worker
	first    int  // index of the first node in step.pts
	hit      int  // index of the first node that is not outside in step.hits
	hitCount int
	out      int  // index of the first contact
	faces    span // of triangles that touch; only in the first query of a pair
}

// span is a range of the results of a worker.
type span struct {
	worker, first, count int
}

// worker is the scratch and the results of a goroutine.
type worker struct {
	id       int
	walk     bvh.BoxWalk
	pts      []r3.Vector
	nodes    []int32
	keys     []int64 // node and number in step.nodes
	faces    faceWorker
	examined uint64
}

// Step finds the contacts of the bodies in their present poses; see Contacts and FacePairs. If it
// fails, there are no contacts.
//
// Errors: the error of ctx; the errors of Options.Broad.
func (w *World) Step(ctx context.Context) error {
	s := &w.step
	s.contacts, s.touching = s.contacts[:0], s.touching[:0]
	for i := len(s.workers); i < par.Workers(w.opt.Workers); i++ {
		s.workers = append(s.workers, worker{id: i})
	}
	if err := w.phases(ctx); err != nil {
		s.contacts, s.touching = s.contacts[:0], s.touching[:0]
		return fmt.Errorf("collide: %w", err)
	}
	s.stats.Steps++
	s.stats.Pairs += uint64(len(s.queries) / 2)
	s.stats.Contacts += uint64(len(s.contacts))
	s.stats.FacePairs += uint64(len(s.touching))
	return nil
}

// phases runs the phases of Step and takes their times.
func (w *World) phases(ctx context.Context) error {
	t := &w.step.timings
	clock := time.Now()
	lap := func(d *time.Duration) {
		now := time.Now()
		*d += now.Sub(clock)
		clock = now
	}
	if err := w.broad.Update(ctx, w.boxes); err != nil {
		return err
	}
	lap(&t.Broad)
	if err := w.gather(ctx); err != nil {
		return err
	}
	lap(&t.Filter)
	if err := w.ask(ctx); err != nil {
		return err
	}
	lap(&t.Sides)
	if err := w.search(ctx); err != nil {
		return err
	}
	lap(&t.Depths)
	if err := w.report(ctx); err != nil {
		return err
	}
	lap(&t.Contacts)
	if w.opt.Triangles != NoTriangles {
		if err := w.findTouching(ctx); err != nil {
			return err
		}
		lap(&t.Triangles)
	}
	return nil
}

// blocks calls work for all queries, block by block, on all workers.
func (w *World) blocks(ctx context.Context, work func(q *query, k *worker)) error {
	s := &w.step
	return par.Blocks(ctx, len(s.queries), blockQueries, len(s.workers), func(k, lo, hi int) {
		for i := lo; i < hi; i++ {
			work(&s.queries[i], &s.workers[k])
		}
	})
}

// ask finds the sides of all candidate nodes.
func (w *World) ask(ctx context.Context) error {
	s := &w.step
	s.sides = resize(s.sides, len(s.pts))
	for h, shape := range w.shapes {
		lo, hi := s.starts[h], s.starts[h+1]
		if lo == hi {
			continue
		}
		if err := shape.solid.SidesTo(ctx, s.sides[lo:hi], s.pts[lo:hi]); err != nil {
			return err
		}
	}
	s.stats.Queried += uint64(len(s.pts))
	return nil
}

// search finds the nearest point of the surface for all nodes that are not outside.
func (w *World) search(ctx context.Context) error {
	if err := w.keepHits(ctx); err != nil {
		return err
	}
	s := &w.step
	s.found = resize(s.found, len(s.hits))
	for h, shape := range w.shapes {
		lo, hi := s.hitStarts[h], s.hitStarts[h+1]
		if lo == hi {
			continue
		}
		if err := shape.near.ClosestTo(ctx, s.found[lo:hi], s.hitPts[lo:hi], w.opt.Workers); err != nil {
			return err
		}
	}
	return nil
}

// keepHits lists the nodes that are not outside, in the order of step.order and by node in each
// query.
func (w *World) keepHits(ctx context.Context) error {
	s := &w.step
	err := w.blocks(ctx, func(q *query, _ *worker) {
		for _, side := range s.sides[q.first : q.first+q.span.count] {
			if side != inpoly.Outside {
				q.hitCount++
			}
		}
	})
	if err != nil {
		return err
	}
	s.hitStarts = resize(s.hitStarts, len(w.shapes)+1)
	clear(s.hitStarts)
	total := 0
	for _, i := range s.order {
		q := &s.queries[i]
		q.hit = total
		total += q.hitCount
		s.hitStarts[w.shape[q.b]+1] = total
	}
	for h := range w.shapes {
		s.hitStarts[h+1] = max(s.hitStarts[h+1], s.hitStarts[h])
	}
	s.hits, s.hitPts = resize(s.hits, total), resize(s.hitPts, total)
	return w.blocks(ctx, func(q *query, k *worker) {
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

// resize returns a slice of n arbitrary elements, in the memory of x if that is large enough.
func resize[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }
