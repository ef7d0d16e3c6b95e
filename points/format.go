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

// magicBytes is the number of bytes that identify the format: the length of the longest
// magic number.
const magicBytes = 6

// newSource returns the Source of the format that detect finds. Only for text may the
// caller declare columns as text.
func newSource(name string, r io.Reader, at io.ReaderAt, size int64, opt Options) (table.Source, error) {
	src, err := detect(name, r, at, size, opt)
	if err == nil && len(opt.Text) > 0 && src.Format() != "text" {
		return nil, fmt.Errorf("%s: cannot take columns as text (%s): the format %s has types", name, strings.Join(opt.Text, ", "), src.Format())
	}
	return src, err
}

// detect returns the Source of the format that the first bytes of r identify. Everything
// without a magic number is text.
func detect(name string, r io.Reader, at io.ReaderAt, size int64, opt Options) (table.Source, error) {
	magic, r, _, err := pointio.Peek(r, magicBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	is := func(front string) bool { return bytes.HasPrefix(magic, []byte(front)) }
	switch {
	case is("\x93NUMPY"):
		return asSource(npy.New(name, r, at, size, npy.Options{
			Columns: opt.Columns, Shard: opt.Shard, Shards: opt.Shards, Bytes: opt.Bytes, Block: opt.block}))
	case is("ply\n"), is("ply\r"):
		return asSource(ply.New(name, r, at, size, ply.Options{
			Columns: opt.Columns, Shard: opt.Shard, Shards: opt.Shards, Bytes: opt.Bytes, Block: opt.block}))
	case is("LASF"):
		return asSource(las.New(name, r, at, size, las.Options{
			Columns: opt.Columns, Shard: opt.Shard, Shards: opt.Shards, Bytes: opt.Bytes, Block: opt.block}))
	case is("PAR1") && opt.Bytes != [2]int64{}:
		return nil, fmt.Errorf("%s: a Parquet file cannot be restricted to a range of bytes: want a shard", name)
	case is("PAR1"):
		return asSource(parquet.New(name, r, at, size, parquet.Options{Columns: opt.Columns, Shard: opt.Shard, Shards: opt.Shards}))
	}
	return asSource(text.New(name, r, at, size, text.Options{
		Columns: opt.Columns, Text: opt.Text, Shard: opt.Shard, Shards: opt.Shards, Bytes: opt.Bytes, Block: opt.block}))
}

// asSource returns s as a Source, nil if s is a nil pointer.
func asSource[S table.Source](s S, err error) (table.Source, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// outputFormat is a format to which others can be converted.
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
// ply and las do.
func Joiner(format string) (j table.Joiner, ok bool) {
	for _, f := range outputs {
		if f.name == format {
			return f.joiner, f.joiner != nil
		}
	}
	return nil, false
}

// OutputFormats returns the formats that Job.Format may name.
func OutputFormats() []string {
	names := make([]string, len(outputs))
	for i, f := range outputs {
		names[i] = f.name
	}
	return names
}

// Sink returns a Sink for the rows of r with the answers cols, in the named output format,
// or in the format of the input if format is "" or the same. CSV is a text with commas and
// decimal points. A Job makes its own Sink; a call before the Job reports problems early.
//
// Errors: table.ErrCannotHold if the format has no place for a column; an error of an
// unknown format.
func (r *Reader) Sink(format string, cols []table.Column) (table.Sink, error) {
	if l := r.Layout(); l != nil && l.Delimiter == ',' && format == "csv" {
		format = ""
	}
	if format == "" || format == r.Format() {
		sink, err := r.src.Passthrough(cols)
		return sink, r.named(err)
	}
	for _, f := range outputs {
		if f.name == format {
			sink, err := f.convert(r.src, cols)
			return sink, r.named(err)
		}
	}
	return nil, fmt.Errorf("output format %q: want %s", format, strings.Join(OutputFormats(), ", "))
}

// named returns err with the name of the input, unless it has it already.
func (r *Reader) named(err error) error {
	if err == nil || strings.HasPrefix(err.Error(), r.name+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", r.name, err)
}
