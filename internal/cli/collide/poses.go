package collide

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// A table of poses has the columns placeColumns. It can also have the columns of a quaternion, or
// of a matrix in row-major order.
var (
	placeColumns      = []string{"time", "x", "y", "z"}
	quaternionColumns = []string{"qw", "qx", "qy", "qz"}
	matrixColumns     = []string{"r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33"}
)

// newPoseRow converts the 4, 8 or 13 numbers of a row to a poseRow.
func newPoseRow(v []float64) (poseRow, error) {
	row := poseRow{time: v[0], pose: collide.At(r3.Vector{X: v[1], Y: v[2], Z: v[3]})}
	if math.IsNaN(v[0]) || math.IsInf(v[0], 0) {
		return row, fmt.Errorf("time %g: must be finite", v[0])
	}
	switch rest := v[len(placeColumns):]; len(rest) {
	case len(quaternionColumns):
		row.pose.Rotation = quat.Number{Real: rest[0], Imag: rest[1], Jmag: rest[2], Kmag: rest[3]}
	case len(matrixColumns):
		var err error
		m := [3][3]float64{[3]float64(rest[0:3]), [3]float64(rest[3:6]), [3]float64(rest[6:9])}
		if row.pose, err = collide.FromMatrix(m, row.pose.Translation); err != nil {
			return row, err
		}
	}
	return row, row.pose.Check()
}

// appendPose converts the numbers to a row and appends the row. The times of the rows must ascend.
func appendPose(rows []poseRow, v []float64) ([]poseRow, error) {
	row, err := newPoseRow(v)
	if err != nil {
		return rows, err
	}
	if n := len(rows); n > 0 && row.time <= rows[n-1].time {
		return rows, fmt.Errorf("time %v: must be after the time of the previous row, %v", row.time, rows[n-1].time)
	}
	return append(rows, row), nil
}

func inlinePoses(raw []json.RawMessage) ([]poseRow, error) {
	if len(raw) == 0 {
		return nil, errors.New(`"poses" has no rows`)
	}
	var rows []poseRow
	for i, r := range raw {
		var cells []*float64
		if err := json.Unmarshal(r, &cells); err != nil {
			return nil, fmt.Errorf("poses[%d]: expected a list of numbers: %w", i, plain(err))
		}
		v := make([]float64, len(cells))
		for k, x := range cells {
			if x == nil {
				return nil, fmt.Errorf("poses[%d]: expected a number, found null", i)
			}
			v[k] = *x
		}
		switch len(v) {
		case len(placeColumns), len(placeColumns) + len(quaternionColumns), len(placeColumns) + len(matrixColumns):
		default:
			return nil, fmt.Errorf("poses[%d]: expected 4 numbers (time,x,y,z), 8 (with qw,qx,qy,qz) or 13 (with r11,r12,…,r33), found %d", i, len(v))
		}
		var err error
		if rows, err = appendPose(rows, v); err != nil {
			return nil, fmt.Errorf("poses[%d]: %w", i, err)
		}
	}
	return rows, nil
}

// tableError is an error whose message names the file of the table.
type tableError struct{ error }

func (e tableError) Unwrap() error { return e.error }

// inTable returns err as a tableError with the path of the table and the line number. If line is 0,
// the message contains no line number.
func inTable(path string, line int, err error) error {
	if line == 0 {
		return tableError{fmt.Errorf("%s: %w", path, err)}
	}
	return tableError{fmt.Errorf("%s:%d: %w", path, line, err)}
}

// poseRowBytes is the size of a poseRow: eight numbers.
const poseRowBytes = 64

// readPoses reads a table of poses, which can have any format of package points. unused holds the
// names of the columns that readPoses ignores. If limit > 0, the rows need at most limit bytes of
// memory.
func readPoses(path string, limit int64) (rows []poseRow, unused []string, err error) {
	in, err := points.Open(path, points.Options{})
	if err != nil {
		return nil, nil, poseError(path, err)
	}
	defer in.Close()
	columns, unused, err := findPoseColumns(path, in)
	if err != nil {
		return nil, nil, err
	}
	parse := decimal.Parse
	if l := in.Layout(); l != nil && l.DecimalComma {
		parse = decimal.ParseComma
	}
	var b table.Block
	cells := make([]table.Values, len(columns))
	v := make([]float64, len(columns))
	for {
		err := in.Next(&b)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, poseError(path, err)
		}
		if n := b.Ragged; n.Count > 0 {
			return nil, nil, inTable(path, int(n.First), errors.New("the row and the header have different numbers of columns"))
		}
		for k, c := range columns {
			if err := in.Source().Values(&b, c, &cells[k]); err != nil {
				return nil, nil, poseError(path, err)
			}
		}
		for row := range b.Points {
			for k, c := range columns {
				if v[k], err = poseNumber(&cells[k], row, parse); err != nil {
					return nil, nil, atRow(path, in, &b, row, fmt.Errorf("column %d (%s): %w", c+1, quote.Line(in.Fields()[c].Name), err))
				}
			}
			if rows, err = appendPose(rows, v); err != nil {
				return nil, nil, atRow(path, in, &b, row, err)
			}
			if needed := int64(cap(rows)) * poseRowBytes; limit > 0 && needed > limit {
				return nil, nil, atRow(path, in, &b, row, plural.Errorf("%w: the limit is %d bytes", disk.ErrTooLarge, limit))
			}
		}
	}
	if len(rows) == 0 {
		return nil, nil, inTable(path, 0, errors.New("the table has no rows"))
	}
	return rows, unused, nil
}

// poseNumber returns the number in a row of a column. The function parse is decimal.Parse or
// decimal.ParseComma.
func poseNumber(v *table.Values, row int, parse func([]byte) (float64, int, bool)) (float64, error) {
	switch {
	case len(v.Missing) > 0 && v.Missing[row]:
		return 0, errors.New("expected a number, found a missing value")
	case v.Type.IsFloat():
		return v.Floats[row], nil
	case v.Type == table.Uint64:
		return float64(uint64(v.Ints[row])), nil
	case v.Type.IsInt():
		return float64(v.Ints[row]), nil
	case v.Type == table.Bool:
		return 0, errors.New("expected a number, found a truth value")
	}
	// A column with other cells among the first rows holds texts. The numbers before the first of
	// these cells are valid.
	if x, n, ok := parse(v.Texts[row]); ok && n == len(v.Texts[row]) {
		return x, nil
	}
	return 0, fmt.Errorf("expected a number, found %s", quote.Word(v.Texts[row]))
}

// atRow returns err as a tableError with the place of a row of b.
func atRow(path string, in *points.Reader, b *table.Block, row int, err error) error {
	place := fmt.Sprintf("row %d", b.First+int64(row))
	if p, ok := in.Source().(table.Placer); ok {
		place = p.Place(b, row)
	}
	if line, ok := strings.CutPrefix(place, "line "); ok {
		return tableError{fmt.Errorf("%s:%s: %w", path, line, err)}
	}
	return tableError{fmt.Errorf("%s: %s: %w", path, place, err)}
}

// errNoHeader is the error for a table without the names of its columns.
var errNoHeader = errors.New("expected a header with time,x,y,z and, for bodies that rotate, qw,qx,qy,qz or r11,r12,…,r33")

// poseError converts an error of package points into a tableError. It drops the kind of the error,
// because the hints of the command about columns do not apply to poses.
func poseError(path string, err error) error {
	var row *table.RowError
	switch {
	case errors.As(err, &row) && row.Columns != [3]int{}:
		return inTable(path, int(row.Line), errNoHeader)
	case errors.As(err, &row):
		return inTable(path, int(row.Line), errors.New(row.Reason))
	case errors.Is(err, table.ErrFormat), errors.Is(err, table.ErrColumns):
		return tableError{errors.New(err.Error())}
	}
	return tableError{err}
}

// findPoseColumns returns the columns of a table in the order that newPoseRow expects, and the names
// of the other columns.
func findPoseColumns(path string, in *points.Reader) (columns []int, unused []string, err error) {
	names, line := make([]string, len(in.Fields())), 0
	for i, f := range in.Fields() {
		names[i] = f.Name
	}
	if l := in.Layout(); l != nil { // the header of a text can have repeated names, but the fields have not
		if l.Header == nil {
			return nil, nil, inTable(path, 1, errNoHeader)
		}
		names, line = slices.Clone(l.Header), int(l.HeaderLine)
	}
	given := slices.Clone(names)
	for i := range names {
		if names[i] = axes.Plain(names[i]); names[i] == "t" {
			names[i] = "time"
		}
	}
	for axis, c := range in.Axes() {
		names[c] = "xyz"[axis : axis+1]
	}
	if columns, unused, err = poseColumns(names, given); err != nil {
		return nil, nil, inTable(path, line, err)
	}
	return columns, unused, nil
}

// poseColumns returns the indices of the columns in the order that newPoseRow expects. names has the
// names of the columns in lower case and without units. unused holds the names of the other columns
// as they are in the header.
func poseColumns(names, header []string) (columns []int, unused []string, err error) {
	find := func(want []string) (at []int, missing []string) {
		for _, name := range want {
			if i := slices.Index(names, name); i >= 0 {
				at = append(at, i)
			} else {
				missing = append(missing, name)
			}
		}
		return at, missing
	}
	columns, missing := find(placeColumns)
	if len(missing) > 0 {
		return nil, nil, fmt.Errorf("the header has no column %s: expected time,x,y,z and, for bodies that rotate, qw,qx,qy,qz or r11,r12,…,r33", strings.Join(missing, ", "))
	}
	turned := false
	for _, want := range [][]string{quaternionColumns, matrixColumns} {
		at, missing := find(want)
		switch {
		case len(at) == 0:
			continue
		case len(missing) > 0:
			return nil, nil, fmt.Errorf("the header has %s, but no column %s", names[at[0]], strings.Join(missing, ", "))
		case turned:
			return nil, nil, errors.New("the header has the columns of both a quaternion and a matrix: remove one of them")
		}
		columns, turned = append(columns, at...), true
	}
	for i, name := range names {
		if slices.Index(names, name) != i && slices.Contains(columns, slices.Index(names, name)) {
			return nil, nil, fmt.Errorf("the header has two columns with the name %s", name)
		}
		if !slices.Contains(columns, i) {
			unused = append(unused, strings.TrimSpace(header[i]))
		}
	}
	return columns, unused, nil
}
