package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/points/table"
)

// Layout is the layout of a text. The comment of points.Layout explains how its fields are
// detected.
type Layout struct {
	Delimiter    byte     // '\t', ';', '|', ',', or ' ', which means one or more blanks
	DecimalComma bool     // "1,5" is three halves
	Header       []string // names of the columns, or nil if there is no header
	HeaderLine   int64    // line of the header, from 1, or 0 if there is no header
	Warnings     []string // doubts about Columns, one sentence each
	Columns      [3]int   // columns of x, y and z, from 0

	order     [3]coordinate // the elements of Columns in ascending order
	separator byte          // delimiter before each answer; a space or a tab if Delimiter is ' '
	headerAt  int64         // offset of the header row, or −1 if there is no header
	prologue  int64         // lines that begin before this offset hold no points
	firstRow  int64         // offset of the first data row, or −1 if there is none
	width     int           // number of columns of a row, or 0 if unknown
	numeric   []bool        // result of numericOnly for each column
	unfit     bool          // the user gave the columns, and no row of the sample has numbers there
	guess     [3]int        // result of guessColumns
}

// coordinate is a column that holds the coordinates of an axis.
type coordinate struct{ column, axis int }

func (l *Layout) setColumns(columns [3]int) {
	l.Columns = columns
	for axis, c := range columns {
		l.order[axis] = coordinate{c, axis}
	}
	slices.SortStableFunc(l.order[:], func(a, b coordinate) int { return a.column - b.column })
}

// axisName returns the name of an axis in the header. If the header has no name for the axis, it
// returns x, y or z.
func (l *Layout) axisName(axis int) string {
	if c := l.Columns[axis]; c < len(l.Header) && l.Header[c] != "" {
		return l.Header[c]
	}
	return "xyz"[axis : axis+1]
}

// String returns a short description of the layout.
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

// tableFields returns the result of Source.Fields.
func (l *Layout) tableFields() []table.Field {
	n := max(l.width, len(l.Header), l.order[2].column+1)
	fields := make([]table.Field, n)
	taken := map[string]bool{}
	for _, name := range l.Header {
		taken[name] = true
	}
	seen := map[string]bool{}
	next := map[string]int{}
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
			for taken[name] || seen[name] {
				next[plain] = max(2, next[plain]+1) // linear cost for thousands of equal names
				name = fmt.Sprintf("%s_%d", plain, next[plain])
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
