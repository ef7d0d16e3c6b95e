package vtk

import (
	"encoding/binary"
	"math"
	"strings"
)

// number is a type of numbers.
type number struct {
	size  int
	value func(b []byte, order binary.ByteOrder) float64
}

var (
	int8s    = number{1, func(b []byte, _ binary.ByteOrder) float64 { return float64(int8(b[0])) }}
	uint8s   = number{1, func(b []byte, _ binary.ByteOrder) float64 { return float64(b[0]) }}
	int16s   = number{2, func(b []byte, o binary.ByteOrder) float64 { return float64(int16(o.Uint16(b))) }}
	uint16s  = number{2, func(b []byte, o binary.ByteOrder) float64 { return float64(o.Uint16(b)) }}
	int32s   = number{4, func(b []byte, o binary.ByteOrder) float64 { return float64(int32(o.Uint32(b))) }}
	uint32s  = number{4, func(b []byte, o binary.ByteOrder) float64 { return float64(o.Uint32(b)) }}
	int64s   = number{8, func(b []byte, o binary.ByteOrder) float64 { return float64(int64(o.Uint64(b))) }}
	uint64s  = number{8, func(b []byte, o binary.ByteOrder) float64 { return float64(o.Uint64(b)) }}
	float32s = number{4, func(b []byte, o binary.ByteOrder) float64 { return float64(math.Float32frombits(o.Uint32(b))) }}
	float64s = number{8, func(b []byte, o binary.ByteOrder) float64 { return math.Float64frombits(o.Uint64(b)) }}
)

// legacyNumbers holds the types of legacy files by name. The size of "long" depends on the machine that
// wrote the file. This size is 8 bytes on all systems except Windows.
var legacyNumbers = map[string]number{
	"char": int8s, "signed_char": int8s, "unsigned_char": uint8s, "short": int16s, "unsigned_short": uint16s,
	"int": int32s, "unsigned_int": uint32s, "long": int64s, "unsigned_long": uint64s, "float": float32s,
	"double": float64s, "vtkidtype": int32s, // the writer converts identifiers to int (vtkDataWriter)
	"vtktypeint64": int64s, "vtktypeuint64": uint64s, "vtktypeint32": int32s, "vtktypeuint32": uint32s,
	"vtktypeint16": int16s, "vtktypeuint16": uint16s, "vtktypeint8": int8s, "vtktypeuint8": uint8s,
	"vtktypefloat32": float32s, "vtktypefloat64": float64s,
}

func legacyNumber(name string) (number, bool) {
	n, ok := legacyNumbers[strings.ToLower(name)]
	return n, ok
}

// xmlNumbers holds the types of XML files by name.
var xmlNumbers = map[string]number{
	"Int8": int8s, "UInt8": uint8s, "Int16": int16s, "UInt16": uint16s, "Int32": int32s, "UInt32": uint32s,
	"Int64": int64s, "UInt64": uint64s, "Float32": float32s, "Float64": float64s,
}
