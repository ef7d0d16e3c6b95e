package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// converter is the sink for sources of other formats.
type converter struct {
	groupWriter // the columns of the fields, then of the answers
	src         table.Source
	fields      []fieldColumn
}

// fieldColumn encodes a field.
type fieldColumn struct {
	element format.SchemaElement
}

// Convert returns a sink that writes any source as Parquet: a column for each field, followed by
// cols. A missing value becomes null. Text becomes a string and must be UTF-8. Fields without a
// name are called x, y, z and column_N; repeated names get a number.
//
// Errors: table.ErrCannotHold if a field has no values, or if Parquet cannot hold a column; Format
// returns it for text that is not UTF-8.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := pointio.CheckValues(src, "parquet"); err != nil {
		return nil, err
	}
	k := &converter{src: src}
	names := fieldNames(src)
	inUse := make([]table.Field, len(names))
	for i, f := range src.Fields() {
		inUse[i].Name = names[i]
		c := newFieldColumn(names[i], f.Type)
		k.fields = append(k.fields, c)
		k.columns = append(k.columns, columnWriter{kind: c.element.Type.V, path: []string{names[i]}, codec: answerCodec})
	}
	return k, k.addAnswers(cols, table.Names(inUse, cols))
}

// fieldNames returns distinct names for the fields.
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

// newFieldColumn returns the column for a field of a type.
func newFieldColumn(name string, typ table.Type) fieldColumn {
	integer := func(kind format.Type, bits int8, signed bool, old deprecated.ConvertedType) fieldColumn {
		e := schemaElement(name, kind, true)
		e.LogicalType.Value, e.ConvertedType = &format.IntType{BitWidth: bits, IsSigned: signed}, thrift.New(old)
		return fieldColumn{e}
	}
	switch typ {
	case table.Bool:
		return fieldColumn{schemaElement(name, format.Boolean, true)}
	case table.Float32:
		return fieldColumn{schemaElement(name, format.Float, true)}
	case table.Float64:
		return fieldColumn{schemaElement(name, format.Double, true)}
	case table.Int8:
		return integer(format.Int32, 8, true, deprecated.Int8)
	case table.Int16:
		return integer(format.Int32, 16, true, deprecated.Int16)
	case table.Int32:
		return fieldColumn{schemaElement(name, format.Int32, true)}
	case table.Int64:
		return fieldColumn{schemaElement(name, format.Int64, true)}
	case table.Uint8:
		return integer(format.Int32, 8, false, deprecated.Uint8)
	case table.Uint16:
		return integer(format.Int32, 16, false, deprecated.Uint16)
	case table.Uint32:
		return integer(format.Int32, 32, false, deprecated.Uint32)
	case table.Uint64:
		return integer(format.Int64, 64, false, deprecated.Uint64)
	}
	return fieldColumn{schemaElement(name, format.ByteArray, true)}
}

// schemaElement returns the schema element of a column. A BYTE_ARRAY is a string.
func schemaElement(name string, kind format.Type, optional bool) format.SchemaElement {
	e := format.SchemaElement{Name: name, Type: thrift.New(kind), RepetitionType: thrift.New(format.Required)}
	if optional {
		e.RepetitionType = thrift.New(format.Optional)
	}
	if kind == format.ByteArray {
		e.LogicalType.Value, e.ConvertedType = new(format.StringType), thrift.New(deprecated.UTF8)
	}
	return e
}

// Format encodes the fields and the answers of b.
func (k *converter) Format(b *table.Block) error {
	f := k.start(b)
	for i := range k.fields {
		c := &k.fields[i]
		if err := k.src.Values(b, i, &f.values); err != nil {
			return err
		}
		if err := c.encode(&f.pages[i], b, &f.values); err != nil {
			return fmt.Errorf("column %q: %w", c.element.Name, err)
		}
	}
	return k.encodeAnswers(f, b)
}

// encode makes the page of the values v of the rows of b that are not dropped.
func (c *fieldColumn) encode(w *pageWriter, b *table.Block, v *table.Values) error {
	w.start()
	for i := range b.Points {
		switch {
		case b.Dropped(i):
		case len(v.Missing) > 0 && v.Missing[i]:
			w.defLevels = append(w.defLevels, 0)
			w.nulls++
		default:
			w.defLevels = append(w.defLevels, 1)
		}
	}
	w.entries = len(w.defLevels)
	w.appendLevels(w.defLevels, 1)
	present := func(i int) bool {
		return !b.Dropped(i) && (len(v.Missing) == 0 || !v.Missing[i])
	}
	switch c.element.Type.V {
	case format.Double:
		for i, f := range v.Floats {
			if present(i) {
				w.body = binary.LittleEndian.AppendUint64(w.body, math.Float64bits(f))
			}
		}
	case format.Float:
		for i, f := range v.Floats {
			if present(i) {
				w.body = binary.LittleEndian.AppendUint32(w.body, math.Float32bits(float32(f)))
			}
		}
	case format.Int64:
		for i, n := range v.Ints {
			if present(i) {
				w.body = binary.LittleEndian.AppendUint64(w.body, uint64(n))
			}
		}
	case format.Int32:
		for i, n := range v.Ints {
			if present(i) {
				w.body = binary.LittleEndian.AppendUint32(w.body, uint32(n))
			}
		}
	case format.Boolean:
		for i, n := range v.Ints {
			if present(i) {
				w.values = append(w.values, byte(n))
			}
		}
		w.body = packBits(w.body, w.values, 1)
	default:
		for i, s := range v.Texts {
			if !present(i) {
				continue
			}
			if !utf8.Valid(s) {
				return fmt.Errorf("block of row %d: %s is not UTF-8, which Parquet requires of strings: %w", b.First, pointio.Quote(s), table.ErrCannotHold)
			}
			w.body = appendPrefixed(w.body, s)
		}
	}
	return w.finish(answerCodec, format.Plain)
}

// Write adds the pages of b to the row group, and writes the row group if it is full.
func (k *converter) Write(w io.Writer, b *table.Block) error {
	f := b.Sink.(*encodedBlock)
	for i := range k.columns {
		k.columns[i].add(&f.pages[i], k.rows)
	}
	k.rows += int64(f.kept)
	if k.full() {
		return k.flush(w)
	}
	return nil
}

// flush writes the row group.
func (k *converter) flush(w io.Writer) error {
	if k.rows == 0 {
		return nil
	}
	return k.finish(w, writtenGroup{offset: k.out.offset, rows: k.rows}, k.columns)
}

// End writes the last row group and the footer.
func (k *converter) End(w io.Writer) error {
	if err := k.flush(w); err != nil {
		return err
	}
	return k.out.writeFooter(w, k.metadata(), len(k.columns))
}

// metadata returns the metadata of the file (FileMetaData of parquet.thrift).
func (k *converter) metadata() []thriftField {
	m := format.FileMetaData{
		Version:      2, // of files that may have pages and types of format 2
		Schema:       []format.SchemaElement{{Name: "schema", NumChildren: thrift.New(int32(len(k.columns)))}},
		CreatedBy:    "inpoly",
		ColumnOrders: slices.Repeat([]format.ColumnOrder{typeDefinedOrder}, len(k.columns)),
	}
	for i := range k.fields {
		m.Schema = append(m.Schema, k.fields[i].element)
	}
	for i := range k.answers {
		m.Schema = append(m.Schema, k.answers[i].element())
	}
	return mustReadStruct(marshal(&m))
}

// typeDefinedOrder is the sort order of all columns that are written here.
var typeDefinedOrder = format.ColumnOrder{Value: new(format.TypeDefinedOrder)}
