// Package records reads and writes tables whose rows have a fixed number of bytes. The bytes of a row
// can be contiguous, or each column can have its own place in the file. PCD files, NumPy arrays with
// fields and .npz files are such tables. PLY and PCD files share the sinks of this package.
package records

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// A block has about blockBytes bytes and at most maxBlockRows rows. MaxRow bounds the memory of a row.
const (
	blockBytes   = 1 << 20 // tuning
	maxBlockRows = 1 << 16 // tuning
	MaxRow       = 1 << 20
)

// HoldLimit is the limit of the bytes that Hold reads. It bounds the memory for input that is not a
// file.
const HoldLimit = 256 << 20 // tuning

// Hold reads the rest of r for a format that does not read its input from front to back. It fails
// for more than HoldLimit bytes. what names the input in the error, such as "the array".
func Hold(r io.Reader, what string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, HoldLimit+1))
	if err == nil && len(data) > HoldLimit {
		err = plural.Errorf("%s has more than %d bytes, and is not read in the order of its bytes: use a plain file, neither a stream nor compressed", what, HoldLimit)
	}
	return data, err
}

// Strip is a part of a file that has the same number of bytes for each row.
type Strip struct {
	Size int64 // bytes of a row
	// Open returns a reader of the strip that begins at the given row. It is called once.
	Open func(row int64) (io.Reader, error)
}

// Cell describes the place and the type of the values of a field.
type Cell struct {
	Strip     int // index of the strip
	Offset    int // index of the first byte in the row of the strip
	Type      table.Type
	BigEndian bool
	// Half means that each value of type table.Float32 is stored as a float16 of IEEE 754.
	Half bool
	// Text returns the text of a cell of type table.Text. The argument has the bytes from Offset to
	// the end of the row of the strip.
	Text func(cell []byte) []byte
}

// Layout describes the rows of a file. Fields and Cells have the same length.
type Layout struct {
	Name   string // name of the file in error messages
	Strips []Strip
	Fields []table.Field
	Cells  []Cell
	Axes   [3]int
	Total  int64 // number of rows of the file
	// Start is the offset of the first row in the file, if the rows are contiguous. If they are
	// not, Scattered says why a range of bytes cannot select rows.
	Start     int64
	Scattered string
	// AtEnd is called after the last row of the file. It returns the number of bytes that follow.
	AtEnd func() (int64, error)
}

// Source reads the rows of a Layout. It has all methods of table.Source except Format and
// Passthrough.
type Source struct {
	Layout
	readers          []io.Reader
	row              int64 // bytes of a row
	first, next, end int64
	blockRows        int64
	trailing         int64
}

// New returns a Source of the rows that opt selects. A seekable layout can be read from any row.
func New(l Layout, opt pointio.Options, seekable bool) (*Source, error) {
	s := &Source{Layout: l}
	for _, strip := range l.Strips {
		s.row += strip.Size
	}
	if s.row <= 0 || s.row > MaxRow {
		return nil, plural.Errorf("a row has %d bytes: expected at least 1 byte and at most %d", s.row, MaxRow)
	}
	if l.Total < 0 || l.Total > math.MaxInt64/2/s.row {
		return nil, plural.Errorf("%d rows of %d bytes are larger than any file", l.Total, s.row)
	}
	if l.Scattered != "" && opt.Bytes != [2]int64{} {
		return nil, fmt.Errorf("a range of bytes does not select rows: %s: use shards", l.Scattered)
	}
	s.blockRows = max(1, min(maxBlockRows, blockBytes/s.row))
	if opt.Block > 0 {
		s.blockRows = min(maxBlockRows, max(1, int64(opt.Block)/s.row))
	}
	var err error
	s.first, s.end, err = pointio.Records{Start: l.Start, Size: s.row, Count: l.Total}.Range(opt, seekable)
	s.next = s.first
	return s, err
}

// Fields returns the columns.
func (s *Source) Fields() []table.Field { return s.Layout.Fields }

// Axes returns the indices of the fields of x, y and z.
func (s *Source) Axes() [3]int { return s.Layout.Axes }

// Rows returns the number of rows of the file, or of the shard.
func (s *Source) Rows() int64 { return s.end - s.first }

// Trailing implements table.Trailer.
func (s *Source) Trailing() int64 { return s.trailing }

// RowBytes returns the number of bytes of a row in all strips together.
func (s *Source) RowBytes() int { return int(s.row) }

// SeekTo makes Fill continue with row p.Row.
func (s *Source) SeekTo(p table.Position) error {
	if p.Row < s.next || p.Row > s.end {
		return fmt.Errorf("%s: no row %d: expected a row from %d to %d", s.Name, p.Row, s.next, s.end)
	}
	s.next = p.Row
	return nil
}

// Fill reads the next rows. b.Raw has the rows of the first strip, then the rows of the next strip,
// and so on.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	rows := min(s.blockRows, s.end-s.next)
	if err := s.open(); err != nil {
		return s.readError(err)
	}
	if rows == 0 {
		if s.end == s.Total && s.AtEnd != nil {
			var err error
			if s.trailing, err = s.AtEnd(); err != nil {
				return fmt.Errorf("%s: after row %d: %w", s.Name, s.Total, err)
			}
			s.AtEnd = nil
		}
		return io.EOF
	}
	want := int(rows * s.row)
	b.Raw = slices.Grow(b.Raw, want)[:want]
	b.First = s.next
	at := 0
	for i := range s.Strips {
		n := int(rows * s.Strips[i].Size)
		if _, err := pointio.ReadFull(s.readers[i], b.Raw[at:at+n]); err != nil {
			return s.readError(err)
		}
		at += n
	}
	s.next += rows
	b.Next = table.Position{Row: s.next}
	if s.Scattered == "" {
		b.Read = s.Start + s.next*s.row
	}
	return nil
}

// open opens the readers of the strips at row s.next.
func (s *Source) open() error {
	if s.readers != nil {
		return nil
	}
	for i := range s.Strips {
		r, err := s.Strips[i].Open(s.next)
		if err != nil {
			return err
		}
		s.readers = append(s.readers, r)
	}
	return nil
}

// readError adds the place to an error of a strip.
func (s *Source) readError(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is cut off after row %d of %d: %w", s.Name, s.next, s.Total, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s: row %d: %w", s.Name, s.next, err)
}

// column returns the bytes of a block from the first value of a cell, the distance in bytes between
// the values of two rows, and the number of rows.
func (s *Source) column(b *table.Block, c *Cell) (raw []byte, stride, rows int) {
	rows = len(b.Raw) / int(s.row)
	if rows == 0 {
		return nil, 0, 0
	}
	before := int64(0)
	for i := range c.Strip {
		before += s.Strips[i].Size
	}
	return b.Raw[int(before)*rows+c.Offset:], int(s.Strips[c.Strip].Size), rows
}

// Parse decodes the coordinates of b.
func (s *Source) Parse(b *table.Block) error {
	cells := &[3]*Cell{}
	for axis, k := range s.Layout.Axes {
		cells[axis] = &s.Cells[k]
	}
	x, dx, rows := s.column(b, cells[0])
	y, dy, _ := s.column(b, cells[1])
	z, dz, _ := s.column(b, cells[2])
	b.Reserve(rows)
	b.Points = b.Points[:rows]
	same := func(t table.Type) bool {
		for _, c := range cells {
			if c.Type != t || c.BigEndian || c.Half {
				return false
			}
		}
		return true
	}
	switch {
	case same(table.Float32):
		for k := range b.Points {
			b.Points[k] = r3.Vector{X: float32At(x[k*dx:]), Y: float32At(y[k*dy:]), Z: float32At(z[k*dz:])}
		}
	case same(table.Float64):
		for k := range b.Points {
			b.Points[k] = r3.Vector{X: float64At(x[k*dx:]), Y: float64At(y[k*dy:]), Z: float64At(z[k*dz:])}
		}
	default:
		for k := range b.Points {
			b.Points[k] = r3.Vector{X: cells[0].Number(x[k*dx:]), Y: cells[1].Number(y[k*dy:]), Z: cells[2].Number(z[k*dz:])}
		}
		for axis, raw := range [3][]byte{x, y, z} {
			if err := s.checkExact(b, cells[axis], "xyz"[axis:axis+1], raw); err != nil {
				return err
			}
		}
	}
	b.CountPoints()
	return nil
}

// checkExact fails if a coordinate is an integer that float64 would round.
func (s *Source) checkExact(b *table.Block, c *Cell, axis string, raw []byte) error {
	if c.Type != table.Int64 && c.Type != table.Uint64 {
		return nil
	}
	stride := int(s.Strips[c.Strip].Size)
	for k := range b.Points {
		if n := c.Integer(raw[k*stride:]); !IsExact(c.Type, n) {
			return fmt.Errorf("%s: row %d: %w", s.Name, b.First+int64(k), InexactError(c.Type, axis, n))
		}
	}
	return nil
}

// IsExact reports whether a coordinate, as Integer returns it, is at most 2⁵³. A float64 can hold all these integers.
func IsExact(t table.Type, n int64) bool {
	const most = 1 << 53
	return n <= most && n >= -most && (t != table.Uint64 || n >= 0)
}

// InexactError returns the error for a coordinate that is not exact.
func InexactError(t table.Type, axis string, n int64) error {
	text := fmt.Sprint(n)
	if t == table.Uint64 {
		text = fmt.Sprint(uint64(n))
	}
	return fmt.Errorf("%s is %s: coordinates that are integers must be at most 2^53", axis, text)
}

// Values decodes a field of the rows of b into v.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	f, c := &s.Layout.Fields[field], &s.Cells[field]
	v.Reset(f.Type)
	if f.Opaque != "" {
		return pointio.CannotHoldf("%s: column %s is %s", s.Name, f.Name, f.Opaque)
	}
	raw, stride, rows := s.column(b, c)
	switch {
	case c.Type == table.Text:
		for k := range rows {
			v.Texts = append(v.Texts, c.Text(raw[k*stride:k*stride+stride-c.Offset]))
		}
	case c.Type.IsFloat():
		v.Floats = slices.Grow(v.Floats, rows)[:rows]
		for k := range v.Floats {
			v.Floats[k] = c.Number(raw[k*stride:])
		}
	default:
		v.Ints = slices.Grow(v.Ints, rows)[:rows]
		for k := range v.Ints {
			v.Ints[k] = c.Integer(raw[k*stride:])
		}
	}
	return nil
}

// Number decodes the number at the front of b.
func (c *Cell) Number(b []byte) float64 {
	if c.Half {
		if c.BigEndian {
			return Half(binary.BigEndian.Uint16(b))
		}
		return Half(binary.LittleEndian.Uint16(b))
	}
	var room [8]byte
	return Number(c.Type, c.little(b, &room))
}

// Half returns the value of a float16 of IEEE 754: a sign, five bits of the exponent and ten of the fraction.
func Half(b uint16) float64 {
	sign, exponent, fraction := 1-2*float64(b>>15), int(b>>10&0x1f), float64(b&0x3ff)
	switch {
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	case exponent < 0x1f:
		return sign * math.Ldexp(1024+fraction, exponent-25)
	case fraction == 0:
		return math.Inf(int(sign))
	}
	return math.NaN()
}

// Integer decodes the integer or the truth value at the front of b.
func (c *Cell) Integer(b []byte) int64 {
	var room [8]byte
	return Integer(c.Type, c.little(b, &room))
}

// little returns the little-endian bytes of the number at the front of b. It uses room for a big-endian
// number.
func (c *Cell) little(b []byte, room *[8]byte) []byte {
	if !c.BigEndian {
		return b
	}
	switch c.Type.Size() {
	case 1:
		return b
	case 2:
		binary.LittleEndian.PutUint16(room[:], binary.BigEndian.Uint16(b))
	case 4:
		binary.LittleEndian.PutUint32(room[:], binary.BigEndian.Uint32(b))
	default:
		binary.LittleEndian.PutUint64(room[:], binary.BigEndian.Uint64(b))
	}
	return room[:]
}

// Number decodes the little-endian number at the front of b. It rounds integers of 64 bits.
func Number(t table.Type, b []byte) float64 {
	switch t {
	case table.Float32:
		return float32At(b)
	case table.Float64:
		return float64At(b)
	case table.Uint64:
		return float64(binary.LittleEndian.Uint64(b))
	}
	return float64(Integer(t, b))
}

// Integer decodes the little-endian integer or the truth value at the front of b. A uint64 becomes the
// int64 with the same bits.
func Integer(t table.Type, b []byte) int64 {
	switch t {
	case table.Bool:
		if b[0] != 0 {
			return 1
		}
		return 0
	case table.Int8:
		return int64(int8(b[0]))
	case table.Uint8:
		return int64(b[0])
	case table.Int16:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case table.Uint16:
		return int64(binary.LittleEndian.Uint16(b))
	case table.Int32:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case table.Uint32:
		return int64(binary.LittleEndian.Uint32(b))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// float32At and float64At decode little-endian numbers. The compiler can inline them into loops.
func float32At(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

func float64At(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// Contiguous returns the strip of rows that follow each other in a file, or in a stream if at is nil.
// The stream is at the first row.
func Contiguous(r io.Reader, at io.ReaderAt, start, size, total int64) Strip {
	return Strip{Size: size, Open: func(row int64) (io.Reader, error) {
		if at != nil {
			return io.NewSectionReader(at, start+row*size, (total-row)*size), nil
		}
		_, err := io.CopyN(io.Discard, r, row*size)
		return r, err
	}}
}

// Rest returns a function for Layout.AtEnd that reads r to its end.
func Rest(r io.Reader) func() (int64, error) {
	return func() (int64, error) { return io.Copy(io.Discard, r) }
}
