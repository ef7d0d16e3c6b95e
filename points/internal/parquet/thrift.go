package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// The kinds of values of Thrift's compact protocol (thrift-compact-protocol.md). True
// and false are kinds of fields; in a list a bool is a byte.
const (
	kindTrue   = 1
	kindFalse  = 2
	kindByte   = 3
	kindI16    = 4
	kindI32    = 5
	kindI64    = 6
	kindDouble = 7
	kindBinary = 8
	kindList   = 9
	kindSet    = 10
	kindMap    = 11
	kindStruct = 12
)

// errThrift is any fault of metadata.
var errThrift = errors.New("metadata are not valid")

// field is a field of a struct in its encoded form, so that what this package does not
// know is passed on as it was.
type field struct {
	id    int16
	kind  byte
	value []byte // empty for kindTrue and kindFalse
}

// varint reads an unsigned number, n = 0 if there is none.
func varint(b []byte) (v uint64, n int) {
	if v, n = binary.Uvarint(b); n < 0 {
		n = 0
	}
	return v, n
}

// zigzag undoes the mapping of signed numbers to unsigned ones.
func zigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// number returns the integer that f holds.
func (f field) number() int64 {
	v, _ := varint(f.value)
	return zigzag(v)
}

// skip returns the length of a value of that kind at the start of b. Structs may be
// nested as deep as Parquet's schemas may, and metadata are far from that.
func skip(kind byte, b []byte, depth int) (int, error) {
	const deepest = 64 // the metadata nest 8 deep
	if depth > deepest {
		return 0, fmt.Errorf("%w: nested too deep", errThrift)
	}
	switch kind {
	case kindTrue, kindFalse:
		return 0, nil
	case kindByte:
		return need(1, b)
	case kindDouble:
		return need(8, b)
	case kindI16, kindI32, kindI64:
		_, n := varint(b)
		if n == 0 {
			return 0, fmt.Errorf("%w: number cut off", errThrift)
		}
		return n, nil
	case kindBinary:
		v, n := varint(b)
		if n == 0 || v > uint64(len(b)-n) {
			return 0, fmt.Errorf("%w: string cut off", errThrift)
		}
		return n + int(v), nil
	case kindList, kindSet:
		_, _, n, err := elements(b, depth+1, nil)
		return n, err
	case kindStruct:
		_, n, err := fields(b, depth+1, nil)
		return n, err
	}
	return 0, fmt.Errorf("%w: kind %d", errThrift, kind)
}

// need returns n if b is that long.
func need(n int, b []byte) (int, error) {
	if len(b) < n {
		return 0, fmt.Errorf("%w: cut off", errThrift)
	}
	return n, nil
}

// fields appends the fields of the struct at the start of b to fs, and returns its
// length too.
func fields(b []byte, depth int, fs []field) ([]field, int, error) {
	at, last := 0, int16(0)
	for {
		if at >= len(b) {
			return nil, 0, fmt.Errorf("%w: struct cut off", errThrift)
		}
		head := b[at]
		at++
		if head == 0 {
			return fs, at, nil
		}
		f := field{id: last + int16(head>>4), kind: head & 15}
		if head>>4 == 0 {
			v, n := varint(b[at:])
			if n == 0 {
				return nil, 0, fmt.Errorf("%w: field cut off", errThrift)
			}
			f.id = int16(zigzag(v))
			at += n
		}
		n, err := skip(f.kind, b[at:], depth)
		if err != nil {
			return nil, 0, err
		}
		f.value = b[at : at+n : at+n]
		at += n
		last = f.id
		fs = append(fs, f)
	}
}

// elements appends the elements of the list at the start of b to items, and returns
// their kind and the length of the list too.
func elements(b []byte, depth int, items [][]byte) (kind byte, _ [][]byte, length int, err error) {
	if len(b) == 0 {
		return 0, nil, 0, fmt.Errorf("%w: list cut off", errThrift)
	}
	kind, at := b[0]&15, 1
	count := uint64(b[0] >> 4)
	if count == 15 {
		v, n := varint(b[1:])
		if n == 0 {
			return 0, nil, 0, fmt.Errorf("%w: list cut off", errThrift)
		}
		count, at = v, 1+n
	}
	if count > uint64(len(b)-at) { // each element has a byte or more
		return 0, nil, 0, fmt.Errorf("%w: list of %d elements in %d bytes", errThrift, count, len(b)-at)
	}
	skipped := kind
	if kind == kindTrue || kind == kindFalse {
		skipped = kindByte
	}
	for range count {
		n, err := skip(skipped, b[at:], depth)
		if err != nil {
			return 0, nil, 0, err
		}
		items = append(items, b[at:at+n:at+n])
		at += n
	}
	return kind, items, at, nil
}

// fields returns the fields of the struct that f holds.
func (f field) fields() ([]field, error) {
	if f.kind != kindStruct {
		return nil, fmt.Errorf("%w: no struct in field %d", errThrift, f.id)
	}
	fs, _, err := fields(f.value, 0, nil)
	return fs, err
}

// must returns the fields of a struct that is valid, as it was read before, or written
// here.
func must(raw []byte) []field {
	fs, _, err := fields(raw, 0, nil)
	if err != nil {
		panic("parquet: " + err.Error())
	}
	return fs
}

// find returns the field of that id, nil if there is none.
func find(fs []field, id int16) *field {
	for i := range fs {
		if fs[i].id == id {
			return &fs[i]
		}
	}
	return nil
}

// encoder writes structs.
type encoder struct {
	b    []byte
	last []int16 // ids of the last fields of the structs that are open
}

// begin opens a struct; end closes it.
func (e *encoder) begin() { e.last = append(e.last, 0) }

func (e *encoder) end() {
	e.b = append(e.b, 0)
	e.last = e.last[:len(e.last)-1]
}

// head writes the head of a field; its value must follow.
func (e *encoder) head(id int16, kind byte) {
	last := &e.last[len(e.last)-1]
	if d := id - *last; d > 0 && d <= 15 {
		e.b = append(e.b, byte(d)<<4|kind)
	} else {
		e.b = append(e.b, kind)
		e.number(int64(id))
	}
	*last = id
}

// number writes a signed number without a head.
func (e *encoder) number(v int64) {
	e.b = binary.AppendUvarint(e.b, uint64(v)<<1^uint64(v>>63))
}

func (e *encoder) i32(id int16, v int) {
	e.head(id, kindI32)
	e.number(int64(v))
}

func (e *encoder) i64(id int16, v int64) {
	e.head(id, kindI64)
	e.number(v)
}

func (e *encoder) bool(id int16, v bool) {
	if v {
		e.head(id, kindTrue)
	} else {
		e.head(id, kindFalse)
	}
}

// text writes a string without a head.
func (e *encoder) text(s string) {
	e.b = append(binary.AppendUvarint(e.b, uint64(len(s))), s...)
}

func (e *encoder) string(id int16, s string) {
	e.head(id, kindBinary)
	e.text(s)
}

// list writes the head of a list of n elements, which must follow.
func (e *encoder) list(id int16, kind byte, n int) {
	e.head(id, kindList)
	if n < 15 {
		e.b = append(e.b, byte(n)<<4|kind)
		return
	}
	e.b = binary.AppendUvarint(append(e.b, 15<<4|kind), uint64(n))
}

// inner opens a struct that is a field.
func (e *encoder) inner(id int16) {
	e.head(id, kindStruct)
	e.begin()
}

// field writes f as it was.
func (e *encoder) field(f field) {
	e.head(f.id, f.kind)
	e.b = append(e.b, f.value...)
}

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
