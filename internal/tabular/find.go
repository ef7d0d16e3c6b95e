package tabular

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points"
)

// Column is a column that a program needs.
type Column struct {
	// Names has the usual names of the column, in lower case without units, blanks and punctuation.
	// The first is the name in messages.
	Names []string
	// Rare has names that Find uses only if no column has one of Names.
	Rare     []string
	Optional bool // the table can lack the column
}

// Find returns the indices of the columns of a table. names has the names of all columns of the
// table; a column without a name has the name "". If given is not nil, it has the names or numbers,
// from 1, of the columns that the user chose, in the order of columns. An optional column at the end
// of the list can be omitted. The index of a column that the table lacks is −1.
func Find(names []string, columns []Column, given []string) (at []int, err error) {
	if given != nil {
		return lookUp(names, columns, given)
	}
	plain := make([]string, len(names))
	for k, name := range names {
		plain[k] = compact(axes.Plain(strings.TrimSpace(name)))
	}
	at = make([]int, len(columns))
	for i, c := range columns {
		var found []int
		for _, list := range [][]string{c.Names, c.Rare} {
			for k, name := range plain {
				if slices.Contains(list, name) {
					found = append(found, k)
				}
			}
			if len(found) > 0 {
				break
			}
		}
		switch {
		case len(found) > 1:
			return nil, fmt.Errorf("columns %d (%s) and %d (%s) can both be the column %s",
				found[0]+1, quote.Line(names[found[0]]), found[1]+1, quote.Line(names[found[1]]), c.Names[0])
		case len(found) == 1:
			at[i] = found[0]
		case c.Optional:
			at[i] = -1
		default:
			return nil, fmt.Errorf("there is no column %s: %s", c.Names[0], list(names))
		}
	}
	return at, distinct(at, names)
}

// compact removes blanks and punctuation from a name: "hole_id" becomes "holeid".
func compact(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
}

// list says which columns a table has.
func list(names []string) string {
	const most = 20
	if !slices.ContainsFunc(names, func(name string) bool { return name != "" }) {
		return "the columns have no names"
	}
	if len(names) > most {
		names = append(names[:most:most], "…")
	}
	return "the columns are " + quote.Line(strings.Join(names, ", "))
}

// lookUp finds the columns that the user chose.
func lookUp(names []string, columns []Column, given []string) (at []int, err error) {
	least := len(columns)
	for least > 0 && columns[least-1].Optional {
		least--
	}
	if len(given) < least || len(given) > len(columns) {
		return nil, plural.Errorf("found %d columns of the user, expected %d", len(given), least)
	}
	at = make([]int, len(columns))
	for i := range columns {
		if at[i] = -1; i >= len(given) {
			continue
		}
		switch at[i], err = axes.Lookup(names, given[i]); {
		case err != nil:
			return nil, err
		case at[i] < 0:
			return nil, fmt.Errorf("there is no column %q: %s", given[i], list(names))
		case at[i] >= len(names):
			return nil, plural.Errorf("there is no column %s: the table has %d columns", given[i], len(names))
		}
	}
	return at, distinct(at, names)
}

// distinct returns an error if two columns are the same.
func distinct(at []int, names []string) error {
	for i, k := range at {
		if k >= 0 && slices.Contains(at[:i], k) {
			return fmt.Errorf("column %d (%s) cannot have two meanings", k+1, quote.Line(names[k]))
		}
	}
	return nil
}

// Names returns the names of the columns of in, as points.Options.Find gets them.
func Names(in *points.Reader) []string {
	fields := in.Fields()
	names := make([]string, len(fields))
	l := in.Layout()
	switch {
	case l != nil:
		copy(names, l.Header) // the names of fields can have suffixes
	case !formats.Named(in.Format()).Nameless:
		for k, f := range fields {
			names[k] = f.Name
		}
	}
	return names
}
