package blocks

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// estimate is the expected size of a run. A value of −1 is unknown.
type estimate struct {
	blocks  float64 // number of blocks before they are divided
	sampled int64   // rows of the sample
	rows    float64
	mixed   float64
	bytes   float64
	seconds float64
}

// The sample has at most sampleParts parts of sampleRows blocks, or more parts of fewer blocks, which are spread over
// the model. It ends early after sampleTime.
const (
	sampleParts = 64
	sampleRows  = 1 << 11                // blocks of a part // tuning
	tableRows   = 1 << 13                // rows of a part of a table // tuning
	sampleBytes = 1 << 20                // bytes of a part of a table of unknown length // tuning
	sampleTime  = 300 * time.Millisecond // tuning: short for a person, and long compared with one part
)

// spread returns the numbers from 0 to n−1 in the order of the van der Corput sequence: the beginning of the
// list is spread evenly.
func spread(n int) (list []int) {
	width := bits.Len(uint(n - 1))
	for i := range 1 << width {
		if k := int(bits.Reverse64(uint64(i)) >> (64 - width)); k < n {
			list = append(list, k)
		}
	}
	return list
}

// samples reports whether a run needs a sample: for --dry-run, and for --verbose if the run is not short.
func (r *run) samples(parts int) bool {
	return r.flags.dryRun || r.Verbose() && parts > 4*sampleParts
}

// estimateGrid computes pieces of the frame, or returns nil if no estimate is needed.
func (r *run) estimateGrid(ctx context.Context) (*estimate, error) {
	total := float64(r.frame.Grid().Len())
	if !r.samples(int(min(total/sampleRows, math.MaxInt32))) {
		return nil, nil
	}
	// Sub-blocks take time, so parts are smaller and there are more of them. Their number is limited.
	size := max(sampleRows>>min(r.flags.subLevels, 5), int(min(total/(1<<20), math.MaxInt32)))
	n := 0
	for next := pieces(r.frame, size); ; n++ {
		if _, _, ok := next(); !ok {
			break
		}
	}
	count := min(n, max(sampleParts, sampleParts*sampleRows/size))
	parts := make([][2][3]int, 0, count)
	next := pieces(r.frame, size)
	for i := range n {
		if lo, hi, _ := next(); int64(i) == int64(len(parts))*int64(n)/int64(count) {
			parts = append(parts, [2][3]int{lo, hi})
		}
	}
	source := newGrid(ctx, r.model, r.frame, r.flags.subLevels)
	defer source.close()
	order, begin := spread(count), time.Now()
	source.stop = func() bool { return time.Since(begin) > sampleTime }
	source.next = func() (lo, hi [3]int, ok bool) {
		if len(order) == 0 {
			return lo, hi, false
		}
		p := parts[order[0]]
		order = order[1:]
		return p[0], p[1], true
	}
	source.vtk = func(g *grid, cols []table.Column) *vtkSink { return newVTK(g, "", r.flags.vtk == "vti", cols) }
	sum, out := newTally(len(r.order)), &counter{}
	job := points.Job{Columns: r.columns(), Format: r.Format, Workers: r.Workers, Answer: func(ctx context.Context, b *table.Block) error { return r.answer(ctx, b, sum) }}
	if _, err := job.Run(ctx, points.FromSource("blocks", source, 0), out); err != nil {
		return nil, err
	}
	return newEstimate(total, total/float64(source.done), sum, out.n.Load(), time.Since(begin)), nil
}

func newEstimate(total, factor float64, sum *tally, size int64, took time.Duration) *estimate {
	return &estimate{blocks: total, sampled: sum.rows, rows: factor * float64(sum.rows), mixed: factor * float64(sum.mixed),
		bytes: factor * float64(size), seconds: factor * took.Seconds()}
}

// estimateTable computes parts of the table, or returns nil if no estimate is needed. A table that is
// compressed or standard input cannot be read in parts.
func (r *run) estimateTable(ctx context.Context) (*estimate, error) {
	in := r.input
	size, rows := in.Size(), in.Rows()
	n := int(min(cmp.Or(max(rows, 0)/tableRows, size/sampleBytes), math.MaxInt32))
	if !r.samples(n) {
		return nil, nil
	}
	if r.Input == "-" || in.Compression() != "" || size <= 0 {
		return &estimate{blocks: float64(rows), rows: float64(rows), mixed: -1, bytes: -1, seconds: -1}, nil
	}
	n = max(n, 1)
	count := min(n, sampleParts)
	order, sum, out := spread(count), newTally(len(r.order)), &counter{}
	// The first part builds what is built on first use. It is computed twice, but counted once.
	if err := r.sampleShard(ctx, in.shard(0, n), newTally(len(r.order)), io.Discard); err != nil {
		return nil, err
	}
	begin := time.Now()
	failed := make([]error, count)
	var done atomic.Int64
	err := par.Blocks(ctx, count, 1, r.Workers, func(_, i, _ int) {
		if i > 0 && time.Since(begin) > sampleTime {
			return
		}
		failed[i] = r.sampleShard(ctx, in.shard(int(int64(order[i])*int64(n)/int64(count)), n), sum, out)
		done.Add(1)
	})
	if err := errors.Join(append(failed, err)...); err != nil {
		return nil, err
	}
	factor := float64(n) / float64(done.Load())
	if rows >= 0 && sum.rows > 0 {
		factor = float64(rows) / float64(sum.rows)
	}
	return newEstimate(factor*float64(sum.rows), factor, sum, out.n.Load(), time.Since(begin)), nil
}

// shard returns the options for part i of n of the table.
func (in *tableInput) shard(i, n int) points.Options {
	opt := in.opt
	opt.Shard, opt.Shards = i+1, n
	return opt
}

// sampleShard computes and formats one part of the table.
func (r *run) sampleShard(ctx context.Context, opt points.Options, sum *tally, w io.Writer) error {
	in, err := points.Open(r.Input, opt)
	if err != nil {
		return err
	}
	part := &tableInput{Reader: in, size: r.input.size}
	if r.input.sizes != nil {
		reader := *r.input.sizes
		reader.Reader = in
		part.sizes = &reader
	}
	job := r.tableJob(ctx, part, sum)
	_, err = job.Run(ctx, in, w)
	return errors.Join(err, in.Close())
}

// counter counts the bytes that are written to it.
type counter struct{ n atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) { c.n.Add(int64(len(p))); return len(p), nil }

// faces returns the number of faces of all solids.
func (r *run) faces() int64 { return int64(r.Solids.Triangles()) }

// lines returns the text of an estimate.
func (e *estimate) lines(r *run) (list []string) {
	about := func(x float64, noun string) string { return "about " + plural.Grouped(int64(roughly(x)), noun) }
	first := plural.Grouped(int64(e.blocks), "block")
	if r.input != nil && r.input.Rows() < 0 {
		first = about(e.blocks, "block")
	}
	if e.blocks < 0 {
		first = "an unknown number of blocks"
	}
	list = append(list, first+", "+plural.Grouped(int64(len(r.order)), "solid")+" with "+plural.Grouped(r.faces(), "face"))
	if e.seconds < 0 {
		return append(list, "no estimate: the table is compressed or standard input")
	}
	text := about(e.rows, "row")
	if r.flags.subLevels == 0 {
		text = about(e.mixed, "block") + " at a surface"
	}
	return append(list, "estimate: "+text+", "+term.Short(e.bytes)+"B, "+plural.Decimal(roughly(e.seconds), 2)+" s")
}

// roughly rounds x to two digits.
func roughly(x float64) float64 {
	if x <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Round(x/unit) * unit
}

// noteEstimate prints an estimate before the work.
func (r *run) noteEstimate(e *estimate) {
	if e != nil && e.seconds >= 0 {
		for _, line := range e.lines(r) {
			r.Note("%s", line)
		}
	}
}

// finishEstimate prints the result of --dry-run.
func (r *run) finishEstimate(e *estimate) error {
	unknown := func(x float64) any {
		if x < 0 {
			return nil
		}
		return term.Number(math.Round(x))
	}
	seconds := any(nil)
	if e.seconds >= 0 {
		seconds = term.Number(e.seconds)
	}
	return r.Summarize(term.Summary{Lines: e.lines(r)}, r.Stats, append(r.describe(), "dry_run", true, "faces", r.faces(), "blocks", unknown(e.blocks),
		"sampled_rows", e.sampled, "expected_rows", unknown(e.rows), "expected_mixed", unknown(e.mixed), "expected_bytes", unknown(e.bytes), "expected_s", seconds,
		"warnings", r.AllWarnings()))
}
