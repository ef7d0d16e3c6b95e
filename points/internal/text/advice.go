package text

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/points/table"
)

// splitHint is the hint for a file whose decimal commas look like delimiters.
const splitHint = "save the points with semicolons between the columns, or with decimal points"

// laterHeader returns the index of the header after rows such as the title of a report, or 0 if
// there is no such header. The header has no numbers. It names the coordinates or the columns that
// the user gave. The next row has the same number of fields, and its coordinates are numbers. No row
// before the header has numbers in these columns.
func (l *Layout) laterHeader(rows []sampleRow, userColumns []string) int {
	isHeader := func(r sampleRow) (axes.Match, bool) {
		found := axes.Find(r.fields)
		return found, found.N == 3 && !found.Ambiguous || hasColumns(r.fields, userColumns)
	}
	if len(rows) == 0 {
		return 0
	}
	if _, first := isHeader(rows[0]); first {
		return 0
	}
	for k := 1; k+1 < len(rows); k++ {
		if len(rows[k].fields) != len(rows[k+1].fields) || l.countNumbers(rows[k]) > 0 {
			continue
		}
		found, ok := isHeader(rows[k])
		if !ok {
			continue
		}
		at := found.At
		if found.N < 3 || found.Ambiguous {
			names := Layout{Header: toStrings(rows[k].fields)}
			var err error
			if at, err = names.lookUp(userColumns); err != nil {
				continue
			}
		}
		if l.countsAt(rows[k+1], at) < 3 {
			continue
		}
		for _, r := range rows[:k] {
			if l.countsAt(r, at) == 3 {
				return 0
			}
		}
		return k
	}
	return 0
}

// countsAt returns how many fields of a row in the given columns are numbers.
func (l *Layout) countsAt(r sampleRow, columns [3]int) (n int) {
	for _, c := range columns {
		if c < len(r.fields) && l.isNumber(r.fields[c]) {
			n++
		}
	}
	return n
}

// laterHeaderError returns the error for a header after other rows. first and header are the numbers
// of the lines of the first row and of the header.
func laterHeaderError(file string, first, header int64) *table.RowError {
	hint := fmt.Sprintf("put # in front of the lines %d to %d", first, header-1)
	if first == header-1 {
		hint = fmt.Sprintf("put # in front of line %d", first)
	}
	return &table.RowError{File: file, Line: first, Reason: fmt.Sprintf("not a row of points: the header seems to be in line %d", header), Err: table.ErrPreamble, Hint: hint}
}

// splitPairs returns an upper bound of the number of delimiters of a row that are decimal commas:
// the number of disjoint pairs of adjacent integers whose second integer has no sign.
func splitPairs(fields [][]byte) (pairs int) {
	for k := 0; k+1 < len(fields); k++ {
		if isSplitNumber(fields[k], fields[k+1]) {
			pairs++
			k++
		}
	}
	return pairs
}

// isSplitNumber reports whether two fields can be the parts of a number before and after its decimal
// comma.
func isSplitNumber(whole, fraction []byte) bool {
	return !isNoInteger(whole) && !isNoInteger(fraction) && fraction[0] != '-' && fraction[0] != '+'
}

// hasDecimals reports whether a coordinate of the rows has a decimal comma. "1,234" does not count, because its comma
// can separate thousands.
func (l *Layout) hasDecimals(rows []sampleRow) bool {
	for _, r := range rows {
		for _, want := range l.order {
			if want.column < 0 || want.column >= len(r.fields) {
				continue
			}
			whole, part, found := bytes.Cut(bytes.TrimLeft(r.fields[want.column], "+-"), []byte(","))
			if found && l.isNumber(r.fields[want.column]) && (len(whole) > 3 || len(part) != 3 || len(whole) == 0 || whole[0] == '0') {
				return true
			}
		}
	}
	return false
}

// hasQuotedComma reports whether the delimiter is a comma and a field is a number with a decimal
// comma. Such a field has quotes.
func (l *Layout) hasQuotedComma(f []byte) bool {
	if l.Delimiter != ',' || l.DecimalComma || bytes.IndexByte(f, ',') < 0 {
		return false
	}
	_, n, ok := decimal.ParseComma(f)
	return ok && n == len(f)
}

// guessColumns returns the numbers, from 1, of the columns that are probably x, y and z. If the header
// names three columns, guessColumns returns these if they hold numbers. Without such a header, it
// returns the columns of numbers if there are exactly three. In all other cases it returns zeros.
func guessColumns(numeric []int, found axes.Match) (columns [3]int) {
	at := found.At
	if found.N < 3 || found.Ambiguous {
		if len(numeric) != 3 {
			return columns
		}
		at = [3]int(numeric)
	}
	for _, k := range at {
		if !slices.Contains(numeric, k) {
			return columns
		}
	}
	return [3]int{at[0] + 1, at[1] + 1, at[2] + 1}
}
