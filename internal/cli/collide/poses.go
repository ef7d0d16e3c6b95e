package collide

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/tabular"
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
	row := poseRow{time: v[0]}
	if math.IsNaN(v[0]) || math.IsInf(v[0], 0) {
		return row, fmt.Errorf("time %g: must be finite", v[0])
	}
	var err error
	row.pose, err = answer.NewPose(v[1:])
	return row, err
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

// inlinePoses reads a valid JSON list of rows within the memory of the budget.
func inlinePoses(text []byte, memory *budget) ([]poseRow, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the bracket
		return nil, err
	}
	var rows []poseRow
	for i := 0; d.More(); i++ {
		if err := memory.reserve(poseRowBytes); err != nil {
			return nil, err
		}
		var cells []*float64
		if err := d.Decode(&cells); err != nil {
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
	if len(rows) == 0 {
		return nil, errors.New(`"poses" has no rows`)
	}
	return rows, nil
}

// readPoses reads a table of poses, which can have any format of package points, within the memory of
// the budget. unused holds the names of the columns that readPoses ignores.
func readPoses(path string, memory *budget) (rows []poseRow, unused []string, err error) {
	in, err := points.Open(path, points.Options{})
	if err != nil {
		return nil, nil, poseError(path, err)
	}
	defer in.Close()
	columns, unused, err := findPoseColumns(path, in)
	if err != nil {
		return nil, nil, err
	}
	counted := max(0, in.Size())
	memory.read += counted
	memory.limitGarbage()
	v := make([]float64, len(columns))
	err = tabular.Each(in, columns, func(r *tabular.Row) (err error) {
		for k := range columns {
			if v[k], err = r.Number(k); err != nil {
				return err
			}
		}
		if rows, err = appendPose(rows, v); err != nil {
			return err
		}
		// The rows of a packed table have more bytes than its file.
		if n := rowBytes * int64(len(rows)); n > counted {
			memory.read += n - counted
			counted = n
		}
		return memory.reserve(poseRowBytes)
	})
	if err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 {
		return nil, nil, tabular.At(path, 0, errors.New("the table has no rows"))
	}
	return rows, unused, nil
}

// errNoHeader is the error for a table without the names of its columns.
var errNoHeader = errors.New("expected a header with time,x,y,z and, for bodies that rotate, qw,qx,qy,qz or r11,r12,…,r33")

// poseError converts an error from opening a table of poses.
func poseError(path string, err error) error {
	var row *table.RowError
	if errors.As(err, &row) && row.Columns != [3]int{} {
		return tabular.At(path, int(row.Line), errNoHeader)
	}
	return tabular.Plain(path, err)
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
			return nil, nil, tabular.At(path, 1, errNoHeader)
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
		return nil, nil, tabular.At(path, line, err)
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
