// Package axes finds the columns of x, y and z. All formats with named columns follow the rules of
// this package: text, JSON Lines, PLY, LAS and Parquet.
//
// If the user names the columns, Choose takes these columns. Otherwise Find searches for usual
// names of coordinates. If no column has such a name, and exactly three columns hold numbers, these
// three are the coordinates. In all other cases, Choose returns an error, so a program never reads
// the wrong columns silently.
package axes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// Choose returns the indices of the fields of x, y and z. The elements of columns are names, or
// numbers from 1. If all elements are empty, find returns the columns. If find is also nil, Choose
// finds the columns itself. The function usable reports whether a field can hold coordinates.
//
// All errors wrap table.ErrColumns.
func Choose(fields []table.Field, columns [3]string, find pointio.Finder, usable func(field int) bool) (at [3]int, err error) {
	at, err = choose(fields, columns, find, usable)
	for _, k := range at {
		if err == nil && !usable(k) {
			reason := fields[k].Opaque
			if reason == "" {
				reason = "of the type " + fields[k].Type.String()
			}
			err = fmt.Errorf("column %s, which is %s, cannot be a coordinate", quote.Word(fields[k].Name), reason)
		}
	}
	if err != nil {
		return at, fmt.Errorf("%w: %w", table.ErrColumns, err)
	}
	return at, nil
}

func choose(fields []table.Field, columns [3]string, find pointio.Finder, usable func(field int) bool) (at [3]int, err error) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	if columns != [3]string{} {
		for axis, column := range columns {
			at[axis], err = Lookup(names, column)
			switch {
			case err != nil:
				return at, err
			case at[axis] >= len(fields):
				return at, plural.Errorf("no column %s: the file has %d columns", column, len(fields))
			case at[axis] < 0:
				return at, fmt.Errorf("no column %q: the columns are %s", column, pointio.ListNames(fields))
			}
		}
		return at, pointio.CheckAxes(at, columns)
	}
	if find != nil {
		return find(names)
	}
	m := Find(names)
	list := pointio.ListNames(fields)
	switch {
	case m.N == 3 && !m.Ambiguous:
		return m.At, nil
	case m.Ambiguous:
		return at, fmt.Errorf("the columns name the coordinates more than once%s: %s", m.Rivals(), list)
	case m.N > 0:
		return at, fmt.Errorf("there is %s but no column for %s: the columns are %s", quote.Line(m.Have), m.Missing, list)
	}
	var numeric []int
	for k := range fields {
		if usable(k) {
			numeric = append(numeric, k)
		}
	}
	if len(numeric) != 3 {
		return at, plural.Errorf("found %d columns of numbers, but their names do not say which are x, y and z: the columns are %s", len(numeric), list)
	}
	return [3]int(numeric), nil
}

// IsNumber reports whether the values of a field are numbers. It returns false for truth values.
func IsNumber(f table.Field) bool { return f.Opaque == "" && (f.Type.IsFloat() || f.Type.IsInt()) }

// Lookup returns the index of the column that the user gave by name, or by number from 1. It tries
// these matches in order: the exact name; the name in another letter case; a number; and the name
// without its unit, such as "easting" for the column "Easting [m]". It returns −1 if no name
// matches and the column is not a number. A number can exceed the number of names.
//
// Lookup fails if two names match equally well.
func Lookup(names []string, column string) (int, error) {
	for _, same := range []func(string) bool{
		func(s string) bool { return s == column },
		func(s string) bool { return strings.EqualFold(s, column) },
	} {
		if k, err := lookupOnly(names, column, same); k >= 0 || err != nil {
			return k, err
		}
	}
	if n, err := strconv.ParseUint(column, 10, 31); err == nil && n > 0 {
		return int(n) - 1, nil
	}
	return lookupOnly(names, column, func(s string) bool { return Plain(strings.TrimSpace(s)) == strings.ToLower(column) })
}

// lookupOnly returns the index of the only name for which same returns true, or −1 if there is none.
// It fails if there are several such names.
func lookupOnly(names []string, column string, same func(string) bool) (int, error) {
	k := slices.IndexFunc(names, same)
	if k < 0 {
		return -1, nil
	}
	if next := slices.IndexFunc(names[k+1:], same); next >= 0 {
		return -1, fmt.Errorf("columns %d and %d match %q: give the number of the column", k+1, k+2+next, column)
	}
	return k, nil
}
