package collide

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/quote"
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

// readPoses reads a table of poses. unused holds the names of the columns that readPoses ignores.
// If limit > 0, the bytes of the table and its rows together need at most limit bytes of memory.
func readPoses(path string, limit int64) (rows []poseRow, unused []string, err error) {
	data, err := disk.ReadFile(path, limit)
	if err != nil {
		return nil, nil, inTable(path, 0, disk.Reason(err))
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment, r.Comma, r.ReuseRecord = '#', delimiter(data), true
	r.TrimLeadingSpace = r.Comma != '\t' // trimming would remove the tabs of empty cells
	header, err := r.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the table is empty: expected a header with time,x,y,z")
		}
		return nil, nil, csvError(path, err)
	}
	columns, unused, err := poseColumns(header)
	if err != nil {
		line, _ := r.FieldPos(0)
		return nil, nil, inTable(path, line, err)
	}
	v := make([]float64, len(columns))
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, csvError(path, err)
		}
		line, _ := r.FieldPos(0)
		for k, c := range columns {
			cell := strings.TrimSpace(record[c])
			if v[k], err = strconv.ParseFloat(cell, 64); err != nil {
				return nil, nil, inTable(path, line, fmt.Errorf("column %d: expected a number, found %s", c+1, quote.Word(cell)))
			}
		}
		if rows, err = appendPose(rows, v); err != nil {
			return nil, nil, inTable(path, line, err)
		}
		if needed := int64(len(data)) + int64(cap(rows))*poseRowBytes; limit > 0 && needed > limit {
			return nil, nil, inTable(path, line, fmt.Errorf("%w: the limit is %d bytes", disk.ErrTooLarge, limit))
		}
	}
	if len(rows) == 0 {
		return nil, nil, inTable(path, 0, errors.New("the table has no rows"))
	}
	return rows, unused, nil
}

// delimiter skips empty lines and comments. In the next line, it searches for a tab and then for a
// semicolon. If the line has neither character, the delimiter is a comma.
func delimiter(data []byte) rune {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, c := range "\t;" {
			if bytes.ContainsRune(line, c) {
				return c
			}
		}
		break
	}
	return ','
}

func csvError(path string, err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return inTable(path, 0, err)
	}
	if errors.Is(parse.Err, csv.ErrFieldCount) {
		return inTable(path, parse.Line, errors.New("the row and the header have different numbers of columns"))
	}
	return inTable(path, parse.Line, parse.Err)
}

// poseColumns returns the indices of the columns in the order that newPoseRow expects. unused holds
// the names of the other columns.
func poseColumns(header []string) (columns []int, unused []string, err error) {
	names := make([]string, len(header))
	for i, h := range header {
		names[i] = strings.ToLower(strings.TrimSpace(h))
	}
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
