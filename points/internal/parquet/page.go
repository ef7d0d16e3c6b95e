package parquet

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
	"sync"

	"github.com/parquet-go/parquet-go/format"
)

// page is a data page. The first block that needs it decodes it for all blocks that have rows of
// it.
type page struct {
	offset   int64 // of its header in the file
	size     int   // in bytes, with the header
	firstRow int64 // number of rows of the row group that begin before this page
	rows     int64 // number of rows that begin in this page

	mu      sync.Mutex
	raw     []byte // bytes of the file; nil before they are read and after they are decoded
	decoded *decodedPage
}

// decodedPage holds the entries of a page. An entry is a value, a null or an empty list.
type decodedPage struct {
	entries  int
	rep, def []byte // levels; nil if all are equal to 0 or to maxDef
	present  int    // number of entries with a value
	values   values
	indices  []uint32 // of the values in dict, instead of values
	dict     *dictionary
}

// dictionary is the dictionary of a column chunk.
type dictionary struct {
	values
	raw          []byte    // the page to write into a copy, with its header
	uncompressed int       // length of raw without compression
	coordinates  []float64 // the values as coordinates, if the column can be one
}

// storage returns the values that valueIndex points into.
func (d *decodedPage) storage() *values {
	if d.indices != nil {
		return &d.dict.values
	}
	return &d.values
}

// valueIndex returns the index in d.storage() of value k of the page.
func (d *decodedPage) valueIndex(k int) int {
	if d.indices != nil {
		return int(d.indices[k])
	}
	return k
}

// valuesBefore returns the number of values among the first n entries.
func (d *decodedPage) valuesBefore(n int, l *leaf) int {
	if d.present == d.entries {
		return n
	}
	return bytes.Count(d.def[:n], []byte{l.maxDef})
}

// release drops the memory of p. Blocks that use it keep it alive until they are done.
func (p *page) release() {
	p.mu.Lock()
	p.raw, p.decoded = nil, nil
	p.mu.Unlock()
}

// read reads the bytes of p, unless it holds them or is decoded.
func (p *page) read(c *columnChunk) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.raw == nil && p.decoded == nil {
		p.raw, err = c.src.read(p.offset, p.size)
	}
	return err
}

// decode returns the entries of p. It decodes them once.
func (p *page) decode(c *columnChunk) (d *decodedPage, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.decoded != nil {
		return p.decoded, nil
	}
	raw := p.raw
	if raw == nil {
		if raw, err = c.src.read(p.offset, p.size); err != nil {
			return nil, err
		}
	}
	defer recoverDamage(&err)
	if d, err = p.decodeRaw(c, raw); err != nil {
		return nil, err
	}
	if c.leaf.single() && int64(d.entries) != p.rows {
		return nil, fmt.Errorf("%w: page at byte %d: %d rows, want %d", errCorrupt, p.offset, d.entries, p.rows)
	}
	p.raw, p.decoded = nil, d
	return d, nil
}

// decodeRaw decodes the bytes of p.
func (p *page) decodeRaw(c *columnChunk, raw []byte) (*decodedPage, error) {
	h, _, err := readHeader(raw)
	if err != nil {
		return nil, err
	}
	if h.kind == format.DictionaryPage || h.kind == format.IndexPage {
		return nil, fmt.Errorf("%w: %s, want a data page", errCorrupt, h.kind)
	}
	body, err := h.body(raw)
	if err != nil {
		return nil, err
	}
	d, err := c.decodePage(&h, body)
	if err != nil {
		return nil, fmt.Errorf("page at byte %d: %w", p.offset, err)
	}
	return d, nil
}

// body returns the bytes after the header. If the header has a checksum, it must match.
func (h *pageHeader) body(raw []byte) ([]byte, error) {
	if h.compressed > len(raw)-h.length {
		return nil, fmt.Errorf("%w: page of %d bytes, want %d", errCorrupt, h.compressed, len(raw)-h.length)
	}
	body := raw[h.length : h.length+h.compressed]
	if h.hasCRC {
		if sum := crc32.ChecksumIEEE(body); sum != h.crc {
			return nil, fmt.Errorf("%w: checksum of a page is %#08x, want %#08x", errCorrupt, sum, h.crc)
		}
	}
	return body, nil
}

// decodePage decodes the body of a data page.
func (c *columnChunk) decodePage(h *pageHeader, body []byte) (d *decodedPage, err error) {
	// A run of levels or of dictionary indices can have any length in a few bytes, so the number
	// of entries bounds the memory. Pages should have a megabyte; 2^27 entries are far more than
	// writers produce.
	const maxEntries = 1 << 27
	if int64(h.entries) > c.meta.NumValues || h.entries > maxEntries {
		return nil, fmt.Errorf("%w: %d values in a page, %d in the column", errCorrupt, h.entries, c.meta.NumValues)
	}
	d = &decodedPage{entries: h.entries, present: h.entries}
	if h.kind == format.DataPageV2 {
		body, err = d.levelsV2(h, body, c)
	} else {
		body, err = d.levelsV1(h, body, c)
	}
	if err != nil {
		return nil, err
	}
	if d.def != nil {
		d.present = bytes.Count(d.def, []byte{c.leaf.maxDef})
		if d.present == d.entries && c.leaf.single() {
			d.def = nil
		}
	}
	//lint:ignore SA1019 files of old writers have it
	if h.encoding != format.PlainDictionary && h.encoding != format.RLEDictionary {
		d.values, err = decodeValues(c.leaf, h.encoding, body, d.present)
		return d, err
	}
	if d.dict, err = c.dictionary(); err != nil {
		return nil, err
	}
	d.indices = make([]uint32, d.present)
	if d.present == 0 {
		return d, nil
	}
	if len(body) == 0 || body[0] > 32 {
		return nil, fmt.Errorf("%w: dictionary indices without a bit width", errCorrupt)
	}
	if _, err := decodeHybrid(d.indices, body[1:], int(body[0])); err != nil {
		return nil, err
	}
	var top uint32
	for _, k := range d.indices {
		top = max(top, k)
	}
	if int64(top) >= int64(d.dict.n) {
		return nil, fmt.Errorf("%w: index %d into a dictionary of %d values", errCorrupt, top, d.dict.n)
	}
	return d, nil
}

// levelsV1 reads the levels of a page of version 1, where they are compressed together with the
// values, and returns the bytes of the values.
func (d *decodedPage) levelsV1(h *pageHeader, body []byte, c *columnChunk) ([]byte, error) {
	body, err := decompress(c.meta.Codec, body, h.uncompressed)
	if err != nil {
		return nil, err
	}
	for k, highest := range []byte{c.leaf.maxRep, c.leaf.maxDef} {
		if highest == 0 {
			continue
		}
		width := bitWidth(int(highest))
		levels := make([]byte, d.entries)
		if h.levelEncodings[k] == format.BitPacked {
			body, err = unpackMSB(levels, body, width)
		} else {
			var coded []byte
			if coded, body, err = cutPrefixed(body); err == nil {
				_, err = decodeHybrid(levels, coded, width)
			}
		}
		if err == nil {
			err = d.setLevels(k, levels, highest)
		}
		if err != nil {
			return nil, fmt.Errorf("levels: %w", err)
		}
	}
	return body, nil
}

// levelsV2 reads the levels of a page of version 2, which are not compressed, and returns the
// bytes of the values.
func (d *decodedPage) levelsV2(h *pageHeader, body []byte, c *columnChunk) ([]byte, error) {
	levelsLength := h.levelBytes[0] + h.levelBytes[1]
	if levelsLength > len(body) || levelsLength > h.uncompressed {
		return nil, fmt.Errorf("%w: levels of %d bytes in a page of %d", errCorrupt, levelsLength, len(body))
	}
	for k, highest := range []byte{c.leaf.maxRep, c.leaf.maxDef} {
		coded := body[:h.levelBytes[k]]
		body = body[h.levelBytes[k]:]
		if highest == 0 {
			continue
		}
		levels := make([]byte, d.entries)
		_, err := decodeHybrid(levels, coded, bitWidth(int(highest)))
		if err == nil {
			err = d.setLevels(k, levels, highest)
		}
		if err != nil {
			return nil, fmt.Errorf("levels: %w", err)
		}
	}
	if !h.valuesCompressed {
		return body, nil
	}
	return decompress(c.meta.Codec, body, h.uncompressed-levelsLength)
}

// setLevels sets the repetition levels (k = 0) or the definition levels (k = 1).
func (d *decodedPage) setLevels(k int, levels []byte, highest byte) error {
	for i, v := range levels {
		if v > highest {
			return fmt.Errorf("%w: level %d of entry %d is above %d", errCorrupt, v, i, highest)
		}
	}
	if k == 0 {
		d.rep = levels
	} else {
		d.def = levels
	}
	return nil
}

// pageHeader is the header of a page (PageHeader of parquet.thrift).
type pageHeader struct {
	length           int // of the header itself
	kind             format.PageType
	uncompressed     int // bytes of the page without compression
	compressed       int // bytes of the page in the file
	crc              uint32
	hasCRC           bool // crc is valid
	entries          int  // values, nulls and empty lists
	encoding         format.Encoding
	levelEncodings   [2]format.Encoding // version 1: of repetition and definition levels
	levelBytes       [2]int             // version 2: length of repetition and definition levels
	rows             int                // that begin in the page; −1 if the header does not say
	valuesCompressed bool               // version 2
}

// readHeader reads the header at the start of b. complete is false if b may be too short.
func readHeader(b []byte) (h pageHeader, complete bool, err error) {
	fs, n, err := readStruct(b, 0)
	if err != nil {
		return pageHeader{}, false, fmt.Errorf("page header: %w", err)
	}
	h = pageHeader{length: n, rows: -1, valuesCompressed: true}
	var inner []thriftField
	for _, f := range fs {
		switch f.id {
		case pageType:
			h.kind = format.PageType(f.integer())
		case pageUncompressed:
			h.uncompressed, err = nonNegative(f, err)
		case pageCompressed:
			h.compressed, err = nonNegative(f, err)
		case pageCRC:
			h.crc, h.hasCRC = uint32(f.integer()), true
		case pageData, pageDictionary, pageDataV2:
			if inner, err = f.fields(); err == nil {
				err = h.readKind(f.id, inner)
			}
		}
		if err != nil {
			return pageHeader{}, true, err
		}
	}
	if data := h.kind == format.DataPage && findField(fs, pageData) != nil || h.kind == format.DataPageV2 && findField(fs, pageDataV2) != nil ||
		h.kind == format.DictionaryPage && findField(fs, pageDictionary) != nil || h.kind == format.IndexPage; !data {
		return pageHeader{}, true, fmt.Errorf("page header: %w: kind %d", errThrift, h.kind)
	}
	return h, true, nil
}

// readKind reads the nested struct of a kind of page: DataPageHeader, DictionaryPageHeader, which has
// the same first fields, or DataPageHeaderV2.
func (h *pageHeader) readKind(kind int16, fs []thriftField) (err error) {
	for _, f := range fs {
		v2 := kind == pageDataV2
		switch {
		case f.id == 1:
			h.entries, err = nonNegative(f, err)
		case f.id == 2 && !v2, f.id == 4 && v2:
			h.encoding = format.Encoding(f.integer())
		case f.id == 3 && v2:
			h.rows, err = nonNegative(f, err)
		case f.id == 3:
			h.levelEncodings[1] = format.Encoding(f.integer())
		case f.id == 4:
			h.levelEncodings[0] = format.Encoding(f.integer())
		case f.id == 5 && v2:
			h.levelBytes[1], err = nonNegative(f, err)
		case f.id == 6 && v2:
			h.levelBytes[0], err = nonNegative(f, err)
		case f.id == 7 && v2:
			h.valuesCompressed = f.kind == kindTrue
		}
	}
	return err
}

// nonNegative returns the integer of a field, which must be an int32 ≥ 0. It passes err on.
func nonNegative(f thriftField, err error) (int, error) {
	v := f.integer()
	if err == nil && (v < 0 || v > math.MaxInt32) {
		err = fmt.Errorf("page header: %w: %d in field %d", errThrift, v, f.id)
	}
	return int(v), err
}

// writeHeader appends the header of a page of version 1 with RLE levels.
func writeHeader(dst []byte, enc format.Encoding, entries, uncompressed, compressed int) []byte {
	e := thriftEncoder{b: dst}
	e.begin()
	e.i32(pageType, int(format.DataPage))
	e.i32(pageUncompressed, uncompressed)
	e.i32(pageCompressed, compressed)
	e.beginField(pageData)
	e.i32(1, entries)
	e.i32(2, int(enc))
	e.i32(3, int(format.RLE))
	e.i32(4, int(format.RLE))
	e.end()
	e.end()
	return e.b
}
