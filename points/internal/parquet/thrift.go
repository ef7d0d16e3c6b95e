package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/inpoly/inpoly/internal/plural"
)

// These types are from Thrift's compact protocol (thrift-compact-protocol.md). A boolean field
// stores its value as its type, kindTrue or kindFalse. A boolean in a list is a byte.
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
	kindStruct = 12
)

// IDs of fields in the structs of parquet.thrift.
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

	// fields of ColumnChunk; the ID of the length of an index is one higher than the ID of its offset
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

	// OffsetIndex and PageLocation
	indexLocations = 1
	locationOffset = 1
)

// errThrift is wrapped by errors that report invalid metadata.
var errThrift = errors.New("invalid metadata")

// thriftField is a field of a struct. Its value stays encoded, so that unknown fields can be
// copied.
type thriftField struct {
	id    int16
	kind  byte
	value []byte // empty for kindTrue and kindFalse
}

// integer decodes the value of f as an integer.
func (f thriftField) integer() int64 {
	v, _ := binary.Varint(f.value)
	return v
}

// valueLength returns the number of bytes of the encoded value at the start of b.
func valueLength(kind byte, b []byte, depth int) (int, error) {
	const maxDepth = 64 // the metadata of a Parquet file has at most 8 levels
	if depth > maxDepth {
		return 0, fmt.Errorf("%w: the metadata has too many levels", errThrift)
	}
	n := 0
	switch kind {
	case kindTrue, kindFalse:
	case kindByte:
		n = 1
	case kindDouble:
		n = 8
	case kindI16, kindI32, kindI64:
		if _, n = binary.Uvarint(b); n <= 0 {
			return 0, fmt.Errorf("%w: a number is cut off", errThrift)
		}
	case kindBinary:
		v, k := binary.Uvarint(b)
		if k <= 0 || v > uint64(len(b)-k) {
			return 0, fmt.Errorf("%w: a string is cut off", errThrift)
		}
		n = k + int(v)
	case kindList, kindSet:
		_, _, n, err := readList(b, depth+1)
		return n, err
	case kindStruct:
		_, n, err := readStruct(b, depth+1)
		return n, err
	default:
		return 0, fmt.Errorf("%w: unknown type %d", errThrift, kind)
	}
	if len(b) < n {
		return 0, fmt.Errorf("%w: a value is cut off", errThrift)
	}
	return n, nil
}

// readStruct returns the fields of the struct at the start of b, and its number of bytes.
func readStruct(b []byte, depth int) (fs []thriftField, length int, err error) {
	at, last := 0, int16(0)
	for {
		if at >= len(b) {
			return nil, 0, fmt.Errorf("%w: a struct is cut off", errThrift)
		}
		head := b[at]
		at++
		if head == 0 {
			return fs, at, nil
		}
		f := thriftField{id: last + int16(head>>4), kind: head & 15}
		if head>>4 == 0 {
			v, n := binary.Varint(b[at:])
			if n <= 0 {
				return nil, 0, fmt.Errorf("%w: a field is cut off", errThrift)
			}
			f.id = int16(v)
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

// readList returns the type of the elements of the list at the start of b, the elements, and the
// number of bytes of the list.
func readList(b []byte, depth int) (kind byte, items [][]byte, length int, err error) {
	if len(b) == 0 {
		return 0, nil, 0, fmt.Errorf("%w: a list is cut off", errThrift)
	}
	kind, at := b[0]&15, 1
	count := uint64(b[0] >> 4)
	if count == 15 {
		v, n := binary.Uvarint(b[1:])
		if n <= 0 {
			return 0, nil, 0, fmt.Errorf("%w: a list is cut off", errThrift)
		}
		count, at = v, 1+n
	}
	if count > uint64(len(b)-at) { // each element has at least one byte
		return 0, nil, 0, plural.Errorf("%w: a list of %d elements does not fit in %d bytes", errThrift, count, len(b)-at)
	}
	stored := kind
	if kind == kindTrue || kind == kindFalse {
		stored = kindByte
	}
	for range count {
		n, err := valueLength(stored, b[at:], depth)
		if err != nil {
			return 0, nil, 0, err
		}
		items = append(items, b[at:at+n:at+n])
		at += n
	}
	return kind, items, at, nil
}

// structs returns the encoded structs of a list field. It fails if the field is not a list of
// structs.
func (f thriftField) structs() ([][]byte, error) {
	if f.kind != kindList {
		return nil, fmt.Errorf("%w: field %d is not a list", errThrift, f.id)
	}
	kind, items, _, err := readList(f.value, 0)
	if err == nil && len(items) > 0 && kind != kindStruct {
		err = fmt.Errorf("%w: field %d is not a list of structs", errThrift, f.id)
	}
	return items, err
}

// readStructs returns the encoded structs in the list field that has the given ID.
func readStructs(fs []thriftField, id int16) ([][]byte, error) {
	if f := findField(fs, id); f != nil {
		return f.structs()
	}
	return nil, fmt.Errorf("%w: field %d is missing: expected a list", errThrift, id)
}

// mustReadStruct returns the fields of a struct that this package has read or written before. It
// panics if the struct is not valid.
func mustReadStruct(raw []byte) []thriftField {
	fs, _, err := readStruct(raw, 0)
	if err != nil {
		panic("parquet: " + err.Error())
	}
	return fs
}

// findField returns the field that has the given ID, or nil.
func findField(fs []thriftField, id int16) *thriftField {
	for i := range fs {
		if fs[i].id == id {
			return &fs[i]
		}
	}
	return nil
}

// intField returns a field with an integer of the type kindI16, kindI32 or kindI64.
func intField(id int16, kind byte, v int64) thriftField {
	return thriftField{id, kind, binary.AppendVarint(nil, v)}
}

func i32Field(id int16, v int) thriftField   { return intField(id, kindI32, int64(v)) }
func i64Field(id int16, v int64) thriftField { return intField(id, kindI64, v) }

// listField returns a field with a list of encoded items of one type.
func listField(id int16, kind byte, items [][]byte) thriftField {
	return thriftField{id, kindList, encodeList(kind, items)}
}

// encodeStruct encodes a struct that has the given fields.
func encodeStruct(fs ...thriftField) []byte {
	var b []byte
	last := int16(0)
	for _, f := range fs {
		if d := f.id - last; d > 0 && d <= 15 {
			b = append(b, byte(d)<<4|f.kind)
		} else {
			b = binary.AppendVarint(append(b, f.kind), int64(f.id))
		}
		b = append(b, f.value...)
		last = f.id
	}
	return append(b, 0)
}

// encodeList encodes a list of encoded items of one type.
func encodeList(kind byte, items [][]byte) []byte {
	b := []byte{byte(min(len(items), 15))<<4 | kind}
	if len(items) >= 15 {
		b = binary.AppendUvarint(b, uint64(len(items)))
	}
	return append(b, bytes.Join(items, nil)...)
}
