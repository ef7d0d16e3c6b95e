package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
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

// rewrite makes the page of the rows of sp that are not dropped: the same levels and
// values, in the encoding PLAIN, or with the dictionary of the row group if all pages
// have it.
func (s *Source) rewrite(w *written, sp *span, column int, drop []bool) error {
	w.start()
	c, err := s.chunk(sp.g, column)
	if err != nil {
		return err
	}
	pages, err := c.decoded(sp.lo, sp.hi)
	if err != nil {
		return err
	}
	enc, size := format.RLEDictionary, 0
	for _, d := range pages {
		if d.index == nil {
			enc = format.Plain
		} else {
			size = d.dict.n
		}
	}
	c.take(w, sp, pages, drop, enc == format.RLEDictionary)
	w.levels(w.reps, c.l.maxRep)
	w.levels(w.flags, c.l.maxDef)
	switch {
	case enc == format.RLEDictionary:
		w.places(w.index, size)
	case c.l.kind == format.Boolean:
		w.body = pack(w.body, w.values, 1)
	default:
		w.body = append(w.body, w.values...)
	}
	return w.finish(writtenCodec(c.meta.Codec), enc)
}

// take collects in w the levels and values of the rows of sp that are not dropped; pages
// begin with the one of the first.
func (c *chunk) take(w *written, sp *span, pages []*decoded, drop []bool, places bool) {
	first, _ := c.holding(sp.lo, sp.hi)
	if !c.l.single() {
		c.takeLists(w, sp, pages, drop, places, c.pages[first].first-1)
		return
	}
	for k, d := range pages {
		p := c.pages[first+k]
		from, to := int(max(sp.lo-p.first, 0)), int(min(sp.hi-p.first, p.rows))
		var dropped []bool
		if drop != nil {
			dropped = drop[p.first+int64(from)-sp.lo:][:to-from]
		}
		if d.index == nil && d.def == nil && c.l.maxDef == 0 && c.l.width == 8 {
			w.take8(d.values.fixed[8*from:8*to], dropped)
			continue
		}
		value := d.before(from, c.l)
		for e := from; e < to; e++ {
			present := d.def == nil || d.def[e] == c.l.maxDef
			if dropped == nil || !dropped[e-from] {
				w.entry(c.l, d, e, value, present, places)
			}
			if present {
				value++
			}
		}
	}
}

// take8 is take for values of 8 bytes without levels, as most coordinates are.
func (w *written) take8(values []byte, drop []bool) {
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

// takeLists is take for columns that are repeated; row is the one before the first page.
func (c *chunk) takeLists(w *written, sp *span, pages []*decoded, drop []bool, places bool, row int64) {
	for _, d := range pages {
		value := 0
		for e := range d.entries {
			if d.rep[e] == 0 {
				row++
			}
			present := d.def[e] == c.l.maxDef // a repeated column has definition levels
			if row >= sp.lo && row < sp.hi && (drop == nil || !drop[row-sp.lo]) {
				w.reps = append(w.reps, d.rep[e])
				w.entry(c.l, d, e, value, present, places)
			}
			if present {
				value++
			}
		}
	}
}

// entry collects the entry e of d, with the value of that number if it is present.
func (w *written) entry(l *leaf, d *decoded, e, value int, present, places bool) {
	w.entries++
	if l.maxDef > 0 {
		level := l.maxDef
		if d.def != nil {
			level = d.def[e]
		}
		w.flags = append(w.flags, level)
	}
	switch {
	case !present:
		w.nulls++
	case places:
		w.index = append(w.index, d.index[value])
	case l.width == 0:
		w.values = appendBytes(w.values, d.all().bytes(d.at(value)))
	default:
		w.values = append(w.values, d.all().bytes(d.at(value))...)
	}
}

// decoded returns the pages that hold the rows [lo, hi), with those in which the last of
// them goes on.
func (c *chunk) decoded(lo, hi int64) ([]*decoded, error) {
	first, last := c.holding(lo, hi)
	var pages []*decoded
	for k := first; k >= 0 && k < len(c.pages) && (k <= last || c.pages[k].first < hi || c.goesOn(k)); k++ {
		d, err := c.pages[k].decode(c)
		if err != nil {
			return nil, err
		}
		pages = append(pages, d)
	}
	return pages, nil
}

// goesOn reports whether the row before page k may go on in it: pages of version 1 may
// begin within a row.
func (c *chunk) goesOn(k int) bool {
	if c.l.single() {
		return false
	}
	d, err := c.pages[k].decode(c)
	return err == nil && len(d.rep) > 0 && d.rep[0] > 0
}

// appendBytes appends v behind its length.
func appendBytes(dst, v []byte) []byte {
	n := len(v)
	return append(append(dst, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)), v...)
}
