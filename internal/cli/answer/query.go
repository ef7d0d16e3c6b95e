// Package answer implements the shared part of the commands that locate points: flags, opening of
// solids and points, the query of each block, and the verification of a sample. The commands of
// inpoly and the distributed run in beam/ use this package, so that their results agree.
//
//	var f answer.Flags
//	f.DefineAll(set) // flags of the command line
//	opt, err := f.Options()
//	solids, err := answer.Open(ctx, []string{"part.stl"}, f.Body != "", opt)
//	q := answer.NewQuery(solids, &f)
//	job := points.Job{Columns: q.Columns, Format: f.Format, Answer: q.Sampled(nil), Drops: q.Drops()}
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

// Query computes the result columns of each block of points, and selects the rows to write. It is
// safe for concurrent use.
type Query struct {
	Solids  *Solids
	Columns []table.Column // result columns
	Proofs  *Proofs        // collects answers for a proof file, unless it is nil

	flags Flags
	names []string      // names of the solids, followed by UncertainName, or nil for one solid
	slots chan struct{} // limits the number of blocks that are computed at the same time
	rows  atomic.Int64  // number of completed rows

	doubt *doubtCounter // nil if no side can be doubtful

	mu    sync.Mutex
	work  inpoly.Stats
	bound float64 // largest error bound of a winding number
}

// NewQuery returns the query that the flags request. The caller must have called f.Options.
func NewQuery(s *Solids, f *Flags) *Query {
	const atOnce = 2 // tuning: the second block uses workers that the first block no longer needs
	q := &Query{Solids: s, flags: *f, slots: make(chan struct{}, atOnce)}
	if s.Several {
		q.names = append(s.Names(), UncertainName)
	}
	q.Columns = f.AnswerColumns(s.Several, q.names)
	q.doubt = newDoubtCounter(s, f)
	return q
}

// Drops reports whether --keep can drop rows.
func (q *Query) Drops() bool { return q.flags.filter != nil || q.flags.doubtful }

// Rows returns the number of completed rows.
func (q *Query) Rows() int64 { return q.rows.Load() }

// Work returns the statistics of the completed rows, and the largest error bound of a winding
// number.
func (q *Query) Work() (work inpoly.Stats, bound float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.work, q.bound
}

// nearestNumbers are the names of the columns with the coordinates of the closest point and its normal.
var nearestNumbers = [6]string{"nearest_x", "nearest_y", "nearest_z", "normal_x", "normal_y", "normal_z"}

// AnswerColumns returns the result columns in their order. For several solids, the columns that
// identify a solid contain the given names.
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
	add(f.Distance && f.Certify, table.Column{Name: "distance_bound", Kind: table.Bound})
	add(f.Nearest, table.Column{Name: "nearest", Kind: table.Integer})
	add(f.Nearest && several, table.Column{Name: "nearest_body", Kind: table.Label, Labels: names})
	for _, name := range nearestNumbers {
		add(f.Nearest, table.Column{Name: name, Kind: table.Number})
	}
	if f.Body != "" {
		cols = append(cols, f.BodyColumn(names))
	}
	return cols
}

// BodyColumn returns the column that --body requests. names has the names of the solids, followed by
// UncertainName.
func (f *Flags) BodyColumn(names []string) table.Column {
	switch {
	case f.allBodies:
		return table.Column{Name: "bodies", Kind: table.Words}
	case f.choice == assembly.Count:
		return table.Column{Name: "bodies", Kind: table.Integer}
	}
	return table.Column{Name: "body", Kind: table.Label, Labels: names}
}

// BodyChoice returns the value of --body. all reports whether it is "all". The caller must have called
// f.Options.
func (f *Flags) BodyChoice() (choice assembly.Choice, all bool) { return f.choice, f.allBodies }

// Sampled returns a function for points.Job.Answer. This function writes the results of a block
// into the columns of the block. It also adds results to the sample, unless the sample is nil.
func (q *Query) Sampled(s *Sample) func(context.Context, *table.Block) error {
	return func(ctx context.Context, b *table.Block) error { return q.answer(ctx, b, s) }
}

func (q *Query) answer(ctx context.Context, b *table.Block, s *Sample) error {
	q.slots <- struct{}{}
	defer func() { <-q.slots }()
	dst, columns := q.destinations(b)
	work, err := q.Solids.LocateTo(ctx, assembly.Query{Body: q.flags.choice}, dst, b.Points)
	if err != nil {
		return err
	}
	bound := q.finishWindings(dst.Winding, dst.Bound)
	if s != nil {
		s.add(b, dst.Winding, dst.Bound) // the sample can also contain rows that drop marks
	}
	if q.Proofs != nil {
		if err := q.Proofs.add(b, dst); err != nil {
			return err
		}
	}
	q.writeNearest(dst, &columns)
	q.writeBodies(dst, columns.body, columns.words)
	doubtful, err := q.doubt.add(ctx, b, dst)
	if err != nil {
		return err
	}
	q.flags.drop(b, doubtful)
	q.rows.Add(int64(len(b.Points)))
	q.mu.Lock()
	defer q.mu.Unlock()
	q.work.Add(work)
	q.bound = max(q.bound, bound)
	return nil
}

// answerColumns holds the columns of a block whose values must be converted from results of the
// library. A column that was not requested is nil.
type answerColumns struct {
	nearest, nearestBody, body []int64
	nearestNumbers             [6][]float64 // see the variable nearestNumbers
	words                      []string
}

// destinations returns the slices that receive the results of b. Winding numbers, bounds and
// distances go directly into the columns of b, which have the order of Flags.AnswerColumns. Results
// without a column go into new slices.
func (q *Query) destinations(b *table.Block) (dst inpoly.Answers, columns answerColumns) {
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
	if q.flags.Winding || q.flags.Certify {
		dst.Winding, dst.Bound = number(q.flags.Winding), number(q.flags.Certify)
	}
	if q.flags.Distance {
		dst.Distance, dst.Face = number(true), make([]int32, n)
		if q.flags.Certify {
			dst.DistanceBound = number(true)
		}
	}
	if q.flags.Nearest {
		dst.Nearest, dst.NearestBody = make([]inpoly.Nearest, n), make([]int32, n)
		columns.nearest, columns.nearestBody = integer(true), integer(q.Solids.Several)
		for k := range columns.nearestNumbers {
			columns.nearestNumbers[k] = number(true)
		}
	}
	switch {
	case q.flags.Body == "":
	case q.flags.allBodies:
		dst.Sets, columns.words = new(inpoly.Sets), b.Words[0]
	default:
		dst.Body, columns.body = make([]int32, n), integer(true)
	}
	return dst, columns
}

// finishWindings prepares the winding numbers w and their bounds for output: −0 becomes 0, and an
// infinite bound becomes NaN. The bound of a point that is not finite is infinite. finishWindings
// returns the largest finite bound.
func (q *Query) finishWindings(w, bounds []float64) (largest float64) {
	for k, x := range bounds {
		w[k] += 0 // adding 0 replaces −0 by 0
		if math.IsInf(x, 0) {
			bounds[k] = math.NaN()
			continue
		}
		largest = max(largest, x)
	}
	return largest
}

// writeNearest writes the nearest faces, the solids of these faces, the closest points and the normals. A
// face is written as its number in the mesh file. writeNearest skips a slice that is nil.
func (q *Query) writeNearest(dst inpoly.Answers, columns *answerColumns) {
	for i := range columns.nearest {
		near, body := &dst.Nearest[i], dst.NearestBody[i]
		columns.nearest[i] = int64(near.Face)
		if columns.nearestBody != nil {
			columns.nearestBody[i] = int64(body)
			if body >= 0 {
				columns.nearest[i] = int64(q.Solids.FileFace(int(body), near.Face))
			}
		}
		numbers := [...]float64{near.Point.X, near.Point.Y, near.Point.Z, near.Normal.X, near.Normal.Y, near.Normal.Z}
		for k, v := range numbers {
			columns.nearestNumbers[k][i] = v + 0 // adding 0 turns −0 into 0
		}
	}
}

// writeBodies writes which solids contain each point: a number, and a text with names. It skips a
// slice that is nil.
func (q *Query) writeBodies(dst inpoly.Answers, numbers []int64, words []string) {
	for i := range numbers {
		switch k := dst.Body[i]; {
		case k != inpoly.UncertainBody:
			numbers[i] = int64(k)
		case q.flags.choice == assembly.Count:
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
		words[i] = strings.Join(parts, NameSeparator)
	}
}
