package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pageStats are the statistics of a page.
type pageStats struct {
	entries, nulls int // a null is an entry without a value
	// The smallest and the largest value in PLAIN encoding, if hasBounds is set.
	hasBounds          bool
	minValue, maxValue []byte
}

// pageWriter encodes a page. The next page reuses its memory.
type pageWriter struct {
	pageStats
	data         []byte // the page with its header
	uncompressed int    // length that data would have without compression
	encoding     format.Encoding

	body, compressed     []byte
	values               []byte // encoded values, to be appended to body after the levels
	defLevels, repLevels []byte
	indices              []uint32
}

// start removes the previous page from w.
func (w *pageWriter) start() {
	w.data, w.body, w.values, w.minValue, w.maxValue = w.data[:0], w.body[:0], w.values[:0], w.minValue[:0], w.maxValue[:0]
	w.defLevels, w.repLevels, w.indices = w.defLevels[:0], w.repLevels[:0], w.indices[:0]
	w.uncompressed, w.entries, w.nulls, w.hasBounds = 0, 0, 0, false
}

// appendLevels appends levels to the body, or nothing if the highest possible level is 0.
func (w *pageWriter) appendLevels(levels []byte, highest byte) {
	if highest == 0 {
		return
	}
	at := len(w.body)
	w.body = appendHybrid(append(w.body, 0, 0, 0, 0), levels, bits.Len8(highest))
	binary.LittleEndian.PutUint32(w.body[at:], uint32(len(w.body)-at-4))
}

// appendIndices appends indices into a dictionary of the given size to the body.
func (w *pageWriter) appendIndices(indices []uint32, size int) {
	width := bits.Len(uint(max(size-1, 0)))
	w.body = appendHybrid(append(w.body, byte(width)), indices, width)
}

// finish compresses the body and sets w.data to a page of version 1 with RLE levels.
func (w *pageWriter) finish(codec format.CompressionCodec, enc format.Encoding) (err error) {
	w.encoding = enc
	compressed := w.body
	if codec != format.Uncompressed {
		if w.compressed, err = compressTo(w.compressed, codec, w.body); err != nil {
			return err
		}
		compressed = w.compressed
	}
	// kind is a DataPageHeader: number of values, encoding of values, encodings of levels.
	kind := encodeStruct(i32Field(1, w.entries), i32Field(2, int(enc)), i32Field(3, int(format.RLE)), i32Field(4, int(format.RLE)))
	w.data = append(w.data, encodeStruct(i32Field(pageType, int(format.DataPage)), i32Field(pageUncompressed, len(w.body)),
		i32Field(pageCompressed, len(compressed)), thriftField{pageData, kindStruct, kind})...)
	w.uncompressed = len(w.data) + len(w.body)
	w.data = append(w.data, compressed...)
	return nil
}

// appendPrefixed appends the length of s as four bytes, and then s.
func appendPrefixed[T string | []byte](dst []byte, s T) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
}

// dictionaryPage is a dictionary page with its header. The zero value means no page.
type dictionaryPage struct {
	data         []byte
	uncompressed int // length that data would have without compression
}

// newDictionaryPage returns the page of a dictionary of n values, given their PLAIN encoding.
func newDictionaryPage(codec format.CompressionCodec, n int, body []byte) (dictionaryPage, error) {
	compressed, err := compressTo(nil, codec, body)
	if err != nil {
		return dictionaryPage{}, err
	}
	header := marshal(&format.PageHeader{
		Type:                 format.DictionaryPage,
		UncompressedPageSize: int32(len(body)),
		CompressedPageSize:   int32(len(compressed)),
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(n), Encoding: format.Plain}),
	})
	return dictionaryPage{append(header, compressed...), len(header) + len(body)}, nil
}

// columnWriter collects the pages of a column chunk.
type columnWriter struct {
	kind  format.Type
	path  []string
	codec format.CompressionCodec
	dict  dictionaryPage // written only if a page has indices

	buf          []byte                // encoded pages
	locations    []format.PageLocation // offsets are relative to the first page
	entries      int64
	nulls        int64
	uncompressed int64
	encodings    uint // bit e is set if a page has the format.Encoding e
	stats        []pageStats
}

// reset removes the pages from c.
func (c *columnWriter) reset() {
	c.buf, c.locations, c.stats = c.buf[:0], c.locations[:0], c.stats[:0]
	c.entries, c.nulls, c.uncompressed, c.encodings = 0, 0, 0, 0
}

// add appends a page. Its first row is row firstRow of the row group.
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
	stats := w.pageStats
	stats.minValue, stats.maxValue = bytes.Clone(w.minValue), bytes.Clone(w.maxValue)
	c.stats = append(c.stats, stats)
}

func (c *columnWriter) hasEncoding(e format.Encoding) bool { return c.encodings&(1<<e) != 0 }

// writtenDict returns the dictionary page that precedes the pages of c in the file.
func (c *columnWriter) writtenDict() dictionaryPage {
	if c.hasEncoding(format.RLEDictionary) {
		return c.dict
	}
	return dictionaryPage{}
}

// metadata returns the metadata (ColumnChunk of parquet.thrift) and the indexes of c. The column
// begins at the given offset of the file.
func (c *columnWriter) metadata(offset int64) writtenColumn {
	dict := c.writtenDict()
	m := format.ColumnMetaData{
		Type:                  c.kind,
		Encoding:              []format.Encoding{format.RLE}, // encoding of the levels
		PathInSchema:          c.path,
		Codec:                 c.codec,
		NumValues:             c.entries,
		TotalUncompressedSize: c.uncompressed + int64(dict.uncompressed),
		TotalCompressedSize:   int64(len(dict.data) + len(c.buf)),
		DataPageOffset:        offset + int64(len(dict.data)),
		Statistics:            format.Statistics{NullCount: c.nulls},
	}
	if c.hasEncoding(format.Plain) || len(dict.data) > 0 {
		m.Encoding = append(m.Encoding, format.Plain)
	}
	if len(dict.data) > 0 {
		m.DictionaryPageOffset = offset
		m.Encoding = append(m.Encoding, format.RLEDictionary)
	}
	if c.hasAllBounds() {
		m.Statistics.MinValue, m.Statistics.MaxValue = c.bounds()
	}
	index := format.OffsetIndex{PageLocations: slices.Clone(c.locations)}
	for i := range index.PageLocations {
		index.PageLocations[i].Offset += m.DataPageOffset
	}
	fields := mustReadStruct(marshal(&format.ColumnChunk{FileOffset: offset, MetaData: m}))
	return writtenColumn{fields, [2][]byte{offsetIndex: marshal(&index), columnIndex: c.encodeColumnIndex()}}
}

// hasAllBounds reports whether all pages with values have bounds.
func (c *columnWriter) hasAllBounds() bool {
	return !slices.ContainsFunc(c.stats, func(s pageStats) bool { return !s.hasBounds && s.nulls < s.entries })
}

// bounds returns the smallest and the largest value of all pages, or nil if no page has bounds.
func (c *columnWriter) bounds() (minValue, maxValue []byte) {
	for _, s := range c.stats {
		if !s.hasBounds {
			continue
		}
		if minValue == nil || lessValue(c.kind, s.minValue, minValue) {
			minValue = s.minValue
		}
		if maxValue == nil || lessValue(c.kind, maxValue, s.maxValue) {
			maxValue = s.maxValue
		}
	}
	return minValue, maxValue
}

// lessValue reports whether a < b, for encoded BOOLEAN, INT64 or DOUBLE values.
func lessValue(kind format.Type, a, b []byte) bool {
	switch kind {
	case format.Boolean:
		return a[0] < b[0]
	case format.Int64:
		return int64(le64(a)) < int64(le64(b))
	}
	return math.Float64frombits(le64(a)) < math.Float64frombits(le64(b))
}

// encodeColumnIndex returns the column index of c (ColumnIndex of parquet.thrift), or nil if a page
// with values has no bounds.
func (c *columnWriter) encodeColumnIndex() []byte {
	if !c.hasAllBounds() {
		return nil
	}
	var onlyNulls, minima, maxima, nulls [][]byte // encoded list items, one for each page
	for _, s := range c.stats {
		// The compact protocol encodes false as 2, but the Parquet library encodes it as 0.
		isNull := byte(kindTrue)
		if s.hasBounds {
			isNull = kindFalse
		}
		onlyNulls = append(onlyNulls, []byte{isNull})
		minima = append(minima, append(binary.AppendUvarint(nil, uint64(len(s.minValue))), s.minValue...))
		maxima = append(maxima, append(binary.AppendUvarint(nil, uint64(len(s.maxValue))), s.maxValue...))
		nulls = append(nulls, binary.AppendVarint(nil, int64(s.nulls)))
	}
	return encodeStruct(listField(1, kindTrue, onlyNulls), listField(2, kindBinary, minima), listField(3, kindBinary, maxima),
		i32Field(4, int(format.Unordered)), listField(5, kindI64, nulls))
}
