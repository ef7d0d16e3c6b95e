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

// Format is the format under test: its New, and the name of its files in messages.
type Format[S table.Source, O any] struct {
	File string
	New  func(file string, r io.Reader, at io.ReaderAt, size int64, opt O) (S, error)
}

// Open opens text as a plain file, or as a stream that returns few bytes at a time.
func (f Format[S, O]) Open(text string, stream bool, opt O) (S, error) {
	if stream {
		return f.New(f.File, slowReader{strings.NewReader(text)}, nil, -1, opt)
	}
	return f.New(f.File, strings.NewReader(text), strings.NewReader(text), int64(len(text)), opt)
}

// slowReader is an io.Reader without other methods that returns few bytes at a time.
type slowReader struct{ r io.Reader }

func (t slowReader) Read(p []byte) (int, error) { return t.r.Read(p[:min(len(p), 700)]) }

// whole opens in as a stream that returns all bytes at once.
func (f Format[S, O]) whole(in []byte, opt O) (S, error) {
	return f.New(f.File, bytes.NewReader(in), nil, -1, opt)
}

// Stream is Pump for a stream of the format.
func (f Format[S, O]) Stream(in []byte, opt O, cols []table.Column, open func(S) (table.Sink, error)) (string, Summary, error) {
	src, err := f.whole(in, opt)
	if err != nil {
		return "", Summary{Counts: table.NoCounts()}, err
	}
	return Pump(src, cols, open)
}

// Run is Stream with the sink of the same format.
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

// Passthrough passes all rows of text to the sink of the same format.
func (f Format[S, O]) Passthrough(text string, stream bool, opt O, cols []table.Column) (string, error) {
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

// Start returns a function that opens text and the sink of the same format for cols, or
// fails the test.
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

// MustPassthrough passes text through, without the rows that drop selects, or fails the test.
// If known is set, Begin is told the number of rows.
func (f Format[S, O]) MustPassthrough(t testing.TB, text string, stream bool, opt O, cols []table.Column, known bool, drop func(k int64) bool) string {
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

// CheckPassthrough passes text through if it can be read. Without answers the bytes must be
// the same. With AllColumns the output must be readable and have the same number of rows, and
// each row must begin with its old bytes. rows returns the rows of a parsed block.
func (f Format[S, O]) CheckPassthrough(t testing.TB, text string, stream bool, opt O, rows func(src S, b *table.Block) ([]string, error)) {
	t.Helper()
	if out, err := f.Passthrough(text, stream, opt, nil); err == nil && out != text {
		t.Fatalf("%q\nbecame\n%q", text, out)
	}
	out, err := f.Passthrough(text, stream, opt, AllColumns)
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

// Rows returns the concatenated results of rows for all blocks of text, or fails the test.
func (f Format[S, O]) Rows(t testing.TB, text string, rows func(src S, b *table.Block) ([]string, error)) (list []string) {
	t.Helper()
	var opt O
	src, err := f.Open(text, false, opt)
	if err == nil {
		err = forEachBlock(src, func(b *table.Block) error {
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

// CheckTruncated reads a stream that is shorter than it claims. The error must be
// io.ErrUnexpectedEOF, and no memory may be allocated for the missing part.
func (f Format[S, O]) CheckTruncated(t testing.TB, name, text string, opt O) {
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

// BenchmarkPassthrough reads, parses and formats n rows without answering them, on one
// goroutine.
func (f Format[S, O]) BenchmarkPassthrough(b *testing.B, text string, n int) {
	b.SetBytes(int64(len(text)))
	cols := AllColumns[:1]
	var opt O
	for b.Loop() {
		src, sink := f.Start(b, text, false, opt, cols)()
		Drain(b, src, sink, cols)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}

// Drain is Send without answers to io.Discard.
func Drain(b *testing.B, src table.Source, sink table.Sink, cols []table.Column) {
	b.Helper()
	if err := Send(io.Discard, src, sink, cols, src.Rows(), func(*table.Block) {}); err != nil {
		b.Fatal(err)
	}
}
