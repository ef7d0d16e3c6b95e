package main

import (
	"context"
	"math"
	"sync"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/points"
)

// question is what is asked for each point.
type question struct {
	solid             *inpoly.Solid
	columns           []points.Column
	winding, distance bool
	certify           bool          // the bound of the winding number
	sample            *sample       // of the answers; nil if none is wanted
	turn              chan struct{} // bounds how many blocks are asked at once

	mu    sync.Mutex
	work  inpoly.Stats
	bound float64 // largest error bound of a winding number
}

// newQuestion makes the question that the flags ask.
func newQuestion(solid *inpoly.Solid, f *flags) *question {
	// A batch uses all workers by itself; a second one fills the gap at its end.
	const atOnce = 2
	q := &question{solid: solid, winding: f.winding, distance: f.distance, certify: f.certify, turn: make(chan struct{}, atOnce)}
	first := points.Column{Name: "inside", Kind: points.Inside}
	if f.state {
		first = points.Column{Name: "state", Kind: points.State}
	}
	q.columns = append(q.columns, first)
	if f.winding {
		q.columns = append(q.columns, points.Column{Name: "winding", Kind: points.Number})
	}
	if f.certify {
		q.columns = append(q.columns, points.Column{Name: "bound", Kind: points.Bound})
	}
	if f.verify > 0 {
		q.sample = newSample(f.verify)
	}
	if f.distance {
		q.columns = append(q.columns, points.Column{Name: "distance", Kind: points.Number})
	}
	return q
}

// answer fills in the answers of a block; see points.Job.
func (q *question) answer(ctx context.Context, b *points.Block) error {
	q.turn <- struct{}{}
	defer func() { <-q.turn }()
	numbers := b.Numbers
	var w, bounds []float64 // nil if they are not asked for
	if q.winding || q.certify {
		w, bounds = make([]float64, len(b.Points)), make([]float64, len(b.Points))
		if q.winding {
			w, numbers = numbers[0], numbers[1:]
		}
		if q.certify {
			bounds, numbers = numbers[0], numbers[1:]
		}
	}
	work, bound, err := q.sidesAndWindings(ctx, b, w, bounds)
	if err != nil {
		return err
	}
	if q.sample != nil {
		q.sample.add(b, w, bounds)
	}
	if q.distance {
		faces := make([]int32, len(b.Points))
		if err := q.solid.DistancesTo(ctx, numbers[0], faces, b.Points); err != nil {
			return err
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.work.Add(work)
	q.bound = max(q.bound, bound)
	return nil
}

// sidesAndWindings answers for b and, if w is not nil, writes the winding numbers and
// their bounds, NaN both for points that are not finite. It returns the largest bound.
func (q *question) sidesAndWindings(ctx context.Context, b *points.Block, w, bounds []float64) (work inpoly.Stats, largest float64, err error) {
	if w == nil {
		work, err = q.solid.SidesStatsTo(ctx, b.Sides, b.Points)
		return work, 0, err
	}
	if work, err = q.solid.SidesWindingsTo(ctx, b.Sides, w, bounds, b.Points); err != nil {
		return work, 0, err
	}
	for k, x := range bounds {
		w[k] += 0 // −0 becomes 0
		if math.IsInf(x, 0) {
			bounds[k] = math.NaN()
			continue
		}
		largest = max(largest, x)
	}
	return work, largest, nil
}
