package text

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// cell is a field of a row, without the blanks and quotes around it: bytes of Raw, or
// of rows.room where from is negative (−1 − its place there). to is its end; a cell
// that the row does not have ends before it begins.
type cell struct{ from, to int32 }

// noCell is a cell that a row does not have.
var noCell = cell{0, -1}

// Values reads the cells of a column, as texts and, where it is Float64, as numbers: a
// missing value (see the package) is NaN and Missing. A cell of Text is missing only
// where its row ends before it. It fails with a table.RowError where a cell of a Float64
// column is no number, is one of digits behind a zero (but for coordinates), or has
// digits alone that float64 would round, and where a row has more cells than there are
// columns, which would be lost. Options.Text helps but in the last case.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	return s.values(b, field, v, true)
}

// Texts is Values, but what is wrong with a number is no error: see table.Texter.
func (s *Source) Texts(b *table.Block, field int, v *table.Values) error {
	return s.values(b, field, v, false)
}

// Complete fails where a row of b has more cells than there are columns.
func (s *Source) Complete(b *table.Block) error {
	if b.Ragged.Count == 0 {
		return nil
	}
	return s.split(b, rowsOf(b))
}

// values is Values if strict, else Texts.
func (s *Source) values(b *table.Block, field int, v *table.Values, strict bool) error {
	r := rowsOf(b)
	if err := s.split(b, r); err != nil {
		return err
	}
	v.Reset(s.table[field].Type)
	axis := slices.Contains(s.Columns[:], field)
	for k := range r.starts {
		c := r.cells[k*len(s.table)+field]
		f := r.text(b.Raw, c)
		v.Texts = append(v.Texts, f)
		lost := c == noCell
		if v.Type == table.Float64 {
			x, is := s.float(f, axis)
			switch {
			case is == absent:
				lost = true
			case is == number:
				lost = !strict && x != x
			case strict:
				return s.wrongCell(b, k, field, is)
			default:
				x = math.NaN()
			}
			v.Floats = append(v.Floats, x)
		}
		if lost && len(v.Missing) == 0 {
			v.Missing = slices.Grow(v.Missing, len(r.starts))[:len(r.starts)]
			clear(v.Missing)
		}
		if lost {
			v.Missing[k] = true
		}
	}
	return nil
}

// content is what a cell of a column of numbers is.
type content uint8

const (
	number   content = iota
	absent           // a missing value
	noNumber         // anything else
	code             // digits behind a zero, which numbers do not keep
	rounded          // digits alone that are no float64
)

// float reads a cell of a column of numbers. It is NaN if absent or no number. In a column
// of coordinates there are no codes.
func (s *Source) float(f []byte, axis bool) (float64, content) {
	x, n, ok := s.parse(f)
	switch {
	case !ok || n < len(f) && pastPayload(f, n, x) != len(f):
		if isMissing(f) {
			return math.NaN(), absent
		}
		return math.NaN(), noNumber
	case !axis && isCode(f):
		return x, code
	case math.Abs(x) >= 1<<53 && isRounded(f, x): // below, all integers are float64
		return x, rounded
	}
	return x, number
}

// isCode reports whether f begins with a zero and another digit, as postal codes do.
func isCode(f []byte) bool { return len(f) > 1 && f[0] == '0' && f[1]-'0' <= 9 }

// isRounded reports whether f is an integer without a point that differs from x, the
// float64 next to it, which is an integer or infinite.
func isRounded(f []byte, x float64) bool {
	if isNoInteger(f) {
		return false
	}
	const most = 309 // digits of the largest float64
	var room [most]byte
	exact := strconv.AppendFloat(room[:0], math.Abs(x), 'f', 0, 64)
	return !bytes.Equal(bytes.TrimLeft(f, "+-0"), exact)
}

// wrongCell is the error of a cell of row k of b that is no number, or none to keep.
func (s *Source) wrongCell(b *table.Block, k, field int, is content) error {
	r := rowsOf(b)
	f := r.text(b.Raw, r.cells[k*len(s.table)+field])
	advice := ": take it as text"
	if slices.Contains(s.Columns[:], field) {
		advice = ": want csv or jsonl"
	}
	reason := map[content]string{
		noNumber: "is not a number, as those at the front of the file are",
		code:     "begins with a zero, which a number would lose",
		rounded:  "would be rounded by float64",
	}[is]
	return &table.RowError{File: s.file, Line: s.lineOf(b, int(r.starts[k])), Err: table.ErrCannotHold,
		Reason: fmt.Sprintf("column %d (%s): %s %s%s", field+1, s.table[field].Name, pointio.Quote(f), reason, advice)}
}

// text returns the bytes of a cell.
func (r *rows) text(raw []byte, c cell) []byte {
	switch {
	case c == noCell:
		return nil
	case c.from < 0:
		return r.room[-1-c.from : c.to]
	}
	return raw[c.from:c.to:c.to]
}

// split finds the cells of all rows, once a block.
func (s *Source) split(b *table.Block, r *rows) error {
	if r.split {
		return nil
	}
	n := len(s.table)
	r.cells = slices.Grow(r.cells[:0], n*len(r.starts))
	r.room = r.room[:0]
	for k := range r.starts {
		if extra := s.cut(b.Raw[:r.ends[k]], r, int(r.starts[k]), n); extra {
			return s.cellError(b, r, k, fmt.Sprintf("more than %d columns: what is in the others would be lost", n))
		}
	}
	r.split = true
	return nil
}

// cut appends n cells for the row at raw[i:] to the end of raw, and tells whether it has
// more that are not empty. It is Layout.fields without copies.
func (s *Source) cut(raw []byte, r *rows, i, n int) (extra bool) {
	count := 0
	for {
		for i < len(raw) && isBlank(raw[i]) && (raw[i] != s.Delimiter || s.Delimiter == ' ') {
			i++
		}
		if s.Delimiter == ' ' && i >= len(raw) {
			break
		}
		start := i
		if i < len(raw) && raw[i] == '"' {
			i = min(quoteEnd(raw, i)+1, len(raw))
		}
		for i < len(raw) && !s.isDelim(raw[i]) {
			i++
		}
		end := i
		for end > start && isBlank(raw[end-1]) {
			end--
		}
		if count < n {
			r.cells = append(r.cells, r.unquoted(raw, start, end))
		} else {
			extra = extra || end > start
		}
		count++
		if i >= len(raw) {
			break
		}
		i++
	}
	for ; count < n; count++ {
		r.cells = append(r.cells, noCell)
	}
	return extra
}

// unquoted returns the cell at raw[start:end] without quotes; see unquote.
func (r *rows) unquoted(raw []byte, start, end int) cell {
	if end-start < 2 || raw[start] != '"' || raw[end-1] != '"' {
		return cell{int32(start), int32(end)}
	}
	start++
	end--
	if bytes.IndexByte(raw[start:end], '"') >= 0 {
		from := len(r.room)
		r.room = append(r.room, unquote(raw[start-1:end+1])...)
		return cell{int32(-1 - from), int32(len(r.room))}
	}
	for start < end && isBlank(raw[start]) {
		start++
	}
	for end > start && isBlank(raw[end-1]) {
		end--
	}
	return cell{int32(start), int32(end)}
}

// cellError is an error of the k-th row of b.
func (s *Source) cellError(b *table.Block, r *rows, k int, reason string) error {
	return &table.RowError{File: s.file, Line: s.lineOf(b, int(r.starts[k])), Reason: reason}
}
