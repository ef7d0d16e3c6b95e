package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// output is a file that is being written.
type output struct {
	at     int64 // bytes written
	rows   int64
	groups []closedGroup
}

// closedGroup is a row group that is written; the places of its indexes are not known
// before the end.
type closedGroup struct {
	fields   []field // of RowGroup, but for those that are set here
	columns  []closedColumn
	at       int64
	rows     int64
	size     int64
	expanded int64
}

// closedColumn is a column of it.
type closedColumn struct {
	fields []field // of ColumnChunk, without the places of its indexes
	// The indexes, nil if there are none.
	column, offset []byte
}

// write writes b.
func (o *output) write(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	o.at += int64(n)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// begin writes what a file begins with.
func (o *output) begin(w io.Writer) error { return o.write(w, []byte(magic)) }

// writeColumns writes the pages of cols and appends them to g.
func (o *output) writeColumns(w io.Writer, g *closedGroup, cols []column) error {
	for i := range cols {
		c := &cols[i]
		at := o.at
		if c.usesDictionary() {
			if err := o.write(w, c.dict); err != nil {
				return err
			}
		}
		if err := o.write(w, c.buf); err != nil {
			return err
		}
		fs := c.chunk(at)
		g.columns = append(g.columns, closedColumn{fs, c.columnIndex(), c.offsetIndex(at)})
		g.size += o.at - at
		g.expanded += c.expanded
		if c.usesDictionary() {
			g.expanded += int64(c.dictExpanded)
		}
	}
	return nil
}

// indexes writes the indexes of all columns, and sets where they are. Offset indexes are
// written if all columns have one, and column indexes if all but the last keep columns
// have one: readers take all of a kind for one piece of the file.
func (o *output) indexes(w io.Writer, keep int) error {
	columns, offsets := true, true
	for _, g := range o.groups {
		for i, c := range g.columns {
			columns = columns && (c.column != nil || i >= len(g.columns)-keep)
			offsets = offsets && c.offset != nil
		}
	}
	put := func(id int16, pick func(*closedColumn) []byte) error {
		for _, g := range o.groups {
			for i := range g.columns {
				c := &g.columns[i]
				index := pick(c)
				if index == nil {
					continue
				}
				c.fields = append(c.fields, number(id, o.at), field{id: id + 1, kind: kindI32, value: number(0, int64(len(index))).value})
				if err := o.write(w, index); err != nil {
					return err
				}
			}
		}
		return nil
	}
	// The fields go in the order of their ids: offset index 4 and 5, column index 6 and
	// 7, encryption 8 and 9, of which there is none.
	if offsets {
		if err := put(4, func(c *closedColumn) []byte { return c.offset }); err != nil {
			return err
		}
	}
	if columns && offsets {
		return put(6, func(c *closedColumn) []byte { return c.column })
	}
	return nil
}

// number returns an i64 field.
func number(id int16, v int64) field {
	var e encoder
	e.number(v)
	return field{id: id, kind: kindI64, value: e.b}
}

// end writes the indexes, the footer and what a file ends with. meta are the fields of
// FileMetaData but for the rows and the row groups.
func (o *output) end(w io.Writer, meta []field, answers int) error {
	if err := o.indexes(w, answers); err != nil {
		return err
	}
	var e encoder
	e.begin()
	for _, f := range meta {
		switch f.id {
		case 3:
			e.i64(3, o.rows)
		case 4:
			e.list(4, kindStruct, len(o.groups))
			for i := range o.groups {
				o.groups[i].encode(&e, i)
			}
		default:
			e.field(f)
		}
	}
	e.end()
	// The length has four bytes.
	if len(e.b) > math.MaxInt32 {
		return fmt.Errorf("write: a footer of %d bytes, which Parquet has no room for", len(e.b))
	}
	e.b = binary.LittleEndian.AppendUint32(e.b, uint32(len(e.b)))
	return o.write(w, append(e.b, magic...))
}

// encode writes the metadata of the row group with that number.
func (g *closedGroup) encode(e *encoder, ordinal int) {
	e.begin()
	e.list(1, kindStruct, len(g.columns))
	for _, c := range g.columns {
		e.begin()
		for _, f := range c.fields {
			e.field(f)
		}
		e.end()
	}
	e.i64(2, g.expanded)
	e.i64(3, g.rows)
	for _, f := range g.fields {
		if f.id == 4 { // how the rows are sorted
			e.field(f)
		}
	}
	e.i64(5, g.at)
	e.i64(6, g.size)
	// Field 7, the number of the row group, has 16 bits.
	if ordinal <= math.MaxInt16 {
		e.head(7, kindI16)
		e.number(int64(ordinal))
	}
	for _, f := range g.fields {
		if f.id > 7 {
			e.field(f)
		}
	}
	e.end()
}

// written is a page that is being written, and memory for the next one.
type written struct {
	data     []byte // the page with its header
	expanded int    // bytes of it without compression
	entries  int
	nulls    int // entries without a value
	encoding format.Encoding
	// least and most are the smallest and the largest value if ranged.
	ranged      bool
	least, most []byte

	body, scratch []byte
	values        []byte // without levels, where those must be known before
	flags, reps   []byte
	index         []uint32
}

// start begins a page.
func (w *written) start() {
	w.data, w.body, w.values, w.flags, w.reps, w.index = w.data[:0], w.body[:0], w.values[:0], w.flags[:0], w.reps[:0], w.index[:0]
	w.least, w.most = w.least[:0], w.most[:0]
	w.expanded, w.entries, w.nulls, w.ranged = 0, 0, 0, false
}

// levels appends levels up to highest to the body; none are written if that is 0.
func (w *written) levels(levels []byte, highest byte) {
	if highest == 0 {
		return
	}
	at := len(w.body)
	w.body = appendHybrid(append(w.body, 0, 0, 0, 0), levels, levelBits(highest))
	binary.LittleEndian.PutUint32(w.body[at:], uint32(len(w.body)-at-4))
}

// places appends numbers of values in a dictionary of that size to the body.
func (w *written) places(index []uint32, size int) {
	width := widthOf(max(size-1, 0))
	w.body = appendHybrid(append(w.body, byte(width)), index, width)
}

// finish makes the page of the body.
func (w *written) finish(codec format.CompressionCodec, enc format.Encoding) (err error) {
	w.encoding = enc
	packed := w.body
	if codec != format.Uncompressed {
		if w.scratch, err = compressTo(w.scratch, codec, w.body); err != nil {
			return err
		}
		packed = w.scratch
	}
	w.data = writeHeader(w.data, enc, w.entries, len(w.body), len(packed))
	w.expanded = len(w.data) + len(w.body)
	w.data = append(w.data, packed...)
	return nil
}

// appendString appends s behind its length.
func appendString(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
}

// place is where a page of a column is.
type place struct {
	at    int64 // from the first page on
	size  int
	first int64 // row
}

// column is a column of a row group that is being written.
type column struct {
	kind  format.Type
	path  []string
	codec format.CompressionCodec
	// dict is the page of the dictionary, of dictExpanded bytes without compression. It
	// is written if a page needs it.
	dict         []byte
	dictExpanded int

	buf       []byte // the pages
	places    []place
	entries   int64
	nulls     int64
	expanded  int64
	encodings uint // a bit for each format.Encoding of a page
	stats     []pageStats
}

// pageStats is what the column index says of a page.
type pageStats struct {
	ranged         bool
	nulls, entries int
	least, most    []byte
}

// reset empties c.
func (c *column) reset() {
	c.buf, c.places, c.stats = c.buf[:0], c.places[:0], c.stats[:0]
	c.entries, c.nulls, c.expanded, c.encodings = 0, 0, 0, 0
}

// add appends a page, whose first row is that of the row group.
func (c *column) add(w *written, first int64) {
	if w.entries == 0 {
		return
	}
	c.places = append(c.places, place{int64(len(c.buf)), len(w.data), first})
	c.buf = append(c.buf, w.data...)
	c.entries += int64(w.entries)
	c.nulls += int64(w.nulls)
	c.expanded += int64(w.expanded)
	c.encodings |= 1 << w.encoding
	c.stats = append(c.stats, pageStats{w.ranged, w.nulls, w.entries,
		append([]byte(nil), w.least...), append([]byte(nil), w.most...)})
}

// usesDictionary reports whether a page needs the dictionary.
func (c *column) usesDictionary() bool { return c.encodings&(1<<format.RLEDictionary) != 0 }

// size returns the bytes that c takes in the file.
func (c *column) size() int64 {
	n := int64(len(c.buf))
	if c.usesDictionary() {
		n += int64(len(c.dict))
	}
	return n
}

// chunk returns the metadata of c (ColumnChunk of parquet.thrift), which begins at that
// byte of the file.
func (c *column) chunk(at int64) []field {
	data, expanded := at, c.expanded
	if c.usesDictionary() {
		data += int64(len(c.dict))
		expanded += int64(c.dictExpanded)
	}
	var e encoder
	e.begin()
	e.i64(2, at)
	e.inner(3)
	e.i32(1, int(c.kind))
	encodings := []format.Encoding{format.RLE} // of the levels
	for _, k := range []format.Encoding{format.Plain, format.RLEDictionary} {
		if c.encodings&(1<<k) != 0 || k == format.Plain && c.usesDictionary() {
			encodings = append(encodings, k)
		}
	}
	e.list(2, kindI32, len(encodings))
	for _, k := range encodings {
		e.number(int64(k))
	}
	e.list(3, kindBinary, len(c.path))
	for _, p := range c.path {
		e.text(p)
	}
	e.i32(4, int(c.codec))
	e.i64(5, c.entries)
	e.i64(6, expanded)
	e.i64(7, c.size())
	e.i64(9, data)
	if c.usesDictionary() {
		e.i64(11, at)
	}
	e.inner(12)
	e.i64(3, c.nulls)
	if least, most, ok := c.bounds(); ok {
		e.string(5, string(most))
		e.string(6, string(least))
	}
	e.end()
	e.end()
	e.end()
	fs, _, _ := fields(e.b, 0, nil) // what was just written is valid
	return fs
}

// bounds returns the smallest and largest value, if all pages tell theirs.
func (c *column) bounds() (least, most []byte, ok bool) {
	for i := range c.stats {
		s := &c.stats[i]
		switch {
		case !s.ranged && s.nulls < s.entries:
			return nil, nil, false
		case !s.ranged:
		case !ok:
			least, most, ok = s.least, s.most, true
		default:
			if less(c.kind, s.least, least) {
				least = s.least
			}
			if less(c.kind, most, s.most) {
				most = s.most
			}
		}
	}
	return least, most, ok
}

// columnIndex returns the column index of c, nil if a page does not tell its range.
func (c *column) columnIndex() []byte {
	for i := range c.stats {
		if s := &c.stats[i]; !s.ranged && s.nulls < s.entries {
			return nil
		}
	}
	var e encoder
	e.begin()
	e.list(1, kindTrue, len(c.stats))
	for i := range c.stats {
		if c.stats[i].ranged {
			e.b = append(e.b, kindFalse)
		} else {
			e.b = append(e.b, kindTrue)
		}
	}
	for id := int16(2); id <= 3; id++ {
		e.list(id, kindBinary, len(c.stats))
		for i := range c.stats {
			if id == 2 {
				e.text(string(c.stats[i].least))
			} else {
				e.text(string(c.stats[i].most))
			}
		}
	}
	e.i32(4, int(format.Unordered))
	e.list(5, kindI64, len(c.stats))
	for i := range c.stats {
		e.number(int64(c.stats[i].nulls))
	}
	e.end()
	return e.b
}

// offsetIndex returns the offset index of c, which begins at that byte of the file.
func (c *column) offsetIndex(at int64) []byte {
	if c.usesDictionary() {
		at += int64(len(c.dict))
	}
	var e encoder
	e.begin()
	e.list(1, kindStruct, len(c.places))
	for _, p := range c.places {
		e.begin()
		e.i64(1, at+p.at)
		e.i32(2, p.size)
		e.i64(3, p.first)
		e.end()
	}
	e.end()
	return e.b
}
