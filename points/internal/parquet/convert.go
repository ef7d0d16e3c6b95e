package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// converted is the sink for sources of other formats.
type converted struct {
	src     table.Source
	fields  []fieldColumn
	answers []answer
	out     output
	columns []column // of the fields, then of the answers
	kept    int64
}

// fieldColumn writes a field.
type fieldColumn struct {
	name    string
	typ     table.Type
	kind    format.Type
	logical logicalType
}

// pagesOf is what a converted makes of a block.
type pagesOf struct {
	kept    int
	columns []written
	values  table.Values
}

// Convert returns a sink of Parquet for any source: a column for each field, which is
// null where it is missing, and cols behind them. Text becomes a string and must be
// UTF-8. Names that are empty are x, y, z and column_N, and names that repeat get a
// number. It fails with an error that wraps table.ErrCannotHold for a field without values,
// and for a column that Parquet cannot hold.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := pointio.CheckValues(src, "parquet"); err != nil {
		return nil, err
	}
	k := &converted{src: src}
	names := fieldNames(src)
	taken := make([]table.Field, len(names))
	for i, f := range src.Fields() {
		taken[i].Name = names[i]
		c := newFieldColumn(names[i], f.Type)
		k.fields = append(k.fields, c)
		k.columns = append(k.columns, column{kind: c.kind, path: []string{c.name}, codec: codec})
	}
	k.answers = newAnswers(cols, table.Names(taken, cols))
	var err error
	if k.columns, err = appendAnswers(k.columns, k.answers); err != nil {
		return nil, err
	}
	return k, nil
}

// fieldNames returns names of the fields, each for itself.
func fieldNames(src table.Source) []string {
	fields, axes := src.Fields(), src.Axes()
	cols := make([]table.Column, len(fields))
	for i, f := range fields {
		cols[i].Name = f.Name
		if f.Name != "" {
			continue
		}
		cols[i].Name = fmt.Sprintf("column_%d", i+1)
		for a, at := range axes {
			if at == i {
				cols[i].Name = "xyz"[a : a+1]
			}
		}
	}
	return table.Names(nil, cols)
}

// newFieldColumn returns the column for a field of that type.
func newFieldColumn(name string, typ table.Type) fieldColumn {
	c := fieldColumn{name: name, typ: typ}
	integer := func(converted deprecated.ConvertedType, width int, signed bool) {
		c.kind = format.Int32
		if width == 64 {
			c.kind = format.Int64
		}
		c.logical = logicalType{converted: converted, width: width, signed: signed, given: true}
	}
	switch typ {
	case table.Text:
		c.kind, c.logical = format.ByteArray, words
	case table.Bool:
		c.kind = format.Boolean
	case table.Float32:
		c.kind = format.Float
	case table.Float64:
		c.kind = format.Double
	case table.Int8:
		integer(deprecated.Int8, 8, true)
	case table.Int16:
		integer(deprecated.Int16, 16, true)
	case table.Int32:
		c.kind = format.Int32
	case table.Int64:
		c.kind = format.Int64
	case table.Uint8:
		integer(deprecated.Uint8, 8, false)
	case table.Uint16:
		integer(deprecated.Uint16, 16, false)
	case table.Uint32:
		integer(deprecated.Uint32, 32, false)
	case table.Uint64:
		integer(deprecated.Uint64, 64, false)
	}
	return c
}

// Begin writes the first bytes.
func (k *converted) Begin(w io.Writer, rows int64) error { return k.out.begin(w) }

// Format writes the pages of the fields and of the answers.
func (k *converted) Format(b *table.Block) error {
	f, ok := b.Sink.(*pagesOf)
	if !ok {
		f = &pagesOf{columns: make([]written, len(k.columns))}
		b.Sink = f
	}
	f.kept = b.Kept()
	for i := range k.fields {
		c := &k.fields[i]
		if err := k.src.Values(b, i, &f.values); err != nil {
			return err
		}
		if err := c.write(&f.columns[i], b, &f.values); err != nil {
			return fmt.Errorf("column %q: %w", c.name, err)
		}
	}
	for i := range k.answers {
		if err := k.answers[i].write(&f.columns[len(k.fields)+i], b); err != nil {
			return fmt.Errorf("column %q: %w", k.answers[i].name, err)
		}
	}
	return nil
}

// write makes the page of the values v of the rows of b that are not dropped.
func (c *fieldColumn) write(w *written, b *table.Block, v *table.Values) error {
	w.start()
	for i := range b.Points {
		switch {
		case b.Dropped(i):
		case len(v.Missing) > 0 && v.Missing[i]:
			w.flags = append(w.flags, 0)
			w.nulls++
		default:
			w.flags = append(w.flags, 1)
		}
	}
	w.entries = len(w.flags)
	w.levels(w.flags, 1)
	there := func(i int) bool {
		return !b.Dropped(i) && (len(v.Missing) == 0 || !v.Missing[i])
	}
	switch c.kind {
	case format.Double:
		for i, f := range v.Floats {
			if there(i) {
				w.body = binary.LittleEndian.AppendUint64(w.body, math.Float64bits(f))
			}
		}
	case format.Float:
		for i, f := range v.Floats {
			if there(i) {
				w.body = binary.LittleEndian.AppendUint32(w.body, math.Float32bits(float32(f)))
			}
		}
	case format.Int64:
		for i, n := range v.Ints {
			if there(i) {
				w.body = binary.LittleEndian.AppendUint64(w.body, uint64(n))
			}
		}
	case format.Int32:
		for i, n := range v.Ints {
			if there(i) {
				w.body = binary.LittleEndian.AppendUint32(w.body, uint32(n))
			}
		}
	case format.Boolean:
		for i, n := range v.Ints {
			if there(i) {
				w.values = append(w.values, byte(n))
			}
		}
		w.body = pack(w.body, w.values, 1)
	default:
		for i, s := range v.Texts {
			if !there(i) {
				continue
			}
			if !utf8.Valid(s) {
				return fmt.Errorf("block of row %d: %s is not UTF-8, which Parquet wants of strings: %w", b.First, pointio.Quote(s), table.ErrCannotHold)
			}
			w.body = appendBytes(w.body, s)
		}
	}
	return w.finish(codec, format.Plain)
}

// Write collects the pages of b, and writes the row group when it is large enough.
func (k *converted) Write(w io.Writer, b *table.Block) error {
	f := b.Sink.(*pagesOf)
	bytes := 0
	for i := range k.columns {
		k.columns[i].add(&f.columns[i], k.kept)
		bytes += len(k.columns[i].buf)
	}
	k.kept += int64(f.kept)
	if k.kept >= groupRows || bytes >= groupBytes {
		return k.flush(w)
	}
	return nil
}

// flush writes the row group.
func (k *converted) flush(w io.Writer) error {
	if k.kept == 0 {
		return nil
	}
	g := closedGroup{at: k.out.at, rows: k.kept}
	if err := k.out.writeColumns(w, &g, k.columns); err != nil {
		return err
	}
	k.out.groups = append(k.out.groups, g)
	k.out.rows += k.kept
	k.kept = 0
	for i := range k.columns {
		k.columns[i].reset()
	}
	return nil
}

// End writes the last row group and the footer.
func (k *converted) End(w io.Writer) error {
	if err := k.flush(w); err != nil {
		return err
	}
	return k.out.end(w, k.meta(), len(k.columns))
}

// meta returns the metadata of the file (FileMetaData of parquet.thrift).
func (k *converted) meta() []field {
	var e encoder
	e.begin()
	e.i32(1, 2) // the version of files that may have pages and types of format 2
	e.list(2, kindStruct, 1+len(k.columns))
	e.begin()
	e.string(4, "schema")
	e.i32(5, len(k.columns))
	e.end()
	for i := range k.fields {
		c := &k.fields[i]
		e.b = append(e.b, element(c.name, c.kind, true, c.logical)...)
	}
	for i := range k.answers {
		e.b = append(e.b, k.answers[i].element()...)
	}
	e.i64(3, 0)
	e.list(4, kindStruct, 0)
	e.string(6, "inpoly")
	e.list(7, kindStruct, len(k.columns))
	for range k.columns {
		e.b = append(e.b, typeOrder()...)
	}
	e.end()
	return must(e.b)
}
