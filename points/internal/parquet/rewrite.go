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
