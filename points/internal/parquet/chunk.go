package parquet

import (
	"bytes"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
)

// columnChunk is the part of a column in a row group of the source.
type columnChunk struct {
	src        *Source
	leaf       *leaf
	meta       *format.ColumnMetaData
	header     *format.ColumnChunk
	start, end int64 // byte range in the file
	rows       int64

	mu         sync.Mutex // guards pages and dictOffset, which are set once
	pages      []*page
	dictOffset int64 // offset of the dictionary page in the file, 0 if there is none

	dictionary func() (*dictionary, error) // reads the dictionary once, after locatePages
	reserved   atomic.Int64                // number of bytes that Source.reserve counted for the dictionary
}

// newChunk returns the column chunk that header describes. It checks the type, the number of values
// and the byte range.
func newChunk(s *Source, l *leaf, header *format.ColumnChunk, rows int64) (*columnChunk, error) {
	m := &header.MetaData
	switch {
	case header.FilePath != "":
		return nil, fmt.Errorf("the values are in another file, %s", quote.Word(header.FilePath))
	case header.CryptoMetadata.Value != nil || len(header.EncryptedColumnMetadata) > 0:
		return nil, fmt.Errorf("the column is encrypted")
	case m.Type != l.kind:
		return nil, fmt.Errorf("%w: the column has type %s, but the schema says %s", errThrift, m.Type, l.kind)
	case m.NumValues < 0 || l.single() && m.NumValues != rows:
		return nil, plural.Errorf("%w: the column has %d values, but its row group has %d rows", errThrift, m.NumValues, rows)
	}
	c := &columnChunk{src: s, leaf: l, meta: m, header: header, rows: rows, start: m.DataPageOffset}
	c.dictionary = sync.OnceValues(c.readDictionary)
	if at := m.DictionaryPageOffset; at > 0 && at < c.start {
		c.start = at
	}
	c.end = c.start + m.TotalCompressedSize
	if c.start < int64(len(magic)) || m.TotalCompressedSize < 0 || c.end < c.start || c.end > s.footer {
		return nil, fmt.Errorf("%w: the column is in bytes %d to %d, but must be within bytes 4 to %d", errThrift, c.start, c.end, s.footer)
	}
	return c, nil
}

// locatePages sets c.pages from the offset index, or from the page headers if there is no index.
func (c *columnChunk) locatePages() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages != nil {
		return nil
	}
	defer recoverDamage(&err)
	raw, err := c.src.readIndex(c.header.OffsetIndexOffset, c.header.OffsetIndexLength)
	var pages []*page
	switch {
	case err != nil:
	case raw != nil:
		pages, err = c.indexedPages(raw)
	default:
		pages, err = c.scanPages()
	}
	if err == nil {
		err = c.numberRows(pages)
	}
	if err == nil {
		c.pages = pages
	}
	return err
}

// indexedPages returns the pages in an encoded offset index.
func (c *columnChunk) indexedPages(raw []byte) ([]*page, error) {
	var index format.OffsetIndex
	if err := unmarshal(raw, &index); err != nil {
		return nil, fmt.Errorf("offset index: %w", err)
	}
	pages := make([]*page, 0, len(index.PageLocations))
	for i, p := range index.PageLocations {
		if p.Offset < c.start || i > 0 && p.Offset < pages[i-1].offset+int64(pages[i-1].size) || p.CompressedPageSize < 1 || p.Offset > c.end-int64(p.CompressedPageSize) ||
			p.FirstRowIndex < 0 || i == 0 && p.FirstRowIndex != 0 || i > 0 && p.FirstRowIndex < pages[i-1].firstRow {
			return nil, fmt.Errorf("%w: offset index: invalid page %d", errThrift, i)
		}
		if i == 0 && p.Offset > c.start {
			c.dictOffset = c.start
		}
		if i > 0 {
			pages[i-1].rows = p.FirstRowIndex - pages[i-1].firstRow
		}
		pages = append(pages, &page{offset: p.Offset, size: int(p.CompressedPageSize), firstRow: p.FirstRowIndex, rows: c.rows - p.FirstRowIndex})
	}
	if n := len(pages); n > 0 && pages[n-1].rows < 0 {
		return nil, plural.Errorf("%w: offset index: page %d begins with row %d, but the row group has %d rows", errThrift, n-1, pages[n-1].firstRow, c.rows)
	}
	return pages, nil
}

// scanPages reads all page headers and returns the pages. If the number of rows of a page is
// unknown, page.rows is −1.
func (c *columnChunk) scanPages() ([]*page, error) {
	pages := []*page{}
	var entries int64
	for at := c.start; at < c.end && entries < c.meta.NumValues; {
		h, err := c.readHeaderAt(at)
		if err != nil {
			return nil, fmt.Errorf("page at byte %d: %w", at, err)
		}
		size := h.length + int(h.CompressedPageSize)
		if int64(size) > c.end-at {
			return nil, fmt.Errorf("%w: page at byte %d is cut off", errCorrupt, at)
		}
		switch h.Type {
		case format.DictionaryPage:
			if c.dictOffset == 0 {
				c.dictOffset = at
			}
		case format.DataPage, format.DataPageV2:
			p := &page{offset: at, size: size, rows: int64(h.rows)}
			if c.leaf.single() {
				p.rows = int64(h.entries)
			}
			pages = append(pages, p)
			entries += int64(h.entries)
		}
		at += int64(size)
	}
	if entries != c.meta.NumValues {
		return nil, plural.Errorf("%w: the pages have %d values, expected %d", errCorrupt, entries, c.meta.NumValues)
	}
	return pages, nil
}

// checkPages fails if the page headers do not match the byte range in the metadata. For example,
// writers before 2014 omitted the dictionary header from this range. checkPages does not check
// columns with an offset index.
func (c *columnChunk) checkPages() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.header.OffsetIndexOffset > 0 || c.pages != nil {
		return nil
	}
	defer recoverDamage(&err)
	_, err = c.scanPages()
	return err
}

// numberRows sets page.firstRow and checks the total number of rows. If the number of rows of a
// page is unknown, numberRows decodes the page and counts the repetition levels that are 0: each of
// them begins a row.
func (c *columnChunk) numberRows(pages []*page) error {
	var first int64
	for _, p := range pages {
		if p.rows < 0 {
			raw, err := c.src.read(p.offset, p.size)
			if err != nil {
				return err
			}
			d, err := p.decodeRaw(c, raw)
			if err != nil {
				return err
			}
			p.rows = int64(bytes.Count(d.rep, []byte{0}))
			_ = c.src.reserve(-d.reserved)
		}
		p.firstRow = first
		first += p.rows
	}
	if first != c.rows {
		return plural.Errorf("%w: the pages have %d rows, expected %d", errCorrupt, first, c.rows)
	}
	return nil
}

// readHeaderAt reads the page header at an offset of the file.
func (c *columnChunk) readHeaderAt(at int64) (pageHeader, error) {
	// A header has some 30 bytes, and more if its statistics contain long strings. Then the
	// next iteration reads more.
	for size := int64(256); ; size *= 8 {
		raw, err := c.src.read(at, int(min(size, c.end-at)))
		if err != nil {
			return pageHeader{}, err
		}
		h, complete, err := readHeader(raw)
		if err == nil || complete || int64(len(raw)) < size {
			return h, err
		}
	}
}

// readDictionary reads and decodes the dictionary page.
func (c *columnChunk) readDictionary() (d *dictionary, err error) {
	if c.dictOffset == 0 {
		return nil, fmt.Errorf("%w: no dictionary", errCorrupt)
	}
	defer func() {
		if err != nil {
			d, err = nil, fmt.Errorf("dictionary: %w", err)
		}
	}()
	defer recoverDamage(&err)
	h, err := c.readHeaderAt(c.dictOffset)
	if err != nil {
		return nil, err
	}
	size := h.length + int(h.CompressedPageSize)
	if h.Type != format.DictionaryPage || int64(size) > c.end-c.dictOffset {
		return nil, plural.Errorf("%w: invalid page of type %s with %d bytes", errCorrupt, h.Type, size)
	}
	raw, err := c.src.read(c.dictOffset, size)
	if err != nil {
		return nil, err
	}
	body, err := h.body(raw)
	if err == nil {
		// A value of the dictionary needs an offset and a coordinate. They stay in memory until the row
		// group ends.
		n := h.excess() + 12*int64(h.entries)
		if err = c.src.reserve(n); err == nil {
			c.reserved.Add(n)
			body, err = decompress(c.meta.Codec, body, int(h.UncompressedPageSize))
		}
	}
	if err != nil {
		return nil, err
	}
	d = &dictionary{page: dictionaryPage{raw, h.length + int(h.UncompressedPageSize)}}
	// The encoding is PLAIN. PLAIN_DICTIONARY is an old name of PLAIN in dictionary pages.
	if d.values, err = decodeValues(c.leaf, format.Plain, body, h.entries); err != nil {
		return nil, err
	}
	if codec := writtenCodec(c.meta.Codec); codec != c.meta.Codec {
		if d.page, err = newDictionaryPage(codec, d.n, body); err != nil {
			return nil, err
		}
	}
	if c.leaf.isCoordinate() {
		d.coordinates = c.leaf.appendCoordinates(nil, &d.values, 0, d.n)
	}
	return d, nil
}

// pageRange returns the indices of the first and the last page with rows of [lo, hi), or −1 and −2
// if the range is empty. The last row can continue in later pages.
func (c *columnChunk) pageRange(lo, hi int64) (first, last int) {
	if lo >= hi {
		return -1, -2
	}
	first = sort.Search(len(c.pages), func(i int) bool { return c.pages[i].firstRow > lo }) - 1
	last = sort.Search(len(c.pages), func(i int) bool { return c.pages[i].firstRow >= hi }) - 1
	return first, last
}

// releasePages releases the pages whose last row is in [lo, hi).
func (c *columnChunk) releasePages(lo, hi int64) {
	c.mu.Lock()
	pages := c.pages
	c.mu.Unlock()
	k := sort.Search(len(pages), func(i int) bool { return pages[i].firstRow+pages[i].rows > lo })
	for ; k < len(pages) && pages[k].firstRow+pages[k].rows <= hi; k++ {
		pages[k].release(c.src)
	}
}

// decodePages decodes all pages that contain entries of the rows [lo, hi).
func (c *columnChunk) decodePages(lo, hi int64) ([]*decodedPage, error) {
	first, last := c.pageRange(lo, hi)
	var pages []*decodedPage
	for k := first; k >= 0 && k < len(c.pages) && (k <= last || c.pages[k].firstRow < hi || c.continuesRow(k)); k++ {
		d, err := c.pages[k].decode(c)
		if err != nil {
			return nil, err
		}
		pages = append(pages, d)
	}
	return pages, nil
}

// continuesRow reports whether page k begins within a row. No page of version 2 does.
func (c *columnChunk) continuesRow(k int) bool {
	if c.leaf.single() {
		return false
	}
	d, err := c.pages[k].decode(c)
	return err == nil && len(d.rep) > 0 && d.rep[0] > 0
}
