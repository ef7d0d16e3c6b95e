package text

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// cell is a field of a row without the blanks and quotes around it. Its bytes are
// Block.Raw[start:end]. If start is negative, its bytes are blockRows.unescaped[−1−start:end].
type cell struct{ start, end int32 }

// noCell stands for a cell in a column that the row does not have.
var noCell = cell{0, -1}

// Values reads the cells of a column as texts. If the type of the column is Float64, Values also
// reads the cells as numbers. For a missing value (see the package comment of points), the number
// is NaN and v.Missing is true. In a Text column, v.Missing is true only if the row has too few
// cells.
//
// If a row has more cells than there are columns, Values returns a *table.RowError, because the
// extra cells would be lost. Values also returns a *table.RowError for some cells of a Float64
// column: a text that is not a number, an integer that float64 would round, and a number that
// begins with a zero and another digit. Coordinates can begin with a zero and another digit. If
// Options.Text names a column, its cells cause no such error.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	return s.values(b, field, v, true)
}

// Texts implements table.Texter. Unlike Values, it accepts a cell of a Float64 column that is not a
// valid number.
func (s *Source) Texts(b *table.Block, field int, v *table.Values) error {
	return s.values(b, field, v, false)
}

// Complete fails if a row of b has more cells than there are columns.
func (s *Source) Complete(b *table.Block) error {
	if b.Ragged.Count == 0 {
		return nil
	}
	return s.splitCells(b, rowsOf(b))
}

// values implements Values if strict is true, and Texts if strict is false.
func (s *Source) values(b *table.Block, field int, v *table.Values, strict bool) error {
	r := rowsOf(b)
	if err := s.splitCells(b, r); err != nil {
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
			case is == missingValue:
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

// cellContent is the kind of content of a cell in a column of numbers.
type cellContent uint8

const (
	number       cellContent = iota
	missingValue             // an empty cell, or a word that stands for a missing value
	noNumber                 // any other text
	code                     // a number that begins with a zero and another digit
	rounded                  // an integer that float64 cannot represent exactly
)

// float parses a cell of a column of numbers. For a cell that is not a number, it returns NaN.
// float accepts a coordinate that begins with a zero and another digit.
func (s *Source) float(f []byte, axis bool) (float64, cellContent) {
	x, n, ok := s.parse(f)
	switch {
	case !ok || n < len(f) && pastPayload(f, n, x) != len(f):
		if isMissing(f) {
			return math.NaN(), missingValue
		}
		return math.NaN(), noNumber
	case !axis && isCode(f):
		return x, code
	case math.Abs(x) >= 1<<53 && isRounded(f, x): // float64 represents all smaller integers exactly
		return x, rounded
	}
	return x, number
}

// isCode reports whether f begins with a zero and another digit, like some postal codes.
func isCode(f []byte) bool { return len(f) > 1 && f[0] == '0' && f[1]-'0' <= 9 }

// isRounded reports whether f is an integer that differs from x, the float64 nearest to f.
func isRounded(f []byte, x float64) bool {
	if isNoInteger(f) {
		return false
	}
	const most = 309 // the largest float64 has 309 digits
	var room [most]byte
	exact := strconv.AppendFloat(room[:0], math.Abs(x), 'f', 0, 64)
	return !bytes.Equal(bytes.TrimLeft(f, "+-0"), exact)
}

// wrongCell returns the error for an invalid number in row k of b.
func (s *Source) wrongCell(b *table.Block, k, field int, is cellContent) error {
	r := rowsOf(b)
	f := r.text(b.Raw, r.cells[k*len(s.table)+field])
	advice := ": take the column as text"
	if slices.Contains(s.Columns[:], field) {
		advice = ": use csv or jsonl"
	}
	reason := map[cellContent]string{
		noNumber: "is not a number, unlike the cells at the beginning of the file",
		code:     "begins with a zero, which is lost in a number",
		rounded:  "would be rounded by float64",
	}[is]
	e := &table.RowError{File: s.file, Line: s.lineOf(b, int(r.starts[k])), Err: table.ErrCannotHold,
		Reason: fmt.Sprintf("column %d (%s): %s %s%s", field+1, quote.Line(s.table[field].Name), quote.Word(f), reason, advice)}
	if !slices.Contains(s.Columns[:], field) {
		e.Hint = fmt.Sprintf("--text %s copies the column as text; the formats csv, jsonl and parquet store text", s.flagName(field))
	}
	return e
}

// flagName returns the name of a column for use in a flag. It returns the number of the column,
// from 1, if a shell could split or change the name, or if other columns have the same name.
func (s *Source) flagName(field int) string {
	name := s.table[field].Name
	plain := name != "" && name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z'
	for _, c := range []byte(name) {
		plain = plain && (c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_')
	}
	for k, f := range s.table {
		plain = plain && (k == field || !strings.EqualFold(f.Name, name))
	}
	if !plain {
		return strconv.Itoa(field + 1)
	}
	return name
}

func (r *blockRows) text(raw []byte, c cell) []byte {
	switch {
	case c == noCell:
		return nil
	case c.start < 0:
		return r.unescaped[-1-c.start : c.end]
	}
	return raw[c.start:c.end:c.end]
}

// splitCells sets r.cells to the cells of all rows of b. It does nothing if r.cells is already set.
func (s *Source) splitCells(b *table.Block, r *blockRows) error {
	if r.split {
		return nil
	}
	n := len(s.table)
	r.cells = slices.Grow(r.cells[:0], n*len(r.starts))
	r.unescaped = r.unescaped[:0]
	for k := range r.starts {
		if extra := s.splitRow(b.Raw[:r.ends[k]], r, int(r.starts[k]), n); extra {
			return s.rowError(b, int(r.starts[k]), plural.Sprintf("more than %d columns: the cells of the others would be lost", n), nil)
		}
	}
	r.split = true
	return nil
}

// splitRow appends the first n cells of the row raw[i:] to r.cells. It reports whether the row has
// further cells that are not empty. It finds the same cells as Layout.fields, but does not copy
// them.
func (s *Source) splitRow(raw []byte, r *blockRows, i, n int) (extra bool) {
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

// unquoted returns the cell raw[start:end] without the quotes around it. It copies the cell only if
// there are more quotes inside.
func (r *blockRows) unquoted(raw []byte, start, end int) cell {
	if end-start < 2 || raw[start] != '"' || raw[end-1] != '"' {
		return cell{int32(start), int32(end)}
	}
	start++
	end--
	if bytes.IndexByte(raw[start:end], '"') >= 0 {
		from := len(r.unescaped)
		r.unescaped = append(r.unescaped, unquote(raw[start-1:end+1])...)
		return cell{int32(-1 - from), int32(len(r.unescaped))}
	}
	for start < end && isBlank(raw[start]) {
		start++
	}
	for end > start && isBlank(raw[end-1]) {
		end--
	}
	return cell{int32(start), int32(end)}
}
