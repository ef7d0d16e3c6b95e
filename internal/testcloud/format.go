package testcloud

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// Format is the format under test. File is the file name that error messages use.
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

// slowReader is an io.Reader that returns few bytes at a time and has no other methods.
type slowReader struct{ r io.Reader }

func (t slowReader) Read(p []byte) (int, error) { return t.r.Read(p[:min(len(p), 700)]) }

// Stream opens the input as a stream and passes the source to Pump.
func (f Format[S, O]) Stream(in []byte, opt O, cols []table.Column, open func(S) (table.Sink, error)) (string, Summary, error) {
	src, err := f.Open(string(in), true, opt)
	if err != nil {
		return "", Summary{Counts: table.NoCounts()}, err
	}
	return Pump(src, cols, open)
}

// Run calls Stream with a sink of the same format, which writes the answer columns cols.
func (f Format[S, O]) Run(in []byte, opt O, cols []table.Column) (string, Summary, error) {
	return f.Stream(in, opt, cols, func(s S) (table.Sink, error) { return s.Passthrough(cols) })
}

// Points opens the input as a stream and returns all points. If the stream has an error, Points
// returns the points before the error.
func (f Format[S, O]) Points(in []byte, opt O) ([]r3.Vector, error) {
	src, err := f.Open(string(in), true, opt)
	if err != nil {
		return nil, err
	}
	return Points(src)
}

// Passthrough opens the text and writes it through the sink of the same format. It omits the rows
// for which isDropped returns true. The sink gets the number of rows if rowsKnown is true, and −1
// otherwise.
func (f Format[S, O]) Passthrough(text string, stream bool, opt O, cols []table.Column, rowsKnown bool, isDropped func(k int64) bool) (string, error) {
	src, sink, err := f.start(text, stream, opt, cols)
	if err != nil {
		return "", err
	}
	rows := int64(-1)
	if rowsKnown {
		rows = src.Rows()
	}
	return Pass(src, sink, cols, rows, isDropped)
}

// MustPassthrough calls Passthrough. If Passthrough returns an error, the test fails.
func (f Format[S, O]) MustPassthrough(t testing.TB, text string, stream bool, opt O, cols []table.Column, rowsKnown bool, isDropped func(k int64) bool) string {
	t.Helper()
	out, err := f.Passthrough(text, stream, opt, cols, rowsKnown, isDropped)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// start opens text and returns its source and a sink of the same format for cols.
func (f Format[S, O]) start(text string, stream bool, opt O, cols []table.Column) (table.Source, table.Sink, error) {
	src, err := f.Open(text, stream, opt)
	if err != nil {
		return nil, nil, err
	}
	sink, err := src.Passthrough(cols)
	return src, sink, err
}

// Start returns a function for Resumed. The function opens text and returns its source and a sink
// of the same format for cols. If it cannot open text, the test fails.
func (f Format[S, O]) Start(t testing.TB, text string, stream bool, opt O, cols []table.Column) func() (table.Source, table.Sink) {
	return func() (table.Source, table.Sink) {
		t.Helper()
		src, sink, err := f.start(text, stream, opt, cols)
		if err != nil {
			t.Fatal(err)
		}
		return src, sink
	}
}

// CheckPassthrough calls Passthrough for text. It ignores a text that cannot be read. Without
// answers, the output must equal text without the bytes after its last row. With AllColumns, the output must be readable and have the
// same number of rows. Each row of the output must begin with the bytes of the same row of text.
// The given function returns the rows of a parsed block.
func (f Format[S, O]) CheckPassthrough(t testing.TB, text string, stream bool, opt O, rows func(src S, b *table.Block) ([]string, error)) {
	t.Helper()
	if out, err := f.Passthrough(text, stream, opt, nil, true, nil); err == nil && out != text {
		src, err := f.Open(text, stream, opt)
		if err == nil {
			err = ReadAll(src)
		}
		// Bytes after the last row are not copied.
		more, ok := any(src).(table.Trailer)
		if n := len(text) - len(out); err != nil || !ok || more.Trailing() == 0 || !strings.HasPrefix(text, out) || int64(n) < more.Trailing() {
			t.Fatalf("%q\nbecame\n%q", text, out)
		}
	}
	out, err := f.Passthrough(text, stream, opt, AllColumns, true, nil)
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

// Rows calls the given function for each block of text and concatenates the results. After an
// error, the test fails.
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

// CheckTruncated reads a stream that is shorter than its header claims. The error must be
// io.ErrUnexpectedEOF. The reader must not allocate memory for the missing part.
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
		t.Errorf("%s: the reader allocated %d bytes, want at most 1 MiB", name, n)
	}
}

// BenchmarkPassthrough reads, parses and formats the n rows of text on one goroutine, without
// computing answers.
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

// Drain writes all rows of src through sink to io.Discard, without computing answers.
func Drain(b *testing.B, src table.Source, sink table.Sink, cols []table.Column) {
	b.Helper()
	if err := send(io.Discard, src, sink, cols, src.Rows(), func(*table.Block) {}); err != nil {
		b.Fatal(err)
	}
}
