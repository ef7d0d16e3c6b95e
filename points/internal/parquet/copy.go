package parquet

import (
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/plural"
)

// copyGroup copies the columns of row group k.group byte by byte to w, and adds them to out.
func (k *passthrough) copyGroup(w io.Writer, out *writtenGroup) error {
	s, g := k.src, k.group
	columns, err := readStructs(out.fields, groupColumns)
	if err == nil && len(columns) != len(s.leaves) {
		err = plural.Errorf("%w: the row group has %d columns, but the schema has %d", errThrift, len(columns), len(s.leaves))
	}
	if err != nil {
		return fmt.Errorf("%s: row group %d: %w", s.name, g.index, err)
	}
	buf := make([]byte, 1<<20) // about the size of a page (tuning)
	for i := range s.leaves {
		c, err := s.chunkMeta(g, i)
		if err == nil {
			err = c.checkPages()
		}
		var column writtenColumn
		if err == nil {
			column, err = c.moved(mustReadStruct(columns[i]), k.offset-c.start)
		}
		if err != nil {
			return s.wrapError(g, i, err)
		}
		for from := c.start; from < c.end; {
			part := buf[:min(int64(len(buf)), c.end-from)]
			if err := s.readFull(part, from); err != nil {
				return s.wrapError(g, i, err)
			}
			if err := k.write(w, part); err != nil {
				return err
			}
			from += int64(len(part))
		}
		out.columns = append(out.columns, column)
		out.compressed += c.end - c.start
		out.uncompressed += c.meta.TotalUncompressedSize
	}
	// All Bloom filters follow the last column.
	for i := range s.leaves {
		if err := k.copyBloom(w, i, &out.columns[i]); err != nil {
			return err
		}
	}
	return nil
}

// moved returns the metadata (ColumnChunk) and the indexes of a copy of c. The copy begins at
// offset c.start+shift.
func (c *columnChunk) moved(meta []thriftField, shift int64) (out writtenColumn, err error) {
	for _, f := range meta {
		switch f.id {
		case chunkFileOffset: // deprecated: offset of metadata after the column, or 0
			if f.integer() > 0 {
				f = i64Field(f.id, c.start+shift)
			}
		case chunkMetaData:
			if f.kind != kindStruct {
				return out, fmt.Errorf("%w: field %d is not a struct", errThrift, f.id)
			}
			fs := mustReadStruct(f.value)
			shiftOffsets(fs, shift, metaDataPage, metaIndexPage, metaDictionary)
			f.value = encodeStruct(fs...)
		case chunkOffsetIndex, chunkOffsetIndex + 1, chunkColumnIndex, chunkColumnIndex + 1:
			continue
		}
		out.fields = append(out.fields, f)
	}
	if out.indexes[columnIndex], err = c.src.readIndex(c.header.ColumnIndexOffset, c.header.ColumnIndexLength); err != nil {
		return out, fmt.Errorf("column index: %w", err)
	}
	raw, err := c.src.readIndex(c.header.OffsetIndexOffset, c.header.OffsetIndexLength)
	if raw == nil && err == nil {
		return out, nil
	}
	var index []thriftField
	if err == nil {
		index, _, err = readStruct(raw, 0)
	}
	var locations [][]byte
	if err == nil {
		locations, err = readStructs(index, indexLocations)
	}
	if err != nil {
		return out, fmt.Errorf("offset index: %w", err)
	}
	for i, raw := range locations {
		location := mustReadStruct(raw)
		shiftOffsets(location, shift, locationOffset)
		locations[i] = encodeStruct(location...)
	}
	findField(index, indexLocations).value = encodeList(kindStruct, locations)
	out.indexes[offsetIndex] = encodeStruct(index...)
	return out, nil
}

// shiftOffsets adds shift to the positive integers in the fields with the given IDs.
func shiftOffsets(fs []thriftField, shift int64, ids ...int16) {
	for i, f := range fs {
		if slices.Contains(ids, f.id) && f.integer() > 0 {
			fs[i] = i64Field(f.id, f.integer()+shift)
		}
	}
}

// copyBloom copies the Bloom filter of a column and sets its offset in out. If the metadata lack
// the length of the filter, copyBloom removes the filter from out. Older writers omit the length.
func (k *passthrough) copyBloom(w io.Writer, column int, out *writtenColumn) error {
	chunk := findField(out.fields, chunkMetaData)
	if chunk == nil {
		return nil
	}
	meta := mustReadStruct(chunk.value)
	at, length := findField(meta, metaBloom), findField(meta, metaBloomLength)
	switch {
	case at == nil:
		return nil
	case length == nil || length.integer() <= 0:
		meta = slices.DeleteFunc(meta, func(f thriftField) bool { return f.id == metaBloom || f.id == metaBloomLength })
	default:
		raw, err := k.src.read(at.integer(), int(length.integer()))
		if err != nil {
			return k.src.wrapError(k.group, column, fmt.Errorf("bloom filter: %w", err))
		}
		*at = i64Field(metaBloom, k.offset)
		if err := k.write(w, raw); err != nil {
			return err
		}
	}
	chunk.value = encodeStruct(meta...)
	return nil
}

// rewrite encodes the kept rows of r as page w, with the same levels and values. The page has
// dictionary indices if all source pages have them. Otherwise its encoding is PLAIN.
func (s *Source) rewrite(w *pageWriter, r *rowRange, column int, drop []bool) error {
	w.start()
	c, err := s.chunk(r.group, column)
	if err != nil {
		return err
	}
	pages, err := c.decodePages(r.firstRow, r.endRow)
	if err != nil {
		return err
	}
	enc, size := format.RLEDictionary, 0
	for _, d := range pages {
		if d.indices == nil {
			enc = format.Plain
		} else {
			size = d.dict.n
		}
	}
	c.collect(w, r, pages, drop, enc == format.RLEDictionary)
	w.appendLevels(w.repLevels, c.leaf.maxRep)
	w.appendLevels(w.defLevels, c.leaf.maxDef)
	switch {
	case enc == format.RLEDictionary:
		w.appendIndices(w.indices, size)
	case c.leaf.kind == format.Boolean:
		w.body = packBits(w.body, w.values, 1)
	default:
		w.body = append(w.body, w.values...)
	}
	return w.finish(writtenCodec(c.meta.Codec), enc)
}

// collect appends the kept rows of r to w: the levels, and the values or dictionary indices. The
// first row of r begins in pages[0].
func (c *columnChunk) collect(w *pageWriter, r *rowRange, pages []*decodedPage, drop []bool, useDictionary bool) {
	first, _ := c.pageRange(r.firstRow, r.endRow)
	rows := int(r.endRow - r.firstRow)
	row := 0 // row of the previous entry, relative to r.firstRow
	for k, d := range pages {
		p := c.pages[first+k]
		from, to := 0, d.entries
		if c.leaf.single() { // each entry is a row
			from, to = int(max(r.firstRow-p.firstRow, 0)), int(min(r.endRow-p.firstRow, p.rows))
		}
		if c.leaf.single() || k == 0 {
			row = int(p.firstRow-r.firstRow) + from - 1
		}
		if d.indices == nil && d.def == nil && c.leaf.maxDef == 0 && c.leaf.width == 8 {
			w.collect8(d.values.fixed[8*from:8*to], drop, row+1)
			continue
		}
		stored, value := d.storage(), d.valuesBefore(from, c.leaf)
		for e := from; e < to; e++ {
			if d.rep == nil || d.rep[e] == 0 {
				row++
			}
			level := c.leaf.maxDef
			if d.def != nil {
				level = d.def[e]
			}
			present := level == c.leaf.maxDef
			if present {
				value++
			}
			if row < 0 || row >= rows || drop != nil && drop[row] {
				continue
			}
			w.entries++
			if d.rep != nil {
				w.repLevels = append(w.repLevels, d.rep[e])
			}
			if c.leaf.maxDef > 0 {
				w.defLevels = append(w.defLevels, level)
			}
			switch {
			case !present:
				w.nulls++
			case useDictionary:
				w.indices = append(w.indices, d.indices[value-1])
			case c.leaf.width == 0:
				w.values = appendPrefixed(w.values, stored.bytes(d.valueIndex(value-1)))
			default:
				w.values = append(w.values, stored.bytes(d.valueIndex(value-1))...)
			}
		}
	}
}

// collect8 appends eight-byte values that have no levels, like most coordinates. It skips dropped
// rows. The element drop[row] refers to the first value.
func (w *pageWriter) collect8(values []byte, drop []bool, row int) {
	n := len(values) / 8
	if drop == nil {
		w.values = append(w.values, values...)
		w.entries += n
		return
	}
	for i, d := range drop[row : row+n] {
		if !d {
			w.values = append(w.values, values[8*i:8*i+8]...)
			w.entries++
		}
	}
}
