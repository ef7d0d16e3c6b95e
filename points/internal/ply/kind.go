package ply

import (
	"encoding/binary"
	"math"

	"github.com/inpoly/inpoly/points/table"
)

// kind is a scalar type of PLY.
type kind uint8

const (
	char kind = iota
	uchar
	short
	ushort
	integer
	uinteger
	float
	double
)

// kinds has what is known of each kind: both names, bytes, type, and range of the
// integers.
var kinds = [...]struct {
	name, other string
	size        int
	typ         table.Type
	min, max    int64
}{
	char:     {"char", "int8", 1, table.Int8, math.MinInt8, math.MaxInt8},
	uchar:    {"uchar", "uint8", 1, table.Uint8, 0, math.MaxUint8},
	short:    {"short", "int16", 2, table.Int16, math.MinInt16, math.MaxInt16},
	ushort:   {"ushort", "uint16", 2, table.Uint16, 0, math.MaxUint16},
	integer:  {"int", "int32", 4, table.Int32, math.MinInt32, math.MaxInt32},
	uinteger: {"uint", "uint32", 4, table.Uint32, 0, math.MaxUint32},
	float:    {"float", "float32", 4, table.Float32, 0, 0},
	double:   {"double", "float64", 8, table.Float64, 0, 0},
}

// kindOf returns the kind with that name.
func kindOf(name string) (kind, bool) {
	for k := range kinds {
		if kinds[k].name == name || kinds[k].other == name {
			return kind(k), true
		}
	}
	return 0, false
}

func (k kind) size() int     { return kinds[k].size }
func (k kind) isFloat() bool { return k >= float }

// int returns the integer at the front of b; k is no float.
func (k kind) int(b []byte, big bool) int64 {
	switch k {
	case char:
		return int64(int8(b[0]))
	case uchar:
		return int64(b[0])
	case short:
		return int64(int16(load16(b, big)))
	case ushort:
		return int64(load16(b, big))
	case integer:
		return int64(int32(load32(b, big)))
	}
	return int64(load32(b, big))
}

// float returns the value at the front of b, which float64 holds exactly.
func (k kind) float(b []byte, big bool) float64 {
	switch k {
	case float:
		return float64(math.Float32frombits(load32(b, big)))
	case double:
		return math.Float64frombits(load64(b, big))
	}
	return float64(k.int(b, big))
}

// put writes the integer v, or the float x, to the front of b.
func (k kind) put(b []byte, v int64, x float64, big bool) {
	switch k {
	case char, uchar:
		b[0] = byte(v)
	case short, ushort:
		store16(b, uint16(v), big)
	case integer, uinteger:
		store32(b, uint32(v), big)
	case float:
		store32(b, math.Float32bits(float32(x)), big)
	case double:
		store64(b, math.Float64bits(x), big)
	}
}

// float32At and float64At are kind.float of little-endian floats, for loops over rows.
func float32At(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

func float64At(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

func load16(b []byte, big bool) uint16 {
	if big {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

func load32(b []byte, big bool) uint32 {
	if big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func load64(b []byte, big bool) uint64 {
	if big {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

func store16(b []byte, v uint16, big bool) {
	if big {
		binary.BigEndian.PutUint16(b, v)
		return
	}
	binary.LittleEndian.PutUint16(b, v)
}

func store32(b []byte, v uint32, big bool) {
	if big {
		binary.BigEndian.PutUint32(b, v)
		return
	}
	binary.LittleEndian.PutUint32(b, v)
}

func store64(b []byte, v uint64, big bool) {
	if big {
		binary.BigEndian.PutUint64(b, v)
		return
	}
	binary.LittleEndian.PutUint64(b, v)
}
