package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/format"
)

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
