package npy

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// arrayWriter writes the header and the answer columns for passthrough and converter.
type arrayWriter struct {
	progress
	header header
	cols   []table.Column
}

// progress is the state of an arrayWriter for Resume.
type progress struct {
	Rows        int64 // number of rows written
	Announced   int64 `json:"Said"` // number of rows that Begin received, −1 if unknown
	HeaderBytes int   `json:"Begun"`
}

// newArrayWriter returns the writer of an array that has srcColumns columns before the answers.
func newArrayWriter(dtype string, itemSize int, srcColumns int64, cols []table.Column) (arrayWriter, error) {
	for _, c := range cols {
		if c.Kind == table.Words {
			return arrayWriter{}, textError(c.Name)
		}
	}
	h := header{dtype: dtype, itemSize: itemSize, bigEndian: dtype[0] == '>', columns: srcColumns + int64(len(cols))}
	return arrayWriter{header: h, cols: cols, progress: progress{Announced: -1}}, nil
}

// textError returns the error for a text column.
func textError(column string) error {
	return pointio.CannotHoldf("an array cannot hold the text of column %s: use csv, jsonl or parquet", quote.Word(column))
}

// encodeHeader returns the header for n rows. If n is −1, the header has room for any number.
func (w *arrayWriter) encodeHeader(n int64) []byte {
	h := w.header
	if h.rows = n; n < 0 {
		h.rows = math.MaxInt64
		length := len(h.encode(0))
		h.rows = 0
		return h.encode(length)
	}
	return h.encode(w.HeaderBytes)
}

func (w *arrayWriter) Begin(out io.Writer, rows int64) error {
	head := w.encodeHeader(rows)
	w.HeaderBytes, w.Announced, w.Rows = len(head), rows, 0
	_, err := out.Write(head)
	return err
}

func (w *arrayWriter) Write(out io.Writer, b *table.Block) error {
	w.Rows += int64(b.Kept())
	_, err := out.Write(b.Out)
	return err
}

// End fails if more rows were written than the header declares.
func (w *arrayWriter) End(io.Writer) error {
	if w.Announced >= 0 && w.Rows > w.Announced {
		return plural.Errorf("%d rows were written to an array of %d rows", w.Rows, w.Announced)
	}
	return nil
}

func (w *arrayWriter) NeedsPatch(rows int64) bool { return rows < 0 }

// FinalHeader returns the header with the number of rows, or nil if Begin wrote the same header.
func (w *arrayWriter) FinalHeader() []byte {
	if w.Rows == w.Announced {
		return nil
	}
	return w.encodeHeader(w.Rows)
}

func (w *arrayWriter) State() ([]byte, error) { return json.Marshal(w.progress) }

func (w *arrayWriter) Resume(_ int64, data []byte) error {
	if err := json.Unmarshal(data, &w.progress); err != nil {
		return fmt.Errorf("npy: cannot read the state of an earlier run: %w", err)
	}
	return nil
}

// tileRows is the number of rows of a tile. The columns of a tile are written one after the other,
// and a tile fits into the first-level cache.
const tileRows = 256 // tuning

// formatTiles writes the kept rows of b to b.Out, one tile at a time. The answers begin at byte
// answerOffset of each row. The callback writes the columns before the answers, for the rows of one
// tile.
func (w *arrayWriter) formatTiles(b *table.Block, answerOffset int, formatRows func(dst []byte, from, n int)) error {
	stride := int(w.header.rowBytes())
	n := len(b.Points)
	b.Out = slices.Grow(b.Out, n*stride)[:n*stride]
	var x [2][tileRows]float64
	for from := 0; from < n; from += tileRows {
		m := min(tileRows, n-from)
		dst := b.Out[from*stride : (from+m)*stride]
		formatRows(dst, from, m)
		var bounded []float64 // values of the previous column if its kind is Number, else nil
		var number, integer int
		for i := range w.cols {
			v := x[i&1][:m]
			switch c := &w.cols[i]; c.Kind {
			case table.Inside:
				sidesTo(v, b.Sides[from:], &insideNumbers)
			case table.State:
				sidesTo(v, b.Sides[from:], &stateNumbers)
			case table.Number:
				copy(v, b.Numbers[number][from:])
				number++
			case table.Bound:
				w.header.boundsTo(v, b.Numbers[number][from:], bounded)
				number++
			case table.Integer, table.Label:
				if err := w.header.integersTo(v, b.Integers[integer][from:], c.Name, b.First+int64(from)); err != nil {
					return err
				}
				integer++
			}
			bounded = nil
			if w.cols[i].Kind == table.Number {
				bounded = v
			}
			w.header.putFloats(dst[answerOffset+i*w.header.itemSize:], stride, v)
		}
	}
	b.CompactRecords(stride)
	return nil
}

// Numbers that represent the four sides. NaN means uncertain.
var (
	insideNumbers = [4]float64{side.Unknown: math.NaN(), side.Outside: 0, side.OnSurface: 1, side.Inside: 1}
	stateNumbers  = [4]float64{side.Unknown: math.NaN(), side.Outside: 0, side.OnSurface: 0.5, side.Inside: 1}
)

// sidesTo sets each dst[k] to the number that represents sides[k].
func sidesTo(dst []float64, sides []side.Side, numbers *[4]float64) {
	for k := range dst {
		dst[k] = numbers[sides[k]&3]
	}
}

// boundsTo writes error bounds to dst, rounded up. To each bound it adds the rounding error of the
// bounded number. boundedNumbers is nil if the array does not contain the bounded numbers.
func (h *header) boundsTo(dst, bounds, boundedNumbers []float64) {
	for k := range dst {
		rounding := 0.0
		if boundedNumbers != nil {
			rounding = h.roundoff(boundedNumbers[k])
		}
		dst[k] = h.roundUp(bounds[k], rounding)
	}
}

// integersTo converts the integers v to floats. It fails if the array would round one of them.
func (h *header) integersTo(dst []float64, v []int64, name string, firstRow int64) error {
	exact := int64(1) << 53 // elements store all integers up to this absolute value exactly
	if h.itemSize == 4 {
		exact = 1 << 24
	}
	for k := range dst {
		if v[k] > exact || v[k] < -exact {
			return h.roundingError(name, v[k], firstRow+int64(k))
		}
		dst[k] = float64(v[k])
	}
	return nil
}

// roundingError returns the error for an integer that the array would round.
func (h *header) roundingError(name string, v any, row int64) error {
	return pointio.CannotHoldf("row %d: %s is %d, which float%d would round: use csv, jsonl or parquet", row, name, v, 8*h.itemSize)
}

// roundoff returns the rounding error of an element that stores x. The error is +Inf if x exceeds
// the range of float32.
func (h *header) roundoff(x float64) float64 {
	if h.itemSize == 8 || math.IsNaN(x) {
		return 0
	}
	return math.Abs(x - float64(float32(x)))
}

// roundUp returns the sum of its arguments, rounded up to a value that an element can have.
func (h *header) roundUp(bound, more float64) float64 {
	if h.itemSize == 8 {
		return bound
	}
	bound = math.Nextafter(bound+more, math.Inf(1))
	f := float32(bound)
	if float64(f) < bound {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return float64(f)
}

var _ table.HeaderPatcher = (*passthrough)(nil)

// passthrough is the sink that writes an array in C order with the dtype of the source.
type passthrough struct {
	arrayWriter
	src *Source
}

// Passthrough returns a sink that writes the elements bit for bit, in C order, and a column of the
// same dtype for each answer. An array of integers or of float16 becomes one of float64, with x, y and z in its first
// columns. The sink is a table.HeaderPatcher and a table.Resumer.
//
// Errors: table.ErrCannotHold if cols contains a text column. Format returns the same error for an
// integer that the dtype would round.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	if !s.header.isFloat() {
		return Convert(s, cols)
	}
	w, err := newArrayWriter(s.header.dtype, s.header.itemSize, s.header.columns, cols)
	if err != nil {
		return nil, err
	}
	return &passthrough{w, s}, nil
}

func (s *passthrough) Format(b *table.Block) error {
	src := s.src
	row, column := src.strides(b)
	stride, item := int(s.header.rowBytes()), s.header.itemSize
	return s.formatTiles(b, int(src.header.rowBytes()), func(dst []byte, from, n int) {
		if !src.header.fortran {
			copyRows(dst, stride, b.Raw[from*row:], row, n)
			return
		}
		for c := range int(src.header.columns) {
			copyColumn(dst[c*item:], stride, b.Raw[c*column+from*item:], item, n)
		}
	})
}

var _ table.HeaderPatcher = (*converter)(nil)

// converter is the sink for sources of other formats.
type converter struct {
	arrayWriter
	src   table.Source
	order []int // order[k] is the index of the field in column k
}

// Convert returns a sink that writes the fields of src and the answers as an array of float64 in C
// order. The first three columns are x, y and z, as New expects. The other fields follow in the
// order of src, and the answers come last. Booleans become 0 and 1, and missing values become NaN.
// The sink is a table.HeaderPatcher and a table.Resumer.
//
// Errors: table.ErrCannotHold if src has text fields or opaque fields, or if cols contains a text
// column. Format returns the same error for an integer beyond ±2^53 that float64 would round.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := pointio.CheckValues(src, "npy"); err != nil {
		return nil, err
	}
	fields := src.Fields()
	for _, f := range fields {
		if f.Type == table.Text {
			return nil, textError(f.Name)
		}
	}
	w, err := newArrayWriter("<f8", 8, int64(len(fields)), cols)
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
	return &converter{w, src, order}, nil
}

// scratch is the working memory of a converter for a block.
type scratch struct {
	vals   []table.Values
	floats [][]float64
}

func (c *converter) Format(b *table.Block) error {
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
			if err := integersToFloats(&c.header, v, fields[i].Name, b.First); err != nil {
				return err
			}
		}
		for k, missing := range v.Missing {
			if missing {
				v.Floats[k] = math.NaN()
			}
		}
		s.floats[at] = v.Floats
	}
	stride := int(c.header.rowBytes())
	return c.formatTiles(b, 8*len(fields), func(dst []byte, from, n int) {
		for i, x := range s.floats {
			c.header.putFloats(dst[8*i:], stride, x[from:from+n])
		}
	})
}

// integersToFloats sets v.Floats to the values of v.Ints, and to 0 for missing integers.
func integersToFloats(h *header, v *table.Values, name string, first int64) error {
	v.Floats = slices.Grow(v.Floats[:0], len(v.Ints))[:len(v.Ints)]
	for k, missing := range v.Missing {
		if missing {
			v.Ints[k] = 0
		}
	}
	if v.Type == table.Uint64 {
		for k, n := range v.Ints {
			if n < 0 { // the uint64 is 2^63 or more
				return h.roundingError(name, uint64(n), first+int64(k))
			}
		}
	}
	return h.integersTo(v.Floats, v.Ints, name, first)
}

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// pointBytes is the size of a point of three float64.
const pointBytes = 24

// copyRows copies n rows of rowBytes bytes to dst, where they are stride bytes apart. Rows of 24
// bytes, the most common size, are copied as three words.
func copyRows(dst []byte, stride int, src []byte, rowBytes, n int) {
	if rowBytes != pointBytes {
		for k := range n {
			copy(dst[k*stride:k*stride+rowBytes], src[k*rowBytes:])
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

// copyColumn copies n consecutive elements of itemBytes bytes to dst, stride bytes apart.
func copyColumn(dst []byte, stride int, src []byte, itemBytes, n int) {
	if itemBytes == 8 {
		for k := range n {
			le.PutUint64(dst[k*stride:], le.Uint64(src[8*k:]))
		}
		return
	}
	for k := range n {
		le.PutUint32(dst[k*stride:], le.Uint32(src[4*k:]))
	}
}

// putFloats writes x to dst as elements that are stride bytes apart. Elements of float32 are
// rounded.
func (h *header) putFloats(dst []byte, stride int, x []float64) {
	switch {
	case h.itemSize == 8 && h.bigEndian:
		for k, v := range x {
			be.PutUint64(dst[k*stride:], math.Float64bits(v))
		}
	case h.itemSize == 8:
		for k, v := range x {
			le.PutUint64(dst[k*stride:], math.Float64bits(v))
		}
	case h.bigEndian:
		for k, v := range x {
			be.PutUint32(dst[k*stride:], math.Float32bits(float32(v)))
		}
	default:
		for k, v := range x {
			le.PutUint32(dst[k*stride:], math.Float32bits(float32(v)))
		}
	}
}
