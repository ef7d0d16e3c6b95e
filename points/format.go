package points

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/internal/geojson"
	"github.com/inpoly/inpoly/points/internal/jsonl"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/internal/npy"
	"github.com/inpoly/inpoly/points/internal/parquet"
	"github.com/inpoly/inpoly/points/internal/pcd"
	"github.com/inpoly/inpoly/points/internal/ply"
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

// magicBytes is the number of bytes that detect examines. It exceeds the length of each magic number.
// Some blanks can precede the first object of JSON Lines.
const magicBytes = 64

// detect returns the Source of the input r. The first bytes identify the format. Without a known
// magic number, the input is text.
func detect(name string, r io.Reader, at io.ReaderAt, size int64, opt pointio.Options) (table.Source, error) {
	magic, r, _, err := pointio.Peek(r, magicBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	is := func(front string) bool { return bytes.HasPrefix(magic, []byte(front)) }
	switch {
	case is("\x93NUMPY"):
		return npy.New(name, r, at, size, opt)
	case is("ply\n"), is("ply\r"):
		return ply.New(name, r, at, size, opt)
	case is("LASF"):
		return las.New(name, r, at, size, opt)
	case pcd.Signature(magic):
		return pcd.New(name, r, at, size, opt)
	case is("PK\x03\x04"), is("PK\x05\x06"):
		return npy.NewArchive(name, r, at, size, opt)
	case is("PAR1"):
		return parquet.New(name, r, at, size, opt)
	case bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(magic, []byte("\xef\xbb\xbf")), " \t\r\n\x1e"), []byte("{")):
		head, r, _, err := pointio.Peek(r, geojson.Head)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if geojson.Detect(head) != geojson.Other {
			return geojson.New(name, r, at, size, opt)
		}
		return jsonl.New(name, r, at, size, opt)
	}
	if err := refusal(magic); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text.New(name, r, at, size, opt)
}

// outputs lists the formats to which any input can be converted.
var outputs = []struct {
	name    string
	convert func(src table.Source, cols []table.Column) (table.Sink, error)
	joiner  table.Joiner // nil if outputs have no header with the number of rows, or cannot be joined
	// answers is convert without the fields of src; nil if the format cannot hold rows without points.
	answers func(src table.Source, cols []table.Column) (table.Sink, error)
}{
	{"csv", text.Convert, nil, bare(text.Convert)},
	{"npy", npy.Convert, npy.Joiner{}, npy.Answers},
	{"ply", ply.Convert, ply.Joiner{}, nil},
	{"las", las.Convert, las.Joiner{}, nil},
	{"laz", las.ConvertPacked, nil, nil},
	{"parquet", parquet.Convert, nil, bare(parquet.Convert)},
	{"jsonl", jsonl.Convert, nil, bare(jsonl.Convert)},
	{"pcd", pcd.Convert, pcd.Joiner{}, nil},
}

// bare returns a function that hides the fields of a Source from convert.
func bare(convert func(table.Source, []table.Column) (table.Sink, error)) func(table.Source, []table.Column) (table.Sink, error) {
	return func(src table.Source, cols []table.Column) (table.Sink, error) { return convert(fieldless{src}, cols) }
}

// fieldless is a Source without its fields.
type fieldless struct{ table.Source }

func (fieldless) Fields() []table.Field { return nil }
func (fieldless) Axes() [3]int          { return [3]int{-1, -1, -1} }

// Joiner returns the table.Joiner of an output format, if the format has one.
func Joiner(format string) (j table.Joiner, ok bool) {
	for _, f := range outputs {
		if f.name == format {
			return f.joiner, f.joiner != nil
		}
	}
	return nil, false
}

// OutputFormats returns the formats that Job.Format can name.
func OutputFormats() []string {
	names := make([]string, len(outputs))
	for i, f := range outputs {
		names[i] = f.name
	}
	return names
}

// Sink returns a Sink that writes the rows of r and the answer columns cols in an output format. If format is
// "" or the format of the input, the Sink copies all bytes of the fields. The Sink also copies all bytes from
// LAS to LAZ and from LAZ to LAS. The format csv is text with commas and decimal points. A Job creates its own
// Sink. A program can call Sink before the Job to find problems early.
//
// Sink returns table.ErrCannotHold if the format has no place for a column. It also fails if the
// format is unknown.
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
	return nil, fmt.Errorf("output format %q: must be one of %s", format, strings.Join(OutputFormats(), ", "))
}

// AnswerSink returns a Sink that writes only the answer columns cols of the rows of r, in the order of the rows. format is
// csv, npy, parquet or jsonl. An array of NumPy has a field for each answer: a byte for a side (1 inside or on the surface,
// 0 outside, 255 uncertain; with table.State, 2 on the surface), a float64 or an int32.
//
// AnswerSink returns table.ErrCannotHold for the other formats, whose rows are points, and if the format has no place
// for a column. It also fails without columns.
func (r *Reader) AnswerSink(format string, cols []table.Column) (table.Sink, error) {
	if len(cols) == 0 {
		return nil, errors.New("points: an output without answers and without fields")
	}
	var able []string
	for _, f := range outputs {
		if f.answers == nil {
			continue
		}
		if f.name == format {
			sink, err := f.answers(r.src, cols)
			return sink, r.named(err)
		}
		able = append(able, f.name)
	}
	last := len(able) - 1
	return nil, pointio.CannotHoldf("output format %q: answers without points need %s or %s", format, strings.Join(able[:last], ", "), able[last])
}

// named prefixes err with the name of the input, unless err already begins with this name.
func (r *Reader) named(err error) error {
	if err == nil || strings.HasPrefix(err.Error(), r.name+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", r.name, err)
}
