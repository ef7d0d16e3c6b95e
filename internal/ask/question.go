package ask

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
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
	choice bodyChoice
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
	if s.Several {
		q.names = append(s.Names(), Unsure)
	}
	q.Columns = f.AnswerColumns(s.Several, q.names)
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
	case bodyChoice(assembly.Count):
		c = table.Column{Name: "bodies", Kind: table.Integer}
	case allBodies:
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
	dst, columns := q.wanted(b)
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
		s.add(b, dst.Winding, dst.Bound) // before rows are left out
	}
	q.writeNearest(dst, columns.nearest, columns.nearestBody)
	q.writeBodies(dst, columns.body, columns.words)
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

// answerColumns are the columns of a block that are not answers of the library as they
// stand; nil if they are not wanted.
type answerColumns struct {
	nearest, nearestBody, body []int64
	words                      []string
}

// wanted returns where the answers for b go: into its columns, which stand in the order
// of Flags.AnswerColumns, or beside them.
func (q *Question) wanted(b *table.Block) (dst assembly.Answers, columns answerColumns) {
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

// finishWindings writes winding numbers as they are printed, NaN with the bound NaN for
// points that are not finite. It returns the largest bound.
func (q *Question) finishWindings(w, bounds []float64) (largest float64) {
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

// writeNearest writes the nearest faces, by their numbers in the file, and their solids,
// each unless it is nil.
func (q *Question) writeNearest(dst assembly.Answers, faces, bodies []int64) {
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

// writeBodies writes which solids the points are in, as numbers or as words, whichever is
// not nil.
func (q *Question) writeBodies(dst assembly.Answers, numbers []int64, words []string) {
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
		words[i] = strings.Join(parts, between)
	}
}

// bodyChoice is an assembly.Choice, or allBodies.
type bodyChoice uint8

const allBodies bodyChoice = 255

// parseBodyChoice reads the value of --body.
func parseBodyChoice(name string) (bodyChoice, error) {
	if strings.EqualFold(name, "all") {
		return allBodies, nil
	}
	c, err := assembly.ParseChoice(name)
	if err != nil {
		return 0, fmt.Errorf("unknown choice of bodies %q: want first, innermost, all, count", name)
	}
	return bodyChoice(c), nil
}
