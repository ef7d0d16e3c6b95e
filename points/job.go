package points

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inpoly/inpoly/points/table"
)

// Job answers the rows of a Reader.
type Job struct {
	// Columns are appended to each row.
	Columns []table.Column
	// Format is the format of the output, one of OutputFormats, or "" for the format of the input.
	Format string
	// Answer fills b.Sides, and the slices of b that Columns need, for b.Points. Several goroutines
	// call it at once, with different blocks. If Drops is set, Answer can drop rows from the output
	// with Block.EnableDrop.
	Answer func(ctx context.Context, b *table.Block) error
	// Drops allows Answer to drop rows. The number of output rows is then unknown at the beginning.
	Drops bool
	// Workers is the number of goroutines that parse, answer and format; 0 means one for each
	// processor. Run starts at most 4×GOMAXPROCS workers, to bound memory, and two goroutines that
	// read and write. The output does not depend on Workers.
	Workers int
	// Progress, if not nil, is called after each block by the goroutine that called Run. done is
	// the number of input bytes read so far, and total is Reader.Size.
	Progress func(done, total int64)
}

// Summary is the result of Run.
type Summary struct {
	Rows  int64    // number of rows that were answered
	Kept  int64    // number of rows that were written, without dropped rows
	Sides [4]int64 // number of rows by side.Side
	table.Counts
	// Warnings lists values that the output format could not hold, one sentence each (see
	// table.Lossy). It is set after all rows are written.
	Warnings []string
	// Resumed is the number of rows that an earlier run wrote; see CreateResumable. The times below
	// refer to this run only.
	Resumed int64

	// Elapsed is the duration of Run. Read (with parsing and waiting for input), Answered and Write
	// (with formatting) are the times that all goroutines together spent in each stage, divided by
	// the number of workers. Their sum can differ from Elapsed, because stages overlap and other
	// goroutines than the workers read and write.
	Elapsed, Read, Answered, Write time.Duration
}

// Run reads all rows of r, answers them, and writes them with their answers to w in order. It uses
// constant memory: a few blocks per worker. If a row has an error, Run writes the rows of earlier
// blocks. After an error Run does not wait for more input; the goroutine that reads ends when its
// Read returns.
//
// The header of some formats has values that are known only at the end, such as the number of rows
// (see table.HeaderPatcher). If w is Patchable, as a File is, Run replaces the header. For any
// other w the output goes through an unnamed temporary file in os.TempDir. If w is a File of
// CreateResumable, Run continues after the rows of the earlier run.
//
// Errors: table.ErrCannotHold if the format has no place for a column or a value; *table.RowError;
// errors of Answer, r and w; the cause of ctx, soon after ctx ends.
func (j *Job) Run(ctx context.Context, r *Reader, w io.Writer) (Summary, error) {
	start := time.Now()
	sink, err := r.Sink(j.Format, j.Columns)
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
	// More workers than processors help only if Answer waits, such as for a network.
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
	if err == nil {
		<-filled // fill has sent io.EOF, so it returns soon
		err = out.finish(ctx, &sum)
		if w, ok := sink.(table.Lossy); ok && err == nil {
			sum.Warnings = w.Warnings()
		}
	} else {
		if ctx.Err() != nil {
			err = fmt.Errorf("%s: %w", r.name, context.Cause(ctx))
		}
		if out.part != nil {
			_ = out.part.Save() // after a failure the next run continues from an older checkpoint
		}
	}
	sum.Elapsed = time.Since(start)
	sum.Read = time.Duration(s.reading.Load()) / time.Duration(workers)
	sum.Answered = time.Duration(s.answering.Load()) / time.Duration(workers)
	sum.Write = time.Duration(s.writing.Load()) / time.Duration(workers)
	return sum, err
}

// stream is a running Job. Blocks circulate: fill takes a block from free and sends it to todo and
// order, work takes it from todo, and write takes it from order and returns it to free.
type stream struct {
	job   *Job
	r     *Reader
	sink  table.Sink
	free  chan *slot
	todo  chan *slot
	order chan *slot // blocks in the order of the input

	reading, answering, writing atomic.Int64 // nanoseconds
}

// slot is a circulating block.
type slot struct {
	table.Block
	sides [4]int64 // number of rows by side.Side
	err   error
	ready chan struct{} // receives a value when the block is formatted or err is set
}

// newStream returns a stream with two blocks for each worker, one in progress and one waiting. The
// reader and the writer have one more block each.
func newStream(j *Job, r *Reader, sink table.Sink, workers int) *stream {
	n := 2*workers + 2
	s := &stream{job: j, r: r, sink: sink, free: make(chan *slot, n), todo: make(chan *slot, n), order: make(chan *slot, n)}
	for range n {
		s.free <- &slot{ready: make(chan struct{}, 1)}
	}
	return s
}

// lap adds the time since from to sum and returns the current time.
func lap(sum *atomic.Int64, from time.Time) time.Time {
	now := time.Now()
	sum.Add(int64(now.Sub(from)))
	return now
}

// fill reads blocks until the input or ctx ends. The last block has an error, which is io.EOF at
// the end of the input.
func (s *stream) fill(ctx context.Context) {
	for {
		var b *slot
		select {
		case b = <-s.free:
		case <-ctx.Done():
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

// process parses, answers and formats a block.
func (s *stream) process(ctx context.Context, b *slot) error {
	from := time.Now()
	err := s.r.src.Parse(&b.Block)
	from = lap(&s.reading, from)
	if err != nil {
		return err
	}
	b.Resize(s.job.Columns)
	if len(b.Points) > 0 {
		if err := s.job.Answer(ctx, &b.Block); err != nil {
			return err
		}
	}
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
		s.free <- b
	}
}

// add adds the rows of b to the counts.
func (sum *Summary) add(b *slot) {
	sum.Rows += int64(len(b.Points))
	sum.Kept += int64(b.Kept())
	for v, n := range b.sides {
		sum.Sides[v] += n
	}
	sum.Counts.Add(b.Counts)
}
