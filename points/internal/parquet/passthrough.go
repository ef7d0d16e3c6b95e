package parquet

import (
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/points/table"
)

// pendingRows is the range of rows of a block. No rows of the block are dropped, and their source
// columns are not encoded yet.
type pendingRows struct {
	rowRange
	groupRow int64 // index of the first row in the row group of the output
}

// passthrough is the sink that copies or rewrites the columns of the source.
type passthrough struct {
	fileWriter // its columns are the columns of the source, followed by the answers
	src        *Source

	group         *rowGroup     // row group of the source that is being written
	partlyWritten bool          // some rows of group are in an earlier row group of the output
	pending       []pendingRows // blocks whose source columns are not encoded yet
}

// Passthrough returns a sink that writes Parquet: all columns of the source, followed by cols.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	inUse := slices.Clone(s.fields)
	for _, name := range s.topNames {
		inUse = append(inUse, table.Field{Name: name})
	}
	k := &passthrough{src: s}
	for i := range s.leaves {
		k.columns = append(k.columns, columnWriter{kind: s.leaves[i].kind, path: s.leaves[i].path})
	}
	return k, k.addAnswers(cols, table.Names(inUse, cols))
}

// canCopy reports whether g can be copied byte by byte. The shard must contain all rows of g. The
// answers must fit into memory, because they follow the columns of g in the file.
func (k *passthrough) canCopy(g *rowGroup) bool {
	if g.firstRow < k.src.firstRow || g.firstRow+g.rows > k.src.endRow {
		return false
	}
	size := int64(0)
	for i := range k.answers {
		size += k.answers[i].rowBytes
	}
	return size == 0 || g.rows <= groupBytes/size
}

// Format encodes the answers. If the row group cannot be copied, Format also encodes the columns of
// the source.
func (k *passthrough) Format(b *table.Block) error {
	r := b.Source.(*rowRange)
	f := k.start(b)
	f.withSource = b.Drop != nil || !k.canCopy(r.group)
	if f.withSource && f.kept > 0 {
		if err := k.rewrite(f.pages[:len(k.src.leaves)], r, b.Drop); err != nil {
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

// rewritePending encodes the source columns of pending blocks whose row group cannot be copied.
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

// addPages adds one page to each source column. The pages begin with the given row of the row group
// in the output.
func (k *passthrough) addPages(pages []pageWriter, g *rowGroup, first int64) error {
	for i := range pages {
		chunk, err := k.src.chunk(g, i)
		if err != nil {
			return k.src.wrapError(g, i, err)
		}
		c := &k.columns[i]
		if len(c.locations) == 0 {
			c.codec, c.dict = writtenCodec(chunk.meta.Codec), dictionaryPage{}
		}
		c.add(&pages[i], first)
		if c.hasEncoding(format.RLEDictionary) && c.dict.data == nil {
			d, err := chunk.dictionary()
			if err != nil {
				return k.src.wrapError(g, i, err)
			}
			c.dict = d.page
		}
	}
	return nil
}

// flush writes the row group. If copySource is true, it copies the columns of the source. Otherwise
// it writes the collected pages.
func (k *passthrough) flush(w io.Writer, copySource bool) error {
	if k.rows == 0 {
		return nil
	}
	g := writtenGroup{fields: mustReadStruct(k.group.raw), offset: k.offset, rows: k.rows}
	columns := k.columns
	if copySource {
		k.pending = k.pending[:0]
		if err := k.copyGroup(w, &g); err != nil {
			return err
		}
		columns = columns[len(k.src.leaves):]
	} else if err := k.rewritePending(); err != nil {
		return err
	}
	return k.writeColumns(w, g, columns)
}

// End writes the footer.
func (k *passthrough) End(w io.Writer) error {
	meta := slices.Clone(k.src.metadata)
	for i := range meta {
		switch f := &meta[i]; {
		case len(k.answers) == 0:
		case f.id == fileSchema:
			f.value = k.schema(*f)
		case f.id == fileKeyValues:
			f.value = withoutArrowSchema(*f)
		case f.id == fileColumnOrders:
			f.value = k.columnOrders(*f)
		}
	}
	return k.writeFooter(w, meta, len(k.answers))
}

// schema returns the schema elements in f, followed by the schema elements of the answers. It
// increases the number of children of the root, which is the first element.
func (k *passthrough) schema(f thriftField) []byte {
	_, items, _, _ := readList(f.value, 0) // f is valid, because New has read it
	root := mustReadStruct(items[0])
	if n := findField(root, elementNumChildren); n != nil {
		*n = intField(n.id, n.kind, n.integer()+int64(len(k.answers)))
	}
	items[0] = encodeStruct(root...)
	for i := range k.answers {
		e := k.answers[i].element()
		items = append(items, marshal(&e))
	}
	return encodeList(kindStruct, items)
}

// columnOrders returns the list f of sort orders, with TYPE_ORDER appended for each answer.
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

// withoutArrowSchema returns the list f of key-value pairs without the key ARROW:schema.
func withoutArrowSchema(f thriftField) []byte {
	items, err := f.structs()
	if err != nil {
		return f.value
	}
	const arrowKey = "\x0cARROW:schema" // the first byte is the length of the key
	items = slices.DeleteFunc(items, func(item []byte) bool {
		key := findField(mustReadStruct(item), 1)
		return key != nil && key.kind == kindBinary && string(key.value) == arrowKey
	})
	return encodeList(kindStruct, items)
}
