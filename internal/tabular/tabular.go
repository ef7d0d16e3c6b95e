// Package tabular reads small tables, such as the collars of drill holes or the poses of a body. It
// reads all formats of package points. Each error names the file, the row and the column.
//
//	in, err := points.Open("survey.csv", points.Options{Find: find})
//	err = tabular.Each(in, []int{0, 1}, func(r *tabular.Row) error {
//		hole := r.Text(0)
//		depth, err := r.Number(1)
//		…
//	})
package tabular

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// Error is an error whose text names the file.
type Error struct{ error }

// Unwrap returns the error without the type Error.
func (e Error) Unwrap() error { return e.error }

// At returns err as an Error with the path of the table and the line number. If line is 0, the
// text has no line number.
func At(path string, line int, err error) error {
	if line == 0 {
		return Error{fmt.Errorf("%s: %w", path, err)}
	}
	return Error{fmt.Errorf("%s:%d: %w", path, line, err)}
}

// AtPlace returns err as an Error with the path of the table and a place in it, such as "line 7".
func AtPlace(path, place string, err error) error {
	if line, ok := strings.CutPrefix(place, "line "); ok {
		return Error{fmt.Errorf("%s:%s: %w", path, line, err)}
	}
	return Error{fmt.Errorf("%s: %s: %w", path, place, err)}
}

// Row is a row of a table. It is valid only during the call of the function of Each.
type Row struct {
	in      *points.Reader
	columns []int
	cells   []table.Values
	parse   func([]byte) (float64, int, bool)
	block   table.Block
	k       int // index of the row in the block
}

// Each calls f for each row of the table. columns has the indices of the columns that f reads. Each
// stops at the first error and returns it as an Error with the place of the row.
func Each(in *points.Reader, columns []int, f func(r *Row) error) error {
	r := &Row{in: in, columns: columns, cells: make([]table.Values, len(columns)), parse: decimal.Parse}
	if l := in.Layout(); l != nil && l.DecimalComma {
		r.parse = decimal.ParseComma
	}
	for {
		err := in.Next(&r.block)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return Plain(in.Name(), err)
		}
		if n := r.block.Ragged; n.Count > 0 {
			return At(in.Name(), int(n.First), errors.New("the row and the header have different numbers of columns"))
		}
		for i, c := range columns {
			if err := Cells(in.Source(), &r.block, c, &r.cells[i]); err != nil {
				return Plain(in.Name(), err)
			}
		}
		for r.k = range r.block.Points {
			if err := f(r); err != nil {
				return AtPlace(in.Name(), r.Place(), err)
			}
		}
	}
}

// Cells reads a field of the rows of b into v. A text field can have any cells, even if the cells
// at the beginning of the file are numbers.
func Cells(src table.Source, b *table.Block, field int, v *table.Values) error {
	if t, ok := src.(table.Texter); ok {
		return t.Texts(b, field, v)
	}
	return src.Values(b, field, v)
}

// Text returns the text of a cell without blanks at its ends. i is an index into the columns of
// Each. The text of an integer is its decimal digits. The text of a missing value is "".
func (r *Row) Text(i int) string { return Text(&r.cells[i], r.k) }

// Text returns the text of a cell of v without blanks at its ends, or "" for a missing value.
func Text(v *table.Values, row int) string {
	switch {
	case len(v.Texts) > 0:
		return strings.TrimSpace(string(v.Texts[row]))
	case len(v.Missing) > 0 && v.Missing[row]:
		return ""
	case v.Type.IsFloat():
		return strconv.FormatFloat(v.Floats[row], 'g', -1, 64)
	case v.Type == table.Uint64:
		return strconv.FormatUint(uint64(v.Ints[row]), 10)
	case v.Type.IsInt():
		return strconv.FormatInt(v.Ints[row], 10)
	case v.Type == table.Bool:
		return strconv.FormatBool(v.Ints[row] != 0)
	}
	return ""
}

// Missing reports whether a cell has no value. i is an index into the columns of Each.
func (r *Row) Missing(i int) bool {
	v := &r.cells[i]
	return len(v.Missing) > 0 && v.Missing[r.k] || len(v.Texts) > 0 && len(v.Texts[r.k]) == 0
}

// Number returns the number in a cell. i is an index into the columns of Each. The number can be
// NaN or infinite.
func (r *Row) Number(i int) (float64, error) {
	x, err := Number(&r.cells[i], r.k, r.parse)
	if err != nil {
		err = r.InColumn(i, err)
	}
	return x, err
}

// InColumn adds the number and the name of a column to err. i is an index into the columns of Each.
func (r *Row) InColumn(i int, err error) error {
	c := r.columns[i]
	return fmt.Errorf("column %d (%s): %w", c+1, quote.Line(r.in.Fields()[c].Name), err)
}

// Number returns the number in a row of a column. The function parse is decimal.Parse or
// decimal.ParseComma.
func Number(v *table.Values, row int, parse func([]byte) (float64, int, bool)) (float64, error) {
	missing := errors.New("expected a number, found a missing value")
	switch {
	case len(v.Texts) > 0:
		cell := v.Texts[row]
		if x, n, ok := parse(cell); ok && n == len(cell) {
			return x, nil
		}
		if len(cell) == 0 {
			return 0, missing
		}
		return 0, fmt.Errorf("expected a number, found %s", quote.Word(cell))
	case len(v.Missing) > 0 && v.Missing[row]:
		return 0, missing
	case v.Type.IsFloat():
		return v.Floats[row], nil
	case v.Type == table.Uint64:
		return float64(uint64(v.Ints[row])), nil
	case v.Type.IsInt():
		return float64(v.Ints[row]), nil
	}
	return 0, errors.New("expected a number, found a truth value")
}

// Place returns the place of the row in the file, such as "line 7".
func (r *Row) Place() string { return pointio.Place(r.in.Source(), &r.block, r.k) }

// Plain converts an error of package points into an Error. The result does not wrap the kind of the
// error, because the command would then print hints about columns of points, which do not apply to
// other tables.
func Plain(path string, err error) error {
	var row *table.RowError
	switch {
	case errors.As(err, &row):
		return At(path, int(row.Line), errors.New(row.Reason))
	case errors.Is(err, table.ErrColumns):
		text := strings.TrimPrefix(err.Error(), path+": ")
		return At(path, 0, errors.New(strings.TrimPrefix(text, table.ErrColumns.Error()+": ")))
	case errors.Is(err, table.ErrFormat):
		return Error{errors.New(err.Error())}
	}
	return Error{err}
}
