package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/inpoly/inpoly/points/table"
)

// A row group that is rewritten ends at the first of these limits. Both are common values: the
// authors of the format recommend 512 MB to 1 GB, but the memory of wide tables would grow.
const (
	groupRows  = 1 << 20
	groupBytes = 64 << 20 // of pages; tuning
)

// groupWriter collects the pages of a row group and writes it. Both sinks embed it.
type groupWriter struct {
	out     fileWriter
	answers []answerColumn
	columns []columnWriter // the last ones are the answers
	rows    int64          // of the row group so far
}

// encodedBlock is a block as a sink encodes it.
type encodedBlock struct {
	kept       int
	withSource bool // passthrough: the columns of the source are encoded too
	pages      []pageWriter

	// The working memory of converter: a field, and the rows that have a value.
	values  table.Values
	present []int
}

// addAnswers adds cols, under these names, as the last columns.
func (k *groupWriter) addAnswers(cols []table.Column, names []string) error {
	k.answers = newAnswerColumns(cols, names)
	for i := range k.answers {
		c, err := k.answers[i].writer()
		if err != nil {
			return err
		}
		k.columns = append(k.columns, c)
	}
	return nil
}

// Begin writes the first bytes of the file.
func (k *groupWriter) Begin(w io.Writer, _ int64) error { return k.out.write(w, []byte(magic)) }

// start returns the encodedBlock of b.
func (k *groupWriter) start(b *table.Block) *encodedBlock {
	f, ok := b.Sink.(*encodedBlock)
	if !ok {
		f = &encodedBlock{pages: make([]pageWriter, len(k.columns))}
		b.Sink = f
	}
	f.kept = b.Kept()
	return f
}

// encodeAnswers encodes the answers of b.
func (k *groupWriter) encodeAnswers(f *encodedBlock, b *table.Block) error {
	first := len(k.columns) - len(k.answers)
	for i := range k.answers {
		if err := k.answers[i].encode(&f.pages[first+i], b); err != nil {
			return fmt.Errorf("column %q: %w", k.answers[i].name, err)
		}
	}
	return nil
}

// full reports whether the row group has reached a limit.
func (k *groupWriter) full() bool {
	bytes := 0
	for i := range k.columns {
		bytes += len(k.columns[i].buf)
	}
	return k.rows >= groupRows || bytes >= groupBytes
}

// finish writes the pages of cols, the last columns of g, and begins a new row group.
func (k *groupWriter) finish(w io.Writer, g writtenGroup, cols []columnWriter) error {
	if err := k.out.writeColumns(w, &g, cols); err != nil {
		return err
	}
	k.out.groups = append(k.out.groups, g)
	k.out.rows += k.rows
	k.reset()
	return nil
}

// reset empties the row group.
func (k *groupWriter) reset() {
	for i := range k.columns {
		k.columns[i].reset()
	}
	k.rows = 0
}

// fileWriter is the output file.
type fileWriter struct {
	offset int64 // bytes written
	rows   int64
	groups []writtenGroup
}

// writtenGroup is a row group whose pages are written. The offsets of its indexes are known only
// at the end.
type writtenGroup struct {
	fields       []thriftField // of RowGroup; the offsets and sizes are set here
	columns      []writtenColumn
	offset       int64
	rows         int64
	compressed   int64
	uncompressed int64
}

// writtenColumn is a column of a writtenGroup.
type writtenColumn struct {
	fields []thriftField // of ColumnChunk, without the offsets of the indexes
	// nil if there is none
	columnIndex, offsetIndex []byte
}

// write writes b.
func (o *fileWriter) write(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	o.offset += int64(n)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// writeColumns writes the pages of cols and adds them to g.
func (o *fileWriter) writeColumns(w io.Writer, g *writtenGroup, cols []columnWriter) error {
	for i := range cols {
		c := &cols[i]
		start := o.offset
		if c.usesDictionary() {
			if err := o.write(w, c.dict); err != nil {
				return err
			}
		}
		if err := o.write(w, c.buf); err != nil {
			return err
		}
		fs := c.metadata(start)
		g.columns = append(g.columns, writtenColumn{fs, c.encodeColumnIndex(), c.encodeOffsetIndex(start)})
		g.compressed += o.offset - start
		g.uncompressed += c.uncompressed
		if c.usesDictionary() {
			g.uncompressed += int64(c.dictUncompressed)
		}
	}
	return nil
}

// writeIndexes writes the indexes of all columns and sets their offsets. Readers take all indexes
// of a kind for one piece of the file. Therefore it writes offset indexes only if all columns have
// one, and column indexes only if all columns have one, except the last answers columns.
func (o *fileWriter) writeIndexes(w io.Writer, answers int) error {
	columns, offsets := true, true
	for _, g := range o.groups {
		for i, c := range g.columns {
			columns = columns && (c.columnIndex != nil || i >= len(g.columns)-answers)
			offsets = offsets && c.offsetIndex != nil
		}
	}
	write := func(id int16, index func(*writtenColumn) []byte) error {
		for _, g := range o.groups {
			for i := range g.columns {
				c := &g.columns[i]
				index := index(c)
				if index == nil {
					continue
				}
				c.fields = append(c.fields, i64Field(id, o.offset), thriftField{id: id + 1, kind: kindI32, value: i64Field(0, int64(len(index))).value})
				if err := o.write(w, index); err != nil {
					return err
				}
			}
		}
		return nil
	}
	// Fields must have ascending ids. Those of encryption, which would follow, are absent.
	if offsets {
		if err := write(chunkOffsetIndex, func(c *writtenColumn) []byte { return c.offsetIndex }); err != nil {
			return err
		}
	}
	if columns && offsets {
		return write(chunkColumnIndex, func(c *writtenColumn) []byte { return c.columnIndex })
	}
	return nil
}

// writeFooter writes the indexes, the footer and the last bytes of the file. It sets the rows and
// row groups of meta, the fields of FileMetaData.
func (o *fileWriter) writeFooter(w io.Writer, meta []thriftField, answers int) error {
	if err := o.writeIndexes(w, answers); err != nil {
		return err
	}
	var e thriftEncoder
	e.begin()
	for _, f := range meta {
		switch f.id {
		case fileNumRows:
			e.i64(fileNumRows, o.rows)
		case fileRowGroups:
			e.list(fileRowGroups, kindStruct, len(o.groups))
			for i := range o.groups {
				o.groups[i].encode(&e, i)
			}
		default:
			e.field(f)
		}
	}
	e.end()
	// The length of the footer has four bytes.
	if len(e.b) > math.MaxInt32 {
		return fmt.Errorf("write: a footer of %d bytes is too long for Parquet", len(e.b))
	}
	e.b = binary.LittleEndian.AppendUint32(e.b, uint32(len(e.b)))
	return o.write(w, append(e.b, magic...))
}

// encode encodes the metadata of the row group with this number.
func (g *writtenGroup) encode(e *thriftEncoder, ordinal int) {
	e.begin()
	e.list(groupColumns, kindStruct, len(g.columns))
	for _, c := range g.columns {
		e.begin()
		for _, f := range c.fields {
			e.field(f)
		}
		e.end()
	}
	e.i64(groupTotalSize, g.uncompressed)
	e.i64(groupNumRows, g.rows)
	for _, f := range g.fields {
		if f.id == groupSorting {
			e.field(f)
		}
	}
	e.i64(groupFileOffset, g.offset)
	e.i64(groupCompressedSize, g.compressed)
	// The ordinal has 16 bits.
	if ordinal <= math.MaxInt16 {
		e.fieldHeader(groupOrdinal, kindI16)
		e.zigzag(int64(ordinal))
	}
	for _, f := range g.fields {
		if f.id > groupOrdinal {
			e.field(f)
		}
	}
	e.end()
}
