package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

// maxStrips bounds the number of decompressors: an array that is read column by column needs one
// for each column.
const maxStrips = 256

// member of an .npz file.
type archived struct {
	header
	name       string
	file       *zip.File
	start      int64 // length of the header
	transposed bool
	bad        error // why the array cannot be read
}

// archive is an .npz file.
type archive struct {
	at     io.ReaderAt // the file, or its bytes
	arrays []archived
	notes  []string
	tails  []io.Reader // readers whose end is the end of a member
}

// NewArchive reads the arrays of an .npz file. Each array of one dimension is a column, and each array
// of two dimensions has a column for each of its columns. An array with fields has a column for each
// field. If the number of rows of an array differs from the coordinates, NewArchive leaves the array
// out and adds a warning.
//
// Options.Columns has names of columns, NAME:K for column K of an array, or NAME:row:K for row K of
// an array whose columns are the points. K is counted from 1. If Options.Columns is empty, the file
// must have arrays with the names of coordinates, or exactly one array of N×M numbers, M ≥ 3, or with
// fields.
//
// For a stream, the whole file is kept in memory, up to records.HoldLimit bytes.
//
// Errors: table.ErrFormat if the file has no array of points, and table.ErrColumns if it is unclear
// which arrays are the coordinates.
func NewArchive(name string, r io.Reader, at io.ReaderAt, size int64, opt Options) (Array, error) {
	s, err := openArchive(name, r, at, size, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func openArchive(name string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*Records, error) {
	seekable := size >= 0
	if !seekable {
		data, err := records.Hold(r, "the .npz file")
		if err != nil {
			return nil, err
		}
		at, size = bytes.NewReader(data), int64(len(data))
	}
	a := &archive{at: at}
	if err := a.list(size); err != nil {
		return nil, err
	}
	chosen, err := a.choose(&opt)
	if err != nil {
		return nil, err
	}
	return a.table(name, chosen, opt, seekable)
}

// list reads the headers of all arrays.
func (a *archive) list(size int64) error {
	z, err := zip.NewReader(a.at, size)
	if err != nil {
		return fmt.Errorf("the zip archive is damaged: %w", err)
	}
	seen := map[string]bool{}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			a.notes = append(a.notes, fmt.Sprintf("%s is not an array, and is left out", quote.Word(f.Name)))
			continue
		}
		if seen[name] {
			return fmt.Errorf("the archive has two arrays %s", quote.Word(name))
		}
		seen[name] = true
		m := archived{name: name, file: f}
		if m.bad = m.open(); m.bad != nil && !errors.Is(m.bad, table.ErrFormat) {
			return fmt.Errorf("array %s: %w", quote.Word(name), m.bad)
		}
		a.arrays = append(a.arrays, m)
	}
	if len(a.arrays) == 0 {
		return notArrays(z.File)
	}
	return nil
}

// notArrays returns the error for a zip archive that is not an .npz file. It recognizes the format by
// the names of the members.
func notArrays(files []*zip.File) error {
	for _, f := range files {
		switch {
		case strings.HasPrefix(f.Name, "xl/"):
			return &table.FormatError{Name: "an Excel workbook (.xlsx)", Hint: "save the sheet as CSV, or run: libreoffice --headless --convert-to csv points.xlsx"}
		case f.Name == "content.xml":
			return &table.FormatError{Name: "an OpenDocument file (.ods)", Hint: "save the sheet as CSV, or run: libreoffice --headless --convert-to csv points.ods"}
		case strings.HasPrefix(f.Name, "3D/"):
			return &table.FormatError{Name: "a 3MF mesh", Hint: "the order is: inpoly mesh points"}
		case strings.HasSuffix(f.Name, ".kml"):
			return &table.FormatError{Name: "a KMZ file", Hint: "convert it to CSV: ogr2ogr -f CSV -lco GEOMETRY=AS_XYZ points.csv points.kmz"}
		}
	}
	return &table.FormatError{Name: "a zip archive without NumPy arrays", Hint: "unpack the file of the points, or compress it with gzip or zstd"}
}

// open reads the header of a member.
func (m *archived) open() error {
	if m.file.Flags&1 != 0 {
		return errors.New("the member is encrypted")
	}
	r, err := m.file.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	m.header, m.start, err = readAnyHeader(r)
	switch n := len(m.shape); {
	case err != nil:
		return err
	case m.record != nil && n != 1, n < 1 || n > 2:
		return fmt.Errorf("%w: shape %v", table.ErrFormat, m.shape)
	}
	return m.setShape(false)
}

// setShape sets the numbers of rows and columns, and checks the size of the member.
func (m *archived) setShape(transposed bool) error {
	m.rows, m.columns = m.shape[0], 1
	if len(m.shape) == 2 {
		if m.columns = m.shape[1]; transposed {
			m.rows, m.columns, m.fortran, m.transposed = m.columns, m.rows, !m.fortran, true
		}
	} else {
		m.fortran = false
	}
	if err := m.checkSize(); err != nil {
		return err
	}
	if got, want := m.file.UncompressedSize64, m.start+m.rows*m.rowBytes(); got > math.MaxInt64 || int64(got) != want {
		return plural.Errorf("shape %v needs %d bytes with the header, but the member has %d", m.shape, want, int64(got))
	}
	return nil
}

// plain returns the type of the elements of an array without fields.
func (m *archived) plain() (member, error) { return parseType(m.dtype) }

// isCloud reports whether the array can be a table of points: its columns or fields have three numbers.
func (m *archived) isCloud() bool {
	if m.bad != nil {
		return false
	}
	if m.record != nil {
		return axes.Find(names(m.record.fields())).N == 3
	}
	e, err := m.plain()
	return err == nil && axes.IsNumber(e.Field) && len(m.shape) == 2 && m.columns >= 3 && (m.rows != 3 || m.columns <= maxAmbiguousColumns)
}

func names(fields []table.Field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Name
	}
	return list
}

// describe lists the arrays with their shapes.
func (a *archive) describe() string {
	var list []string
	for i := range a.arrays {
		m := &a.arrays[i]
		if len(list) == 12 {
			list = append(list, "…")
			break
		}
		list = append(list, fmt.Sprintf("%s %v", quote.Word(m.name), m.shape))
	}
	return strings.Join(list, ", ")
}

// choose returns the index of an array that holds coordinates. In opt.Columns, it replaces names
// such as NAME:row:K by the names of the columns.
func (a *archive) choose(opt *Options) (int, error) {
	if opt.Columns != [3]string{} {
		return a.named(opt)
	}
	var clouds []int
	var lines []string
	first := -1
	for i := range a.arrays {
		m := &a.arrays[i]
		if m.isCloud() {
			clouds = append(clouds, i)
		}
		if m.bad == nil && m.record == nil && len(m.shape) == 1 {
			lines = append(lines, m.name)
		}
	}
	m := axes.Find(lines)
	if m.N == 3 && !m.Ambiguous {
		first = slices.IndexFunc(a.arrays, func(x archived) bool { return x.name == lines[m.At[0]] })
	}
	const hint = `--columns x,y,z names arrays, and --columns points:1,points:2,points:3 the columns of the array "points"`
	switch {
	case first >= 0 && len(clouds) == 0:
		return first, nil
	case first < 0 && len(clouds) == 1:
		return clouds[0], nil
	case opt.Find != nil && len(lines) > 0:
		return slices.IndexFunc(a.arrays, func(x archived) bool { return x.name == lines[0] }), nil
	case first < 0 && len(clouds) == 0:
		return 0, fmt.Errorf("%w: no array has the shape N×3, and no three arrays have the names of coordinates: %s: %s", table.ErrColumns, a.describe(), hint)
	}
	return 0, fmt.Errorf("%w: several arrays can be the points: %s: %s", table.ErrColumns, a.describe(), hint)
}

// named returns the array of the first of opt.Columns.
func (a *archive) named(opt *Options) (first int, err error) {
	first = -1
	asRows := map[int]bool{}
	for axis, c := range opt.Columns {
		name, number, _ := strings.Cut(c, ":")
		row := strings.HasPrefix(number, "row:")
		i := slices.IndexFunc(a.arrays, func(x archived) bool { return x.name == name || strings.HasPrefix(name, x.name+".") })
		if i < 0 { // a field of the only array with fields, a name in other letter case, or a number
			if i = a.guess(name); i < 0 {
				return 0, fmt.Errorf("%w: no array %s: the arrays are %s", table.ErrColumns, quote.Word(name), a.describe())
			}
		}
		m := &a.arrays[i]
		if m.bad != nil {
			return 0, fmt.Errorf("array %s: %w", quote.Word(m.name), m.bad)
		}
		if number != "" {
			n, err := strconv.ParseUint(strings.TrimPrefix(number, "row:"), 10, 31)
			if err != nil || n == 0 {
				return 0, fmt.Errorf("column %q: expected a number, counted from 1, after the colon", c)
			}
			before, used := asRows[i]
			asRows[i] = row
			if used && before != row {
				return 0, fmt.Errorf("%w: array %s is named as rows and as columns", table.ErrColumns, quote.Word(m.name))
			}
			if row && !m.transposed && len(m.shape) == 2 {
				if err := m.setShape(true); err != nil {
					return 0, fmt.Errorf("array %s: %w", quote.Word(m.name), err)
				}
			}
			if len(m.shape) != 2 || int64(n) > m.columns {
				return 0, fmt.Errorf("%w: array %s of shape %v has no %s %d", table.ErrColumns, quote.Word(m.name), m.shape, map[bool]string{false: "column", true: "row"}[row], n)
			}
			opt.Columns[axis] = columnName(m.name, int(n))
		}
		if first < 0 {
			first = i
		}
	}
	return first, nil
}

// guess returns the index of the array that has the named column, for a name that is not exactly
// the name of an array. It returns −1 if there is none.
func (a *archive) guess(name string) int {
	if i := slices.IndexFunc(a.arrays, func(x archived) bool { return strings.EqualFold(x.name, name) }); i >= 0 {
		return i
	}
	return slices.IndexFunc(a.arrays, func(x archived) bool {
		return x.bad == nil && x.record != nil && pointio.IndexName(names(x.record.fields()), name) >= 0
	})
}

// columnName returns the name of column n, from 1, of an array of two dimensions.
func columnName(array string, n int) string { return fmt.Sprintf("%s:%d", array, n) }

// table returns the table of all arrays that have as many rows as the given array.
func (a *archive) table(name string, chosen int, opt Options, seekable bool) (*Records, error) {
	c := &a.arrays[chosen]
	l := records.Layout{Name: name, Total: c.rows, Scattered: "the arrays follow each other", AtEnd: a.atEnd}
	var parts []*archived
	for i := range a.arrays {
		m := &a.arrays[i]
		switch {
		case m.bad != nil:
			a.notes = append(a.notes, fmt.Sprintf("array %s is left out: %v", quote.Word(m.name), m.bad))
		case m.rows != c.rows:
			a.notes = append(a.notes, fmt.Sprintf("array %s is left out: its shape is %v, and there are %d points", quote.Word(m.name), m.shape, c.rows))
		case m.columns > maxStrips && (m.fortran || i != chosen) || m.rowBytes() == 0:
			a.notes = append(a.notes, plural.Sprintf("array %s is left out: it has %d columns", quote.Word(m.name), m.columns))
		default:
			parts = append(parts, m)
		}
	}
	var types []string
	for _, m := range parts {
		types = append(types, a.add(&l, m, len(parts) == 1)...)
	}
	usable := func(k int) bool { return axes.IsNumber(l.Fields[k]) }
	var err error
	if opt.Columns == [3]string{} && c.record == nil && len(c.shape) == 2 && opt.Find == nil {
		for axis := range opt.Columns {
			opt.Columns[axis] = columnName(c.name, axis+1)
		}
	}
	if l.Axes, err = axes.Choose(l.Fields, opt.Columns, opt.Find, usable); err != nil {
		if len(a.notes) > 0 {
			err = fmt.Errorf("%w: %s", err, strings.Join(a.notes, "; "))
		}
		return nil, err
	}
	types = rename(&l, types)
	rows, err := records.New(l, opt, seekable)
	if err != nil {
		return nil, err
	}
	return &Records{Source: rows, descr: "[" + strings.Join(types, ", ") + "]", about: plural.Sprintf("npz with %d arrays", len(parts)), warnings: a.notes}, nil
}

// add adds the columns of an array to l. It returns the fields of the type of the output.
func (a *archive) add(l *records.Layout, m *archived, alone bool) (types []string) {
	strip := len(l.Strips)
	if m.record != nil {
		l.Strips = append(l.Strips, a.strip(m, 0, m.start, m.rowBytes()))
		l.Cells = append(l.Cells, m.record.cells(strip)...)
		for _, f := range m.record.fields() {
			if !alone {
				f.Name = m.name + "." + f.Name
			}
			l.Fields = append(l.Fields, f)
		}
		if alone {
			list, _ := splitLiteral(m.record.descr, '[', ']')
			return list
		}
		return []string{fmt.Sprintf("(%s, %s)", pythonString(m.name), m.record.descr)}
	}
	e, _ := m.plain() // open has parsed the type
	for c := range int(m.columns) {
		cell := e.cell
		if e.Name = m.name; len(m.shape) == 2 {
			e.Name = columnName(m.name, c+1)
		}
		switch {
		case m.fortran:
			cell.Strip = len(l.Strips)
			l.Strips = append(l.Strips, a.strip(m, c, m.start+int64(c)*m.rows*int64(e.size), int64(e.size)))
		case c == 0:
			l.Strips = append(l.Strips, a.strip(m, 0, m.start, m.rowBytes()))
			fallthrough
		default:
			cell.Strip, cell.Offset = strip, c*e.size
		}
		l.Fields, l.Cells = append(l.Fields, e.Field), append(l.Cells, cell)
		types = append(types, fmt.Sprintf("(%s, '%s')", pythonString(e.Name), m.dtype))
	}
	return types
}

// rename renames the columns of two-dimensional arrays, so that the names have no colons: x, y and
// z for the coordinates, and NAME_K for the others. The types of the output have the same names.
func rename(l *records.Layout, types []string) []string {
	plain := len(types) == len(l.Fields)
	taken := map[string]bool{}
	for _, f := range l.Fields {
		taken[f.Name] = true
	}
	for i := range l.Fields {
		old := l.Fields[i].Name
		array, n, ok := strings.Cut(old, ":")
		if !ok {
			continue
		}
		name := array + "_" + n
		if axis := slices.Index(l.Axes[:], i); axis >= 0 && !taken["xyz"[axis:axis+1]] {
			name = "xyz"[axis : axis+1]
		}
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		l.Fields[i].Name = name
		for k := range types {
			if front := "(" + pythonString(old) + ", "; strings.HasPrefix(types[k], front) && (plain || len(types) > 0) {
				types[k] = "(" + pythonString(name) + ", " + types[k][len(front):]
				break
			}
		}
	}
	return types
}

// strip returns a part of a member that has size bytes for each row, beginning at the given byte of
// the member.
func (a *archive) strip(m *archived, column int, start, size int64) records.Strip {
	return records.Strip{Size: size, Open: func(row int64) (io.Reader, error) {
		from := start + row*size
		if m.file.Method == zip.Store && from > m.start {
			at, err := m.file.DataOffset()
			return io.NewSectionReader(a.at, at+from, (m.rows-row)*size), err
		}
		r, err := m.file.Open()
		if err != nil {
			return nil, err
		}
		if _, err := io.CopyN(io.Discard, r, from); err != nil {
			return nil, err
		}
		if !m.fortran || column == int(m.columns)-1 {
			a.tails = append(a.tails, r)
		}
		return r, nil
	}}
}

// atEnd checks the checksums of the members that were read to the end. It returns the number of bytes after
// their arrays.
func (a *archive) atEnd() (trailing int64, err error) {
	for _, r := range a.tails {
		n, err := io.Copy(io.Discard, r)
		if err != nil {
			return 0, fmt.Errorf("the zip archive is damaged: %w", err)
		}
		trailing += n
	}
	return trailing, nil
}
