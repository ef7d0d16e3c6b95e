package answer

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/points/table"
)

// Query lists the answers for each point, and selects the rows that are written. Its methods may be
// called by several goroutines at once.
type Query struct {
	Solids  *Solids
	Columns []table.Column // of the answers

	winding, distance, nearest,
	certify bool // the bound of the winding number
	body   bool
	choice bodyChoice
	names  []string      // of several solids, and UncertainName
	filter *sideFilter   // nil: all rows
	slots  chan struct{} // bounds the number of blocks that are answered at once
	rows   atomic.Int64  // answered so far

	mu    sync.Mutex
	work  inpoly.Stats
	bound float64 // largest error bound of a winding number
}

// NewQuery returns the query of the flags. Options of f must have been called.
func NewQuery(s *Solids, f *Flags) *Query {
	const atOnce = 2 // tuning: a batch uses all workers, the second one fills the gap at its end
	q := &Query{
		Solids: s, winding: f.Winding, distance: f.Distance, nearest: f.Nearest, certify: f.Certify,
		body: f.Body != "", choice: f.choice, filter: f.filter, slots: make(chan struct{}, atOnce),
	}
	if s.Several {
		q.names = append(s.Names(), UncertainName)
	}
	q.Columns = f.AnswerColumns(s.Several, q.names)
	return q
}

// Drops reports whether --keep may drop rows.
func (q *Query) Drops() bool { return q.filter != nil }

// Rows returns how many rows were answered so far.
func (q *Query) Rows() int64 { return q.rows.Load() }

// Work returns the statistics so far, and the largest error bound of a winding number.
func (q *Query) Work() (work inpoly.Stats, bound float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.work, q.bound
}

// AnswerColumns returns the columns of the answers, in their order. If several is true,
// columns name the solids with the given names.
func (f *Flags) AnswerColumns(several bool, names []string) []table.Column {
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
	add(f.Nearest && several, table.Column{Name: "nearest_body", Kind: table.Label, Labels: names})
	if f.Body == "" {
		return cols
	}
	c := table.Column{Name: "body", Kind: table.Label, Labels: names}
	switch f.choice {
	case bodyChoice(assembly.Count):
		c = table.Column{Name: "bodies", Kind: table.Integer}
	case allBodies:
		c = table.Column{Name: "bodies", Kind: table.Words}
	}
	return append(cols, c)
}

// Answer writes the answers of a block into its columns; see points.Job.
func (q *Query) Answer(ctx context.Context, b *table.Block) error { return q.answer(ctx, b, nil) }

// Sampled returns Answer, or a function that also adds answers to the sample s if it is not nil.
func (q *Query) Sampled(s *Sample) func(context.Context, *table.Block) error {
	return func(ctx context.Context, b *table.Block) error { return q.answer(ctx, b, s) }
}

func (q *Query) answer(ctx context.Context, b *table.Block, s *Sample) error {
	q.slots <- struct{}{}
	defer func() { <-q.slots }()
	dst, columns := q.destinations(b)
	var query assembly.Query
	if q.choice != allBodies {
		query.Body = assembly.Choice(q.choice)
	}
	work, err := q.Solids.LocateTo(ctx, query, dst, b.Points)
	if err != nil {
		return err
	}
	bound := q.finishWindings(dst.Winding, dst.Bound)
	if s != nil {
		s.add(b, dst.Winding, dst.Bound) // before rows are dropped
	}
	q.writeNearest(dst, columns.nearest, columns.nearestBody)
	q.writeBodies(dst, columns.body, columns.words)
	if q.filter != nil {
		q.filter.drop(b)
	}
	q.rows.Add(int64(len(b.Points)))
	q.mu.Lock()
	defer q.mu.Unlock()
	q.work.Add(work)
	q.bound = max(q.bound, bound)
	return nil
}

// answerColumns are the columns of a block that are computed from the answers of the library.
// Columns that are not requested are nil.
type answerColumns struct {
	nearest, nearestBody, body []int64
	words                      []string
}

// destinations returns the slices for the answers of b. Winding numbers, bounds and distances
// go into the columns of b, which have the order of Flags.AnswerColumns. Answers that no column
// shows go into new slices.
func (q *Query) destinations(b *table.Block) (dst assembly.Answers, columns answerColumns) {
	n := len(b.Points)
	numbers, integers := b.Numbers, b.Integers
	number := func(column bool) []float64 {
		if !column {
			return make([]float64, n)
		}
		v := numbers[0]
		numbers = numbers[1:]
		return v
	}
	integer := func(wanted bool) (v []int64) {
		if wanted {
			v, integers = integers[0], integers[1:]
		}
		return v
	}
	dst.Sides = b.Sides
	if q.winding || q.certify {
		dst.Winding, dst.Bound = number(q.winding), number(q.certify)
	}
	if q.distance || q.nearest {
		dst.Distance = number(q.distance)
		dst.Face, dst.NearestBody = make([]int32, n), make([]int32, n)
		columns.nearest, columns.nearestBody = integer(q.nearest), integer(q.nearest && q.Solids.Several)
	}
	switch {
	case !q.body:
	case q.choice == allBodies:
		dst.Sets, columns.words = new(assembly.Sets), b.Words[0]
	default:
		dst.Body, columns.body = make([]int32, n), integer(true)
	}
	return dst, columns
}

// finishWindings prepares winding numbers for printing: it removes negative zeros, and sets the
// bound of points that are not finite to NaN. It returns the largest bound.
func (q *Query) finishWindings(w, bounds []float64) (largest float64) {
	for k, x := range bounds {
		w[k] += 0 // −0 becomes 0
		if math.IsInf(x, 0) {
			bounds[k] = math.NaN()
			continue
		}
		largest = max(largest, x)
	}
	return largest
}

// writeNearest writes the nearest faces, numbered as in the file, and their solids. Columns that
// are nil are skipped.
func (q *Query) writeNearest(dst assembly.Answers, faces, bodies []int64) {
	for i := range faces {
		faces[i] = int64(dst.Face[i])
		if bodies != nil {
			bodies[i] = int64(dst.NearestBody[i])
			if dst.NearestBody[i] >= 0 {
				faces[i] = int64(q.Solids.FileFace(int(dst.NearestBody[i]), dst.Face[i]))
			}
		}
	}
}

// writeBodies writes which solids contain the points, into the column that is not nil.
func (q *Query) writeBodies(dst assembly.Answers, numbers []int64, words []string) {
	for i := range numbers {
		switch k := dst.Body[i]; {
		case k != assembly.Uncertain:
			numbers[i] = int64(k)
		case q.choice == bodyChoice(assembly.Count):
			numbers[i] = -1
		default:
			numbers[i] = int64(q.Solids.Len())
		}
	}
	var parts []string
	for i := range words {
		bodies, certain := dst.Sets.At(i)
		parts = parts[:0]
		for _, k := range bodies {
			parts = append(parts, q.names[k])
		}
		if !certain {
			parts = append(parts, q.names[q.Solids.Len()])
		}
		words[i] = strings.Join(parts, nameSeparator)
	}
}
