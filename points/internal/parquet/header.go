package parquet

import (
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

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
