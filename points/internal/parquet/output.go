package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// output is a file that is being written.
type output struct {
	at     int64 // bytes written
	rows   int64
	groups []closedGroup
}

// closedGroup is a row group that is written; the places of its indexes are not known
// before the end.
type closedGroup struct {
	fields   []field // of RowGroup, but for those that are set here
	columns  []closedColumn
	at       int64
	rows     int64
	size     int64
	expanded int64
}

// closedColumn is a column of it.
type closedColumn struct {
	fields []field // of ColumnChunk, without the places of its indexes
	// The indexes, nil if there are none.
	column, offset []byte
}

// write writes b.
func (o *output) write(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	o.at += int64(n)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// begin writes what a file begins with.
func (o *output) begin(w io.Writer) error { return o.write(w, []byte(magic)) }

// writeColumns writes the pages of cols and appends them to g.
func (o *output) writeColumns(w io.Writer, g *closedGroup, cols []column) error {
	for i := range cols {
		c := &cols[i]
		at := o.at
		if c.usesDictionary() {
			if err := o.write(w, c.dict); err != nil {
				return err
			}
		}
		if err := o.write(w, c.buf); err != nil {
			return err
		}
		fs := c.chunk(at)
		g.columns = append(g.columns, closedColumn{fs, c.columnIndex(), c.offsetIndex(at)})
		g.size += o.at - at
		g.expanded += c.expanded
		if c.usesDictionary() {
			g.expanded += int64(c.dictExpanded)
		}
	}
	return nil
}

// indexes writes the indexes of all columns, and sets where they are. Offset indexes are
// written if all columns have one, and column indexes if all but the last keep columns
// have one: readers take all of a kind for one piece of the file.
func (o *output) indexes(w io.Writer, keep int) error {
	columns, offsets := true, true
	for _, g := range o.groups {
		for i, c := range g.columns {
			columns = columns && (c.column != nil || i >= len(g.columns)-keep)
			offsets = offsets && c.offset != nil
		}
	}
	put := func(id int16, pick func(*closedColumn) []byte) error {
		for _, g := range o.groups {
			for i := range g.columns {
				c := &g.columns[i]
				index := pick(c)
				if index == nil {
					continue
				}
				c.fields = append(c.fields, number(id, o.at), field{id: id + 1, kind: kindI32, value: number(0, int64(len(index))).value})
				if err := o.write(w, index); err != nil {
					return err
				}
			}
		}
		return nil
	}
	// The fields go in the order of their ids: offset index 4 and 5, column index 6 and
	// 7, encryption 8 and 9, of which there is none.
	if offsets {
		if err := put(4, func(c *closedColumn) []byte { return c.offset }); err != nil {
			return err
		}
	}
	if columns && offsets {
		return put(6, func(c *closedColumn) []byte { return c.column })
	}
	return nil
}

// number returns an i64 field.
func number(id int16, v int64) field {
	var e encoder
	e.number(v)
	return field{id: id, kind: kindI64, value: e.b}
}

// end writes the indexes, the footer and what a file ends with. meta are the fields of
// FileMetaData but for the rows and the row groups.
func (o *output) end(w io.Writer, meta []field, answers int) error {
	if err := o.indexes(w, answers); err != nil {
		return err
	}
	var e encoder
	e.begin()
	for _, f := range meta {
		switch f.id {
		case 3:
			e.i64(3, o.rows)
		case 4:
			e.list(4, kindStruct, len(o.groups))
			for i := range o.groups {
				o.groups[i].encode(&e, i)
			}
		default:
			e.field(f)
		}
	}
	e.end()
	// The length has four bytes.
	if len(e.b) > math.MaxInt32 {
		return fmt.Errorf("write: a footer of %d bytes, which Parquet has no room for", len(e.b))
	}
	e.b = binary.LittleEndian.AppendUint32(e.b, uint32(len(e.b)))
	return o.write(w, append(e.b, magic...))
}

// encode writes the metadata of the row group with that number.
func (g *closedGroup) encode(e *encoder, ordinal int) {
	e.begin()
	e.list(1, kindStruct, len(g.columns))
	for _, c := range g.columns {
		e.begin()
		for _, f := range c.fields {
			e.field(f)
		}
		e.end()
	}
	e.i64(2, g.expanded)
	e.i64(3, g.rows)
	for _, f := range g.fields {
		if f.id == 4 { // how the rows are sorted
			e.field(f)
		}
	}
	e.i64(5, g.at)
	e.i64(6, g.size)
	// Field 7, the number of the row group, has 16 bits.
	if ordinal <= math.MaxInt16 {
		e.head(7, kindI16)
		e.number(int64(ordinal))
	}
	for _, f := range g.fields {
		if f.id > 7 {
			e.field(f)
		}
	}
	e.end()
}
