package testcloud

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// Format is a format that is tested: its New, and the name that its files have.
type Format[S table.Source, O any] struct {
	File string
	New  func(file string, r io.Reader, at io.ReaderAt, size int64, opt O) (S, error)
}

// Open opens text as a plain file, or as a stream that gives few bytes at a time.
func (f Format[S, O]) Open(text string, stream bool, opt O) (S, error) {
	if stream {
		return f.New(f.File, few{strings.NewReader(text)}, nil, -1, opt)
	}
	return f.New(f.File, strings.NewReader(text), strings.NewReader(text), int64(len(text)), opt)
}

// few is a reader that is nothing else, and gives few bytes at a time.
type few struct{ r io.Reader }

func (t few) Read(p []byte) (int, error) { return t.r.Read(p[:min(len(p), 700)]) }

// whole opens in as a stream that gives all bytes at once.
func (f Format[S, O]) whole(in []byte, opt O) (S, error) {
	return f.New(f.File, bytes.NewReader(in), nil, -1, opt)
}

// Stream is Pump for a stream.
func (f Format[S, O]) Stream(in []byte, opt O, cols []table.Column, open func(S) (table.Sink, error)) (string, Summary, error) {
	src, err := f.whole(in, opt)
	if err != nil {
		return "", Summary{Counts: table.NoCounts()}, err
	}
	return Pump(src, cols, open)
}

// Run is Stream to the sink of the same format.
func (f Format[S, O]) Run(in []byte, opt O, cols []table.Column) (string, Summary, error) {
	return f.Stream(in, opt, cols, func(s S) (table.Sink, error) { return s.Passthrough(cols) })
}

// Points returns all points of a stream.
func (f Format[S, O]) Points(in []byte, opt O) ([]r3.Vector, error) {
	src, err := f.whole(in, opt)
	if err != nil {
		return nil, err
	}
	return Points(src)
}

// Through passes all rows of text through, to the sink of the same format.
func (f Format[S, O]) Through(text string, stream bool, opt O, cols []table.Column) (string, error) {
	src, err := f.Open(text, stream, opt)
	if err != nil {
		return "", err
	}
	sink, err := src.Passthrough(cols)
	if err != nil {
		return "", err
	}
	return Pass(src, sink, cols, src.Rows(), nil)
}

// Start returns what opens text, with the sink of the same format for cols, or fails.
func (f Format[S, O]) Start(t testing.TB, text string, stream bool, opt O, cols []table.Column) func() (table.Source, table.Sink) {
	return func() (table.Source, table.Sink) {
		t.Helper()
		src, err := f.Open(text, stream, opt)
		if err != nil {
			t.Fatal(err)
		}
		sink, err := src.Passthrough(cols)
		if err != nil {
			t.Fatal(err)
		}
		return src, sink
	}
}

// MustSame passes text through, but for the rows that drop says, or fails. known says that
// Begin is told the number of rows.
func (f Format[S, O]) MustSame(t testing.TB, text string, stream bool, opt O, cols []table.Column, known bool, drop func(k int64) bool) string {
	t.Helper()
	src, sink := f.Start(t, text, stream, opt, cols)()
	rows := int64(-1)
	if known {
		rows = src.Rows()
	}
	out, err := Pass(src, sink, cols, rows, drop)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// CheckThrough passes text through, if it can be read: without answers the bytes are the
// same; with AllColumns the output can be read, has as many rows, and each begins with its
// old bytes. rows returns those of a parsed block.
func (f Format[S, O]) CheckThrough(t testing.TB, text string, stream bool, opt O, rows func(src S, b *table.Block) ([]string, error)) {
	t.Helper()
	if out, err := f.Through(text, stream, opt, nil); err == nil && out != text {
		t.Fatalf("%q\nbecame\n%q", text, out)
	}
	out, err := f.Through(text, stream, opt, AllColumns)
	if err != nil {
		return
	}
	was, is := f.Rows(t, text, rows), f.Rows(t, out, rows)
	if len(was) != len(is) {
		t.Fatalf("%d rows became %d: %q\nbecame\n%q", len(was), len(is), text, out)
	}
	for k := range was {
		if !strings.HasPrefix(is[k], was[k]) {
			t.Fatalf("row %d: %q\nbecame\n%q", k, was[k], is[k])
		}
	}
}

// Rows returns what rows says of all blocks of text, or fails.
func (f Format[S, O]) Rows(t testing.TB, text string, rows func(src S, b *table.Block) ([]string, error)) (list []string) {
	t.Helper()
	var opt O
	src, err := f.Open(text, false, opt)
	if err == nil {
		err = each(src, func(b *table.Block) error {
			more, err := rows(src, b)
			list = append(list, more...)
			return err
		})
	}
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return list
}

// CheckLie reads a stream that claims to be longer than it is: it is cut off, and no memory
// is taken for what is not there.
func (f Format[S, O]) CheckLie(t testing.TB, name, text string, opt O) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	src, err := f.Open(text, true, opt)
	if err == nil {
		err = ReadAll(src)
	}
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%s: %v", name, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%s: %d bytes of memory", name, n)
	}
}

// BenchmarkSame reads n rows, parses them, answers with nothing and formats them, on one
// goroutine.
func (f Format[S, O]) BenchmarkSame(b *testing.B, text string, n int) {
	b.SetBytes(int64(len(text)))
	cols := AllColumns[:1]
	var opt O
	for b.Loop() {
		src, sink := f.Start(b, text, false, opt, cols)()
		Drain(b, src, sink, cols)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}

// Drain is Send with answers that cost nothing, to nowhere.
func Drain(b *testing.B, src table.Source, sink table.Sink, cols []table.Column) {
	b.Helper()
	if err := Send(io.Discard, src, sink, cols, src.Rows(), func(*table.Block) {}); err != nil {
		b.Fatal(err)
	}
}
