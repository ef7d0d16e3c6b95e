package parquet

import (
	"github.com/parquet-go/parquet-go/format"
)

// rewrite makes the page of the rows of sp that are not dropped: the same levels and
// values, in the encoding PLAIN, or with the dictionary of the row group if all pages
// have it.
func (s *Source) rewrite(w *written, sp *span, column int, drop []bool) error {
	w.start()
	c, err := s.chunk(sp.g, column)
	if err != nil {
		return err
	}
	l := c.l
	pages, err := c.decoded(sp.lo, sp.hi)
	if err != nil {
		return err
	}
	enc := format.RLEDictionary
	for _, d := range pages {
		if d.index == nil {
			enc = format.Plain
		}
	}
	first, _ := c.holding(sp.lo, sp.hi)
	row := int64(0)
	if len(pages) > 0 {
		row = c.pages[first].first - 1
	}
	size := 0
	fixed := w.scratch[:0] // values; the body must have the levels first
	for _, d := range pages {
		all := d.all()
		if d.index != nil {
			size = d.dict.n
		}
		value := 0
		for e := range d.entries {
			if d.rep == nil || d.rep[e] == 0 {
				row++
			}
			present := d.def == nil || d.def[e] == l.maxDef
			if present {
				value++
			}
			if row < sp.lo || row >= sp.hi || drop != nil && drop[row-sp.lo] {
				continue
			}
			w.entries++
			if d.rep == nil || d.rep[e] == 0 {
				w.rows++
			}
			if l.maxRep > 0 {
				w.reps = append(w.reps, d.rep[e])
			}
			if l.maxDef > 0 {
				if d.def == nil {
					w.flags = append(w.flags, l.maxDef)
				} else {
					w.flags = append(w.flags, d.def[e])
				}
			}
			switch {
			case !present:
				w.nulls++
			case enc == format.RLEDictionary:
				w.index = append(w.index, d.index[value-1])
			case l.width == 0:
				v := all.bytes(d.at(value - 1))
				fixed = appendBytes(fixed, v)
			default:
				fixed = append(fixed, all.bytes(d.at(value-1))...)
			}
		}
	}
	w.levels(w.reps, l.maxRep)
	w.levels(w.flags, l.maxDef)
	switch {
	case enc == format.RLEDictionary:
		w.places(w.index, size)
	case l.kind == format.Boolean:
		w.body = pack(w.body, fixed, 1)
	default:
		w.body = append(w.body, fixed...)
	}
	w.scratch = fixed
	return w.finish(c.meta.Codec, enc)
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
