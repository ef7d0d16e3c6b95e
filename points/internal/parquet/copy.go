package parquet

import (
	"errors"
	"fmt"
	"io"
)

// copyGroup writes the columns of g as they are, and appends them to out.
func (s *Source) copyGroup(o *output, w io.Writer, g *group, out *closedGroup) error {
	columns, err := structs(must(g.raw), 1)
	if err == nil && len(columns) != len(s.leaves) {
		err = fmt.Errorf("%w: %d columns, but %d in the schema", errThrift, len(columns), len(s.leaves))
	}
	if err != nil {
		return fmt.Errorf("%s: row group %d: %w", s.file, g.index, err)
	}
	buf := make([]byte, 1<<20) // as much as a page has, for few calls
	for i := range s.leaves {
		c, err := s.copied(g, i)
		if err == nil {
			err = c.check()
		}
		if err != nil {
			return s.place(g, i, err)
		}
		at := o.at
		for from := c.start; from < c.end; {
			part := buf[:min(int64(len(buf)), c.end-from)]
			if k, err := s.at.ReadAt(part, from); k < len(part) {
				if err == nil || errors.Is(err, io.EOF) {
					err = io.ErrUnexpectedEOF
				}
				return s.place(g, i, err)
			}
			if err := o.write(w, part); err != nil {
				return err
			}
			from += int64(len(part))
		}
		column, err := s.moved(c, must(columns[i]), at-c.start)
		if err != nil {
			return s.place(g, i, err)
		}
		out.columns = append(out.columns, column)
		out.size += c.end - c.start
		out.expanded += c.meta.TotalUncompressedSize
	}
	// Bloom filters stand behind the columns.
	for i := range s.leaves {
		if err := s.copyBloom(o, w, g, i, &out.columns[i]); err != nil {
			return err
		}
	}
	return nil
}

// moved returns the metadata of c, ColumnChunk, with its places shifted.
func (s *Source) moved(c *chunk, meta []field, shift int64) (out closedColumn, err error) {
	for _, f := range meta {
		switch f.id {
		case 2: // an old place of the metadata: behind the column, or none
			if f.number() > 0 {
				f = number(2, c.start+shift)
			}
		case 3:
			fs, err := f.fields()
			if err != nil {
				return out, err
			}
			f.value = shifted(fs, shift)
		case 4, 5, 6, 7:
			continue
		}
		out.fields = append(out.fields, f)
	}
	if h := c.head; h.ColumnIndexOffset > 0 && h.ColumnIndexLength > 0 {
		if out.column, err = s.bytes(h.ColumnIndexOffset, int(h.ColumnIndexLength)); err != nil {
			return out, fmt.Errorf("column index: %w", err)
		}
	}
	if h := c.head; h.OffsetIndexOffset > 0 && h.OffsetIndexLength > 0 {
		raw, err := s.bytes(h.OffsetIndexOffset, int(h.OffsetIndexLength))
		if err == nil {
			out.offset, err = shiftedIndex(raw, shift)
		}
		if err != nil {
			return out, fmt.Errorf("offset index: %w", err)
		}
	}
	return out, nil
}

// join encodes fields.
func join(fs []field) []byte {
	var e encoder
	e.begin()
	for _, f := range fs {
		e.field(f)
	}
	e.end()
	return e.b
}

// shifted returns the struct ColumnMetaData with its places shifted: of the first data
// page (9), of an index page (10), of the dictionary (11).
func shifted(meta []field, shift int64) []byte {
	out := make([]field, 0, len(meta))
	for _, f := range meta {
		switch f.id {
		case 9, 10, 11:
			if f.number() > 0 {
				f = number(f.id, f.number()+shift)
			}
		}
		out = append(out, f)
	}
	return join(out)
}

// shiftedIndex returns the struct OffsetIndex with its places shifted.
func shiftedIndex(raw []byte, shift int64) ([]byte, error) {
	fs, _, err := fields(raw, 0, nil)
	if err != nil {
		return nil, err
	}
	items, err := structs(fs, 1)
	if err != nil {
		return nil, err
	}
	var e encoder
	e.begin()
	for _, f := range fs {
		if f.id != 1 {
			e.field(f)
			continue
		}
		e.list(1, kindStruct, len(items))
		for _, item := range items {
			page := must(item)
			for i, p := range page {
				if p.id == 1 {
					page[i] = number(1, p.number()+shift)
				}
			}
			e.b = append(e.b, join(page)...)
		}
	}
	e.end()
	return e.b, nil
}

// copyBloom writes the Bloom filter of a column, and sets its place in out. A filter
// that does not say how long it is, as old writers left it, is left out.
func (s *Source) copyBloom(o *output, w io.Writer, g *group, column int, out *closedColumn) error {
	for i, f := range out.fields {
		if f.id != 3 {
			continue
		}
		meta := must(f.value) // which moved has shifted
		at, length := find(meta, 14), find(meta, 15)
		if at == nil {
			return nil
		}
		kept := make([]field, 0, len(meta))
		for _, m := range meta {
			if m.id != 14 && m.id != 15 {
				kept = append(kept, m)
				continue
			}
			if length == nil || length.number() <= 0 {
				continue
			}
			if m.id == 14 {
				raw, err := s.bytes(m.number(), int(length.number()))
				if err != nil {
					return s.place(g, column, fmt.Errorf("bloom filter: %w", err))
				}
				m = number(14, o.at)
				if err := o.write(w, raw); err != nil {
					return err
				}
			}
			kept = append(kept, m)
		}
		out.fields[i].value = join(kept)
	}
	return nil
}
