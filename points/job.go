package points

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/golang/geo/r3"
)

// Job answers the rows of a Reader.
type Job struct {
	// Columns are appended to each row.
	Columns []Column
	// Answer fills b.Sides and b.Numbers for b.Points. It is called by several
	// goroutines at once, with different blocks.
	Answer func(ctx context.Context, b *Block) error
	// Workers is the number of goroutines that parse, answer and format; 0 means
	// one for each processor, and no more than four for each are started, which
	// bounds the memory. Two more read and write. The output does not depend on it.
	Workers int
	// Progress, if not nil, is called after each block by the goroutine that called
	// Run, with the bytes of the input consumed and Reader.Size.
	Progress func(done, total int64)
}

// Summary is what Run counted.
type Summary struct {
	Rows      int64
	Sides     [4]int64  // rows by side.Side
	NonFinite Tally     // rows with a coordinate that is missing, NaN or infinite
	Min, Max  r3.Vector // box of the other points; Min > Max if there are none

	Comments int64 // comment lines of text
	RowLike  Tally // those that would be rows but for their first field
	Ragged   Tally // rows with more or fewer fields than the header or first row

	// Elapsed is the time of Run. Read (with parsing and waiting for input),
	// Answered and Write (with formatting) are the times that all goroutines
	// together spent in each, divided by the workers. As stages overlap, and
	// reading and writing have goroutines of their own, the three need not add up
	// to Elapsed.
	Elapsed, Read, Answered, Write time.Duration
}

// Run reads all rows of r, answers them and writes them with their answers to
// w, in order. Memory is constant: a few blocks a worker. On an error in a row
// the rows of earlier blocks have been written. When ctx ends, its error is
// returned soon. Errors do not wait for input that never comes: the goroutine
// that waits for it is left behind until its Read returns.
func (j *Job) Run(ctx context.Context, r *Reader, w io.Writer) (Summary, error) {
	start := time.Now()
	workers := j.workers()
	s := newStream(j, r, workers)
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
	sum, err := s.write(ctx, w)
	cancel()
	busy.Wait()
	if err == nil {
		<-filled // it has ended: its last block said so
	} else if ctx.Err() != nil {
		err = fmt.Errorf("%s: %w", r.name, context.Cause(ctx))
	}
	sum.Elapsed = time.Since(start)
	sum.Read = time.Duration(s.reading.Load()) / time.Duration(workers)
	sum.Answered = time.Duration(s.answering.Load()) / time.Duration(workers)
	sum.Write = time.Duration(s.writing.Load()) / time.Duration(workers)
	return sum, err
}

// workers returns how many goroutines to start.
func (j *Job) workers() int {
	// More than one a processor helps only where answers wait for something; four
	// is a choice.
	const most = 4
	n := runtime.GOMAXPROCS(0)
	if j.Workers > 0 {
		n = min(j.Workers, most*n)
	}
	return n
}

// stream is a running Job: blocks go round from free through todo and order back
// to free.
type stream struct {
	job   *Job
	r     *Reader
	free  chan *Block
	todo  chan *Block
	order chan *Block

	reading, answering, writing atomic.Int64 // nanoseconds
}

// newStream makes a stream with two blocks a worker, one of which can wait while
// the other is worked on, and one each for the reader and the writer.
func newStream(j *Job, r *Reader, workers int) *stream {
	n := 2*workers + 2
	s := &stream{job: j, r: r, free: make(chan *Block, n), todo: make(chan *Block, n), order: make(chan *Block, n)}
	for range n {
		s.free <- &Block{ready: make(chan struct{}, 1)}
	}
	return s
}

// lap adds the time since from to sum and returns the time now.
func lap(sum *atomic.Int64, from time.Time) time.Time {
	now := time.Now()
	sum.Add(int64(now.Sub(from)))
	return now
}

// fill reads blocks until the input or ctx ends. The last block has an error,
// io.EOF at a good end.
func (s *stream) fill(ctx context.Context) {
	for {
		var b *Block
		select {
		case b = <-s.free:
		case <-ctx.Done():
			return
		}
		from := time.Now()
		err := s.r.fill(b)
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
			b.err = s.block(ctx, b)
			b.ready <- struct{}{}
		case <-ctx.Done():
			return
		}
	}
}

// block does all work on one block but reading and writing.
func (s *stream) block(ctx context.Context, b *Block) error {
	from := time.Now()
	err := s.r.format.parse(b)
	from = lap(&s.reading, from)
	if err != nil {
		return err
	}
	b.resize(s.job.Columns)
	if len(b.Points) > 0 {
		if err := s.job.Answer(ctx, b); err != nil {
			return err
		}
	}
	from = lap(&s.answering, from)
	b.out = s.r.format.append(b.out, b, s.job.Columns)
	lap(&s.writing, from)
	return nil
}

// write writes blocks in order and sums them up.
func (s *stream) write(ctx context.Context, w io.Writer) (sum Summary, err error) {
	var none Block
	none.start()
	sum.Min, sum.Max = none.lo, none.hi
	if head := s.r.format.begin(s.job.Columns); len(head) > 0 {
		if _, err := w.Write(head); err != nil {
			return sum, fmt.Errorf("write: %w", err)
		}
	}
	for {
		var b *Block
		select {
		case b = <-s.order:
		case <-ctx.Done():
			return sum, ctx.Err()
		}
		select {
		case <-b.ready:
		case <-ctx.Done():
			return sum, ctx.Err()
		}
		if b.err == io.EOF {
			return sum, nil
		}
		if b.err != nil {
			return sum, b.err
		}
		from := time.Now()
		if _, err := w.Write(b.out); err != nil {
			return sum, fmt.Errorf("write: %w", err)
		}
		lap(&s.writing, from)
		sum.add(b)
		if s.job.Progress != nil {
			s.job.Progress(b.read, s.r.size)
		}
		s.free <- b
	}
}

// add counts the rows of b.
func (sum *Summary) add(b *Block) {
	sum.Rows += int64(len(b.Points))
	for _, v := range b.Sides {
		sum.Sides[v&3]++
	}
	sum.NonFinite.add(b.nonFinite)
	sum.Comments += b.comments
	sum.RowLike.add(b.rowLike)
	sum.Ragged.add(b.ragged)
	sum.Min = r3.Vector{X: min(sum.Min.X, b.lo.X), Y: min(sum.Min.Y, b.lo.Y), Z: min(sum.Min.Z, b.lo.Z)}
	sum.Max = r3.Vector{X: max(sum.Max.X, b.hi.X), Y: max(sum.Max.Y, b.hi.Y), Z: max(sum.Max.Z, b.hi.Z)}
}
