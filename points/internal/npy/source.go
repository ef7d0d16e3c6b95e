// Package npy reads and writes point clouds as NumPy arrays (.npy). It reads arrays of N×M numbers with
// M ≥ 3, in C or Fortran order and either byte order: float16, float32, float64, and integers. An integer
// coordinate must be at most 2⁵³. A grid of points, of shape (…, M) with M ≥ 3, is read as rows in C order.
// Source.Passthrough writes the same array, with a dimension of rows, and the answers as further columns of the
// same dtype. For integers and float16, it writes float64. Convert writes an array from another format, with x, y and
// z in the first three columns.
//
// A side is 1 (inside or on the surface), 0 (outside) or NaN (uncertain) in the array. A state is
// 1, 0.5 (on the surface), 0 or NaN. An array of three rows and N > 3 columns can hold N transposed
// points. If Options.Columns is empty, New adds a warning for N up to 32 (Source.Warnings), and
// fails for larger N.
package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"

	"github.com/inpoly/inpoly/internal/plural"
)

// A block has at most maxBlockRows rows. For long rows, maxBlockBytes bounds the memory of a block. An array of more
// than fewRows rows has blocks of half as many rows. Then all blocks in progress have half of the memory, and a million
// rows take a tenth less time. Few points gain from large blocks, because one sweep
// over the triangles answers all points of a block.
const ( // tuning
	maxBlockRows  = 1 << 16
	fewRows       = 1 << 18
	maxBlockBytes = 4 << 20
)

// maxAmbiguousColumns is the largest number of columns with which New reads three rows as three
// points. The value is a judgment call: clouds rarely have more fields, and transposed clouds
// rarely have fewer points.
const maxAmbiguousColumns = 32

// Options select the columns that hold x, y and z, and the rows to read. Options.Columns has column
// numbers from 1. If it is empty, the first three columns hold x, y and z. Byte ranges refer to the
// array in C order, even if the file is in Fortran order.
type Options = pointio.Options

// Source reads an array of N×M numbers, M ≥ 3. It implements table.Source.
type Source struct {
	inMemory   io.ReaderAt // the elements of an array in Fortran order, if the input is a stream
	name       string
	header     header
	axes       [3]int
	fields     []table.Field
	r          io.Reader   // reads the elements of an array in C order
	file       io.ReaderAt // nil for a stream
	dataOffset int64       // offset of the first element in the file
	firstRow   int64       // first row of the shard
	nextRow    int64       // first row of the next block
	endRow     int64       // row after the last row of the shard
	blockRows  int64       // rows of a block

	trailing int64 // bytes after the last row

	warnings []string
}

// Array is a NumPy array, or the arrays of an .npz file.
type Array interface {
	table.Source
	// Warnings returns a warning if the array can hold transposed points, and for each array of an .npz
	// file that is not part of the table.
	Warnings() []string
}

// New reads the header of an array from r, which begins at the first byte of the file. For a plain
// file, the caller also passes the file as an io.ReaderAt, and its size. For a stream and for
// compressed input, it passes nil and −1, and the array must be in C order. Error messages begin
// with the given name.
//
// Errors: table.ErrFormat if this package cannot read the input. The error also wraps
// table.ErrTransposed if Options.Columns is empty and the array has three rows and more than 32
// columns, because such an array can hold transposed points.
func New(name string, r io.Reader, file io.ReaderAt, size int64, opt Options) (Array, error) {
	if size < 0 {
		file = nil
	}
	h, start, err := readHeader(r)
	if err == nil && h.record != nil {
		var s *Records
		if s, err = newRecords(name, h, r, file, start, size, opt); err == nil {
			return s, nil
		}
	}
	s := &Source{name: name, r: r, file: file, axes: [3]int{0, 1, 2}, header: h, dataOffset: start}
	if err == nil {
		err = s.open(size, opt)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// open applies opt.
func (s *Source) open(size int64, opt Options) (err error) {
	h := &s.header
	rows, transposed, err := rowNumbers(opt.Columns)
	if err == nil {
		err = h.orient(transposed)
	}
	if err != nil {
		return err
	}
	if transposed {
		for axis, n := range rows {
			opt.Columns[axis] = strconv.FormatInt(n, 10)
		}
	}
	if err := s.chooseAxes(opt); err != nil {
		return err
	}
	if h.rows == 3 && h.columns != 3 && opt.Columns == [3]string{} && opt.Find == nil {
		if h.columns > maxAmbiguousColumns {
			return fmt.Errorf("%w: shape (3, %d): %w", table.ErrFormat, h.columns, table.ErrTransposed)
		}
		s.warnings = []string{plural.Sprintf("shape (3, %d) is taken for three points, not for %d points in columns", h.columns, h.columns)}
	}
	total := s.dataOffset + h.rows*h.rowBytes()
	if size >= 0 && size < total {
		return plural.Errorf("shape (%d, %d) of %s needs %d bytes with the header, but the file has %d", h.rows, h.columns, h.dtype, total, size)
	}
	if size >= 0 {
		s.trailing = size - total
	}
	if h.fortran && s.file == nil {
		data, err := records.Hold(s.r, "the array in Fortran order")
		if err != nil {
			return err
		}
		if int64(len(data)) < h.rows*h.rowBytes() {
			return fmt.Errorf("the array is cut off: %w", io.ErrUnexpectedEOF)
		}
		s.inMemory, s.r = bytes.NewReader(data), bytes.NewReader(data[h.rows*h.rowBytes():])
	}
	most := int64(maxBlockRows)
	if h.rows > fewRows {
		most /= 2
	}
	s.blockRows = max(1, min(most, maxBlockBytes/h.rowBytes()))
	if opt.Block > 0 {
		s.blockRows = max(1, int64(opt.Block)/h.rowBytes())
	}
	s.nameFields()
	all := pointio.Records{Start: s.dataOffset, Size: h.rowBytes(), Count: h.rows}
	if s.firstRow, s.endRow, err = all.Range(opt, s.file != nil); err != nil {
		return err
	}
	if s.nextRow = s.firstRow; s.firstRow == 0 && s.endRow == h.rows {
		return nil
	}
	return s.SeekTo(table.Position{Row: s.nextRow})
}

// chooseAxes sets s.axes from Options.Columns, which must contain column numbers, or from
// Options.Find.
func (s *Source) chooseAxes(opt Options) (err error) {
	columns := opt.Columns
	switch {
	case columns == [3]string{} && opt.Find == nil:
		return nil
	case columns == [3]string{}:
		if s.axes, err = opt.Find(make([]string, s.header.columns)); err != nil {
			err = fmt.Errorf("%w: %w", table.ErrColumns, err)
		}
		return err
	}
	for axis, name := range columns {
		n, err := strconv.ParseUint(name, 10, 31)
		if err != nil || n == 0 {
			return fmt.Errorf("column %q: expected a column number, counted from 1, because an array has no column names", name)
		}
		if int64(n) > s.header.columns {
			return plural.Errorf("no column %d: the array has %d columns", n, s.header.columns)
		}
		s.axes[axis] = int(n) - 1
	}
	return pointio.CheckAxes(s.axes, columns)
}

// nameFields sets the fields. Their names are x, y and z, or column_N for any other column N.
func (s *Source) nameFields() {
	t := s.header.element.Type
	s.fields = make([]table.Field, s.header.columns)
	for k := range s.fields {
		s.fields[k] = table.Field{Name: fmt.Sprintf("column_%d", k+1), Type: t}
	}
	for axis, k := range s.axes {
		s.fields[k].Name = "xyz"[axis : axis+1]
	}
}

// SeekTo makes Fill continue with row p.Row. In a stream, SeekTo reads all earlier rows.
func (s *Source) SeekTo(p table.Position) error {
	if p.Row < s.nextRow || p.Row > s.endRow {
		return fmt.Errorf("%s: no row %d: expected a row from %d to %d", s.name, p.Row, s.nextRow, s.endRow)
	}
	skip := (p.Row - s.nextRow) * s.header.rowBytes()
	s.nextRow = p.Row
	switch {
	case s.header.fortran:
	case s.file != nil:
		s.r = io.NewSectionReader(s.file, s.dataOffset+s.nextRow*s.header.rowBytes(), (s.endRow-s.nextRow)*s.header.rowBytes())
	default:
		if _, err := io.CopyN(io.Discard, s.r, skip); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("%s: before row %d: %w", s.name, p.Row, err)
		}
	}
	return nil
}

// Format returns "npy".
func (s *Source) Format() string { return "npy" }

// Fields returns a field for each column. The coordinates are named x, y and z. Any other column N
// is named column_N. All fields have the type of the array.
func (s *Source) Fields() []table.Field { return s.fields }

// Axes returns the indices of the columns that hold x, y and z.
func (s *Source) Axes() [3]int { return s.axes }

// Rows returns the number of rows of the array, or of the shard.
func (s *Source) Rows() int64 { return s.endRow - s.firstRow }

// Warnings returns a warning if the array can hold transposed points.
func (s *Source) Warnings() []string { return s.warnings }

// String describes the array in a few words.
func (s *Source) String() string {
	return fmt.Sprintf("npy, %s, x y z in columns %d %d %d", s.header.dtype, s.axes[0]+1, s.axes[1]+1, s.axes[2]+1)
}

// Fill reads the bytes of the next rows. In b.Raw, they are in the order of the file, C or Fortran.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	rows := min(s.blockRows, s.endRow-s.nextRow)
	if rows == 0 {
		return s.checkEnd()
	}
	want := int(rows * s.header.rowBytes())
	b.Raw = slices.Grow(b.Raw, want)[:want]
	b.First = s.nextRow
	var err error
	if s.header.fortran {
		err = s.readFortran(b.Raw, rows)
	} else {
		_, err = pointio.ReadFull(s.r, b.Raw)
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the array is cut off after row %d of %d: %w", s.name, s.nextRow, s.header.rows, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return fmt.Errorf("%s: row %d: %w", s.name, s.nextRow, err)
	}
	s.nextRow += rows
	b.Next = table.Position{Row: s.nextRow}
	b.Read = s.dataOffset + s.nextRow*s.header.rowBytes()
	return nil
}

// checkEnd reads the rest of the file. It returns io.EOF.
func (s *Source) checkEnd() error {
	if s.file == nil && s.endRow == s.header.rows {
		n, err := io.Copy(io.Discard, s.r)
		if s.trailing += n; err != nil {
			return fmt.Errorf("%s: after row %d: %w", s.name, s.header.rows, err)
		}
	}
	return io.EOF
}

// Trailing implements table.Trailer.
func (s *Source) Trailing() int64 { return s.trailing }

// readFortran reads the next rows of a file in Fortran order, column by column.
func (s *Source) readFortran(raw []byte, rows int64) error {
	item := int64(s.header.itemSize)
	for c := range s.header.columns {
		column := raw[c*rows*item : (c+1)*rows*item]
		at, start := s.file, s.dataOffset
		if s.inMemory != nil {
			at, start = s.inMemory, 0
		}
		k, err := at.ReadAt(column, start+(c*s.header.rows+s.nextRow)*item)
		if k < len(column) {
			return err
		}
	}
	return nil
}

// strides returns the distances in bytes between rows and between columns of a block.
func (s *Source) strides(b *table.Block) (row, column int) {
	item := s.header.itemSize
	if s.header.fortran {
		return item, len(b.Raw) / int(s.header.columns)
	}
	return item * int(s.header.columns), item
}

// Parse decodes the coordinates of b.
func (s *Source) Parse(b *table.Block) error {
	row, column := s.strides(b)
	rows := len(b.Raw) / int(s.header.rowBytes())
	b.Reserve(rows)
	b.Points = b.Points[:rows]
	if e := &s.header.element.cell; e.Type == table.Int64 || e.Type == table.Uint64 {
		for axis, c := range s.axes {
			at := b.Raw[c*column:]
			for k := range b.Points {
				if n := e.Integer(at[k*row:]); !records.IsExact(e.Type, n) {
					return fmt.Errorf("%s: row %d: %w", s.name, b.First+int64(k), records.InexactError(e.Type, "xyz"[axis:axis+1], n))
				}
			}
		}
	}
	if !s.header.fortran && s.header.dtype == "<f8" && s.axes == [3]int{0, 1, 2} {
		parseRows(b.Points, b.Raw, row)
	} else {
		x, y, z := b.Raw[s.axes[0]*column:], b.Raw[s.axes[1]*column:], b.Raw[s.axes[2]*column:]
		for k := range b.Points {
			p := &b.Points[k]
			p.X, p.Y, p.Z = s.header.float(x[k*row:]), s.header.float(y[k*row:]), s.header.float(z[k*row:])
		}
	}
	b.CountPoints()
	return nil
}

// parseRows decodes three little-endian float64 at the start of each row of raw. Rows are stride
// bytes apart.
func parseRows(pts []r3.Vector, raw []byte, stride int) {
	for k := range pts {
		p := (*[pointBytes]byte)(raw[k*stride:])
		pts[k] = r3.Vector{
			X: math.Float64frombits(le.Uint64(p[0:8])),
			Y: math.Float64frombits(le.Uint64(p[8:16])),
			Z: math.Float64frombits(le.Uint64(p[16:24])),
		}
	}
}

// Values decodes one column of b into v.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	v.Reset(s.fields[field].Type)
	row, column := s.strides(b)
	at := b.Raw[field*column:]
	if e := &s.header.element.cell; !e.Type.IsFloat() {
		for k := range b.Points {
			v.Ints = append(v.Ints, e.Integer(at[k*row:]))
		}
		return nil
	}
	for k := range b.Points {
		v.Floats = append(v.Floats, s.header.float(at[k*row:]))
	}
	return nil
}

// float decodes the element at the start of b.
func (h *header) float(b []byte) float64 {
	switch {
	case !h.isFloat():
		return h.element.cell.Number(b)
	case h.itemSize == 8 && h.bigEndian:
		return math.Float64frombits(be.Uint64(b))
	case h.itemSize == 8:
		return math.Float64frombits(le.Uint64(b))
	case h.bigEndian:
		return float64(math.Float32frombits(be.Uint32(b)))
	}
	return float64(math.Float32frombits(le.Uint32(b)))
}
