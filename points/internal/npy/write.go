package npy

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// writer is what the sinks of arrays share: the header, the count of rows and the
// answer columns.
type writer struct {
	head  header
	cols  []table.Column
	begun int   // bytes of the header
	said  int64 // rows that the header has, −1 if not known
	rows  int64 // rows written
}

// newWriter makes a writer of arrays of that dtype with so many columns before the
// answers.
func newWriter(descr string, item int, columns int64, cols []table.Column) (writer, error) {
	for _, c := range cols {
		if c.Kind == table.Words {
			return writer{}, fmt.Errorf("an array has no place for the texts of column %s: want csv, jsonl or parquet: %w", c.Name, table.ErrCannotHold)
		}
	}
	return writer{head: header{descr: descr, item: item, big: descr[0] == '>', columns: columns + int64(len(cols))}, cols: cols, said: -1}, nil
}

// header returns the header for n rows. Where they are not known there is room for any
// number.
func (w *writer) header(n int64) []byte {
	h := w.head
	if h.rows = n; n < 0 {
		h.rows = math.MaxInt64
		length := len(h.encode(0))
		h.rows = 0
		return h.encode(length)
	}
	return h.encode(w.begun)
}

// Begin writes the header.
func (w *writer) Begin(out io.Writer, rows int64) error {
	head := w.header(rows)
	w.begun, w.said, w.rows = len(head), rows, 0
	_, err := out.Write(head)
	return err
}

// Write writes the rows of b.
func (w *writer) Write(out io.Writer, b *table.Block) error {
	w.rows += int64(b.Kept())
	_, err := out.Write(b.Out)
	return err
}

// End writes nothing. It fails if there were more rows than Begin was told.
func (w *writer) End(io.Writer) error {
	if w.said >= 0 && w.rows > w.said {
		return fmt.Errorf("array of %d rows has %d", w.said, w.rows)
	}
	return nil
}

// NeedsPatch implements table.HeaderPatcher.
func (w *writer) NeedsPatch(rows int64) bool { return rows < 0 }

// FinalHeader returns the header with the number of rows, nil if Begin knew it.
func (w *writer) FinalHeader() []byte {
	if w.rows == w.said {
		return nil
	}
	return w.header(w.rows)
}

// state is what Resume needs to know.
type state struct {
	Rows, Said int64
	Begun      int
}

// State tells the rows written and what the header has.
func (w *writer) State() ([]byte, error) { return json.Marshal(state{w.rows, w.said, w.begun}) }

// Resume goes on after State.
func (w *writer) Resume(_ int64, data []byte) error {
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("state of an array: %w", err)
	}
	w.rows, w.said, w.begun = s.Rows, s.Said, s.Begun
	return nil
}

// tileRows is how many rows are formatted at once: some kilobytes, so that writing the
// columns one after the other stays in the first caches. A choice.
const tileRows = 256

// tiles calls f for all rows of b, some of them at a time, with the place for them in
// b.Out, where rows are stride bytes apart; then it puts the answers at offset place of
// each row, and at last takes out the rows that are dropped.
func (w *writer) tiles(b *table.Block, place int, f func(dst []byte, from, n int)) error {
	stride := int(w.head.rowBytes())
	n := len(b.Points)
	b.Out = slices.Grow(b.Out, n*stride)[:n*stride]
	var x [2][tileRows]float64
	for from := 0; from < n; from += tileRows {
		m := min(tileRows, n-from)
		dst := b.Out[from*stride : (from+m)*stride]
		f(dst, from, m)
		var before []float64 // the Number before a Bound
		var number, integer int
		for i := range w.cols {
			v := x[i&1][:m]
			switch c := &w.cols[i]; c.Kind {
			case table.Inside, table.State:
				sidesTo(v, b.Sides[from:], c.Kind)
			case table.Number:
				copy(v, b.Numbers[number][from:])
				number++
			case table.Bound:
				w.head.boundsTo(v, b.Numbers[number][from:], before)
				number++
			case table.Integer, table.Label:
				if err := w.head.integersTo(v, b.Integers[integer][from:], c.Name, b.First+int64(from)); err != nil {
					return err
				}
				integer++
			}
			before = nil
			if w.cols[i].Kind == table.Number {
				before = v
			}
			w.head.putFloats(dst[place+i*w.head.item:], stride, v)
		}
	}
	b.CompactRecords(stride)
	return nil
}

// The numbers of the four sides; NaN says that a point is undecided.
var (
	insideNumbers = [4]float64{side.Unknown: math.NaN(), side.Outside: 0, side.OnSurface: 1, side.Inside: 1}
	stateNumbers  = [4]float64{side.Unknown: math.NaN(), side.Outside: 0, side.OnSurface: 0.5, side.Inside: 1}
)

// sidesTo writes sides as numbers.
func sidesTo(dst []float64, sides []side.Side, kind table.Kind) {
	words := &insideNumbers
	if kind == table.State {
		words = &stateNumbers
	}
	for k := range dst {
		dst[k] = words[sides[k]&3]
	}
}

// boundsTo writes bounds of the numbers in before, or of others if that is nil, such that
// they hold for what the array has of both.
func (h *header) boundsTo(dst, bounds, before []float64) {
	for k := range dst {
		rounded := 0.0
		if before != nil {
			rounded = h.rounding(before[k])
		}
		dst[k] = h.roundUp(bounds[k], rounded)
	}
}

// integersTo writes integers as numbers. It fails where the array would round one; row is
// that of the first.
func (h *header) integersTo(dst []float64, v []int64, name string, row int64) error {
	exact := int64(1) << 53 // the integers up to there are float64
	if h.item == 4 {
		exact = 1 << 24
	}
	for k := range dst {
		if v[k] > exact || v[k] < -exact {
			return cannotHold(name, v[k], row+int64(k), h.item)
		}
		dst[k] = float64(v[k])
	}
	return nil
}

// cannotHold is the error of an integer that an array would round.
func cannotHold(name string, v, row int64, item int) error {
	return fmt.Errorf("row %d: %s is %d, which float%d would round: want csv, jsonl or parquet: %w", row, name, v, 8*item, table.ErrCannotHold)
}

// rounding returns what an element differs from x by: exact, or +Inf beyond float32.
func (h *header) rounding(x float64) float64 {
	if h.item == 8 || math.IsNaN(x) {
		return 0
	}
	return math.Abs(x - float64(float32(x)))
}

// roundUp returns bound + more as an element holds it, rounded up.
func (h *header) roundUp(bound, more float64) float64 {
	if h.item == 8 {
		return bound
	}
	bound = math.Nextafter(bound+more, math.Inf(1))
	f := float32(bound)
	if float64(f) < bound {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return float64(f)
}

var _ table.HeaderPatcher = (*same)(nil)

// same is the sink of an array of the source's own dtype, in C order.
type same struct {
	writer
	src *Source
}

// Passthrough returns a sink that writes the array, bit for bit and in C order, with a column
// for each answer, in its own dtype. It is a table.HeaderPatcher and a table.Resumer. An integer
// that the dtype would round is an error that wraps table.ErrCannotHold.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	w, err := newWriter(s.head.descr, s.head.item, s.head.columns, cols)
	if err != nil {
		return nil, err
	}
	return &same{w, s}, nil
}

// Format formats the rows of b.
func (s *same) Format(b *table.Block) error {
	src := s.src
	row, column := src.strides(b)
	stride, item := int(s.head.rowBytes()), s.head.item
	return s.tiles(b, int(src.head.rowBytes()), func(dst []byte, from, n int) {
		if !src.head.fortran {
			copyRows(dst, stride, b.Raw[from*row:], row, n)
			return
		}
		for c := range int(src.head.columns) {
			copyColumn(dst[c*item:], stride, b.Raw[c*column+from*item:], item, n)
		}
	})
}

var _ table.HeaderPatcher = (*convert)(nil)

// convert is the sink of an array made from any source.
type convert struct {
	writer
	src   table.Source
	order []int // fields in the order of the columns
}

// Convert returns a sink that writes the fields of src, and the answers, as an array of
// float64 in C order, a column each: first x, y and z, where New looks for them, then the
// other fields in their order; truth values as 0 and 1, missing ones as NaN. It
// fails with an error that wraps table.ErrCannotHold where src has texts, or fields without
// values, and Format does for an integer beyond ±2^53, which would be rounded. It is a table.HeaderPatcher and a
// table.Resumer.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := pointio.CheckValues(src, "npy"); err != nil {
		return nil, err
	}
	fields := src.Fields()
	for _, f := range fields {
		if f.Type == table.Text {
			return nil, fmt.Errorf("an array has no place for the texts of column %s: want csv, jsonl or parquet: %w", pointio.Quote([]byte(f.Name)), table.ErrCannotHold)
		}
	}
	w, err := newWriter("<f8", 8, int64(len(fields)), cols)
	if err != nil {
		return nil, err
	}
	axes := src.Axes()
	order := axes[:]
	for i := range fields {
		if !slices.Contains(axes[:], i) {
			order = append(order, i)
		}
	}
	return &convert{w, src, order}, nil
}

// scratch is the memory that convert keeps with a block.
type scratch struct {
	vals   []table.Values
	floats [][]float64
}

// Format formats the rows of b.
func (c *convert) Format(b *table.Block) error {
	fields := c.src.Fields()
	s, ok := b.Sink.(*scratch)
	if !ok {
		s = &scratch{make([]table.Values, len(fields)), make([][]float64, len(fields))}
		b.Sink = s
	}
	for at, i := range c.order {
		v := &s.vals[i]
		if err := c.src.Values(b, i, v); err != nil {
			return err
		}
		if !v.Type.IsFloat() {
			if err := integers(&c.head, v, fields[i].Name, b.First); err != nil {
				return err
			}
		}
		for k, lost := range v.Missing {
			if lost {
				v.Floats[k] = math.NaN()
			}
		}
		s.floats[at] = v.Floats
	}
	stride := int(c.head.rowBytes())
	return c.tiles(b, 8*len(fields), func(dst []byte, from, n int) {
		for i, x := range s.floats {
			c.head.putFloats(dst[8*i:], stride, x[from:from+n])
		}
	})
}

// integers makes Floats of the Ints of v; those of missing ones do not count.
func integers(h *header, v *table.Values, name string, first int64) error {
	v.Floats = slices.Grow(v.Floats[:0], len(v.Ints))[:len(v.Ints)]
	for k, lost := range v.Missing {
		if lost {
			v.Ints[k] = 0
		}
	}
	if v.Type == table.Uint64 {
		for k, n := range v.Ints {
			if n < 0 { // 2^63 or more
				return fmt.Errorf("row %d: %s is %d, which float64 would round: want csv, jsonl or parquet: %w", first+int64(k), name, uint64(n), table.ErrCannotHold)
			}
		}
	}
	return h.integersTo(v.Floats, v.Ints, name, first)
}

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// pointBytes is the size of three float64.
const pointBytes = 24

// parseRows reads the three little-endian float64 at the front of each row of raw into
// pts, rows being stride bytes apart. Its twin is the loop in Source.Parse.
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

// copyRows copies the first n rows of row bytes from src to dst, where they are stride
// bytes apart. Rows of 24 bytes, the most frequent ones, go as three words.
func copyRows(dst []byte, stride int, src []byte, row, n int) {
	if row != pointBytes {
		for k := range n {
			copy(dst[k*stride:k*stride+row], src[k*row:])
		}
		return
	}
	for k := range n {
		d := (*[pointBytes]byte)(dst[k*stride:])
		s := (*[pointBytes]byte)(src[k*pointBytes:])
		le.PutUint64(d[0:8], le.Uint64(s[0:8]))
		le.PutUint64(d[8:16], le.Uint64(s[8:16]))
		le.PutUint64(d[16:24], le.Uint64(s[16:24]))
	}
}

// copyColumn copies elements that are item bytes long and lie one after the other in src
// to dst, where they are stride bytes apart.
func copyColumn(dst []byte, stride int, src []byte, item, n int) {
	if item == 8 {
		for k := range n {
			le.PutUint64(dst[k*stride:], le.Uint64(src[8*k:]))
		}
		return
	}
	for k := range n {
		le.PutUint32(dst[k*stride:], le.Uint32(src[4*k:]))
	}
}

// putFloats writes x as elements, stride bytes apart. A float32 array rounds them.
func (h *header) putFloats(dst []byte, stride int, x []float64) {
	switch {
	case h.item == 8 && h.big:
		for k, v := range x {
			be.PutUint64(dst[k*stride:], math.Float64bits(v))
		}
	case h.item == 8:
		for k, v := range x {
			le.PutUint64(dst[k*stride:], math.Float64bits(v))
		}
	case h.big:
		for k, v := range x {
			be.PutUint32(dst[k*stride:], math.Float32bits(float32(v)))
		}
	default:
		for k, v := range x {
			le.PutUint32(dst[k*stride:], math.Float32bits(float32(v)))
		}
	}
}
