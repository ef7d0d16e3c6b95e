package text

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// sampleBytes and sampleRows limit the sample at the beginning of a text. The sample has room for a
// row of maxRow bytes after the header. The sample has enough rows that a few unusual rows do not
// decide the layout. If no row follows the header, for example because comments fill the sample,
// the sample grows to at most maxSample bytes.
const (
	sampleBytes = 2 * maxRow
	maxSample   = 64 << 20 // tuning: more comments than any known file has; bounds the memory
	sampleRows  = 200      // tuning
)

// maxColumns bounds the memory of the columns. A column takes a few hundred bytes.
const maxColumns = 1 << 15

// errNoRow means that no row ends in the sample after the header.
var errNoRow = errors.New("no row in the sample")

// sampleRow is a row of the sample.
type sampleRow struct {
	start, end int // indices into the sample; end is the index of the '\n'
	fields     [][]byte
}

// candidate is a possible layout of the text. The counts say how well the layout fits the sample.
type candidate struct {
	layout  Layout
	score   int    // number of rows with three numeric coordinates
	names   int    // number of axes that were found by name
	rows    int    // number of data rows in the sample
	rest    int    // offset of the first line that does not end in the sample
	widest  int    // number of columns of the first data row, or of the header if there is no data row
	tooWide int    // number of columns of a row with more than maxColumns columns, or 0
	counts  int    // number of columns of numbers
	title   int64  // offset of the first row if other rows precede the header, or −1
	err     error  // reason why the layout cannot be used, or nil
	errAt   int64  // offset of the line that causes err
	hint    string // hint of err, or ""
	quoted  bool   // the first data row has a number with a decimal comma in quotes
	find    pointio.Finder
}

// delimiters lists the combinations of a delimiter with a decimal point or a decimal comma, in the
// order in which they are tried.
var delimiters = []struct {
	delimiter byte
	comma     bool
}{{'\t', false}, {'\t', true}, {';', false}, {';', true}, {'|', false}, {'|', true}, {',', false}, {',', true}, {' ', false}, {' ', true}}

// detect returns the layout of a text that begins with the given sample. wholeText is true if the
// sample is the whole text. userColumns has the names or numbers of x, y and z that the user gave.
// If userColumns is nil, find chooses the columns. userColumns and find can both be nil.
func detect(file string, sample []byte, wholeText bool, userColumns []string, find pointio.Finder) (Layout, error) {
	if err := refuseBinary(file, sample); err != nil {
		return Layout{}, err
	}
	skip := 0
	if bytes.HasPrefix(sample, bom) {
		skip = len(bom)
	}
	forced, end, err := declaredDelimiter(sample, skip)
	if err != nil {
		return Layout{}, &table.RowError{File: file, Line: 1, Reason: err.Error()}
	}
	start, comment := firstLine(sample, max(skip, end))
	firstError := func(format string, args ...any) error {
		return &table.RowError{File: file, Line: 1 + int64(bytes.Count(sample[:start], newline)), Reason: plural.Sprintf(format, args...)}
	}
	if start < len(sample) && !isComment(sample, start) && bytes.IndexByte(sample[start:min(start+maxRow+1, len(sample))], '\n') < 0 && start+maxRow < len(sample) {
		return Layout{}, firstError("no row end within %d bytes", maxRow)
	}
	var best *candidate
	tooWide := 0
	for _, try := range delimiters {
		if forced != 0 && try.delimiter != forced {
			continue
		}
		c := candidate{title: -1, find: find, layout: Layout{
			Delimiter: try.delimiter, DecimalComma: try.comma, headerAt: -1, firstRow: -1, prologue: int64(end),
		}}
		c.examine(sample, start, comment, wholeText, userColumns)
		if c.tooWide > 0 {
			tooWide = max(tooWide, c.tooWide)
			continue
		}
		if best == nil || c.better(best) {
			best = &c
		}
	}
	if tooWide > 0 && (best == nil || best.score == 0) {
		return Layout{}, firstError("%d columns, must be at most %d", tooWide, maxColumns)
	}
	l := &best.layout
	lineOf := func(at int64) int64 { return 1 + int64(bytes.Count(sample[:at], newline)) }
	if l.headerAt >= 0 {
		l.HeaderLine = lineOf(l.headerAt)
	}
	switch {
	case best.title >= 0:
		return Layout{}, laterHeaderError(file, lineOf(best.title), l.HeaderLine)
	case best.err != nil:
		e := &table.RowError{File: file, Line: lineOf(best.errAt), Reason: best.err.Error(), Err: table.ErrColumns, Hint: best.hint}
		var count *countError
		if errors.As(best.err, &count) {
			for axis, c := range count.others {
				e.Columns[axis] = c + 1
			}
			if count.split {
				e.Hint = splitHint + fmt.Sprintf("; or, if the commas separate the columns, use --columns %d,%d,%d", e.Columns[0], e.Columns[1], e.Columns[2])
			}
		}
		return Layout{}, e
	case best.rows == 0 && !wholeText && len(sample)-best.rest > maxRow:
		return Layout{}, &table.RowError{File: file, Line: lineOf(int64(best.rest)), Reason: plural.Sprintf("no row end within %d bytes", maxRow)}
	case best.rows == 0 && !wholeText:
		reason := plural.Sprintf("the first %d bytes have no row of points: expected fewer comments and empty lines before the first row", len(sample))
		return Layout{}, &table.RowError{File: file, Line: 1, Reason: reason, Err: errNoRow}
	case best.rows > 0 && best.score == 0 && best.names < 3 && userColumns == nil:
		reason := plural.Sprintf("%d columns, but none of the first rows has three numbers for x, y and z", best.widest)
		if best.widest < 3 {
			reason = fmt.Sprintf("too few columns: expected x, y and z, found %d", best.widest)
		}
		e := &table.RowError{File: file, Line: lineOf(l.firstRow), Reason: reason, Err: table.ErrPreamble}
		if best.quoted {
			e.Reason += "; numbers in quotes have decimal commas"
			e.Hint = splitHint
		}
		return Layout{}, e
	}
	return *l, nil
}

// better reports whether c fits better than the earlier candidate o. If both scores are 0, a candidate
// with at least three columns of numbers, or with more columns, is better, because its error message
// is clearer.
func (c *candidate) better(o *candidate) bool {
	if c.score != o.score {
		return c.score > o.score
	}
	if mismatches, others := c.rows-c.score, o.rows-o.score; c.score > 0 && mismatches != others {
		return mismatches < others
	}
	if c.names != o.names {
		return c.names > o.names
	}
	if c.score > 0 {
		// With Options.Find, a column that is not a coordinate can also hold numbers with a decimal
		// comma.
		return c.find != nil && c.counts > o.counts
	}
	if c.counts != o.counts && max(c.counts, o.counts) >= 3 {
		return c.counts > o.counts
	}
	return c.widest > o.widest && o.widest < 3
}

// examine completes the layout of c from sample[start:]. The last comment line before start is at the
// offset comment, or comment is −1.
func (c *candidate) examine(sample []byte, start, comment int, wholeText bool, userColumns []string) {
	l := &c.layout
	rows, comment := c.splitSample(sample, start, comment, wholeText)
	if c.tooWide > 0 {
		return
	}
	l.separator = l.Delimiter
	if len(rows) == 0 {
		l.separator = ' '
	}
	rows = c.skipCount(sample, rows)
	var found axes.Match
	if k := l.laterHeader(rows, userColumns); k > 0 {
		c.title = int64(rows[0].start)
		rows = rows[k:]
	}
	switch {
	case len(rows) > 0 && l.isHeader(rows[0].fields, userColumns):
		l.headerAt = int64(rows[0].start)
		l.Header = toStrings(rows[0].fields)
		l.width = len(l.Header)
		found = axes.Find(rows[0].fields)
		rows = rows[1:]
	case comment >= 0 && len(rows) > 0:
		fields := l.commentFields(sample[comment:])
		if f := axes.Find(fields); (f.N == 3 || c.finds(fields)) && len(fields) == len(rows[0].fields) {
			l.headerAt, l.Header, found = int64(comment), toStrings(fields), f
		}
	}
	c.names, c.widest = found.N, l.width
	if c.rows = len(rows); c.rows > 0 {
		l.firstRow = int64(rows[0].start)
		if l.Delimiter == ' ' && tabbed(sample[rows[0].start:]) {
			l.separator = '\t'
		}
		c.fitHeader(sample, rows, &found, userColumns)
		l.width = len(rows[0].fields)
		c.widest = l.width
	} else if l.Delimiter == ' ' && l.headerAt >= 0 && tabbed(sample[l.headerAt:]) {
		l.separator = '\t'
	}
	c.chooseColumns(rows, found, userColumns)
}

// finds reports whether Options.Find finds the columns of x, y and z among the names.
func (c *candidate) finds(names [][]byte) bool {
	if c.find == nil {
		return false
	}
	_, err := c.find(toStrings(names))
	return err == nil
}

// names returns a name for each column. It is "" for a column without a name.
func (l *Layout) names() []string {
	names := make([]string, max(l.width, len(l.Header)))
	copy(names, l.Header)
	return names
}

// chooseColumns sets the coordinate columns of the layout, and the score of c. It uses the columns
// that the user gave. If the user gave none, it uses the result of Options.Find. Without
// Options.Find, it uses three columns found by name. If the names do not determine three columns, it
// uses the first three numeric columns.
func (c *candidate) chooseColumns(rows []sampleRow, found axes.Match, userColumns []string) {
	l := &c.layout
	at := [3]int{0, 1, 2}
	cells := l.countCells(rows)
	numeric := coordinateColumns(cells, len(rows))
	c.counts, l.guess = len(numeric), guessColumns(numeric, found)
	c.quoted = len(rows) > 0 && slices.ContainsFunc(rows[0].fields, l.hasQuotedComma)
	var err error
	enough := true
	switch {
	case userColumns != nil:
		if at, err = l.lookUp(userColumns); err != nil {
			enough = false
			break
		}
		c.names = 3
	case c.find != nil:
		c.names = 0
		if at, err = c.find(l.names()); err != nil {
			at, enough = [3]int{0, 1, 2}, false
			break
		}
		c.names = 3
	case found.N == 3 && !found.Ambiguous:
		at = found.At
	default:
		if enough = len(numeric) >= 3; enough {
			at = [3]int(numeric)
		}
		err = l.checkNumeric(rows, numeric, found)
	}
	if c.err == nil && err != nil {
		c.err, c.errAt = err, max(0, l.firstRow)
		if l.headerAt >= 0 {
			c.errAt = l.headerAt
		}
	}
	l.setColumns(at)
	l.numeric = numericOnly(cells)
	for _, r := range rows {
		if enough && l.fits(r.fields) {
			c.score++
		}
	}
	if l.Delimiter == ',' && l.DecimalComma && !l.hasDecimals(rows) {
		c.score, c.names, c.counts = 0, 0, 0
	}
	l.unfit = userColumns != nil && c.score == 0
}

// checkNumeric returns an error if the first three numeric columns are probably not the
// coordinates. Otherwise it adds a warning for each doubt about the columns.
func (l *Layout) checkNumeric(rows []sampleRow, numeric []int, found axes.Match) error {
	header := quote.Line(strings.Join(l.Header, " "))
	switch {
	case found.Ambiguous:
		return fmt.Errorf("the header names the coordinates more than once%s: %s", found.Rivals(), header)
	case found.N > 0:
		return fmt.Errorf("the header has %s but no column for %s: %s", quote.Line(found.Have), found.Missing, header)
	case l.Header != nil && len(numeric) > 3:
		return plural.Errorf("%d columns hold numbers, and the header does not say which are x, y and z: %s", len(numeric), header)
	case len(numeric) > 3 && len(rows) > 1 && countsRows(rows, numeric[0]):
		return &countError{len(numeric), [3]int(numeric[1:4]), numeric[0], l.isSplit(rows, numeric)}
	case len(numeric) > 3:
		w := plural.Sprintf("no header and %d columns of numbers: columns %d, %d and %d are taken for x, y and z",
			len(numeric), numeric[0]+1, numeric[1]+1, numeric[2]+1)
		if l.isSplit(rows, numeric) {
			w += "; all are whole numbers: if their commas are decimal commas, use another delimiter, such as a semicolon"
		}
		l.Warnings = append(l.Warnings, w)
	}
	if len(numeric) >= 3 && len(rows) > 1 && countsRows(rows, numeric[0]) {
		l.Warnings = append(l.Warnings, fmt.Sprintf("column %d, taken for x, counts the rows", numeric[0]+1))
	}
	return nil
}

// splitColumns is the number of columns that three coordinates become if commas delimit the fields
// and the coordinates have decimal commas.
const splitColumns = 6

// isSplit reports whether the rows look like three or more numbers that were split at their decimal
// commas. This is so if the given columns hold whole numbers, are adjacent, are even in number and at
// least six, and if the second, fourth and so on have no sign. isSplit ignores the first column if the
// number of columns is odd and this column counts the rows.
func (l *Layout) isSplit(rows []sampleRow, numeric []int) bool {
	if l.Delimiter != ',' || len(rows) == 0 {
		return false
	}
	if len(numeric)%2 == 1 && len(rows) > 1 && countsRows(rows, numeric[0]) {
		numeric = numeric[1:]
	}
	n := len(numeric)
	if n < splitColumns || n%2 == 1 || numeric[n-1]-numeric[0] != n-1 {
		return false
	}
	for _, r := range rows {
		if numeric[n-1] >= len(r.fields) {
			return false
		}
		for k := 0; k < n; k += 2 {
			if at := numeric[k]; !isSplitNumber(r.fields[at], r.fields[at+1]) {
				return false
			}
		}
	}
	return true
}

// countError is the error for a text without a header whose first numeric column only counts the
// rows.
type countError struct {
	numeric int    // number of columns of numbers
	others  [3]int // the next three columns of numbers, from 0
	counts  int    // index of the column that counts the rows, from 0
	split   bool   // result of isSplit
}

func (e *countError) Error() string {
	s := plural.Sprintf("there is no header, %d columns hold numbers, and column %d counts the rows: x, y and z are probably columns %d, %d and %d",
		e.numeric, e.counts+1, e.others[0]+1, e.others[1]+1, e.others[2]+1)
	if e.split {
		s += ", or the commas are decimal commas, which need another delimiter"
	}
	return s
}

// countsRows reports whether a column holds consecutive integers.
func countsRows(rows []sampleRow, column int) bool {
	last := int64(0)
	for k, r := range rows {
		if column >= len(r.fields) {
			return false
		}
		n, err := strconv.ParseInt(string(r.fields[column]), 10, 64)
		if err != nil || k > 0 && n != last+1 {
			return false
		}
		last = n
	}
	return true
}

// firstLine returns the offset of the first line of sample[skip:] that is neither empty nor a
// comment, and the offset of the last comment line before it, or −1. The candidates share this
// work, because a text can begin with megabytes of comments.
func firstLine(sample []byte, skip int) (start, comment int) {
	comment = -1
	for start = skip; start < len(sample); {
		end := bytes.IndexByte(sample[start:], '\n')
		empty := isEmpty(sample, start)
		if end < 0 || !empty && !isComment(sample, start) {
			break
		}
		if !empty {
			comment = start
		}
		start += end + 1
	}
	return start, comment
}

// splitSample returns the first rows of sample[start:], at most sampleRows. It also returns the
// offset of the last comment line before the first row, or −1. The last comment line before start is
// at the offset comment.
func (c *candidate) splitSample(sample []byte, start, comment int, wholeText bool) (rows []sampleRow, last int) {
	last, c.rest = comment, start
	for i := start; i < len(sample) && len(rows) < sampleRows; {
		end, state := c.layout.rowEnd(sample, i)
		if state != rowWhole && !wholeText {
			break
		}
		switch {
		case isComment(sample, i):
			if len(rows) == 0 {
				last = i
			}
		case isEmpty(sample, i):
		default:
			fields := c.layout.fields(bytes.TrimSuffix(sample[i:end], []byte("\r")), nil)
			if len(fields) > maxColumns {
				c.tooWide = len(fields)
				return nil, last
			}
			rows = append(rows, sampleRow{i, end, fields})
		}
		i = end + 1
		c.rest = i
	}
	return rows, last
}

// cellCounts has the number of cells with each kind of content in a column of the sample.
type cellCounts struct{ numbers, codes, missing, others int }

// countCells counts the cells of each column.
func (l *Layout) countCells(rows []sampleRow) (columns []cellCounts) {
	for _, r := range rows {
		for len(columns) < len(r.fields) {
			columns = append(columns, cellCounts{})
		}
		for k, f := range r.fields {
			switch n := &columns[k]; {
			case l.isNumber(f) && isCode(f):
				n.codes++
			case l.isNumber(f):
				n.numbers++
			case isMissing(f):
				n.missing++
			default:
				n.others++
			}
		}
	}
	return columns
}

// coordinateColumns returns the columns that can hold coordinates. Such a column has at least one
// number or code. In at least half of the rows, it has a number, a code or a missing value.
func coordinateColumns(columns []cellCounts, rows int) (list []int) {
	for k, n := range columns {
		if found := n.numbers + n.codes; found > 0 && 2*(found+n.missing) >= rows {
			list = append(list, k)
		}
	}
	return list
}

// numericOnly reports for each column whether it has at least one number and no cells except
// numbers and missing values.
func numericOnly(columns []cellCounts) []bool {
	numeric := make([]bool, len(columns))
	for k, n := range columns {
		numeric[k] = n.numbers > 0 && n.codes == 0 && n.others == 0
	}
	return numeric
}

// fits reports whether each of the three coordinates of row is a number or a missing value.
func (l *Layout) fits(row [][]byte) bool {
	for _, w := range l.order {
		if w.column >= len(row) || !l.isNumber(row[w.column]) && !isMissing(row[w.column]) {
			return false
		}
	}
	return true
}

// lookUp returns the indices of the columns that the user gave by name, or by number from 1. It
// finds names with axes.Lookup.
func (l *Layout) lookUp(userColumns []string) (at [3]int, err error) {
	for axis, name := range userColumns {
		at[axis], err = axes.Lookup(l.Header, name)
		switch {
		case err != nil:
			return at, err
		case at[axis] >= 0:
		case l.Header == nil:
			return at, fmt.Errorf("no column is called %q: there is no header", name)
		default:
			return at, fmt.Errorf("no column is called %q: the header has %s", name, quote.Line(strings.Join(l.Header, ", ")))
		}
	}
	return at, pointio.CheckAxes(at, [3]string(userColumns))
}

// tabbed reports whether the first line of b, without white space at both ends, has a tab.
func tabbed(b []byte) bool {
	line, _, _ := bytes.Cut(b, newline)
	return bytes.IndexByte(bytes.TrimSpace(line), '\t') >= 0
}

func toStrings(fields [][]byte) []string {
	s := make([]string, len(fields))
	for i, f := range fields {
		s[i] = string(f)
	}
	return s
}

// bom is the byte order mark of UTF-8.
var bom = []byte("\xef\xbb\xbf")
