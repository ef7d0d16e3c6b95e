package text

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
)

// isHeader reports whether a row is a header. A header names the three coordinates or the columns
// that the user gave. A row of names and empty fields is also a header, if it has at least three
// different names.
func (l *Layout) isHeader(row [][]byte, userColumns []string) bool {
	if axes.Find(row).N == 3 || hasColumns(row, userColumns) {
		return true
	}
	seen := map[string]bool{}
	for _, f := range row {
		if len(f) == 0 {
			continue
		}
		r, _ := utf8.DecodeRune(f)
		isName := (unicode.IsLetter(r) || r == '_') && !isMissing(f) && !l.isNumber(f)
		if !isName || seen[string(f)] {
			return false
		}
		seen[string(f)] = true
	}
	return len(seen) >= 3
}

// hasColumns reports whether the row has a field for each column name that the user gave. It
// ignores columns that the user gave by number. If all are numbers, it returns false.
func hasColumns(row [][]byte, userColumns []string) bool {
	any := false
	for _, name := range userColumns {
		if _, err := strconv.ParseUint(name, 10, 31); err == nil {
			continue
		}
		if any = pointio.IndexName(toStrings(row), name) >= 0; !any {
			return false
		}
	}
	return any
}

// fitHeader compares the number of columns of the header and of the first data row. R's write.table
// writes row names in the first column, but no header field for this column. For such a header,
// fitHeader adds an empty name for the first column. If the user gave all columns by number,
// fitHeader accepts any other difference. Otherwise such a difference is an error.
func (c *candidate) fitHeader(sample []byte, rows []sampleRow, found *axes.Match, userColumns []string) {
	l := &c.layout
	have, want := len(rows[0].fields), len(l.Header)
	if l.Header == nil || have == want {
		return
	}
	if have == want+1 && l.hasRowNames(sample, rows) {
		l.Header = append([]string{""}, l.Header...)
		for axis := range found.At {
			found.At[axis]++
		}
		return
	}
	for _, name := range userColumns {
		if _, err := strconv.ParseUint(name, 10, 31); err != nil {
			userColumns = nil
		}
	}
	if userColumns == nil {
		c.errAt = l.firstRow
		c.err = plural.Errorf("the row has %d columns, but the header in line %d has %d: %s",
			have, 1+bytes.Count(sample[:l.headerAt], newline), want, quote.Line(strings.Join(l.Header, " ")))
		split := have >= want+3 && splitPairs(rows[0].fields) >= have-want
		if l.Delimiter == ',' && have > want && (split || !slices.ContainsFunc(rows[0].fields, isNoInteger)) {
			c.err = fmt.Errorf("%w: if the commas of the numbers are decimal commas, use another delimiter, such as a semicolon", c.err)
		}
		if l.Delimiter == ',' && split {
			c.hint = splitHint
		}
	}
}

// hasRowNames reports whether all rows begin with a name. A first field is a name if it is not
// empty, not a number and not a missing value. A first field in quotes is also a name if the second
// field has no quotes.
func (l *Layout) hasRowNames(sample []byte, rows []sampleRow) bool {
	quoted := func(i int) bool {
		for i < len(sample) && isBlank(sample[i]) {
			i++
		}
		return i < len(sample) && sample[i] == '"'
	}
	for _, r := range rows {
		label := r.fields[0]
		switch {
		case len(label) > 0 && !l.isNumber(label) && !isMissing(label):
		case quoted(r.start) && len(r.fields) > 1 && !quoted(l.skip(sample[:min(r.end+1, len(sample))], r.start)+1):
		default:
			return false
		}
	}
	return true
}

// commentFields returns the fields of the comment line at the front of b, without the comment mark.
func (l *Layout) commentFields(b []byte) [][]byte {
	line, _, _ := bytes.Cut(b, newline)
	line = bytes.TrimLeft(bytes.TrimRight(line, "\r"), " \t#%/")
	return l.fields(line, nil)
}

// declaredDelimiter reads the delimiter from a first line such as "sep=;", which Excel writes. It
// also returns the offset after the line. If there is no such line, both results are 0.
func declaredDelimiter(sample []byte, i int) (delimiter byte, end int, err error) {
	line, _, _ := bytes.Cut(sample[i:], newline)
	end = min(i+len(line)+1, len(sample))
	line = bytes.TrimSuffix(line, []byte("\r"))
	const mark = "sep="
	if len(line) < len(mark) || !strings.EqualFold(string(line[:len(mark)]), mark) {
		return 0, 0, nil
	}
	for _, try := range delimiters {
		if string(line[len(mark):]) == string(try.delimiter) {
			return try.delimiter, end, nil
		}
	}
	return 0, 0, errors.New("unknown delimiter after sep=: expected a semicolon, comma, tab, bar or blank")
}

// skipCount skips a first line that has only the number of points, and returns the following rows.
// In molecular files, a line of free text follows the number, so skipCount also skips this line.
// The skipped lines become the prologue of the layout.
func (c *candidate) skipCount(sample []byte, rows []sampleRow) []sampleRow {
	if len(rows) < 2 || len(rows[0].fields) != 1 {
		return rows
	}
	if _, err := strconv.ParseUint(string(rows[0].fields[0]), 10, 64); err != nil {
		return rows
	}
	n := 0
	switch {
	case len(rows) > 2 && rows[1].start == rows[0].end+1 && c.layout.isFreeText(sample, rows[1], rows[2]):
		n = 2
	case len(rows[1].fields) >= 3:
		n = 1
	default:
		return rows
	}
	c.layout.prologue = int64(rows[n-1].end + 1)
	return rows[n:]
}

// isFreeText reports whether the line after the number of points is neither a header nor data. To
// recognize data, it compares this line with the next row.
func (l *Layout) isFreeText(sample []byte, line, row sampleRow) bool {
	if bytes.IndexByte(sample[line.start:line.end], '\n') >= 0 || l.countNumbers(row) < 3 {
		return false
	}
	if axes.Find(line.fields).N == 3 && len(line.fields) == len(row.fields) {
		return false
	}
	if len(row.fields) > 3 && isElement(row.fields[0]) {
		return !isElement(line.fields[0]) || len(line.fields) != len(row.fields) || l.countNumbers(line) < 3
	}
	return l.countNumbers(line) < 3 && !(l.isHeader(line.fields, nil) && len(line.fields) == len(row.fields))
}

// countNumbers counts the fields of a row that are numbers.
func (l *Layout) countNumbers(row sampleRow) int {
	n := 0
	for _, f := range row.fields {
		if l.isNumber(f) {
			n++
		}
	}
	return n
}

// isElement reports whether f has one to three letters, like the symbol of a chemical element.
func isElement(f []byte) bool {
	for _, c := range f {
		if c |= 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return len(f) > 0 && len(f) <= 3
}
