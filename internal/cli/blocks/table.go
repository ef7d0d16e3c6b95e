package blocks

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/blocks"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/lines"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/voxels"
)

// tableInput is a table of blocks: the centers, and columns of lengths unless all blocks have one size.
type tableInput struct {
	*points.Reader
	opt   points.Options
	sizes *lines.Reader // nil if all blocks have one size
	size  r3.Vector

	bad lines.Uncertain // rows with a size that is not finite and positive, or a block that float64 cannot hold
}

// openTable opens the table and checks that the output can hold the results.
func (r *run) openTable() (err error) {
	in := &tableInput{size: r.frame.Size}
	var columns []string
	if r.flags.size != "" {
		in.opt, err = r.PointOptions()
	} else if columns, err = lines.ParseColumns(r.Columns); err == nil {
		in.opt = lines.Blocks.Options(columns, r.Text)
	}
	if err != nil {
		return err
	}
	in.Reader, err = r.OpenPoints(r.Terminal, r.Meshes[0], r.Input, in.opt)
	if err != nil {
		if r.flags.size == "" {
			err = lines.Blocks.ColumnsHint(err)
		}
		return err
	}
	if r.flags.size == "" {
		if in.sizes, err = lines.Blocks.NewReader(in.Reader, columns); err == nil {
			for _, c := range in.sizes.Columns[3:] {
				r.OtherColumns = append(r.OtherColumns, c+1)
			}
		}
	}
	if err == nil {
		err = r.SetFormat(in.Reader, false)
	}
	if err != nil {
		return errors.Join(err, in.Close())
	}
	r.input = in
	return nil
}

// fillTable computes the blocks of the table.
func (r *run) fillTable(ctx context.Context) error {
	if _, err := r.input.Sink(r.Format, r.columns()); err != nil {
		return err
	}
	e, err := r.estimateTable(ctx)
	if err != nil {
		return err
	}
	if r.flags.dryRun {
		return r.finishEstimate(e)
	}
	r.noteEstimate(e)
	if err := r.cover(ctx); err != nil {
		return err
	}
	r.sum = newTally(len(r.order))
	sum, err := r.Stream(ctx, r.input.Reader, r.tableJob(ctx, r.input, r.sum), "blocks", func() int64 { return 0 }, r.input)
	if err != nil {
		return err
	}
	r.WarnInput(answer.Input{Reader: r.input.Reader, Summary: sum, Noun: "block", Points: true, Box: bvh.Box{Min: sum.Min, Max: sum.Max},
		Missed: !r.sum.touched() && sum.Sides[inpoly.Unknown] == 0,
		Bad:    r.input.bad.Warnings(r.input.Reader, "a size that is missing or not positive, or too small for its place")})
	return cmp.Or(r.Finish(r.summary(sum, 1), r.statistics(sum, 1, r.input.Reader), 0, "block"), r.CheckRows(sum, "block"))
}

// tableJob returns the job that fills the result columns of a table.
func (r *run) tableJob(ctx context.Context, in *tableInput, sum *tally) points.Job {
	workers := sync.Pool{New: func() any { return &tableWorker{Worker: r.model.Worker(ctx)} }}
	return points.Job{Columns: r.columns(), Format: r.Format, Workers: r.Workers, Answer: func(ctx context.Context, b *table.Block) error {
		w := workers.Get().(*tableWorker)
		defer workers.Put(w)
		return r.answerTable(ctx, in, b, w, sum)
	}}
}

// tableWorker is the working memory for a block of rows.
type tableWorker struct {
	*blocks.Worker
	sizes []r3.Vector
	rows  blocks.Rows
	from  []int32 // index of each row in the block
}

// answerTable fills the result columns of rows of the table.
func (r *run) answerTable(ctx context.Context, in *tableInput, b *table.Block, w *tableWorker, sum *tally) (err error) {
	if in.sizes != nil {
		if w.sizes, err = in.sizes.Sizes(w.sizes, b); err != nil {
			return err
		}
	}
	w.rows.Rows, w.from = w.rows.Rows[:0], w.from[:0]
	part := newTally(len(r.order))
	bad := table.Tally{}
	for k, p := range b.Points {
		size := in.size
		if in.sizes != nil {
			size = w.sizes[k]
		}
		row, ok := r.model.Around(p, size)
		if ok {
			b.Sides[k] = inpoly.Inside // any certain side: no column has it
			w.rows.Rows, w.from = append(w.rows.Rows, row), append(w.from, int32(k))
			continue
		}
		for i := range 2 * len(r.order) {
			b.Numbers[i][k] = math.NaN()
		}
		b.Integers[0][k] = int64(len(r.order))
		part.rows++
		if (p.X-p.X)+(p.Y-p.Y)+(p.Z-p.Z) == 0 { // rows without coordinates have their own warning
			bad.AddAt(int64(k))
		}
	}
	if err := w.Boxes(&w.rows); err != nil {
		return err
	}
	for i, k := range w.from {
		r.put(b, int(k), &w.rows, i)
		h := in.size
		if in.sizes != nil {
			h = w.sizes[k]
		}
		part.add(&w.rows, i, voxels.Grid{Spacing: h}.Volume())
	}
	sum.merge(part)
	in.bad.Add(in.Reader, b, bad)
	return r.distances(ctx, b)
}
