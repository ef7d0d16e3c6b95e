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
	turn              chan struct{} // bounds how many blocks are asked at once

	mu    sync.Mutex
	work  inpoly.Stats
	bound float64 // largest error bound of a winding number
}

// newQuestion makes the question that the flags ask.
func newQuestion(solid *inpoly.Solid, f *flags) *question {
	// A batch uses all workers by itself; a second one fills the gap at its end.
	const atOnce = 2
	q := &question{solid: solid, winding: f.winding, distance: f.distance, turn: make(chan struct{}, atOnce)}
	first := points.Column{Name: "inside", Kind: points.Inside}
	if f.state {
		first = points.Column{Name: "state", Kind: points.State}
	}
	q.columns = append(q.columns, first)
	if f.winding {
		q.columns = append(q.columns, points.Column{Name: "winding", Kind: points.Number})
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
	work, err := q.solid.SidesStatsTo(ctx, b.Sides, b.Points)
	if err != nil {
		return err
	}
	bound := 0.0
	numbers := b.Numbers
	if q.winding {
		bounds := make([]float64, len(b.Points))
		if err := q.solid.WindingsTo(ctx, numbers[0], bounds, b.Points); err != nil {
			return err
		}
		for k, x := range bounds {
			numbers[0][k] += 0 // −0 becomes 0
			if !math.IsInf(x, 0) {
				bound = max(bound, x)
			}
		}
		numbers = numbers[1:]
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
