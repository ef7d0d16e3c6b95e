package points

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// Job describes how to compute the answers for the rows of a Reader. Job.Run does the work.
type Job struct {
	// Columns are the answer columns, which are appended to each row.
	Columns []table.Column
	// Format is one of OutputFormats, or "" for the format of the input.
	Format string
	// AnswersOnly leaves out the fields of the input, so that the output has only the answer columns. Format must
	// then be a format of Reader.AnswerSink.
	AnswersOnly bool
	// Answer computes the answers for b.Points. Answer fills b.Sides and the slices of b that the
	// answer columns need. Several goroutines call Answer at the same time, each with a different
	// block. If Drops is true, Answer can drop rows from the output with Block.EnableDrop.
	Answer func(ctx context.Context, b *table.Block) error
	// Drops allows Answer to drop rows. The number of output rows is then unknown at first.
	Drops bool
	// Workers is the number of goroutines that parse, answer and format rows. 0 means GOMAXPROCS.
	// To limit memory, Run starts at most 4×GOMAXPROCS workers. Another goroutine reads, and the
	// goroutine that called Run writes. The output does not depend on Workers.
	Workers int
	// If Progress is not nil, the goroutine that called Run calls it after each block. The
	// arguments are the number of input bytes that were read, and Reader.Size.
	Progress func(done, total int64)
}

// Summary is the result of Run.
type Summary struct {
	Rows  int64    // number of rows that were answered
	Kept  int64    // number of rows that were written; dropped rows do not count
	Sides [4]int64 // number of rows with each side.Side
	table.Counts
	// Warnings has one sentence for each kind of value that the output format could not store (see
	// table.Lossy), and one for bytes after the last row (see table.Trailer). Run sets the field after all rows
	// are written.
	Warnings []string
	// Resumed is the number of rows that an earlier run wrote; see CreateResumable. Elapsed, Read,
	// Answered and Write refer only to the last run.
	Resumed int64

	// Elapsed is the duration of Run. Read, Answered and Write are the times of three stages: the
	// sum over all goroutines, divided by the number of workers. Read includes parsing and waiting
	// for input, and Write includes formatting. The total can differ from Elapsed, because stages
	// overlap. Also, the goroutines that read and write are not workers.
	Elapsed, Read, Answered, Write time.Duration
}

// Run reads all rows of r, computes their answers, and writes rows and answers to w in order. It
// needs constant memory, which is a few blocks per worker. If a row has an error, Run writes the
// rows of the earlier blocks and returns. After an error, Run does not wait for more input. The
// goroutine that reads then ends when its current call of Read returns.
//
// Some headers have values that are known only at the end, such as the number of rows (see
// table.HeaderPatcher). If w is Patchable, Run replaces the header at the end. For example, a File
// is Patchable. For any other w, Run first writes to a temporary file in os.TempDir and then copies
// it to w. If CreateResumable created w, Run continues after the rows of the earlier run.
//
// If the file of r changes while Run reads it, Run fails. If CreateResumable created w, Run then
// removes the rows and the journal.
//
// Run returns table.ErrCannotHold if the format has no place for a column or a value. It returns a
// *table.RowError for a bad row of a text. It also returns errors of Answer, r and w. Soon after
// ctx ends, Run returns the cause of ctx.
func (j *Job) Run(ctx context.Context, r *Reader, w io.Writer) (Summary, error) {
	start := time.Now()
	newSink := r.Sink
	if j.AnswersOnly {
		newSink = r.AnswerSink
	}
	sink, err := newSink(j.Format, j.Columns)
	if err != nil {
		return Summary{Counts: table.NoCounts()}, err
	}
	out, err := j.newOutput(r, sink, w)
	if err != nil {
		return Summary{Counts: table.NoCounts()}, err
	}
	defer out.close()
	sum, err := out.begin(r)
	if err != nil || out.complete() {
		sum.Elapsed = time.Since(start)
		return sum, err
	}
	// More than one worker per processor helps only if Answer waits, for example for a network.
	const most = 4 // tuning
	workers := runtime.GOMAXPROCS(0)
	if j.Workers > 0 {
		workers = min(j.Workers, most*workers)
	}
	s := newStream(j, r, sink, workers)
	inner, cancel := context.WithCancel(ctx)
	var busy sync.WaitGroup
	for range workers {
		busy.Add(1)
		go func() {
			defer busy.Done()
			s.work(inner)
		}()
	}
	filled := make(chan struct{})
	go func() {
		defer close(filled)
		s.fill(inner)
	}()
	err = s.write(ctx, out, &sum)
	cancel()
	busy.Wait()
	streamed := err == nil
	switch {
	case streamed:
		<-filled // fill has sent io.EOF and is about to return
		err = out.finish(ctx, r, &sum)
	case ctx.Err() != nil:
		err = fmt.Errorf("%s: %w", r.name, context.Cause(ctx))
	}
	if err != nil {
		err = out.stop(ctx, r, &sum, streamed, err)
	} else if w, ok := sink.(table.Lossy); ok {
		sum.Warnings = w.Warnings()
	}
	if t, ok := r.src.(table.Trailer); ok && err == nil && t.Trailing() > 0 {
		sum.Warnings = append(sum.Warnings, fmt.Sprintf("number of ignored bytes after the last row: %d", t.Trailing()))
	}
	sum.Elapsed = time.Since(start)
	sum.Read = time.Duration(s.reading.Load()) / time.Duration(workers)
	sum.Answered = time.Duration(s.answering.Load()) / time.Duration(workers)
	sum.Write = time.Duration(s.writing.Load()) / time.Duration(workers)
	return sum, err
}

// stream is a running Job. A fixed set of blocks circulates: fill reads rows into a block, work
// computes their answers, and write writes the block and releases it.
type stream struct {
	job    *Job
	r      *Reader
	sink   table.Sink
	free   chan *slot
	todo   chan *slot
	order  chan *slot // blocks in the order of the input
	memory *budget    // limit for the blocks of a table.Sizer

	reading, answering, writing atomic.Int64 // times of the stages in nanoseconds
}

// slot is a block that circulates in a stream.
type slot struct {
	table.Block
	sides  [4]int64    // number of rows with each side.Side
	images []r3.Vector // images of the points; see Options.Transform
	bytes  int64       // memory that the block has acquired
	err    error
	ready  chan struct{} // receives a value when the block is formatted or err is set
}

// newStream returns a stream with two blocks for each worker, one in progress and one in the queue.
// There are two more blocks for fill and write.
func newStream(j *Job, r *Reader, sink table.Sink, workers int) *stream {
	n := 2*workers + 2
	s := &stream{job: j, r: r, sink: sink, free: make(chan *slot, n), todo: make(chan *slot, n), order: make(chan *slot, n)}
	s.memory = newBudget(budgetBase + budgetPerWorker*int64(workers))
	for range n {
		s.free <- &slot{ready: make(chan struct{}, 1)}
	}
	return s
}

// lap adds the time since the previous lap to a sum. It returns the current time.
func lap(sum *atomic.Int64, from time.Time) time.Time {
	now := time.Now()
	sum.Add(int64(now.Sub(from)))
	return now
}

// fill reads blocks until the input ends, a read fails or ctx ends. The last block has the error of
// the read, which is io.EOF at the end of the input.
func (s *stream) fill(ctx context.Context) {
	for {
		var b *slot
		select {
		case b = <-s.free:
		case <-ctx.Done():
			return
		}
		if b.bytes = s.r.nextBytes(); !s.memory.acquire(ctx, b.bytes) {
			return
		}
		from := time.Now()
		err := s.r.fill(&b.Block)
		lap(&s.reading, from)
		if err != nil {
			b.err = err
			b.ready <- struct{}{}
			s.order <- b
			return
		}
		s.order <- b
		s.todo <- b
	}
}

// work parses, answers and formats blocks until ctx ends.
func (s *stream) work(ctx context.Context) {
	for {
		select {
		case b := <-s.todo:
			b.err = s.process(ctx, b)
			b.ready <- struct{}{}
		case <-ctx.Done():
			return
		}
	}
}

func (s *stream) process(ctx context.Context, b *slot) error {
	from := time.Now()
	err := s.r.src.Parse(&b.Block)
	from = lap(&s.reading, from)
	if err != nil {
		return err
	}
	b.Resize(s.job.Columns)
	parsed := b.Points
	if s.r.transform != nil {
		b.images = slices.Grow(b.images[:0], cap(parsed))[:len(parsed)]
		s.r.transformTo(b.images, &b.Block)
		b.Points = b.images
	}
	if len(b.Points) > 0 {
		if err := s.job.Answer(ctx, &b.Block); err != nil {
			return err
		}
	}
	b.Points = parsed // some sinks write the coordinates from b.Points
	b.sides = [4]int64{}
	for _, v := range b.Sides {
		b.sides[v&3]++
	}
	from = lap(&s.answering, from)
	err = s.r.named(s.sink.Format(&b.Block))
	lap(&s.writing, from)
	return err
}

// write writes blocks in order and counts their rows.
func (s *stream) write(ctx context.Context, out *output, sum *Summary) error {
	for {
		var b *slot
		select {
		case b = <-s.order:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-b.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		if errors.Is(b.err, io.EOF) {
			return nil
		}
		if b.err != nil {
			return b.err
		}
		from := time.Now()
		if err := out.write(b, sum); errors.Is(err, table.ErrCannotHold) {
			return s.r.named(err)
		} else if err != nil {
			return err
		}
		lap(&s.writing, from)
		if s.job.Progress != nil {
			s.job.Progress(b.Read, s.r.size)
		}
		s.release(b)
	}
}

// release makes a block available for new rows. It drops the memory of a large block, so that all free
// blocks together have less memory than the limit.
func (s *stream) release(b *slot) {
	if b.bytes > s.memory.limit/int64(cap(s.free)) {
		b.Block, b.images = table.Block{}, nil
	}
	s.memory.release(b.bytes)
	s.free <- b
}

func (sum *Summary) add(b *slot) {
	sum.Rows += int64(len(b.Points))
	sum.Kept += int64(b.Kept())
	for v, n := range b.sides {
		sum.Sides[v] += n
	}
	sum.Counts.Add(b.Counts)
}
