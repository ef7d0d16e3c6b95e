package npy

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

// Records is an array with fields, or the arrays of an .npz file. It implements table.Source.
type Records struct {
	*records.Source
	descr    string // type of the records that Passthrough writes, without the answers
	about    string
	warnings []string
}

// Format returns "npy", which is the format of the output.
func (s *Records) Format() string { return "npy" }

// Warnings returns a warning for each array that is not part of the table.
func (s *Records) Warnings() []string { return s.warnings }

// String describes the input in a few words.
func (s *Records) String() string { return s.about }

// newRecords opens an array with fields.
func newRecords(name string, h header, r io.Reader, at io.ReaderAt, start, size int64, opt Options) (*Records, error) {
	if err := h.orient(false); err != nil {
		return nil, err
	}
	total := start + h.rows*h.rowBytes()
	if size >= 0 && size < total {
		return nil, plural.Errorf("shape (%d,) of records of %d bytes needs %d bytes with the header, but the file has %d", h.rows, h.itemSize, total, size)
	}
	l := records.Layout{Name: name, Fields: h.record.fields(), Cells: h.record.cells(0), Total: h.rows, Start: start,
		Strips: []records.Strip{records.Contiguous(r, at, start, h.rowBytes(), h.rows)}}
	l.AtEnd = records.Rest(r)
	if at != nil {
		l.AtEnd = func() (int64, error) { return size - total, nil }
	}
	var err error
	if l.Axes, err = axes.Choose(l.Fields, opt.Columns, opt.Find, func(k int) bool { return axes.IsNumber(l.Fields[k]) }); err != nil {
		return nil, err
	}
	rows, err := records.New(l, opt, at != nil)
	if err != nil {
		return nil, err
	}
	return &Records{Source: rows, descr: h.record.descr, about: plural.Sprintf("npy with %d fields", len(l.Fields))}, nil
}

var (
	_ table.HeaderPatcher = (*recordPass)(nil)
	_ table.Resumer       = (*recordPass)(nil)
)

// recordPass writes an array with the fields of the source and a field for each answer.
type recordPass struct {
	records.Counter
	records.Rows
}

// answerTypes has the dtype of each type of an answer.
var answerTypes = map[table.Type]string{table.Uint8: "|u1", table.Int32: "<i4", table.Float64: "<f8"}

// Passthrough returns a sink that copies the records bit for bit and adds a field for each answer. The
// types of the answers are the same as in package pcd: uint8, float64 and int32.
func (s *Records) Passthrough(cols []table.Column) (table.Sink, error) {
	list, err := pointio.NewAnswers("npy", cols, table.Names(append(s.Fields(), topNames(s.descr)...), cols))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	descr := strings.TrimRight(strings.TrimSpace(s.descr[:len(s.descr)-1]), ",")
	if descr != "[" && len(list) > 0 {
		descr += ", "
	}
	descr += fieldsOf(list) + "]"
	if len(descr) > maxHeaderBytes/2 {
		return nil, pointio.CannotHoldf("%s: the header would have more than %d bytes", s.Name, maxHeaderBytes/2)
	}
	return &recordPass{records.NewCounter("npy", s.Rows(), encoder(descr)),
		records.Rows{Src: s, Records: s.Source, Answers: list, Int32: "int32"}}, nil
}

var (
	_ table.HeaderPatcher = (*answerArray)(nil)
	_ table.Resumer       = (*answerArray)(nil)
)

// answerArray writes an array with a field for each answer.
type answerArray struct {
	records.Counter
	src  table.Source
	list pointio.Answers
}

// Answers returns a sink that writes only the answers for the rows of src: an array with a field for each answer. The
// types are those of Records.Passthrough, so a side takes one byte. The sink is a table.HeaderPatcher and a
// table.Resumer.
//
// Errors: table.ErrCannotHold if cols contains a text column.
func Answers(src table.Source, cols []table.Column) (table.Sink, error) {
	list, err := pointio.NewAnswers("npy", cols, table.Names(nil, cols))
	if err != nil {
		return nil, err
	}
	descr := "[" + fieldsOf(list) + "]"
	return &answerArray{records.NewCounter("npy", src.Rows(), encoder(descr)), src, list}, nil
}

func (s *answerArray) Format(b *table.Block) error {
	if err := s.list.Check(s.src, b, "npy", "int32"); err != nil {
		return err
	}
	s.list.FormatRows(b, 0, false)
	return nil
}

// fieldsOf returns the answers as the elements of a list in Python.
func fieldsOf(list pointio.Answers) string {
	var text []string
	for _, a := range list {
		text = append(text, fmt.Sprintf("(%s, '%s')", pythonString(a.Name), answerTypes[a.Type]))
	}
	return strings.Join(text, ", ")
}

// encoder returns a function for records.NewCounter that returns the header of an array of the type descr.
func encoder(descr string) func(count string, pad int) []byte {
	return func(count string, pad int) []byte {
		return encodeDict(fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': (%s,), }%s", descr, count, strings.Repeat(" ", max(0, pad))), 0)
	}
}

// topNames returns the names of the fields of a type, without fields in nested types.
func topNames(descr string) (list []table.Field) {
	fields, _ := splitLiteral(descr, '[', ']')
	for _, text := range fields {
		if parts, ok := splitLiteral(text, '(', ')'); ok && len(parts) > 1 {
			name, _ := word(parts[0])
			list = append(list, table.Field{Name: name})
		}
	}
	return list
}

// pythonString returns a name as a string of Python. It replaces quotes, backslashes and control
// characters, which the header of an array should not have.
func pythonString(name string) string {
	return "'" + strings.Map(func(r rune) rune {
		if r < ' ' || r == '\'' || r == '\\' || r == '"' {
			return '_'
		}
		return r
	}, name) + "'"
}

// rowNumbers returns the numbers of --columns row:1,row:2,row:3, from 1. ok is false if no column
// begins with row:.
func rowNumbers(columns [3]string) (rows [3]int64, ok bool, err error) {
	for axis, c := range columns {
		number, is := strings.CutPrefix(c, "row:")
		if !is {
			continue
		}
		ok = true
		if rows[axis], err = strconv.ParseInt(number, 10, 32); err != nil || rows[axis] < 1 {
			return rows, true, fmt.Errorf("column %q: expected row: with a row number, counted from 1", c)
		}
	}
	if ok && (rows[0] == 0 || rows[1] == 0 || rows[2] == 0) {
		return rows, true, fmt.Errorf("columns %s: expected three rows of the array, or three columns", strings.Join(columns[:], ","))
	}
	return rows, ok, nil
}
