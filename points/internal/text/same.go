package text

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/inpoly/inpoly/internal/decimal"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// same is the sink of a text's own layout: all bytes of the input, with the answers
// before each line end. A text has no beginning of its own.
type same struct {
	table.NoState
	src   *Source
	cols  []table.Column
	names []string
	write writer
}

// Passthrough returns a sink that passes the text through byte for byte and appends the
// answers to each row, before its own line end, and their names to the header. Rows
// that are dropped are left out with their line ends; comments and blank lines stay.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	write := writer{s.appended, s.Delimiter, s.DecimalComma}
	return &same{src: s, cols: cols, names: table.Names(s.table, cols), write: write}, nil
}

// answerBytes is room for a delimiter and an answer word; numbers may take more.
const answerBytes = 4

// Format appends the rows of b with their answers to b.Out.
func (s *same) Format(b *table.Block) error {
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
		dst = s.write.answers(dst, b, k, s.cols)
	}
	b.Out = append(dst, b.Raw[prev:]...)
	return nil
}

// rowAfter returns the place after the line end at raw[at:].
func rowAfter(raw []byte, at int32) int32 {
	if int(at) < len(raw) && raw[at] == '\r' {
		at++
	}
	return min(at+1, int32(len(raw)))
}

// writer writes answers into a text.
type writer struct {
	appended  byte // before each answer
	delimiter byte
	comma     bool // decimal comma
}

// answers appends the answers of row k of b.
func (w *writer) answers(dst []byte, b *table.Block, k int, cols []table.Column) []byte {
	var number, integer, words int
	for i := range cols {
		dst = append(dst, w.appended)
		switch cols[i].Kind {
		case table.Inside:
			dst = append(dst, pointio.InsideWords[b.Sides[k]&3]...)
		case table.State:
			dst = append(dst, pointio.StateWords[b.Sides[k]&3]...)
		case table.Number, table.Bound:
			dst = w.number(dst, b.Numbers[number][k], 64)
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

// number appends x with the decimal sign of the file; NaN is "nan".
func (w *writer) number(dst []byte, x float64, bits int) []byte {
	if x != x {
		return append(dst, "nan"...)
	}
	from := len(dst)
	dst = decimal.Append(dst, x, bits)
	if w.comma {
		if i := bytes.IndexByte(dst[from:], '.'); i >= 0 {
			dst[from+i] = ','
		}
	}
	return dst
}

// appendWord appends a string, in quotes where a reader could take it for something
// else. Between blanks, where an empty field is none, an empty string is a hyphen.
func appendWord[T string | []byte](dst []byte, s T, delimiter byte) []byte {
	if len(s) == 0 && delimiter == ' ' {
		return append(dst, '-')
	}
	return appendQuoted(dst, s, delimiter)
}

// appendQuoted appends s, in double quotes if it has the delimiter, a quote or a line
// end in it, a blank that a reader would strip or cut at, or begins like a comment.
func appendQuoted[T string | []byte](dst []byte, s T, delimiter byte) []byte {
	plain := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == delimiter, c == '"', c == '\n', c == '\r':
			plain = false
		case i == 0 && (c == '#' || c == '%' || c == '/'): // a comment
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
