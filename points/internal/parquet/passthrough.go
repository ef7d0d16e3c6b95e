package parquet

import (
	"fmt"
	"io"

	"github.com/inpoly/inpoly/points/table"
)

// A row group that is written anew ends with so many rows, or so many bytes of pages:
// what is common (the format's authors say 512 MB to 1 GB, which is no constant memory
// for wide tables).
const (
	groupRows  = 1 << 20
	groupBytes = 64 << 20
)

// formatted is what a sink makes of a block.
type formatted struct {
	kept    int
	source  bool      // the columns of the source are here too
	columns []written // of the source, if source; then the answers
}

// late are the rows of a block, all of which are kept, and the row of the row group that
// is the first of them.
type late struct {
	span
	first int64
}

// same is the sink that passes the columns of the source on.
type same struct {
	s       *Source
	answers []answer
	out     output

	// The row group that is being written.
	g       *group
	columns []column // as in formatted
	kept    int64    // rows
	split   bool     // a part of it is written
	pending []late   // blocks whose source columns are not in columns
}

// Passthrough returns a sink of Parquet that passes all columns on and appends cols.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	taken := append([]table.Field(nil), s.fields...)
	for _, name := range s.top {
		taken = append(taken, table.Field{Name: name})
	}
	k := &same{s: s, answers: newAnswers(cols, table.Names(taken, cols)), columns: make([]column, len(s.leaves))}
	for i := range s.leaves {
		k.columns[i] = column{kind: s.leaves[i].kind, path: s.leaves[i].path}
	}
	var err error
	if k.columns, err = appendAnswers(k.columns, k.answers); err != nil {
		return nil, err
	}
	return k, nil
}

// Begin writes the first bytes.
func (k *same) Begin(w io.Writer, rows int64) error { return k.out.begin(w) }

// whole reports whether g can be copied: all of it is read, and the answers have room in
// memory, as they stand behind its columns.
func (k *same) whole(g *group) bool {
	if g.first < k.s.lo || g.first+g.rows > k.s.hi {
		return false
	}
	bytes := int64(0)
	for i := range k.answers {
		bytes += k.answers[i].rowBytes()
	}
	return bytes == 0 || g.rows <= groupBytes/bytes
}

// Format writes the pages of the answers, and those of the source if rows may be left
// out.
func (k *same) Format(b *table.Block) error {
	sp := b.Source.(*span)
	f, ok := b.Sink.(*formatted)
	if !ok {
		f = &formatted{columns: make([]written, len(k.columns))}
		b.Sink = f
	}
	f.kept = b.Kept()
	f.source = b.Drop != nil || !k.whole(sp.g)
	leaves := len(k.s.leaves)
	if f.source && f.kept > 0 {
		if err := k.rewrite(f.columns[:leaves], sp, b.Drop); err != nil {
			return err
		}
	}
	for i := range k.answers {
		if err := k.answers[i].write(&f.columns[leaves+i], b); err != nil {
			return fmt.Errorf("%s: column %q: %w", k.s.file, k.answers[i].name, err)
		}
	}
	return nil
}

// rewrite writes the pages of the source.
func (k *same) rewrite(ws []written, sp *span, drop []bool) error {
	for i := range ws {
		if err := k.s.rewrite(&ws[i], sp, i, drop); err != nil {
			return k.s.place(sp.g, i, err)
		}
	}
	return nil
}

// Write collects the pages of b, and writes the row group when it is complete.
func (k *same) Write(w io.Writer, b *table.Block) error {
	sp, f := b.Source.(*span), b.Sink.(*formatted)
	if k.g != sp.g {
		k.g, k.split = sp.g, false
		k.reset()
	}
	leaves := len(k.s.leaves)
	for i := range k.answers {
		k.columns[leaves+i].add(&f.columns[leaves+i], k.kept)
	}
	switch {
	case f.kept == 0:
	case f.source:
		if err := k.catchUp(); err != nil {
			return err
		}
		if err := k.collect(f.columns[:leaves], sp.g, k.kept); err != nil {
			return err
		}
	default:
		k.pending = append(k.pending, late{span{s: sp.s, lo: sp.lo, hi: sp.hi, g: sp.g}, k.kept})
	}
	k.kept += int64(f.kept)
	if sp.hi == min(sp.g.rows, k.s.hi-sp.g.first) {
		err := k.flush(w, k.whole(sp.g) && !k.split && k.kept == sp.g.rows)
		sp.g.drop()
		return err
	}
	if len(k.pending) == 0 && (k.kept >= groupRows || k.bytes() >= groupBytes) {
		k.split = true
		return k.flush(w, false)
	}
	return nil
}

// reset empties the row group.
func (k *same) reset() {
	for i := range k.columns {
		k.columns[i].reset()
	}
	k.kept, k.pending = 0, k.pending[:0]
}

// bytes returns how many bytes of pages there are.
func (k *same) bytes() (n int64) {
	for i := range k.columns {
		n += int64(len(k.columns[i].buf))
	}
	return n
}

// catchUp writes the columns of the source for the blocks that came without, as it was
// not known that the row group cannot be copied.
func (k *same) catchUp() error {
	ws := make([]written, len(k.s.leaves))
	for i := range k.pending {
		sp := &k.pending[i]
		if err := k.rewrite(ws, &sp.span, nil); err != nil {
			return err
		}
		if err := k.collect(ws, sp.g, sp.first); err != nil {
			return err
		}
		sp.g.forget(sp.lo, sp.hi)
	}
	k.pending = k.pending[:0]
	return nil
}

// collect appends pages of the source, whose first row is that of the row group.
func (k *same) collect(ws []written, g *group, first int64) error {
	for i := range ws {
		c := &k.columns[i]
		if len(c.places) == 0 {
			chunk, err := k.s.copied(g, i)
			if err != nil {
				return k.s.place(g, i, err)
			}
			c.codec, c.dict, c.dictExpanded = writtenCodec(chunk.meta.Codec), nil, 0
		}
		if c.add(&ws[i], first); c.usesDictionary() && c.dict == nil {
			chunk, err := k.s.chunk(g, i)
			if err == nil {
				var d *dictionary
				if d, err = chunk.dictionary(); err == nil {
					c.dict, c.dictExpanded = d.raw, d.expanded
				}
			}
			if err != nil {
				return k.s.place(g, i, err)
			}
		}
	}
	return nil
}

// flush writes the row group: a copy of that of the source with the answers behind, or
// the pages that were collected.
func (k *same) flush(w io.Writer, copied bool) error {
	if k.kept == 0 {
		return nil
	}
	closed := closedGroup{fields: must(k.g.raw), at: k.out.at, rows: k.kept}
	leaves := len(k.s.leaves)
	from := leaves
	if copied {
		if err := k.s.copyGroup(&k.out, w, k.g, &closed); err != nil {
			return err
		}
	} else {
		if err := k.catchUp(); err != nil {
			return err
		}
		from = 0
	}
	if err := k.out.writeColumns(w, &closed, k.columns[from:]); err != nil {
		return err
	}
	k.out.groups = append(k.out.groups, closed)
	k.out.rows += k.kept
	k.reset()
	return nil
}

// End writes the footer.
func (k *same) End(w io.Writer) error {
	meta := make([]field, 0, len(k.s.meta))
	for _, f := range k.s.meta {
		switch {
		case len(k.answers) == 0:
		case f.id == 2:
			f.value = k.schema(f)
		case f.id == 5:
			f.value = withoutArrow(f)
		case f.id == 7:
			f.value = k.orders(f)
		}
		meta = append(meta, f)
	}
	return k.out.end(w, meta, len(k.answers))
}

// schema returns the list of the schema with the answers behind the other columns: the
// root, which is its first element, has more children then (field 5).
func (k *same) schema(f field) []byte {
	_, items, _, _ := elements(f.value, 0, nil) // it was read before
	root := must(items[0])
	for i, r := range root {
		if r.id == 5 {
			root[i].value = number(0, r.number()+int64(len(k.answers))).value
		}
	}
	items[0] = join(root)
	for i := range k.answers {
		items = append(items, k.answers[i].element())
	}
	return joinList(kindStruct, items)
}

// orders returns the list of the orders of columns, with that of their types for the
// answers: a union whose field 1 is an empty struct.
func (k *same) orders(f field) []byte {
	kind, items, _, err := elements(f.value, 0, nil)
	if f.kind != kindList || err != nil || kind != kindStruct {
		return f.value
	}
	for range k.answers {
		items = append(items, typeOrder())
	}
	return joinList(kindStruct, items)
}

// typeOrder returns the order of a column that is that of its type.
func typeOrder() []byte {
	var e encoder
	e.begin()
	e.inner(1)
	e.end()
	e.end()
	return e.b
}

// withoutArrow returns the list of keys and values without ARROW:schema.
func withoutArrow(f field) []byte {
	kind, items, _, err := elements(f.value, 0, nil)
	if f.kind != kindList || err != nil || kind != kindStruct {
		return f.value
	}
	kept := items[:0]
	for _, item := range items {
		key := find(must(item), 1)
		if key != nil && key.kind == kindBinary {
			if _, n := varint(key.value); string(key.value[n:]) == "ARROW:schema" {
				continue
			}
		}
		kept = append(kept, item)
	}
	return joinList(kindStruct, kept)
}

// joinList returns a list of items.
func joinList(kind byte, items [][]byte) []byte {
	e := encoder{last: []int16{0}}
	e.list(1, kind, len(items))
	e.b = e.b[1:] // the head of the field
	for _, item := range items {
		e.b = append(e.b, item...)
	}
	return e.b
}
