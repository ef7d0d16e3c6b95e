package text

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// lineEnds reports whether a line end begins at b[i]. The last byte of b must be '\n'.
func lineEnds(b []byte, i int) bool {
	return b[i] == '\n' || b[i] == '\r' && b[i+1] == '\n'
}

// parseRow parses the coordinates of the row at b[i:]. end is the index after the last coordinate.
// The last byte of b must be '\n'. If ok is false, a call of explain returns the reason.
func (l *Layout) parseRow(b []byte, i int) (p r3.Vector, end int, ok bool) {
	var v [3]float64
	column := 0
	for k := range l.order {
		want := &l.order[k]
		for ; column < want.column; column++ {
			if i = l.skip(b, i); lineEnds(b, i) {
				return p, i, false
			}
			i++
		}
		var x float64
		if x, i, ok = l.parseField(b, i); !ok {
			return p, i, false
		}
		v[want.axis] = x
		if k < len(l.order)-1 {
			if lineEnds(b, i) {
				return p, i, false
			}
			i++
			column++
		}
	}
	return r3.Vector{X: v[0], Y: v[1], Z: v[2]}, i, true
}

// skip returns the index of the delimiter or line end that follows the field at b[i:].
func (l *Layout) skip(b []byte, i int) int {
	for isBlank(b[i]) && (b[i] != l.Delimiter || l.Delimiter == ' ') {
		i++
	}
	if b[i] == '"' {
		i = min(quoteEnd(b, i)+1, len(b)-1)
	}
	for !l.isDelim(b[i]) && !lineEnds(b, i) {
		i++
	}
	return i
}

// parseField parses the field at b[i:], which is a number or a missing value. It returns NaN for a
// missing value. end is the index of the delimiter or line end after the field.
func (l *Layout) parseField(b []byte, i int) (x float64, end int, ok bool) {
	for isBlank(b[i]) && (b[i] != l.Delimiter || l.Delimiter == ' ') {
		i++
	}
	if b[i] == '"' {
		return l.quotedNumber(b, i)
	}
	if l.Delimiter == ',' && l.DecimalComma {
		return l.plainNumber(b, i)
	}
	x, n, ok := l.parse(b[i:])
	if !ok {
		return l.missing(b, i)
	}
	i += n
	if l.isDelim(b[i]) || b[i] == '\n' {
		return x, i, true
	}
	i = pastPayload(b, i, x)
	for isBlank(b[i]) && !l.isDelim(b[i]) {
		i++
	}
	return x, i, l.isDelim(b[i]) || lineEnds(b, i)
}

// plainNumber implements Layout.parseField for a field without quotes in a text whose decimal commas are in quotes.
func (l *Layout) plainNumber(b []byte, i int) (x float64, end int, ok bool) {
	end = i
	for b[end] != ',' && !lineEnds(b, end) {
		end++
	}
	field := bytes.TrimRight(b[i:end], " \t")
	if isMissing(field) {
		return math.NaN(), end, true
	}
	x, n, ok := l.parse(field)
	return x, end, ok && pastPayload(field, n, x) == len(field)
}

// missing implements Layout.parseField for a field that does not begin with a number. If the
// delimiter is a blank, an empty field is not a missing value.
func (l *Layout) missing(b []byte, i int) (x float64, end int, ok bool) {
	end = i
	for !l.isDelim(b[end]) && !lineEnds(b, end) {
		end++
	}
	field := bytes.TrimRight(b[i:end], " \t")
	return math.NaN(), end, isMissing(field) && (len(field) > 0 || l.Delimiter != ' ')
}

// missingWords are the words for a missing value. isMissing ignores their letter case.
var missingWords = [...]string{"", "na", "n/a", "null", "none", "-", "nan"}

// isMissing reports whether the field f stands for a missing value.
func isMissing(f []byte) bool {
	const longest = 4
	if len(f) > longest {
		return false
	}
	for _, w := range missingWords {
		if strings.EqualFold(string(f), w) {
			return true
		}
	}
	return false
}

// quotedNumber implements Layout.parseField for a field that begins with a double quote.
func (l *Layout) quotedNumber(b []byte, i int) (x float64, end int, ok bool) {
	j := quoteEnd(b, i)
	if j == len(b) {
		return 0, i, false
	}
	field := bytes.Trim(b[i+1:j], " \t")
	x = math.NaN()
	if !isMissing(field) {
		var n int
		if x, n, ok = l.parse(field); !ok || pastPayload(field, n, x) != len(field) {
			return 0, i, false
		}
	}
	i = j + 1
	for isBlank(b[i]) && !l.isDelim(b[i]) {
		i++
	}
	return x, i, l.isDelim(b[i]) || lineEnds(b, i)
}

// parse parses the number at the front of b with the decimal sign of the text.
func (l *Layout) parse(b []byte) (float64, int, bool) {
	if l.DecimalComma {
		return decimal.ParseComma(b)
	}
	return decimal.Parse(b)
}

// pastPayload returns the index after a payload in parentheses at b[i:]. Some C libraries print a
// payload after NaN, for example nan(ind). x is the number before b[i:]. If x is not NaN or b[i:]
// has no payload, pastPayload returns i.
func pastPayload(b []byte, i int, x float64) int {
	if x == x || i >= len(b) || b[i] != '(' {
		return i
	}
	for j := i + 1; j < len(b); j++ {
		c := b[j] | 0x20
		switch {
		case b[j] == ')':
			return j + 1
		case (c < 'a' || c > 'z') && (c < '0' || c > '9'):
			return i
		}
	}
	return i
}

// countFields counts the fields after b[0], which is a delimiter or the start of a line end. b ends
// with a line end.
func (l *Layout) countFields(b []byte, hasQuotes bool) int {
	switch {
	case b[0] == '\n':
		return 0
	case !hasQuotes && l.Delimiter != ' ':
		return bytes.Count(b, []byte{l.Delimiter})
	}
	n := 0
	for i := 0; ; n++ {
		for l.Delimiter == ' ' && isBlank(b[i]) {
			i++
		}
		if lineEnds(b, i) {
			return n
		}
		if l.Delimiter != ' ' {
			i++
		}
		i = l.skip(b, i)
	}
}

// explain returns the reason why the row at b[i:] cannot be parsed. If the row has too few columns,
// the error is table.ErrColumns. Otherwise the error is nil.
func (l *Layout) explain(b []byte, i int) (string, error) {
	end, _ := l.rowEnd(b, i)
	fields := l.fields(bytes.TrimSuffix(b[i:end], []byte("\r")), nil)
	for _, want := range l.order {
		if want.column >= len(fields) {
			return fmt.Sprintf("too few columns: %s has %d, but %s is column %d",
				quote.Word(bytes.TrimSpace(b[i:end])), len(fields), quote.Line(l.axisName(want.axis)), want.column+1), table.ErrColumns
		}
		if f := fields[want.column]; !l.isNumber(f) && !isMissing(f) {
			reason := fmt.Sprintf("column %d (%s): %s is not a number", want.column+1, quote.Line(l.axisName(want.axis)), quote.Word(f))
			switch {
			case bytes.Contains(f, []byte("\u2212")):
				reason += " (it has the minus sign U+2212: use a hyphen)"
			case l.hasQuotedComma(f):
				reason += " (commas separate the columns, so numbers need decimal points)"
			case !l.DecimalComma && bytes.IndexByte(f, ',') >= 0:
				reason += " (the file has decimal points)"
			}
			return reason, nil
		}
	}
	return fmt.Sprintf("cannot read %s", quote.Word(bytes.TrimSpace(b[i:end]))), nil
}

// fields appends the fields of a row to dst, without the blanks and quotes around them. The row
// must not have a line end. fields finds the same fields as parseRow, but is simpler and slower.
func (l *Layout) fields(row []byte, dst [][]byte) [][]byte {
	i := 0
	for {
		for i < len(row) && isBlank(row[i]) && (row[i] != l.Delimiter || l.Delimiter == ' ') {
			i++
		}
		if l.Delimiter == ' ' && i >= len(row) {
			return dst
		}
		start := i
		if i < len(row) && row[i] == '"' {
			i = min(quoteEnd(row, i)+1, len(row))
		}
		for i < len(row) && !l.isDelim(row[i]) {
			i++
		}
		dst = append(dst, unquote(bytes.Trim(row[start:i], " \t")))
		if i >= len(row) {
			return dst
		}
		i++
	}
}

// unquote removes the quotes around a field and the blanks next to the quotes. Two adjacent quotes
// in the field become one quote.
func unquote(f []byte) []byte {
	if len(f) >= 2 && f[0] == '"' && f[len(f)-1] == '"' {
		return bytes.ReplaceAll(bytes.Trim(f[1:len(f)-1], " \t"), []byte(`""`), []byte(`"`))
	}
	return f
}

// isNumber reports whether the whole field is a number.
func (l *Layout) isNumber(f []byte) bool {
	x, n, ok := l.parse(f)
	return ok && pastPayload(f, n, x) == len(f)
}

// A row is usually one line. It has several lines if a quoted field contains line ends. A double
// quote begins a quoted field if only blanks precede it in the field. In a quoted field, two
// adjacent double quotes stand for one quote. Comment lines have no quoted fields.

// rowState describes the end of a row.
type rowState uint8

const (
	rowWhole rowState = iota // the row ends with '\n'
	rowCut                   // the input bytes end before the row ends
	rowOpen                  // the input bytes end within a quoted field of the row
)

// isBlank reports whether c is a space or a tab.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isComment reports whether the line at b[i:] begins with #, % or //, after any blanks.
func isComment(b []byte, i int) bool {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	if i >= len(b) {
		return false
	}
	switch b[i] {
	case '#', '%':
		return true
	case '/':
		return i+1 < len(b) && b[i+1] == '/'
	}
	return false
}

// isEmpty reports whether the line at b[i:] consists of blanks.
func isEmpty(b []byte, i int) bool {
	for i < len(b) && (isBlank(b[i]) || b[i] == '\r') {
		i++
	}
	return i >= len(b) || b[i] == '\n'
}

// isDelim reports whether c ends a field.
func (l *Layout) isDelim(c byte) bool {
	return c == l.Delimiter || c == '\t' && l.Delimiter == ' '
}

// rowEnd returns the index of the '\n' that ends the row at b[i:]. It returns len(b) if b ends
// before the row ends.
func (l *Layout) rowEnd(b []byte, i int) (int, rowState) {
	nl := bytes.IndexByte(b[i:], '\n')
	line := b[i:]
	if nl >= 0 {
		line = b[i : i+nl]
	}
	if bytes.IndexByte(line, '"') < 0 || isComment(b, i) {
		if nl < 0 {
			return len(b), rowCut
		}
		return i + nl, rowWhole
	}
	for first := true; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n':
			return i, rowWhole
		case c == '"' && first:
			if i = quoteEnd(b, i); i == len(b) {
				return i, rowOpen
			}
			first = false
		case l.isDelim(c):
			first = true
		case !isBlank(c):
			first = false
		}
	}
	return len(b), rowCut
}

// quoteEnd returns the index of the quote that closes the quoted field at b[i:]. It returns len(b)
// if no quote closes the field.
func quoteEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		if i+1 < len(b) && b[i+1] == '"' {
			i++
			continue
		}
		return i
	}
	return len(b)
}

// lastRow returns the total length of the complete rows at the front of b, and the state of the row
// that follows them. b begins with a row.
func (l *Layout) lastRow(b []byte, hasQuotes bool) (int, rowState) {
	if !hasQuotes {
		return bytes.LastIndexByte(b, '\n') + 1, rowCut
	}
	i := 0
	for i < len(b) {
		end, state := l.rowEnd(b, i)
		if state != rowWhole {
			return i, state
		}
		i = end + 1
	}
	return i, rowCut
}

// rowFrom returns the index of the first row of b that begins at b[at] or later. If there is no
// such row, it returns len(b).
func (l *Layout) rowFrom(b []byte, at int, hasQuotes bool) int {
	if at <= 0 {
		return 0
	}
	if at >= len(b) {
		return len(b)
	}
	if !hasQuotes {
		if k := bytes.IndexByte(b[at-1:], '\n'); k >= 0 {
			return at + k
		}
		return len(b)
	}
	i := 0
	for i < at {
		end, state := l.rowEnd(b, i)
		if state != rowWhole {
			return len(b)
		}
		i = end + 1
	}
	return i
}
