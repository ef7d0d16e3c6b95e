package plyfile

import (
	"encoding/binary"
	"math"
)

// Kind is a scalar type of PLY.
type Kind uint8

// The scalar types. The integer types come before the float types.
const (
	Int8 Kind = iota
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Float32
	Float64
)

// kinds has the original name, the later name, the size in bytes and the integer range of each
// kind.
var kinds = [...]struct {
	name, alias string
	size        int
	min, max    int64
}{
	Int8:    {"char", "int8", 1, math.MinInt8, math.MaxInt8},
	Uint8:   {"uchar", "uint8", 1, 0, math.MaxUint8},
	Int16:   {"short", "int16", 2, math.MinInt16, math.MaxInt16},
	Uint16:  {"ushort", "uint16", 2, 0, math.MaxUint16},
	Int32:   {"int", "int32", 4, math.MinInt32, math.MaxInt32},
	Uint32:  {"uint", "uint32", 4, 0, math.MaxUint32},
	Float32: {"float", "float32", 4, 0, 0},
	Float64: {"double", "float64", 8, 0, 0},
}

// ParseKind returns the kind with the given name, such as "uchar" or "uint8".
func ParseKind(name string) (Kind, bool) {
	for k := range kinds {
		if kinds[k].name == name || kinds[k].alias == name {
			return Kind(k), true
		}
	}
	return 0, false
}

// String returns the original name of k, such as "uchar".
func (k Kind) String() string { return kinds[k].name }

// Size returns the number of bytes of a binary value.
func (k Kind) Size() int { return kinds[k].size }

// IsFloat reports whether k is Float32 or Float64.
func (k Kind) IsFloat() bool { return k >= Float32 }

// Holds reports whether the integer kind k can represent x.
func (k Kind) Holds(x float64) bool {
	return x == math.Trunc(x) && x >= float64(kinds[k].min) && x <= float64(kinds[k].max)
}

// Int returns the integer at the front of b. k must be an integer kind.
func (k Kind) Int(b []byte, bigEndian bool) int64 {
	switch k {
	case Int8:
		return int64(int8(b[0]))
	case Uint8:
		return int64(b[0])
	case Int16:
		return int64(int16(load16(b, bigEndian)))
	case Uint16:
		return int64(load16(b, bigEndian))
	case Int32:
		return int64(int32(load32(b, bigEndian)))
	}
	return int64(load32(b, bigEndian))
}

// Float returns the value at the front of b. A float64 represents the values of all kinds exactly.
func (k Kind) Float(b []byte, bigEndian bool) float64 {
	switch k {
	case Float32:
		return float64(math.Float32frombits(load32(b, bigEndian)))
	case Float64:
		return math.Float64frombits(load64(b, bigEndian))
	}
	return float64(k.Int(b, bigEndian))
}

// Put writes a value to the front of b in little-endian order. The value is n if k is an integer
// kind, and x if k is a float kind.
func (k Kind) Put(b []byte, n int64, x float64) {
	switch k {
	case Int8, Uint8:
		b[0] = byte(n)
	case Int16, Uint16:
		binary.LittleEndian.PutUint16(b, uint16(n))
	case Int32, Uint32:
		binary.LittleEndian.PutUint32(b, uint32(n))
	case Float32:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(x)))
	case Float64:
		binary.LittleEndian.PutUint64(b, math.Float64bits(x))
	}
}

func load16(b []byte, bigEndian bool) uint16 {
	if bigEndian {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

func load32(b []byte, bigEndian bool) uint32 {
	if bigEndian {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func load64(b []byte, bigEndian bool) uint64 {
	if bigEndian {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}
