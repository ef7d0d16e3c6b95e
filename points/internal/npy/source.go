package npy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// A block has blockRows rows, so that handing it over costs nothing beside them, but
// no more than blockBytes, which bounds the memory where rows are wide. Both are choices.
const (
	blockRows  = 1 << 16
	blockBytes = 4 << 20
)

// mostFields is how many columns three points may have without a doubt that is an error: a
// cloud with its fields and answers has less, and so few points in columns are rare. A
// choice.
const mostFields = 32

// Options of a Source. The zero value is good.
type Options struct {
	// Columns has the numbers, from 1, of the columns of x, y and z; all empty means
	// the first three.
	Columns [3]string
	// Shard i of Shards, from 1, restricts a plain file to the i-th of Shards equal
	// parts of its rows; 0 of 0 means the whole.
	Shard, Shards int
	// Bytes restricts a plain file to the rows that begin in its bytes [Bytes[0],
	// Bytes[1]), as if it were in C order; two zeros mean the whole. It excludes shards.
	Bytes [2]int64
	// Block is the size of a block in bytes, 0 a good one.
	Block int
}

// Source reads an array of N×M floats, M ≥ 3. It is a table.Source.
type Source struct {
	file    string
	head    header
	axes    [3]int
	fields  []table.Field
	r       io.Reader   // C order: the elements
	at      io.ReaderAt // the file, nil for a stream
	data    int64       // place of the elements in the file
	first   int64       // first row wanted
	next    int64       // next row
	end     int64       // row after the last
	sized   bool        // the file's size was checked
	perFill int64       // rows a block

	warnings []string
}

// New reads the header of the array that r gives from its first byte on. file stands for
// it in messages. at and size belong to a plain file, whose size is checked; a stream, or
// what is decompressed, has nil and −1, and cannot be in Fortran order. An array of three
// rows and more columns fails with table.ErrTransposed unless the columns are given: these may
// be N points transposed.
func New(file string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*Source, error) {
	h, length, err := readHeader(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &Source{file: file, head: h, r: r, data: length, end: h.rows, sized: size >= 0, axes: [3]int{0, 1, 2}}
	if size >= 0 {
		s.at = at
	}
	if err := s.choose(opt.Columns); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if h.rows == 3 && h.columns != 3 && opt.Columns == [3]string{} {
		if h.columns > mostFields {
			return nil, fmt.Errorf("%s: %w: shape (3, %d): %w", file, table.ErrFormat, h.columns, table.ErrTransposed)
		}
		s.warnings = []string{fmt.Sprintf("shape (3, %d) is taken for three points, not for %d points in columns", h.columns, h.columns)}
	}
	total := length + h.rows*h.rowBytes()
	if size >= 0 && size != total {
		return nil, fmt.Errorf("%s: shape (%d, %d) of %s needs %d bytes with the header, but the file has %d",
			file, h.rows, h.columns, h.descr, total, size)
	}
	if h.fortran && s.at == nil {
		return nil, fmt.Errorf("%s: %w: an array in Fortran order must be a plain file, neither a stream nor compressed", file, table.ErrFormat)
	}
	if err := s.restrict(opt); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s.perFill = max(1, min(blockRows, blockBytes/h.rowBytes()))
	if opt.Block > 0 {
		s.perFill = max(1, int64(opt.Block)/h.rowBytes())
	}
	s.name()
	return s, nil
}

// choose applies the user's columns, which can only be numbers here.
func (s *Source) choose(columns [3]string) error {
	if columns == [3]string{} {
		return nil
	}
	for axis, name := range columns {
		n, err := strconv.ParseUint(name, 10, 31)
		if err != nil || n == 0 {
			return fmt.Errorf("no column is called %q: an array has column numbers only, from 1", name)
		}
		if int64(n) > s.head.columns {
			return fmt.Errorf("no column %d: the array has %d", n, s.head.columns)
		}
		s.axes[axis] = int(n) - 1
	}
	if s.axes[0] == s.axes[1] || s.axes[1] == s.axes[2] || s.axes[0] == s.axes[2] {
		return fmt.Errorf("columns %s, %s, %s: want three different ones", columns[0], columns[1], columns[2])
	}
	return nil
}

// name makes the fields: x, y, z, and the others by number.
func (s *Source) name() {
	t := table.Float64
	if s.head.item == 4 {
		t = table.Float32
	}
	s.fields = make([]table.Field, s.head.columns)
	for k := range s.fields {
		s.fields[k] = table.Field{Name: fmt.Sprintf("column_%d", k+1), Type: t}
	}
	for axis, k := range s.axes {
		s.fields[k].Name = "xyz"[axis : axis+1]
	}
}

// restrict applies shards and byte ranges.
func (s *Source) restrict(opt Options) error {
	if err := pointio.CheckRange(opt.Shard, opt.Shards, opt.Bytes); err != nil {
		return err
	}
	rows := pointio.Records{Start: s.data, Size: s.head.rowBytes(), Count: s.head.rows}
	switch ranged := opt.Bytes != [2]int64{}; {
	case !ranged && opt.Shards <= 1:
		return nil
	case s.at == nil:
		return errors.New("shards and ranges of bytes need a plain file of known size: neither a stream nor compressed")
	case ranged:
		s.next, s.end = rows.FirstFrom(opt.Bytes[0]), rows.FirstFrom(opt.Bytes[1])
	default:
		s.next, s.end = pointio.ShardRange(rows.Count, opt.Shard, opt.Shards)
	}
	s.first = s.next
	return s.SeekTo(table.Position{Row: s.next})
}

// SeekTo makes Fill go on with row p.Row. In a plain file it costs nothing, in a stream
// the rows before are read.
func (s *Source) SeekTo(p table.Position) error {
	if p.Row < s.next || p.Row > s.end {
		return fmt.Errorf("%s: no row %d to go on from", s.file, p.Row)
	}
	skip := (p.Row - s.next) * s.head.rowBytes()
	s.next = p.Row
	switch {
	case s.head.fortran:
	case s.at != nil:
		s.r = io.NewSectionReader(s.at, s.data+s.next*s.head.rowBytes(), (s.end-s.next)*s.head.rowBytes())
	default:
		if _, err := io.CopyN(io.Discard, s.r, skip); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("%s: before row %d: %w", s.file, p.Row, err)
		}
	}
	return nil
}

// Format returns "npy".
func (s *Source) Format() string { return "npy" }

// Fields are x, y and z where these are, and column_4 and so on, all of the type of the
// array.
func (s *Source) Fields() []table.Field { return s.fields }

// Axes are the columns of x, y and z.
func (s *Source) Axes() [3]int { return s.axes }

// Rows is the number of rows.
func (s *Source) Rows() int64 { return s.end - s.first }

// Warnings are doubts about the columns, one sentence each.
func (s *Source) Warnings() []string { return s.warnings }

// String describes the array in a few words.
func (s *Source) String() string {
	return fmt.Sprintf("npy, %s, x y z in columns %d %d %d", s.head.descr, s.axes[0]+1, s.axes[1]+1, s.axes[2]+1)
}

// Fill reads the bytes of the next rows: in C order row by row, in Fortran order
// column by column.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	rows := min(s.perFill, s.end-s.next)
	if rows == 0 {
		return s.trailing()
	}
	want := int(rows * s.head.rowBytes())
	if cap(b.Raw) < want {
		b.Raw = make([]byte, want)
	}
	b.Raw = b.Raw[:want]
	b.First = s.next
	var err error
	if s.head.fortran {
		err = s.readColumns(b.Raw, rows)
	} else {
		_, err = pointio.ReadFull(s.r, b.Raw)
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: cut off after row %d of %d: %w", s.file, s.next, s.head.rows, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return fmt.Errorf("%s: row %d: %w", s.file, s.next, err)
	}
	s.next += rows
	b.Next = table.Position{Row: s.next}
	b.Read = s.data + s.next*s.head.rowBytes()
	return nil
}

// trailing returns io.EOF at the clean end of the elements.
func (s *Source) trailing() error {
	if s.sized {
		return io.EOF
	}
	var one [1]byte
	k, err := pointio.ReadFull(s.r, one[:])
	switch {
	case k > 0:
		return fmt.Errorf("%s: bytes after the last of %d rows", s.file, s.head.rows)
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return fmt.Errorf("%s: after row %d: %w", s.file, s.head.rows, err)
}

// readColumns reads the rows from s.next on, one column after the other.
func (s *Source) readColumns(raw []byte, rows int64) error {
	item := int64(s.head.item)
	for c := range s.head.columns {
		part := raw[c*rows*item : (c+1)*rows*item]
		k, err := s.at.ReadAt(part, s.data+(c*s.head.rows+s.next)*item)
		if k < len(part) {
			return err
		}
	}
	return nil
}

// strides returns the distances in bytes from row to row and from column to
// column of a block.
func (s *Source) strides(b *table.Block) (row, column int) {
	item := s.head.item
	if s.head.fortran {
		return item, len(b.Raw) / int(s.head.columns)
	}
	return item * int(s.head.columns), item
}

// Parse reads the coordinates.
func (s *Source) Parse(b *table.Block) error {
	row, column := s.strides(b)
	rows := len(b.Raw) / int(s.head.rowBytes())
	b.Reserve(rows)
	b.Points = b.Points[:rows]
	if !s.head.fortran && s.head.descr == "<f8" && s.axes == [3]int{0, 1, 2} {
		parseRows(b.Points, b.Raw, row)
	} else {
		x, y, z := b.Raw[s.axes[0]*column:], b.Raw[s.axes[1]*column:], b.Raw[s.axes[2]*column:]
		for k := range b.Points {
			p := &b.Points[k]
			p.X, p.Y, p.Z = s.head.float(x[k*row:]), s.head.float(y[k*row:]), s.head.float(z[k*row:])
		}
	}
	b.CountPoints()
	return nil
}

// Values reads a column.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	v.Reset(s.fields[field].Type)
	row, column := s.strides(b)
	at := b.Raw[field*column:]
	for k := range b.Points {
		v.Floats = append(v.Floats, s.head.float(at[k*row:]))
	}
	return nil
}

// float reads the element at the front of b.
func (h *header) float(b []byte) float64 {
	switch {
	case h.item == 8 && h.big:
		return math.Float64frombits(be.Uint64(b))
	case h.item == 8:
		return math.Float64frombits(le.Uint64(b))
	case h.big:
		return float64(math.Float32frombits(be.Uint32(b)))
	}
	return float64(math.Float32frombits(le.Uint32(b)))
}
