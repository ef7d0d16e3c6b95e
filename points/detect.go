package points

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// sampleBytes is how much of a text is looked at, sampleRows how many rows: both
// are choices, enough to see past a header, a preamble and some odd rows.
const (
	sampleBytes = 1 << 20
	sampleRows  = 200
)

// candidate is a guess at the layout and how well it fits.
type candidate struct {
	layout   Layout
	score    int // rows with three numeric coordinates
	names    int // axes found by name
	rows     int // data rows in the sample
	firstRow int64
	widest   int // columns of the first data row, or of the header
}

// detect finds the layout of a text that begins with sample; whole says that the
// sample is everything. columns are the user's names or numbers, if any.
func detect(file string, sample []byte, whole bool, columns []string) (Layout, error) {
	if err := refuseBinary(file, sample); err != nil {
		return Layout{}, err
	}
	skip := 0
	if bytes.HasPrefix(sample, bom) {
		skip = len(bom)
	}
	var best *candidate
	var failed error
	for _, try := range []struct {
		delimiter byte
		comma     bool
	}{{'\t', false}, {'\t', true}, {';', false}, {';', true}, {'|', false}, {'|', true}, {',', false}, {' ', false}, {' ', true}} {
		c := candidate{layout: Layout{Format: "text", Delimiter: try.delimiter, DecimalComma: try.comma, headerAt: -1, countAt: -1}}
		if err := c.examine(sample, skip, whole, columns); err != nil {
			if c.names == 0 {
				failed = err
				continue
			}
			return Layout{}, fmt.Errorf("%s: %w", file, err)
		}
		if best == nil || c.better(best) {
			best = &c
		}
	}
	if best == nil {
		return Layout{}, fmt.Errorf("%s: %w", file, failed)
	}
	if best.rows == 0 && !whole {
		return Layout{}, &RowError{File: file, Line: 1, Reason: fmt.Sprintf("no row ends within the first %d bytes", len(sample))}
	}
	if best.rows > 0 && best.score == 0 && best.names < 3 && columns == nil {
		line := 1 + int64(bytes.Count(sample[:best.firstRow], []byte("\n")))
		reason := fmt.Sprintf("%d columns, but none of the first rows has three numbers for x, y and z", best.widest)
		if best.widest < 3 {
			reason = fmt.Sprintf("too few columns: want x, y and z, have %d", best.widest)
		}
		return Layout{}, &RowError{File: file, Line: line, Reason: reason}
	}
	return best.layout, nil
}

// better reports whether c fits better than o, which was tried earlier. Without
// a fit, the one with more columns makes the clearer message.
func (c *candidate) better(o *candidate) bool {
	if c.score != o.score {
		return c.score > o.score
	}
	if c.names != o.names {
		return c.names > o.names
	}
	return c.score == 0 && c.widest > o.widest && o.widest < 3
}

// examine fills in the rest of the layout from the sample.
func (c *candidate) examine(sample []byte, skip int, whole bool, columns []string) error {
	l := &c.layout
	rows, starts, comment := c.sampled(sample, skip, whole)
	if l.Delimiter == ' ' || len(rows) == 0 {
		l.appended = ' '
	} else {
		l.appended = l.Delimiter
	}
	if len(rows) >= 2 && isCount(rows[0]) && len(rows[1]) >= 3 {
		l.countAt = starts[0]
		rows, starts = rows[1:], starts[1:]
	}
	var byName [3]int
	switch {
	case len(rows) > 0 && l.isHeader(rows[0]):
		l.headerAt = starts[0]
		l.Header = texts(rows[0])
		c.widest = len(rows[0])
		byName, c.names = named(rows[0])
		rows, starts = rows[1:], starts[1:]
	case comment >= 0 && len(rows) > 0:
		fields := l.commentFields(sample[comment:])
		if at, n := named(fields); n == 3 && len(fields) == len(rows[0]) {
			l.headerAt, l.Header, byName, c.names = int64(comment), texts(fields), at, n
		}
	}
	if c.rows = len(rows); c.rows > 0 {
		c.firstRow, c.widest = starts[0], len(rows[0])
		if l.Delimiter == ' ' && tabbed(sample[starts[0]:]) {
			l.appended = '\t'
		}
	}
	if l.Delimiter == ' ' && c.rows == 0 && l.headerAt >= 0 && tabbed(sample[l.headerAt:]) {
		l.appended = '\t'
	}
	return c.choose(rows, byName, columns)
}

// choose sets the coordinate columns and the score.
func (c *candidate) choose(rows [][][]byte, byName [3]int, columns []string) error {
	l := &c.layout
	switch {
	case columns != nil:
		at, err := l.lookUp(columns)
		if err != nil {
			return err
		}
		c.names = 3
		l.setColumns(at)
	case c.names == 3:
		l.setColumns(byName)
	case c.names == 2:
		return fmt.Errorf("the header has %s and %s but no column for z: %s",
			l.Header[byName[0]], l.Header[byName[1]], strings.Join(l.Header, " "))
	default:
		at, ok := l.numericColumns(rows)
		if !ok {
			l.setColumns([3]int{0, 1, 2})
			return nil
		}
		l.setColumns(at)
	}
	for _, r := range rows {
		if l.fits(r) {
			c.score++
		}
	}
	return nil
}

// sampled splits the sample into data rows, at most sampleRows. comment is the
// place of the comment line directly before the first row, or −1.
func (c *candidate) sampled(sample []byte, skip int, whole bool) (rows [][][]byte, starts []int64, comment int) {
	comment = -1
	last := -1
	for i := skip; i < len(sample) && len(rows) < sampleRows; {
		end, state := c.layout.rowEnd(sample, i)
		if state != rowWhole && !whole {
			break
		}
		switch {
		case isComment(sample, i):
			last = i
		case isEmpty(sample, i):
		default:
			if len(rows) == 0 {
				comment = last
			}
			rows = append(rows, c.layout.fields(bytes.TrimSuffix(sample[i:end], []byte("\r")), nil))
			starts = append(starts, int64(i))
		}
		i = end + 1
	}
	return rows, starts, comment
}

// commentFields returns the fields of the comment line at b without its mark.
func (l *Layout) commentFields(b []byte) [][]byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	line = bytes.TrimLeft(bytes.TrimRight(line, "\r"), " \t#%/")
	return l.fields(line, nil)
}

// isCount reports whether a row is one whole number: the number of points, as
// the first line of some formats has it.
func isCount(row [][]byte) bool {
	if len(row) != 1 {
		return false
	}
	_, err := strconv.ParseUint(string(row[0]), 10, 64)
	return err == nil
}

// isHeader reports whether row names the coordinates, or has text and no number.
func (l *Layout) isHeader(row [][]byte) bool {
	if _, n := named(row); n == 3 {
		return true
	}
	text := false
	for _, f := range row {
		if l.isNumber(f) {
			return false
		}
		text = text || len(f) > 0
	}
	return text
}

// numericColumns returns the first three columns that hold numbers in at least
// half of the rows and anything but numbers or nothing in no more than half.
func (l *Layout) numericColumns(rows [][][]byte) (at [3]int, ok bool) {
	var good, numbers []int
	for _, r := range rows {
		for len(good) < len(r) {
			good, numbers = append(good, 0), append(numbers, 0)
		}
		for k, f := range r {
			switch {
			case l.isNumber(f):
				numbers[k]++
				good[k]++
			case len(f) == 0:
				good[k]++
			}
		}
	}
	n := 0
	for k := range good {
		if numbers[k] > 0 && 2*good[k] >= len(rows) {
			at[n] = k
			if n++; n == 3 {
				return at, true
			}
		}
	}
	return at, false
}

// fits reports whether the three coordinates of row are numbers or empty.
func (l *Layout) fits(row [][]byte) bool {
	for _, w := range l.order {
		if w.column >= len(row) || len(row[w.column]) > 0 && !l.isNumber(row[w.column]) {
			return false
		}
	}
	return true
}

// lookUp resolves the user's column names or numbers (from 1).
func (l *Layout) lookUp(columns []string) (at [3]int, err error) {
	for axis, name := range columns {
		at[axis] = -1
		for k, h := range l.Header {
			if h == name {
				at[axis] = k
				break
			}
		}
		if at[axis] >= 0 {
			continue
		}
		n, err := strconv.ParseUint(name, 10, 31)
		if err != nil || n == 0 {
			return at, fmt.Errorf("no column is called %q", name)
		}
		at[axis] = int(n) - 1
	}
	if at[0] == at[1] || at[1] == at[2] || at[0] == at[2] {
		return at, fmt.Errorf("columns %s: want three different ones", strings.Join(columns, ", "))
	}
	return at, nil
}

// tabbed reports whether the first line of b has a tab.
func tabbed(b []byte) bool {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return bytes.IndexByte(bytes.TrimSpace(line), '\t') >= 0
}

// texts copies fields.
func texts(fields [][]byte) []string {
	s := make([]string, len(fields))
	for i, f := range fields {
		s[i] = string(f)
	}
	return s
}
