package main

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/points"
)

// question is what is asked for each point, and which rows are kept.
type question struct {
	solids  *solids
	columns []points.Column
	winding, distance, nearest,
	certify bool // the bound of the winding number
	body   bool
	choice inpoly.BodyChoice
	names  []string      // of several solids, and unsure
	keep   *keep         // nil: all rows
	sample *sample       // of the answers; nil if none is wanted
	turn   chan struct{} // bounds how many blocks are asked at once
	rows   atomic.Int64  // answered so far

	mu    sync.Mutex
	work  inpoly.Stats
	bound float64 // largest error bound of a winding number
}

// newQuestion makes the question that the flags ask.
func newQuestion(s *solids, f *flags) *question {
	// A batch uses all workers by itself; a second one fills the gap at its end.
	const atOnce = 2
	q := &question{
		solids: s, winding: f.winding, distance: f.distance, nearest: f.nearest, certify: f.certify,
		body: f.body != "", choice: f.choice, keep: f.kept, turn: make(chan struct{}, atOnce),
	}
	if s.many != nil {
		q.names = append(s.names(), unsure)
	}
	if f.verify > 0 {
		q.sample = newSample(f.verify, f.seed)
	}
	q.columns = f.answerColumns(s.many != nil, q.names)
	return q
}

// answerColumns returns the columns that the flags ask for, in their order.
func (f *flags) answerColumns(many bool, names []string) []points.Column {
	cols := []points.Column{{Name: "inside", Kind: points.Inside}}
	if f.state {
		cols[0] = points.Column{Name: "state", Kind: points.State}
	}
	add := func(wanted bool, c points.Column) {
		if wanted {
			cols = append(cols, c)
		}
	}
	add(f.winding, points.Column{Name: "winding", Kind: points.Number})
	add(f.certify, points.Column{Name: "bound", Kind: points.Bound})
	add(f.distance, points.Column{Name: "distance", Kind: points.Number})
	add(f.nearest, points.Column{Name: "nearest", Kind: points.Integer})
	add(f.nearest && many, points.Column{Name: "nearest_body", Kind: points.Label, Labels: names})
	if f.body == "" {
		return cols
	}
	c := points.Column{Name: "body", Kind: points.Label, Labels: names}
	switch f.choice {
	case inpoly.CountBodies:
		c = points.Column{Name: "bodies", Kind: points.Integer}
	case inpoly.AllBodies:
		c = points.Column{Name: "bodies", Kind: points.Words}
	}
	return append(cols, c)
}

// answer fills in the answers of a block; see points.Job.
func (q *question) answer(ctx context.Context, b *points.Block) error {
	q.turn <- struct{}{}
	defer func() { <-q.turn }()
	numbers, integers := b.Numbers, b.Integers
	next := func(from *[][]float64) []float64 {
		v := (*from)[0]
		*from = (*from)[1:]
		return v
	}
	var w, bounds []float64 // nil if they are not asked for
	if q.winding || q.certify {
		w, bounds = make([]float64, len(b.Points)), make([]float64, len(b.Points))
		if q.winding {
			w = next(&numbers)
		}
		if q.certify {
			bounds = next(&numbers)
		}
	}
	work, bound, err := q.sidesAndWindings(ctx, b, w, bounds)
	if err != nil {
		return err
	}
	if q.sample != nil {
		q.sample.add(b, w, bounds)
	}
	if q.distance || q.nearest {
		d := make([]float64, len(b.Points))
		if q.distance {
			d = next(&numbers)
		}
		var faces, bodies []int64
		if q.nearest {
			faces, integers = integers[0], integers[1:]
			if q.solids.many != nil {
				bodies, integers = integers[0], integers[1:]
			}
		}
		if err := q.distances(ctx, d, faces, bodies, b.Points); err != nil {
			return err
		}
	}
	if q.body {
		if err := q.bodies(ctx, b, integers); err != nil {
			return err
		}
	}
	if q.keep != nil {
		q.keep.drop(b)
	}
	q.rows.Add(int64(len(b.Points)))
	q.mu.Lock()
	defer q.mu.Unlock()
	q.work.Add(work)
	q.bound = max(q.bound, bound)
	return nil
}

// sidesAndWindings answers for b and, if w is not nil, writes the winding numbers and
// their bounds, NaN both for points that are not finite. It returns the largest bound.
func (q *question) sidesAndWindings(ctx context.Context, b *points.Block, w, bounds []float64) (work inpoly.Stats, largest float64, err error) {
	switch s := q.solids; {
	case s.many != nil:
		if work, err = s.many.SidesStatsTo(ctx, b.Sides, b.Points); err == nil && w != nil {
			err = s.many.WindingsTo(ctx, w, bounds, b.Points)
		}
	case w == nil:
		work, err = s.one.SidesStatsTo(ctx, b.Sides, b.Points)
	default:
		work, err = s.one.SidesWindingsTo(ctx, b.Sides, w, bounds, b.Points)
	}
	if err != nil {
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

// distances writes the signed distances, and the nearest faces and their solids where
// those are not nil.
func (q *question) distances(ctx context.Context, d []float64, faces, bodies []int64, pts []r3.Vector) error {
	near := make([]int32, len(pts))
	var body []int32
	var err error
	if many := q.solids.many; many != nil {
		body = make([]int32, len(pts))
		err = many.DistancesTo(ctx, d, body, near, pts)
	} else {
		err = q.solids.one.DistancesTo(ctx, d, near, pts)
	}
	if err != nil {
		return err
	}
	for i := range faces {
		faces[i] = int64(near[i])
		if bodies != nil {
			bodies[i] = int64(body[i])
			if body[i] >= 0 {
				faces[i] = int64(q.solids.many.FileFace(int(body[i]), near[i]))
			}
		}
	}
	return nil
}

// bodies writes which solids the points are in.
func (q *question) bodies(ctx context.Context, b *points.Block, integers [][]int64) error {
	many := q.solids.many
	if q.choice == inpoly.AllBodies {
		var sets inpoly.BodySets
		if err := many.BodySetsTo(ctx, &sets, b.Points); err != nil {
			return err
		}
		var parts []string
		for i := range b.Points {
			bodies, certain := sets.At(i)
			parts = parts[:0]
			for _, k := range bodies {
				parts = append(parts, q.names[k])
			}
			if !certain {
				parts = append(parts, q.names[many.Len()])
			}
			b.Words[0][i] = strings.Join(parts, between)
		}
		return nil
	}
	dst := make([]int32, len(b.Points))
	if err := many.BodiesTo(ctx, dst, q.choice, b.Points); err != nil {
		return err
	}
	for i, k := range dst {
		switch {
		case k != inpoly.UncertainBody:
			integers[0][i] = int64(k)
		case q.choice == inpoly.CountBodies:
			integers[0][i] = -1
		default:
			integers[0][i] = int64(many.Len())
		}
	}
	return nil
}
