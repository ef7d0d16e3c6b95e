package parquet

import (
	"fmt"
	"sort"
	"sync"

	"github.com/parquet-go/parquet-go/format"
)

// chunk is a column of a row group.
type chunk struct {
	s          *Source
	l          *leaf
	meta       *format.ColumnMetaData
	head       *format.ColumnChunk
	start, end int64 // its bytes in the file
	rows       int64

	open  sync.Mutex // of what follows; pages stay as they are once they are there
	pages []*page
	dict  *dictionary
	// Place of the dictionary page, 0 if there is none.
	dictAt int64
}

// newChunk checks where the column is.
func newChunk(s *Source, l *leaf, head *format.ColumnChunk, rows int64) (*chunk, error) {
	m := &head.MetaData
	switch {
	case head.FilePath != "":
		return nil, fmt.Errorf("its values are in another file, %q", head.FilePath)
	case head.CryptoMetadata.Value != nil || len(head.EncryptedColumnMetadata) > 0:
		return nil, fmt.Errorf("it is encrypted")
	case m.Type != l.kind:
		return nil, fmt.Errorf("%w: its type is %s, but %s in the schema", errThrift, m.Type, l.kind)
	case m.NumValues < 0 || l.single() && m.NumValues != rows:
		return nil, fmt.Errorf("%w: %d values in %d rows", errThrift, m.NumValues, rows)
	}
	c := &chunk{s: s, l: l, meta: m, head: head, rows: rows, start: m.DataPageOffset}
	if at := m.DictionaryPageOffset; at > 0 && at < c.start {
		c.start = at
	}
	c.end = c.start + m.TotalCompressedSize
	if c.start < int64(len(magic)) || m.TotalCompressedSize < 0 || c.end < c.start || c.end > s.footer {
		return nil, fmt.Errorf("%w: its bytes are %d to %d of %d", errThrift, c.start, c.end, s.footer)
	}
	return c, nil
}

// locate finds the pages: by the offset index if there is one, else from header to
// header.
func (c *chunk) locate() (err error) {
	c.open.Lock()
	defer c.open.Unlock()
	if c.pages != nil {
		return nil
	}
	defer guard(&err)
	var pages []*page
	if c.head.OffsetIndexOffset > 0 && c.head.OffsetIndexLength > 0 {
		pages, err = c.indexed()
	} else {
		pages, err = c.scanned()
	}
	if err != nil {
		return err
	}
	if err := c.number(pages); err != nil {
		return err
	}
	c.pages = pages
	return nil
}

// indexed returns the pages that the offset index lists.
func (c *chunk) indexed() ([]*page, error) {
	raw, err := c.s.bytes(c.head.OffsetIndexOffset, int(c.head.OffsetIndexLength))
	if err != nil {
		return nil, err
	}
	var index format.OffsetIndex
	if err := unmarshal(raw, &index); err != nil {
		return nil, fmt.Errorf("offset index: %w", err)
	}
	pages := make([]*page, 0, len(index.PageLocations))
	for i, p := range index.PageLocations {
		if p.Offset < c.start || p.CompressedPageSize < 1 || p.Offset > c.end-int64(p.CompressedPageSize) ||
			p.FirstRowIndex < 0 || i == 0 && p.FirstRowIndex != 0 || i > 0 && p.FirstRowIndex < pages[i-1].first {
			return nil, fmt.Errorf("%w: offset index: page %d", errThrift, i)
		}
		if i == 0 && p.Offset > c.start {
			c.dictAt = c.start
		}
		pages = append(pages, &page{at: p.Offset, size: int(p.CompressedPageSize), first: p.FirstRowIndex, rows: -1})
	}
	for i, p := range pages {
		next := c.rows
		if i+1 < len(pages) {
			next = pages[i+1].first
		}
		if p.rows = next - p.first; p.rows < 0 {
			return nil, fmt.Errorf("%w: offset index: page %d begins with row %d of %d", errThrift, i, p.first, c.rows)
		}
	}
	return pages, nil
}

// scanned returns the pages that are found one behind the other. rows is −1 where a
// page does not say how many begin in it.
func (c *chunk) scanned() ([]*page, error) {
	pages := []*page{}
	var entries int64
	for at := c.start; at < c.end && entries < c.meta.NumValues; {
		h, err := c.headerAt(at)
		if err != nil {
			return nil, fmt.Errorf("page at byte %d: %w", at, err)
		}
		size := h.length + h.size
		if int64(size) > c.end-at {
			return nil, fmt.Errorf("%w: page at byte %d is cut off", errCorrupt, at)
		}
		switch h.kind {
		case format.DictionaryPage:
			if c.dictAt == 0 {
				c.dictAt = at
			}
		case format.DataPage, format.DataPageV2:
			p := &page{at: at, size: size, rows: int64(h.rows)}
			if c.l.single() {
				p.rows = int64(h.entries)
			}
			pages = append(pages, p)
			entries += int64(h.entries)
		}
		at += int64(size)
	}
	if entries != c.meta.NumValues {
		return nil, fmt.Errorf("%w: %d values where %d are", errCorrupt, entries, c.meta.NumValues)
	}
	return pages, nil
}

// check reports pages that are not where the metadata say, as in files of writers from
// before 2014 that forgot the header of the dictionary. An offset index is trusted.
func (c *chunk) check() (err error) {
	c.open.Lock()
	defer c.open.Unlock()
	if c.head.OffsetIndexOffset > 0 || c.pages != nil {
		return nil
	}
	defer guard(&err)
	_, err = c.scanned()
	return err
}

// number sets which rows the pages have, and checks their sum. Where a page does not
// say how many rows begin in it, its levels do.
func (c *chunk) number(pages []*page) error {
	var first int64
	for _, p := range pages {
		if p.rows < 0 {
			d, err := c.peek(p)
			if err != nil {
				return err
			}
			p.rows = 0
			for _, r := range d.rep {
				if r == 0 {
					p.rows++
				}
			}
		}
		p.first = first
		first += p.rows
	}
	if first != c.rows {
		return fmt.Errorf("%w: %d rows where %d are", errCorrupt, first, c.rows)
	}
	return nil
}

// peek decodes p while c is being opened, and keeps nothing.
func (c *chunk) peek(p *page) (*decoded, error) {
	raw, err := c.s.bytes(p.at, p.size)
	if err != nil {
		return nil, err
	}
	h, _, err := readHeader(raw)
	if err != nil {
		return nil, err
	}
	body, err := h.body(raw)
	if err != nil {
		return nil, err
	}
	twin := &chunk{s: c.s, l: c.l, meta: c.meta, head: c.head, start: c.start, end: c.end, rows: c.rows, dictAt: c.dictAt, dict: c.dict}
	d, err := twin.decode(&h, body)
	c.dict = twin.dict
	return d, err
}

// headerAt reads the header of the page there.
func (c *chunk) headerAt(at int64) (header, error) {
	// Headers have some 30 bytes, and with statistics of long strings more; what is cut
	// off is read again, longer.
	for size := int64(256); ; size *= 8 {
		raw, err := c.s.bytes(at, int(min(size, c.end-at)))
		if err != nil {
			return header{}, err
		}
		h, enough, err := readHeader(raw)
		if err == nil || enough || int64(len(raw)) < size {
			return h, err
		}
	}
}

// dictionary returns the dictionary, which is read once.
func (c *chunk) dictionary() (_ *dictionary, err error) {
	c.open.Lock()
	defer c.open.Unlock()
	if c.dict != nil {
		return c.dict, nil
	}
	if c.dictAt == 0 {
		return nil, fmt.Errorf("%w: no dictionary", errCorrupt)
	}
	defer guard(&err)
	h, err := c.headerAt(c.dictAt)
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	size := h.length + h.size
	if h.kind != format.DictionaryPage || int64(size) > c.end-c.dictAt {
		return nil, fmt.Errorf("%w: dictionary", errCorrupt)
	}
	raw, err := c.s.bytes(c.dictAt, size)
	if err != nil {
		return nil, err
	}
	body, err := h.body(raw)
	if err == nil {
		body, err = decompress(c.meta.Codec, body, h.expanded)
	}
	d := &dictionary{raw: raw, expanded: h.length + h.expanded}
	if err == nil {
		// PLAIN_DICTIONARY is an old name of PLAIN here.
		d.values, err = readValues(c.l, format.Plain, body, h.entries)
	}
	if codec := writtenCodec(c.meta.Codec); err == nil && codec != c.meta.Codec {
		d.raw, d.expanded, err = dictionaryPage(codec, d.n, body)
	}
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	if c.l.isCoordinate() {
		d.coordinates = c.l.coordinates(nil, &d.values, 0, d.n)
	}
	c.dict = d
	return d, nil
}

// holding returns the first and the last page with rows of [lo, hi), −1 and −2 if lo =
// hi. A row that goes on in a later page is not looked at.
func (c *chunk) holding(lo, hi int64) (first, last int) {
	if lo >= hi {
		return -1, -2
	}
	first = sort.Search(len(c.pages), func(i int) bool { return c.pages[i].first > lo }) - 1
	last = sort.Search(len(c.pages), func(i int) bool { return c.pages[i].first >= hi }) - 1
	return first, last
}

// forget frees the pages that end in [lo, hi).
func (c *chunk) forget(lo, hi int64) {
	c.open.Lock()
	pages := c.pages
	c.open.Unlock()
	k := sort.Search(len(pages), func(i int) bool { return pages[i].first+pages[i].rows > lo })
	for ; k < len(pages) && pages[k].first+pages[k].rows <= hi; k++ {
		pages[k].forget()
	}
}
