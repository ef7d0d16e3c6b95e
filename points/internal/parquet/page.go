package parquet

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/bits"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/plural"
)

// page is a data page. The first block with rows in the page decodes it for all such blocks.
type page struct {
	offset   int64 // offset of the page header in the file
	size     int   // size in bytes, with the header
	firstRow int64 // number of rows of the row group that begin before this page
	rows     int64 // number of rows that begin in this page

	mu      sync.Mutex
	raw     []byte // bytes of the page in the file; nil before page.read and after page.decode
	decoded *decodedPage
}

// decodedPage holds the entries of a page. An entry is a value, a null or an empty list.
type decodedPage struct {
	entries  int
	rep, def []byte // levels; nil if all are 0 (rep) or maxDef (def)
	present  int    // number of entries with a value
	values   values
	indices  []uint32 // indices of the values in dict; nil if the page has no indices
	dict     *dictionary
	reserved int64 // number of bytes that Source.reserve counted for the page
}

// dictionary is the dictionary of a column chunk.
type dictionary struct {
	values
	page        dictionaryPage // dictionary page for an output file
	coordinates []float64      // the values as coordinates, if the column can be a coordinate
}

// storage returns d.values or, if the page has indices, the values of the dictionary.
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

// release removes the data from p. Blocks can still use the decoded page.
func (p *page) release(s *Source) {
	p.mu.Lock()
	if p.decoded != nil {
		_ = s.reserve(-p.decoded.reserved)
	}
	p.raw, p.decoded = nil, nil
	p.mu.Unlock()
}

// read reads the bytes of p, unless they are in memory or decoded.
func (p *page) read(c *columnChunk) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.raw == nil && p.decoded == nil {
		p.raw, err = c.src.read(p.offset, p.size)
	}
	return err
}

// decode returns the entries of p. Further calls return the same entries.
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
		return nil, plural.Errorf("%w: the page at byte %d has %d rows, expected %d", errCorrupt, p.offset, d.entries, p.rows)
	}
	p.raw, p.decoded = nil, d
	return d, nil
}

func (p *page) decodeRaw(c *columnChunk, raw []byte) (*decodedPage, error) {
	h, _, err := readHeader(raw)
	if err != nil {
		return nil, err
	}
	if h.Type == format.DictionaryPage || h.Type == format.IndexPage {
		return nil, fmt.Errorf("%w: the page has type %s, expected a data page", errCorrupt, h.Type)
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

// usualRatio is a compression ratio that pages of points seldom exceed (tuning).
const usualRatio = 64

// excess returns the number of uncompressed bytes beyond usualRatio times the compressed size.
// These bytes count as decoded bytes, because a header can declare any uncompressed size.
func (h *pageHeader) excess() int64 {
	return max(0, int64(h.UncompressedPageSize)-usualRatio*int64(h.CompressedPageSize))
}

// body returns the bytes after the header. It fails if a checksum does not match.
func (h *pageHeader) body(raw []byte) ([]byte, error) {
	size := int(h.CompressedPageSize)
	if size > len(raw)-h.length {
		return nil, plural.Errorf("%w: the page has %d bytes, expected %d", errCorrupt, size, len(raw)-h.length)
	}
	body := raw[h.length : h.length+size]
	if !h.hasCRC {
		return body, nil
	}
	if sum := crc32.ChecksumIEEE(body); sum != uint32(h.CRC) {
		return nil, fmt.Errorf("%w: checksum of a page is %#08x, expected %#08x", errCorrupt, sum, uint32(h.CRC))
	}
	return body, nil
}

// decodePage decodes the body of a data page.
func (c *columnChunk) decodePage(h *pageHeader, body []byte) (d *decodedPage, err error) {
	if int64(h.entries) > c.meta.NumValues {
		return nil, plural.Errorf("%w: a page has %d values, must have at most %d", errCorrupt, h.entries, c.meta.NumValues)
	}
	d = &decodedPage{entries: h.entries, present: h.entries}
	reserve := func(n int64) error {
		err := c.src.reserve(n)
		if err == nil {
			d.reserved += n
		}
		return err
	}
	levels := int64(h.entries) * int64(min(c.leaf.maxRep, 1)+min(c.leaf.maxDef, 1))
	if err := reserve(h.excess() + levels); err != nil {
		return nil, err
	}
	if body, err = d.readLevels(h, body, c); err != nil {
		return nil, err
	}
	if d.def != nil {
		d.present = bytes.Count(d.def, []byte{c.leaf.maxDef})
		if d.present == d.entries && c.leaf.single() {
			d.def = nil
		}
	}
	if err := reserve(int64(d.present) * valueBytes(h.encoding)); err != nil {
		return nil, err
	}
	//lint:ignore SA1019 old writers use PlainDictionary
	if h.encoding != format.PlainDictionary && h.encoding != format.RLEDictionary {
		if d.values, err = decodeValues(c.leaf, h.encoding, body, d.present); err != nil {
			return nil, err
		}
		return d, reserve(int64(max(0, cap(d.values.data)-len(body))))
	}
	if d.dict, err = c.dictionary(); err != nil {
		return nil, err
	}
	d.indices = make([]uint32, d.present)
	if d.present == 0 {
		return d, nil
	}
	if len(body) == 0 || body[0] > 32 {
		return nil, fmt.Errorf("%w: the dictionary indices have no bit width", errCorrupt)
	}
	if _, err := decodeHybrid(d.indices, body[1:], int(body[0])); err != nil {
		return nil, err
	}
	if top := slices.Max(d.indices); int64(top) >= int64(d.dict.n) {
		return nil, plural.Errorf("%w: a value has index %d, but the dictionary has %d values", errCorrupt, top, d.dict.n)
	}
	return d, nil
}

// valueBytes bounds the memory for decoding a value, except for its text and for its bytes in the page:
// an index, lengths of prefixes and suffixes and an offset, or an integer in two forms.
func valueBytes(encoding format.Encoding) int64 {
	switch encoding {
	case format.Plain:
		return 4
	case format.RLE:
		return 1
	case format.PlainDictionary, format.RLEDictionary: //lint:ignore SA1019 old writers use PlainDictionary
		return 4
	case format.DeltaByteArray:
		return 24
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		return 16
	}
	return 8
}

// readLevels reads the repetition and definition levels and returns the decompressed bytes of the
// values. In pages of version 1, levels and values are compressed together. In version 2, only the
// values are compressed.
func (d *decodedPage) readLevels(h *pageHeader, body []byte, c *columnChunk) ([]byte, error) {
	v2, uncompressed := h.Type == format.DataPageV2, int(h.UncompressedPageSize)
	var err error
	if !v2 {
		if body, err = decompress(c.meta.Codec, body, uncompressed); err != nil {
			return nil, err
		}
	} else if size := h.levelBytes[0] + h.levelBytes[1]; size > len(body) || size > uncompressed {
		return nil, plural.Errorf("%w: the levels have %d bytes, but the page has %d", errCorrupt, size, len(body))
	}
	for k, highest := range []byte{c.leaf.maxRep, c.leaf.maxDef} {
		size := h.levelBytes[k]
		if highest == 0 {
			body = body[size:]
			continue
		}
		levels, width := make([]byte, d.entries), bits.Len8(highest)
		var coded []byte
		switch {
		case v2:
			coded, body = body[:size], body[size:]
			_, err = decodeHybrid(levels, coded, width)
		case h.levelEncodings[k] == format.BitPacked:
			body, err = unpackMSB(levels, body, width)
		default:
			if coded, body, err = cutPrefixed(body); err == nil {
				_, err = decodeHybrid(levels, coded, width)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("levels: %w", err)
		}
		if len(levels) > 0 && slices.Max(levels) > highest {
			return nil, fmt.Errorf("%w: level %d is larger than the maximum, %d", errCorrupt, slices.Max(levels), highest)
		}
		if k == 0 {
			d.rep = levels
		} else {
			d.def = levels
		}
	}
	if h.valuesCompressed {
		return decompress(c.meta.Codec, body, uncompressed-h.levelBytes[0]-h.levelBytes[1])
	}
	return body, nil
}

// pageHeader is the header of a page. It also has values from the nested header for the page type,
// such as DataPageHeader.
type pageHeader struct {
	format.PageHeader
	length           int  // length of the header itself
	hasCRC           bool // CRC is present
	entries          int  // number of values, nulls and empty lists
	encoding         format.Encoding
	levelEncodings   [2]format.Encoding // version 1: encodings of repetition and definition levels
	levelBytes       [2]int             // version 2: lengths of repetition and definition levels
	rows             int                // number of rows that begin in the page; −1 if unknown
	valuesCompressed bool               // version 2: values are compressed, levels are not
}

// readHeader reads the header at the start of b. It returns false if b may be too short.
func readHeader(b []byte) (h pageHeader, complete bool, err error) {
	fs, n, err := readStruct(b, 0)
	if err != nil {
		return h, false, fmt.Errorf("page header: %w", err)
	}
	if err := unmarshal(b[:n], &h.PageHeader); err != nil {
		return h, true, fmt.Errorf("page header: %w: %w", errThrift, err)
	}
	h.length, h.hasCRC, h.rows = n, findField(fs, pageCRC) != nil, -1
	valid := true
	switch h.Type {
	case format.DataPage:
		var v format.DataPageHeader
		v, valid = h.DataPageHeader.Get()
		h.entries, h.encoding = int(v.NumValues), v.Encoding
		h.levelEncodings = [2]format.Encoding{v.RepetitionLevelEncoding, v.DefinitionLevelEncoding}
	case format.DataPageV2:
		var v format.DataPageHeaderV2
		v, valid = h.DataPageHeaderV2.Get()
		h.entries, h.encoding, h.rows = int(v.NumValues), v.Encoding, int(v.NumRows)
		h.levelBytes = [2]int{int(v.RepetitionLevelsByteLength), int(v.DefinitionLevelsByteLength)}
		h.valuesCompressed = v.IsCompressed.V || !v.IsCompressed.Valid
		valid = valid && h.rows >= 0
	case format.DictionaryPage:
		var v format.DictionaryPageHeader
		v, valid = h.DictionaryPageHeader.Get()
		h.entries, h.encoding = int(v.NumValues), v.Encoding
	case format.IndexPage:
	default:
		valid = false
	}
	if !valid || min(int(h.UncompressedPageSize), int(h.CompressedPageSize), h.entries, h.levelBytes[0], h.levelBytes[1]) < 0 {
		return h, true, fmt.Errorf("page header: %w: invalid page of type %d", errThrift, h.Type)
	}
	return h, true, nil
}
