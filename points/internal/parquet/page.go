package parquet

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
	"sync"

	"github.com/parquet-go/parquet-go/format"
)

// page is a page of values. It is decoded once, by whoever needs it first, for all
// blocks that have rows of it.
type page struct {
	at    int64 // place of its header in the file
	size  int   // bytes with the header
	first int64 // rows of the row group that begin before it
	rows  int64 // rows that begin in it

	mu  sync.Mutex
	raw []byte // as in the file; nil before it is read and after it is decoded
	dec *decoded
}

// decoded is what a page holds: entries, each a value, a null or an empty list.
type decoded struct {
	entries  int
	rep, def []byte // levels; nil if all are 0
	present  int    // entries with a value
	values   values
	index    []uint32 // places in dict, instead of values
	dict     *dictionary
}

// dictionary is the dictionary of a column in a row group.
type dictionary struct {
	values
	raw         []byte    // the page as in the file
	expanded    int       // bytes of raw without compression
	coordinates []float64 // the values, of columns of coordinates
}

// all returns the values that d.at tells the places of.
func (d *decoded) all() *values {
	if d.index != nil {
		return &d.dict.values
	}
	return &d.values
}

// at returns the place in d.all() of the value k.
func (d *decoded) at(k int) int {
	if d.index != nil {
		return int(d.index[k])
	}
	return k
}

// before returns how many of the first n entries have a value.
func (d *decoded) before(n int, l *leaf) int {
	if d.present == d.entries {
		return n
	}
	return bytes.Count(d.def[:n], []byte{l.maxDef})
}

// forget frees what p holds; those who use it keep it until they are done.
func (p *page) forget() {
	p.mu.Lock()
	p.raw, p.dec = nil, nil
	p.mu.Unlock()
}

// read reads the bytes of p if they are not there.
func (p *page) read(c *chunk) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.raw == nil && p.dec == nil {
		p.raw, err = c.s.bytes(p.at, p.size)
	}
	return err
}

// decode returns what p holds.
func (p *page) decode(c *chunk) (d *decoded, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dec != nil {
		return p.dec, nil
	}
	raw := p.raw
	if raw == nil {
		if raw, err = c.s.bytes(p.at, p.size); err != nil {
			return nil, err
		}
	}
	defer guard(&err)
	h, _, err := readHeader(raw)
	if err != nil {
		return nil, err
	}
	if h.kind == format.DictionaryPage || h.kind == format.IndexPage {
		return nil, fmt.Errorf("%w: %s where values are", errCorrupt, h.kind)
	}
	body, err := h.body(raw)
	if err != nil {
		return nil, err
	}
	if d, err = c.decode(&h, body); err != nil {
		return nil, fmt.Errorf("page at byte %d: %w", p.at, err)
	}
	if c.l.single() && int64(d.entries) != p.rows {
		return nil, fmt.Errorf("%w: page at byte %d: %d rows where %d are", errCorrupt, p.at, d.entries, p.rows)
	}
	p.raw, p.dec = nil, d
	return d, nil
}

// body returns the bytes behind the header, whose checksum is right if there is one.
func (h *header) body(raw []byte) ([]byte, error) {
	if h.size > len(raw)-h.length {
		return nil, fmt.Errorf("%w: page of %d bytes where %d are", errCorrupt, h.size, len(raw)-h.length)
	}
	body := raw[h.length : h.length+h.size]
	if h.checked {
		if got := crc32.ChecksumIEEE(body); got != h.crc {
			return nil, fmt.Errorf("%w: checksum of a page is %#08x, want %#08x", errCorrupt, got, h.crc)
		}
	}
	return body, nil
}

// decode decodes the body of a page of values.
func (c *chunk) decode(h *header, body []byte) (d *decoded, err error) {
	// A run of levels or of places in a dictionary may have any length in a few bytes.
	// Pages are meant to have a megabyte; 2^27 entries are far above what is written.
	const most = 1 << 27
	if int64(h.entries) > c.meta.NumValues || h.entries > most {
		return nil, fmt.Errorf("%w: %d values in a page, %d in the column", errCorrupt, h.entries, c.meta.NumValues)
	}
	d = &decoded{entries: h.entries, present: h.entries}
	if h.kind == format.DataPageV2 {
		body, err = d.levelsV2(h, body, c)
	} else {
		body, err = d.levelsV1(h, body, c)
	}
	if err != nil {
		return nil, err
	}
	if d.def != nil {
		d.present = bytes.Count(d.def, []byte{c.l.maxDef})
		if d.present == d.entries && c.l.single() {
			d.def = nil
		}
	}
	//lint:ignore SA1019 files of old writers have it
	if h.encoding != format.PlainDictionary && h.encoding != format.RLEDictionary {
		d.values, err = readValues(c.l, h.encoding, body, d.present)
		return d, err
	}
	if d.dict, err = c.dictionary(); err != nil {
		return nil, err
	}
	d.index = make([]uint32, d.present)
	if d.present == 0 {
		return d, nil
	}
	if len(body) == 0 || body[0] > 32 {
		return nil, fmt.Errorf("%w: page of a dictionary without the size of its numbers", errCorrupt)
	}
	if _, err := hybrid(d.index, body[1:], int(body[0])); err != nil {
		return nil, err
	}
	var top uint32
	for _, k := range d.index {
		top = max(top, k)
	}
	if int64(top) >= int64(d.dict.n) {
		return nil, fmt.Errorf("%w: value %d of a dictionary of %d", errCorrupt, top, d.dict.n)
	}
	return d, nil
}

// levelsV1 reads the levels of a page of version 1, which are compressed with the
// values, and returns the values.
func (d *decoded) levelsV1(h *header, body []byte, c *chunk) ([]byte, error) {
	body, err := decompress(c.meta.Codec, body, h.expanded)
	if err != nil {
		return nil, err
	}
	for k, highest := range []byte{c.l.maxRep, c.l.maxDef} {
		if highest == 0 {
			continue
		}
		width := levelBits(highest)
		levels := make([]byte, d.entries)
		if h.levels[k] == format.BitPacked {
			body, err = unpackHigh(levels, body, width)
		} else {
			var coded []byte
			if coded, body, err = prefixed(body); err == nil {
				_, err = hybrid(levels, coded, width)
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

// levelsV2 reads the levels of a page of version 2, and returns the values.
func (d *decoded) levelsV2(h *header, body []byte, c *chunk) ([]byte, error) {
	front := h.bytes[0] + h.bytes[1]
	if front > len(body) || front > h.expanded {
		return nil, fmt.Errorf("%w: levels of %d bytes in a page of %d", errCorrupt, front, len(body))
	}
	for k, highest := range []byte{c.l.maxRep, c.l.maxDef} {
		coded := body[:h.bytes[k]]
		body = body[h.bytes[k]:]
		if highest == 0 {
			continue
		}
		levels := make([]byte, d.entries)
		_, err := hybrid(levels, coded, levelBits(highest))
		if err == nil {
			err = d.setLevels(k, levels, highest)
		}
		if err != nil {
			return nil, fmt.Errorf("levels: %w", err)
		}
	}
	if !h.packed {
		return body, nil
	}
	return decompress(c.meta.Codec, body, h.expanded-front)
}

// setLevels sets the repetition (k = 0) or definition levels.
func (d *decoded) setLevels(k int, levels []byte, highest byte) error {
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

// header is what stands before a page.
type header struct {
	length   int // of the header itself
	kind     format.PageType
	expanded int // bytes of the page without compression
	size     int // as it stands in the file
	crc      uint32
	checked  bool // crc was given
	entries  int  // values, nulls and empty lists
	encoding format.Encoding
	levels   [2]format.Encoding // of repetition and definition levels, version 1
	bytes    [2]int             // of them, version 2
	rows     int                // −1 if the page does not say
	packed   bool               // version 2: the values are compressed
}

// readHeader reads the header at the start of b. enough is false if b may be too short.
func readHeader(b []byte) (h header, enough bool, err error) {
	fs, n, err := fields(b, 0, nil)
	if err != nil {
		return header{}, false, fmt.Errorf("page header: %w", err)
	}
	h = header{length: n, rows: -1, packed: true}
	var inner []field
	for _, f := range fs {
		switch f.id {
		case 1:
			h.kind = format.PageType(f.number())
		case 2:
			h.expanded, err = natural(f, err)
		case 3:
			h.size, err = natural(f, err)
		case 4:
			h.crc, h.checked = uint32(f.number()), true
		case 5, 7, 8:
			if inner, err = f.fields(); err == nil {
				err = h.inner(f.id, inner)
			}
		}
		if err != nil {
			return header{}, true, err
		}
	}
	if data := h.kind == format.DataPage && find(fs, 5) != nil || h.kind == format.DataPageV2 && find(fs, 8) != nil ||
		h.kind == format.DictionaryPage && find(fs, 7) != nil || h.kind == format.IndexPage; !data {
		return header{}, true, fmt.Errorf("page header: %w: kind %d", errThrift, h.kind)
	}
	return h, true, nil
}

// inner reads the part of the header that belongs to the kind of the page.
func (h *header) inner(id int16, fs []field) (err error) {
	for _, f := range fs {
		switch {
		case f.id == 1:
			h.entries, err = natural(f, err)
		case f.id == 2 && id != 8:
			h.encoding = format.Encoding(f.number())
		case f.id == 3 && id == 5:
			h.levels[1] = format.Encoding(f.number())
		case f.id == 4 && id == 5:
			h.levels[0] = format.Encoding(f.number())
		case id != 8:
		case f.id == 3:
			h.rows, err = natural(f, err)
		case f.id == 4:
			h.encoding = format.Encoding(f.number())
		case f.id == 5:
			h.bytes[1], err = natural(f, err)
		case f.id == 6:
			h.bytes[0], err = natural(f, err)
		case f.id == 7:
			h.packed = f.kind == kindTrue
		}
	}
	return err
}

// natural returns the number of a field that may not be negative. It passes err on.
func natural(f field, err error) (int, error) {
	v := f.number()
	if err == nil && (v < 0 || v > math.MaxInt32) {
		err = fmt.Errorf("page header: %w: %d in field %d", errThrift, v, f.id)
	}
	return int(v), err
}

// writeHeader appends the header of a page of version 1 with RLE levels.
func writeHeader(dst []byte, enc format.Encoding, entries, expanded, size int) []byte {
	e := encoder{b: dst}
	e.begin()
	e.i32(1, int(format.DataPage))
	e.i32(2, expanded)
	e.i32(3, size)
	e.inner(5)
	e.i32(1, entries)
	e.i32(2, int(enc))
	e.i32(3, int(format.RLE))
	e.i32(4, int(format.RLE))
	e.end()
	e.end()
	return e.b
}
