package las

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// Options say how a file is read. The zero value reads all of it.
type Options struct {
	// Columns are the fields of x, y and z, by name or by number from 1; the zero value
	// is x, y and z.
	Columns [3]string
	// Shard i of Shards, from 1, restricts a plain file to the i-th of Shards equal parts
	// of its points; 0 of 0 means the whole.
	Shard, Shards int
	// Bytes restricts a plain file to the points that begin in its bytes [Bytes[0],
	// Bytes[1]); two zeros mean the whole. It excludes shards.
	Bytes [2]int64
	// Block is the usual size of a block in bytes; 0 means 1 MB.
	Block int
}

// blockBytes is some ten thousand points, so that handing over a block costs nothing
// beside them; mostBlock bounds the memory. leastBuffer is for what follows the points.
// All are choices.
const (
	blockBytes  = 1 << 20
	mostBlock   = 1 << 28
	leastBuffer = 1 << 12
)

// Source reads a LAS file. It implements table.Source.
type Source struct {
	file   string
	head   *head
	dims   []dim
	rest   int // bytes of a point that no record describes
	fields []table.Field
	axes   [3]int
	block  int64

	br               *bufio.Reader
	pos              int64       // place of br
	at               io.ReaderAt // nil for a stream
	size             int64
	first, next, end int64 // points: first of the shard, next one, after the last
	same             bool  // a sink passes on what follows the points
	longer           bool  // that sink has extra bytes to describe
}

// New reads the header of a LAS file. r gives the file from its first byte; at is the
// same file, or nil for a stream and for compressed input, and size its bytes, or −1.
// file is its name, for messages.
func New(file string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*Source, error) {
	s := &Source{file: file, size: size, block: blockBytes}
	if size >= 0 {
		s.at = at
	}
	if opt.Block > 0 {
		s.block = int64(min(opt.Block, mostBlock))
	}
	s.br = bufio.NewReaderSize(r, max(leastBuffer, int(s.block)))
	if err := s.open(opt); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// open reads what stands before the points.
func (s *Source) open(opt Options) (err error) {
	if s.head, err = readHead(s.br, s.size); err != nil {
		return err
	}
	var extra []dim
	if extra, s.rest, err = s.head.extra(); err != nil {
		return err
	}
	s.dims = append(s.head.standard(), extra...)
	distinct(s.dims)
	for _, d := range s.dims {
		s.fields = append(s.fields, table.Field{Name: d.name, Type: d.typ})
	}
	if s.axes, err = s.findAxes(opt.Columns); err != nil {
		return err
	}
	s.pos = s.head.points()
	points := pointio.Records{Start: s.pos, Size: int64(s.head.record), Count: s.head.count}
	if s.first, s.end, err = points.Range(opt.Shard, opt.Shards, opt.Bytes, s.at != nil); err != nil {
		return err
	}
	if s.next = s.first; s.first > 0 {
		s.jump(s.first)
	}
	return nil
}

// findAxes returns the fields of x, y and z.
func (s *Source) findAxes(columns [3]string) (axes [3]int, err error) {
	if columns == [3]string{} {
		return [3]int{0, 1, 2}, nil
	}
	for i, name := range columns {
		axes[i] = -1
		for k := len(s.fields) - 1; k >= 0; k-- {
			if have := s.fields[k].Name; have == name || axes[i] < 0 && strings.EqualFold(have, name) {
				axes[i] = k
			}
		}
		if n, err := strconv.ParseUint(name, 10, 31); axes[i] < 0 && err == nil && n > 0 && int(n) <= len(s.fields) {
			axes[i] = int(n) - 1
		}
		if axes[i] < 0 {
			return axes, fmt.Errorf("%w: no field is called %s: there are x, y, z, %s and more", table.ErrColumns, pointio.Quote([]byte(name)), s.fields[3].Name)
		}
	}
	if axes[0] == axes[1] || axes[1] == axes[2] || axes[0] == axes[2] {
		return axes, fmt.Errorf("columns %s: want three different ones", strings.Join(columns[:], ", "))
	}
	return axes, nil
}

// jump makes br go on at a point of the file.
func (s *Source) jump(row int64) {
	s.pos = s.head.points() + row*int64(s.head.record)
	s.br.Reset(io.NewSectionReader(s.at, s.pos, math.MaxInt64-s.pos))
}

// whole reports whether all points of the file are read.
func (s *Source) whole() bool { return s.Rows() == s.head.count }

// Format returns "las".
func (s *Source) Format() string { return "las" }

// Fields returns x, y and z, scaled, the other dimensions of the point format, and the
// extra bytes.
func (s *Source) Fields() []table.Field { return s.fields }

// Axes returns the fields of x, y and z.
func (s *Source) Axes() [3]int { return s.axes }

// Rows returns the number of points of the file, or of the shard.
func (s *Source) Rows() int64 { return s.end - s.first }

// SeekTo implements table.Source. A stream is read up to the place.
func (s *Source) SeekTo(p table.Position) error {
	if p.Row < s.next || p.Row > s.end {
		return fmt.Errorf("%s: point %d is none of %d to %d", s.file, p.Row, s.next, s.end)
	}
	if s.at != nil {
		s.jump(p.Row)
	} else if err := s.copy(io.Discard, (p.Row-s.next)*int64(s.head.record)); err != nil {
		return fmt.Errorf("%s: before point %d: %w", s.file, p.Row, err)
	}
	s.next = p.Row
	return nil
}

// copy copies the next n bytes to w.
func (s *Source) copy(w io.Writer, n int64) error {
	k, err := io.CopyN(w, s.br, n)
	s.pos += k
	return cutOff(err)
}

// Fill implements table.Source. What is behind the last point is looked at, unless a sink
// of Same passes it on.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	if s.next == s.end {
		if !s.same {
			if err := s.after(io.Discard); err != nil {
				return err
			}
		}
		return io.EOF
	}
	size := int64(s.head.record)
	n := min(s.end-s.next, max(1, s.block/size))
	want := int(n * size)
	if cap(b.Raw) < want {
		b.Raw = make([]byte, want)
	}
	b.Raw = b.Raw[:want]
	b.First = s.next
	k, err := pointio.ReadFull(s.br, b.Raw)
	s.pos += int64(k)
	if err != nil {
		return fmt.Errorf("%s: point %d of %d: %w", s.file, s.next+int64(k)/size, s.head.count, cutOff(err))
	}
	s.next += n
	b.Next = table.Position{Row: s.next}
	return nil
}

// after copies what follows the points to w: the extended records. It refuses anything
// behind them.
func (s *Source) after(w io.Writer) error {
	h := s.head
	if s.end < h.count {
		if h.tail == 0 {
			return nil
		}
		s.jump(h.count)
	}
	if h.tail > 0 {
		if err := s.copy(w, h.tail-s.pos); err != nil {
			return fmt.Errorf("%s: byte %d: before the extended records: %w", s.file, s.pos, err)
		}
	}
	for i := range h.tailCount {
		if err := s.extended(w); err != nil {
			return fmt.Errorf("%s: byte %d: extended record %d of %d: %w", s.file, s.pos, i+1, h.tailCount, err)
		}
	}
	_, err := s.br.Peek(1)
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return fmt.Errorf("%s: byte %d: %w", s.file, s.pos, err)
	}
	return fmt.Errorf("%s: byte %d: there is more in the file than its header says", s.file, s.pos)
}

// extended copies an extended record.
func (s *Source) extended(w io.Writer) error {
	front, err := s.br.Peek(extendedHead)
	if len(front) < extendedHead {
		return cutOff(err)
	}
	n := le.Uint64(front[20:])
	if n > math.MaxInt64/2 {
		return fmt.Errorf("%d bytes are more than any file has", n)
	}
	if s.same && s.longer && name(front[2:18]) == specUser && le.Uint16(front[18:]) == extraID {
		return fmt.Errorf("extra bytes are described there: las: %w: answers would need a second description", table.ErrCannotHold)
	}
	return s.copy(w, extendedHead+int64(n))
}

// Parse implements table.Source.
func (s *Source) Parse(b *table.Block) error {
	size := s.head.record
	n := len(b.Raw) / size
	b.Reserve(n)
	b.Points = b.Points[:n]
	if s.axes == [3]int{0, 1, 2} {
		x, y, z := &s.dims[0].grid, &s.dims[1].grid, &s.dims[2].grid
		for k := range b.Points {
			row := b.Raw[k*size:][:12]
			b.Points[k] = r3.Vector{
				X: x.at(float64(int32(le.Uint32(row)))),
				Y: y.at(float64(int32(le.Uint32(row[4:])))),
				Z: z.at(float64(int32(le.Uint32(row[8:])))),
			}
		}
	} else {
		var v [3]table.Values
		for i, a := range s.axes {
			s.read(b, n, &s.dims[a], &v[i])
		}
		for k := range b.Points {
			b.Points[k] = r3.Vector{X: number(&v[0], k), Y: number(&v[1], k), Z: number(&v[2], k)}
		}
	}
	b.CountPoints()
	return nil
}

// Values implements table.Source.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	s.read(b, len(b.Points), &s.dims[field], v)
	return nil
}

// read reads a dim of n points.
func (s *Source) read(b *table.Block, n int, d *dim, v *table.Values) {
	v.Reset(d.typ)
	if n == 0 || s.readPlain(b, n, d, v) {
		return
	}
	size := s.head.record
	for k := range n {
		at := b.Raw[k*size+d.at:]
		missing := d.hasNone && d.isNone(at)
		if missing || len(v.Missing) > 0 {
			for len(v.Missing) < k {
				v.Missing = append(v.Missing, false)
			}
			v.Missing = append(v.Missing, missing)
		}
		if !d.typ.IsFloat() {
			n := load(d.raw, at)
			if d.bits > 0 {
				n = n >> d.shift & (1<<d.bits - 1)
			}
			v.Ints = append(v.Ints, n)
			continue
		}
		x := loadFloat(d.raw, at)
		if d.scaled {
			x = d.grid.at(x)
		}
		if missing {
			x = math.NaN()
		}
		v.Floats = append(v.Floats, x)
	}
}

// readPlain is read for the most usual dims; it reports whether d is one of them.
func (s *Source) readPlain(b *table.Block, n int, d *dim, v *table.Values) bool {
	if d.hasNone || d.scaled && d.raw != table.Int32 {
		return false
	}
	size, raw := s.head.record, b.Raw[d.at:]
	if d.typ.IsFloat() {
		v.Floats = slices.Grow(v.Floats, n)[:n]
	} else {
		v.Ints = slices.Grow(v.Ints, n)[:n]
	}
	switch {
	case d.scaled:
		for k := range v.Floats {
			v.Floats[k] = d.grid.at(float64(int32(le.Uint32(raw[k*size:]))))
		}
	case d.raw == table.Float64:
		for k := range v.Floats {
			v.Floats[k] = math.Float64frombits(le.Uint64(raw[k*size:]))
		}
	case d.bits > 0:
		mask := byte(1<<d.bits - 1)
		for k := range v.Ints {
			v.Ints[k] = int64(raw[k*size] >> d.shift & mask)
		}
	case d.raw == table.Uint8:
		for k := range v.Ints {
			v.Ints[k] = int64(raw[k*size])
		}
	case d.raw == table.Uint16:
		for k := range v.Ints {
			v.Ints[k] = int64(le.Uint16(raw[k*size:]))
		}
	default:
		v.Reset(d.typ)
		return false
	}
	return true
}

// number returns the value of row k as a float, NaN if it is missing.
func number(v *table.Values, k int) float64 {
	switch {
	case len(v.Missing) > 0 && v.Missing[k]:
		return math.NaN()
	case v.Type.IsFloat():
		return v.Floats[k]
	case v.Type == table.Uint64:
		return float64(uint64(v.Ints[k]))
	}
	return float64(v.Ints[k])
}

// isNone reports whether the value at the front of b says that there is none; that value
// is given as a number of 64 bits of the same sort.
func (d *dim) isNone(b []byte) bool {
	if d.raw.IsFloat() {
		x, none := loadFloat(d.raw, b), math.Float64frombits(d.none)
		return x == none || math.IsNaN(x) && math.IsNaN(none)
	}
	return uint64(load(d.raw, b)) == d.none
}

// load returns the integer at the front of b, Uint64 as its bits.
func load(t table.Type, b []byte) int64 {
	switch t {
	case table.Int8:
		return int64(int8(b[0]))
	case table.Uint8, table.Bool:
		return int64(b[0])
	case table.Int16:
		return int64(int16(le.Uint16(b)))
	case table.Uint16:
		return int64(le.Uint16(b))
	case table.Int32:
		return int64(int32(le.Uint32(b)))
	case table.Uint32:
		return int64(le.Uint32(b))
	}
	return int64(le.Uint64(b))
}

// loadFloat returns the number at the front of b, integers of 64 bits rounded.
func loadFloat(t table.Type, b []byte) float64 {
	switch t {
	case table.Float32:
		return float64(math.Float32frombits(le.Uint32(b)))
	case table.Float64:
		return math.Float64frombits(le.Uint64(b))
	case table.Uint64:
		return float64(le.Uint64(b))
	}
	return float64(load(t, b))
}
