package parquet

import (
	"fmt"
	"io"

	"github.com/inpoly/inpoly/points/table"
)

// pendingRows is a block with no dropped rows whose source columns are not copied yet, and its
// first row within the row group.
type pendingRows struct {
	rowRange
	groupRow int64
}

// passthrough is the sink that passes the columns of the source through.
type passthrough struct {
	groupWriter // the columns of the source, then of the answers
	src         *Source

	group         *rowGroup     // row group of the source that is being written
	partlyWritten bool          // some rows of group are in an earlier row group of the output
	pending       []pendingRows // blocks whose source columns are not in columns
}

// Passthrough returns a sink of Parquet that passes all columns through and appends cols.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	inUse := append([]table.Field(nil), s.fields...)
	for _, name := range s.topNames {
		inUse = append(inUse, table.Field{Name: name})
	}
	k := &passthrough{src: s}
	for i := range s.leaves {
		k.columns = append(k.columns, columnWriter{kind: s.leaves[i].kind, path: s.leaves[i].path})
	}
	return k, k.addAnswers(cols, table.Names(inUse, cols))
}

// canCopy reports whether g can be copied byte by byte: all its rows are read, and the answers,
// which follow its columns, fit in memory.
func (k *passthrough) canCopy(g *rowGroup) bool {
	if g.firstRow < k.src.firstRow || g.firstRow+g.rows > k.src.endRow {
		return false
	}
	bytes := int64(0)
	for i := range k.answers {
		bytes += k.answers[i].rowBytes()
	}
	return bytes == 0 || g.rows <= groupBytes/bytes
}

// Format encodes the answers, and the columns of the source if its row group cannot be copied.
func (k *passthrough) Format(b *table.Block) error {
	r := b.Source.(*rowRange)
	f := k.start(b)
	f.withSource = b.Drop != nil || !k.canCopy(r.group)
	leaves := len(k.src.leaves)
	if f.withSource && f.kept > 0 {
		if err := k.rewrite(f.pages[:leaves], r, b.Drop); err != nil {
			return err
		}
	}
	if err := k.encodeAnswers(f, b); err != nil {
		return fmt.Errorf("%s: %w", k.src.name, err)
	}
	return nil
}

// rewrite encodes the columns of the source.
func (k *passthrough) rewrite(pages []pageWriter, r *rowRange, drop []bool) error {
	for i := range pages {
		if err := k.src.rewrite(&pages[i], r, i, drop); err != nil {
			return k.src.wrapError(r.group, i, err)
		}
	}
	return nil
}

// Write adds the pages of b to the row group, and writes the row group if it is complete.
func (k *passthrough) Write(w io.Writer, b *table.Block) error {
	r, f := b.Source.(*rowRange), b.Sink.(*encodedBlock)
	if k.group != r.group {
		k.group, k.partlyWritten, k.pending = r.group, false, k.pending[:0]
		k.reset()
	}
	leaves := len(k.src.leaves)
	for i := range k.answers {
		k.columns[leaves+i].add(&f.pages[leaves+i], k.rows)
	}
	switch {
	case f.kept == 0:
	case f.withSource:
		if err := k.rewritePending(); err != nil {
			return err
		}
		if err := k.addPages(f.pages[:leaves], r.group, k.rows); err != nil {
			return err
		}
	default:
		k.pending = append(k.pending, pendingRows{rowRange{src: r.src, firstRow: r.firstRow, endRow: r.endRow, group: r.group}, k.rows})
	}
	k.rows += int64(f.kept)
	if r.endRow == min(r.group.rows, k.src.endRow-r.group.firstRow) {
		err := k.flush(w, k.canCopy(r.group) && !k.partlyWritten && k.rows == r.group.rows)
		r.group.release()
		return err
	}
	if len(k.pending) == 0 && k.full() {
		k.partlyWritten = true
		return k.flush(w, false)
	}
	return nil
}

// rewritePending encodes the columns of the source for the pending blocks, once their row group
// turns out not to be copied.
func (k *passthrough) rewritePending() error {
	pages := make([]pageWriter, len(k.src.leaves))
	for i := range k.pending {
		r := &k.pending[i]
		if err := k.rewrite(pages, &r.rowRange, nil); err != nil {
			return err
		}
		if err := k.addPages(pages, r.group, r.groupRow); err != nil {
			return err
		}
		r.group.releasePages(r.firstRow, r.endRow)
	}
	k.pending = k.pending[:0]
	return nil
}

// addPages adds pages of the source that begin at row first of the row group.
func (k *passthrough) addPages(pages []pageWriter, g *rowGroup, first int64) error {
	for i := range pages {
		c := &k.columns[i]
		if len(c.locations) == 0 {
			chunk, err := k.src.chunkMeta(g, i)
			if err != nil {
				return k.src.wrapError(g, i, err)
			}
			c.codec, c.dict, c.dictUncompressed = writtenCodec(chunk.meta.Codec), nil, 0
		}
		if c.add(&pages[i], first); c.usesDictionary() && c.dict == nil {
			chunk, err := k.src.chunk(g, i)
			if err == nil {
				var d *dictionary
				if d, err = chunk.dictionary(); err == nil {
					c.dict, c.dictUncompressed = d.raw, d.uncompressed
				}
			}
			if err != nil {
				return k.src.wrapError(g, i, err)
			}
		}
	}
	return nil
}

// flush writes the row group: a copy of the source's row group followed by the answers, or the
// pages that were collected.
func (k *passthrough) flush(w io.Writer, copied bool) error {
	if k.rows == 0 {
		return nil
	}
	closed := writtenGroup{fields: mustReadStruct(k.group.raw), offset: k.out.offset, rows: k.rows}
	leaves := len(k.src.leaves)
	from := leaves
	if copied {
		if err := k.src.copyGroup(&k.out, w, k.group, &closed); err != nil {
			return err
		}
	} else {
		if err := k.rewritePending(); err != nil {
			return err
		}
		from = 0
	}
	k.pending = k.pending[:0]
	return k.finish(w, closed, k.columns[from:])
}

// End writes the footer.
func (k *passthrough) End(w io.Writer) error {
	meta := make([]thriftField, 0, len(k.src.metadata))
	for _, f := range k.src.metadata {
		switch {
		case len(k.answers) == 0:
		case f.id == fileSchema:
			f.value = k.schema(f)
		case f.id == fileKeyValues:
			f.value = withoutArrowSchema(f)
		case f.id == fileColumnOrders:
			f.value = k.columnOrders(f)
		}
		meta = append(meta, f)
	}
	return k.out.writeFooter(w, meta, len(k.answers))
}

// schema returns the schema, a list, with the answers appended. The root, its first element, gets
// more children.
func (k *passthrough) schema(f thriftField) []byte {
	_, items, _, _ := readList(f.value, 0) // valid: New has read it
	root := mustReadStruct(items[0])
	for i, r := range root {
		if r.id == elementNumChildren {
			root[i].value = i64Field(0, r.integer()+int64(len(k.answers))).value
		}
	}
	items[0] = encodeStruct(root)
	for i := range k.answers {
		e := k.answers[i].element()
		items = append(items, marshal(&e))
	}
	return encodeList(kindStruct, items)
}

// columnOrders returns the list of sort orders, with TYPE_ORDER for the answers.
func (k *passthrough) columnOrders(f thriftField) []byte {
	items, err := f.structs()
	if err != nil {
		return f.value
	}
	for range k.answers {
		items = append(items, marshal(&typeDefinedOrder))
	}
	return encodeList(kindStruct, items)
}

// withoutArrowSchema returns the list of key-value pairs without ARROW:schema.
func withoutArrowSchema(f thriftField) []byte {
	items, err := f.structs()
	if err != nil {
		return f.value
	}
	kept := items[:0]
	for _, item := range items {
		key := findField(mustReadStruct(item), 1)
		if key != nil && key.kind == kindBinary {
			if _, n := varint(key.value); string(key.value[n:]) == "ARROW:schema" {
				continue
			}
		}
		kept = append(kept, item)
	}
	return encodeList(kindStruct, kept)
}
