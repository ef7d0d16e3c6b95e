package parquet

import (
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// logicalType is what the schema says of a column beyond its type.
type logicalType struct {
	converted deprecated.ConvertedType
	width     int // of an integer, 0 for strings
	signed    bool
	given     bool
}

var (
	plain = logicalType{}
	words = logicalType{converted: deprecated.UTF8, given: true}
)

// element returns an element of a schema (SchemaElement of parquet.thrift).
func element(name string, kind format.Type, optional bool, l logicalType) []byte {
	repetition := format.Required
	if optional {
		repetition = format.Optional
	}
	var e encoder
	e.begin()
	e.i32(1, int(kind))
	e.i32(3, int(repetition))
	e.string(4, name)
	if l.given {
		e.i32(6, int(l.converted))
		e.inner(10)
		if l.width == 0 {
			e.inner(1)
		} else {
			e.inner(10)
			e.head(1, kindByte)
			e.b = append(e.b, byte(l.width))
			e.bool(2, l.signed)
		}
		e.end()
		e.end()
	}
	e.end()
	return e.b
}

// dictionaryPage returns the page of a dictionary of n values, which are plain in body, and
// its length without compression.
func dictionaryPage(codec format.CompressionCodec, n int, body []byte) (page []byte, expanded int, err error) {
	packed, err := compressTo(nil, codec, body)
	if err != nil {
		return nil, 0, err
	}
	var e encoder
	e.begin()
	e.i32(1, int(format.DictionaryPage))
	e.i32(2, len(body))
	e.i32(3, len(packed))
	e.inner(7)
	e.i32(1, n)
	e.i32(2, int(format.Plain))
	e.end()
	e.end()
	return append(e.b, packed...), len(e.b) + len(body), nil
}
