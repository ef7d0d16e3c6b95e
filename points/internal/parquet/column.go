package parquet

import (
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pageWriter encodes a page. Its memory is reused for the next one.
type pageWriter struct {
	data         []byte // the page with its header
	uncompressed int    // length of data without compression
	entries      int
	nulls        int // entries without a value
	encoding     format.Encoding
	// Smallest and largest value, if hasBounds.
	hasBounds          bool
	minValue, maxValue []byte

	body, compressed     []byte
	values               []byte // if they cannot be appended to body yet, because the levels come first
	defLevels, repLevels []byte
	indices              []uint32
}

// start begins a page.
func (w *pageWriter) start() {
	w.data, w.body, w.values, w.minValue, w.maxValue = w.data[:0], w.body[:0], w.values[:0], w.minValue[:0], w.maxValue[:0]
	w.defLevels, w.repLevels, w.indices = w.defLevels[:0], w.repLevels[:0], w.indices[:0]
	w.uncompressed, w.entries, w.nulls, w.hasBounds = 0, 0, 0, false
}

// appendLevels appends levels up to highest to the body. There are none if highest is 0.
func (w *pageWriter) appendLevels(levels []byte, highest byte) {
	if highest == 0 {
		return
	}
	at := len(w.body)
	w.body = appendHybrid(append(w.body, 0, 0, 0, 0), levels, bitWidth(int(highest)))
	binary.LittleEndian.PutUint32(w.body[at:], uint32(len(w.body)-at-4))
}

// appendIndices appends indices into a dictionary of size values to the body.
func (w *pageWriter) appendIndices(indices []uint32, size int) {
	width := bitWidth(max(size-1, 0))
	w.body = appendHybrid(append(w.body, byte(width)), indices, width)
}

// finish makes the page from the body.
func (w *pageWriter) finish(codec format.CompressionCodec, enc format.Encoding) (err error) {
	w.encoding = enc
	compressed := w.body
	if codec != format.Uncompressed {
		if w.compressed, err = compressTo(w.compressed, codec, w.body); err != nil {
			return err
		}
		compressed = w.compressed
	}
	w.data = writeHeader(w.data, enc, w.entries, len(w.body), len(compressed))
	w.uncompressed = len(w.data) + len(w.body)
	w.data = append(w.data, compressed...)
	return nil
}

// appendPrefixed appends the length of s and s.
func appendPrefixed[T string | []byte](dst []byte, s T) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
}

// dictionaryPage returns the page of a dictionary of n values, whose PLAIN encoding is body, and
// the length of the page without compression.
func dictionaryPage(codec format.CompressionCodec, n int, body []byte) (page []byte, uncompressed int, err error) {
	compressed, err := compressTo(nil, codec, body)
	if err != nil {
		return nil, 0, err
	}
	header := marshal(&format.PageHeader{
		Type:                 format.DictionaryPage,
		UncompressedPageSize: int32(len(body)),
		CompressedPageSize:   int32(len(compressed)),
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(n), Encoding: format.Plain}),
	})
	return append(header, compressed...), len(header) + len(body), nil
}

// columnWriter collects the pages of a column chunk.
type columnWriter struct {
	kind  format.Type
	path  []string
	codec format.CompressionCodec
	// dict is the dictionary page, of dictUncompressed bytes without compression. It is written
	// only if a page needs it.
	dict             []byte
	dictUncompressed int

	buf          []byte                // the pages
	locations    []format.PageLocation // offsets from the first page
	entries      int64
	nulls        int64
	uncompressed int64
	encodings    uint // one bit for each format.Encoding of a page
	stats        []pageStats
}

// pageStats are the statistics of a page for the column index.
type pageStats struct {
	hasBounds          bool
	nulls, entries     int
	minValue, maxValue []byte
}

// reset empties c.
func (c *columnWriter) reset() {
	c.buf, c.locations, c.stats = c.buf[:0], c.locations[:0], c.stats[:0]
	c.entries, c.nulls, c.uncompressed, c.encodings = 0, 0, 0, 0
}

// add appends a page; firstRow is its first row within the row group.
func (c *columnWriter) add(w *pageWriter, firstRow int64) {
	if w.entries == 0 {
		return
	}
	c.locations = append(c.locations, format.PageLocation{Offset: int64(len(c.buf)), CompressedPageSize: int32(len(w.data)), FirstRowIndex: firstRow})
	c.buf = append(c.buf, w.data...)
	c.entries += int64(w.entries)
	c.nulls += int64(w.nulls)
	c.uncompressed += int64(w.uncompressed)
	c.encodings |= 1 << w.encoding
	c.stats = append(c.stats, pageStats{w.hasBounds, w.nulls, w.entries,
		append([]byte(nil), w.minValue...), append([]byte(nil), w.maxValue...)})
}

// usesDictionary reports whether a page needs the dictionary.
func (c *columnWriter) usesDictionary() bool { return c.encodings&(1<<format.RLEDictionary) != 0 }

// size returns the bytes of c in the file.
func (c *columnWriter) size() int64 {
	n := int64(len(c.buf))
	if c.usesDictionary() {
		n += int64(len(c.dict))
	}
	return n
}

// metadata returns the metadata of c (ColumnChunk of parquet.thrift) if c begins at an offset of
// the file.
func (c *columnWriter) metadata(offset int64) []thriftField {
	m := format.ColumnMetaData{
		Type:                  c.kind,
		Encoding:              []format.Encoding{format.RLE}, // of the levels
		PathInSchema:          c.path,
		Codec:                 c.codec,
		NumValues:             c.entries,
		TotalUncompressedSize: c.uncompressed,
		TotalCompressedSize:   c.size(),
		DataPageOffset:        offset,
		Statistics:            format.Statistics{NullCount: c.nulls},
	}
	if c.usesDictionary() {
		m.TotalUncompressedSize += int64(c.dictUncompressed)
		m.DictionaryPageOffset = offset
		m.DataPageOffset += int64(len(c.dict))
	}
	for _, encoding := range []format.Encoding{format.Plain, format.RLEDictionary} {
		if c.encodings&(1<<encoding) != 0 || encoding == format.Plain && c.usesDictionary() {
			m.Encoding = append(m.Encoding, encoding)
		}
	}
	if minValue, maxValue, ok := c.bounds(); ok {
		m.Statistics.MinValue, m.Statistics.MaxValue = minValue, maxValue
	}
	return mustReadStruct(marshal(&format.ColumnChunk{FileOffset: offset, MetaData: m}))
}

// bounds returns the smallest and largest value, if all pages have bounds.
func (c *columnWriter) bounds() (minValue, maxValue []byte, ok bool) {
	for i := range c.stats {
		s := &c.stats[i]
		switch {
		case !s.hasBounds && s.nulls < s.entries:
			return nil, nil, false
		case !s.hasBounds:
		case !ok:
			minValue, maxValue, ok = s.minValue, s.maxValue, true
		default:
			if lessValue(c.kind, s.minValue, minValue) {
				minValue = s.minValue
			}
			if lessValue(c.kind, maxValue, s.maxValue) {
				maxValue = s.maxValue
			}
		}
	}
	return minValue, maxValue, ok
}

// encodeColumnIndex returns the column index of c, or nil if a page has no bounds.
func (c *columnWriter) encodeColumnIndex() []byte {
	for i := range c.stats {
		if s := &c.stats[i]; !s.hasBounds && s.nulls < s.entries {
			return nil
		}
	}
	// The Parquet library would encode false as 0 in the list of booleans; the compact protocol
	// says 2.
	var e thriftEncoder
	e.begin()
	e.list(1, kindTrue, len(c.stats))
	for i := range c.stats {
		if c.stats[i].hasBounds {
			e.b = append(e.b, kindFalse)
		} else {
			e.b = append(e.b, kindTrue)
		}
	}
	for id := int16(2); id <= 3; id++ {
		e.list(id, kindBinary, len(c.stats))
		for i := range c.stats {
			if id == 2 {
				e.rawString(string(c.stats[i].minValue))
			} else {
				e.rawString(string(c.stats[i].maxValue))
			}
		}
	}
	e.i32(4, int(format.Unordered))
	e.list(5, kindI64, len(c.stats))
	for i := range c.stats {
		e.zigzag(int64(c.stats[i].nulls))
	}
	e.end()
	return e.b
}

// encodeOffsetIndex returns the offset index of c if c begins at an offset of the file.
func (c *columnWriter) encodeOffsetIndex(offset int64) []byte {
	if c.usesDictionary() {
		offset += int64(len(c.dict))
	}
	index := format.OffsetIndex{PageLocations: slices.Clone(c.locations)}
	for i := range index.PageLocations {
		index.PageLocations[i].Offset += offset
	}
	return marshal(&index)
}
