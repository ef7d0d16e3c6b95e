package answer

import (
	"fmt"
	"strings"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points"
)

// ColumnNumbers returns the numbers of the columns of x, y and z, from 1.
func ColumnNumbers(in *points.Reader) [3]int {
	numbers := in.Axes()
	for axis := range numbers {
		numbers[axis]++
	}
	return numbers
}

// ColumnsAreObvious reports whether the columns of the coordinates are no choice of the program: the
// user named them with --columns, their names are x, y and z, or the file has three columns without
// names. columns is the value of --columns.
func ColumnsAreObvious(in *points.Reader, columns string) bool {
	names := columnNames(in)
	if names == nil {
		return columns != "" || len(in.Fields()) == 3
	}
	return columns != "" || strings.EqualFold(strings.Join(names, " "), "x y z")
}

// ColumnsLine says which columns are the coordinates. The line is at most term.LineWidth wide: long
// names are cut in the middle.
func ColumnsLine(in *points.Reader) string {
	at := ColumnNumbers(in)
	text := func(names string) string {
		return fmt.Sprintf("columns %d, %d, %d%s are x, y, z", at[0], at[1], at[2], names)
	}
	names := columnNames(in)
	if names == nil {
		return text("")
	}
	var lines []string
	for _, width := range []int{term.LineWidth, 12, 8, 4} {
		var short []string
		for _, name := range names {
			short = append(short, term.CutMiddle(quote.Line(name), width))
		}
		lines = append(lines, text(" ("+strings.Join(short, ", ")+")"))
	}
	return term.FirstFitting(append(lines, text(""))...)
}

// columnNames returns the names of the columns of the coordinates, or nil if they have no names.
func columnNames(in *points.Reader) []string {
	var all []string
	switch l := in.Layout(); {
	case l != nil && l.Header == nil:
		return nil
	case l != nil:
		all = l.Header
	case formats.Named(in.Format()).Nameless:
		return nil
	default:
		for _, f := range in.Fields() {
			all = append(all, f.Name)
		}
	}
	var names []string
	for _, c := range in.Axes() {
		if c < len(all) {
			names = append(names, all[c])
		}
	}
	return names
}
