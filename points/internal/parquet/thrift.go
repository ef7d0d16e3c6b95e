package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Types of values in Thrift's compact protocol (thrift-compact-protocol.md). True and false are
// types of fields; in a list a bool is a byte.
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

// Ids of fields in the structs of parquet.thrift.
const (
	// FileMetaData
	fileSchema       = 2
	fileNumRows      = 3
	fileRowGroups    = 4
	fileKeyValues    = 5
	fileColumnOrders = 7
	fileEncryption   = 8

	// SchemaElement
	elementNumChildren = 5

	// RowGroup
	groupColumns        = 1
	groupTotalSize      = 2
	groupNumRows        = 3
	groupSorting        = 4
	groupFileOffset     = 5
	groupCompressedSize = 6
	groupOrdinal        = 7

	// ColumnChunk; the length of an index follows its offset
	chunkFileOffset  = 2
	chunkMetaData    = 3
	chunkOffsetIndex = 4
	chunkColumnIndex = 6

	// ColumnMetaData
	metaDataPage    = 9
	metaIndexPage   = 10
	metaDictionary  = 11
	metaBloom       = 14
	metaBloomLength = 15

	// PageHeader
	pageType         = 1
	pageUncompressed = 2
	pageCompressed   = 3
	pageCRC          = 4
	pageData         = 5
	pageDictionary   = 7
	pageDataV2       = 8
)

// errThrift is wrapped by errors about metadata.
var errThrift = errors.New("invalid metadata")

// thriftField is a field of a struct in its encoded form. Fields that this package does not know
// can therefore be written unchanged.
type thriftField struct {
	id    int16
	kind  byte
	value []byte // empty for kindTrue and kindFalse
}

// varint reads an unsigned integer. n = 0 if b is too short.
func varint(b []byte) (v uint64, n int) {
	if v, n = binary.Uvarint(b); n < 0 {
		n = 0
	}
	return v, n
}

// unzigzag maps 0, 1, 2, 3, … to 0, −1, 1, −2, …
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// integer returns the integer that f holds.
func (f thriftField) integer() int64 {
	v, _ := varint(f.value)
	return unzigzag(v)
}

// valueLength returns the length of the value of a type at the start of b.
func valueLength(kind byte, b []byte, depth int) (int, error) {
	const maxDepth = 64 // the metadata nest 8 deep
	if depth > maxDepth {
		return 0, fmt.Errorf("%w: nested too deep", errThrift)
	}
	switch kind {
	case kindTrue, kindFalse:
		return 0, nil
	case kindByte:
		return checkLength(1, b)
	case kindDouble:
		return checkLength(8, b)
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
		_, _, n, err := readList(b, depth+1)
		return n, err
	case kindStruct:
		_, n, err := readStruct(b, depth+1)
		return n, err
	}
	return 0, fmt.Errorf("%w: kind %d", errThrift, kind)
}

// checkLength returns n if b has n bytes.
func checkLength(n int, b []byte) (int, error) {
	if len(b) < n {
		return 0, fmt.Errorf("%w: cut off", errThrift)
	}
	return n, nil
}

// readStruct returns the fields of the struct at the start of b, and its length.
func readStruct(b []byte, depth int) (fs []thriftField, length int, err error) {
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
		f := thriftField{id: last + int16(head>>4), kind: head & 15}
		if head>>4 == 0 {
			v, n := varint(b[at:])
			if n == 0 {
				return nil, 0, fmt.Errorf("%w: field cut off", errThrift)
			}
			f.id = int16(unzigzag(v))
			at += n
		}
		n, err := valueLength(f.kind, b[at:], depth)
		if err != nil {
			return nil, 0, err
		}
		f.value = b[at : at+n : at+n]
		at += n
		last = f.id
		fs = append(fs, f)
	}
}

// readList returns the type and the elements of the list at the start of b, and the length of the
// list.
func readList(b []byte, depth int) (kind byte, items [][]byte, length int, err error) {
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
		n, err := valueLength(skipped, b[at:], depth)
		if err != nil {
			return 0, nil, 0, err
		}
		items = append(items, b[at:at+n:at+n])
		at += n
	}
	return kind, items, at, nil
}

// fields returns the fields of the struct that f holds.
func (f thriftField) fields() ([]thriftField, error) {
	if f.kind != kindStruct {
		return nil, fmt.Errorf("%w: no struct in field %d", errThrift, f.id)
	}
	fs, _, err := readStruct(f.value, 0)
	return fs, err
}

// structs returns the elements of the list of structs that f holds.
func (f thriftField) structs() ([][]byte, error) {
	if f.kind != kindList {
		return nil, fmt.Errorf("%w: no list in field %d", errThrift, f.id)
	}
	kind, items, _, err := readList(f.value, 0)
	if err == nil && len(items) > 0 && kind != kindStruct {
		err = fmt.Errorf("%w: no structs in field %d", errThrift, f.id)
	}
	return items, err
}

// readStructs returns the elements of the list of structs in the field with an id.
func readStructs(fs []thriftField, id int16) ([][]byte, error) {
	if f := findField(fs, id); f != nil {
		return f.structs()
	}
	return nil, fmt.Errorf("%w: no list in field %d", errThrift, id)
}

// mustReadStruct returns the fields of a struct that was read or written here before, and is
// therefore valid.
func mustReadStruct(raw []byte) []thriftField {
	fs, _, err := readStruct(raw, 0)
	if err != nil {
		panic("parquet: " + err.Error())
	}
	return fs
}

// findField returns the field with an id, or nil.
func findField(fs []thriftField, id int16) *thriftField {
	for i := range fs {
		if fs[i].id == id {
			return &fs[i]
		}
	}
	return nil
}

// thriftEncoder encodes structs.
type thriftEncoder struct {
	b    []byte
	last []int16 // of each open struct: the id of its last field
}

// begin opens a struct; end closes it.
func (e *thriftEncoder) begin() { e.last = append(e.last, 0) }

func (e *thriftEncoder) end() {
	e.b = append(e.b, 0)
	e.last = e.last[:len(e.last)-1]
}

// fieldHeader writes the header of a field. The value must follow.
func (e *thriftEncoder) fieldHeader(id int16, kind byte) {
	last := &e.last[len(e.last)-1]
	if d := id - *last; d > 0 && d <= 15 {
		e.b = append(e.b, byte(d)<<4|kind)
	} else {
		e.b = append(e.b, kind)
		e.zigzag(int64(id))
	}
	*last = id
}

// zigzag writes a signed integer without a header.
func (e *thriftEncoder) zigzag(v int64) {
	e.b = binary.AppendUvarint(e.b, uint64(v)<<1^uint64(v>>63))
}

func (e *thriftEncoder) i32(id int16, v int) {
	e.fieldHeader(id, kindI32)
	e.zigzag(int64(v))
}

func (e *thriftEncoder) i64(id int16, v int64) {
	e.fieldHeader(id, kindI64)
	e.zigzag(v)
}

// rawString writes a string without a header.
func (e *thriftEncoder) rawString(s string) {
	e.b = append(binary.AppendUvarint(e.b, uint64(len(s))), s...)
}

// list writes the header of a list of n elements. The elements must follow.
func (e *thriftEncoder) list(id int16, kind byte, n int) {
	e.fieldHeader(id, kindList)
	if n < 15 {
		e.b = append(e.b, byte(n)<<4|kind)
		return
	}
	e.b = binary.AppendUvarint(append(e.b, 15<<4|kind), uint64(n))
}

// beginField opens a struct that is a field.
func (e *thriftEncoder) beginField(id int16) {
	e.fieldHeader(id, kindStruct)
	e.begin()
}

// field writes f unchanged.
func (e *thriftEncoder) field(f thriftField) {
	e.fieldHeader(f.id, f.kind)
	e.b = append(e.b, f.value...)
}

// encodeStruct encodes a struct with these fields.
func encodeStruct(fs []thriftField) []byte {
	var e thriftEncoder
	e.begin()
	for _, f := range fs {
		e.field(f)
	}
	e.end()
	return e.b
}

// encodeList encodes a list of items.
func encodeList(kind byte, items [][]byte) []byte {
	e := thriftEncoder{last: []int16{0}}
	e.list(1, kind, len(items))
	e.b = e.b[1:] // without the header of the field
	for _, item := range items {
		e.b = append(e.b, item...)
	}
	return e.b
}

// i64Field returns an i64 field.
func i64Field(id int16, v int64) thriftField {
	var e thriftEncoder
	e.zigzag(v)
	return thriftField{id: id, kind: kindI64, value: e.b}
}
