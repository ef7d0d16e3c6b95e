package parquet

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// copyGroup copies the columns of g byte by byte and adds them to out.
func (s *Source) copyGroup(o *fileWriter, w io.Writer, g *rowGroup, out *writtenGroup) error {
	columns, err := readStructs(mustReadStruct(g.raw), groupColumns)
	if err == nil && len(columns) != len(s.leaves) {
		err = fmt.Errorf("%w: %d columns, but %d in the schema", errThrift, len(columns), len(s.leaves))
	}
	if err != nil {
		return fmt.Errorf("%s: row group %d: %w", s.name, g.index, err)
	}
	buf := make([]byte, 1<<20) // about the size of a page, for few calls; tuning
	for i := range s.leaves {
		c, err := s.chunkMeta(g, i)
		if err == nil {
			err = c.checkPages()
		}
		if err != nil {
			return s.wrapError(g, i, err)
		}
		at := o.offset
		for from := c.start; from < c.end; {
			part := buf[:min(int64(len(buf)), c.end-from)]
			if err := s.readFull(part, from); err != nil {
				return s.wrapError(g, i, err)
			}
			if err := o.write(w, part); err != nil {
				return err
			}
			from += int64(len(part))
		}
		column, err := s.moveChunk(c, mustReadStruct(columns[i]), at-c.start)
		if err != nil {
			return s.wrapError(g, i, err)
		}
		out.columns = append(out.columns, column)
		out.compressed += c.end - c.start
		out.uncompressed += c.meta.TotalUncompressedSize
	}
	// Bloom filters follow the columns.
	for i := range s.leaves {
		if err := s.copyBloom(o, w, g, i, &out.columns[i]); err != nil {
			return err
		}
	}
	return nil
}

// moveChunk returns the metadata of c (ColumnChunk), with its offsets moved by shift.
func (s *Source) moveChunk(c *columnChunk, meta []thriftField, shift int64) (out writtenColumn, err error) {
	for _, f := range meta {
		switch f.id {
		case chunkFileOffset: // deprecated offset of the metadata: after the column, or 0
			if f.integer() > 0 {
				f = i64Field(f.id, c.start+shift)
			}
		case chunkMetaData:
			fs, err := f.fields()
			if err != nil {
				return out, err
			}
			f.value = shiftMetadata(fs, shift)
		case chunkOffsetIndex, chunkOffsetIndex + 1, chunkColumnIndex, chunkColumnIndex + 1:
			continue
		}
		out.fields = append(out.fields, f)
	}
	if h := c.header; h.ColumnIndexOffset > 0 && h.ColumnIndexLength > 0 {
		if out.columnIndex, err = s.read(h.ColumnIndexOffset, int(h.ColumnIndexLength)); err != nil {
			return out, fmt.Errorf("column index: %w", err)
		}
	}
	if h := c.header; h.OffsetIndexOffset > 0 && h.OffsetIndexLength > 0 {
		raw, err := s.read(h.OffsetIndexOffset, int(h.OffsetIndexLength))
		if err == nil {
			out.offsetIndex, err = shiftOffsetIndex(raw, shift)
		}
		if err != nil {
			return out, fmt.Errorf("offset index: %w", err)
		}
	}
	return out, nil
}

// shiftMetadata returns the struct ColumnMetaData with its offsets moved.
func shiftMetadata(meta []thriftField, shift int64) []byte {
	out := make([]thriftField, 0, len(meta))
	for _, f := range meta {
		switch f.id {
		case metaDataPage, metaIndexPage, metaDictionary:
			if f.integer() > 0 {
				f = i64Field(f.id, f.integer()+shift)
			}
		}
		out = append(out, f)
	}
	return encodeStruct(out)
}

// shiftOffsetIndex returns the struct OffsetIndex with its offsets moved.
func shiftOffsetIndex(raw []byte, shift int64) ([]byte, error) {
	fs, _, err := readStruct(raw, 0)
	if err != nil {
		return nil, err
	}
	items, err := readStructs(fs, 1)
	if err != nil {
		return nil, err
	}
	var e thriftEncoder
	e.begin()
	for _, f := range fs {
		if f.id != 1 {
			e.field(f)
			continue
		}
		e.list(1, kindStruct, len(items))
		for _, item := range items {
			location := mustReadStruct(item)
			for i, p := range location {
				if p.id == 1 {
					location[i] = i64Field(1, p.integer()+shift)
				}
			}
			e.b = append(e.b, encodeStruct(location)...)
		}
	}
	e.end()
	return e.b, nil
}

// copyBloom copies the Bloom filter of a column and sets its offset in out. A filter without a
// length, as older writers leave it, is skipped.
func (s *Source) copyBloom(o *fileWriter, w io.Writer, g *rowGroup, column int, out *writtenColumn) error {
	for i, f := range out.fields {
		if f.id != chunkMetaData {
			continue
		}
		meta := mustReadStruct(f.value) // moveChunk has moved its offsets
		at, length := findField(meta, metaBloom), findField(meta, metaBloomLength)
		if at == nil {
			return nil
		}
		kept := make([]thriftField, 0, len(meta))
		for _, m := range meta {
			if m.id != metaBloom && m.id != metaBloomLength {
				kept = append(kept, m)
				continue
			}
			if length == nil || length.integer() <= 0 {
				continue
			}
			if m.id == metaBloom {
				raw, err := s.read(m.integer(), int(length.integer()))
				if err != nil {
					return s.wrapError(g, column, fmt.Errorf("bloom filter: %w", err))
				}
				m = i64Field(metaBloom, o.offset)
				if err := o.write(w, raw); err != nil {
					return err
				}
			}
			kept = append(kept, m)
		}
		out.fields[i].value = encodeStruct(kept)
	}
	return nil
}

// rewrite makes a page of the rows of r that are not dropped, with the same levels and values.
// The encoding is PLAIN, or dictionary indices if all source pages have them.
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

// collect appends to w the levels and values of the rows of r that are not dropped. pages begins
// with the page of the first row.
func (c *columnChunk) collect(w *pageWriter, r *rowRange, pages []*decodedPage, drop []bool, useDictionary bool) {
	first, _ := c.pageRange(r.firstRow, r.endRow)
	if !c.leaf.single() {
		c.collectRepeated(w, r, pages, drop, useDictionary, c.pages[first].firstRow-1)
		return
	}
	for k, d := range pages {
		p := c.pages[first+k]
		from, to := int(max(r.firstRow-p.firstRow, 0)), int(min(r.endRow-p.firstRow, p.rows))
		var dropped []bool
		if drop != nil {
			dropped = drop[p.firstRow+int64(from)-r.firstRow:][:to-from]
		}
		if d.indices == nil && d.def == nil && c.leaf.maxDef == 0 && c.leaf.width == 8 {
			w.collect8(d.values.fixed[8*from:8*to], dropped)
			continue
		}
		value := d.valuesBefore(from, c.leaf)
		for e := from; e < to; e++ {
			present := d.def == nil || d.def[e] == c.leaf.maxDef
			if dropped == nil || !dropped[e-from] {
				w.collectEntry(c.leaf, d, e, value, present, useDictionary)
			}
			if present {
				value++
			}
		}
	}
}

// collect8 is collect for eight-byte values without levels, as most coordinates are.
func (w *pageWriter) collect8(values []byte, drop []bool) {
	if drop == nil {
		w.values = append(w.values, values...)
		w.entries += len(values) / 8
		return
	}
	for i, d := range drop {
		if !d {
			w.values = append(w.values, values[8*i:8*i+8]...)
			w.entries++
		}
	}
}

// collectRepeated is collect for a repeated column. row is the row before the first page.
func (c *columnChunk) collectRepeated(w *pageWriter, r *rowRange, pages []*decodedPage, drop []bool, useDictionary bool, row int64) {
	for _, d := range pages {
		value := 0
		for e := range d.entries {
			if d.rep[e] == 0 {
				row++
			}
			present := d.def[e] == c.leaf.maxDef // a repeated column has definition levels
			if row >= r.firstRow && row < r.endRow && (drop == nil || !drop[row-r.firstRow]) {
				w.repLevels = append(w.repLevels, d.rep[e])
				w.collectEntry(c.leaf, d, e, value, present, useDictionary)
			}
			if present {
				value++
			}
		}
	}
}

// collectEntry appends entry e of d, and if it is present the value with index value.
func (w *pageWriter) collectEntry(l *leaf, d *decodedPage, e, value int, present, useDictionary bool) {
	w.entries++
	if l.maxDef > 0 {
		level := l.maxDef
		if d.def != nil {
			level = d.def[e]
		}
		w.defLevels = append(w.defLevels, level)
	}
	switch {
	case !present:
		w.nulls++
	case useDictionary:
		w.indices = append(w.indices, d.indices[value])
	case l.width == 0:
		w.values = appendPrefixed(w.values, d.storage().bytes(d.valueIndex(value)))
	default:
		w.values = append(w.values, d.storage().bytes(d.valueIndex(value))...)
	}
}
