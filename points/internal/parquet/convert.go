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
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// converter is the sink for sources of other formats.
type converter struct {
	fileWriter // its columns are the fields, followed by the answers
	src        table.Source
	fields     []format.SchemaElement
}

// Convert returns a sink that writes any source as Parquet. The columns are the fields, followed by
// cols. A missing value becomes null. Text becomes a string and must be UTF-8. Fields without a
// name get the names x, y, z and column_N. A repeated name gets a number as suffix.
//
// Errors: table.ErrCannotHold if a field is opaque, or if Parquet cannot hold a column. Format
// returns the same error for text that is not UTF-8.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := pointio.CheckValues(src, "parquet"); err != nil {
		return nil, err
	}
	k := &converter{src: src}
	axes := src.Axes()
	var all []table.Column
	for i, f := range src.Fields() {
		name := f.Name
		if axis := slices.Index(axes[:], i); name == "" && axis >= 0 {
			name = "xyz"[axis : axis+1]
		} else if name == "" {
			name = fmt.Sprintf("column_%d", i+1)
		}
		all = append(all, table.Column{Name: name})
	}
	names := table.Names(nil, append(all, cols...))
	for i, f := range src.Fields() {
		e := fieldElement(names[i], f.Type)
		k.fields = append(k.fields, e)
		k.columns = append(k.columns, columnWriter{kind: e.Type.V, path: []string{e.Name}, codec: answerCodec})
	}
	return k, k.addAnswers(cols, names[len(all):])
}

// fieldTypes maps the type of a field to its Parquet type. Columns of small or unsigned integers
// also have a logical type, and a converted type for older readers.
var fieldTypes = map[table.Type]struct {
	kind      format.Type
	bits      int8
	signed    bool
	converted deprecated.ConvertedType
}{
	table.Text:    {kind: format.ByteArray},
	table.Bool:    {kind: format.Boolean},
	table.Int8:    {format.Int32, 8, true, deprecated.Int8},
	table.Int16:   {format.Int32, 16, true, deprecated.Int16},
	table.Int32:   {kind: format.Int32},
	table.Int64:   {kind: format.Int64},
	table.Uint8:   {format.Int32, 8, false, deprecated.Uint8},
	table.Uint16:  {format.Int32, 16, false, deprecated.Uint16},
	table.Uint32:  {format.Int32, 32, false, deprecated.Uint32},
	table.Uint64:  {format.Int64, 64, false, deprecated.Uint64},
	table.Float32: {kind: format.Float},
	table.Float64: {kind: format.Double},
}

func fieldElement(name string, typ table.Type) format.SchemaElement {
	t := fieldTypes[typ]
	e := schemaElement(name, t.kind, true)
	if t.bits > 0 {
		e.LogicalType.Value, e.ConvertedType = &format.IntType{BitWidth: t.bits, IsSigned: t.signed}, thrift.New(t.converted)
	}
	return e
}

// schemaElement returns the schema element of a column. It declares BYTE_ARRAY columns as strings.
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

func (k *converter) Format(b *table.Block) error {
	f := k.start(b)
	for i := range k.fields {
		if err := k.src.Values(b, i, &f.values); err != nil {
			return err
		}
		if err := f.encodeField(&f.pages[i], b, k.fields[i].Type.V); err != nil {
			return fmt.Errorf("column %s: %w", quote.Word(k.fields[i].Name), err)
		}
	}
	return k.encodeAnswers(f, b)
}

// encodeField encodes f.values for the kept rows of b as page w.
func (f *encodedBlock) encodeField(w *pageWriter, b *table.Block, kind format.Type) error {
	w.start()
	v := &f.values
	f.present = f.present[:0]
	for i := range b.Points {
		switch {
		case b.Dropped(i):
		case len(v.Missing) > 0 && v.Missing[i]:
			w.defLevels = append(w.defLevels, 0)
			w.nulls++
		default:
			w.defLevels = append(w.defLevels, 1)
			f.present = append(f.present, i)
		}
	}
	w.entries = len(w.defLevels)
	w.appendLevels(w.defLevels, 1)
	switch kind {
	case format.Double:
		for _, i := range f.present {
			w.body = binary.LittleEndian.AppendUint64(w.body, math.Float64bits(v.Floats[i]))
		}
	case format.Float:
		for _, i := range f.present {
			w.body = binary.LittleEndian.AppendUint32(w.body, math.Float32bits(float32(v.Floats[i])))
		}
	case format.Int64:
		for _, i := range f.present {
			w.body = binary.LittleEndian.AppendUint64(w.body, uint64(v.Ints[i]))
		}
	case format.Int32:
		for _, i := range f.present {
			w.body = binary.LittleEndian.AppendUint32(w.body, uint32(v.Ints[i]))
		}
	case format.Boolean:
		for _, i := range f.present {
			w.values = append(w.values, byte(v.Ints[i]))
		}
		w.body = packBits(w.body, w.values, 1)
	default:
		for _, i := range f.present {
			if s := v.Texts[i]; !utf8.Valid(s) {
				return fmt.Errorf("block that begins with row %d: %s is not UTF-8, but Parquet strings must be UTF-8: %w", b.First, quote.Word(s), table.ErrCannotHold)
			}
			w.body = appendPrefixed(w.body, v.Texts[i])
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
		return k.writeColumns(w, writtenGroup{offset: k.offset, rows: k.rows}, k.columns)
	}
	return nil
}

// End writes the last row group and the footer.
func (k *converter) End(w io.Writer) error {
	if k.rows > 0 {
		if err := k.writeColumns(w, writtenGroup{offset: k.offset, rows: k.rows}, k.columns); err != nil {
			return err
		}
	}
	m := format.FileMetaData{
		Version:      2, // files of version 2 can have all types and all versions of pages
		Schema:       []format.SchemaElement{{Name: "schema", NumChildren: thrift.New(int32(len(k.columns)))}},
		CreatedBy:    "inpoly",
		ColumnOrders: slices.Repeat([]format.ColumnOrder{typeDefinedOrder}, len(k.columns)),
	}
	m.Schema = append(m.Schema, k.fields...)
	for i := range k.answers {
		m.Schema = append(m.Schema, k.answers[i].element())
	}
	return k.writeFooter(w, mustReadStruct(marshal(&m)), len(k.columns))
}

// typeDefinedOrder is the sort order of all columns that this package encodes.
var typeDefinedOrder = format.ColumnOrder{Value: new(format.TypeDefinedOrder)}
