package text

import (
	"bytes"
	"io"
	"slices"
	"strconv"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// passthrough is the sink that copies all bytes of the input and inserts the answers before the
// line end of each row.
type passthrough struct {
	table.NoState
	src   *Source
	cols  []table.Column
	names []string
	write answerWriter
}

// Passthrough returns a sink that copies the text byte for byte. It appends the answers to each row
// before the line end, and the names of the answers to the header. Dropped rows disappear with
// their line ends. Comments and blank lines stay.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	write := answerWriter{s.separator, s.Delimiter, s.DecimalComma}
	return &passthrough{src: s, cols: cols, names: table.Names(s.table, cols), write: write}, nil
}

// answerBytes is the estimated size of a delimiter and an answer. Numbers can need more bytes.
const answerBytes = 4

// Format appends the rows of b with their answers to b.Out.
func (s *passthrough) Format(b *table.Block) error {
	r := rowsOf(b)
	dst := slices.Grow(b.Out, len(b.Raw)+len(r.ends)*answerBytes*len(s.cols))
	prev := int32(0)
	if r.header >= 0 {
		dst = append(dst, b.Raw[:r.header]...)
		prev = r.header
		for _, name := range s.names {
			dst = appendWord(append(dst, s.write.appended), name, s.write.delimiter)
		}
	}
	for k, at := range r.ends {
		if b.Dropped(k) {
			dst = append(dst, b.Raw[prev:r.starts[k]]...)
			prev = rowAfter(b.Raw, at)
			continue
		}
		dst = append(dst, b.Raw[prev:at]...)
		prev = at
		dst = s.write.appendAnswers(dst, b, k, s.cols)
	}
	b.Out = append(dst, b.Raw[prev:]...)
	return nil
}

// rowAfter returns the index of the row that follows the line end at raw[at:].
func rowAfter(raw []byte, at int32) int32 {
	if int(at) < len(raw) && raw[at] == '\r' {
		at++
	}
	return min(at+1, int32(len(raw)))
}

// answerWriter formats answers as text.
type answerWriter struct {
	appended  byte // delimiter before each answer (see Layout.separator)
	delimiter byte // delimiter of the output text
	comma     bool // numbers are written with a decimal comma
}

// appendAnswers appends the answers for row k of b to dst.
func (w *answerWriter) appendAnswers(dst []byte, b *table.Block, k int, cols []table.Column) []byte {
	var number, integer, words int
	for i := range cols {
		dst = append(dst, w.appended)
		switch cols[i].Kind {
		case table.Inside:
			dst = append(dst, pointio.InsideWords[b.Sides[k]&3]...)
		case table.State:
			dst = append(dst, pointio.StateWords[b.Sides[k]&3]...)
		case table.Number, table.Bound:
			dst = w.appendNumber(dst, b.Numbers[number][k], 64)
			number++
		case table.Integer:
			dst = strconv.AppendInt(dst, b.Integers[integer][k], 10)
			integer++
		case table.Label:
			label := ""
			if n := b.Integers[integer][k]; n >= 0 {
				label = cols[i].Labels[n]
			}
			dst = appendWord(dst, label, w.delimiter)
			integer++
		case table.Words:
			dst = appendWord(dst, b.Words[words][k], w.delimiter)
			words++
		}
	}
	return dst
}

// appendNumber appends x to dst with the decimal sign of the text. NaN is "nan".
func (w *answerWriter) appendNumber(dst []byte, x float64, bits int) []byte {
	if x != x {
		return append(dst, "nan"...)
	}
	from := len(dst)
	dst = decimal.Append(dst, x, bits)
	if w.comma {
		if i := bytes.IndexByte(dst[from:], '.'); i >= 0 {
			dst[from+i] = ','
			if w.delimiter == ',' {
				dst = append(slices.Insert(dst, from, '"'), '"')
			}
		}
	}
	return dst
}

// appendWord appends s to dst, in quotes if necessary. If the delimiter is a blank, it writes an
// empty string as a hyphen, because an empty field would disappear.
func appendWord[T string | []byte](dst []byte, s T, delimiter byte) []byte {
	if len(s) == 0 && delimiter == ' ' {
		return append(dst, '-')
	}
	return appendQuoted(dst, s, delimiter)
}

// appendQuoted appends s to dst. It writes s in double quotes if s contains the delimiter, a quote
// or a line end, begins or ends with a blank, or begins like a comment.
func appendQuoted[T string | []byte](dst []byte, s T, delimiter byte) []byte {
	plain := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == delimiter, c == '"', c == '\n', c == '\r':
			plain = false
		case i == 0 && (c == '#' || c == '%' || c == '/'): // s begins like a comment
			plain = false
		case isBlank(c) && (delimiter == ' ' || i == 0 || i == len(s)-1):
			plain = false
		}
	}
	if plain {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

// converter is the sink that Convert returns.
type converter struct {
	table.NoState
	src   table.Source
	cols  []table.Column
	names []string
	write answerWriter
}

// Convert returns a sink that writes the fields of src and the answers as CSV with a header row,
// decimal points and LF line ends. If src is a text, the sink copies the cells and adds quotes if
// necessary. A decimal comma becomes a decimal point. If src is not a text, coordinates get the
// fewest digits that restore the float64, and other floats the fewest digits that restore the
// float32 or float64. Truth values are 1 and 0, NaN is nan, and a missing value is an empty cell.
// Convert fails only for an opaque field (pointio.CheckValues).
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := pointio.CheckValues(src, "csv"); err != nil {
		return nil, err
	}
	return &converter{src: src, cols: cols, names: table.Names(src.Fields(), cols), write: answerWriter{appended: ',', delimiter: ','}}, nil
}

// Begin writes the header row.
func (c *converter) Begin(w io.Writer, _ int64) error {
	var row []byte
	for _, f := range c.src.Fields() {
		row = append(appendWord(row, f.Name, c.write.delimiter), c.write.delimiter)
	}
	for _, name := range c.names {
		row = append(appendWord(row, name, c.write.delimiter), c.write.delimiter)
	}
	if len(row) > 0 {
		row[len(row)-1] = '\n'
	}
	_, err := w.Write(row)
	return err
}

func (c *converter) Format(b *table.Block) error {
	vals, err := pointio.AllTexts(c.src, b)
	if err != nil {
		return err
	}
	dst := b.Out
	for k := range b.Points {
		if b.Dropped(k) {
			continue
		}
		for i := range vals {
			if i > 0 {
				dst = append(dst, c.write.delimiter)
			}
			dst = c.appendCell(dst, &vals[i], k)
		}
		from := len(dst)
		dst = c.write.appendAnswers(dst, b, k, c.cols)
		if len(vals) == 0 && len(dst) > from { // the first answer follows no field
			if dst = slices.Delete(dst, from, from+1); len(dst) == from {
				dst = append(dst, `""`...) // readers ignore an empty line
			}
		}
		dst = append(dst, '\n')
	}
	b.Out = dst
	return nil
}

// appendCell appends cell k of v to dst.
func (c *converter) appendCell(dst []byte, v *table.Values, k int) []byte {
	missing := len(v.Missing) > 0 && v.Missing[k]
	switch {
	case len(v.Texts) > 0:
		t := v.Texts[k]
		if v.Type.IsFloat() && !missing && v.Floats[k] == v.Floats[k] && bytes.IndexByte(t, ',') >= 0 {
			return c.write.appendNumber(dst, v.Floats[k], 8*v.Type.Size())
		}
		return appendWord(dst, t, c.write.delimiter)
	case missing:
		return appendWord(dst, "", c.write.delimiter)
	case v.Type.IsFloat():
		return c.write.appendNumber(dst, v.Floats[k], 8*v.Type.Size())
	case v.Type == table.Uint64:
		return strconv.AppendUint(dst, uint64(v.Ints[k]), 10)
	}
	return strconv.AppendInt(dst, v.Ints[k], 10)
}
