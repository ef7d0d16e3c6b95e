package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// A rewritten row group ends at one of these limits, which are common values. The authors of the
// format recommend 512 MB to 1 GB, but wide tables would then need much memory.
const (
	groupRows  = 1 << 20
	groupBytes = 64 << 20 // bytes of pages (tuning)
)

// fileWriter collects the pages of a row group. It writes row groups and the footer for the sinks
// passthrough and converter.
type fileWriter struct {
	answers []answerColumn
	columns []columnWriter // the last columns are the answers
	rows    int64          // number of rows in the current row group

	offset    int64 // number of bytes written
	totalRows int64 // number of rows in all written groups
	groups    []writtenGroup
}

// writtenGroup is a row group after its pages are written. Its indexes precede the footer.
type writtenGroup struct {
	fields       []thriftField // fields of RowGroup in the source; nil for converter
	columns      []writtenColumn
	offset       int64
	rows         int64
	compressed   int64
	uncompressed int64
}

// writtenColumn is a column of a writtenGroup.
type writtenColumn struct {
	fields  []thriftField // fields of ColumnChunk, without the offsets of the indexes
	indexes [2][]byte     // encoded indexes; nil if there is none
}

// Kinds of indexes.
const (
	offsetIndex = iota
	columnIndex
)

// encodedBlock has the encoded pages of a block.
type encodedBlock struct {
	kept       int
	withSource bool // passthrough only: the source columns are encoded too
	pages      []pageWriter

	// Memory for a converter: the values of a field, and the indices of the rows with a value.
	values  table.Values
	present []int
}

// addAnswers appends the answer columns, with the given names.
func (k *fileWriter) addAnswers(cols []table.Column, names []string) error {
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
func (k *fileWriter) Begin(w io.Writer, _ int64) error { return k.write(w, []byte(magic)) }

// start returns the encodedBlock of b.
func (k *fileWriter) start(b *table.Block) *encodedBlock {
	f, ok := b.Sink.(*encodedBlock)
	if !ok {
		f = &encodedBlock{pages: make([]pageWriter, len(k.columns))}
		b.Sink = f
	}
	f.kept = b.Kept()
	return f
}

// encodeAnswers encodes the answers of b.
func (k *fileWriter) encodeAnswers(f *encodedBlock, b *table.Block) error {
	first := len(k.columns) - len(k.answers)
	for i := range k.answers {
		if err := k.answers[i].encode(&f.pages[first+i], b); err != nil {
			return fmt.Errorf("column %s: %w", quote.Word(k.answers[i].name), err)
		}
	}
	return nil
}

// full reports whether the row group has reached a limit.
func (k *fileWriter) full() bool {
	size := 0
	for i := range k.columns {
		size += len(k.columns[i].buf)
	}
	return k.rows >= groupRows || size >= groupBytes
}

// reset begins a new row group.
func (k *fileWriter) reset() {
	for i := range k.columns {
		k.columns[i].reset()
	}
	k.rows = 0
}

// write writes b to w and increases k.offset.
func (k *fileWriter) write(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	k.offset += int64(n)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// writeColumns writes the pages of cols as the last columns of g. Then it begins a new row group.
func (k *fileWriter) writeColumns(w io.Writer, g writtenGroup, cols []columnWriter) error {
	for i := range cols {
		c := &cols[i]
		start, dict := k.offset, c.writtenDict()
		for _, part := range [][]byte{dict.data, c.buf} {
			if err := k.write(w, part); err != nil {
				return err
			}
		}
		g.columns = append(g.columns, c.metadata(start))
		g.compressed += k.offset - start
		g.uncompressed += c.uncompressed + int64(dict.uncompressed)
	}
	k.groups = append(k.groups, g)
	k.totalRows += k.rows
	k.reset()
	return nil
}

// writeIndexes writes the indexes of all columns and sets their offsets. Readers expect all indexes
// of a kind in one piece of the file. If any column lacks an offset index, no indexes are written.
// If a source column lacks a column index, no column indexes are written. The last ownColumns
// columns are not source columns.
func (k *fileWriter) writeIndexes(w io.Writer, ownColumns int) error {
	for kind, id := range [2]int16{offsetIndex: chunkOffsetIndex, columnIndex: chunkColumnIndex} {
		for _, g := range k.groups {
			for i, c := range g.columns {
				if c.indexes[kind] == nil && (kind == offsetIndex || i < len(g.columns)-ownColumns) {
					return nil
				}
			}
		}
		for _, g := range k.groups {
			for i := range g.columns {
				c := &g.columns[i]
				raw := c.indexes[kind]
				if raw == nil {
					continue
				}
				// Field IDs must ascend. Without encryption, ColumnChunk has no higher IDs.
				c.fields = append(c.fields, i64Field(id, k.offset), i32Field(id+1, len(raw)))
				if err := k.write(w, raw); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writeFooter writes the indexes, the footer and the last bytes of the file. meta holds the fields
// of FileMetaData. writeFooter sets the number of rows and the row groups in meta.
func (k *fileWriter) writeFooter(w io.Writer, meta []thriftField, ownColumns int) error {
	if err := k.writeIndexes(w, ownColumns); err != nil {
		return err
	}
	groups := make([][]byte, len(k.groups))
	for i := range k.groups {
		groups[i] = k.groups[i].encode(i)
	}
	for i := range meta {
		switch f := &meta[i]; f.id {
		case fileNumRows:
			*f = i64Field(f.id, k.totalRows)
		case fileRowGroups:
			*f = listField(f.id, kindStruct, groups)
		}
	}
	footer := encodeStruct(meta...)
	// The file stores the length of the footer in four bytes.
	if len(footer) > math.MaxInt32 {
		return plural.Errorf("write: a footer of %d bytes is too long for Parquet", len(footer))
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return k.write(w, append(footer, magic...))
}

// encode encodes the metadata of g, which has the given index in the file.
func (g *writtenGroup) encode(ordinal int) []byte {
	columns := make([][]byte, len(g.columns))
	for i, c := range g.columns {
		columns[i] = encodeStruct(c.fields...)
	}
	fs := []thriftField{listField(groupColumns, kindStruct, columns), i64Field(groupTotalSize, g.uncompressed), i64Field(groupNumRows, g.rows)}
	if sorting := findField(g.fields, groupSorting); sorting != nil {
		fs = append(fs, *sorting)
	}
	fs = append(fs, i64Field(groupFileOffset, g.offset), i64Field(groupCompressedSize, g.compressed))
	if ordinal <= math.MaxInt16 {
		fs = append(fs, intField(groupOrdinal, kindI16, int64(ordinal)))
	}
	for _, f := range g.fields {
		if f.id > groupOrdinal {
			fs = append(fs, f)
		}
	}
	return encodeStruct(fs...)
}
