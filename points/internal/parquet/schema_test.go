package parquet

import (
	"fmt"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/points/table"
)

// TestConvertedTypes classifies columns that have a converted type and no logical type.
func TestConvertedTypes(t *testing.T) {
	for _, c := range []struct {
		kind      format.Type
		converted deprecated.ConvertedType
		want      table.Type
		opaque    string
	}{
		{format.Int32, deprecated.Uint8, table.Uint8, ""},
		{format.Int32, deprecated.Uint16, table.Uint16, ""},
		{format.Int32, deprecated.Uint32, table.Uint32, ""},
		{format.Int64, deprecated.Uint64, table.Uint64, ""},
		{format.Int32, deprecated.Int8, table.Int8, ""},
		{format.Int32, deprecated.Int16, table.Int16, ""},
		{format.Int32, deprecated.Int32, table.Int32, ""},
		{format.Int64, deprecated.Int64, table.Int64, ""},
		{format.ByteArray, deprecated.UTF8, table.Text, ""},
		{format.ByteArray, deprecated.Json, table.Text, ""},
		{format.ByteArray, deprecated.Bson, table.Text, "BSON"},
		{format.Int64, deprecated.Decimal, table.Text, ""},
		{format.ByteArray, deprecated.Decimal, table.Text, "many digits"},
		{format.Int32, deprecated.Date, table.Int32, ""},
		{format.Int64, deprecated.TimestampMicros, table.Int64, ""},
	} {
		l := leaf{}
		e := format.SchemaElement{Type: thrift.New(c.kind), ConvertedType: thrift.New(c.converted), Scale: thrift.New[int32](2)}
		if err := l.classify(&e); err != nil || l.typ != c.want || !strings.Contains(l.opaque, c.opaque) || (l.opaque == "") != (c.opaque == "") {
			t.Errorf("%v %v: %v, %v %q, want %v %q", c.kind, c.converted, err, l.typ, l.opaque, c.want, c.opaque)
		}
	}
}

// TestDecimals compares decimals with the float64 nearest to their digits.
func TestDecimals(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for scale := range 19 {
		l := leaf{kind: format.Int64, width: 8, typ: table.Text, scale: scale, signed: true}
		for range 2000 {
			k := int64(rng.Uint64()) >> rng.Intn(64)
			digits := string(l.appendDecimal(nil, k))
			want, err := strconv.ParseFloat(digits, 64)
			if got := l.float(k); err != nil || math.Float64bits(got) != math.Float64bits(want) {
				if got != 0 || want != 0 { // the sign of zero is not compared
					t.Fatalf("%d with scale %d: %g, want %g of %s", k, scale, got, want, digits)
				}
			}
			if back := strings.Replace(digits, ".", "", 1); scale > 0 {
				n, err := strconv.ParseInt(back, 10, 64)
				if err != nil || n != k || len(digits)-strings.Index(digits, ".")-1 != scale {
					t.Fatalf("%d with scale %d is written %s", k, scale, digits)
				}
			}
		}
	}
	l := leaf{kind: format.Int64, width: 8, typ: table.Text, scale: 18, signed: true}
	if got := string(l.appendDecimal(nil, math.MinInt64)); got != "-9.223372036854775808" {
		t.Errorf("the lowest is written %s", got)
	}
}

func TestSchemaErrors(t *testing.T) {
	value := format.SchemaElement{Name: "v", Type: thrift.New(format.Double)}
	group := func(n int32) format.SchemaElement {
		return format.SchemaElement{Name: "g", NumChildren: thrift.New(n)}
	}
	deep := []format.SchemaElement{}
	for range 300 {
		deep = append(deep, group(1))
	}
	for name, schema := range map[string][]format.SchemaElement{
		"none": nil, "value as root": {value}, "cut off": {group(2), value}, "too many": {group(1), value, value},
		"deep": append(deep, value), "fixed": {group(1), {Name: "f", Type: thrift.New(format.FixedLenByteArray)}},
		"type": {group(1), {Name: "f", Type: thrift.New(format.Type(99))}}, "billions": {group(math.MaxInt32)},
	} {
		if _, _, err := flattenSchema(schema); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	leaves, top, err := flattenSchema([]format.SchemaElement{group(2), group(1), value, value})
	if err != nil || len(leaves) != 2 || leaves[0].name != "g.v" || leaves[1].name != "v" || fmt.Sprint(top) != "[g v]" {
		t.Errorf("%v %v %v", leaves, top, err)
	}
}

// TestListNames checks that the names of lists and maps have only the names of the user.
func TestListNames(t *testing.T) {
	node := func(name string, repetition format.FieldRepetitionType, children int32, logical format.LogicalTypeValue) format.SchemaElement {
		e := format.SchemaElement{Name: name, RepetitionType: thrift.New(repetition)}
		e.LogicalType.Value = logical
		if children > 0 {
			e.NumChildren = thrift.New(children)
		} else {
			e.Type = thrift.New(format.Int32)
		}
		return e
	}
	old := node("old", format.Optional, 1, nil)
	old.ConvertedType = thrift.New(deprecated.List)
	leaves, _, err := flattenSchema([]format.SchemaElement{
		node("schema", format.Required, 6, nil),
		node("tags", format.Optional, 1, new(format.ListType)), node("list", format.Repeated, 1, nil), node("element", format.Optional, 0, nil),
		old, node("array", format.Repeated, 0, nil),
		node("hits", format.Optional, 1, new(format.ListType)), node("list", format.Repeated, 1, nil),
		node("element", format.Optional, 2, nil), node("t", format.Required, 0, nil), node("element", format.Required, 0, nil),
		node("map", format.Optional, 1, new(format.MapType)), node("key_value", format.Repeated, 2, nil),
		node("key", format.Required, 0, nil), node("value", format.Optional, 0, nil),
		node("plain", format.Repeated, 0, nil),
		node("list", format.Optional, 1, nil), node("element", format.Optional, 0, nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range leaves {
		names = append(names, leaves[i].name)
		if want := map[bool]string{false: "a list", true: ""}[leaves[i].name == "list.element"]; leaves[i].opaque != want {
			t.Errorf("%s: %q, want %q", leaves[i].name, leaves[i].opaque, want)
		}
	}
	if got, want := strings.Join(names, " "), "tags old hits.t hits.element map.key map.value plain list.element"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestColumnErrors(t *testing.T) {
	s := &Source{footer: 1000}
	l := &leaf{kind: format.Double, width: 8}
	good := format.ColumnMetaData{Type: format.Double, NumValues: 5, DataPageOffset: 10, TotalCompressedSize: 100}
	for name, c := range map[string]struct {
		change func(c *format.ColumnChunk)
		want   string
	}{
		"good":      {func(c *format.ColumnChunk) {}, ""},
		"elsewhere": {func(c *format.ColumnChunk) { c.FilePath = "b" }, "another file"},
		"secret":    {func(c *format.ColumnChunk) { c.CryptoMetadata.Value = &format.EncryptionWithFooterKey{} }, "encrypted"},
		"type":      {func(c *format.ColumnChunk) { c.MetaData.Type = format.Float }, "but the schema says"},
		"values":    {func(c *format.ColumnChunk) { c.MetaData.NumValues = 4 }, "4 values, but its row group has 5 rows"},
		"front":     {func(c *format.ColumnChunk) { c.MetaData.DataPageOffset = 3 }, "must be within bytes 4 to 1000"},
		"end":       {func(c *format.ColumnChunk) { c.MetaData.TotalCompressedSize = 991 }, "must be within bytes 4 to 1000"},
		"negative":  {func(c *format.ColumnChunk) { c.MetaData.TotalCompressedSize = -1 }, "must be within bytes 4 to 1000"},
		"far":       {func(c *format.ColumnChunk) { c.MetaData.TotalCompressedSize = math.MaxInt64 }, "must be within bytes 4 to 1000"},
	} {
		head := format.ColumnChunk{MetaData: good}
		c.change(&head)
		_, err := newChunk(s, l, &head, 5)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
