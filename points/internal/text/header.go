package text

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isHeader reports whether row is a header: it names the three coordinates or the columns
// that the user gave, or it consists of at least three different names and empty fields. Any
// other first row is data, so that its errors are reported.
func (l *Layout) isHeader(row [][]byte, columns []string) bool {
	if matchNames(row).n == 3 || hasColumns(row, columns) {
		return true
	}
	seen := map[string]bool{}
	for _, f := range row {
		if len(f) == 0 {
			continue
		}
		if !isName(f) || l.isNumber(f) || seen[string(f)] {
			return false
		}
		seen[string(f)] = true
	}
	return len(seen) >= 3
}

// isName reports whether f begins with a letter or an underscore and is not a missing value.
func isName(f []byte) bool {
	r, _ := utf8.DecodeRune(f)
	return (unicode.IsLetter(r) || r == '_') && !isMissing(f)
}

// hasColumns reports whether columns has names, not only numbers, and row has all of them.
func hasColumns(row [][]byte, columns []string) bool {
	any := false
	for _, name := range columns {
		if _, err := strconv.ParseUint(name, 10, 31); err == nil {
			continue
		}
		if any = indexName(toStrings(row), name) >= 0; !any {
			return false
		}
	}
	return any
}

// fitHeader compares the header with the first data row. If a column of row names has no
// name, as in tables of R's write.table, the names move by one column. Any other difference
// is an error, unless the user gave the columns by number.
func (c *candidate) fitHeader(sample []byte, rows []sampleRow, found *nameMatch, columns []string) {
	l := &c.layout
	have, want := len(rows[0].fields), len(l.Header)
	if l.Header == nil || have == want {
		return
	}
	if have == want+1 && l.hasRowNames(sample, rows) {
		l.Header = append([]string{""}, l.Header...)
		for axis := range found.at {
			found.at[axis]++
		}
		return
	}
	for _, name := range columns {
		if _, err := strconv.ParseUint(name, 10, 31); err != nil {
			columns = nil
		}
	}
	if columns == nil {
		c.errAt = l.firstRow
		c.err = fmt.Errorf("%d columns, but the header in line %d has %d: %s",
			have, 1+bytes.Count(sample[:l.headerAt], newline), want, strings.Join(l.Header, " "))
	}
}

// hasRowNames reports whether all rows begin with a name: a text, or a quoted field before
// one without quotes.
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

// commentFields returns the fields of the comment line at b without its mark.
func (l *Layout) commentFields(b []byte) [][]byte {
	line, _, _ := bytes.Cut(b, newline)
	line = bytes.TrimLeft(bytes.TrimRight(line, "\r"), " \t#%/")
	return l.fields(line, nil)
}

// declaredDelimiter reads a first line sep=; as Excel writes it. It returns the delimiter, 0
// if there is no such line, and the offset after the line.
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
	return 0, 0, errors.New("unknown delimiter after sep=: want a semicolon, comma, tab, bar or blank")
}

// skipCount moves a first line that counts the points, and the line of free text that
// follows it in molecular files, from the rows to the prologue.
func (c *candidate) skipCount(sample []byte, rows []sampleRow) []sampleRow {
	if len(rows) < 2 || !isCount(rows[0].fields) {
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

// isFreeText reports whether line, which follows a count, is neither a header nor data like
// the row after it.
func (l *Layout) isFreeText(sample []byte, line, row sampleRow) bool {
	if bytes.IndexByte(sample[line.start:line.end], '\n') >= 0 || l.numbers(row) < 3 {
		return false
	}
	if matchNames(line.fields).n == 3 && len(line.fields) == len(row.fields) {
		return false
	}
	if len(row.fields) > 3 && isElement(row.fields[0]) {
		return !isElement(line.fields[0]) || len(line.fields) != len(row.fields) || l.numbers(line) < 3
	}
	return l.numbers(line) < 3 && !(l.isHeader(line.fields, nil) && len(line.fields) == len(row.fields))
}

// numbers returns the number of fields that are numbers.
func (l *Layout) numbers(row sampleRow) int {
	n := 0
	for _, f := range row.fields {
		if l.isNumber(f) {
			n++
		}
	}
	return n
}

// isElement reports whether f can be the symbol of a chemical element: one to three letters.
func isElement(f []byte) bool {
	for _, c := range f {
		if c |= 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return len(f) > 0 && len(f) <= 3
}

// isCount reports whether a row is one whole number: the number of points in the first line
// of some formats.
func isCount(row [][]byte) bool {
	if len(row) != 1 {
		return false
	}
	_, err := strconv.ParseUint(string(row[0]), 10, 64)
	return err == nil
}
