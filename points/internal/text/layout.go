package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/points/table"
)

// Layout is what was detected of a text.
//
// Each of tab, semicolon, bar, comma and blanks is tried as the
// delimiter on the first rows, with decimal points and (comma apart) decimal
// commas; the one under which most rows have three numeric coordinates is
// taken, the earlier of equals. The first row is a header if it names the
// coordinates (x, y, z; lon, lat, alt; easting, northing, elevation; any names
// that differ in one letter x, y, z, such as x_pos or cx; units in brackets are
// ignored), or if it has at least three different words and nothing else; a
// comment line directly before the first row that names as many columns counts
// too. A header has as many columns as the first data row, or one less where the
// rows begin with a name, quoted or text: row names as R writes them. Without
// names the first three numeric columns are the coordinates; a header that names
// only some of the axes, or none with more than three numeric columns, is an
// error (table.ErrColumns). A first line sep=; tells the delimiter, a first line with
// one whole number counts the points, and a line of free text may follow it (as
// in molecular .xyz files); these lines pass through.
type Layout struct {
	// Delimiter separates columns of text: '\t', ';', '|', ',' or ' ' for any run of
	// blanks.
	Delimiter byte
	// DecimalComma says that 1,5 is three halves.
	DecimalComma bool
	// Header has the column names, nil without a header.
	Header []string
	// HeaderLine is the number of the header's line, 0 without a header.
	HeaderLine int64
	// Warnings are doubts about Columns, one sentence each.
	Warnings []string
	// Columns are the columns of x, y and z, from 0.
	Columns [3]int

	order    [3]wanted // Columns in ascending order
	appended byte      // what is written before an answer
	headerAt int64     // place of the header row in the input, −1 without
	prologue int64     // lines that begin before that place of the input hold no points
	firstRow int64     // place of the first row, −1 without
	width    int       // columns of a row, 0 if not known
	numeric  []bool    // columns that hold numbers alone in the sample, and no codes
}

// wanted is a coordinate column.
type wanted struct{ column, axis int }

// setColumns stores the columns of x, y and z.
func (l *Layout) setColumns(columns [3]int) {
	l.Columns = columns
	for axis, c := range columns {
		l.order[axis] = wanted{c, axis}
	}
	for i := 1; i < 3; i++ {
		for j := i; j > 0 && l.order[j].column < l.order[j-1].column; j-- {
			l.order[j], l.order[j-1] = l.order[j-1], l.order[j]
		}
	}
}

// axisName returns the header's name of an axis, or x, y or z.
func (l *Layout) axisName(axis int) string {
	if c := l.Columns[axis]; c < len(l.Header) && l.Header[c] != "" {
		return l.Header[c]
	}
	return "xyz"[axis : axis+1]
}

// String describes the layout in a few words.
func (l *Layout) String() string {
	var s strings.Builder
	s.WriteString("text, " + map[byte]string{'\t': "tab", ';': "semicolon", '|': "bar", ',': "comma", ' ': "blank"}[l.Delimiter])
	if l.DecimalComma {
		s.WriteString(", decimal comma")
	}
	if l.Header != nil {
		s.WriteString(", header")
	}
	fmt.Fprintf(&s, ", x y z in columns %d %d %d", l.Columns[0]+1, l.Columns[1]+1, l.Columns[2]+1)
	return s.String()
}

// tableFields returns the columns with names and types.
func (l *Layout) tableFields() []table.Field {
	n := max(l.width, len(l.Header), l.order[2].column+1)
	fields := make([]table.Field, n)
	taken := map[string]bool{}
	for _, name := range l.Header {
		taken[name] = true
	}
	seen := map[string]bool{}
	for k := range fields {
		name := ""
		if k < len(l.Header) {
			name = l.Header[k]
		}
		if name == "" {
			name = fmt.Sprintf("column_%d", k+1)
		}
		if axis := slices.Index(l.Columns[:], k); axis >= 0 && l.Header == nil {
			name = "xyz"[axis : axis+1]
		}
		if seen[name] {
			plain := name
			for i := 2; taken[name] || seen[name]; i++ {
				name = fmt.Sprintf("%s_%d", plain, i)
			}
		}
		seen[name] = true
		fields[k].Name = name
		if k < len(l.numeric) && l.numeric[k] {
			fields[k].Type = table.Float64
		}
	}
	for _, c := range l.Columns {
		fields[c].Type = table.Float64
	}
	return fields
}
