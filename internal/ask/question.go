package ask

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/points/table"
)

// Question is what is asked for each point, and which rows are kept. Its methods may be
// called by several goroutines at once.
type Question struct {
	Solids  *Solids
	Columns []table.Column // of the answers

	winding, distance, nearest,
	certify bool // the bound of the winding number
	body   bool
	choice inpoly.BodyChoice
	names  []string      // of several solids, and Unsure
	keep   *keep         // nil: all rows
	turn   chan struct{} // bounds how many blocks are asked at once
	rows   atomic.Int64  // answered so far

	mu    sync.Mutex
	work  inpoly.Stats
	bound float64 // largest error bound of a winding number
}

// NewQuestion makes the question that the flags ask, whose Options were made.
func NewQuestion(s *Solids, f *Flags) *Question {
	// A batch uses all workers by itself; a second one fills the gap at its end.
	const atOnce = 2
	q := &Question{
		Solids: s, winding: f.Winding, distance: f.Distance, nearest: f.Nearest, certify: f.Certify,
		body: f.Body != "", choice: f.choice, keep: f.kept, turn: make(chan struct{}, atOnce),
	}
	if s.Many != nil {
		q.names = append(s.Names(), Unsure)
	}
	q.Columns = f.AnswerColumns(s.Many != nil, q.names)
	return q
}

// Drops reports whether rows may be left out.
func (q *Question) Drops() bool { return q.keep != nil }

// Rows returns how many rows were answered so far.
func (q *Question) Rows() int64 { return q.rows.Load() }

// Work returns the work done so far, and the largest error bound of a winding number.
func (q *Question) Work() (work inpoly.Stats, bound float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.work, q.bound
}

// AnswerColumns returns the columns that the flags ask for, in their order; names are the
// labels of several solids.
func (f *Flags) AnswerColumns(many bool, names []string) []table.Column {
	cols := []table.Column{{Name: "inside", Kind: table.Inside}}
	if f.State {
		cols[0] = table.Column{Name: "state", Kind: table.State}
	}
	add := func(wanted bool, c table.Column) {
		if wanted {
			cols = append(cols, c)
		}
	}
	add(f.Winding, table.Column{Name: "winding", Kind: table.Number})
	add(f.Certify, table.Column{Name: "bound", Kind: table.Bound})
	add(f.Distance, table.Column{Name: "distance", Kind: table.Number})
	add(f.Nearest, table.Column{Name: "nearest", Kind: table.Integer})
	add(f.Nearest && many, table.Column{Name: "nearest_body", Kind: table.Label, Labels: names})
	if f.Body == "" {
		return cols
	}
	c := table.Column{Name: "body", Kind: table.Label, Labels: names}
	switch f.choice {
	case inpoly.CountBodies:
		c = table.Column{Name: "bodies", Kind: table.Integer}
	case inpoly.AllBodies:
		c = table.Column{Name: "bodies", Kind: table.Words}
	}
	return append(cols, c)
}

// Answer fills in the answers of a block; see points.Job.
func (q *Question) Answer(ctx context.Context, b *table.Block) error { return q.answer(ctx, b, nil) }

// Sampled returns Answer, or if s is not nil a function that also draws from the answers.
func (q *Question) Sampled(s *Sample) func(context.Context, *table.Block) error {
	return func(ctx context.Context, b *table.Block) error { return q.answer(ctx, b, s) }
}

func (q *Question) answer(ctx context.Context, b *table.Block, s *Sample) error {
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
	if s != nil {
		s.add(b, w, bounds) // before rows are left out
	}
	if q.distance || q.nearest {
		d := make([]float64, len(b.Points))
		if q.distance {
			d = next(&numbers)
		}
		var faces, bodies []int64
		if q.nearest {
			faces, integers = integers[0], integers[1:]
			if q.Solids.Many != nil {
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
func (q *Question) sidesAndWindings(ctx context.Context, b *table.Block, w, bounds []float64) (work inpoly.Stats, largest float64, err error) {
	switch s := q.Solids; {
	case s.Many != nil:
		if work, err = s.Many.SidesStatsTo(ctx, b.Sides, b.Points); err == nil && w != nil {
			err = s.Many.WindingsTo(ctx, w, bounds, b.Points)
		}
	case w == nil:
		work, err = s.One.SidesStatsTo(ctx, b.Sides, b.Points)
	default:
		work, err = s.One.SidesWindingsTo(ctx, b.Sides, w, bounds, b.Points)
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
func (q *Question) distances(ctx context.Context, d []float64, faces, bodies []int64, pts []r3.Vector) error {
	near := make([]int32, len(pts))
	var body []int32
	var err error
	if many := q.Solids.Many; many != nil {
		body = make([]int32, len(pts))
		err = many.DistancesTo(ctx, d, body, near, pts)
	} else {
		err = q.Solids.One.DistancesTo(ctx, d, near, pts)
	}
	if err != nil {
		return err
	}
	for i := range faces {
		faces[i] = int64(near[i])
		if bodies != nil {
			bodies[i] = int64(body[i])
			if body[i] >= 0 {
				faces[i] = int64(q.Solids.Many.FileFace(int(body[i]), near[i]))
			}
		}
	}
	return nil
}

// bodies writes which solids the points are in.
func (q *Question) bodies(ctx context.Context, b *table.Block, integers [][]int64) error {
	many := q.Solids.Many
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
