package points

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/internal/jsonl"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/internal/npy"
	"github.com/inpoly/inpoly/points/internal/parquet"
	"github.com/inpoly/inpoly/points/internal/ply"
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

// magicBytes is how much of a file tells its format: as much as the longest magic.
const magicBytes = 6

// newSource chooses the format by the first bytes of r; what is nothing else is text, and
// only that may have columns to take as text.
func newSource(name string, r io.Reader, at io.ReaderAt, size int64, opt Options) (table.Source, error) {
	src, err := detected(name, r, at, size, opt)
	if err == nil && len(opt.Text) > 0 && src.Format() != "text" {
		return nil, fmt.Errorf("%s: columns to take as text (%s): those of %s have types of their own", name, strings.Join(opt.Text, ", "), src.Format())
	}
	return src, err
}

// detected is newSource before its check.
func detected(name string, r io.Reader, at io.ReaderAt, size int64, opt Options) (table.Source, error) {
	magic, r, _, err := pointio.Peek(r, magicBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	is := func(front string) bool { return bytes.HasPrefix(magic, []byte(front)) }
	switch {
	case is("\x93NUMPY"):
		return source(npy.New(name, r, at, size, npy.Options{
			Columns: opt.Columns, Shard: opt.Shard, Shards: opt.Shards, Bytes: opt.Bytes, Block: opt.block}))
	case is("ply\n"), is("ply\r"):
		return source(ply.New(name, r, at, size, ply.Options{
			Columns: opt.Columns, Shard: opt.Shard, Shards: opt.Shards, Bytes: opt.Bytes, Block: opt.block}))
	case is("LASF"):
		return source(las.New(name, r, at, size, las.Options{
			Columns: opt.Columns, Shard: opt.Shard, Shards: opt.Shards, Bytes: opt.Bytes, Block: opt.block}))
	case is("PAR1") && opt.Bytes != [2]int64{}:
		return nil, fmt.Errorf("%s: the rows of a Parquet file have no range of bytes: want a shard", name)
	case is("PAR1"):
		return source(parquet.New(name, r, at, size, parquet.Options{Columns: opt.Columns, Shard: opt.Shard, Shards: opt.Shards}))
	}
	return source(text.New(name, r, at, size, text.Options{
		Columns: opt.Columns, Text: opt.Text, Shard: opt.Shard, Shards: opt.Shards, Bytes: opt.Bytes, Block: opt.block}))
}

// source makes a nil Source of a nil pointer.
func source[S table.Source](s S, err error) (table.Source, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// outputFormat is a format that others can be converted to.
type outputFormat struct {
	name    string
	convert func(src table.Source, cols []table.Column) (table.Sink, error)
	joiner  table.Joiner // nil for formats without a header that counts rows
}

// outputs lists the output formats.
var outputs = []outputFormat{
	{"csv", func(src table.Source, cols []table.Column) (table.Sink, error) {
		return text.Convert(src, cols, text.ConvertOptions{})
	}, nil},
	{"npy", npy.Convert, npy.Joiner{}},
	{"ply", ply.Convert, ply.Joiner{}},
	{"las", las.Convert, las.Joiner{}},
	{"parquet", parquet.Convert, nil},
	{"jsonl", jsonl.Convert, nil},
}

// Joiner returns the table.Joiner of an output format, and whether the format has one: npy,
// ply and las have.
func Joiner(format string) (j table.Joiner, ok bool) {
	for _, f := range outputs {
		if f.name == format {
			return f.joiner, f.joiner != nil
		}
	}
	return nil, false
}

// OutputFormats are the formats that Job.Format may name.
func OutputFormats() []string {
	names := make([]string, len(outputs))
	for i, f := range outputs {
		names[i] = f.name
	}
	return names
}

// Sink returns a sink for the rows of r with the answers cols, in that format, or in its
// own if that is "" or the same. CSV is a text with commas and decimal points. It fails
// with an error that wraps ErrCannotHold where the format has no place for a column. A
// Job makes its sink by itself; asking before tells early what it will say.
func (r *Reader) Sink(format string, cols []table.Column) (table.Sink, error) {
	if l := r.Layout(); l != nil && l.Delimiter == ',' && format == "csv" {
		format = ""
	}
	if format == "" || format == r.Format() {
		sink, err := r.src.Passthrough(cols)
		return sink, r.explain(err)
	}
	for _, f := range outputs {
		if f.name == format {
			sink, err := f.convert(r.src, cols)
			return sink, r.explain(err)
		}
	}
	return nil, fmt.Errorf("output format %q: want %s", format, strings.Join(OutputFormats(), ", "))
}

// explain names the input in an error of a sink.
func (r *Reader) explain(err error) error {
	if err == nil || strings.HasPrefix(err.Error(), r.name+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", r.name, err)
}
