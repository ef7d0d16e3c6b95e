package drillhole

import (
	"fmt"
	"strings"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/tabular"
)

// holeColumn is the column with the names of the holes.
var holeColumn = tabular.Column{
	Names: []string{"hole", "holeid", "bhid", "dhid", "holename", "holenumber", "holeno", "drillhole", "drillholeid", "borehole", "boreholeid", "well", "wellid"},
	Rare:  []string{"id", "name"},
}

// collarColumns are the columns of a table of collars besides the coordinates.
var collarColumns = []tabular.Column{
	holeColumn,
	{Names: []string{"maxdepth", "depth", "totaldepth", "enddepth", "finaldepth", "holedepth", "eoh", "eohdepth", "td", "length", "holelength"}, Optional: true},
}

// surveyColumns are the columns of a table of surveys. The list does not have the word inclination,
// because it often means the angle from the vertical.
var surveyColumns = []tabular.Column{
	holeColumn,
	{Names: []string{"depth", "at", "md", "measureddepth", "surveydepth", "downholedepth", "distance", "dist"}},
	{Names: []string{"azimuth", "azi", "az", "azim", "bearing", "brg"}},
	{Names: []string{"dip", "dipangle", "plunge"}},
}

// FindCollars returns the value of points.Options.Find for a table of collars. If columns is not nil,
// it has the names or numbers of the columns of the hole, x, y, z and, if there is one, the maximum
// depth.
func FindCollars(columns []string) func(names []string) ([3]int, error) {
	return func(names []string) ([3]int, error) {
		at, err := findCollars(names, columns)
		if err != nil {
			return [3]int{}, err
		}
		return [3]int(at[1:4]), nil
	}
}

// findCollars returns the indices of the columns of the hole, x, y, z and the maximum depth. The last
// index is −1 if there is no maximum depth.
func findCollars(names, columns []string) ([]int, error) {
	if columns != nil {
		given := []tabular.Column{holeColumn, {}, {}, {}, collarColumns[1]}
		return tabular.Find(names, given, columns)
	}
	at, err := tabular.Find(names, collarColumns, nil)
	if err != nil {
		return nil, err
	}
	m := axes.Find(names)
	switch {
	case m.N == 3 && m.Ambiguous:
		return nil, fmt.Errorf("the columns name the coordinates more than once%s: %s", m.Rivals(), quote.Line(strings.Join(names, ", ")))
	case m.N == 3:
		return []int{at[0], m.At[0], m.At[1], m.At[2], at[1]}, nil
	}
	return nil, fmt.Errorf("there are no columns for %s of the collars: the columns are %s", m.Missing, quote.Line(strings.Join(names, ", ")))
}

// FindSurveys returns the value of points.Options.Find for a table of surveys. If columns is not nil,
// it has the names or numbers of the columns of the hole, the depth, the azimuth and the dip.
func FindSurveys(columns []string) func(names []string) ([3]int, error) {
	return func(names []string) ([3]int, error) {
		at, err := tabular.Find(names, surveyColumns, columns)
		if err != nil {
			return [3]int{}, err
		}
		return [3]int(at[1:4]), nil
	}
}
