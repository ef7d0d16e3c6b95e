package tabular

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/points/table"
)

// TestCells reads one cell of every type as a text and as a number.
func TestCells(t *testing.T) {
	text := func(s string) table.Values { return table.Values{Type: table.Text, Texts: [][]byte{[]byte(s)}} }
	for _, c := range []struct {
		v            table.Values
		text, number string
	}{
		{text(" A1 "), "A1", `expected a number, found " A1 "`},
		{text("1.5"), "1.5", "1.5"},
		{text("1,5"), "1,5", `expected a number, found "1,5"`},
		{text(""), "", "expected a number, found a missing value"},
		{table.Values{Type: table.Float64, Floats: []float64{0.1}}, "0.1", "0.1"},
		{table.Values{Type: table.Float64, Floats: []float64{math.NaN()}, Missing: []bool{true}}, "", "expected a number, found a missing value"},
		{table.Values{Type: table.Float32, Floats: []float64{math.Inf(1)}}, "+Inf", "+Inf"},
		{table.Values{Type: table.Uint64, Ints: []int64{-1}}, "18446744073709551615", "1.8446744073709552e+19"},
		{table.Values{Type: table.Int16, Ints: []int64{-7}, Missing: []bool{false}}, "-7", "-7"},
		{table.Values{Type: table.Bool, Ints: []int64{1}}, "true", "expected a number, found a truth value"},
	} {
		x, err := Number(&c.v, 0, decimal.Parse)
		number := fmt.Sprint(x)
		if err != nil {
			number = err.Error()
		}
		if got := Text(&c.v, 0); got != c.text || number != c.number {
			t.Errorf("%+v: %q and %s, want %q and %s", c.v, got, number, c.text, c.number)
		}
	}
}

// TestFind checks the columns that Find finds, or its error.
func TestFind(t *testing.T) {
	columns := []Column{{Names: []string{"hole", "holeid"}, Rare: []string{"id"}}, {Names: []string{"depth"}}, {Names: []string{"end"}, Optional: true}}
	for _, c := range []struct{ names, given, want string }{
		{"hole,depth,end", "", "[0 1 2]"},
		{"Depth [m],Hole_ID", "", "[1 0 -1]"},
		{"id,hole id,depth_m", "", "[1 2 -1]"},
		{"id,depth", "", "[0 1 -1]"},
		{"hole,holeid,depth", "", "columns 1 (hole) and 2 (holeid) can both be the column hole"},
		{"hole,deep", "", "there is no column depth: the columns are hole, deep"},
		{",,", "", "there is no column hole: the columns have no names"},
		{"a,b,c", "c,b", "[2 1 -1]"},
		{"a,b,c", "3,2,1", "[2 1 0]"},
		{",,", "3,2,1", "[2 1 0]"},
		{"a,b,c", "a", "found 1 column of the user, expected 2"},
		{"a,b,c,d", "a,b,c,d", "found 4 columns of the user, expected 2"},
		{"a,b,c", "a,x", `there is no column "x"`},
		{"a,b,c", "a,4", "there is no column 4: the table has 3 columns"},
		{"a,b,c", "a,A", "column 1 (a) cannot have two meanings"},
	} {
		var given []string
		if c.given != "" {
			given = strings.Split(c.given, ",")
		}
		names := strings.Split(c.names, ",")
		before := slices.Clone(names)
		at, err := Find(names, columns, given)
		got := fmt.Sprint(at)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) || !slices.Equal(names, before) {
			t.Errorf("%s, given %q: %s, want %s", c.names, c.given, got, c.want)
		}
	}
}
