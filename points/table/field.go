package table

import "fmt"

// Type is the type of a field.
type Type uint8

// The types of fields. Text is any string of bytes, as it stands in the file.
const (
	Text Type = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
)

// types has the names and sizes of the types.
var types = [...]struct {
	name string
	size int
}{
	{"text", 0}, {"bool", 1}, {"int8", 1}, {"int16", 2}, {"int32", 4}, {"int64", 8},
	{"uint8", 1}, {"uint16", 2}, {"uint32", 4}, {"uint64", 8}, {"float32", 4}, {"float64", 8},
}

// String returns the name of the type in lower case, such as float64.
func (t Type) String() string {
	if int(t) < len(types) {
		return types[t].name
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// Size returns the bytes of a value, 0 for Text.
func (t Type) Size() int { return types[t].size }

// IsFloat and IsInt tell the two kinds of numbers; Bool is neither.
func (t Type) IsFloat() bool { return t == Float32 || t == Float64 }

// IsInt reports whether t is a signed or unsigned integer type.
func (t Type) IsInt() bool { return t >= Int8 && t <= Uint64 }

// Field is a column of the input.
type Field struct {
	Name string
	Type Type
	// Opaque says what a field is that has no Values, such as a list; it is "" for others.
	// Its Type is Text.
	Opaque string
}

// Values are the cells of one field in one block, one for each of its points. The
// slices belong to the caller, who may use them again; those in Texts point into the
// block.
type Values struct {
	Type Type
	// Floats holds Float32 and Float64; Ints holds integers, Bool as 0 and 1, and
	// Uint64 with its bits; the other one is empty, and both are for Text.
	Floats []float64
	Ints   []int64
	// Texts holds the cells as they stand in a text, whatever their Type; it is empty
	// for binary formats.
	Texts [][]byte
	// Missing is true where a cell has no value; empty if all have.
	Missing []bool
}

// Reset empties v, keeps its memory, and sets its type.
func (v *Values) Reset(t Type) {
	v.Type, v.Floats, v.Ints, v.Texts, v.Missing = t, v.Floats[:0], v.Ints[:0], v.Texts[:0], v.Missing[:0]
}
